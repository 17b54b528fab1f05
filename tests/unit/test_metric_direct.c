/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of threads over a trace of our own, by hand: straight from the stack of regions (what it says, and which region is innermost),
 * and by records of states and events that are made of the same columns. Behind the last state there is an interval without length.
 */
#include "region_maker.h"

static const struct {
	const char *function; /* NULL: the innermost region */
	double type;          /* of events; 0: any */
	double a[3];
	uint32_t n_a;
	const char *row;
} cases[] = {
	{"State As Is",
         0,
         {0},
         0,
         "0| 2 100| 1 250| 3 300| 1 550| 15 600| 1 650| 3 750| 15 800| 14 850| 15 900| 2 1000| 0 1000|"},
	{"Useful", 0, {0}, 0, "0| 0 100| 1 250| 0 300| 1 550| 0 600| 1 650| 0 750| 0 800| 0 850| 0 900| 0 1000| 0 1000|"},
	{"State Sign", 0, {0}, 0, "0| 1 100| 1 250| 1 300| 1 550| 1 600| 1 650| 1 750| 1 800| 1 850| 1 900| 1 1000| 0 1000|"},
	{"Given State",
         0,
         {3, 14},
         2,
         "0| 0 100| 0 250| 3 300| 0 550| 0 600| 0 650| 3 750| 0 800| 14 850| 0 900| 0 1000| 0 1000|"},
	{"In State", 0, {15}, 1, "0| 0 100| 0 250| 0 300| 0 550| 1 600| 0 650| 0 750| 1 800| 0 850| 1 900| 0 1000| 0 1000|"},
	{"Not In State", 0, {1}, 1, "0| 1 100| 0 250| 1 300| 0 550| 1 600| 0 650| 1 750| 1 800| 1 850| 1 900| 1 1000| 1 1000|"},
	{"State Record Dur.",
         0,
         {1},
         1,
         "0| 0 100| 150 250| 0 300| 250 550| 0 600| 50 650| 0 750| 0 800| 0 850| 0 900| 0 1000| 0 1000|"},
	{NULL,
         0,
         {0},
         0,
         "0| -1 100| 1.5 200| 2.5 250| 3 300| 2.5 350| 1.5 400| 2.5 500| 1.5 550| 0 600| 4.5 650| 3 750| 0 900| -1 1000|"},
	{"Last Evt Val", 1900000001, {0}, 0, "0| 0 100| 1 200| 2 250| 3 300| 2 350| 1 400| 2 500| 1 550| 0 650| 3 750| 0 1000|"},
	{"Next Evt Val", 1900000001, {0}, 0, "0| 1 100| 2 200| 3 250| 2 300| 1 350| 2 400| 1 500| 0 550| 3 650| 0 750| 0 1000|"},
	{"Last Evt Val", 1900000002, {0}, 0, "0| 0 600| 4 700| 0 1000|"},
	{"Int. Between Evt", 1900000002, {0}, 0, "0| 0 600| 100 700| 0 1000|"},
};

static void make_metric(struct weft_metric *m, unsigned i)
{
	weft_metric_init(m);
	m->unit = WEFT_NS;
	m->of_level[WEFT_THREAD].func = cases[i].function ? weft_func_find(WEFT_FUNC_THREAD, cases[i].function)
	                                                  : weft_func_innermost_region();
	REQUIRE(m->of_level[WEFT_THREAD].func);
	m->of_level[WEFT_THREAD].param[0] = (struct weft_list){cases[i].a, cases[i].n_a};
	if (cases[i].type > 0)
		m->filter.test[WEFT_OF_TYPE] = (struct weft_test){WEFT_TEST_EQ, {&cases[i].type, 1}};
}

TEST(functions_of_our_own_traces_by_hand)
{
	struct made f;
	struct weft_metric m;
	make_region_trace(&f);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		make_metric(&m, i);
		check_row(&f, &m, 0, cases[i].row);
	}
	unmake_trace(&f);
}

/* The intervals [first, last] of a row that is written in full, as a row that begins there. */
static void part_of(const char *row, double from, double to, struct weft_buf *out)
{
	double begin = 0, value, end;
	int n;
	out->n = 0;
	REQUIRE(sscanf(row, "%lf|%n", &begin, &n) == 1);
	for (row += n; sscanf(row, "%lf %lf|%n", &value, &end, &n) == 2; begin = end, row += n) {
		if (end > from && !out->n)
			weft_buf_printf(out, "%g|", begin);
		if (end > from)
			weft_buf_printf(out, " %g %g|", value, end);
		if (end >= to)
			return;
	}
}

TEST(a_part_of_a_row_is_that_part)
{
	struct made f;
	struct weft_metric m;
	struct weft_buf want = {0}, got = {0};
	make_region_trace(&f);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
		for (double from = 0; from < 1000; from += 50)
			for (double to = from + 10; to < 1000; to += 130) {
				make_metric(&m, i);
				part_of(cases[i].row, from, to, &want);
				row_text(&f, &m, 0, from, to, &got);
				CHECK_STR(got.at, want.at);
			}
	weft_buf_fini(&want);
	weft_buf_fini(&got);
	unmake_trace(&f);
}

/* ---- against a walk that does one thing after the other ---- */

struct walk {
	unsigned open[RANDOM_EVENTS], n;
	bool off;
};

static void walk_take(struct walk *w, const struct region_event *e)
{
	unsigned kept = 0, at = w->n;
	if (e->kind == WEFT_EV_ENTER)
		w->open[w->n++] = e->id;
	if (e->kind == WEFT_EV_ON)
		w->off = false;
	while (e->kind == WEFT_EV_LEAVE && at && w->open[at - 1] != e->id)
		at--;
	if (e->kind == WEFT_EV_LEAVE && at)
		w->n = at - 1;
	if (e->kind != WEFT_EV_OFF)
		return;
	w->off |= e->id == 0;
	for (unsigned i = 0; i < w->n; i++)
		if (e->id && category_of(w->open[i]) != e->id)
			w->open[kept++] = w->open[i];
	w->n = kept;
}

static unsigned walk_state(const struct walk *w)
{
	static const unsigned says[] = {[SOLVE] = 1, [STEP] = 0, [WAIT] = 3, [LIB] = 1};
	for (unsigned i = w->n; i > 0 && !w->off; i--)
		if (says[w->open[i - 1]])
			return says[w->open[i - 1]];
	return w->off ? 14 : w->n ? 1 : 15;
}

/* The region that is innermost, and a half where the thread computes; or the state. */
static double walk_value(const struct walk *w, bool regions)
{
	unsigned state = walk_state(w);
	return regions ? (w->n ? w->open[w->n - 1] : 0) + (state == 1 ? 0.5 : 0) : state;
}

static void walk_row(const struct region_event *event, unsigned n, bool regions, struct weft_buf *out)
{
	struct walk w = {.n = 0};
	double held = walk_value(&w, regions);
	uint64_t begin = 100;
	out->n = 0;
	weft_buf_printf(out, regions ? "0| -1 100|" : "0| 2 100|");
	for (unsigned i = 0; i < n; i++) {
		walk_take(&w, &event[i]);
		bool is_last = i + 1 == n || event[i + 1].time > event[i].time;
		if (!is_last || walk_value(&w, regions) == held)
			continue;
		if (event[i].time > begin)
			weft_buf_printf(out, " %g %llu|", held, (unsigned long long)event[i].time);
		held = walk_value(&w, regions);
		begin = event[i].time;
	}
	weft_buf_printf(out, regions ? " %g 900| -1 1000|" : " %g 900| 2 1000| 0 1000|", held);
}

TEST(rows_are_those_of_a_simple_walk)
{
	for (unsigned round = 0; round < 60; round++) {
		struct region_event event[RANDOM_EVENTS];
		struct made f;
		struct weft_metric m;
		struct weft_buf want = {0};
		make_random_events(event, RANDOM_EVENTS);
		make_trace_of(&f, event, RANDOM_EVENTS);
		for (unsigned regions = 0; regions < 2; regions++) {
			walk_row(event, RANDOM_EVENTS, regions, &want);
			weft_metric_init(&m);
			m.unit = WEFT_NS;
			m.of_level[WEFT_THREAD].func = regions ? weft_func_innermost_region()
			                                       : weft_func_find(WEFT_FUNC_THREAD, "State As Is");
			check_row(&f, &m, 0, want.at);
		}
		weft_buf_fini(&want);
		unmake_trace(&f);
	}
}
