/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What making cells burst by burst (metric_cells.c) and from a pyramid (pyramid_cells.c,
 * pyramid_make.c) share.
 */
#ifndef WEFT_RENDER_METRIC_CELLS_PRIV_H
#define WEFT_RENDER_METRIC_CELLS_PRIV_H

#include "metric_cells.h"
#include "metric/pyramid/pyramid.h"

/* One row being drawn, burst after burst. */
struct cells_pen {
	const struct weft_metric_cells *c;
	struct draw_sum sum;
	double *cell;
	uint64_t row;
	unsigned at; /* the cell at hand */
	bool done;
};
void cells_pen_begin(struct cells_pen *p, const struct weft_metric_cells *c, enum weft_draw draw, uint64_t row);
void cells_pen_burst(struct cells_pen *p, double end, double value);
int cells_pen_end(struct cells_pen *p) WEFT_MUST_CHECK;

/* The metric as a text that is the same for metrics with the same rows. */
int metric_key(const struct weft_space *s, const struct weft_metric *m, struct weft_buf *out) WEFT_MUST_CHECK;

/*
 * The pyramid of a metric, from beside the index or made now (when `make`); *out NULL when there is
 * none.
 */
int cells_pyramid_get(struct weft_pyramid **out, const struct weft_metric_cells_how *how, bool make) WEFT_MUST_CHECK;
/* The same, made or not as how->keep says. */
int cells_kept(struct weft_pyramid **out, const struct weft_metric_cells_how *how) WEFT_MUST_CHECK;
/* Draws all rows from it. */
int cells_from_pyramid(struct weft_metric_cells *c, const struct weft_metric_cells_how *how,
                       const struct weft_pyramid *p) WEFT_MUST_CHECK;

#endif
