/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `weft timeline` draws without a view: a row for each thread, the region that it is in as
 * colour (of nested ones the innermost; of a trace that has states in place of regions, the
 * states), messages as arrows when there are few. A window over a metric like any other; its look
 * is made for who has not seen the trace before. Its size is bounded whatever the trace's: at most
 * `most_rows` rows, and as many colours in each as it has pixels.
 */
#ifndef WEFT_RENDER_REGION_VIEW_H
#define WEFT_RENDER_REGION_VIEW_H

#include "metric/func/metric.h"
#include "render/draw/picture.h"

struct weft_region_stretch { /* of a path, in the order of time */
	uint64_t begin, end; /* ns */
	uint32_t thread;     /* of the trace */
};
struct weft_region_view_how {
	const char *title;      /* NULL: the trace's name */
	uint64_t from, to;      /* ns; to == WEFT_NEVER: the end */
	unsigned width;         /* of the whole picture, in pixels; 0: 1200 */
	unsigned most_rows;     /* 0: 512 */
	unsigned most_messages; /* with more of them in the range, none is drawn */
	unsigned threads;       /* to work with, 0: all */
	/* A path that is drawn over it all; NULL: none. Borrowed */
	const struct weft_region_stretch *path;
	size_t n_path;
	const char *path_name; /* for a pointer over it */
};

/* Appends an SVG text or a PNG. 0 or negative. */
int weft_region_view_draw(struct weft_buf *out, enum weft_picture_form form, const struct weft_space *s,
                          const struct weft_region_view_how *how) WEFT_MUST_CHECK;
/* The class (weft_state_class) of a state of Paraver's, by its number: what it is coloured by. */
unsigned weft_region_class_of_state(uint32_t number);

#endif
