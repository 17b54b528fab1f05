/* SPDX-License-Identifier: Apache-2.0 */
/* Rows painted by time from what is kept of them (pyramid_time.c). */
#ifndef WEFT_RENDER_TIME_CELLS_PRIV_H
#define WEFT_RENDER_TIME_CELLS_PRIV_H

#include "metric_cells_priv.h"
#include "time_cells.h"

struct kept_painter { /* of one worker */
	const struct weft_metric_cells *c;
	double *cell;      /* of the row at work */
	double scale;      /* pixels a unit of time, nearly */
	int32_t at;        /* the pixel at hand */
	double *edge;      /* of each pixel its begin, and the end of the last; owned */
	uint32_t n_values; /* a thread that is not there is one more */
	double *sum;       /* by value: time in the pixel at hand; owned */
	/* Values of it that are of no burst that is loaded, each once; owned */
	uint32_t *carried, n_carried;
	bool *is_carried; /* by value; owned */
	/* of the loaded bursts */
	struct weft_pyramid_bursts bursts;
	int32_t pixel[WEFT_PYRAMID_BURSTS];
	uint32_t as[WEFT_PYRAMID_BURSTS]; /* value */
	double time[WEFT_PYRAMID_BURSTS];
};
int kept_painter_init(struct kept_painter *p, const struct weft_metric_cells *c,
                      uint32_t n_values) WEFT_MUST_CHECK; /* then fini */
void kept_painter_fini(struct kept_painter *p);
/* All of a row into p->cell, which says that nothing is there. */
void cells_kept_row(struct kept_painter *p, const struct weft_pyramid *of, uint32_t row);

#endif
