/* SPDX-License-Identifier: Apache-2.0 */
/* What folded stacks tell: which function ran when, from the outermost inwards; and what each line of the source took. */
#ifndef WEFT_ANALYZE_FOLD_CALLS_H
#define WEFT_ANALYZE_FOLD_CALLS_H

#include "folding.h"

struct weft_fold_call { /* a stretch of the instance in which one function was on the stack */
	double from, to;
	uint32_t function, line; /* line: the one that most of its samples show */
	unsigned depth;          /* 0: the outermost */
	size_t samples;
};
struct weft_fold_calls_how {
	unsigned in_a_row; /* so many samples one after the other open a stretch: 15 */
	double least;      /* shorter ones are left out: 0.05 */
};
/*
 * A stretch opens where in_a_row samples in the order of x show one function at a depth, and closes at the first that does not; then the same one depth
 * further in, within it. Of used instances. malloc'd, outer ones before what lies in them. 0 or -ENOMEM.
 */
int weft_fold_calls(const struct weft_folding *f, const struct weft_fold_calls_how *how, struct weft_fold_call **out,
                    size_t *n) WEFT_MUST_CHECK;

struct weft_fold_line {
	uint32_t function, line;
	size_t samples; /* innermost frames that show it, in used instances */
	double share;
	double x;     /* mean place */
	double *rate; /* by counter: mean of its rate where the samples are. In `rates` */
};
/*
 * Innermost lines, the one with most samples first. slope[c][i]: of counter c at step i of steps, NULL: not counted. *rates owns what lines point
 * to: free both. 0 or -ENOMEM.
 */
int weft_fold_lines(const struct weft_folding *f, const double *const *slope, unsigned n_counters, unsigned steps,
                    struct weft_fold_line **out, double **rates, size_t *n) WEFT_MUST_CHECK;

#endif
