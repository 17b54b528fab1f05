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
	/* Only blank lines may be missing at the end. */
	CHECK(refused + 2 >= n);
	free(text);
}

/* Numbers of any bits, to the last one. */
TEST(model_numbers_come_back_to_the_bit)
{
	struct weft_model_entry e[40] = {{0}};
	double coeff[3] = {1.0 / 3, -1e-300, 5e-324};
	struct weft_model_impl impl = {.fit = {.sum_lnx = 0.1,
	                                       .sum_lny = 1e22 / 3,
	                                       .alpha = NAN,
	                                       .beta = 2.0 / 3,
	                                       .a = 1e-7 / 7,
	                                       .b = 1,
	                                       .c = NAN,
	                                       .n = 7,
	                                       .min_x = 1,
	                                       .max_x = UINT64_MAX,
	                                       .coeff = coeff,
	                                       .n_coeff = 3},
	                               .entry = e,
	                               .n_entries = 40};
	struct weft_model_device d = {0, 0, 1};
	struct weft_model_comb c = {&d, 1, &impl, 1, 0};
	struct weft_model m = {&c, 1}, again;
	struct weft_err err = {0};
	char *text = NULL;
	size_t n;
	for (uint32_t i = 0; i < 40; i++)
		e[i] = (struct weft_model_entry){.footprint = i,
		                                 .n = i,
		                                 .size = test_random(),
		                                 .mean = (double)test_random() / 3e9,
		                                 .deviation = 1.0 / (i + 3),
		                                 .sum = exp(i),
		                                 .sum2 = exp(-(double)i),
		                                 .flops = (double)i};
	FILE *to = open_memstream(&text, &n);
	weft_model_print(&m, NULL, to);
	fclose(to);
	REQUIRE(weft_model_parse(&again, text, n, "t", &err) == 0);
	CHECK(!memcmp(again.comb[0].impl[0].entry, e, sizeof e));
	CHECK(!memcmp(again.comb[0].impl[0].fit.coeff, coeff, sizeof coeff));
	CHECK_NEAR(again.comb[0].impl[0].fit.beta, 2.0 / 3, 0);
	CHECK_NEAR(again.comb[0].impl[0].fit.a, 1e-7 / 7, 0);
	CHECK(isnan(again.comb[0].impl[0].fit.alpha));
	CHECK_U64(again.comb[0].impl[0].fit.max_x, UINT64_MAX);
	weft_model_fini(&again);
	free(text);
}

/* A file of which a part is missing is none, also where what is left could be one. */
TEST(model_cut_off_in_a_number)
{
	static const char whole[] = "45\n1\n1\n0\n0\n1\n1\n1\n0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n0000000a 4 0 1 0 12 12 12\n";
	struct weft_model m;
	struct weft_err err = {0};
	REQUIRE(weft_model_parse(&m, whole, sizeof whole - 1, "m", &err) == 0);
	CHECK_U64(m.comb[0].impl[0].entry[0].n, 12);
	weft_model_fini(&m);
	for (size_t cut = 1; cut < 3; cut++) {
		CHECK_I64(weft_model_parse(&m, whole, sizeof whole - 1 - cut, "m", &err), WEFT_E_SYNTAX);
		CHECK_STR(err.text, "m:12: expected the end of a line: the file is cut off");
	}
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
	CHECK_STR(weft_model_type_name(4), "max_fpga");
	CHECK_STR(weft_model_type_name(8), "sycl");
	CHECK_STR(weft_model_type_label(7), "HIP");
	CHECK_STR(weft_model_type_name(99), "unknown");
	CHECK_STR(weft_model_type_label(-1), "unknown");
}
