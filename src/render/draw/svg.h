/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few things of SVG that our pictures are made of, appended to a text. Coordinates are pixels.
 */
#ifndef WEFT_RENDER_SVG_H
#define WEFT_RENDER_SVG_H

#include "base/str.h"
#include <stdint.h>

enum svg_anchor { SVG_LEFT, SVG_MIDDLE, SVG_RIGHT };

/* Begins a picture of this size: white, with the classes that text() names. */
void svg_begin(struct weft_buf *b, unsigned width, unsigned height, const char *title);
void svg_end(struct weft_buf *b);
/*
 * class: "t" title, "s" small and grey, "l" label, "b" bold label, "a" axis. At most `most`
 * characters are shown (0: all).
 */
void svg_text(struct weft_buf *b, double x, double y, enum svg_anchor anchor, const char *class, const char *text, unsigned most);
/* The same with a second text behind the first, small and grey. */
void svg_text_pair(struct weft_buf *b, double x, double y, const char *text, unsigned most, const char *second);
void svg_rect(struct weft_buf *b, double x, double y, double w, double h, uint32_t color, double radius);
void svg_line(struct weft_buf *b, double x1, double y1, double x2, double y2, const char *class);
/* A line through n points (x0, y0, x1, …), and a dot. */
void svg_polyline(struct weft_buf *b, const double *xy, unsigned n, uint32_t color);
void svg_dot(struct weft_buf *b, double x, double y, double radius, uint32_t color);
/* About how wide svg_text shows it; for layout. */
double svg_text_width(const char *text, unsigned most);
/* Characters of a text, in UTF-8. */
unsigned svg_text_length(const char *text);
/* Text with what XML cannot take replaced or escaped. */
void svg_escaped(struct weft_buf *b, const char *text, unsigned most);

#endif
