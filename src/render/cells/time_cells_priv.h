/* SPDX-License-Identifier: Apache-2.0 */
/* Rows painted by time, without sums over all (time_rows.c). */
#ifndef WEFT_RENDER_TIME_CELLS_PRIV_H
#define WEFT_RENDER_TIME_CELLS_PRIV_H

#include "metric_cells_priv.h"
#include "time_cells.h"

enum { NOWHERE = 8 };
struct row_painter { /* of one worker */
	const struct weft_metric_cells *c;
	double scale;        /* pixels a unit of time, nearly */
	double *edge;        /* of each pixel its begin, and the end of the last; owned */
	uint32_t n_values;   /* a thread that is not there is one more */
	unsigned first, end; /* pixels that are summed up */
	/* Values that were met have a column each: time by pixel; owned */
	double *time;
	uint32_t *column, *value, n_columns, most_columns; /* column: by value, + 1; value: by column */
	/* where the row at work is */
	double at_time;
	int32_t at;
	double nowhere[NOWHERE]; /* what is added here is not looked at */
	/* of the loaded bursts */
	struct weft_pyramid_bursts bursts;
	int32_t pixel[WEFT_PYRAMID_BURSTS];
	uint32_t number[WEFT_PYRAMID_BURSTS]; /* of the value */
	struct weft_intervals *block;         /* owned */
};
int row_painter_init(struct row_painter *p, const struct weft_metric_cells *c, uint32_t n_values) WEFT_MUST_CHECK; /* then fini */
void row_painter_fini(struct row_painter *p);
/* What has most of each pixel's time; WEFT_REGION_AWAY where no thread is there. `kept` NULL: the row is evaluated. */
int row_paint(struct row_painter *p, const struct weft_metric_cells_how *how, const struct weft_pyramid *kept, uint32_t row,
              double *cell) WEFT_MUST_CHECK;

#endif
