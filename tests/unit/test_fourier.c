/* SPDX-License-Identifier: Apache-2.0 */
/* Autocorrelation against the sums that it means, for lengths around powers of two; the same for any number of threads. */
#include "analyze/phase/fourier.h"
#include "analyze/phase/fourier_batch.h"
#include "harness.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double uniform(void)
{
	return (double)(test_random() >> 11) * 0x1p-53;
}

static double told(const double *x, size_t n, size_t k)
{
	double mean = 0, sum = 0;
	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (size_t i = 0; i + k < n; i++)
		sum += (x[i] - mean) * (x[i + k] - mean);
	return sum / (double)(n - k);
}

static void check(size_t n, size_t lags)
{
	double *x = malloc((n + 1) * sizeof *x), *one = malloc((lags + 1) * sizeof *one),
	       *many = malloc((lags + 1) * sizeof *many);
	REQUIRE(x && one && many);
	for (size_t i = 0; i < n; i++)
		x[i] = 5 + sin((double)i * 0.7) + uniform();
	REQUIRE(weft_autocorrelation(x, n, lags, 1, one) == 0);
	REQUIRE(weft_autocorrelation(x, n, lags, 3, many) == 0);
	CHECK(!memcmp(one, many, lags * sizeof *one));
	for (size_t k = 0; k<lags; k += lags> 200 ? 37 : 1)
		if (!CHECK_NEAR(one[k], told(x, n, k) / told(x, n, 0), 1e-9))
			break;
	free(x);
	free(one);
	free(many);
}

TEST(as_the_sums_say)
{
	static const size_t n[] = {2, 3, 4, 5, 7, 8, 9, 31, 64, 65, 127, 1000, 4096, 5001};
	for (unsigned i = 0; i < sizeof n / sizeof *n; i++) {
		check(n[i], n[i]);
		check(n[i], n[i] / 2);
	}
}

TEST(transforms)
{
	for (size_t n = 1; n <= 64; n *= 2) {
		struct fourier_batch f;
		double re[64], im[64];
		REQUIRE(fourier_batch_make(&f, n) == 0);
		for (size_t i = 0; i < n; i++) {
			re[i] = uniform();
			im[i] = uniform();
			for (unsigned b = 0; b < FOURIER_BATCH; b++) {
				f.re[i * FOURIER_BATCH + b] = re[i] * (b + 1);
				f.im[i * FOURIER_BATCH + b] = im[i] * (b + 1);
			}
		}
		fourier_batch_run(&f);
		for (size_t k = 0; k < n; k++) {
			double r = 0, m = 0;
			for (size_t i = 0; i < n; i++) {
				double c = cos(-2 * M_PI * (double)(i * k) / (double)n),
				       s = sin(-2 * M_PI * (double)(i * k) / (double)n);
				r += re[i] * c - im[i] * s;
				m += re[i] * s + im[i] * c;
			}
			CHECK_NEAR(f.re[k * FOURIER_BATCH], r, 1e-12);
			CHECK_NEAR(f.im[k * FOURIER_BATCH + 2], 3 * m, 1e-12);
		}
		fourier_batch_fini(&f);
	}
}

TEST(degenerate)
{
	double x[8] = {7, 7, 7, 7, 7, 7, 7, 7}, out[8];
	CHECK_I64(weft_autocorrelation(x, 8, 8, 0, out), 0);
	for (unsigned i = 0; i < 8; i++)
		CHECK_NEAR(out[i], 0, 0);
	CHECK_I64(weft_autocorrelation(x, 0, 0, 0, out), 0);
	CHECK_I64(weft_autocorrelation(x, 1, 1, 0, out), 0);
	CHECK_I64(weft_autocorrelation(x, 1, 2, 0, out), -ERANGE);
}

TEST(without_memory)
{
	double x[20], out[10];
	for (unsigned i = 0; i < 20; i++)
		x[i] = i % 5;
	TEST_EACH_ALLOCATION_FAILS {
		int rc = weft_autocorrelation(x, 20, 10, 1, out);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
	}
}
