/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing what gantt.h computed. */
#ifndef WEFT_CHARTS_GANTT_DRAW_H
#define WEFT_CHARTS_GANTT_DRAW_H

#include "gantt.h"
#include "render/draw/picture.h"

unsigned gantt_plot_width(unsigned picture); /* what a picture of this width, at least 400, has for rows */
/* The chart; title: NULL for the trace's name. 0 or negative. */
int gantt_draw(const struct gantt *g, const char *title, struct weft_buf *out, enum weft_picture_form form) WEFT_MUST_CHECK;

/* Parts of it, for other pictures over the same time. The ticks of an axis, their labels at `y`, the marks below. */
void gantt_draw_axis(struct picture *p, const struct gantt *g, double x, double y);
/* The cells of a paint in all rows of a kind, as one path; top, height: by row, NULL: not shown. */
struct gantt_places {
	double x, height;
	const double *top; /* by row; negative: not drawn */
};
void gantt_draw_paint(struct picture *p, const struct gantt *g, const struct gantt_places *at, uint16_t paint, uint32_t colour);
const char *gantt_title(const struct gantt *g, const char *title); /* borrowed */

#endif
