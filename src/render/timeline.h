/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture of a trace along time: a row for each thread, the region that it is in as colour, messages as arrows when there are few.
 * Its size is bounded whatever the trace's: at most `most_rows` rows, and as many colours in each as it has pixels.
 */
#ifndef WEFT_RENDER_TIMELINE_H
#define WEFT_RENDER_TIMELINE_H

#include "picture.h"
#include "trace/store/trace.h"

struct weft_timeline_how {
	const char *title;      /* NULL: the trace's name */
	uint64_t from, to;      /* ns; to == WEFT_NEVER: the end */
	unsigned width;         /* of the whole picture, in pixels; 0: 1200 */
	unsigned most_rows;     /* 0: 512 */
	unsigned most_messages; /* with more of them in the range, none is drawn */
	unsigned threads;       /* to work with, 0: all */
	bool own_threads;       /* also those of Weft itself */
};
#define WEFT_TIMELINE_WIDTH_LEAST 400u
#define WEFT_TIMELINE_WIDTH_MOST 16384u

/* Appends an SVG text or a PNG. 0 or negative. */
int weft_timeline_draw(struct weft_buf *out, enum weft_picture_form form, const struct weft_trace *t,
                       const struct weft_timeline_how *how) WEFT_MUST_CHECK;

#endif
