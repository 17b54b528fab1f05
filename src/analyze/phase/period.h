/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a series repeats, and how often. */
#ifndef WEFT_ANALYZE_PERIOD_H
#define WEFT_ANALYZE_PERIOD_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>

struct weft_period {
	bool found;
	double period;   /* in samples, between them, too */
	double strength; /* autocorrelation at it, 0 to 1 */
	/* Of the maxima of the autocorrelation: the second highest over the highest; of their lags, the other way round; the lowest over the highest. */
	double likeliness[3];
};
struct weft_period_how {
	double least;  /* strength that counts as a period: 0.25 */
	double cycles; /* so many must fit into the series, at least: 2.5 */
	unsigned threads;
};
/*
 * The shortest lag at which the series is about as much like itself as anywhere: the highest maxima are its multiples. 0 or -ENOMEM; a series that is
 * too short, does not change, or does not repeat is not found. O(n log n).
 */
int weft_period_find(const double *x, size_t n, const struct weft_period_how *how, struct weft_period *out) WEFT_MUST_CHECK;

/* Finds the period near one that is known roughly, to a tenth; *period stays as it is where the series has no maximum there. 0 or -ENOMEM. */
int weft_period_refine(const double *x, size_t n, unsigned threads, double *period) WEFT_MUST_CHECK;

/* Finest details of the Haar transform: d[i] = |x[2i] - x[2i+1]| / √2, n/2 of them. */
void weft_haar_details(const double *x, size_t n, double *d);
struct weft_stretch {
	size_t from, to; /* details */
};
/*
 * Stretches in which something happens: from a detail above an eighth of (mean + 5 deviations) as long as the next such is not more than `apart`
 * details away; those of less than `least` details are left out. room: n of them are enough. Their count.
 */
size_t weft_haar_stretches(const double *d, size_t n, size_t apart, size_t least, struct weft_stretch *out);

#endif
