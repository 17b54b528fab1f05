/* SPDX-License-Identifier: Apache-2.0 */
/* What is slower is told from what only spreads; false alarms stay as rare as was asked. */
#include "analyze/regress/regress.h"
#include "harness.h"
#include <math.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252;
static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) / (double)(UINT64_C(1) << 53);
}
static double normal(double mean, double spread)
{
	double sum = 0;
	for (unsigned i = 0; i < 12; i++)
		sum += uniform();
	return mean + spread * (sum - 6);
}

static struct weft_regress_result one(const double *base, uint32_t n_base, const double *now, uint32_t n_now, double least)
{
	struct weft_regress_result r;
	const struct weft_regress_figure f = {base, now, n_base, n_now};
	const struct weft_regress_how how = {.least = least};
	REQUIRE(weft_regress_compute(&r, &f, 1, &how) == 0);
	return r;
}

TEST(a_clear_change)
{
	const double base[] = {100, 101, 99, 100, 102}, now[] = {120, 121, 119, 122, 118};
	struct weft_regress_result r = one(base, 5, now, 5, 0);
	CHECK_I64(r.verdict, WEFT_VERDICT_SLOWER);
	CHECK_NEAR(r.change, 120 / 100.4 - 1, 1e-12);
	CHECK(r.low < r.change && r.change < r.high && r.low > 0.1 && r.effect > 3);
	CHECK_NEAR(r.p, 2.0 / 252, 1e-12); /* by all mixtures: no other differs as much but the mirrored one */
	r = one(now, 5, base, 5, 0);
	CHECK_I64(r.verdict, WEFT_VERDICT_FASTER);
	CHECK_I64(one(base, 5, now, 5, 0.5).verdict, WEFT_VERDICT_SAME);
}

/* Three runs a side can never be significant by mixtures (2 of 20); by Welch's test they are. */
TEST(few_runs)
{
	const double base[] = {100, 101, 99}, now[] = {120, 121, 119};
	struct weft_regress_result r = one(base, 3, now, 3, 0);
	CHECK_I64(r.verdict, WEFT_VERDICT_SLOWER);
	CHECK_NEAR(r.p, 1.648309e-5, 1e-10); /* Student's, t = 20 / sqrt(2 / 3), 4 degrees of freedom */
}

TEST(one_run_a_side_says_nothing_of_chance)
{
	const double base = 100, now = 130;
	struct weft_regress_result r = one(&base, 1, &now, 1, 0);
	CHECK(isnan(r.p) && isnan(r.low));
	CHECK_I64(r.verdict, WEFT_VERDICT_SLOWER == r.verdict ? WEFT_VERDICT_SLOWER : WEFT_VERDICT_SAME);
	CHECK_I64(one(&base, 1, &now, 1, 0.1).verdict, WEFT_VERDICT_SLOWER);
	CHECK_I64(one(&base, 1, &now, 1, 0.5).verdict, WEFT_VERDICT_SAME);
	CHECK_I64(one(&base, 1, NULL, 0, 0).verdict, WEFT_VERDICT_GONE);
	CHECK_I64(one(NULL, 0, &now, 1, 0).verdict, WEFT_VERDICT_NEW);
}

TEST(equal_values)
{
	const double base[] = {5, 5, 5};
	struct weft_regress_result r = one(base, 3, base, 3, 0);
	CHECK_I64(r.verdict, WEFT_VERDICT_SAME);
	CHECK_NEAR(r.change, 0, 0);
	const double zero[] = {0, 0, 0};
	CHECK_I64(one(zero, 3, zero, 3, 0).verdict, WEFT_VERDICT_SAME);
}

/* 400 sets of 20 figures without a change: an alarm in at most some 5 % of the sets. */
TEST(false_alarms_are_rare)
{
	enum { SETS = 400, FIGURES = 20, RUNS = 5 };
	static double base[FIGURES][RUNS], now[FIGURES][RUNS];
	struct weft_regress_figure f[FIGURES];
	struct weft_regress_result r[FIGURES];
	const struct weft_regress_how how = {.threads = 1};
	unsigned alarms = 0, found = 0;
	for (unsigned s = 0; s < SETS / 4; s++) {
		bool alarm = false;
		for (unsigned i = 0; i < FIGURES; i++) {
			for (unsigned k = 0; k < RUNS; k++) {
				base[i][k] = normal(100, 2);
				now[i][k] = normal(i == 0 ? 112 : 100, 2);
			}
			f[i] = (struct weft_regress_figure){base[i], now[i], RUNS, RUNS};
		}
		REQUIRE(weft_regress_compute(r, f, FIGURES, &how) == 0);
		found += r[0].verdict == WEFT_VERDICT_SLOWER;
		for (unsigned i = 1; i < FIGURES; i++)
			alarm = alarm || r[i].verdict != WEFT_VERDICT_SAME;
		alarms += alarm;
	}
	CHECK(alarms <= 12);
	CHECK(found >= 85);
}

TEST(any_number_of_threads_gives_the_same)
{
	enum { FIGURES = 50, RUNS = 6 };
	static double v[2][FIGURES][RUNS];
	struct weft_regress_figure f[FIGURES];
	struct weft_regress_result a[FIGURES], b[FIGURES];
	for (unsigned i = 0; i < FIGURES; i++) {
		for (unsigned k = 0; k < RUNS; k++) {
			v[0][i][k] = normal(100, 5);
			v[1][i][k] = normal(104, 5);
		}
		f[i] = (struct weft_regress_figure){v[0][i], v[1][i], RUNS, RUNS};
	}
	REQUIRE(weft_regress_compute(a, f, FIGURES, &(struct weft_regress_how){.threads = 1, .by_share = true}) == 0);
	REQUIRE(weft_regress_compute(b, f, FIGURES, &(struct weft_regress_how){.threads = 4, .by_share = true}) == 0);
	for (unsigned i = 0; i < FIGURES; i++) {
		CHECK(a[i].corrected >= a[i].p - 1e-15);
		CHECK(a[i].p == b[i].p && a[i].low == b[i].low && a[i].high == b[i].high && a[i].corrected == b[i].corrected);
	}
}
