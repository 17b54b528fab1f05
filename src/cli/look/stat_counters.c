/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft stat --by counter`: what counters counted, by region. A value is what has been since the reading before it, and belongs to the
 * region that is innermost where it stands: exact where counters were read at regions (the reading stands before the region's begin
 * or end), a share where they were read with samples. Counters that say what is (memory) have no sum.
 */
#include "calls_report.h"
#include "base/map.h"
#include "base/vec.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct counted {
	uint32_t counter, region; /* 0: outside of all */
	uint64_t readings, sum;
	double all, most;
};
struct counting {
	const struct weft_trace *trace;
	struct weft_filter *filter;
	uint64_t from, to;
	struct weft_map at; /* counter << 32 | region -> place */
	WEFT_VEC(struct counted) row;
};

static int add(struct counting *c, uint32_t counter, uint32_t region, double value)
{
	uint64_t key = (uint64_t)counter << 32 | region, at;
	if (!weft_map_get(&c->at, key, &at)) {
		struct counted fresh = {.counter = counter, .region = region};
		at = c->row.n;
		if (weft_vec_push(&c->row, fresh) || weft_map_put(&c->at, key, at))
			return -ENOMEM;
	}
	struct counted *r = &c->row.at[at];
	r->readings++;
	r->sum += value > 0 ? (uint64_t)value : 0;
	r->all += value;
	r->most = r->readings == 1 || value > r->most ? value : r->most;
	return 0;
}

static double value_of(const struct weft_event *e)
{
	double d;
	if (e->kind != WEFT_EV_COUNTER_F)
		return (double)(int64_t)e->value;
	memcpy(&d, &e->value, sizeof d);
	return d;
}

static int take_set(struct counting *c, const struct weft_event *e, uint32_t region)
{
	const struct weft_def_row *set = &c->trace->def[WEFT_CLASS_SET].at[e->id];
	uint32_t n = 0;
	int rc = 0;
	const uint64_t *value = weft_extra(c->trace, e->thread, e->value, &n);
	for (uint32_t i = 0; i < n && i < set->n_members && !rc; i++)
		rc = add(c, (uint32_t)set->member[i], region, (double)(int64_t)value[i]);
	return rc;
}

static int take(struct counting *c, const struct weft_span_walk *w, const struct weft_event *e)
{
	bool counter = e->kind == WEFT_EV_COUNTER || e->kind == WEFT_EV_COUNTER_F;
	if ((!counter && e->kind != WEFT_EV_COUNTER_SET) || e->time < c->from || e->time >= c->to ||
	    (c->filter && !weft_filter_event(c->filter, e)))
		return 0;
	uint32_t region = w->open.n ? w->open.at[w->open.n - 1].region : 0;
	return counter ? add(c, e->id, region, value_of(e)) : take_set(c, e, region);
}

static int read_thread(struct counting *c, uint32_t thread)
{
	struct weft_span_walk walk;
	struct weft_cursor cursor;
	struct weft_block b;
	weft_span_begin(&walk, c->trace, thread, NULL, NULL);
	int rc = weft_cursor_begin(&cursor, c->trace, thread, 0, WEFT_NEVER);
	bool begun = !rc;
	while (!rc && (rc = weft_cursor_next(&cursor, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			struct weft_event e = {b.time[i], thread, weft_what_kind(b.what[i]), weft_what_id(b.what[i]), b.value[i]};
			struct weft_block one = {1, &b.time[i], &b.what[i], &b.value[i]};
			rc = take(c, &walk, &e);
			rc = rc ? rc : weft_span_feed(&walk, &one);
		}
	}
	if (begun)
		weft_cursor_end(&cursor);
	int ended = weft_span_end(&walk, c->trace->end);
	return rc ? rc : ended;
}

/* ---- printing ---- */

static const struct weft_column columns[] = {
	{"counter", "counter", WEFT_CELL_TEXT}, {"unit", "unit", WEFT_CELL_TEXT},
	{"region", "region", WEFT_CELL_TEXT},   {"readings", "readings", WEFT_CELL_U64},
	{"sum", "sum", WEFT_CELL_U64},          {"share_percent", "share", WEFT_CELL_PERCENT},
	{"mean", "mean", WEFT_CELL_DOUBLE},     {"most", "most", WEFT_CELL_DOUBLE},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* By counter as they are defined, then what is most. */
static int order(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;
	if (x->counter != y->counter)
		return x->counter < y->counter ? -1 : 1;
	if (x->all != y->all)
		return x->all > y->all ? -1 : 1;
	return x->region < y->region ? -1 : x->region > y->region;
}

static bool is_gauge(const char *name)
{
	static const char *const gauges[] = {"rss", "heap", "heap-*", "memory in use"};
	for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++)
		if (weft_glob(gauges[i], name))
			return true;
	return false;
}

static int put_row(struct weft_table *t, const struct counting *c, const struct counted *r, double whole)
{
	const struct weft_def_row *counter = &c->trace->def[WEFT_CLASS_COUNTER].at[r->counter];
	const struct weft_def_table *regions = &c->trace->def[WEFT_CLASS_REGION];
	bool gauge = is_gauge(counter->name), share = !gauge && whole > 0;
	struct weft_cell row[COLUMNS] = {
		{WEFT_CELL_TEXT, {.text = counter->name}},
		{WEFT_CELL_TEXT, {.text = counter->unit}},
		{WEFT_CELL_TEXT, {.text = r->region ? regions->at[r->region].name : "(outside)"}},
		{WEFT_CELL_U64, {.u64 = r->readings}},
		{gauge ? WEFT_CELL_NONE : WEFT_CELL_U64, {.u64 = r->sum}},
		{share ? WEFT_CELL_PERCENT : WEFT_CELL_NONE, {.f64 = share ? 100 * r->all / whole : 0}},
		{WEFT_CELL_DOUBLE, {.f64 = r->all / (double)r->readings}},
		{WEFT_CELL_DOUBLE, {.f64 = r->most}},
	};
	return weft_table_row(t, row);
}

static int print(struct counting *c, uint64_t top, const struct cli_common *common)
{
	struct weft_table t;
	double whole = 0;
	int rc = 0;
	weft_table_init(&t, columns, COLUMNS);
	qsort(c->row.at, c->row.n, sizeof *c->row.at, order);
	for (size_t i = 0, of = 0; i < c->row.n && !rc; i++) {
		of = i && c->row.at[i].counter == c->row.at[i - 1].counter ? of : i;
		whole = of == i ? 0 : whole;
		for (size_t k = i; of == i && k < c->row.n && c->row.at[k].counter == c->row.at[i].counter; k++)
			whole += c->row.at[k].all;
		if (!top || i - of < top)
			rc = put_row(&t, c, &c->row.at[i], whole);
	}
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	return cli_table(&t, common);
}

int cli_stat_counters(const struct weft_trace *t, struct weft_filter *f, const char *time, uint64_t top,
                      const struct cli_common *common)
{
	struct counting c = {.trace = t, .filter = f, .to = WEFT_NEVER};
	struct weft_err err = {0};
	int rc = 0;
	if (time && weft_time_range(time, t->end, &c.from, &c.to, &err))
		return cli_fail(&err);
	for (uint32_t i = 0; i < t->n_threads && !rc; i++)
		if (!t->thread[i].own || common->own_threads)
			rc = read_thread(&c, i);
	int status = rc        ? cli_fail_code(rc)
	             : c.row.n ? print(&c, top, common)
	                       : cli_fail_text("'%s' has no counters here (record them with weft record --counters)", t->path);
	weft_map_fini(&c.at);
	free(c.row.at);
	return status;
}
