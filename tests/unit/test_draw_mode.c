/* SPDX-License-Identifier: Apache-2.0 */
/* draw_mode.c: each way over values by hand, and random ways as what they promise. */
#include "harness.h"
#include "render/cells/draw_mode.h"
#include <errno.h>

static double shown(enum weft_draw mode, const double *v, unsigned n, uint64_t seed)
{
	struct draw_sum s;
	draw_sum_init(&s, mode);
	draw_sum_begin(&s, 99); /* of another pixel: leaves nothing behind */
	draw_sum_add(&s, 7);
	draw_sum_begin(&s, seed);
	for (unsigned i = 0; i < n; i++)
		draw_sum_add(&s, v[i]);
	double got = draw_sum_get(&s);
	CHECK(!s.failed);
	draw_sum_fini(&s);
	return got;
}

static const struct {
	const char *mode;
	double value[6];
	unsigned n;
	double shows;
} cases[] = {
	{"last", {3, 0, 2}, 3, 2},
	{"last", {3, 0}, 2, 0},
	{"maximum", {1, 5, 3}, 3, 5},
	{"maximum", {-4, -2, -9}, 3, -2},
	{"maximum", {0, -2}, 2, 0},
	{"minnotzero", {0, 5, 3, 0}, 4, 3},
	{"minnotzero", {2, -1, 0}, 3, -1},
	{"minnotzero", {0, 0}, 2, 0},
	{"random", {6}, 1, 6},
	{"randnotzero", {0, 0, 4, 0}, 4, 4},
	{"randnotzero", {0, 0}, 2, 0},
	{"average", {1, 0, 5}, 3, 2},
	{"average", {-3, 1}, 2, -1},
	{"averagenotzero", {1, 0, 5, 0}, 4, 3},
	{"averagenotzero", {0, 0}, 2, 0},
	{"mode", {1, 2, 2, 1}, 4, 2}, /* the first that reaches the count */
	{"mode", {1, 2, 2, 1, 1}, 5, 1},
	{"mode", {4, 0, 0}, 3, 0},
	{"absolute_maximum", {2, -5, 3}, 3, 3}, /* -5 is held with its sign, and 3 is more */
	{"absolute_maximum", {-5, 2, -7}, 3, -7},
	{"absolute_maximum", {1, -5}, 2, -5},
	{"absolute_maximum", {0, 0}, 2, 0},
	{"absolute_minimum", {5, 0, 2, 3}, 4, 2},
	{"absolute_minimum", {5, -2, 1}, 3, -2}, /* nothing is less than a negative one */
	{"absolute_minimum", {0}, 1, 0},
};

TEST(draw_modes_of_values_by_hand)
{
	bool seen[WEFT_DRAWS] = {false};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum weft_draw mode = draw_mode_find(cases[i].mode);
		REQUIRE(mode < WEFT_DRAWS);
		seen[mode] = true;
		CHECK_NEAR(shown(mode, cases[i].value, cases[i].n, i), cases[i].shows, 0);
	}
	for (unsigned i = 0; i < WEFT_DRAWS; i++) {
		CHECK(seen[i]);
		CHECK_NEAR(shown((enum weft_draw)i, NULL, 0, 1), 0, 0);
	}
	CHECK_U64(draw_mode_find("lasting"), WEFT_DRAWS);
}

/* How often each of the values 1 to n is shown, over many seeds. */
static void count_choices(enum weft_draw mode, const double *v, unsigned n, unsigned *times)
{
	for (uint64_t seed = 0; seed < 6000; seed++) {
		double got = shown(mode, v, n, seed);
		CHECK_NEAR(shown(mode, v, n, seed), got, 0); /* the same again */
		times[(unsigned)got]++;
	}
}

TEST(draw_modes_by_chance_are_fair)
{
	const double some[] = {1, 2, 3};
	unsigned times[6] = {0};
	count_choices(WEFT_DRAW_RANDOM, some, 3, times);
	for (unsigned i = 1; i <= 3; i++)
		CHECK(times[i] > 1800 && times[i] < 2200);
	/* From a random place on the next one: 1 is found from its own place and the two behind the last, 2 from three. */
	const double gaps[] = {1, 0, 0, 2, 0, 0};
	unsigned found[6] = {0};
	count_choices(WEFT_DRAW_RAND_NOT_ZERO, gaps, 6, found);
	CHECK(found[1] > 2800 && found[1] < 3200);
	CHECK_U64(found[1] + found[2], 6000);
}

TEST(draw_mode_counts_any_number_of_values)
{
	struct draw_sum s;
	draw_sum_init(&s, WEFT_DRAW_MODE);
	draw_sum_begin(&s, 0);
	for (unsigned i = 0; i < 10000; i++)
		draw_sum_add(&s, i);
	draw_sum_add(&s, 777);
	CHECK_NEAR(draw_sum_get(&s), 777, 0);
	draw_sum_begin(&s, 0);
	draw_sum_add(&s, 5);
	CHECK_NEAR(draw_sum_get(&s), 5, 0);
	draw_sum_fini(&s);
	TEST_EACH_ALLOCATION_FAILS {
		draw_sum_init(&s, WEFT_DRAW_MODE);
		draw_sum_begin(&s, 0);
		draw_sum_add(&s, 1);
		CHECK(s.failed == test_alloc_failed());
		draw_sum_fini(&s);
	}
}
