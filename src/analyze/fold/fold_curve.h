/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One counter over one instance, from samples of many: x is how much of the instance's time has passed, y how much of its count, both
 * from 0 to 1. Curves are given at `steps` places from 0 to 1, i / (steps - 1).
 */
#ifndef WEFT_ANALYZE_FOLD_CURVE_H
#define WEFT_ANALYZE_FOLD_CURVE_H

#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

struct weft_fold_samples { /* by x; borrowed */
	const double *x, *y;
	const uint32_t *instance;
	size_t n;
};
/* As BSC's Folding: Kriging with a nugget, through (0,0) and (1,1) too; what is below 0 is 0, what falls falls. 0 or -ENOMEM. */
int weft_fold_kriging(const struct weft_fold_samples *s, double nugget, unsigned steps, double *y) WEFT_MUST_CHECK;
/*
 * Ascending from 0 to 1: means of cells, a smoothing spline through them whose smoothness is chosen by how well one half of the instances tells the
 * other, made monotone. low, high: where the curve is with 95 % confidence, by how much instances differ near each place. 0 or -ENOMEM. O(n).
 */
int weft_fold_monotone(const struct weft_fold_samples *s, unsigned steps, double *y, double *low, double *high) WEFT_MUST_CHECK;
/*
 * Which of the samples are taken where `most` are wanted, spread evenly: of each of as many equal parts the one nearest to its middle that is left, then
 * others. taken: by sample, 0 or 1. Their count. 0 or -ENOMEM.
 */
int weft_fold_spread(const struct weft_fold_samples *s, size_t most, uint8_t *taken, size_t *n) WEFT_MUST_CHECK;
/*
 * How fast it counts at each step: factor · steps · (y - the largest before), 0 where it does not grow; slope[0] is 0. factor: counts of an instance
 * over its time.
 */
void weft_fold_slope(const double *y, unsigned steps, double factor, double *slope);

#endif
