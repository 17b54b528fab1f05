/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table as a picture: a colour for each cell, from green at the least to blue at the greatest
 * value, nothing where nothing fell; labels of rows and columns where there is room. More rows or
 * columns than pixels share them: the greatest of their values is shown, and the picture says so.
 */
#ifndef WEFT_RENDER_TABLE_PICTURE_H
#define WEFT_RENDER_TABLE_PICTURE_H

#include "metric/hist/hist.h"
#include "render/draw/picture.h"

struct weft_table_picture_how {
	const char *title; /* NULL: the table's name */
	unsigned width;    /* of the whole picture, at most; 0: 1200 */
	unsigned height;   /* lines of pixels for the cells, at most; 0: 960 */
	uint32_t plane;    /* of a 3D table */
	const uint32_t
		*column;    /* those that are shown, in order; NULL: all, or those with values when the view hides empty ones */
	uint32_t n_columns; /* of them */
	bool has_min, has_max; /* of the scale; else the view's, when it says them, else what the cells have */
	double min, max;
};
int weft_table_picture(struct weft_buf *out, enum weft_picture_form form, const struct weft_result *r,
                       const struct weft_table_picture_how *how) WEFT_MUST_CHECK;

#endif
