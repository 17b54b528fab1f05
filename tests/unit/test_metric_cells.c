/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metric_cells.c: cells of rows by hand in every draw mode, and random traces against the definition: all bursts that overlap
 * (t - step, t], reduced.
 */
#include "harness.h"
#include "render/cells/metric_cells.h"
#include "sample_metric.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Thread 1 has the value 1 from 100, 5 from 200, 0 from 300, -2 from 350, 3 from 800 on; thread 2 has 4 from 500 on. */
static const char prv[] = "#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)\n"
			  "2:1:1:1:1:100:50:1\n2:1:1:1:1:200:50:5\n2:1:1:1:1:300:50:0\n2:1:1:1:1:350:50:-2\n"
			  "2:1:1:1:1:800:50:3\n2:2:1:2:1:500:50:4\n";

static struct weft_metric_cells_how cells_how(const struct sample_metric *f, const struct weft_metric *m, double from, double to,
                                              unsigned width, enum weft_draw draw)
{
	return (struct weft_metric_cells_how){.space = &f->s,
	                                      .metric = m,
	                                      .n_rows = f->t->n_threads,
	                                      .from = from,
	                                      .to = to,
	                                      .width = width,
	                                      .draw = draw,
	                                      .threads = 2};
}

static const struct {
	const char *mode;
	double from, to;
	double cell[4];
} cases[] = {
	/* pixels of 250: {0 1 5} {5 0 -2} {-2} {-2 3} */
	{"last", 0, 1000, {5, -2, -2, 3}},
	{"maximum", 0, 1000, {5, 5, -2, 3}},
	{"minnotzero", 0, 1000, {1, -2, -2, -2}},
	{"average", 0, 1000, {2, 1, -2, 0.5}},
	{"averagenotzero", 0, 1000, {3, 1.5, -2, 0.5}},
	{"mode", 0, 1000, {0, 5, -2, -2}},
	{"absolute_maximum", 0, 1000, {5, 5, -2, 3}},
	{"absolute_minimum", 0, 1000, {1, -2, -2, -2}},
	/* pixels of 100: a burst that begins with the pixel's end is seen in it, one that ends with its begin is not */
	{"maximum", 0, 400, {1, 5, 5, 0}},
	{"last", 0, 400, {1, 5, 0, -2}},
	/* pixels of 25, all within one burst */
	{"average", 220, 320, {5, 5, 5, 2.5}},
};

TEST(cells_of_a_row_by_hand)
{
	struct sample_metric f;
	struct weft_metric m;
	sample_metric_open(&f, prv);
	sample_metric_of(&m, "Last Evt Val", 50);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_metric_cells c;
		struct weft_metric_cells_how how = cells_how(&f, &m, cases[i].from, cases[i].to, 4,
		                                             draw_mode_find(cases[i].mode));
		REQUIRE(weft_metric_cells_make(&c, &how) == 0);
		for (unsigned x = 0; x < 4; x++)
			CHECK_NEAR(c.cell[x], cases[i].cell[x], 0);
		weft_metric_cells_fini(&c);
	}
	sample_metric_close(&f);
}

TEST(rows_share_a_line_in_each_mode)
{
	static const struct {
		enum weft_draw mode;
		double line[2];
	} fused[] = {
		{WEFT_DRAW_LAST, {0, 9}},        {WEFT_DRAW_MAXIMUM, {2, 9}},          {WEFT_DRAW_MIN_NOT_ZERO, {2, -3}},
		{WEFT_DRAW_AVERAGE, {1, 3}},     {WEFT_DRAW_AVERAGE_NOT_ZERO, {2, 3}}, {WEFT_DRAW_MODE, {2, -3}},
		{WEFT_DRAW_ABS_MAXIMUM, {2, 9}}, {WEFT_DRAW_ABS_MINIMUM, {2, -3}},     {WEFT_DRAW_RAND_NOT_ZERO, {2, 0}},
	};
	static const double value[4] = {2, 0, -3, 9};
	for (unsigned i = 0; i < sizeof fused / sizeof *fused; i++) {
		struct weft_metric_cells c = {.n_rows = 4, .width = 1, .cell = malloc(sizeof value)};
		REQUIRE(c.cell);
		memcpy(c.cell, value, sizeof value);
		REQUIRE(weft_metric_cells_fuse(&c, 2, fused[i].mode) == 0);
		CHECK_U64(c.n_rows, 2);
		CHECK_NEAR(c.cell[0], fused[i].line[0], 0);
		if (fused[i].mode != WEFT_DRAW_RAND_NOT_ZERO)
			CHECK_NEAR(c.cell[1], fused[i].line[1], 0);
		weft_metric_cells_fini(&c);
	}
}

/* By the definition, with no cleverness: every interval is asked about every pixel. */
static void plain_cells(const struct sample_metric *f, const struct weft_metric_cells_how *how, uint32_t object, double *cell)
{
	struct weft_row *r;
	struct weft_intervals *b = malloc(sizeof *b);
	struct draw_sum *s = calloc(how->width, sizeof *s);
	REQUIRE(b && s && weft_row_open(&r, &f->s, how->metric, object, how->from, how->to) == 0);
	for (unsigned x = 0; x < how->width; x++) {
		draw_sum_init(&s[x], how->draw);
		draw_sum_begin(&s[x], (uint64_t)object << 32 ^ x);
	}
	while (weft_row_next(r, b) > 0) {
		double begin = b->begin;
		for (uint32_t i = 0; i < b->n; begin = b->end[i++])
			for (unsigned x = 0; x < how->width; x++) {
				double step = (how->to - how->from) / how->width, before = how->from + x * step;
				if (begin <= before + step && b->end[i] > before && (begin < how->to || begin == b->end[i]))
					draw_sum_add(&s[x], b->value[i]);
			}
	}
	for (unsigned x = 0; x < how->width; x++) {
		cell[x] = draw_sum_get(&s[x]);
		draw_sum_fini(&s[x]);
	}
	weft_row_close(r);
	free(b);
	free(s);
}

TEST(cells_of_random_traces_are_those_of_the_definition)
{
	struct sample_metric f;
	struct weft_metric m[3];
	sample_metric_open_random(&f, 3, 400, 4096);
	sample_metric_of(&m[0], "Last Evt Val", 50);
	sample_metric_of(&m[1], "State As Is", 50);
	sample_metric_of(&m[2], "TaskID", 50);
	for (unsigned round = 0; round < 90; round++) {
		struct weft_metric_cells c;
		double span = (double)(256u << test_random() % 5), from = (double)(test_random() % 16) * 256, cell[256];
		unsigned width = 1u << test_random() % 9; /* steps are powers of two: sums of them are exact */
		if (from + span > 4096)
			continue;
		struct weft_metric_cells_how how = cells_how(&f, &m[round % 3], from, from + span, width,
		                                             (enum weft_draw)(test_random() % WEFT_DRAWS));
		REQUIRE(weft_metric_cells_make(&c, &how) == 0);
		for (uint32_t row = 0; row < c.n_rows; row++) {
			plain_cells(&f, &how, row, cell);
			for (unsigned x = 0; x < how.width; x++)
				CHECK_NEAR(c.cell[(size_t)row * how.width + x], cell[x], 0);
		}
		weft_metric_cells_fini(&c);
	}
	sample_metric_close(&f);
}

TEST(cells_do_not_depend_on_the_number_of_workers)
{
	struct sample_metric f;
	struct weft_metric m;
	sample_metric_open_random(&f, 8, 300, 4096);
	sample_metric_of(&m, "Last Evt Val", 50);
	for (unsigned mode = 0; mode < WEFT_DRAWS; mode++) {
		struct weft_metric_cells a, b;
		struct weft_metric_cells_how how = cells_how(&f, &m, 0, 4096, 50, (enum weft_draw)mode);
		how.threads = 1;
		REQUIRE(weft_metric_cells_make(&a, &how) == 0);
		how.threads = 4;
		REQUIRE(weft_metric_cells_make(&b, &how) == 0);
		CHECK(!memcmp(a.cell, b.cell, 8 * 50 * sizeof *a.cell));
		weft_metric_cells_fini(&a);
		weft_metric_cells_fini(&b);
	}
	sample_metric_close(&f);
}

TEST(cells_say_when_memory_is_out)
{
	struct sample_metric f;
	struct weft_metric m;
	sample_metric_open(&f, prv);
	sample_metric_of(&m, "Last Evt Val", 50);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_metric_cells c;
		struct weft_metric_cells_how how = cells_how(&f, &m, 0, 1000, 4, WEFT_DRAW_MODE);
		how.threads = 1;
		int rc = weft_metric_cells_make(&c, &how);
		if (!rc)
			rc = weft_metric_cells_fuse(&c, 1, WEFT_DRAW_MODE);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		weft_metric_cells_fini(&c);
	}
	sample_metric_close(&f);
}
