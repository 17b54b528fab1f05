/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A metric as rows × pixels: in each cell what the draw mode makes of the bursts that overlap the
 * pixel's time (t - step, t], step = (to - from) / width. A burst that is not a number is drawn as
 * 0.
 */
#ifndef WEFT_RENDER_METRIC_CELLS_H
#define WEFT_RENDER_METRIC_CELLS_H

#include "draw_mode.h"

/*
 * Whether the rows are kept beside the trace's index, for the next picture of the same metric
 * (trace/pyramid.h).
 */
enum weft_cells_keep {
	WEFT_CELLS_AUTO, /* when the trace is long, and has an index that stays */
	WEFT_CELLS_KEEP, /* whenever it has one */
	WEFT_CELLS_USE,  /* what is kept is used, nothing is made */
	WEFT_CELLS_PASS, /* never, and nothing kept is used */
};
struct weft_metric_cells_how {
	const struct weft_space *space;
	const struct weft_metric *metric;
	const uint32_t *row; /* objects of the metric's level, n_rows of them; NULL: the first n_rows */
	uint32_t n_rows;
	double from, to; /* in the trace's units; from < to */
	unsigned width;
	enum weft_draw draw;
	enum weft_cells_keep keep;
	unsigned threads; /* 0: all */
};
struct weft_metric_cells {
	uint32_t n_rows;
	unsigned width;
	double from, to;
	double *cell; /* n_rows * width; owned */
};
/* 0, -ENOMEM, WEFT_E_DAMAGED; then fini all the same. */
int weft_metric_cells_make(struct weft_metric_cells *c, const struct weft_metric_cells_how *how) WEFT_MUST_CHECK;
void weft_metric_cells_fini(struct weft_metric_cells *c);
/*
 * Rows that share a line of pixels become one: n_rows becomes `lines`, when there are more. Line i
 * has the rows i·n/lines on.
 */
int weft_metric_cells_fuse(struct weft_metric_cells *c, unsigned lines, enum weft_draw draw) WEFT_MUST_CHECK;
/* The line that shows a row of n_rows. */
static inline uint32_t weft_metric_cells_line(uint32_t row, uint32_t n_rows, uint32_t lines)
{
	return (uint32_t)((uint64_t)row * lines / n_rows);
}

/*
 * The pixel in which a burst that begins (or ends) at `time`, from < time, is first (or last) seen;
 * -1 at `from` and before.
 */
static inline double cells_pixel(double time, double from, double span, unsigned width)
{
	return __builtin_ceil((time - from) * width / span) - 1;
}

#endif
