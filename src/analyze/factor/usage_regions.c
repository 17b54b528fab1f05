/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time in calls of MPI and in parallel regions, of traces whose regions are those of our recorder. A call counts once, at its outermost region of
 * the kind: while a span closes, those around it are still open in the walk. Useful time in parallel regions is where the
 * thread's useful intervals and its parallel regions meet.
 */
#include "usage_priv.h"
#include "base/pool.h"
#include "base/vec.h"
#include "metric/func/metric_schema.h"
#include "metric/func/metric_stack.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { IN_MPI = 1, IN_P2P = 2, IN_COLLECTIVE = 4, IN_PARALLEL = 8 };
static const enum weft_usage_of usage_of_bit[] = {WEFT_USAGE_MPI, WEFT_USAGE_P2P, WEFT_USAGE_COLLECTIVE, WEFT_USAGE_PARALLEL};
enum { BITS = 4 };

/* Beginnings of names behind MPI_, as in MPI's own chapters; an I in front makes no difference. */
static const char *const p2p_names[] = {"send",  "recv",  "ssend", "bsend", "rsend",  "wait",     "test",   "probe",    "mprobe",
                                        "mrecv", "start", "psend", "precv", "pready", "parrived", "cancel", "sendrecv", NULL};
static const char *const collective_names[] = {"barrier", "bcast",     "gather", "scatter", "allgather", "alltoall",
                                               "reduce",  "allreduce", "scan",   "exscan",  "neighbor_", NULL};

static bool begins_with_one(const char *name, const char *const *known)
{
	for (; *known; known++)
		if (strncasecmp(name, *known, strlen(*known)) == 0)
			return true;
	return false;
}

static uint8_t mpi_kind(const char *name)
{
	const char *call = strncmp(name, "MPI_", 4) == 0 ? name + 4 : "";
	const char *plain = *call == 'I' && call[1] != 'n' ? call + 1 : call; /* MPI_Isend, and not MPI_Init */
	return (uint8_t)(IN_MPI | (begins_with_one(plain, p2p_names) ? IN_P2P : 0) |
	                 (begins_with_one(plain, collective_names) ? IN_COLLECTIVE : 0));
}

static uint8_t region_kind(const struct weft_trace *t, const struct weft_def_row *region)
{
	const struct weft_def_table *c = &t->def[WEFT_CLASS_CATEGORY];
	const char *category = region->category && region->category < c->n ? c->at[region->category].name : "";
	if (!region->n_events)
		return 0;
	if (strcmp(category, "mpi") == 0)
		return mpi_kind(region->name);
	return strcmp(category, "openmp") == 0 && strncmp(region->name, "omp parallel", 12) == 0 ? IN_PARALLEL : 0;
}

struct region_work {
	struct weft_usage *use;
	const struct weft_trace *trace;
	uint8_t *kind; /* by region */
};
struct interval {
	double begin, end;
};
struct region_walk { /* of a thread */
	const struct region_work *work;
	size_t thread;
	uint32_t hint[BITS];
	struct weft_span_walk spans;
	WEFT_VEC(struct interval) parallel;
};

static uint8_t kinds_around(const struct region_walk *w, uint32_t depth)
{
	uint8_t kinds = 0;
	for (uint32_t i = 0; i < depth && i < w->spans.open.n; i++)
		kinds |= w->work->kind[w->spans.open.at[i].region];
	return kinds;
}

static int take_span(void *arg, const struct weft_span *s)
{
	struct region_walk *w = arg;
	const struct weft_usage *u = w->work->use;
	const double unit = (double)u->space->unit_ns, begin = (double)s->begin / unit, end = (double)s->end / unit;
	uint8_t kinds = w->work->kind[s->region];
	if (!kinds)
		return 0;
	kinds &= (uint8_t)~kinds_around(w, s->depth);
	for (unsigned b = 0; b < BITS; b++)
		if (kinds >> b & 1 && u->sum[usage_of_bit[b]])
			usage_add(u, u->sum[usage_of_bit[b]] + w->thread * u->n_bins, &w->hint[b], begin, end, 1, false);
	return kinds & IN_PARALLEL ? weft_vec_push(&w->parallel, ((struct interval){begin, end})) : 0;
}

static int walk_spans(struct region_walk *w, uint32_t thread)
{
	struct weft_cursor c;
	struct weft_block b;
	int rc = weft_cursor_begin(&c, w->work->trace, thread, 0, WEFT_NEVER);
	weft_span_begin(&w->spans, w->work->trace, thread, take_span, w);
	while (!rc && (rc = weft_cursor_next(&c, &b)) > 0)
		rc = weft_span_feed(&w->spans, &b);
	weft_cursor_end(&c);
	int end = weft_span_end(&w->spans, w->work->trace->thread[thread].end);
	return rc ? rc : end;
}

/* ---- useful in parallel regions ---- */

static void add_useful(const struct region_walk *w, double begin, double end, size_t *at, uint32_t *hint)
{
	const struct weft_usage *u = w->work->use;
	while (*at < w->parallel.n && w->parallel.at[*at].end <= begin)
		++*at;
	for (size_t i = *at; i < w->parallel.n && w->parallel.at[i].begin < end; i++) {
		const struct interval *p = &w->parallel.at[i];
		const double from = p->begin > begin ? p->begin : begin, to = p->end < end ? p->end : end;
		usage_add(u, u->sum[WEFT_USAGE_PARALLEL_USEFUL] + w->thread * u->n_bins, hint, from, to, 1, false);
	}
}

static int walk_useful(const struct region_walk *w, const struct weft_metric *useful)
{
	const struct weft_usage *u = w->work->use;
	struct weft_row *row;
	struct weft_intervals *b = malloc(sizeof *b);
	size_t at = 0;
	uint32_t hint = 0;
	if (!b)
		return -ENOMEM;
	int rc = weft_row_open(&row, u->space, useful, u->row[w->thread], u->edge[0], u->edge[u->n_bins]);
	while (!rc && (rc = weft_row_next(row, b)) > 0) {
		double begin = b->begin;
		for (uint32_t i = 0; i < b->n; begin = b->end[i++])
			if (b->value[i] != 0)
				add_useful(w, begin, b->end[i], &at, &hint);
		rc = 0;
	}
	weft_row_close(row);
	free(b);
	return rc;
}

/* ---- all threads ---- */

static int walk_thread(void *arg, size_t i, unsigned worker)
{
	const struct region_work *work = arg;
	const struct weft_usage *u = work->use;
	struct region_walk w = {.work = work, .thread = i};
	struct weft_metric useful;
	const uint32_t thread = u->space->schema->thread[u->row[i]];
	(void)worker;
	if (thread == WEFT_NONE)
		return 0;
	int rc = walk_spans(&w, thread);
	weft_metric_init(&useful);
	useful.level = WEFT_THREAD;
	useful.of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, "Useful");
	if (!rc && w.parallel.n)
		rc = walk_useful(&w, &useful);
	free(w.parallel.at);
	return rc;
}

int usage_of_regions(struct weft_usage *u, unsigned threads)
{
	struct region_work w = {.use = u, .trace = u->space->schema->trace};
	const struct weft_def_table *d = &w.trace->def[WEFT_CLASS_REGION];
	uint8_t all = 0;
	int rc = 0;
	w.kind = calloc((size_t)d->n + 1, 1);
	if (!w.kind)
		return -ENOMEM;
	for (uint32_t i = 1; i < d->n; i++)
		all |= w.kind[i] = region_kind(w.trace, &d->at[i]);
	const size_t room = (size_t)u->n_threads * u->n_bins + 1;
	for (unsigned b = 0; b < BITS && !rc; b++)
		if (all >> b & 1) {
			u->sum[usage_of_bit[b]] = calloc(room, sizeof(double));
			rc = u->sum[usage_of_bit[b]] ? 0 : -ENOMEM;
		}
	if (all & IN_PARALLEL && !rc) {
		u->sum[WEFT_USAGE_PARALLEL_USEFUL] = calloc(room, sizeof(double));
		rc = u->sum[WEFT_USAGE_PARALLEL_USEFUL] ? 0 : -ENOMEM;
	}
	if (all && !rc)
		rc = weft_parallel(threads, u->n_threads, walk_thread, &w);
	free(w.kind);
	return rc;
}
