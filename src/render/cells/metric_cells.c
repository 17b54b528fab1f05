/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each row is walked once, burst after burst, with one cell at hand: a burst is added to it, and
 * when it ends behind the cell's end, fills what lies between and opens the cell in which it ends.
 *
 *     bursts  |--a--|-b-|c|-------d-------|-e-|
 *     pixels  :       :       :       :       :       :
 *                {a,b,c,d}: {d}  {d,e}  …             d fills a pixel alone: no sum is needed there
 */
#include "base/pool.h"
#include "metric_cells_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)
#define EVENTS_WORTH_KEEPING 2000000u /* fewer are evaluated in less time than anyone would miss */

struct making {
	struct weft_metric_cells *c;
	const struct weft_metric_cells_how *how;
};

static uint64_t seed_of(uint64_t row, uint64_t pixel)
{
	return row << 32 ^ pixel;
}

void cells_pen_begin(struct cells_pen *p, const struct weft_metric_cells *c, enum weft_draw draw, uint64_t row)
{
	*p = (struct cells_pen){.c = c, .cell = c->cell + row * c->width, .row = row};
	memset(p->cell, 0, c->width * sizeof *p->cell);
	draw_sum_init(&p->sum, draw);
	draw_sum_begin(&p->sum, seed_of(row, 0));
}

void cells_pen_burst(struct cells_pen *p, double end, double value)
{
	const struct weft_metric_cells *c = p->c;
	double last = cells_pixel(end, c->from, c->to - c->from, c->width);
	value = value == value ? value : 0;
	draw_sum_add(&p->sum, value);
	p->done = end >= c->to;
	if (!p->done && last <= p->at)
		return;
	unsigned to = p->done || last >= c->width ? c->width : (unsigned)last;
	p->cell[p->at] = draw_sum_get(&p->sum);
	while (++p->at < to)
		p->cell[p->at] = value;
	if (p->at < c->width) {
		draw_sum_begin(&p->sum, seed_of(p->row, p->at));
		draw_sum_add(&p->sum, value);
	}
}

/* A row that ends before the range does leaves its last cells at 0. */
int cells_pen_end(struct cells_pen *p)
{
	if (!p->done && p->at < p->c->width && p->sum.n)
		p->cell[p->at] = draw_sum_get(&p->sum);
	int rc = p->sum.failed ? -ENOMEM : 0;
	draw_sum_fini(&p->sum);
	return rc;
}

static int draw_row(void *arg, size_t i, unsigned worker)
{
	const struct making *m = arg;
	const struct weft_metric_cells_how *how = m->how;
	uint32_t object = how->row ? how->row[i] : (uint32_t)i;
	struct cells_pen pen;
	struct weft_row *row;
	(void)worker;
	struct weft_intervals *b = malloc(sizeof *b);
	int rc = b ? weft_row_open(&row, how->space, how->metric, object, how->from, how->to) : -ENOMEM;
	if (rc) {
		free(b);
		return rc;
	}
	cells_pen_begin(&pen, m->c, how->draw, i);
	while (!pen.done && (rc = weft_row_next(row, b)) > 0)
		for (uint32_t k = 0; k < b->n && !pen.done; k++)
			cells_pen_burst(&pen, b->end[k], b->value[k]);
	int end_rc = cells_pen_end(&pen);
	weft_row_close(row);
	free(b);
	return rc < 0 ? rc : end_rc;
}

/*
 * Large ones in large pages: the first touch of so much memory would cost more than what is written
 * to it.
 */
static double *make_room(size_t n)
{
	size_t bytes = (n * sizeof(double) + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	if (n * sizeof(double) < LARGE_PAGE)
		return malloc((n + 1) * sizeof(double));
	double *at = aligned_alloc(LARGE_PAGE, bytes);
	if (at)
		madvise(at, bytes, MADV_HUGEPAGE); /* a wish only */
	return at;
}

int cells_kept(struct weft_pyramid **out, const struct weft_metric_cells_how *how)
{
	bool make = how->keep == WEFT_CELLS_KEEP ||
	            (how->keep == WEFT_CELLS_AUTO && how->space->trace->n_events >= EVENTS_WORTH_KEEPING);
	*out = NULL;
	return how->keep == WEFT_CELLS_PASS ? 0 : cells_pyramid_get(out, how, make);
}

int weft_metric_cells_make(struct weft_metric_cells *c, const struct weft_metric_cells_how *how)
{
	struct weft_pyramid *pyramid = NULL;
	*c = (struct weft_metric_cells){.n_rows = how->n_rows, .width = how->width, .from = how->from, .to = how->to};
	c->cell = make_room((size_t)c->n_rows * c->width);
	if (!c->cell)
		return -ENOMEM;
	struct making m = {c, how};
	int rc = cells_kept(&pyramid, how);
	if (!rc && pyramid)
		rc = cells_from_pyramid(c, how, pyramid);
	else if (!rc)
		rc = weft_parallel(how->threads, c->n_rows, draw_row, &m);
	weft_pyramid_close(pyramid);
	return rc;
}

void weft_metric_cells_fini(struct weft_metric_cells *c)
{
	free(c->cell);
	*c = (struct weft_metric_cells){.n_rows = 0};
}

int weft_metric_cells_fuse(struct weft_metric_cells *c, unsigned lines, enum weft_draw draw)
{
	struct draw_sum sum;
	uint32_t rows = c->n_rows;
	if (!lines || rows <= lines)
		return 0;
	double *line = malloc(c->width * sizeof *line);
	if (!line)
		return -ENOMEM;
	draw_sum_init(&sum, draw);
	for (uint32_t i = 0, from = 0, to; i < lines; i++, from = to) {
		for (to = from; to < rows && weft_metric_cells_line(to, rows, lines) == i;)
			to++;
		for (unsigned x = 0; x < c->width; x++) {
			draw_sum_begin(&sum, seed_of(i, x));
			for (uint32_t row = from; row < to; row++)
				draw_sum_add(&sum, c->cell[(size_t)row * c->width + x]);
			line[x] = draw_sum_get(&sum);
		}
		memcpy(c->cell + (size_t)i * c->width, line, c->width * sizeof *line);
	}
	c->n_rows = lines;
	free(line);
	int rc = sum.failed ? -ENOMEM : 0;
	draw_sum_fini(&sum);
	return rc;
}
