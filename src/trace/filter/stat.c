/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistics of spans. Each thread is walked by one worker, which keeps the rows it meets in a table of its own; the tables are
 * added up at the end.
 *
 * Nested calls of one row must not be counted twice in `total`. The walk tells of spans when they close, so inner ones come
 * first; a shadow of the stack of open spans carries what they leave for those around them:
 *   by region:   the time of a passing call is passed to the nearest open call of its region, which counts only the rest;
 *   otherwise:   the self time of a call that does not pass is passed to the call around it, until one passes and takes it.
 */
#include "stat.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/progress.h"
#include "histogram.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct group {
	struct weft_stat_row row;
	struct weft_histogram times;
	uint64_t times_sum;  /* of all calls, nested ones too */
	uint64_t most_self;  /* of a thread */
	uint64_t of_threads; /* what the balance is made of, summed over threads */
	uint64_t here;       /* self time on the thread that is being walked */
	uint32_t seen_on;    /* that thread + 1 */
};

struct shadow { /* of an open span */
	uint64_t sequence;
	uint64_t carried; /* see above */
	uint32_t region;
	uint32_t around; /* the next open one of the same region, as index + 1 */
};

struct worker {
	struct weft_map map; /* key -> group */
	WEFT_VEC(struct group) group;
	WEFT_VEC(struct shadow) shadow;
	WEFT_VEC(uint32_t) touched; /* groups that the thread being walked has */
	uint32_t *innermost;        /* by region: its innermost open shadow, as index + 1 */
	bool shifted;               /* spans were closed from the middle: the shadow has to be matched anew */
	uint64_t bytes;             /* of groups and histograms */
	uint64_t n_leaves, n_early, busy_sum, busy_most;
	uint32_t n_busy;
	/* the thread that is being walked: */
	struct weft_span_walk walk;
	uint32_t thread;
	uint64_t busy, calls;
	uint64_t inside;       /* time of the thread in regions */
	bool useful;           /* is the call that is counted */
	bool counting;         /* the walk has come to `from` */
	uint64_t cut_sequence; /* spans before this one were open there */
	const struct stat_run *run;
};

struct stat_run {
	const struct weft_trace *trace;
	const struct weft_stat_how *how;
	struct worker *worker;
	unsigned n_workers;
	bool outside_is_useful; /* weft_outside_is_useful, and no filter says what counts */
	uint64_t bytes_each;    /* what a worker may use */
	struct weft_progress progress;
};

static bool stat_has_thread(const struct stat_run *r, uint32_t thread)
{
	if (r->trace->thread[thread].own && !r->how->own_threads)
		return false;
	return !r->how->filter || weft_filter_thread(r->how->filter, thread);
}

enum { PRV_STATE_RUNNING = 1 };

static uint32_t class_of(const struct stat_run *r, uint32_t region)
{
	const struct weft_def_table *regions = &r->trace->def[WEFT_CLASS_REGION];
	return region < regions->n ? regions->at[region].state : WEFT_STATE_UNKNOWN;
}

/* Does the thread compute there? A region that says nothing is as the one around it; outermost, it computes. */
static bool span_is_useful(const struct worker *w, const struct weft_span *s)
{
	uint32_t class = class_of(w->run, s->region);
	for (size_t i = w->walk.open.n; i-- > 0 && class == WEFT_STATE_UNKNOWN;)
		if (w->walk.open.at[i].depth < s->depth)
			class = class_of(w->run, w->walk.open.at[i].region);
	return class == WEFT_STATE_UNKNOWN || class == WEFT_STATE_RUNNING;
}

/* -- rows -- */

static struct weft_stat_row row_of(const struct stat_run *r, uint32_t region, uint32_t thread)
{
	unsigned by = r->how->by;
	return (struct weft_stat_row){
		.region = by & WEFT_BY_REGION ? region : WEFT_NONE,
		.thread = by & WEFT_BY_THREAD ? thread : WEFT_NONE,
		.process = by & (WEFT_BY_THREAD | WEFT_BY_PROCESS) ? r->trace->thread[thread].process : WEFT_NONE,
	};
}

static uint64_t row_key(const struct weft_stat_row *row)
{
	return (uint64_t)row->region << 32 | (row->thread != WEFT_NONE ? row->thread : row->process);
}

/* The group of this row's objects; its index, or negative. */
static int64_t find_group(struct worker *w, const struct weft_stat_row *row)
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

/* One passing call. */
static int count_call(struct worker *w, uint32_t region, uint64_t time, uint64_t self, uint64_t total)
{
	struct weft_stat_row row = row_of(w->run, region, w->thread);
	int64_t at = find_group(w, &row);
	if (at < 0)
		return (int)at;
	struct group *g = &w->group.at[at];
	if (g->seen_on != w->thread + 1) {
		g->seen_on = w->thread + 1;
		g->here = 0;
		if (weft_vec_push(&w->touched, (uint32_t)at))
			return -ENOMEM;
	}
	g->row.calls++;
	g->row.total += total;
	g->row.self += self;
	g->row.min = time < g->row.min ? time : g->row.min;
	g->row.max = time > g->row.max ? time : g->row.max;
	g->here += w->run->how->by & WEFT_BY_REGION || w->useful ? self : 0;
	w->busy += w->useful ? self : 0;
	w->calls++;
	g->times_sum += time;
	uint64_t before = weft_histogram_bytes(&g->times);
	int rc = weft_histogram_add(&g->times, time);
	w->bytes += weft_histogram_bytes(&g->times) - before;
	return !rc && w->bytes > w->run->bytes_each ? WEFT_E_LIMIT : rc;
}

static uint64_t thread_end(const struct stat_run *r, uint32_t thread)
{
	uint64_t end = r->trace->thread[thread].end;
	if (end == WEFT_NEVER)
		end = r->trace->end;
	return end < r->how->to ? end : r->how->to;
}

/* How long the thread was there, in the range. */
static uint64_t thread_time(const struct stat_run *r, uint32_t thread)
{
	uint64_t begin = r->trace->thread[thread].begin > r->how->from ? r->trace->thread[thread].begin : r->how->from;
	uint64_t end = thread_end(r, thread);
	return end > begin ? end - begin : 0;
}

static void end_thread(struct worker *w)
{
	for (size_t i = 0; i < w->touched.n; i++) {
		struct group *g = &w->group.at[w->touched.at[i]];
		g->row.n_threads++;
		g->of_threads += g->here;
		g->most_self = g->here > g->most_self ? g->here : g->most_self;
	}
	w->touched.n = 0;
	if (w->calls == 0 && !w->run->outside_is_useful)
		return;
	uint64_t alive = thread_time(w->run, w->thread);
	if (w->run->outside_is_useful && alive > w->inside)
		w->busy += alive - w->inside;
	w->n_busy += w->busy > 0;
	w->busy_sum += w->busy;
	w->busy_most = w->busy > w->busy_most ? w->busy : w->busy_most;
}

/* -- the shadow of the open spans -- */

/* A region that no definition names shares one place with all such. */
static uint32_t *innermost_of(struct worker *w, uint32_t region)
{
	uint32_t n = w->run->trace->def[WEFT_CLASS_REGION].n;
	return &w->innermost[region < n ? region : n];
}

static void shadow_pop(struct worker *w)
{
	struct shadow *s = &w->shadow.at[--w->shadow.n];
	*innermost_of(w, s->region) = s->around;
}

static int shadow_push(struct worker *w, const struct weft_span *open, uint64_t carried)
{
	struct shadow s = {open->sequence, carried, open->region, *innermost_of(w, open->region)};
	if (weft_vec_push(&w->shadow, s))
		return -ENOMEM;
	*innermost_of(w, open->region) = (uint32_t)w->shadow.n;
	return 0;
}

/* Makes the shadow anew from the open spans without `closed`, keeping what was carried. O(depth). */
static int shadow_rebuild(struct worker *w, uint64_t closed)
{
	size_t n = w->shadow.n, k = 0;
	struct shadow *old = malloc((n + 1) * sizeof *old);
	int rc = 0;
	if (!old)
		return -ENOMEM;
	if (n)
		memcpy(old, w->shadow.at, n * sizeof *old);
	while (w->shadow.n)
		shadow_pop(w);
	for (size_t i = 0; i < w->walk.open.n && !rc; i++) {
		const struct weft_span *open = &w->walk.open.at[i];
		if (open->sequence == closed || open->depth == UINT32_MAX)
			continue;
		while (k < n && old[k].sequence < open->sequence)
			k++;
		rc = shadow_push(w, open, k < n && old[k].sequence == open->sequence ? old[k].carried : 0);
	}
	free(old);
	return rc;
}

/*
 * Takes the closed span out of the shadow and brings the shadow up to the spans that are open now; *carried is what it held.
 * Each open span is pushed once, so this is O(1) amortised, except when spans are closed from the middle of the stack.
 */
static int shadow_take(struct worker *w, const struct weft_span *s, uint64_t *carried)
{
	size_t n = w->walk.open.n;
	bool from_the_middle = n && s->sequence <= w->walk.open.at[n - 1].sequence;
	*carried = 0;
	for (size_t i = w->shadow.n; i-- > 0 && w->shadow.at[i].sequence >= s->sequence;)
		if (w->shadow.at[i].sequence == s->sequence)
			*carried = w->shadow.at[i].carried;
	if (from_the_middle || w->shifted) {
		w->shifted = from_the_middle;
		return shadow_rebuild(w, s->sequence);
	}
	while (w->shadow.n > n ||
	       (w->shadow.n && w->shadow.at[w->shadow.n - 1].sequence != w->walk.open.at[w->shadow.n - 1].sequence))
		shadow_pop(w);
	while (w->shadow.n < n)
		if (shadow_push(w, &w->walk.open.at[w->shadow.n], 0))
			return -ENOMEM;
	return 0;
}

/* -- spans -- */

static int on_span(void *arg, const struct weft_span *s)
{
	struct worker *w = arg;
	const struct weft_stat_how *how = w->run->how;
	uint64_t carried;
	if (!w->counting || (s->sequence < w->cut_sequence && s->end == how->from))
		return 0;
	int rc = shadow_take(w, s, &carried);
	if (rc)
		return rc;
	uint64_t time = s->end - s->begin, self = time - s->inner;
	w->useful = span_is_useful(w, s);
	w->inside += s->depth ? 0 : time;
	bool pass = !how->filter || weft_filter_span(how->filter, s);
	if (how->by & WEFT_BY_REGION) {
		uint32_t around = *innermost_of(w, s->region);
		if (around)
			w->shadow.at[around - 1].carried += pass ? time : carried;
		return pass ? count_call(w, s->region, time, self, time - carried) : 0;
	}
	if (pass)
		return count_call(w, s->region, time, self, self + carried);
	if (w->shadow.n)
		w->shadow.at[w->shadow.n - 1].carried += self + carried;
	return 0;
}

/* What is open at `from` begins there. */
static void cut_begin(struct worker *w)
{
	for (size_t i = 0; i < w->walk.open.n; i++) {
		w->walk.open.at[i].begin = w->run->how->from;
		w->walk.open.at[i].inner = 0;
	}
	w->counting = true;
	w->cut_sequence = w->walk.sequence;
}

static int feed(struct worker *w, struct weft_block b)
{
	uint64_t from = w->run->how->from;
	uint32_t before = 0;
	if (!w->counting) {
		while (before < b.n && b.time[before] < from)
			before++;
		struct weft_block early = {before, b.time, b.what, b.value};
		int rc = weft_span_feed(&w->walk, &early);
		if (rc || before == b.n)
			return rc;
		cut_begin(w);
	}
	struct weft_block rest = {b.n - before, b.time + before, b.what + before, b.value + before};
	return weft_span_feed(&w->walk, &rest);
}

static bool state_is_running(const struct stat_run *r, uint32_t state)
{
	const struct weft_def_table *states = &r->trace->def[WEFT_CLASS_STATE];
	return state < states->n && states->at[state].code == PRV_STATE_RUNNING;
}

/* The state records of a thread: each tells its length, and they do not nest. */
static int feed_states(struct worker *w, struct weft_block b)
{
	const struct weft_stat_how *how = w->run->how;
	int rc = 0;
	for (uint32_t i = 0; i < b.n && !rc; i++) {
		if (weft_what_kind(b.what[i]) != WEFT_EV_STATE)
			continue;
		uint64_t begin = b.time[i] > how->from ? b.time[i] : how->from;
		uint64_t end = b.time[i] + b.value[i] < how->to ? b.time[i] + b.value[i] : how->to;
		if (end < begin || (end == begin && b.time[i] < how->from))
			continue;
		uint32_t state = weft_what_id(b.what[i]);
		w->useful = state_is_running(w->run, state);
		if (!how->filter || weft_filter_state(how->filter, w->thread, state, begin, end))
			rc = count_call(w, state, end - begin, end - begin, end - begin);
	}
	return rc;
}

static int walk_thread(void *arg, size_t thread, unsigned worker)
{
	struct stat_run *r = arg;
	struct worker *w = &r->worker[worker];
	struct weft_cursor c;
	struct weft_block b;
	if (!stat_has_thread(r, (uint32_t)thread))
		return 0;
	w->thread = (uint32_t)thread;
	w->busy = w->calls = w->inside = 0;
	w->counting = r->how->from == 0;
	w->cut_sequence = 0;
	w->shifted = false;
	int rc = weft_cursor_begin(&c, r->trace, w->thread, 0, r->how->to);
	if (rc < 0)
		return rc;
	weft_span_begin(&w->walk, r->trace, w->thread, on_span, w);
	weft_span_choose(&w->walk, r->how->filter);
	while ((rc = weft_cursor_next(&c, &b)) > 0) {
		rc = r->how->states ? feed_states(w, b) : feed(w, b);
		if (rc)
			break;
		weft_progress_step(r->how->progress ? &r->progress : NULL, b.n);
	}
	weft_cursor_end(&c);
	uint64_t end = thread_end(r, w->thread);
	if (!w->counting && end > r->how->from)
		cut_begin(w);
	if (rc < 0 && w->walk.result == 0)
		w->walk.result = rc;
	rc = weft_span_end(&w->walk, end);
	w->n_leaves += w->walk.unmatched_leaves;
	w->n_early += w->walk.closed_early;
	while (w->shadow.n)
		shadow_pop(w);
	end_thread(w);
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
	const struct weft_stat_row *x = a, *y = b;
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

static uint64_t clamp(uint64_t v, uint64_t low, uint64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* All is in the first worker now. */
static int make_rows(struct weft_stat *out, const struct stat_run *r)
{
	const struct worker *w = &r->worker[0];
	out->row = calloc(w->group.n + 1, sizeof *out->row);
	if (!out->row)
		return -ENOMEM;
	for (size_t i = 0; i < w->group.n; i++) {
		const struct group *g = &w->group.at[i];
		struct weft_stat_row *row = &out->row[out->n_rows++];
		*row = g->row;
		row->mean = (double)g->times_sum / (double)row->calls;
		row->p50 = clamp(weft_histogram_quantile(&g->times, 0.50), row->min, row->max);
		row->p99 = clamp(weft_histogram_quantile(&g->times, 0.99), row->min, row->max);
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

static int add_up(struct weft_stat *out, struct stat_run *r)
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

static uint64_t time_of_threads(const struct stat_run *r)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < r->trace->n_threads; i++) {
		if (!stat_has_thread(r, i))
			continue;
		sum += thread_time(r, i);
	}
	return sum;
}

static uint64_t memory_limit(const struct weft_stat_how *how)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	if (how->memory)
		return how->memory;
	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page / 4 : UINT64_MAX;
}

static void run_fini(struct stat_run *r)
{
	for (unsigned i = 0; r->worker && i < r->n_workers; i++) {
		struct worker *w = &r->worker[i];
		for (size_t k = 0; k < w->group.n; k++)
			weft_histogram_fini(&w->group.at[k].times);
		free(w->group.at);
		free(w->shadow.at);
		free(w->touched.at);
		free(w->innermost);
		weft_map_fini(&w->map);
	}
	free(r->worker);
}

static int run_init(struct stat_run *r)
{
	uint32_t regions = r->trace->def[WEFT_CLASS_REGION].n + 1;
	r->n_workers = r->how->threads ? r->how->threads : weft_pool_width();
	r->bytes_each = memory_limit(r->how) / (r->n_workers + 1);
	r->worker = calloc(r->n_workers, sizeof *r->worker);
	if (!r->worker)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_workers; i++) {
		r->worker[i].run = r;
		r->worker[i].innermost = calloc(regions, sizeof *r->worker[i].innermost);
		if (!r->worker[i].innermost)
			return -ENOMEM;
	}
	return 0;
}

int weft_stat_compute(struct weft_stat *out, const struct weft_trace *t, const struct weft_stat_how *how, struct weft_err *err)
{
	struct stat_run r = {.trace = t,
	                     .how = how,
	                     .outside_is_useful = !how->filter && !how->states && weft_outside_is_useful(t)};
	*out = (struct weft_stat){.load_balance = NAN};
	if (how->progress)
		weft_progress_begin(&r.progress, "statistics", t->n_events);
	int rc = run_init(&r);
	if (!rc) {
		out->thread_time = time_of_threads(&r);
		rc = weft_parallel(r.n_workers, t->n_threads, walk_thread, &r);
	}
	if (!rc)
		rc = add_up(out, &r);
	if (how->progress)
		weft_progress_end(&r.progress);
	run_fini(&r);
	if (rc)
		weft_stat_fini(out);
	if (rc == WEFT_E_LIMIT)
		return weft_err_set(err, rc,
		                    "the rows of the statistics do not fit the memory: allow more, or group by fewer things");
	return rc ? weft_err_set(err, rc, "cannot compute statistics of '%s': %s", t->path, weft_err_name(rc)) : 0;
}

void weft_stat_fini(struct weft_stat *s)
{
	free(s->row);
	*s = (struct weft_stat){0};
}
