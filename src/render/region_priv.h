/* SPDX-License-Identifier: Apache-2.0 */
/* What the window over regions (region_view.c) and its look (region_look.c) share. */
#ifndef WEFT_RENDER_REGION_PRIV_H
#define WEFT_RENDER_REGION_PRIV_H

#include "region_view.h"
#include "render/cells/time_cells.h"
#include "view_priv.h"

struct region_picture {
	const struct weft_region_view_how *how;
	const struct weft_trace *t; /* the trace itself, not as metrics see it */
	enum weft_class of;         /* WEFT_CLASS_REGION or WEFT_CLASS_STATE: what "region" means here */
	struct weft_metric metric;
	uint64_t from, to; /* ns */
	/* by value of the metric, 0: in no region; owned */
	const char **name;
	unsigned *class; /* weft_state_class */
	bool *running;   /* of states: useful time is in these */
	uint32_t *color;
	struct weft_time_sums sums;
	/* by row; owned. The rows themselves are the layout's */
	uint32_t *thread; /* of the trace itself */
	uint64_t *alive;  /* ns */
	double *row_y;    /* its top */
	uint32_t *row_of; /* by thread; WEFT_NONE: none. Owned */
	uint32_t *legend; /* values in the picture, most time first; owned */
	unsigned n_legend;
	uint32_t without_regions; /* threads that are left out because they have none (unless none has any) */
	uint64_t all_ns;          /* of all rows */
	uint64_t n_messages;
	double process_width, thread_width, row_height, row_gap;
};
extern const struct view_look region_look;

/* What the rows and the values are: before the layout. */
int region_picture_init(struct region_picture *r, struct view_layout *l) WEFT_MUST_CHECK; /* then fini all the same */
void region_picture_fini(struct region_picture *r);
/* region_path.c */
int region_path_draw(struct view_layout *l) WEFT_MUST_CHECK;
uint64_t region_path_hidden(const struct region_picture *r); /* stretches on threads that are no rows */

#endif
