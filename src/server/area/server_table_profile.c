/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a range went: `table/profile` by region, state, thread or process (the numbers of `weft stat`), `table/groups` by
 * group of regions, `table/runs` the tables of runtimes (those of `weft table mpi-profile` and the like).
 */
#include "metric/hist/call_table.h"
#include "metric/runs/run_tables.h"
#include "server_table.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const by_names[] = {"region", "state", "thread", "process", "region,thread", "region,process"};
static const unsigned by_flags[] = {WEFT_BY_REGION,
                                    WEFT_BY_REGION,
                                    WEFT_BY_THREAD,
                                    WEFT_BY_PROCESS,
                                    WEFT_BY_REGION | WEFT_BY_THREAD,
                                    WEFT_BY_REGION | WEFT_BY_PROCESS};
enum { BYS = sizeof by_names / sizeof *by_names, BY_STATE = 1 };

/* A trace of Paraver has states where ours have regions. */
static bool has_states_only(const struct weft_trace *t)
{
	return t->def[WEFT_CLASS_REGION].n <= 1 && t->def[WEFT_CLASS_STATE].n > 1;
}

struct profile_work {
	struct table_range at;
	struct weft_call_how how;
	struct weft_filter *filter;
	struct weft_call_table table;
};

static int profile_compute(struct profile_work *w, const struct server_request *r, unsigned by)
{
	const char *filter = server_arg(r, "filter");
	int rc = table_range(r, &w->at);
	if (rc)
		return rc;
	w->how = (struct weft_call_how){.by = by_flags[by],
	                                .from = w->at.from,
	                                .to = w->at.to,
	                                .states = by == BY_STATE || has_states_only(w->at.own),
	                                .threads = server_session_threads(r->session)};
	if (filter && *filter) {
		rc = weft_filter_new(&w->filter, filter, r->err);
		if (!rc)
			rc = weft_filter_bind(w->filter, w->at.own, r->err);
		w->how.filter = w->filter;
	}
	return rc ? rc : weft_call_table_compute(&w->table, &w->at.trace->space, &w->how, r->err);
}

static void profile_end(struct profile_work *w)
{
	weft_call_table_fini(&w->table);
	weft_filter_free(w->filter);
}

static const struct weft_def_row *thing_of(const struct profile_work *w, uint32_t region)
{
	const struct weft_def_table *d = &w->at.own->def[w->how.states ? WEFT_CLASS_STATE : WEFT_CLASS_REGION];
	return region < d->n ? &d->at[region] : &d->at[0];
}

static const char *category_of(const struct weft_trace *t, const struct weft_def_row *is)
{
	const struct weft_def_table *c = &t->def[WEFT_CLASS_CATEGORY];
	return is->category && is->category < c->n ? c->at[is->category].name : "";
}

static int add_row(const struct profile_work *w, const struct weft_call_row *row, struct weft_table *t)
{
	const struct weft_trace *own = w->at.own;
	char thread[40] = "";
	const char *called = "";
	bool balanced = row->n_threads > 1 && !isnan(row->balance);
	if (row->thread != WEFT_NONE) {
		weft_thread_label(own, row->thread, thread);
		called = own->thread[row->thread].name;
	} else if (row->process != WEFT_NONE) {
		weft_rank_label(own, row->process, thread);
		called = own->process[row->process].name;
	}
	const struct weft_def_row *is = row->region != WEFT_NONE ? thing_of(w, row->region) : NULL;
	return weft_table_row(t, (struct weft_cell[]){{WEFT_CELL_TEXT, {.text = is ? is->name : ""}},
	                                              {WEFT_CELL_TEXT, {.text = is ? category_of(own, is) : ""}},
	                                              {WEFT_CELL_TEXT, {.text = thread}},
	                                              {WEFT_CELL_TEXT, {.text = called}},
	                                              {WEFT_CELL_U64, {.u64 = row->calls}},
	                                              {WEFT_CELL_NS, {.u64 = row->self}},
	                                              {WEFT_CELL_PERCENT, {.f64 = 100 * row->share}},
	                                              {WEFT_CELL_NS, {.u64 = row->total}},
	                                              {WEFT_CELL_NS, {.u64 = row->min}},
	                                              {WEFT_CELL_NS, {.u64 = (uint64_t)llround(row->mean)}},
	                                              {WEFT_CELL_NS, {.u64 = row->p50}},
	                                              {WEFT_CELL_NS, {.u64 = row->p99}},
	                                              {WEFT_CELL_NS, {.u64 = row->max}},
	                                              {WEFT_CELL_U64, {.u64 = row->n_threads}},
	                                              {balanced ? WEFT_CELL_PERCENT : WEFT_CELL_NONE,
	                                               {.f64 = balanced ? 100 * row->balance : 0}},
	                                              {WEFT_CELL_TEXT, {.text = is ? is->file : ""}},
	                                              {is && is->line ? WEFT_CELL_U64 : WEFT_CELL_NONE,
	                                               {.u64 = is ? is->line : 0}}});
}

static int fill_profile(const struct profile_work *w, struct weft_table *t)
{
	int rc = 0;
	for (size_t i = 0; i < w->table.n_rows && !rc; i++)
		rc = add_row(w, &w->table.row[i], t);
	return rc;
}

static void put_summary(struct weft_json *j, const struct profile_work *w)
{
	const struct weft_call_table *s = &w->table;
	server_put_u64(j, "from", w->at.from);
	server_put_u64(j, "to", w->at.to);
	server_put_bool(j, "states", w->how.states);
	server_put_u64(j, "thread_time", s->thread_time);
	server_put_u64(j, "busy", s->busy);
	server_put_u64(j, "threads", s->n_threads);
	server_put_double(j, "load_balance", s->load_balance);
	server_put_u64(j, "unmatched_leaves", s->unmatched_leaves);
	server_put_u64(j, "closed_early", s->closed_early);
}

int table_answer_profile(const struct server_request *r, struct server_answer *a)
{
	static const struct weft_column columns[] = {
		{"name", "name", WEFT_CELL_TEXT},
		{"group", "group", WEFT_CELL_TEXT},
		{"where", "where", WEFT_CELL_TEXT},
		{"called", "called", WEFT_CELL_TEXT},
		{"calls", "calls", WEFT_CELL_U64},
		{"self_ns", "self", WEFT_CELL_NS},
		{"share_percent", "share", WEFT_CELL_PERCENT},
		{"total_ns", "total", WEFT_CELL_NS},
		{"min_ns", "min", WEFT_CELL_NS},
		{"mean_ns", "mean", WEFT_CELL_NS},
		{"p50_ns", "p50", WEFT_CELL_NS},
		{"p99_ns", "p99", WEFT_CELL_NS},
		{"max_ns", "max", WEFT_CELL_NS},
		{"threads", "threads", WEFT_CELL_U64},
		{"balance_percent", "balance", WEFT_CELL_PERCENT},
		{"file", "file", WEFT_CELL_TEXT},
		{"line", "line", WEFT_CELL_U64},
	};
	struct profile_work w = {.filter = NULL};
	struct server_json out;
	struct weft_table t;
	unsigned by = 0;
	weft_table_init(&t, columns, sizeof columns / sizeof *columns);
	int rc = server_arg_choice(r, "by", by_names, BYS, 0, &by);
	if (!rc)
		rc = profile_compute(&w, r, by);
	if (!rc)
		rc = fill_profile(&w, &t);
	if (!rc) {
		struct weft_json *j = server_json_begin(&out);
		weft_json_object(j);
		server_put_string(j, "by", by_names[by]);
		put_summary(j, &w);
		table_put(j, &t);
		weft_json_end(j);
		rc = server_json_end(&out, a);
	}
	weft_table_fini(&t);
	profile_end(&w);
	return rc;
}

/* ---- groups ---- */

struct group {
	const char *name;
	uint64_t self, calls, regions, top_self;
	const char *top; /* its region with most time */
};

/* Regions without a category are grouped by what they say of a thread; states likewise. */
static const char *group_of(const struct profile_work *w, const struct weft_def_row *is)
{
	const char *category = w->how.states ? "" : category_of(w->at.own, is);
	if (*category)
		return category;
	return w->how.states ? is->name : is->state && is->state < WEFT_STATE_CLASSES ? weft_state_name[is->state] : "other";
}

static int order_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	return x->self != y->self ? (x->self > y->self ? -1 : 1) : strcmp(x->name, y->name);
}

static int gather_groups(const struct profile_work *w, struct group **out, size_t *n)
{
	struct group *g = calloc(w->table.n_rows + 1, sizeof *g);
	*out = g;
	*n = 0;
	if (!g)
		return -ENOMEM;
	for (size_t i = 0; i < w->table.n_rows; i++) {
		const struct weft_call_row *row = &w->table.row[i];
		const struct weft_def_row *is = thing_of(w, row->region);
		const char *name = group_of(w, is);
		size_t k = 0;
		while (k < *n && strcmp(g[k].name, name) != 0)
			k++;
		if (k == *n)
			g[(*n)++].name = name;
		g[k].self += row->self;
		g[k].calls += row->calls;
		g[k].regions++;
		if (!g[k].top || row->self > g[k].top_self) {
			g[k].top = is->name;
			g[k].top_self = row->self;
		}
	}
	qsort(g, *n, sizeof *g, order_groups);
	return 0;
}

static int put_groups(const struct profile_work *w, const struct group *g, size_t n, struct server_answer *a)
{
	static const struct weft_column columns[] = {
		{"group", "group", WEFT_CELL_TEXT},
		{"self_ns", "time", WEFT_CELL_NS},
		{"share_percent", "share", WEFT_CELL_PERCENT},
		{"calls", "calls", WEFT_CELL_U64},
		{"regions", "regions", WEFT_CELL_U64},
		{"most", "most of it", WEFT_CELL_TEXT},
		{"most_ns", "its time", WEFT_CELL_NS},
	};
	struct weft_table t;
	struct server_json out;
	int rc = 0;
	weft_table_init(&t, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < n && !rc; i++)
		rc = weft_table_row(&t, (struct weft_cell[]){{WEFT_CELL_TEXT, {.text = g[i].name}},
		                                             {WEFT_CELL_NS, {.u64 = g[i].self}},
		                                             {w->table.thread_time ? WEFT_CELL_PERCENT : WEFT_CELL_NONE,
		                                              {.f64 = w->table.thread_time ? 100 * (double)g[i].self /
		                                                                                     (double)w->table.thread_time
		                                                                           : 0}},
		                                             {WEFT_CELL_U64, {.u64 = g[i].calls}},
		                                             {WEFT_CELL_U64, {.u64 = g[i].regions}},
		                                             {WEFT_CELL_TEXT, {.text = g[i].top ? g[i].top : ""}},
		                                             {WEFT_CELL_NS, {.u64 = g[i].top_self}}});
	if (!rc) {
		struct weft_json *j = server_json_begin(&out);
		weft_json_object(j);
		put_summary(j, w);
		table_put(j, &t);
		weft_json_end(j);
		rc = server_json_end(&out, a);
	}
	weft_table_fini(&t);
	return rc;
}

int table_answer_groups(const struct server_request *r, struct server_answer *a)
{
	struct profile_work w = {.filter = NULL};
	struct group *g = NULL;
	size_t n = 0;
	int rc = profile_compute(&w, r, 0);
	if (!rc)
		rc = gather_groups(&w, &g, &n);
	if (!rc)
		rc = put_groups(&w, g, n, a);
	free(g);
	profile_end(&w);
	return rc;
}

/* ---- runtimes ---- */

/* Without a name: which of them the trace has. */
static int answer_run_names(const struct table_range *at, struct server_answer *a)
{
	struct server_json out;
	struct weft_json *j = server_json_begin(&out);
	weft_json_object(j);
	weft_json_key(j, "tables");
	weft_json_array(j);
	for (unsigned i = 0; weft_run_table_at(i); i++)
		if (weft_run_table_has(at->own, weft_run_table_at(i)))
			weft_json_string(j, weft_run_table_at(i));
	weft_json_end(j);
	weft_json_end(j);
	return server_json_end(&out, a);
}

int table_answer_runs(const struct server_request *r, struct server_answer *a)
{
	const char *name = server_arg(r, "name");
	struct table_range at;
	struct weft_run_table t;
	struct server_json out;
	int rc = table_range(r, &at);
	if (rc)
		return rc;
	if (!name || !*name)
		return answer_run_names(&at, a);
	if (!weft_run_table_named(name) || !weft_run_table_has(at.own, name))
		return weft_err_set(r->err, -ENOENT, "the trace has nothing of which a table '%.60s' could be", name);
	rc = weft_run_table_make(&t, at.own, name, &(struct weft_run_table_how){at.from, at.to, r->session->own_threads});
	if (!rc) {
		struct weft_json *j = server_json_begin(&out);
		weft_json_object(j);
		server_put_string(j, "name", name);
		server_put_u64(j, "from", at.from);
		server_put_u64(j, "to", at.to);
		server_put_u64(j, "peak_bytes", t.peak_bytes);
		server_put_u64(j, "lock_entries", t.lock_entries);
		table_put(j, &t.table);
		weft_json_end(j);
		rc = server_json_end(&out, a);
	}
	weft_run_table_fini(&t);
	return rc;
}
