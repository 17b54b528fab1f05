/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intervals come in order and do not overlap: so a row is painted from left to right, with sums
 * only for the cell at hand.
 *
 *     |....|bbbb|bbba|a.cc|      a cell that lies within one interval is set, the others wait for their sums
 */
#include "time_cells_priv.h"
#include "base/pool.h"
#include <errno.h>
#include <stdlib.h>

struct painter {           /* of one worker */
	double *sum;       /* by value: time in the cell at hand */
	uint32_t *touched; /* values whose sum is not 0 */
	uint32_t n_touched;
	double *total;
	struct weft_intervals *block;
};

struct painting {
	struct weft_metric_cells *c;
	struct weft_time_sums *sums;
	const struct weft_metric_cells_how *how;
	struct painter *painter;
	const struct weft_pyramid *kept; /* NULL: rows are evaluated */
	struct row_painter *quick;       /* of each worker; owned */
};

/* Where one row is being painted. */
struct brush {
	struct painter *painter;
	const struct weft_metric_cells *c;
	double *cell;
	unsigned at;    /* the cell at hand */
	double at_end;  /* where it ends */
	double counted; /* time in values that are counted */
};

static double cell_begin(const struct weft_metric_cells *c, unsigned x)
{
	return c->from + (c->to - c->from) * x / c->width;
}

static void brush_settle(struct brush *b)
{
	struct painter *p = b->painter;
	double all = 0, best = 0;
	uint32_t value = 0;
	for (uint32_t i = 0; i < p->n_touched; i++) {
		uint32_t v = p->touched[i];
		all += p->sum[v];
		if (v && (p->sum[v] > best || (p->sum[v] == best && v < value))) {
			best = p->sum[v];
			value = v;
		}
	}
	if (p->n_touched)
		b->cell[b->at] = p->sum[0] > all / 2 ? 0 : value;
	for (uint32_t i = 0; i < p->n_touched; i++)
		p->sum[p->touched[i]] = 0;
	p->n_touched = 0;
}

static inline void brush_add(struct brush *b, uint32_t value, double time)
{
	struct painter *p = b->painter;
	if (!(time > 0))
		return;
	if (p->sum[value] == 0)
		p->touched[p->n_touched++] = value;
	p->sum[value] += time;
}

/* To the cell in which `time` lies, or that ends there. */
static void brush_go(struct brush *b, double time)
{
	const struct weft_metric_cells *c = b->c;
	double x = cells_pixel(time, c->from, c->to - c->from, c->width);
	if (x <= b->at) { /* rounding: it is where it was */
		b->at_end = time;
		return;
	}
	brush_settle(b);
	b->at = x < c->width ? (unsigned)x : c->width - 1;
	b->at_end = b->at + 1 == c->width ? c->to : cell_begin(c, b->at + 1);
}

/* The row is `value` in [from, to), which lies in the range and begins where the last one ended. */
static inline void brush_paint(struct brush *b, uint32_t value, double from, double to)
{
	b->painter->total[value] += to - from;
	if (to <= b->at_end) {
		brush_add(b, value, to - from);
		return;
	}
	brush_add(b, value, b->at_end - from);
	unsigned first = b->at + 1;
	brush_go(b, to);
	for (unsigned x = first; x < b->at; x++)
		b->cell[x] = value;
	double begin = cell_begin(b->c, b->at);
	brush_add(b, value, to - (begin > from ? begin : from));
}

/* Time that does not count. */
static void brush_pass(struct brush *b, double to)
{
	if (to > b->at_end)
		brush_go(b, to);
}

static void brush_block(struct brush *b, const struct weft_intervals *in, const struct weft_time_sums *sums)
{
	const struct weft_metric_cells *c = b->c;
	double from = in->begin > c->from ? in->begin : c->from;
	for (uint32_t i = 0; i < in->n && from < c->to; i++) {
		double to = in->end[i] < c->to ? in->end[i] : c->to, v = in->value[i];
		if (to <= from)
			continue;
		if (v < 0) {
			brush_pass(b, to);
		} else {
			const uint32_t value = v < sums->n_values ? (uint32_t)v : 0;
			b->counted += (sums->counted ? sums->counted[value] : v != value) ? to - from : 0;
			brush_paint(b, value, from, to);
		}
		from = to;
	}
}

static int paint_row(void *arg, size_t i, unsigned worker)
{
	struct painting *p = arg;
	const struct weft_metric_cells_how *how = p->how;
	struct weft_metric_cells *c = p->c;
	struct brush b = {.painter = &p->painter[worker], .c = c, .cell = c->cell + i * c->width, .at_end = cell_begin(c, 1)};
	struct weft_row *row;
	for (unsigned x = 0; x < c->width; x++)
		b.cell[x] = WEFT_REGION_AWAY;
	int rc = weft_row_open(&row, how->space, how->metric, how->row ? how->row[i] : (uint32_t)i, how->from, how->to);
	if (rc)
		return rc;
	while ((rc = weft_row_next(row, b.painter->block)) > 0)
		brush_block(&b, b.painter->block, p->sums);
	weft_row_close(row);
	brush_settle(&b);
	p->sums->of_counted[i] = b.counted;
	return rc;
}

static int paint_quickly(void *arg, size_t i, unsigned worker)
{
	struct painting *p = arg;
	const uint32_t object = p->how->row ? p->how->row[i] : (uint32_t)i;
	return row_paint(&p->quick[worker], p->how, p->kept, object, p->c->cell + i * p->c->width);
}

static int painters_make(struct painting *p, unsigned n)
{
	p->painter = calloc(n, sizeof *p->painter);
	for (unsigned i = 0; p->painter && i < n; i++) {
		struct painter *w = &p->painter[i];
		w->sum = calloc((size_t)p->sums->n_values + 1, sizeof *w->sum);
		w->touched = calloc((size_t)p->sums->n_values + 1, sizeof *w->touched);
		w->total = calloc((size_t)p->sums->n_values + 1, sizeof *w->total);
		w->block = malloc(sizeof *w->block);
		if (!w->sum || !w->touched || !w->total || !w->block)
			return -ENOMEM;
	}
	return p->painter ? 0 : -ENOMEM;
}

static void painters_end(struct painting *p, unsigned n)
{
	for (unsigned i = 0; p->painter && i < n; i++) {
		struct painter *w = &p->painter[i];
		for (uint32_t v = 0; w->total && p->sums->total && v < p->sums->n_values; v++)
			p->sums->total[v] += w->total[v];
		free(w->sum);
		free(w->touched);
		free(w->total);
		free(w->block);
	}
	free(p->painter);
}

static int paint_rows(struct painting *p, unsigned workers)
{
	int rc = (p->quick = calloc(workers, sizeof *p->quick)) ? 0 : -ENOMEM;
	for (unsigned i = 0; i < workers && !rc; i++)
		rc = row_painter_init(&p->quick[i], p->c, p->sums->n_values);
	if (!rc)
		rc = weft_parallel(workers, p->c->n_rows, paint_quickly, p);
	for (unsigned i = 0; p->quick && i < workers; i++)
		row_painter_fini(&p->quick[i]);
	free(p->quick);
	return rc;
}

static int paint_with_sums(struct painting *p, unsigned workers)
{
	struct weft_time_sums *sums = p->sums;
	sums->total = calloc((size_t)sums->n_values + 1, sizeof *sums->total);
	sums->of_counted = calloc((size_t)p->c->n_rows + 1, sizeof *sums->of_counted);
	int rc = sums->total && sums->of_counted ? painters_make(p, workers) : -ENOMEM;
	if (!rc)
		rc = weft_parallel(workers, p->c->n_rows, paint_row, p);
	painters_end(p, workers);
	return rc;
}

int weft_time_cells_make(struct weft_metric_cells *c, struct weft_time_sums *sums, const struct weft_metric_cells_how *how)
{
	unsigned workers = how->threads ? how->threads : weft_pool_width();
	struct weft_pyramid *kept = NULL;
	*c = (struct weft_metric_cells){.n_rows = how->n_rows, .width = how->width, .from = how->from, .to = how->to};
	c->cell = malloc(((size_t)c->n_rows * c->width + 1) * sizeof *c->cell);
	int rc = !c->cell ? -ENOMEM : sums->unwanted ? cells_kept(&kept, how) : 0;
	struct painting p = {.c = c, .sums = sums, .how = how, .kept = kept};
	if (!rc)
		rc = sums->unwanted ? paint_rows(&p, workers) : paint_with_sums(&p, workers);
	weft_pyramid_close(kept);
	return rc;
}

void weft_time_sums_fini(struct weft_time_sums *s)
{
	free(s->total);
	free(s->of_counted);
	s->total = s->of_counted = NULL;
}
