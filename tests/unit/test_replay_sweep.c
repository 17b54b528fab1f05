/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and sweeps: values as they are said, axes, points that do not depend on how many compute them. */
#include "replay/dimemas/dim.h"
#include "replay/sweep/replay_sweep.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double value_of(enum weft_setting which, const char *text)
{
	double v;
	return weft_replay_setting_parse(which, weft_str(text), &v, NULL) ? NAN : v;
}

TEST(values_have_units)
{
	CHECK_NEAR(value_of(WEFT_SET_LATENCY, "2us"), 2000, 1e-9);
	CHECK_NEAR(value_of(WEFT_SET_LATENCY, "1.5 ms"), 1.5e6, 1e-6);
	CHECK_NEAR(value_of(WEFT_SET_BANDWIDTH, "10GB/s"), 10, 1e-12);
	CHECK_NEAR(value_of(WEFT_SET_BANDWIDTH, "8Gbit/s"), 1, 1e-12);
	CHECK_NEAR(value_of(WEFT_SET_EAGER, "16K"), 16384, 0);
	CHECK_NEAR(value_of(WEFT_SET_CPU, "150%"), 1.5, 1e-12);
	CHECK_NEAR(value_of(WEFT_SET_COLLECTIVES, "linear"), WEFT_REPLAY_LINEAR, 0);
	CHECK_NEAR(value_of(WEFT_SET_BANDWIDTH, "0"), 0, 0);
	static const struct {
		enum weft_setting which;
		const char *text;
	} wrong[] = {{WEFT_SET_LATENCY, "2 miles"}, {WEFT_SET_LATENCY, "-1us"},      {WEFT_SET_BANDWIDTH, "10"},
	             {WEFT_SET_BUSES, "1.5"},       {WEFT_SET_COLLECTIVES, "often"}, {WEFT_SET_CPU, ""}};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		CHECK(isnan(value_of(wrong[i].which, wrong[i].text)));
	struct weft_err err = {0};
	double v;
	CHECK(weft_replay_setting_parse(WEFT_SET_BANDWIDTH, weft_str("10"), &v, &err) < 0);
	CHECK_STR(err.text, "'bandwidth' wants a value like 10GB/s, not '10'");
}

TEST(files_hold_settings)
{
	struct weft_replay_settings s;
	struct weft_err err = {0};
	weft_replay_settings_init(&s);
	s.value[WEFT_SET_CPU] = 3; /* an option goes before the file */
	static const char text[] = "# a machine\nlatency = 2us # of the wire\n\ncpu = 1.5\n";
	REQUIRE(weft_replay_settings_parse(&s, text, strlen(text), "m", &err) == 0);
	CHECK_NEAR(s.value[WEFT_SET_LATENCY], 2000, 0);
	CHECK_NEAR(s.value[WEFT_SET_CPU], 3, 0);
	CHECK(weft_replay_settings_parse(&s, "speed = 9\n", 10, "m", &err) < 0);
	CHECK_STR(err.text, "'m', line 1: unknown setting 'speed'");
	err.code = 0;
	CHECK(weft_replay_settings_parse(&s, "latency\n", 8, "m", &err) < 0);
	CHECK_STR(err.text, "'m', line 1: not 'name = value'");
}

TEST(axes_are_lists_and_ranges)
{
	struct weft_sweep s = {0};
	struct weft_err err = {0};
	REQUIRE(weft_sweep_parse(&s, "latency=1us..100us/3", &err) == 0);
	REQUIRE(weft_sweep_parse(&s, "cpu=1,2,4", &err) == 0);
	REQUIRE(weft_sweep_parse(&s, "bandwidth=1GB/s..4GB/s/3", &err) == 0);
	CHECK(s.axis[0].n == 3 && fabs(s.axis[0].value[1] - 10000) < 1e-6);
	CHECK(s.axis[1].n == 3 && s.axis[1].value[2] == 4);
	CHECK(s.axis[2].n == 3 && fabs(s.axis[2].value[1] - 2) < 1e-9);
	double value[WEFT_SWEEP_AXES];
	weft_sweep_values(&s, 9 + 3 + 2, value); /* the second latency, the second cpu, the third bandwidth */
	CHECK(fabs(value[0] - 10000) < 1e-6 && value[1] == 2 && fabs(value[2] - 4) < 1e-9);
	weft_sweep_fini(&s);
	CHECK(weft_sweep_parse(&s, "latency=1us..1hour", &err) < 0);
	weft_sweep_fini(&s);
	CHECK(weft_sweep_parse(&s, "luck=1", &err) < 0);
	weft_sweep_fini(&s);
}

static int make(void *arg, const struct weft_replay_settings *s, struct weft_replay_machine *m, struct weft_err *err)
{
	(void)arg, (void)err;
	int rc = weft_replay_machine_plain(m, 0, 1);
	if (!rc)
		weft_replay_settings_apply(s, m);
	return rc;
}

TEST(points_do_not_depend_on_threads)
{
	static const char text[] =
		"#DIMEMAS:\"t\":0:2(1,1),1,0,0\nd:1:1:2:0:1\n1:0:0:0.000100\n2:0:0:1:-1:500:1:1:0\n1:1:0:0.000001\n3:1:0:0:-1:500:1:1:0\n";
	struct weft_replay_program *p;
	struct weft_replay_settings base;
	const struct weft_replay_how how = {0};
	struct weft_err err = {0};
	weft_replay_settings_init(&base);
	REQUIRE(weft_replay_dim_parse(&p, text, strlen(text), "t", 0, &err) == 0);
	for (unsigned threads = 1; threads <= 3; threads += 2) {
		struct weft_sweep s = {0};
		const struct weft_sweep_run run = {.program = p, .how = &how, .make = make, .base = &base, .threads = threads};
		REQUIRE(weft_sweep_parse(&s, "cpu=1,2", &err) == 0 && weft_sweep_parse(&s, "latency=10ns..1ms/6", &err) == 0);
		REQUIRE(weft_sweep_run(&s, &run, &err) == 0);
		CHECK_U64(s.n_points, 12);
		for (uint32_t i = 0; i < s.n_points; i++) {
			double value[WEFT_SWEEP_AXES];
			weft_sweep_values(&s, i, value);
			CHECK_NEAR(s.point[i].time_ns, 100000 / value[0] + value[1] + 500, 1e-6);
		}
		uint32_t first, last;
		CHECK(weft_sweep_flat(&s, 1, 0.01, &first, &last));
		CHECK_U64(first, 0);
		CHECK_U64(last, 2); /* 10 ns, 100 ns, 1 us; 10 us is 10 % of 100 us already */
		weft_sweep_fini(&s);
	}
	weft_replay_program_free(p);
}

TEST(processes_share_points)
{
	static const char text[] = "#DIMEMAS:\"t\":0:1(1),0,0,0\n1:0:0:0.000100\n";
	struct weft_replay_program *p;
	struct weft_replay_settings base;
	const struct weft_replay_how how = {0};
	weft_replay_settings_init(&base);
	REQUIRE(weft_replay_dim_parse(&p, text, strlen(text), "t", 0, NULL) == 0);
	struct weft_sweep s = {0};
	const struct weft_sweep_run run = {.program = p, .how = &how, .make = make, .base = &base, .share = 1, .n_shares = 3};
	REQUIRE(weft_sweep_parse(&s, "cpu=1,2,3,4,5", NULL) == 0);
	REQUIRE(weft_sweep_run(&s, &run, NULL) == 0);
	for (uint32_t i = 0; i < 5; i++)
		CHECK(s.point[i].done == (i % 3 == 1));
	weft_sweep_fini(&s);
	weft_replay_program_free(p);
}
