/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window of a view as a picture along time: a row for each object, in each pixel the colour of
 * the metric's value there, with axes, labels, and a legend of what the colours mean. Its size is
 * bounded: rows that have no line of pixels of their own are fused by the window's way for rows.
 */
#ifndef WEFT_RENDER_VIEW_TIMELINE_H
#define WEFT_RENDER_VIEW_TIMELINE_H

#include "render/cells/metric_cells.h"
#include "render/draw/picture.h"

enum weft_style {
	WEFT_STYLE_COLOR,  /* cells have colours */
	WEFT_STYLE_LINE,   /* each row a curve */
	WEFT_STYLE_POINTS, /* each pixel of a row a dot; the colour may be of another window */
	WEFT_STYLE_FUSED,  /* curves of all rows over each other */
	WEFT_STYLES
};

struct weft_view_timeline_how {
	const struct weft_space *space;
	const struct weft_view *view; /* bound to the space */
	const struct weft_window *window;
	const char *title;        /* NULL: the window's name */
	const char *file;         /* the trace's; NULL: what the space has */
	unsigned width;           /* of the whole picture; 0: 1200 */
	unsigned height;          /* at most so many lines of pixels for rows; 0: 960 */
	uint32_t most_rows;       /* 0: all */
	enum weft_style style;    /* punctual and fused windows have theirs */
	double from, to;          /* in the trace's units */
	enum weft_draw time_draw; /* WEFT_DRAWS: the window's */
	enum weft_draw rows_draw; /* the same */
	enum weft_color color;    /* WEFT_COLORS: the window's */
	bool has_min, has_max;    /* of the scale, besides the window's */
	double min, max;
	unsigned threads;
};
enum { WEFT_VIEW_WIDTH_LEAST = 400, WEFT_VIEW_WIDTH_MOST = 16384, WEFT_VIEW_HEIGHT_MOST = 16384 };

int weft_view_timeline_draw(struct weft_buf *out, enum weft_picture_form form,
                            const struct weft_view_timeline_how *how) WEFT_MUST_CHECK;
/*
 * The cells as CSV: a line of times (of each pixel's begin, in the window's units), then the rows,
 * not fused.
 */
int weft_view_timeline_csv(struct weft_buf *out, const struct weft_view_timeline_how *how) WEFT_MUST_CHECK;
/* The objects that a window shows: those that are chosen, in its zoom. malloc'd. */
int weft_window_rows(const struct weft_space *s, const struct weft_window *w, uint32_t **rows, uint32_t *n) WEFT_MUST_CHECK;

#endif
