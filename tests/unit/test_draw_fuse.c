/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that share a line: the quick ways give what draw_sum gives, bit for bit. */
#include "harness.h"
#include "render/cells/draw_fuse.h"
#include <math.h>
#include <string.h>

enum { WIDTH = 4 * 37 + 3, ROWS = 40 };
static double cell[ROWS * WIDTH], out[WIDTH];

/* Small numbers, halves, negative ones, some that are large, -0 and what is no number (the last for ways that compare equal numbers only). */
static double some_value(bool odd)
{
	uint64_t n = test_random() % 100;
	if (n < 20)
		return -1;
	if (odd && n < 24)
		return -0.0;
	if (odd && n < 26)
		return NAN;
	if (n < 30)
		return 0x1p53 + (double)(2 * (test_random() % 3));
	return (double)(test_random() % 5) + (n & 1 ? 0.5 : 0);
}

static double as_summed(enum weft_draw mode, bool regions, uint32_t rows, unsigned x)
{
	struct draw_sum sum;
	draw_sum_init(&sum, mode);
	draw_sum_begin(&sum, x);
	for (uint32_t k = 0; k < rows; k++) {
		double v = cell[k * WIDTH + x];
		if (!regions)
			draw_sum_add(&sum, v);
		else if (!(v < 0))
			draw_sum_add(&sum, floor(v));
	}
	double got = sum.n ? draw_sum_get(&sum) : -1;
	draw_sum_fini(&sum);
	return got;
}

static void compare(enum weft_draw mode, bool regions, uint32_t rows, bool odd)
{
	for (unsigned i = 0; i < ROWS * WIDTH; i++)
		cell[i] = some_value(odd);
	unsigned n = draw_fuse(mode, regions, -1, cell, rows, WIDTH, out);
	CHECK_U64(n, WIDTH - WIDTH % 4);
	for (unsigned x = 0; x < n; x++) {
		double want = as_summed(mode, regions, rows, x);
		CHECK(want == out[x] || (want != want && out[x] != out[x]));
	}
}

TEST(the_quick_ways_are_the_slow_ones)
{
	for (uint32_t rows = 1; rows <= 32; rows += rows < 12 ? 1 : 10)
		for (unsigned regions = 0; regions < 2; regions++) {
			compare(WEFT_DRAW_LAST, regions, rows, !regions);
			compare(WEFT_DRAW_MAXIMUM, regions, rows, !regions);
			compare(WEFT_DRAW_MODE, regions, rows, !regions);
		}
}

TEST(what_has_no_quick_way_says_so)
{
	CHECK_U64(draw_fuse(WEFT_DRAW_AVERAGE, false, -1, cell, 3, WIDTH, out), 0);
	CHECK_U64(draw_fuse(WEFT_DRAW_MODE, false, -1, cell, 33, WIDTH, out), 0);
	CHECK_U64(draw_fuse(WEFT_DRAW_LAST, false, -1, cell, 0, WIDTH, out), 0);
}

TEST(a_whole_part)
{
	CHECK(draw_whole(2.5, -1) == 2 && draw_whole(3, -1) == 3 && draw_whole(-1, -7) == -7 && draw_whole(0x1p60, -1) == 0x1p60);
}
