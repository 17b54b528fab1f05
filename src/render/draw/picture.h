/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a layout draws on: the same calls make an SVG text, a PNG, or an EPS or PDF of one page. Classes of text and lines are those of svg.h; coordinates
 * are pixels from the top left.
 */
#ifndef WEFT_RENDER_PICTURE_H
#define WEFT_RENDER_PICTURE_H

#include "canvas.h"
#include "page.h"
#include "svg.h"

enum weft_picture_form { WEFT_PICTURE_SVG, WEFT_PICTURE_PNG, WEFT_PICTURE_EPS, WEFT_PICTURE_PDF };

struct picture {
	enum weft_picture_form form;
	struct weft_buf *out; /* borrowed: what is made is appended */
	struct canvas canvas; /* of a PNG */
	struct page page;     /* of an EPS or PDF */
	int rc;               /* first failure */
	uint32_t color;       /* of the path that is being drawn */
	const char *name;     /* of it; borrowed until picture_path_end */
	bool path_begun;
};

/* By the ending of a file's name: .png, .eps, .pdf; else SVG. */
enum weft_picture_form picture_form_of(const char *path);
/* Of a class of texts, on the white ground. */
uint32_t picture_text_color(char class);
/* 0 or negative; then picture_end all the same. */
int picture_begin(struct picture *p, enum weft_picture_form form, struct weft_buf *out, unsigned width, unsigned height,
                  const char *title) WEFT_MUST_CHECK;
int picture_end(struct picture *p) WEFT_MUST_CHECK;

void picture_text(struct picture *p, double x, double y, enum svg_anchor anchor, const char *class, const char *text,
                  unsigned most);
void picture_text_pair(struct picture *p, double x, double y, const char *text, unsigned most, const char *second);
void picture_rect(struct picture *p, double x, double y, double w, double h, uint32_t color, double radius);
void picture_line(struct picture *p, double x1, double y1, double x2, double y2, const char *class);
/* A line through n points (x0, y0, x1, …), and a dot. */
void picture_polyline(struct picture *p, const double *xy, unsigned n, uint32_t color);
void picture_dot(struct picture *p, double x, double y, double radius, uint32_t color);
/* Many rectangles of one colour, which a pointer over them names; without any nothing is drawn. */
void picture_path_begin(struct picture *p, uint32_t color, const char *name);
void picture_path_rect(struct picture *p, double x, double y, double w, double h);
void picture_path_end(struct picture *p);
/* w × h pixels, as they are. */
void picture_image(struct picture *p, unsigned x, unsigned y, const uint8_t *rgb, unsigned w, unsigned h);

#endif
