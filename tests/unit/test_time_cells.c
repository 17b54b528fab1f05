/* SPDX-License-Identifier: Apache-2.0 */
/* time_cells.c: known rows, and random traces against a model that looks at every nanosecond. */
#include "harness.h"
#include "render/cells/time_cells.h"
#include "sample_trace.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <stdio.h>

struct made {
	struct weft_space s;
	struct weft_metric m;
	struct weft_metric_cells_how how;
	struct weft_time_sums sums;
	struct weft_metric_cells c;
	bool counted[4]; /* states */
};

static void make_how(struct made *d, const struct weft_trace *t, uint64_t from, uint64_t to, unsigned width)
{
	const struct weft_def_table *regions = &t->def[WEFT_CLASS_REGION];
	MUST(weft_space_init(&d->s, t));
	weft_metric_init(&d->m);
	d->m.of_level[WEFT_THREAD].func = weft_func_innermost_region();
	REQUIRE(regions->n < 64);
	d->sums = (struct weft_time_sums){.n_values = regions->n};
	d->how = (struct weft_metric_cells_how){.space = &d->s,
	                                        .metric = &d->m,
	                                        .n_rows = d->s.trace->n_threads,
	                                        .from = (double)from,
	                                        .to = (double)to,
	                                        .width = width,
	                                        .threads = 2};
}

static void unmake(struct made *d)
{
	weft_metric_cells_fini(&d->c);
	weft_time_sums_fini(&d->sums);
	weft_space_fini(&d->s);
}

/* ---- the model ---- */

struct model {
	uint64_t end;
	uint32_t *region, *depth; /* of each ns: of the innermost span + 1, and its region */
};

static int model_span(void *arg, const struct weft_span *s)
{
	struct model *m = arg;
	for (uint64_t at = s->begin; at < s->end && at < m->end; at++)
		if (s->depth + 1 > m->depth[at]) {
			m->depth[at] = s->depth + 1;
			m->region[at] = s->region;
		}
	return 0;
}

/* What the cell shows, from sums of its time. Widths are powers of two, so that parts of a nanosecond are exact. */
static double model_cell(const struct model *m, const struct weft_trace *t, uint32_t thread, double from, double to)
{
	double sum[64] = {0}, alive = 0, best = 0;
	uint32_t region = 0;
	for (uint64_t at = (uint64_t)from; (double)at < to; at++) {
		double begin = (double)at > from ? (double)at : from, end = (double)(at + 1) < to ? (double)(at + 1) : to;
		if (at >= t->thread[thread].begin && at < t->thread[thread].end) {
			sum[m->region[at]] += end - begin;
			alive += end - begin;
		}
	}
	for (uint32_t r = 1; r < t->def[WEFT_CLASS_REGION].n; r++)
		if (sum[r] > best) {
			best = sum[r];
			region = r;
		}
	return alive == 0 ? WEFT_REGION_AWAY : sum[0] > alive / 2 ? 0 : region;
}

/* The time in which the thread computes, as views have it. */
static double useful_of(const struct made *d, uint32_t row)
{
	struct weft_metric m;
	struct weft_row *r;
	struct weft_intervals *b = malloc(sizeof *b);
	double sum = 0, from = d->how.from;
	weft_metric_init(&m);
	m.of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, "Useful");
	MUST(weft_row_open(&r, &d->s, &m, row, d->how.from, d->how.to));
	while (weft_row_next(r, b) > 0)
		for (uint32_t i = 0; i < b->n; i++) {
			double to = b->end[i] < d->how.to ? b->end[i] : d->how.to;
			sum += b->value[i] == 1 && to > from ? to - from : 0;
			from = to > from ? to : from;
		}
	weft_row_close(r);
	free(b);
	return sum;
}

static void check_against_model(const struct weft_trace *t, const struct made *d, uint32_t row, double *total)
{
	const struct weft_metric_cells *c = &d->c;
	const uint64_t from = (uint64_t)c->from, to = (uint64_t)c->to;
	struct model m = {.end = to};
	m.region = calloc(to + 1, sizeof *m.region);
	m.depth = calloc(to + 1, sizeof *m.depth);
	REQUIRE(m.region && m.depth);
	MUST(weft_spans(t, row, 0, to, NULL, model_span, &m));
	double step = (c->to - c->from) / c->width;
	for (unsigned x = 0; x < c->width; x++)
		if (!CHECK_NEAR(c->cell[(size_t)row * c->width + x],
		                model_cell(&m, t, row, c->from + step * x, c->from + step * (x + 1)), 0)) {
			printf("# row %u, cell %u of %u, [%g, %g)\n", row, x, c->width, c->from, c->to);
			break;
		}
	for (uint64_t at = from; at < to; at++)
		if (at >= t->thread[row].begin && at < t->thread[row].end)
			total[m.region[at]]++;
	CHECK_NEAR(d->sums.of_counted[row], useful_of(d, row), 0);
	free(m.region);
	free(m.depth);
}

TEST(cells_of_random_traces_are_as_the_model_says)
{
	static const unsigned widths[] = {1, 8, 128, 1024, 4096};
	for (unsigned round = 0; round < 10; round++) {
		struct sample_random random = {.n_threads = 4,
		                               .n_events = 300,
		                               .longest_gap = 1 + 30 * (round % 3),
		                               .marks = round % 2};
		struct weft_trace *t = sample_random(&random);
		for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
			struct made d = {0};
			double total[64] = {0};
			uint64_t from = sample_below(t->end), span = UINT64_C(1) << sample_below(14);
			make_how(&d, t, from, from + span < t->end ? from + span : from + 1, widths[w]);
			MUST(weft_time_cells_make(&d.c, &d.sums, &d.how));
			REQUIRE(d.c.n_rows == t->n_threads);
			for (uint32_t row = 0; row < d.c.n_rows; row++)
				check_against_model(t, &d, row, total);
			for (uint32_t r = 0; r < t->def[WEFT_CLASS_REGION].n; r++)
				CHECK_NEAR(d.sums.total[r], total[r], 0);
			unmake(&d);
		}
		weft_trace_close(t);
	}
}

TEST(cells_are_the_same_without_sums)
{
	struct sample_random random = {.n_threads = 9, .n_events = 2000, .longest_gap = 50, .marks = true};
	struct weft_trace *t = sample_random(&random);
	struct made with, without;
	for (unsigned width = 1; width <= 4096; width *= 4) {
		make_how(&with, t, 64, 64 + 4096, width);
		make_how(&without, t, 64, 64 + 4096, width);
		without.sums.unwanted = true;
		MUST(weft_time_cells_make(&with.c, &with.sums, &with.how));
		MUST(weft_time_cells_make(&without.c, &without.sums, &without.how));
		CHECK(!memcmp(with.c.cell, without.c.cell, (size_t)with.c.n_rows * width * sizeof *with.c.cell));
		unmake(&with);
		unmake(&without);
	}
	weft_trace_close(t);
}

TEST(cells_do_not_depend_on_the_number_of_workers)
{
	struct sample_random random = {.n_threads = 9, .n_events = 2000, .longest_gap = 50};
	struct weft_trace *t = sample_random(&random);
	struct made one, many;
	make_how(&one, t, 0, t->end, 300);
	make_how(&many, t, 0, t->end, 300);
	one.how.threads = 1;
	many.how.threads = 4;
	MUST(weft_time_cells_make(&one.c, &one.sums, &one.how));
	MUST(weft_time_cells_make(&many.c, &many.sums, &many.how));
	CHECK(memcmp(one.c.cell, many.c.cell, (size_t)one.c.n_rows * one.c.width * sizeof *one.c.cell) == 0);
	CHECK(memcmp(one.sums.total, many.sums.total, one.sums.n_values * sizeof *one.sums.total) == 0);
	CHECK(memcmp(one.sums.of_counted, many.sums.of_counted, one.c.n_rows * sizeof *one.sums.of_counted) == 0);
	unmake(&one);
	unmake(&many);
	weft_trace_close(t);
}

TEST(cells_of_a_range_show_what_was_open_before)
{
	struct weft_trace *t = sample_fixed();
	struct made d = {0};
	make_how(&d, t, 300, 400, 10);
	MUST(weft_time_cells_make(&d.c, &d.sums, &d.how));
	for (unsigned x = 0; x < 10; x++)
		CHECK_STR(t->def[WEFT_CLASS_REGION].at[(uint32_t)d.c.cell[x]].name, "halo, \"wide\"");
	unmake(&d);
	weft_trace_close(t);
}

TEST(cells_of_states_have_their_numbers)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	struct made d = {0};
	MUST(weft_builder_new(&b, "states", "test", &(struct weft_open_how){.no_index = true}, &err));
	MADE(weft_build_app(b, "a"));
	struct weft_process p = {.node = WEFT_NONE, .rank = -1, .name = "", .command = "", .host = "", .end = 100, .status = -1};
	MADE(weft_build_process(b, &p));
	MADE(weft_build_thread(b, &(struct weft_thread_row){.number = 1, .name = "", .end = 100}));
	uint32_t run = MADE(weft_build_def(b, WEFT_CLASS_STATE, &(struct weft_def_row){.name = "Running", .code = 1}));
	uint32_t wait = MADE(weft_build_def(b, WEFT_CLASS_STATE, &(struct weft_def_row){.name = "Waiting a message", .code = 3}));
	const struct sample_event events[] = {
		{10, WEFT_EV_STATE, run, 30},
		{40, WEFT_EV_STATE_END, run, 0},
		{60, WEFT_EV_STATE, wait, 100},
		{80, WEFT_EV_STATE, run, 20},
	};
	sample_append(b, 0, events, 4);
	weft_build_keep_zero(b, 100);
	MUST(weft_build_finish(b, NULL, &t, &err));
	make_how(&d, t, 0, 100, 10);
	d.m.of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, "State As Is");
	d.sums.n_values = 4;
	d.counted[1] = true;
	d.sums.counted = d.counted;
	MUST(weft_time_cells_make(&d.c, &d.sums, &d.how));
	const double want[] = {0, 1, 1, 1, 0, 0, 3, 3, 1, 1};
	for (unsigned i = 0; i < 10; i++)
		CHECK_NEAR(d.c.cell[i], want[i], 0);
	CHECK_NEAR(d.sums.of_counted[0], 50, 0);
	unmake(&d);
	weft_trace_close(t);
}

TEST(cells_say_when_memory_is_out)
{
	struct weft_trace *t = sample_fixed();
	struct made d = {0};
	make_how(&d, t, 0, t->end, 50);
	d.how.threads = 1;
	TEST_EACH_ALLOCATION_FAILS {
		int rc = weft_time_cells_make(&d.c, &d.sums, &d.how);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		weft_metric_cells_fini(&d.c);
		weft_time_sums_fini(&d.sums);
	}
	d.sums.unwanted = true;
	TEST_EACH_ALLOCATION_FAILS {
		int rc = weft_time_cells_make(&d.c, &d.sums, &d.how);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		weft_metric_cells_fini(&d.c);
	}
	unmake(&d);
	weft_trace_close(t);
}
