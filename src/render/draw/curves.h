/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points and lines over two axes, linear or logarithmic: what measurements are, and the curves
 * through them. A point may have a bar of how far it spreads. On a logarithmic axis what is not
 * positive is left out; what is not finite, always.
 */
#ifndef WEFT_RENDER_CURVES_H
#define WEFT_RENDER_CURVES_H

#include "picture.h"

struct weft_curve {
	const char *name; /* in the legend; NULL: it belongs to the one before */
	bool line;        /* else points */
	bool small;       /* points: many of them */
	unsigned color;   /* number of a colour; they repeat after 8 */
	const double *x, *y;
	const double *spread; /* of points, to either side of y; NULL: none */
	unsigned n;
};
struct weft_curves_how {
	const char *title, *x_name, *y_name; /* never NULL */
	unsigned width, height;              /* 0: 960 × 600 */
	bool log_x, log_y;
};
int weft_curves_picture(struct weft_buf *out, enum weft_picture_form form, const struct weft_curve *curve, unsigned n,
                        const struct weft_curves_how *how) WEFT_MUST_CHECK;

/* The colour of that number, 0xRRGGBB. */
uint32_t weft_curve_color(unsigned number);
/*
 * Where ticks stand between `from` and `to`: at 1, 2, 5 times powers of ten, or (logarithmic) at
 * powers of ten, and between them where few are. At most `most`; their count.
 */
unsigned weft_curves_ticks(double from, double to, bool log_axis, double *at, unsigned most);

#endif
