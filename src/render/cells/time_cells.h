/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A metric of numbers as rows × pixels: in each cell the whole number that had most of the pixel's
 * time. The ten ways of Paraver go by bursts (draw_mode.h); for who wants to see where time went, a
 * burst counts as long as it lasts. Sums of time come with it, from the same walk.
 */
#ifndef WEFT_RENDER_TIME_CELLS_H
#define WEFT_RENDER_TIME_CELLS_H

#include "metric_cells.h"

struct weft_time_sums {
	uint32_t n_values;   /* from 0 on; a greater one counts as 0 */
	const bool *counted; /* by value, borrowed; NULL: values that are half a number more are */
	bool unwanted;       /* no sums: then rows that are kept (how->keep) are not evaluated */
	/* made: */
	double *total;      /* by value: time in it, of all rows; owned */
	double *of_counted; /* by row: time in values that are counted; owned */
};
/*
 * A cell is 0 only where more than half of its time is; of two with the same time it is the
 * smaller. Where the row is negative (a thread that does not exist) nothing counts, and a cell with
 * nothing else is WEFT_REGION_AWAY. `draw` means nothing here. 0 or negative; then fini
 * both all the same.
 */
int weft_time_cells_make(struct weft_metric_cells *c, struct weft_time_sums *sums,
                         const struct weft_metric_cells_how *how) WEFT_MUST_CHECK;
void weft_time_sums_fini(struct weft_time_sums *s);

#endif
