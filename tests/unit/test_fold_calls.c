/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/fold/fold_calls.h"
#include "structure_maker.h"

/* main (1) all the time; in it solve (2) up to 0.6, then write (3); in solve now and then a single sample of another (4). */
static struct weft_folding make(void)
{
	enum { N = 200 };
	struct weft_folding f = {.n = 1, .n_stacks = N};
	f.instance = calloc(1, sizeof *f.instance);
	f.stack = calloc(N, sizeof *f.stack);
	f.frame = calloc(2 * N, sizeof *f.frame);
	REQUIRE(f.instance && f.stack && f.frame);
	f.instance[0].used = true;
	for (unsigned i = 0; i < N; i++) {
		double x = (i + 0.5) / N;
		f.stack[i] = (struct weft_fold_stack){.x = x, .first = 2 * i, .n = 2};
		f.frame[2 * i] = (struct weft_fold_frame){i == 10 ? 4 : x < 0.6 ? 2 : 3, 100 + i % 2 + (x < 0.6)};
		f.frame[2 * i + 1] = (struct weft_fold_frame){1, 7};
	}
	return f;
}

TEST(stretches)
{
	struct weft_folding f = make();
	struct weft_fold_call *call;
	size_t n;
	REQUIRE(weft_fold_calls(&f, &(struct weft_fold_calls_how){15, 0.05}, &call, &n) == 0);
	CHECK_U64(n, 3); /* what is before sample 10 is too short a run */
	CHECK_U64(call[0].function, 1);
	CHECK_U64(call[0].depth, 0);
	CHECK_U64(call[0].line, 7);
	CHECK_NEAR(call[0].to, 0.9975, 1e-9);
	CHECK_U64(call[1].function, 2);
	CHECK_NEAR(call[1].from, 0.0575, 1e-9);
	CHECK_NEAR(call[1].to, 0.5975, 1e-9);
	CHECK_U64(call[2].function, 3);
	CHECK_U64(call[2].depth, 1);
	free(call);
	weft_folding_fini(&f);
}

TEST(lines)
{
	struct weft_folding f = make();
	struct weft_fold_line *line;
	double *rates, slope[100];
	size_t n;
	for (unsigned i = 0; i < 100; i++)
		slope[i] = i < 60 ? 5 : 1;
	const double *of[] = {slope, NULL};
	REQUIRE(weft_fold_lines(&f, of, 2, 100, &line, &rates, &n) == 0);
	CHECK_U64(n, 5);
	double sum = 0;
	for (size_t i = 0; i < n; i++) {
		sum += line[i].share;
		CHECK(!i || line[i].samples <= line[i - 1].samples);
		CHECK(isnan(line[i].rate[1]));
	}
	CHECK_NEAR(sum, 1, 1e-12);
	CHECK_U64(line[0].function, 2);
	CHECK_NEAR(line[0].rate[0], 5, 0.2);
	free(line);
	free(rates);
	weft_folding_fini(&f);
}

TEST(nothing)
{
	struct weft_folding f = {.n = 0};
	struct weft_fold_call *call;
	struct weft_fold_line *line;
	double *rates;
	size_t n;
	REQUIRE(weft_fold_calls(&f, &(struct weft_fold_calls_how){15, 0.05}, &call, &n) == 0);
	CHECK_U64(n, 0);
	free(call);
	REQUIRE(weft_fold_lines(&f, NULL, 0, 100, &line, &rates, &n) == 0);
	CHECK_U64(n, 0);
	free(line);
	free(rates);
}
