/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantiles of many numbers in little memory. The first 64 numbers are kept as they are, and
 * quantiles are exact. Then they become a log-linear histogram: each power of two is divided in 64
 * equal buckets, and only the powers between the least and the greatest number seen take memory
 * (512 bytes each). Numbers below 128 are exact; of larger ones a quantile is at most 1/128 (0.8 %)
 * away from the true one. Not thread-safe. Zero-initialised is empty.
 */
#ifndef WEFT_METRIC_HISTOGRAM_H
#define WEFT_METRIC_HISTOGRAM_H

#include "base/err.h"
#include <stdint.h>

#define WEFT_HISTOGRAM_BUCKETS 64u /* in a power of two */

struct weft_histogram {
	uint64_t *count; /* owned; the numbers themselves as long as powers is 0 */
	uint64_t n;      /* numbers added */
	uint32_t first;  /* power of two that count[0] belongs to */
	uint32_t powers; /* how many there is room for */
};

void weft_histogram_fini(struct weft_histogram *h);
int weft_histogram_add(struct weft_histogram *h, uint64_t v) WEFT_MUST_CHECK; /* 0 or -ENOMEM. O(1) amortised */
int weft_histogram_merge(struct weft_histogram *into, const struct weft_histogram *from) WEFT_MUST_CHECK;
/*
 * The nearest-rank quantile: the least number that at least a share q (0..1) of all is not above;
 * the middle of its bucket. 0 when empty.
 */
uint64_t weft_histogram_quantile(const struct weft_histogram *h, double q);
uint64_t weft_histogram_bytes(const struct weft_histogram *h);

#endif
