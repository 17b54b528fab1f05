/* SPDX-License-Identifier: Apache-2.0 */
/* Several short transforms side by side, so that one instruction serves them all. */
#ifndef WEFT_ANALYZE_FOURIER_BATCH_H
#define WEFT_ANALYZE_FOURIER_BATCH_H

#include "base/err.h"
#include <stddef.h>

enum { FOURIER_BATCH = 8, FOURIER_MOST = 1 << 15 };
struct fourier_batch { /* of a length, a power of two up to FOURIER_MOST */
	size_t n;
	double *re, *im; /* n × FOURIER_BATCH: element i of transform b at i * FOURIER_BATCH + b. All owned, in one block */
	double *other_re, *other_im;
	double *cos, *sin; /* n: of -2πk/n */
};
int fourier_batch_make(struct fourier_batch *f, size_t n) WEFT_MUST_CHECK;
void fourier_batch_fini(struct fourier_batch *f);
/* re and im become their transforms (of -2πi; without a factor). re and im may change places with the others. */
void fourier_batch_run(struct fourier_batch *f);

#endif
