/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of cells that share a line, the ways that are asked for most: the same values as draw_sum gives them, several pixels at a time.
 */
#ifndef WEFT_RENDER_DRAW_FUSE_H
#define WEFT_RENDER_DRAW_FUSE_H

#include "draw_mode.h"
#include <stdint.h>

/*
 * The first pixels of `rows` rows, width cells apart, as one row in out; returns how many pixels that were: those behind them, or all (0) where the
 * way has no quick form, are left to draw_sum. regions: a negative value says nothing, others count as their whole part; where all say
 * nothing, out is `away`, which is negative.
 */
unsigned draw_fuse(enum weft_draw mode, bool regions, double away, const double *cell, uint32_t rows, unsigned width,
                   double *out);

/* The whole part of what is not negative, `away` of what is. */
static inline double draw_whole(double v, double away)
{
	const double exact = 0x1p51;
	if (v < 0)
		return away;
	if (!(v < exact))
		return v;
	return (double)(int64_t)v;
}

#endif
