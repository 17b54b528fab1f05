/* SPDX-License-Identifier: Apache-2.0 */
/* Fits find the curves that points were made from, and say so when there is none. */
#include "harness.h"
#include "models/fit.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

static double noise(double most)
{
	return 1 + most * ((double)(test_random() % 2001) / 1000 - 1);
}

TEST(fit_power_of_exact_points)
{
	struct weft_model_fit f = {0};
	for (uint64_t x = 100; x < 100000; x = x * 3 / 2)
		CHECK(weft_fit_power_add(&f, x, 0.25 * pow((double)x, 1.3), 2));
	CHECK_NEAR(f.alpha, 0.25, 1e-9);
	CHECK_NEAR(f.beta, 1.3, 1e-9);
	CHECK_U64(f.min_x, 100);
	CHECK(weft_fit_power_valid(&f, 10));
	CHECK(!weft_fit_power_valid(&f, 1000));
}

TEST(fit_power_wants_sizes_apart)
{
	struct weft_model_fit f = {0};
	for (int i = 0; i < 50; i++)
		weft_fit_power_add(&f, 1000, 10 * noise(0.1), 1);
	CHECK(!weft_fit_power_valid(&f, 10));
	for (int i = 0; i < 50; i++)
		weft_fit_power_add(&f, 1100, 11 * noise(0.1), 1);
	CHECK(!weft_fit_power_valid(&f, 10));
	weft_fit_power_add(&f, 1200, 12, 1);
	CHECK(weft_fit_power_valid(&f, 10));
	CHECK(!weft_fit_power_add(&f, 0, 12, 1));
	CHECK(!weft_fit_power_add(&f, 12, 0, 1));
	CHECK(!weft_fit_power_add(&f, 12, NAN, 1));
	CHECK_U64(f.n, 101);
}

TEST(fit_offset_of_many_curves)
{
	for (int round = 0; round < 50; round++) {
		double a = exp((double)(test_random() % 1000) / 100 - 8), b = 0.5 + (double)(test_random() % 250) / 100;
		double c = (double)(test_random() % 5000), x[12], y[12], abc[3];
		struct weft_fit_points p = {x, y, NULL, 12};
		for (int i = 0; i < 12; i++) {
			x[i] = 1000 * pow(1.7, i);
			y[i] = a * pow(x[i], b) + c;
		}
		REQUIRE(weft_fit_offset_points(&p, abc));
		for (int i = 0; i < 12; i++)
			CHECK_NEAR((abc[0] * pow(x[i], abc[1]) + abc[2]) / y[i], 1, 0.002);
	}
}

TEST(fit_offset_of_a_history)
{
	struct weft_model_entry e[8] = {{0}};
	struct weft_model_fit f = {0};
	for (unsigned i = 0; i < 8; i++)
		e[i] = (struct weft_model_entry){.n = i ? 10 : 0,
		                                 .size = 1000u << i,
		                                 .mean = i ? 3e-4 * pow(1000u << i, 1.2) + 50 : 0};
	REQUIRE(weft_fit_offset(&f, e, 8));
	CHECK_NEAR(f.a * pow(6000, f.b) + f.c, 3e-4 * pow(6000, 1.2) + 50, 0.05);
	CHECK(!weft_fit_offset(&f, e, 3));
	CHECK(isnan(f.a));
}

TEST(fit_products_of_powers)
{
	unsigned t0[] = {1, 0}, t1[] = {2, 1}, t2[] = {0, 3};
	unsigned *product[] = {t0, t1, t2};
	struct weft_fit_terms t = {product, 3, 2};
	static const double want[4] = {1.5, -2, 0.25, 7};
	double row[60][2], y[60], coeff[4];
	for (int i = 0; i < 60; i++) {
		row[i][0] = (double)(test_random() % 40);
		row[i][1] = (double)(test_random() % 20);
		y[i] = weft_fit_products(&t, want, row[i]);
	}
	REQUIRE(weft_fit_products_find(&t, row[0], y, 60, coeff) == 0);
	for (int i = 0; i < 4; i++)
		CHECK_NEAR(coeff[i], want[i], 1e-6);
	CHECK_I64(weft_fit_products_find(&t, row[0], y, 3, coeff), -EDOM);
	for (int i = 0; i < 60; i++)
		row[i][1] = 0;
	CHECK_I64(weft_fit_products_find(&t, row[0], y, 60, coeff), -EDOM);
}

/* 5 % of noise: coefficients within what the rows can say; with many sizes, alpha and beta likewise. */
TEST(fit_finds_what_noise_hides)
{
	unsigned nm[] = {1, 1}, n2[] = {2, 0}, *product[] = {nm, n2};
	struct weft_fit_terms t = {product, 2, 2};
	struct weft_model_fit f = {0};
	double row[4000][2], y[4000], coeff[3], abc[3], x[30], mean[30] = {0};
	for (int i = 0; i < 4000; i++) {
		row[i][0] = 1 + (double)(test_random() % 40);
		row[i][1] = 1 + (double)(test_random() % 40);
		y[i] = (30 + 2 * row[i][0] * row[i][1] + 0.5 * row[i][0] * row[i][0]) * noise(0.05);
	}
	REQUIRE(weft_fit_products_find(&t, row[0], y, 4000, coeff) == 0);
	CHECK_NEAR(coeff[0], 30, 6);
	CHECK_NEAR(coeff[1], 2, 0.02);
	CHECK_NEAR(coeff[2], 0.5, 0.02);
	for (int i = 0; i < 30; i++) {
		x[i] = 100 * pow(1.4, i);
		for (int k = 0; k < 50; k++) {
			mean[i] += (0.01 * pow(x[i], 1.2) + 40) * noise(0.05) / 50;
			CHECK(weft_fit_power_add(&f, (uint64_t)x[i], 0.25 * pow((double)(uint64_t)x[i], 1.3) * noise(0.05), 1));
		}
	}
	CHECK_NEAR(f.beta, 1.3, 0.002);
	CHECK_NEAR(f.alpha, 0.25, 0.004);
	REQUIRE(weft_fit_offset_points(&(struct weft_fit_points){x, mean, NULL, 30}, abc));
	CHECK_NEAR(abc[0], 0.01, 0.002);
	CHECK_NEAR(abc[1], 1.2, 0.02);
	CHECK_NEAR(abc[2], 40, 1);
}

/* A column that is a million times another, as M and M * N * K are, loses no digits. */
TEST(fit_products_of_far_sizes)
{
	unsigned cube[] = {3, 3}, one[] = {1, 0}, *product[] = {cube, one};
	struct weft_fit_terms t = {product, 2, 2};
	static const double want[3] = {12, 1e-12, 0.5};
	double row[100][2], y[100], coeff[3];
	for (int i = 0; i < 100; i++) {
		row[i][0] = 1000 + (double)(test_random() % 3000);
		row[i][1] = 1000 + (double)(test_random() % 3000);
		y[i] = weft_fit_products(&t, want, row[i]);
	}
	REQUIRE(weft_fit_products_find(&t, row[0], y, 100, coeff) == 0);
	CHECK_NEAR(coeff[0] / 12, 1, 1e-3);
	CHECK_NEAR(coeff[1] / 1e-12, 1, 1e-9);
	CHECK_NEAR(coeff[2] / 0.5, 1, 1e-5);
}

/* One in six took a hundred times as long: what the others say stays. Without such rows it is the plain fit. */
TEST(fit_products_of_interrupted_tasks)
{
	unsigned nm[] = {1, 1}, n2[] = {2, 0}, *product[] = {nm, n2};
	struct weft_fit_terms t = {product, 2, 2};
	double row[300][2], y[300], coeff[3], plain[3];
	bool far[300];
	unsigned left_out = 0;
	for (int i = 0; i < 300; i++) {
		row[i][0] = 1 + (double)(test_random() % 40);
		row[i][1] = 1 + (double)(test_random() % 40);
		y[i] = (30 + 2 * row[i][0] * row[i][1] + 0.5 * row[i][0] * row[i][0]) * noise(0.05);
	}
	REQUIRE(weft_fit_products_find(&t, row[0], y, 300, plain) == 0);
	REQUIRE(weft_fit_products_robust(&t, row[0], y, 300, coeff, far) == 0);
	for (int i = 0; i < 3; i++)
		CHECK_NEAR(coeff[i], plain[i], 1e-9);
	for (int i = 0; i < 300; i += 6)
		y[i] *= 100;
	REQUIRE(weft_fit_products_robust(&t, row[0], y, 300, coeff, far) == 0);
	for (int i = 0; i < 300; i++)
		left_out += far[i] && i % 6 == 0;
	CHECK_U64(left_out, 50);
	CHECK_NEAR(coeff[0], 30, 8);
	CHECK_NEAR(coeff[1], 2, 0.03);
	CHECK_NEAR(coeff[2], 0.5, 0.06);
	/* The plain one is bent. */
	REQUIRE(weft_fit_products_find(&t, row[0], y, 300, plain) == 0);
	CHECK(plain[1] > 5);
	CHECK_I64(weft_fit_products_robust(&t, row[0], y, 2, coeff, NULL), -EDOM);
}

TEST(fit_products_allocations_may_fail)
{
	unsigned n[] = {1}, *product[] = {n};
	struct weft_fit_terms t = {product, 1, 1};
	double x[5] = {1, 2, 3, 4, 5}, y[5] = {3, 5, 7, 9, 11}, coeff[2];
	TEST_EACH_ALLOCATION_FAILS {
		int rc = weft_fit_products_robust(&t, x, y, 5, coeff, NULL);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
	}
	CHECK_NEAR(coeff[1], 2, 1e-9);
}
