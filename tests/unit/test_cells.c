/* SPDX-License-Identifier: Apache-2.0 */
/* cells.c: known rows, and random traces against a model that looks at every nanosecond. */
#include "harness.h"
#include "render/cells.h"
#include "sample_trace.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <stdio.h>

static struct weft_cells_how whole(unsigned width)
{
	return (struct weft_cells_how){.to = WEFT_NEVER, .width = width, .most_rows = 100, .threads = 2};
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

static uint32_t model_cell(const struct model *m, const struct weft_trace *t, uint32_t thread, uint64_t from, uint64_t to)
{
	static uint64_t sum[100000];
	uint64_t alive = 0, best = 0;
	uint32_t region = 0;
	if (to == from) /* finer than a nanosecond */
		to++;
	memset(sum, 0, t->def[WEFT_CLASS_REGION].n * sizeof *sum);
	for (uint64_t at = from; at < to; at++)
		if (at >= t->thread[thread].begin && at < t->thread[thread].end) {
			sum[m->region[at]]++;
			alive++;
		}
	for (uint32_t r = 1; r < t->def[WEFT_CLASS_REGION].n; r++)
		if (sum[r] > best) {
			best = sum[r];
			region = r;
		}
	return alive == 0 ? WEFT_CELL_AWAY : sum[0] > alive / 2 ? 0 : region;
}

static void check_against_model(const struct weft_trace *t, const struct weft_cells *c, unsigned row)
{
	uint32_t thread = c->thread[row];
	struct model m = {.end = c->to};
	m.region = calloc(c->to + 1, sizeof *m.region);
	m.depth = calloc(c->to + 1, sizeof *m.depth);
	REQUIRE(m.region && m.depth);
	MUST(weft_spans(t, thread, 0, c->to, NULL, model_span, &m));
	for (unsigned i = 0; i < c->width; i++)
		if (!CHECK_U64(c->cell[(size_t)row * c->width + i],
		               model_cell(&m, t, thread, weft_cells_time(c, i), weft_cells_time(c, i + 1)))) {
			printf("# row %u, cell %u of %u\n", row, i, c->width);
			break;
		}
	free(m.region);
	free(m.depth);
}

TEST(cells_of_random_traces_are_as_the_model_says)
{
	static const unsigned widths[] = {1, 7, 100, 1000, 4999};
	for (unsigned round = 0; round < 10; round++) {
		struct sample_random how = {.n_threads = 4,
		                            .n_events = 300,
		                            .longest_gap = 1 + 30 * (round % 3),
		                            .marks = round % 2};
		struct weft_trace *t = sample_random(&how);
		for (unsigned w = 0; w < sizeof widths / sizeof *widths; w++) {
			struct weft_cells c;
			struct weft_cells_how cells = whole(widths[w]);
			cells.from = sample_below(t->end);
			cells.to = sample_below(2) ? WEFT_NEVER : cells.from + 1 + sample_below(t->end - cells.from);
			MUST(weft_cells_make(&c, t, &cells));
			for (unsigned row = 0; row < c.n_rows; row++)
				check_against_model(t, &c, row);
			weft_cells_fini(&c);
		}
		weft_trace_close(t);
	}
}

TEST(cells_do_not_depend_on_the_number_of_workers)
{
	struct sample_random how = {.n_threads = 9, .n_events = 2000, .longest_gap = 50};
	struct weft_trace *t = sample_random(&how);
	struct weft_cells one, many;
	struct weft_cells_how cells = whole(300);
	cells.threads = 1;
	MUST(weft_cells_make(&one, t, &cells));
	cells.threads = 4;
	MUST(weft_cells_make(&many, t, &cells));
	REQUIRE(one.n_rows == many.n_rows);
	CHECK(memcmp(one.cell, many.cell, (size_t)one.n_rows * one.width * sizeof *one.cell) == 0);
	CHECK(memcmp(one.total, many.total, t->def[WEFT_CLASS_REGION].n * sizeof *one.total) == 0);
	CHECK(memcmp(one.running, many.running, one.n_rows * sizeof *one.running) == 0);
	weft_cells_fini(&one);
	weft_cells_fini(&many);
	weft_trace_close(t);
}

TEST(cells_sums_are_of_the_shown_rows)
{
	struct weft_trace *t = sample_fixed();
	for (unsigned most = 1; most < 5; most++) {
		struct weft_cells c;
		struct weft_cells_how how = whole(200);
		uint64_t total = 0, alive = 0;
		how.most_rows = most;
		MUST(weft_cells_make(&c, t, &how));
		CHECK_U64(c.n_rows, most < 3 ? most : 3);
		CHECK_U64(c.n_rows + c.beyond + c.without_regions, t->n_threads);
		for (uint32_t r = 0; r < t->def[WEFT_CLASS_REGION].n; r++)
			total += c.total[r];
		for (unsigned i = 0; i < c.n_rows; i++)
			alive += c.alive[i];
		CHECK_U64(total, alive);
		weft_cells_fini(&c);
	}
	weft_trace_close(t);
}

TEST(cells_of_a_range_show_what_was_open_before)
{
	struct weft_trace *t = sample_fixed();
	struct weft_cells c;
	struct weft_cells_how how = {.from = 300, .to = 400, .width = 10, .most_rows = 1};
	MUST(weft_cells_make(&c, t, &how));
	REQUIRE(c.n_rows == 1);
	for (unsigned i = 0; i < 10; i++)
		CHECK_STR(t->def[WEFT_CLASS_REGION].at[c.cell[i]].name, "halo, \"wide\"");
	weft_cells_fini(&c);
	weft_trace_close(t);
}

TEST(cells_of_a_trace_without_regions_show_its_states)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_cells c;
	struct weft_cells_how how = whole(10);
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
	MUST(weft_cells_make(&c, t, &how));
	CHECK(c.of == WEFT_CLASS_STATE);
	const uint32_t want[] = {0, run, run, run, 0, 0, wait, wait, run, run};
	for (unsigned i = 0; i < 10; i++)
		CHECK_U64(c.cell[i], want[i]);
	CHECK_U64(c.running[0], 50);
	CHECK_U64(c.alive[0], 100);
	CHECK_U64(weft_cells_state_class(t, c.of, wait), WEFT_STATE_WAITING);
	weft_cells_fini(&c);
	weft_trace_close(t);
}

TEST(cells_say_when_memory_is_out)
{
	struct weft_trace *t = sample_fixed();
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_cells c;
		struct weft_cells_how how = whole(50);
		how.threads = 1;
		int rc = weft_cells_make(&c, t, &how);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		if (rc == 0)
			weft_cells_fini(&c);
	}
	weft_trace_close(t);
}
