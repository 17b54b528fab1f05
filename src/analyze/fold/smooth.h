/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Smooth curves through measurements. A natural cubic smoothing spline f makes the sum of w(y - f(x))² plus alpha times the integral of
 * f''² least. That is also what Kriging with the covariance |h|³, a linear drift and a nugget of 12 alpha gives, but found in O(n).
 */
#ifndef WEFT_ANALYZE_SMOOTH_H
#define WEFT_ANALYZE_SMOOTH_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>

struct weft_spline {            /* knots ascending and different; owned */
	double *x, *y, *second; /* second derivatives, 0 at both ends */
	size_t n;
};
/* w may be NULL: 1 each. x ascends; equal and nearly equal ones (nearer than 1e-9) become one knot. n >= 1. 0, -ENOMEM, or -EINVAL. */
int weft_spline_fit(struct weft_spline *s, const double *x, const double *y, const double *w, size_t n,
                    double alpha) WEFT_MUST_CHECK;
void weft_spline_fini(struct weft_spline *s);
/* At ascending places; linear outside of the knots. O(n + count). */
void weft_spline_at(const struct weft_spline *s, const double *at, size_t count, double *out);

/* The ascending values nearest to y by weighted squares (isotonic regression), in place. 0 or -ENOMEM. O(n). */
int weft_isotonic(double *y, const double *w, size_t n) WEFT_MUST_CHECK;

#endif
