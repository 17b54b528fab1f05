/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/fold/knees.h"
#include "structure_maker.h"

enum { STEPS = 1000 };
static const struct weft_knees_how how = {.coarse = 0.002, .least = 0.02, .most = 12};

/* A curve of pieces: rates up to each bound, scaled to end at 1. */
static void pieces(double *y, const double *bound, const double *rate, unsigned n)
{
	double sum = 0, from = 0;
	for (unsigned k = 0; k < n; k++) {
		sum += rate[k] * (bound[k] - from);
		from = bound[k];
	}
	for (unsigned i = 0; i < STEPS; i++) {
		double x = (double)i / (STEPS - 1), v = 0;
		from = 0;
		for (unsigned k = 0; k < n; k++) {
			v += rate[k] * fmax(0, fmin(x, bound[k]) - from);
			from = bound[k];
		}
		y[i] = v / sum;
	}
}

TEST(where_rates_change)
{
	static const double bound[] = {0.2, 0.5, 0.9, 1}, one[] = {3, 1, 2, 0.5}, two[] = {1, 1, 4, 4};
	double a[STEPS], b[STEPS], at[12];
	unsigned n;
	pieces(a, bound, one, 4);
	pieces(b, bound, two, 4);
	const double *curve[] = {a, b};
	REQUIRE(weft_knees(curve, 2, STEPS, &how, at, &n) == 0);
	CHECK_U64(n, 3);
	for (unsigned k = 0; k < 3; k++)
		CHECK_NEAR(at[k], bound[k], 0.011);
	REQUIRE(weft_knees(curve + 1, 1, STEPS, &how, at, &n) == 0);
	CHECK_U64(n, 1);
	CHECK_NEAR(at[0], 0.5, 0.011);
}

TEST(a_straight_line_has_none)
{
	double y[STEPS], at[12];
	unsigned n = 9;
	for (unsigned i = 0; i < STEPS; i++)
		y[i] = (double)i / (STEPS - 1) + 0.0005 * sin(i * 0.2);
	const double *curve[] = {y};
	REQUIRE(weft_knees(curve, 1, STEPS, &how, at, &n) == 0);
	CHECK_U64(n, 0);
	REQUIRE(weft_knees(curve, 0, STEPS, &how, at, &n) == 0);
	CHECK_U64(n, 0);
}
