/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles from the log-linear histogram against exact ones. */
#include "harness.h"
#include "metric/hist/histogram.h"
#include <errno.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static uint64_t exact(const uint64_t *sorted, uint64_t n, double q)
{
	uint64_t rank = (uint64_t)(q * (double)n);
	if ((double)rank < q * (double)n)
		rank++;
	return sorted[rank < 1 ? 0 : rank - 1];
}

static void compare_quantiles(uint64_t *v, uint64_t n)
{
	static const double q[] = {0, 0.01, 0.25, 0.5, 0.9, 0.99, 1};
	struct weft_histogram h = {0};
	for (uint64_t i = 0; i < n; i++)
		REQUIRE(weft_histogram_add(&h, v[i]) == 0);
	qsort(v, n, sizeof *v, compare);
	for (unsigned i = 0; i < 7; i++) {
		uint64_t want = exact(v, n, q[i]);
		CHECK_NEAR((double)weft_histogram_quantile(&h, q[i]), (double)want, (double)want / 128);
	}
	CHECK_U64(h.n, n);
	weft_histogram_fini(&h);
}

TEST(quantiles_are_within_a_128th)
{
	enum { N = 5000 };
	static uint64_t v[N];
	for (unsigned bits = 1; bits <= 64; bits += 7) {
		for (unsigned i = 0; i < N; i++)
			v[i] = test_random() >> (64 - bits) >> (test_random() % bits);
		compare_quantiles(v, N);
	}
}

TEST(small_numbers_are_exact)
{
	struct weft_histogram h = {0};
	for (uint64_t i = 0; i < 128; i++)
		CHECK(weft_histogram_add(&h, i) == 0);
	for (uint64_t i = 0; i < 128; i++)
		CHECK_U64(weft_histogram_quantile(&h, (double)(i + 1) / 128), i);
	weft_histogram_fini(&h);
}

TEST(few_numbers_are_exact)
{
	for (unsigned n = 1; n <= 64; n++) {
		struct weft_histogram h = {0};
		uint64_t v[64];
		for (unsigned i = 0; i < n; i++) {
			v[i] = test_random() >> (test_random() % 64);
			CHECK(weft_histogram_add(&h, v[i]) == 0);
		}
		qsort(v, n, sizeof *v, compare);
		for (double q = 0; q <= 1; q += 0.0625)
			CHECK_U64(weft_histogram_quantile(&h, q), exact(v, n, q));
		CHECK_U64(weft_histogram_bytes(&h), 512);
		weft_histogram_fini(&h);
	}
}

TEST(extremes)
{
	static const uint64_t v[] = {0, 1, 63, 64, 127, 128, 255, 256, UINT64_MAX / 2, UINT64_MAX - 1, UINT64_MAX};
	for (unsigned i = 0; i < sizeof v / sizeof v[0]; i++) {
		struct weft_histogram h = {0};
		CHECK(weft_histogram_add(&h, v[i]) == 0);
		CHECK_U64(weft_histogram_quantile(&h, 0.5), v[i]);
		for (unsigned k = 0; k < 64; k++)
			CHECK(weft_histogram_add(&h, v[i]) == 0);
		CHECK_NEAR((double)weft_histogram_quantile(&h, 0.5), (double)v[i], (double)v[i] / 128);
		CHECK_U64(weft_histogram_bytes(&h), 512);
		weft_histogram_fini(&h);
	}
	struct weft_histogram none = {0};
	CHECK_U64(weft_histogram_quantile(&none, 0.5), 0);
}

TEST(merging_is_adding_all)
{
	for (unsigned round = 0; round < 50; round++) {
		struct weft_histogram all = {0}, a = {0}, b = {0};
		for (unsigned i = 0; i < 300; i++) {
			uint64_t v = test_random() >> (test_random() % 64);
			CHECK(weft_histogram_add(&all, v) == 0);
			CHECK(weft_histogram_add(i % (round + 2) ? &a : &b, v) == 0);
		}
		struct weft_histogram *into = round % 2 ? &a : &b;
		CHECK(weft_histogram_merge(into, round % 2 ? &b : &a) == 0);
		CHECK_U64(into->n, all.n);
		for (double q = 0; q <= 1; q += 0.125)
			CHECK_U64(weft_histogram_quantile(into, q), weft_histogram_quantile(&all, q));
		weft_histogram_fini(&all);
		weft_histogram_fini(&a);
		weft_histogram_fini(&b);
	}
	struct weft_histogram empty = {0}, other = {0};
	CHECK(weft_histogram_merge(&empty, &other) == 0);
	CHECK(weft_histogram_add(&other, 5) == 0);
	CHECK(weft_histogram_merge(&empty, &other) == 0);
	CHECK_U64(weft_histogram_quantile(&empty, 1), 5);
	weft_histogram_fini(&empty);
	weft_histogram_fini(&other);
}

TEST(failed_allocations_are_reported)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_histogram h = {0}, other = {0};
		int rc = 0;
		for (unsigned i = 0; i < 70 && !rc; i++)
			rc = weft_histogram_add(&h, 1000000 >> i % 20);
		if (!rc)
			rc = weft_histogram_add(&other, 17);
		if (!rc)
			rc = weft_histogram_merge(&other, &h);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		weft_histogram_fini(&h);
		weft_histogram_fini(&other);
	}
}
