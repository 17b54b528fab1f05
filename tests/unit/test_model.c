/* SPDX-License-Identifier: Apache-2.0 */
/* Performance-model files: StarPU's text to the byte, damaged texts, allocations that fail, what a sample does. */
#include "harness.h"
#include "base/fs.h"
#include "models/model.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const products_names[] = {"N"};
static unsigned one[] = {1}, two[] = {2};
static unsigned *const products[] = {one, two};
static const struct weft_model_names names = {products_names, 1, products};

static char *text_of(const char *name, size_t *n)
{
	char *at;
	struct weft_err err = {0};
	if (weft_read_file(test_source(name), &at, n, &err)) {
		CHECK_STR(err.text, "");
		test_abandon();
	}
	return at;
}

TEST(model_text_comes_back_to_the_byte)
{
	size_t n, got_n;
	char *text = text_of("fuzz/corpus/model/two_devices", &n), *got = NULL;
	struct weft_model m;
	struct weft_err err = {0};
	REQUIRE(weft_model_parse(&m, text, n, "two", &err) == 0);
	CHECK_U64(m.n_combs, 2);
	CHECK_U64(m.comb[0].n_impls, 2);
	CHECK_U64(m.comb[0].impl[0].entry[1].footprint, 0xe40d1b6c);
	CHECK_U64(m.comb[0].impl[0].entry[1].n, 27);
	CHECK_NEAR(m.comb[0].impl[0].entry[1].mean, 295.2176, 0);
	CHECK(isnan(m.comb[0].impl[1].fit.alpha));
	CHECK_U64(m.comb[0].impl[1].fit.n_coeff, 3);
	CHECK_NEAR(m.comb[0].impl[1].fit.coeff[2], -0.325, 0);
	CHECK_I64(m.comb[1].device[0].cores, 3);
	CHECK_I64(m.comb[1].device[1].type, 2);
	FILE *to = open_memstream(&got, &got_n);
	weft_model_print(&m, &names, to);
	fclose(to);
	CHECK_STR(got, text);
	free(got);
	free(text);
	weft_model_fini(&m);
}

TEST(model_every_prefix_is_refused_or_read)
{
	size_t n;
	char *text = text_of("fuzz/corpus/model/two_devices", &n);
	unsigned refused = 0;
	for (size_t i = 0; i < n; i++) {
		struct weft_model m;
		struct weft_err err = {0};
		int rc = weft_model_parse(&m, text, i, "cut", &err);
		CHECK(rc == err.code);
		refused += rc != 0;
		weft_model_fini(&m);
	}
	/* Only where the last number is cut can it still be one. */
	CHECK(refused + 16 > n);
	free(text);
}

TEST(model_errors_name_the_line)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"", "m:1: expected a version"},
		{"44\n", "m: a model of version 44, not 45"},
		{"45\n# c\nx\n", "m:3: expected a number of combinations"},
		{"45\n4000000000\n", "m:2: expected a number of combinations"},
		{"45\n1\n1\n0\n-1\n1\n1\n1\n1\n", "m:5: expected a device"},
		{"45 1 1 0 0 1 1\n1 0 0 0 0 nan nan 0 0 0 nan nan nan 0\nxyz 0 0 0 0 0 0 0", "m:3: expected a footprint"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_model m;
		struct weft_err err = {0};
		CHECK(weft_model_parse(&m, cases[i].text, strlen(cases[i].text), "m", &err) < 0);
		CHECK_STR(err.text, cases[i].error);
	}
}

TEST(model_file_appears_with_its_folder)
{
	size_t n;
	char *text = text_of("fuzz/corpus/model/two_devices", &n), path[4096];
	struct weft_model m, again;
	struct weft_err err = {0};
	REQUIRE(weft_model_parse(&m, text, n, "two", &err) == 0);
	snprintf(path, sizeof path, "%s/a/b/file.host", test_dir());
	CHECK_I64(weft_model_write(&m, &names, path, &err), 0);
	REQUIRE(weft_model_read(&again, path, &err) == 0);
	CHECK_U64(again.comb[1].impl[0].entry[0].footprint, 0xe40d1b6c);
	weft_model_fini(&again);
	snprintf(path, sizeof path, "%s/none", test_dir());
	CHECK_I64(weft_model_read(&again, path, &err), -ENOENT);
	weft_model_fini(&m);
	free(text);
}

TEST(model_allocations_may_fail)
{
	size_t n;
	char *text = text_of("fuzz/corpus/model/two_devices", &n);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_model m;
		struct weft_err err = {0};
		int rc = weft_model_parse(&m, text, n, "two", &err);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		weft_model_fini(&m);
	}
	free(text);
}

TEST(model_samples_far_from_the_mean)
{
	struct weft_model_entry e = {0};
	static const struct {
		double y;
		enum weft_model_sample what;
		uint32_t n;
		double mean;
	} step[] = {
		{110, WEFT_SAMPLE_TAKEN, 1, 110}, {120, WEFT_SAMPLE_TAKEN, 2, 115},   {1000, WEFT_SAMPLE_FAR, 2, 115},
		{1000, WEFT_SAMPLE_FORGOT, 0, 0}, {1000, WEFT_SAMPLE_TAKEN, 1, 1000}, {1490, WEFT_SAMPLE_TAKEN, 2, 1245},
		{829, WEFT_SAMPLE_FAR, 2, 1245},
	};
	for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
		CHECK_I64(weft_model_sample(&e, step[i].y, 1, 50), step[i].what);
		CHECK_U64(e.n, step[i].n);
		CHECK_NEAR(e.mean, step[i].mean, 1e-9);
	}
	e = (struct weft_model_entry){0};
	weft_model_sample(&e, 10, 3, 50);
	weft_model_sample(&e, 14, 1, 50);
	CHECK_NEAR(e.mean, 11, 1e-12);
	CHECK_NEAR(e.deviation, sqrt(3), 1e-9);
	/* Many at once, too far: as one by one, four make what was known be forgotten, the others are known then. */
	CHECK_I64(weft_model_sample(&e, 50, 10, 50), WEFT_SAMPLE_FORGOT);
	CHECK_U64(e.n, 6);
	CHECK_NEAR(e.mean, 50, 1e-12);
	CHECK_I64(weft_model_sample(&e, 10, 6, 50), WEFT_SAMPLE_FORGOT);
	CHECK_U64(e.n, 0);
}

TEST(model_names_of_implementations)
{
	char at[64];
	struct weft_model_device d[] = {{0, 0, 3}, {1, 1, 1}};
	weft_model_impl_name(at, sizeof at, d, 2, 1, 4);
	CHECK_STR(at, "cpu0_cuda1_impl1 (Comb4)");
	weft_model_impl_name(at, 8, d, 2, 1, 4);
	CHECK_STR(at, "cpu0_cu");
	CHECK_STR(weft_model_type_name(2), "opencl");
	CHECK_STR(weft_model_type_name(99), "unknown");
}
