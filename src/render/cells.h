/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace reduced to what fits a picture: for each thread a row of `width` cells, in each the region in which the thread
 * spent most of that part of the time (of nested regions the innermost counts). Of a trace that has states in place of regions,
 * as those of Paraver do, the states are shown. Memory is bounded by rows and width, however long the trace is; time is that of
 * reading the shown threads' events before `to`.
 */
#ifndef WEFT_RENDER_CELLS_H
#define WEFT_RENDER_CELLS_H

#include "trace/store/trace.h"

#define WEFT_CELL_AWAY WEFT_NONE /* the thread does not exist in that time */

struct weft_cells_how {
	uint64_t from, to; /* to == WEFT_NEVER: the trace's end */
	unsigned width;
	unsigned most_rows;
	unsigned threads; /* to work with, 0: all */
	bool own_threads; /* also those of Weft itself */
};
struct weft_cells {
	uint64_t from, to;
	enum weft_class of; /* WEFT_CLASS_REGION or WEFT_CLASS_STATE: what "region" means here */
	unsigned width, n_rows;
	uint32_t *thread;          /* of a row */
	uint32_t *cell;            /* n_rows * width: region's id; 0: alive, in no region; WEFT_CELL_AWAY */
	uint64_t *total;           /* by region's id: ns in it, of all rows */
	uint64_t *alive, *running; /* by row: ns */
	uint32_t without_regions;  /* threads that are left out because they have none (unless none has any) */
	uint32_t beyond;           /* threads that are left out because of most_rows */
};
int weft_cells_make(struct weft_cells *c, const struct weft_trace *t, const struct weft_cells_how *how) WEFT_MUST_CHECK;
/* The state class of a region, or of a state by its number in Paraver's format. */
unsigned weft_cells_state_class(const struct weft_trace *t, enum weft_class of, uint32_t id);
void weft_cells_fini(struct weft_cells *c);
/* The time at which a cell begins. */
uint64_t weft_cells_time(const struct weft_cells *c, unsigned cell);

#endif
