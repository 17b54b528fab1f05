/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bucket of a number is its leading seven bits and their place: power 0 holds 0..63, power 1
 * 64..127, power p >= 1 the numbers from 2^(p+5) on, in steps of 2^(p-1).
 */
#include "histogram.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = WEFT_HISTOGRAM_BUCKETS };

static uint32_t power_of(uint64_t v)
{
	return v < BUCKETS ? 0 : 63u - (uint32_t)__builtin_clzll(v) - 5;
}

static uint32_t bucket_of(uint64_t v, uint32_t power)
{
	return power == 0 ? (uint32_t)v : (uint32_t)(v >> (power - 1)) - BUCKETS;
}

/* The number in the middle of a bucket. */
static uint64_t middle_of(uint32_t power, uint32_t bucket)
{
	if (power == 0)
		return bucket;
	uint64_t width = 1ull << (power - 1);
	return (uint64_t)(BUCKETS + bucket) * width + width / 2;
}

void weft_histogram_fini(struct weft_histogram *h)
{
	free(h->count);
	*h = (struct weft_histogram){0};
}

/* Makes room for the powers [low, high]. */
static int cover(struct weft_histogram *h, uint32_t low, uint32_t high)
{
	if (h->powers && h->first < low)
		low = h->first;
	if (h->powers && h->first + h->powers > high)
		high = h->first + h->powers - 1;
	uint32_t powers = high - low + 1;
	if (powers == h->powers)
		return 0;
	uint64_t *count = calloc((size_t)powers * BUCKETS, sizeof *count);
	if (!count)
		return -ENOMEM;
	if (h->powers)
		memcpy(count + (size_t)(h->first - low) * BUCKETS, h->count, (size_t)h->powers * BUCKETS * sizeof *count);
	free(h->count);
	h->count = count;
	h->first = low;
	h->powers = powers;
	return 0;
}

static int count_one(struct weft_histogram *h, uint64_t v)
{
	uint32_t power = power_of(v);
	if (power - h->first >= h->powers && cover(h, power, power))
		return -ENOMEM;
	h->count[(size_t)(power - h->first) * BUCKETS + bucket_of(v, power)]++;
	h->n++;
	return 0;
}

static bool is_plain(const struct weft_histogram *h)
{
	return h->powers == 0;
}

/* From plain numbers to buckets; untouched on failure. */
static int make_buckets(struct weft_histogram *h)
{
	struct weft_histogram made = {0};
	int rc = 0;
	for (uint64_t i = 0; i < h->n && !rc; i++)
		rc = count_one(&made, h->count[i]);
	if (rc) {
		weft_histogram_fini(&made);
		return rc;
	}
	free(h->count);
	*h = made;
	return 0;
}

int weft_histogram_add(struct weft_histogram *h, uint64_t v)
{
	if (is_plain(h) && h->n == BUCKETS && make_buckets(h))
		return -ENOMEM;
	if (!is_plain(h))
		return count_one(h, v);
	if (!h->count)
		h->count = malloc(BUCKETS * sizeof *h->count);
	if (!h->count)
		return -ENOMEM;
	h->count[h->n++] = v;
	return 0;
}

int weft_histogram_merge(struct weft_histogram *into, const struct weft_histogram *from)
{
	if (is_plain(from)) {
		for (uint64_t i = 0; i < from->n; i++)
			if (weft_histogram_add(into, from->count[i]))
				return -ENOMEM;
		return 0;
	}
	if ((is_plain(into) && make_buckets(into)) || cover(into, from->first, from->first + from->powers - 1))
		return -ENOMEM;
	uint64_t *to = into->count + (size_t)(from->first - into->first) * BUCKETS;
	for (size_t i = 0; i < (size_t)from->powers * BUCKETS; i++)
		to[i] += from->count[i];
	into->n += from->n;
	return 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static uint64_t plain_at(const struct weft_histogram *h, uint64_t rank)
{
	uint64_t sorted[BUCKETS];
	if (h->n == 0)
		return 0;
	memcpy(sorted, h->count, h->n * sizeof *sorted);
	qsort(sorted, h->n, sizeof *sorted, compare_numbers);
	return sorted[rank - 1];
}

uint64_t weft_histogram_quantile(const struct weft_histogram *h, double q)
{
	double rank = ceil(q * (double)h->n);
	uint64_t wanted = rank < 1 ? 1 : rank > (double)h->n ? h->n : (uint64_t)rank, seen = 0;
	if (is_plain(h))
		return plain_at(h, wanted);
	for (size_t i = 0; i < (size_t)h->powers * BUCKETS; i++) {
		seen += h->count[i];
		if (seen >= wanted && h->count[i])
			return middle_of(h->first + (uint32_t)(i / BUCKETS), (uint32_t)(i % BUCKETS));
	}
	return 0;
}

uint64_t weft_histogram_bytes(const struct weft_histogram *h)
{
	return h->count ? (uint64_t)(h->powers ? h->powers : 1) * BUCKETS * sizeof *h->count : 0;
}
