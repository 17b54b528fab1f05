/* SPDX-License-Identifier: Apache-2.0 */
/* Where a folded instance changes what it does: sub-phases, in each of which every counter counts at one rate. */
#ifndef WEFT_ANALYZE_KNEES_H
#define WEFT_ANALYZE_KNEES_H

#include "base/err.h"
#include <stdint.h>

/*
 * curve[c]: of a counter, `steps` values from 0 to 1. Polylines with common knees, as few as explain them: one more must lessen the squared
 * distance from the curves by a fifth, and by more than `coarse` is worth (0.002: knees that move a curve by less than that are no knees); none nearer
 * to another, or to an end, than `least` (0.02). at: room for `most`; their count in *n, ascending. 0 or -ENOMEM.
 */
struct weft_knees_how {
	double coarse, least;
	unsigned most;
};
int weft_knees(const double *const *curve, unsigned n_curves, unsigned steps, const struct weft_knees_how *how, double *at,
               unsigned *n) WEFT_MUST_CHECK;

#endif
