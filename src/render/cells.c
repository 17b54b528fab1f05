/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each thread's events are read once; the time between two events belongs to the innermost open region, or to none. Those
 * intervals come in order and do not overlap: so a row is painted from left to right, with sums only for the cell at hand.
 *
 *     |....|bbbb|bbba|a.cc|      a cell that lies within one interval is set, the others wait for their sums
 */
#include "cells.h"
#include "base/pool.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CANDIDATES_MOST 16384u

struct painter {           /* of one worker */
	uint64_t *sum;     /* by region: ns in the cell at hand */
	uint32_t *touched; /* regions whose sum is not 0 */
	unsigned n_touched;
	uint64_t *total;
};

struct painting {
	struct weft_cells *c;
	const struct weft_trace *trace;
	struct painter *painter;
	uint32_t n_regions;
	bool *has_regions; /* by row */
};

/* Where one row is being painted. */
struct brush {
	struct painter *painter;
	const struct weft_cells *c;
	uint32_t *cell;
	unsigned at; /* the cell at hand */
	uint64_t at_end;
};

uint64_t weft_cells_time(const struct weft_cells *c, unsigned cell)
{
	/* (span * cell) may not fit: whole cells and the rest apart. */
	uint64_t span = c->to - c->from;
	return c->from + span / c->width * cell + span % c->width * cell / c->width;
}

/* The last cell that begins at `time` or before. */
static unsigned cell_at(const struct weft_cells *c, uint64_t time)
{
	double guess = (double)(time - c->from) / (double)(c->to - c->from) * c->width;
	unsigned i = guess >= c->width ? c->width - 1 : (unsigned)guess;
	while (i > 0 && weft_cells_time(c, i) > time)
		i--;
	while (i + 1 < c->width && weft_cells_time(c, i + 1) <= time)
		i++;
	return i;
}

/* The first cell of an interval that begins at `time`: where pixels are finer than nanoseconds several cells begin there. */
static unsigned first_cell_at(const struct weft_cells *c, uint64_t time)
{
	unsigned i = cell_at(c, time);
	if (weft_cells_time(c, i) == time)
		while (i > 0 && weft_cells_time(c, i - 1) == time)
			i--;
	return i;
}

/* Sets the cell at hand to what had most of it. Being in no region counts only when that was more than half. */
static void brush_settle(struct brush *b)
{
	struct painter *p = b->painter;
	uint64_t all = 0, best = 0;
	uint32_t region = 0;
	for (unsigned i = 0; i < p->n_touched; i++) {
		uint32_t r = p->touched[i];
		all += p->sum[r];
		if (r && (p->sum[r] > best || (p->sum[r] == best && r < region))) {
			best = p->sum[r];
			region = r;
		}
	}
	if (p->n_touched)
		b->cell[b->at] = p->sum[0] > all / 2 ? 0 : region;
	for (unsigned i = 0; i < p->n_touched; i++)
		p->sum[p->touched[i]] = 0;
	p->n_touched = 0;
}

static void brush_add(struct brush *b, uint32_t region, uint64_t ns)
{
	struct painter *p = b->painter;
	if (ns == 0)
		return;
	if (p->sum[region] == 0)
		p->touched[p->n_touched++] = region;
	p->sum[region] += ns;
}

/* The thread was in `region` during [from, to), which begins not before what was painted last. */
static void brush_paint(struct brush *b, uint32_t region, uint64_t from, uint64_t to)
{
	from = from > b->c->from ? from : b->c->from;
	to = to < b->c->to ? to : b->c->to;
	if (from >= to)
		return;
	b->painter->total[region] += to - from;
	if (to <= b->at_end) {
		brush_add(b, region, to - from);
		return;
	}
	unsigned first = first_cell_at(b->c, from), last = cell_at(b->c, to - 1);
	for (unsigned i = first; i <= last; i++) {
		uint64_t begin = weft_cells_time(b->c, i), end = weft_cells_time(b->c, i + 1);
		if (i != b->at) {
			brush_settle(b);
			b->at = i;
		}
		b->at_end = end;
		if (from <= begin && end <= to)
			b->cell[i] = region;
		else
			brush_add(b, region, (end < to ? end : to) - (begin > from ? begin : from));
	}
}

static uint32_t innermost(const struct weft_span_walk *w)
{
	return w->open.n ? w->open.at[w->open.n - 1].region : 0;
}

/* By Paraver's numbers of states. */
static const uint8_t classes_of_states[] = {
	WEFT_STATE_IDLE,
	WEFT_STATE_RUNNING,
	WEFT_STATE_IDLE,
	WEFT_STATE_WAITING,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_SYNCHRONIZING,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_SCHEDULING,
	WEFT_STATE_WAITING,
	WEFT_STATE_WAITING,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_IO,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_UNKNOWN,
	WEFT_STATE_OVERHEAD,
	WEFT_STATE_COMMUNICATING,
	WEFT_STATE_MEMORY,
};

unsigned weft_cells_state_class(const struct weft_trace *t, enum weft_class of, uint32_t id)
{
	const struct weft_def_row *d = &t->def[of].at[id];
	if (of == WEFT_CLASS_REGION)
		return d->state;
	return d->code >= 0 && (uint64_t)d->code < sizeof classes_of_states ? classes_of_states[d->code] : WEFT_STATE_UNKNOWN;
}

static uint64_t running_ns(const struct painting *p, const uint64_t *total)
{
	uint64_t ns = 0;
	for (uint32_t r = 1; r < p->n_regions; r++)
		if (weft_cells_state_class(p->trace, p->c->of, r) == WEFT_STATE_RUNNING)
			ns += total[r];
	return ns;
}

/* What a thread is in, from event to event. */
struct walk {
	const struct weft_cells *c;
	struct weft_span_walk spans; /* of regions */
	uint32_t state;              /* or the state that began last */
	uint64_t state_end;
	uint64_t since; /* painted up to here */
};

/* Paints up to `at`. */
static void walk_to(struct walk *w, struct brush *b, uint64_t at)
{
	if (at <= w->since)
		return;
	if (w->c->of == WEFT_CLASS_REGION) {
		brush_paint(b, innermost(&w->spans), w->since, at);
	} else {
		uint64_t end = w->state_end < at ? w->state_end : at;
		if (end > w->since)
			brush_paint(b, w->state, w->since, end);
		brush_paint(b, 0, end > w->since ? end : w->since, at);
	}
	w->since = at;
}

static int walk_event(struct walk *w, const struct weft_block *b, uint32_t i)
{
	struct weft_block one = {1, b->time + i, b->what + i, b->value + i};
	if (w->c->of == WEFT_CLASS_REGION)
		return weft_span_feed(&w->spans, &one);
	w->state = weft_what_id(b->what[i]);
	w->state_end = b->time[i] + b->value[i];
	return 0;
}

static bool walk_wants(const struct walk *w, unsigned kind)
{
	if (w->c->of == WEFT_CLASS_STATE)
		return kind == WEFT_EV_STATE;
	return kind == WEFT_EV_ENTER || kind == WEFT_EV_LEAVE || kind == WEFT_EV_OFF || kind == WEFT_EV_THREAD_END;
}

/* Goes from event to event, and paints what lies between. */
static int paint_events(struct painting *p, struct brush *b, uint32_t thread, uint64_t begin, uint64_t end, bool *any)
{
	struct walk w = {.c = p->c, .since = begin};
	struct weft_cursor cursor;
	struct weft_block block;
	weft_span_begin(&w.spans, p->trace, thread, NULL, NULL);
	int rc = weft_cursor_begin(&cursor, p->trace, thread, 0, p->c->to);
	if (rc)
		goto out;
	while (rc == 0 && (rc = weft_cursor_next(&cursor, &block)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < block.n && rc == 0; i++) {
			unsigned kind = weft_what_kind(block.what[i]);
			if (!walk_wants(&w, kind))
				continue;
			walk_to(&w, b, block.time[i]);
			*any = *any || kind == WEFT_EV_ENTER || kind == WEFT_EV_STATE;
			rc = walk_event(&w, &block, i);
		}
	}
	weft_cursor_end(&cursor);
	if (rc == 0)
		walk_to(&w, b, end);
out:
	if (weft_span_end(&w.spans, end) && rc == 0)
		rc = -ENOMEM;
	return rc;
}

static int paint_row(void *arg, size_t row, unsigned worker)
{
	struct painting *p = arg;
	struct weft_cells *c = p->c;
	uint32_t thread = c->thread[row];
	const struct weft_thread_row *t = &p->trace->thread[thread];
	struct brush b = {.painter = &p->painter[worker], .c = c, .cell = c->cell + row * c->width};
	uint64_t begin = t->begin == WEFT_NEVER ? 0 : t->begin;
	uint64_t end = t->end == WEFT_NEVER || t->end < begin ? p->trace->end : t->end;
	for (unsigned i = 0; i < c->width; i++)
		b.cell[i] = WEFT_CELL_AWAY;
	uint64_t before = running_ns(p, b.painter->total);
	int rc = paint_events(p, &b, thread, begin, end, &p->has_regions[row]);
	brush_settle(&b);
	uint64_t first = begin > c->from ? begin : c->from, last = end < c->to ? end : c->to;
	c->alive[row] = last > first ? last - first : 0;
	c->running[row] = running_ns(p, b.painter->total) - before;
	return rc;
}

/* The threads that can be seen in the range, in the trace's order. */
static void choose_threads(struct weft_cells *c, const struct weft_trace *t, bool own_threads)
{
	for (uint32_t i = 0; i < t->n_threads; i++) {
		const struct weft_thread_row *h = &t->thread[i];
		if ((h->own && !own_threads) || (h->begin != WEFT_NEVER && h->begin >= c->to) ||
		    (h->end != WEFT_NEVER && h->end < c->from))
			continue;
		if (c->n_rows < CANDIDATES_MOST)
			c->thread[c->n_rows++] = i;
		else
			c->beyond++;
	}
}

/* Leaves out rows without regions, and those beyond the most; whether rows with regions were left out. */
static bool drop_rows(struct painting *p, unsigned most)
{
	struct weft_cells *c = p->c;
	unsigned kept = 0, any = 0, rows = c->n_rows;
	for (unsigned i = 0; i < rows; i++)
		any += p->has_regions[i];
	for (unsigned i = 0; i < rows; i++) {
		if (any && !p->has_regions[i]) {
			c->without_regions++;
			c->total[0] -= c->alive[i];
		} else if (kept == most) {
			c->beyond++;
		} else {
			memmove(c->cell + (size_t)kept * c->width, c->cell + (size_t)i * c->width, c->width * sizeof *c->cell);
			c->thread[kept] = c->thread[i];
			c->alive[kept] = c->alive[i];
			c->running[kept++] = c->running[i];
		}
	}
	c->n_rows = kept;
	return c->without_regions + kept < rows;
}

static int painters_make(struct painting *p, unsigned n)
{
	p->painter = calloc(n, sizeof *p->painter);
	if (!p->painter)
		return -ENOMEM;
	for (unsigned i = 0; i < n; i++) {
		struct painter *w = &p->painter[i];
		w->sum = calloc(p->n_regions, sizeof *w->sum);
		w->touched = calloc(p->n_regions, sizeof *w->touched);
		w->total = calloc(p->n_regions, sizeof *w->total);
		if (!w->sum || !w->touched || !w->total)
			return -ENOMEM;
	}
	return 0;
}

static void painters_fini(struct painting *p, unsigned n)
{
	for (unsigned i = 0; p->painter && i < n; i++) {
		free(p->painter[i].sum);
		free(p->painter[i].touched);
		free(p->painter[i].total);
	}
	free(p->painter);
}

static int paint(struct painting *p, unsigned workers)
{
	struct weft_cells *c = p->c;
	for (unsigned i = 0; i < workers; i++)
		memset(p->painter[i].total, 0, p->n_regions * sizeof *p->painter[i].total);
	int rc = weft_parallel(workers, c->n_rows, paint_row, p);
	memset(c->total, 0, p->n_regions * sizeof *c->total);
	for (unsigned i = 0; i < workers; i++)
		for (uint32_t r = 0; r < p->n_regions; r++)
			c->total[r] += p->painter[i].total[r];
	return rc;
}

static int cells_allocate(struct painting *p, unsigned workers)
{
	struct weft_cells *c = p->c;
	unsigned rows = p->trace->n_threads < CANDIDATES_MOST ? p->trace->n_threads : CANDIDATES_MOST;
	c->thread = calloc(rows + 1, sizeof *c->thread);
	c->alive = calloc(rows + 1, sizeof *c->alive);
	c->running = calloc(rows + 1, sizeof *c->running);
	c->total = calloc(p->n_regions, sizeof *c->total);
	c->cell = malloc((size_t)(rows + 1) * c->width * sizeof *c->cell);
	p->has_regions = calloc(rows + 1, sizeof *p->has_regions);
	bool all = c->thread && c->alive && c->running && c->total && c->cell && p->has_regions;
	return all ? painters_make(p, workers) : -ENOMEM;
}

static bool has_events(const struct weft_trace *t, enum weft_class class)
{
	for (uint32_t i = 1; i < t->def[class].n; i++)
		if (t->def[class].at[i].n_events)
			return true;
	return false;
}

int weft_cells_make(struct weft_cells *c, const struct weft_trace *t, const struct weft_cells_how *how)
{
	unsigned workers = how->threads ? how->threads : weft_pool_width();
	*c = (struct weft_cells){
		.from = how->from,
		.to = how->to == WEFT_NEVER ? t->end : how->to,
		.of = has_events(t, WEFT_CLASS_STATE) && !has_events(t, WEFT_CLASS_REGION) ? WEFT_CLASS_STATE : WEFT_CLASS_REGION,
		.width = how->width,
	};
	struct painting p = {.c = c, .trace = t, .n_regions = t->def[c->of].n ? t->def[c->of].n : 1};
	if (c->to <= c->from)
		c->to = c->from + 1;
	int rc = cells_allocate(&p, workers);
	if (rc == 0) {
		choose_threads(c, t, how->own_threads);
		rc = paint(&p, workers);
	}
	/* The sums are of what is shown: once more, without the others. */
	if (rc == 0 && drop_rows(&p, how->most_rows))
		rc = paint(&p, workers);
	painters_fini(&p, workers);
	free(p.has_regions);
	if (rc)
		weft_cells_fini(c);
	return rc;
}

void weft_cells_fini(struct weft_cells *c)
{
	free(c->thread);
	free(c->alive);
	free(c->running);
	free(c->total);
	free(c->cell);
	*c = (struct weft_cells){0};
}
