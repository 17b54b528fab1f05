/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A font of strokes, drawn for Weft: at size 1 its strokes lie on whole pixels (capitals are 8
 * high, small letters 6), and it stays smooth at other sizes. The printable ASCII characters, an
 * ellipsis and a middle dot; anything else is a box.
 */
#ifndef WEFT_RENDER_FONT_H
#define WEFT_RENDER_FONT_H

#include <stdbool.h>

struct font_glyph {
	/*
	 * Polylines, separated by blanks; each point is two digits, x and y: y 2 is the baseline, 9
	 * the height of capitals.
	 */
	const char *strokes;
	unsigned char width; /* of the strokes; the next glyph begins 2 further on */
};
/* The glyph of the character at `at`, of which *bytes are used up. */
const struct font_glyph *font_glyph_at(const char *at, unsigned *bytes);
/* How wide the first `most` characters (0: all) of a text are at size 1. */
double font_text_width(const char *text, unsigned most);

#endif
