/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread is walked by one worker, which keeps the rows it meets in a table of its own; the
 * tables are added up at the end, in an order that does not matter: all sums are of whole numbers.
 */
#include "call_table.h"
#include "base/map.h"
#include "base/pool.h"
#include "histogram.h"
#include "metric/func/metric_calls.h"
#include "metric/func/metric_schema.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

struct group {
	struct weft_call_row row;
	struct weft_histogram times;
	uint64_t times_sum;  /* of all calls, nested ones too */
	uint64_t most_self;  /* of a thread */
	uint64_t of_threads; /* what the balance is made of, summed over threads */
	uint64_t here;       /* self time on the thread that is being walked */
};

struct worker {
	const struct table_run *run;
	struct metric_calls *calls; /* owned */
	struct weft_map map;        /* key -> group */
	WEFT_VEC(struct group) group;
	WEFT_VEC(uint32_t) touched; /* groups that the thread being walked has */
	uint32_t *of_region;        /* by region: its group on the thread being walked, as index + 1. Owned */
	uint64_t bytes;             /* of groups and histograms */
	uint64_t n_leaves, n_early, busy_sum, busy_most;
	uint32_t n_busy;
	uint32_t thread;
};

struct table_run {
	const struct weft_trace *trace;
	const struct weft_call_how *how;
	struct metric_calls_how calls;
	const struct weft_space *space;
	struct worker *worker;
	unsigned n_workers;
	uint32_t n_regions;  /* or states */
	uint64_t bytes_each; /* what a worker may use */
	struct weft_progress progress;
};

/* The trace's own thread behind a row of the space; WEFT_NONE: there is none, or it cannot pass. */
static uint32_t thread_of(const struct table_run *r, uint32_t row)
{
	uint32_t thread = r->space->schema ? r->space->schema->thread[row] : row;
	bool passes = thread != WEFT_NONE && (!r->how->filter || weft_filter_thread(r->how->filter, thread));
	return passes ? thread : WEFT_NONE;
}

/* -- rows -- */

static struct weft_call_row row_of(const struct table_run *r, uint32_t region, uint32_t thread)
{
	unsigned by = r->how->by;
	return (struct weft_call_row){
		.region = by & WEFT_BY_REGION ? region : WEFT_NONE,
		.thread = by & WEFT_BY_THREAD ? thread : WEFT_NONE,
		.process = by & (WEFT_BY_THREAD | WEFT_BY_PROCESS) ? r->trace->thread[thread].process : WEFT_NONE,
	};
}

static uint64_t row_key(const struct weft_call_row *row)
{
	return (uint64_t)row->region << 32 | (row->thread != WEFT_NONE ? row->thread : row->process);
}

/* The group of this row's objects; its index, or negative. */
static int64_t find_group(struct worker *w, const struct weft_call_row *row)
{
	uint64_t at, key = row_key(row);
	if (weft_map_get(&w->map, key, &at))
		return (int64_t)at;
	w->bytes += sizeof *w->group.at;
	struct group g = {.row = {.region = row->region, .thread = row->thread, .process = row->process, .min = UINT64_MAX}};
	if (weft_vec_push(&w->group, g) || weft_map_put(&w->map, key, w->group.n - 1))
		return -ENOMEM;
	return (int64_t)w->group.n - 1;
}

/* The group of a region's calls on the thread at hand; looked up once a thread. */
static int64_t group_of(struct worker *w, uint32_t region)
{
	uint32_t *known = &w->of_region[w->run->how->by & WEFT_BY_REGION ? region : 0];
	if (*known)
		return *known - 1;
	struct weft_call_row row = row_of(w->run, region, w->thread);
	int64_t at = find_group(w, &row);
	if (at < 0 || weft_vec_push(&w->touched, (uint32_t)at))
		return -ENOMEM;
	w->group.at[at].here = 0;
	*known = (uint32_t)at + 1;
	return at;
}

static int count_call(void *arg, const struct metric_call *c)
{
	struct worker *w = arg;
	int64_t at = group_of(w, c->region);
	if (at < 0)
		return (int)at;
	struct group *g = &w->group.at[at];
	g->row.calls++;
	g->row.total += c->total;
	g->row.self += c->self;
	g->row.min = c->time < g->row.min ? c->time : g->row.min;
	g->row.max = c->time > g->row.max ? c->time : g->row.max;
	g->here += w->run->how->by & WEFT_BY_REGION ? c->self : c->useful;
	g->times_sum += c->time;
	uint64_t before = weft_histogram_bytes(&g->times);
	int rc = weft_histogram_add(&g->times, c->time);
	w->bytes += weft_histogram_bytes(&g->times) - before;
	return !rc && w->bytes > w->run->bytes_each ? WEFT_E_LIMIT : rc;
}

static void end_thread(struct worker *w, const struct metric_calls_sum *sum)
{
	for (size_t i = 0; i < w->touched.n; i++) {
		struct group *g = &w->group.at[w->touched.at[i]];
		w->of_region[g->row.region == WEFT_NONE ? 0 : g->row.region] = 0;
		g->row.n_threads++;
		g->of_threads += g->here;
		g->most_self = g->here > g->most_self ? g->here : g->most_self;
	}
	w->touched.n = 0;
	w->n_leaves += sum->unmatched;
	w->n_early += sum->closed_early;
	w->n_busy += sum->useful > 0;
	w->busy_sum += sum->useful;
	w->busy_most = sum->useful > w->busy_most ? sum->useful : w->busy_most;
}

static int walk_thread(void *arg, size_t row, unsigned worker)
{
	struct table_run *r = arg;
	struct worker *w = &r->worker[worker];
	struct metric_calls_sum sum;
	w->thread = thread_of(r, (uint32_t)row);
	if (w->thread == WEFT_NONE)
		return 0;
	int rc = metric_calls_walk(w->calls, w->thread, count_call, w, &sum);
	end_thread(w, &sum);
	return rc;
}

/* -- adding up -- */

static int add_group(struct worker *to, const struct group *from)
{
	int64_t at = find_group(to, &from->row);
	if (at < 0)
		return (int)at;
	struct group *g = &to->group.at[at];
	g->row.n_threads += from->row.n_threads;
	g->row.calls += from->row.calls;
	g->row.total += from->row.total;
	g->row.self += from->row.self;
	g->row.min = from->row.min < g->row.min ? from->row.min : g->row.min;
	g->row.max = from->row.max > g->row.max ? from->row.max : g->row.max;
	g->times_sum += from->times_sum;
	g->of_threads += from->of_threads;
	g->most_self = from->most_self > g->most_self ? from->most_self : g->most_self;
	return weft_histogram_merge(&g->times, &from->times);
}

static int compare_rows(const void *a, const void *b)
{
	const struct weft_call_row *x = a, *y = b;
	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static double balance_of(uint64_t sum, uint64_t most, uint32_t n)
{
	return most ? (double)sum / (double)n / (double)most : NAN;
}

static uint64_t calls_clamp(uint64_t v, uint64_t low, uint64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* All is in the first worker now. */
static int make_rows(struct weft_call_table *out, const struct table_run *r)
{
	const struct worker *w = &r->worker[0];
	out->row = calloc(w->group.n + 1, sizeof *out->row);
	if (!out->row)
		return -ENOMEM;
	for (size_t i = 0; i < w->group.n; i++) {
		const struct group *g = &w->group.at[i];
		struct weft_call_row *row = &out->row[out->n_rows++];
		*row = g->row;
		row->mean = (double)g->times_sum / (double)row->calls;
		row->p50 = calls_clamp(weft_histogram_quantile(&g->times, 0.50), row->min, row->max);
		row->p99 = calls_clamp(weft_histogram_quantile(&g->times, 0.99), row->min, row->max);
		row->share = out->thread_time ? (double)row->self / (double)out->thread_time : 0;
		row->balance = r->how->by & WEFT_BY_THREAD ? NAN : balance_of(g->of_threads, g->most_self, row->n_threads);
	}
	qsort(out->row, out->n_rows, sizeof *out->row, compare_rows);
	out->load_balance = balance_of(w->busy_sum, w->busy_most, w->n_busy);
	out->busy = w->busy_sum;
	out->n_threads = w->n_busy;
	out->unmatched_leaves = w->n_leaves;
	out->closed_early = w->n_early;
	return 0;
}

static int add_up(struct weft_call_table *out, struct table_run *r)
{
	struct worker *first = &r->worker[0];
	int rc = 0;
	for (unsigned i = 1; i < r->n_workers && !rc; i++) {
		struct worker *w = &r->worker[i];
		for (size_t k = 0; k < w->group.n && !rc; k++) {
			rc = add_group(first, &w->group.at[k]);
			weft_histogram_fini(&w->group.at[k].times);
		}
		first->busy_sum += w->busy_sum;
		first->busy_most = w->busy_most > first->busy_most ? w->busy_most : first->busy_most;
		first->n_busy += w->n_busy;
		first->n_leaves += w->n_leaves;
		first->n_early += w->n_early;
	}
	return rc ? rc : make_rows(out, r);
}

static uint64_t time_of_threads(const struct table_run *r)
{
	uint64_t sum = 0, begin, end;
	for (uint32_t i = 0; i < r->space->trace->n_threads; i++) {
		uint32_t thread = thread_of(r, i);
		if (thread != WEFT_NONE && metric_calls_life(&r->calls, thread, &begin, &end))
			sum += end - begin;
	}
	return sum;
}

static uint64_t memory_limit(const struct weft_call_how *how)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	if (how->memory)
		return how->memory;
	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 4 : UINT64_MAX;
}

static void run_fini(struct table_run *r)
{
	for (unsigned i = 0; r->worker && i < r->n_workers; i++) {
		struct worker *w = &r->worker[i];
		for (size_t k = 0; k < w->group.n; k++)
			weft_histogram_fini(&w->group.at[k].times);
		free(w->group.at);
		free(w->touched.at);
		free(w->of_region);
		metric_calls_free(w->calls);
		weft_map_fini(&w->map);
	}
	free(r->worker);
}

static int run_init(struct table_run *r)
{
	r->n_regions = r->trace->def[r->how->states ? WEFT_CLASS_STATE : WEFT_CLASS_REGION].n;
	r->n_workers = r->how->threads ? r->how->threads : weft_pool_width();
	r->bytes_each = memory_limit(r->how) / (r->n_workers + 1);
	r->calls = (struct metric_calls_how){.space = r->space,
	                                     .filter = r->how->filter,
	                                     .from = r->how->from,
	                                     .to = r->how->to,
	                                     .states = r->how->states,
	                                     .by_region = r->how->by & WEFT_BY_REGION,
	                                     .progress = r->how->progress ? &r->progress : NULL};
	r->worker = calloc(r->n_workers, sizeof *r->worker);
	if (!r->worker)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_workers; i++) {
		r->worker[i].run = r;
		r->worker[i].of_region = calloc((size_t)r->n_regions + 1, sizeof *r->worker[i].of_region);
		if (!r->worker[i].of_region || metric_calls_new(&r->worker[i].calls, &r->calls))
			return -ENOMEM;
	}
	return 0;
}

int weft_call_table_compute(struct weft_call_table *out, const struct weft_space *s, const struct weft_call_how *how,
                            struct weft_err *err)
{
	struct table_run r = {.trace = metric_calls_trace(s), .space = s, .how = how};
	*out = (struct weft_call_table){.load_balance = NAN};
	if (how->progress)
		weft_progress_begin(&r.progress, "statistics", r.trace->n_events);
	int rc = run_init(&r);
	if (!rc) {
		out->thread_time = time_of_threads(&r);
		rc = weft_parallel(r.n_workers, s->trace->n_threads, walk_thread, &r);
	}
	if (!rc)
		rc = add_up(out, &r);
	if (how->progress)
		weft_progress_end(&r.progress);
	run_fini(&r);
	if (rc)
		weft_call_table_fini(out);
	if (rc == WEFT_E_LIMIT)
		return weft_err_set(err, rc,
		                    "the rows of the statistics do not fit the memory: allow more, or group by fewer things");
	return rc ? weft_err_set(err, rc, "cannot compute statistics of '%s': %s", r.trace->path, weft_err_name(rc)) : 0;
}

void weft_call_table_fini(struct weft_call_table *s)
{
	free(s->row);
	*s = (struct weft_call_table){0};
}
