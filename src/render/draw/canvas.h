/* SPDX-License-Identifier: Apache-2.0 */
/* A picture of pixels: rectangles, lines, arrow heads and text on it, with smooth edges. */
#ifndef WEFT_RENDER_CANVAS_H
#define WEFT_RENDER_CANVAS_H

#include "base/err.h"
#include "base/str.h"
#include <stdint.h>

struct canvas {
	unsigned width, height;
	uint8_t *rgb; /* owned; row after row, 3 bytes a pixel */
};
int canvas_init(struct canvas *c, unsigned width, unsigned height) WEFT_MUST_CHECK; /* white */
void canvas_fini(struct canvas *c);
/*
 * Everything is cut off at the edges. Rectangles are put on whole pixels, at least one wide and
 * high.
 */
void canvas_rect(struct canvas *c, double x, double y, double w, double h, uint32_t color);
void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2, double width, uint32_t color, double alpha);
void canvas_arrow_head(struct canvas *c, double x1, double y1, double x2, double y2, uint32_t color, double alpha); /* at 2 */
struct canvas_face {
	double size;   /* 1: capitals of 8 pixels */
	double weight; /* width of strokes */
	uint32_t color;
};
/* At most `most` characters (0: all), of a longer text with an ellipsis for the last of them. */
void canvas_text(struct canvas *c, double x, double y, const struct canvas_face *face, const char *text, unsigned most);

/* Appends a PNG of w × h pixels. 0, -ENOMEM, -EINVAL. */
int canvas_png(struct weft_buf *out, const uint8_t *rgb, unsigned width, unsigned height) WEFT_MUST_CHECK;
/*
 * What a PNG shows, as this module's tests and checks want it: rgb malloc'd. WEFT_E_SYNTAX when it
 * is none.
 */
int canvas_png_read(const void *at, size_t n, struct canvas *out) WEFT_MUST_CHECK;

#endif
