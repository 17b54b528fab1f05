/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours of values, as in Paraver: each whole number its own (code colours), or by where a value
 * lies between the least and the greatest (gradients). Colours are 0xRRGGBB.
 */
#ifndef WEFT_RENDER_COLOR_H
#define WEFT_RENDER_COLOR_H

#include "metric/view/view.h"

enum { COLOR_BACKGROUND = 0x000000, COLOR_LOW = 0xcfcf44, COLOR_HIGH = 0xff9218 };

enum color_shape { COLOR_LINEAR, COLOR_STEPS, COLOR_LOG, COLOR_EXP, COLOR_SHAPES };
extern const char *const color_shape_names[COLOR_SHAPES];

enum color_kind { COLOR_CODE, COLOR_GRADIENT, COLOR_NOT_NULL, COLOR_ALTERNATIVE };

struct color_custom { /* a value with a colour of its own */
	double value;
	uint32_t color;
};
struct coloring {
	enum color_kind kind;
	enum color_shape shape;
	double min, max;
	bool negative;        /* negative values have a gradient of their own */
	uint32_t *palette;    /* owned; of code colours */
	uint32_t n_palette;   /* those that there are; a value beyond begins again */
	const uint32_t *stop; /* of the alternative gradient; borrowed */
	uint32_t n_stops;
	WEFT_VEC(struct color_custom) custom;
};
/*
 * How a window is coloured. t: whose .pcf may give states other colours; NULL: none. Then fini all
 * the same. The scale is the window's; coloring_scale() sets another.
 */
int coloring_init(struct coloring *c, const struct weft_window *w, const struct weft_trace *t) WEFT_MUST_CHECK;
void coloring_fini(struct coloring *c);
uint32_t coloring_of(const struct coloring *c, double v);

/* The scale as a bar in a frame: COLOR_BAR_WIDTH × COLOR_BAR_HEIGHT pixels, RGB. */
enum { COLOR_BAR_WIDTH = 242, COLOR_BAR_HEIGHT = 14 };
void coloring_bar(const struct coloring *c, uint8_t rgb[COLOR_BAR_WIDTH * COLOR_BAR_HEIGHT * 3]);

/*
 * The palette of code colours: 49 by hand, then about 32,000 that are a little lighter each, none
 * twice, none too dark.
 */
enum { COLOR_BASE = 49, COLOR_MOST = 32000 };
int color_palette(uint32_t **out, uint32_t *n) WEFT_MUST_CHECK; /* malloc'd */
extern const uint32_t color_base[COLOR_BASE];

#endif
