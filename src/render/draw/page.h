/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A picture for paper, of lines and letters: an EPS or a PDF of one page. Both know the same shapes, so that one text of short operators
 * serves both; EPS defines them first. Coordinates are those of pictures, points from the top left. Letters are Helvetica's, which every
 * reader of either has; of texts, what Latin 1 lacks becomes '?'.
 */
#ifndef WEFT_RENDER_PAGE_H
#define WEFT_RENDER_PAGE_H

#include "base/str.h"
#include <stdint.h>

enum { PAGE_OBJECTS = 8 };
struct page {
	struct weft_buf *out; /* borrowed: what is made is appended */
	bool pdf;             /* else EPS */
	unsigned width, height;
	size_t from, stream;             /* where it begins in `out`; and its drawing */
	size_t object[PAGE_OBJECTS + 1]; /* of a PDF: where each begins, from there */
};
void page_begin(struct page *p, struct weft_buf *out, bool pdf, unsigned width, unsigned height, const char *title);
void page_end(struct page *p);

struct page_face {
	double size; /* points */
	bool bold;
	uint32_t color;
};
/* At most `most` characters (0: all), of a longer text with three dots for the rest. shift: 0 to begin at x, 0.5 in the middle, 1 to end there. */
void page_text(struct page *p, double x, double y, double shift, const struct page_face *face, const char *text, unsigned most);
double page_text_width(const struct page_face *face, const char *text, unsigned most);
void page_rect(struct page *p, double x, double y, double w, double h, uint32_t color);
/* Through n points (x0, y0, x1, …). */
void page_line(struct page *p, const double *xy, unsigned n, double width, uint32_t color);
void page_arrow_head(struct page *p, double x1, double y1, double x2, double y2, uint32_t color); /* at 2 */
void page_dot(struct page *p, double x, double y, double radius, uint32_t color);
void page_image(struct page *p, unsigned x, unsigned y, const uint8_t *rgb, unsigned w, unsigned h);

#endif
