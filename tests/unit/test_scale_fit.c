/* SPDX-License-Identifier: Apache-2.0 */
/* Curves are found again from points that lie on them. */
#include "analyze/scale/scale_fit.h"
#include "harness.h"
#include <errno.h>
#include <math.h>

static const double x[] = {2, 4, 8, 16, 32};
enum { N = 5 };

static void check_fit(enum weft_fit_model model, double x0, double f)
{
	struct weft_fit fit = {.model = model, .x0 = x0, .f = f}, got;
	double y[N];
	for (unsigned i = 0; i < N; i++)
		y[i] = weft_fit_at(&fit, x[i]);
	REQUIRE(weft_fit_find(&got, model, x, y, N, true, WEFT_SIGMA_FIRST) == 0);
	CHECK_NEAR(got.x0, x0, 1e-6 * x0);
	CHECK_NEAR(got.f, f, 1e-6);
	CHECK_NEAR(weft_fit_at(&got, 256), weft_fit_at(&fit, 256), 1e-5);
}

TEST(amdahl_pipe_linear)
{
	check_fit(WEFT_FIT_AMDAHL, 97, 0.995);
	check_fit(WEFT_FIT_AMDAHL, 80, 0.6);
	check_fit(WEFT_FIT_PIPE, 90, 0.52);
	check_fit(WEFT_FIT_LINEAR, 10, 0.25);
}

TEST(bounds_hold_f)
{
	const double y[] = {10, 20, 30, 40, 50}; /* slope above 1 */
	struct weft_fit fit;
	REQUIRE(weft_fit_find(&fit, WEFT_FIT_LINEAR, (const double[]){1, 2, 3, 4, 5}, y, N, true, WEFT_SIGMA_EQUAL) == 0);
	CHECK_NEAR(fit.f, 1, 0);
	REQUIRE(weft_fit_find(&fit, WEFT_FIT_LINEAR, (const double[]){1, 2, 3, 4, 5}, y, N, false, WEFT_SIGMA_EQUAL) == 0);
	CHECK_NEAR(fit.f, 10, 1e-9);
}

TEST(terms_are_told_from_each_other)
{
	static const struct {
		double power, log_power, c0, c1;
	} rows[] = {{0, 0, 5, 0}, {1, 0, 3, 0.5}, {2, 0, 1, 0.01}, {0, 1, 2, 4}, {0.5, 1, 7, 2}, {1, 1, 0, 0.25}, {-1, 0, 1, 30}};
	for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct weft_fit fit = {WEFT_FIT_TERM, rows[r].c0, rows[r].c1, rows[r].power, rows[r].log_power, 0}, got;
		double y[N];
		for (unsigned i = 0; i < N; i++)
			y[i] = weft_fit_at(&fit, x[i]);
		REQUIRE(weft_fit_find(&got, WEFT_FIT_TERM, x, y, N, false, WEFT_SIGMA_EQUAL) == 0);
		CHECK_NEAR(weft_fit_at(&got, 320), weft_fit_at(&fit, 320), 1e-6 * weft_fit_at(&fit, 320));
	}
}

/* Noise of 1 % around a constant is no growth worth a word at ten times the size. */
TEST(noise_makes_no_cubes)
{
	const double y[] = {100, 101, 99.5, 100.5, 99.8};
	struct weft_fit fit;
	REQUIRE(weft_fit_find(&fit, WEFT_FIT_TERM, x, y, N, false, WEFT_SIGMA_EQUAL) == 0);
	CHECK_NEAR(weft_fit_at(&fit, 320), 100, 5);
}

TEST(few_points)
{
	struct weft_fit fit;
	const double one = 4, y = 50, zero = 0;
	for (unsigned m = 0; m < WEFT_FIT_MODELS; m++) {
		REQUIRE(weft_fit_find(&fit, (enum weft_fit_model)m, &one, &y, 1, true, WEFT_SIGMA_FIRST) == 0);
		CHECK_NEAR(weft_fit_at(&fit, 4), 50, 1e-9);
		CHECK_NEAR(weft_fit_at(&fit, 400), 50, 1e-9);
		CHECK(isnan(fit.error));
	}
	CHECK_I64(weft_fit_find(&fit, WEFT_FIT_AMDAHL, &one, &y, 0, true, WEFT_SIGMA_FIRST), -EINVAL);
	CHECK_I64(weft_fit_find(&fit, WEFT_FIT_AMDAHL, &zero, &y, 1, true, WEFT_SIGMA_FIRST), -EINVAL);
	CHECK_I64(weft_fit_find(&fit, WEFT_FIT_AMDAHL, &one, &(const double){NAN}, 1, true, WEFT_SIGMA_FIRST), -EINVAL);
}

TEST(texts)
{
	char text[128];
	struct weft_fit fit = {WEFT_FIT_TERM, 3, -0.5, 0.5, 2, 0};
	CHECK_STR(weft_fit_text(&fit, "p", text), "3 - 0.5 * p^0.5 * log2(p)^2");
	fit = (struct weft_fit){WEFT_FIT_AMDAHL, 90, 0.25, 0, 0, 0};
	CHECK_STR(weft_fit_text(&fit, "x", text), "90 / (0.25 + 0.75 * x)");
}

TEST(serial_fractions)
{
	double amdahl[N], gustafson[N];
	for (unsigned i = 0; i < N; i++) {
		amdahl[i] = 1 / (0.1 + 0.9 / x[i]);
		gustafson[i] = x[i] - 0.2 * (x[i] - 1);
	}
	struct weft_fraction f = weft_amdahl_fraction(x, amdahl, N);
	CHECK_NEAR(f.value, 0.1, 1e-12);
	CHECK_NEAR(f.low, 0.1, 1e-6);
	f = weft_gustafson_fraction(x, gustafson, N);
	CHECK_NEAR(f.value, 0.2, 1e-12);
	amdahl[2] *= 1.2;
	f = weft_amdahl_fraction(x, amdahl, N);
	CHECK(f.low < 0.1 && f.high > 0.07 && f.low < f.value && f.value < f.high);
	f = weft_amdahl_fraction(x, amdahl, 1);
	CHECK(!isnan(f.value) && isnan(f.low));
	f = weft_amdahl_fraction((const double[]){1}, (const double[]){1}, 1);
	CHECK(isnan(f.value));
}
