/* SPDX-License-Identifier: Apache-2.0 */
/* The spline against Kriging as it is told, a dense system of equations; isotonic regression against its conditions. */
#include "analyze/fold/smooth.h"
#include "structure_maker.h"
#include <errno.h>

/* Gauss with the largest pivot; a: n rows of n + 1. */
static void solve(long double *a, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		size_t best = k;
		for (size_t i = k; i < n; i++)
			best = fabsl(a[i * (n + 1) + k]) > fabsl(a[best * (n + 1) + k]) ? i : best;
		for (size_t j = 0; j <= n; j++) {
			long double x = a[k * (n + 1) + j];
			a[k * (n + 1) + j] = a[best * (n + 1) + j];
			a[best * (n + 1) + j] = x;
		}
		for (size_t i = 0; i < n; i++) {
			long double f = i == k ? 0 : a[i * (n + 1) + k] / a[k * (n + 1) + k];
			for (size_t j = k; j <= n && f != 0; j++)
				a[i * (n + 1) + j] -= f * a[k * (n + 1) + j];
		}
	}
	for (size_t i = 0; i < n; i++)
		a[i * (n + 1) + n] /= a[i * (n + 1) + i];
}

/* Covariance |h|³, a nugget on the diagonal, a linear drift. */
static void kriging(const double *x, const double *y, size_t n, double nugget, const double *at, size_t count, double *out)
{
	size_t m = n + 2;
	long double *a = calloc(m * (m + 1), sizeof *a), sum;
	REQUIRE(a);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++)
			a[i * (m + 1) + k] = powl(fabsl((long double)x[i] - x[k]), 3) + (i == k ? nugget : 0);
		a[i * (m + 1) + n] = a[n * (m + 1) + i] = 1;
		a[i * (m + 1) + n + 1] = a[(n + 1) * (m + 1) + i] = x[i];
		a[i * (m + 1) + m] = y[i];
	}
	solve(a, m);
	for (size_t i = 0; i < count; i++) {
		sum = a[n * (m + 1) + m] + a[(n + 1) * (m + 1) + m] * at[i];
		for (size_t k = 0; k < n; k++)
			sum += a[k * (m + 1) + m] * powl(fabsl((long double)x[k] - at[i]), 3);
		out[i] = (double)sum;
	}
	free(a);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

TEST(is_kriging)
{
	enum { N = 120, AT = 50 };
	double x[N], y[N], at[AT], want[AT], got[AT];
	for (unsigned turn = 0; turn < 3; turn++) {
		for (unsigned i = 0; i < N; i++)
			x[i] = i % 7 == 6 && i ? x[i - 1] : maker_uniform(); /* some in one place */
		qsort(x, N, sizeof *x, ascending);
		for (unsigned i = 0; i < N; i++)
			y[i] = x[i] * x[i] + 0.1 * maker_normal();
		for (unsigned i = 0; i < AT; i++)
			at[i] = -0.1 + 1.2 * i / (AT - 1);
		double nugget = pow(10, -2 - 2.0 * turn);
		kriging(x, y, N, nugget, at, AT, want);
		struct weft_spline s;
		REQUIRE(weft_spline_fit(&s, x, y, NULL, N, nugget / 12) == 0);
		weft_spline_at(&s, at, AT, got);
		for (unsigned i = 0; i < AT; i++)
			CHECK_NEAR(got[i], want[i], 1e-6);
		weft_spline_fini(&s);
	}
}

TEST(few_points)
{
	double x[] = {0, 1, 1}, y[] = {1, 3, 5}, at[] = {-1, 0.5, 2}, out[3];
	struct weft_spline s;
	REQUIRE(weft_spline_fit(&s, x, y, NULL, 1, 1) == 0);
	weft_spline_at(&s, at, 3, out);
	CHECK_NEAR(out[2], 1, 0);
	weft_spline_fini(&s);
	REQUIRE(weft_spline_fit(&s, x, y, NULL, 3, 1) == 0); /* two in one place: their mean, 4 */
	weft_spline_at(&s, at, 3, out);
	CHECK_NEAR(out[0], -2, 1e-12);
	CHECK_NEAR(out[1], 2.5, 1e-12);
	CHECK_NEAR(out[2], 7, 1e-12);
	weft_spline_fini(&s);
	CHECK_I64(weft_spline_fit(&s, x, y, NULL, 0, 1), -EINVAL);
}

TEST(isotonic)
{
	double y[] = {1, 3, 2, 2, 5, 4, 4}, w[] = {1, 1, 1, 2, 1, 1, 2};
	double want[] = {1, 9.0 / 4, 9.0 / 4, 9.0 / 4, 17.0 / 4, 17.0 / 4, 17.0 / 4};
	CHECK_I64(weft_isotonic(y, w, 7), 0);
	for (unsigned i = 0; i < 7; i++)
		CHECK_NEAR(y[i], want[i], 1e-12);
	CHECK_I64(weft_isotonic(y, NULL, 0), 0);
	double random[500], sum = 0, after = 0;
	for (unsigned i = 0; i < 500; i++)
		sum += random[i] = maker_uniform();
	CHECK_I64(weft_isotonic(random, NULL, 500), 0);
	for (unsigned i = 0; i < 500; i++) {
		after += random[i];
		CHECK(!i || random[i] >= random[i - 1]);
	}
	CHECK_NEAR(after, sum, 1e-9);
}

TEST(without_memory)
{
	double x[] = {0, 0.2, 0.5, 0.7, 1}, y[] = {0, 1, 2, 3, 4};
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_spline s;
		int rc = weft_spline_fit(&s, x, y, NULL, 5, 0.1);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		if (!rc)
			weft_spline_fini(&s);
		rc = weft_isotonic(y, NULL, 5);
		CHECK(rc == 0 || (rc == -ENOMEM && test_alloc_failed()));
	}
}
