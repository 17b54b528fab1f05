/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterations, without a hint: stretches in which something happens, the period of each, where each iteration begins, which of them are unlike
 * the others, and whether iterations lie in iterations.
 *
 *     |--nothing--|==1==|==2==|==3==|~~4~~|==5==|--nothing--|      == regular, ~~ perturbed
 *                 |==1==: inner |-|-|-|-|  outer: each third differs
 */
#ifndef WEFT_ANALYZE_PHASES_H
#define WEFT_ANALYZE_PHASES_H

#include "period.h"
#include "signal.h"

struct weft_phase_iteration {
	uint64_t begin, end;
	double likeness; /* to the mean one: correlation, at most 1 */
	uint32_t region;
	bool perturbed;
};
struct weft_phase_region {
	uint64_t from, to;               /* as the wavelets see it */
	struct weft_period period;       /* in ns; not found: nothing repeats in it */
	double inner_ns, inner_strength; /* iterations in an iteration; 0: none */
	double outer, outer_strength;    /* so many iterations are one of an outer loop; 0: none */
	uint32_t first, n, perturbed;    /* iterations */
};
struct weft_phases { /* owned */
	struct weft_phase_region *region;
	uint32_t n_regions;
	struct weft_phase_iteration *iteration;
	uint32_t n_iterations;
};
struct weft_phases_how {
	uint64_t end;          /* of the trace */
	double least_strength; /* 0.25 */
	uint64_t from, to;     /* look here only; to == WEFT_NEVER: no end */
	unsigned threads;
};
/* A trace without any region, or without a period, is a valid result. 0 or -ENOMEM. */
int weft_phases_make(struct weft_phases *out, const struct weft_signal *s, const struct weft_phases_how *how) WEFT_MUST_CHECK;
void weft_phases_fini(struct weft_phases *p);
/* The n iterations one after the other that are regular and most like the mean; the first of them, or WEFT_NONE when there are no n in a row. */
uint32_t weft_phases_best(const struct weft_phases *p, uint32_t n);

#endif
