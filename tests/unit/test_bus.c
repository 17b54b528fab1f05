/* SPDX-License-Identifier: Apache-2.0 */
/* Bus files: each text comes back; damaged ones name their line; what is predicted from them. */
#include "harness.h"
#include "base/fs.h"
#include "models/bus.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct weft_bus bus = {
	.n = 3,
	.mb_per_s = {{0, 24503.87, NAN}, {30614.59, 0, NAN}, {NAN, NAN, NAN}},
	.latency_us = {{0, 10.6025, NAN}, {14.83631, 0, NAN}, {NAN, NAN, NAN}},
};
static const struct weft_bus_config config = {{2, 1, 0, 1}};
static const struct weft_bus_affinity affinity = {.n_devices = 1, .n_numa = 2, .near = {{1, 0}}};

TEST(bus_files_come_back)
{
	char prefix[4096], path[4200], *at;
	size_t n;
	struct weft_err err = {0};
	snprintf(prefix, sizeof prefix, "%s/bus/box", test_dir());
	CHECK_I64(weft_bus_write(&(struct weft_bus_files){&bus, &config, &affinity}, prefix, &err), 0);
	CHECK_STR(err.text, "");
	static struct weft_bus b;
	struct weft_bus_config c;
	REQUIRE(weft_bus_read(&b, &c, prefix, &err) == 0);
	CHECK_U64(b.n, 3);
	CHECK_NEAR(b.mb_per_s[1][0], 30614.59, 0);
	CHECK_NEAR(b.latency_us[0][1], 10.6025, 0);
	CHECK(isnan(b.latency_us[2][2]));
	CHECK_U64(c.count[WEFT_BUS_OPENCL], 1);
	snprintf(path, sizeof path, "%s.affinity", prefix);
	REQUIRE(weft_read_file(path, &at, &n, &err) == 0);
	CHECK_STR(at, "# GPU\tNUMA0\tNUMA1\t\n0\t1\t0\t\n");
	struct weft_bus_affinity a;
	CHECK_I64(weft_bus_affinity_parse(&a, at, path, &err), 0);
	CHECK_U64(a.n_numa, 2);
	CHECK_U64(a.near[0][0], 1);
	free(at);
	snprintf(path, sizeof path, "%s.platform.v4.xml", prefix);
	REQUIRE(weft_read_file(path, &at, &n, &err) == 0);
	CHECK(strstr(at, "<link id=\"RAM-DEV1\" bandwidth=\"24503870000.000000Bps\"") != NULL);
	free(at);
	snprintf(path, sizeof path, "%s.latency", prefix);
	CHECK_I64(remove(path), 0);
	CHECK_I64(weft_bus_read(&b, &c, prefix, &err), -ENOENT);
}

TEST(bus_text_is_starpus)
{
	char *at = NULL;
	size_t n;
	FILE *to = open_memstream(&at, &n);
	weft_bus_matrix_print((const double(*)[WEFT_BUS_NODES])bus.mb_per_s, 2, to);
	fclose(to);
	CHECK_STR(at, "# to 0\t\tto 1\t\t\n0.000000e+00\t2.450387e+04\n3.061459e+04\t0.000000e+00\n");
	free(at);
}

TEST(bus_damage_names_the_line)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"# x\n0 1\n1\n", "b:3: expected as many numbers as in the first row"},
		{"0 1\n", "b:2: expected as many rows as columns"},
		{"0 x\n", "b:1: expected at most 64 numbers"},
	};
	static double m[WEFT_BUS_NODES][WEFT_BUS_NODES];
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t n;
		struct weft_err err = {0};
		CHECK_I64(weft_bus_matrix_parse(m, &n, cases[i].text, "b", &err), WEFT_E_SYNTAX);
		CHECK_STR(err.text, cases[i].error);
	}
	struct weft_err err = {0};
	struct weft_bus_config c;
	CHECK_I64(weft_bus_config_parse(&c, "1\n2\n", "c", &err), WEFT_E_SYNTAX);
	struct weft_bus_affinity a;
	CHECK_I64(weft_bus_affinity_parse(&a, "1 0\n", "a", NULL), WEFT_E_SYNTAX);
}

TEST(bus_predicts)
{
	CHECK_NEAR(weft_bus_predict_us(&bus, 0, 1, 2450387), 10.6025 + 100, 1e-6);
	CHECK_NEAR(weft_bus_predict_us(&bus, 1, 1, 1000), 0, 0);
	CHECK_NEAR(weft_bus_predict_us(&bus, 0, 2, 1000), 0, 0);
	CHECK_NEAR(weft_bus_predict_us(&bus, 0, 9, 1000), 0, 0);
}
