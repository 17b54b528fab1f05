/* SPDX-License-Identifier: Apache-2.0 */
/* How much a long series is like itself, shifted: autocorrelation by Fourier transforms of our own. */
#ifndef WEFT_ANALYZE_FOURIER_H
#define WEFT_ANALYZE_FOURIER_H

#include "base/err.h"
#include <stddef.h>

/*
 * out[k] for k < lags: the mean of (x[i] - m)(x[i + k] - m) over i < n - k, over that of k 0, m being the mean of all: 1 at lag 0. Where x does not
 * change at all, all are 0. lags <= n. 0, -ENOMEM, or -ERANGE: n + lags is over 2^30. O(n log n), in parallel; the result does not depend on threads.
 */
int weft_autocorrelation(const double *x, size_t n, size_t lags, unsigned threads, double *out) WEFT_MUST_CHECK;

#endif
