/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours of values, as in Paraver: each whole number its own (code colours), or by where a value lies between the least and
 * the greatest (gradients). Colours are 0xRRGGBB.
 */
#ifndef WEFT_RENDER_COLOUR_H
#define WEFT_RENDER_COLOUR_H

#include "metric/view/view.h"

enum { COLOUR_BACKGROUND = 0x000000, COLOUR_LOW = 0xcfcf44, COLOUR_HIGH = 0xff9218 };

enum colour_shape { COLOUR_LINEAR, COLOUR_STEPS, COLOUR_LOG, COLOUR_EXP, COLOUR_SHAPES };
extern const char *const colour_shape_names[COLOUR_SHAPES];

enum colour_kind { COLOUR_CODE, COLOUR_GRADIENT, COLOUR_NOT_NULL, COLOUR_ALTERNATIVE };

struct colour_custom { /* a value with a colour of its own */
	double value;
	uint32_t colour;
};
struct colouring {
	enum colour_kind kind;
	enum colour_shape shape;
	double min, max;
	bool negative;        /* negative values have a gradient of their own */
	uint32_t *palette;    /* owned; of code colours */
	uint32_t n_palette;   /* those that there are; a value beyond begins again */
	const uint32_t *stop; /* of the alternative gradient; borrowed */
	uint32_t n_stops;
	WEFT_VEC(struct colour_custom) custom;
};
/*
 * How a window is coloured. t: whose .pcf may give states other colours; NULL: none. Then fini all the same. The scale is the
 * window's; colouring_scale() sets another.
 */
int colouring_init(struct colouring *c, const struct weft_window *w, const struct weft_trace *t) WEFT_MUST_CHECK;
void colouring_fini(struct colouring *c);
uint32_t colouring_of(const struct colouring *c, double v);

/* The scale as a bar in a frame: COLOUR_BAR_WIDTH × COLOUR_BAR_HEIGHT pixels, RGB. */
enum { COLOUR_BAR_WIDTH = 242, COLOUR_BAR_HEIGHT = 14 };
void colouring_bar(const struct colouring *c, uint8_t rgb[COLOUR_BAR_WIDTH * COLOUR_BAR_HEIGHT * 3]);

/* The palette of code colours: 49 by hand, then about 32,000 that are a little lighter each, none twice, none too dark. */
enum { COLOUR_BASE = 49, COLOUR_MOST = 32000 };
int colour_palette(uint32_t **out, uint32_t *n) WEFT_MUST_CHECK; /* malloc'd */
extern const uint32_t colour_base[COLOUR_BASE];

#endif
