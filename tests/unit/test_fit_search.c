/* SPDX-License-Identifier: Apache-2.0 */
/* The search finds the equations that rows were made from, exact and with noise, and no term that is not there. */
#include "harness.h"
#include "models/fit_search.h"
#include <errno.h>
#include <math.h>
#include <string.h>

enum { ROWS = 200, MOST = 4 };

struct truth {
	uint32_t n_parameters, n_terms;
	unsigned power[3][3];
	double coeff[4]; /* the intercept first */
};

static double uniform(void)
{
	return (double)(test_random() % 1000000) / 1e6;
}
/* Normal enough: of twelve. */
static double normal(void)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum;
}

static void make(const struct truth *t, double noise, double *cell)
{
	for (int row = 0; row < ROWS; row++) {
		double *at = cell + row * (t->n_parameters + 1), y = t->coeff[0];
		for (uint32_t k = 0; k < t->n_parameters; k++)
			at[1 + k] = 8 + (double)(test_random() % 120);
		for (uint32_t i = 0; i < t->n_terms; i++) {
			double v = t->coeff[i + 1];
			for (uint32_t k = 0; k < t->n_parameters; k++)
				v *= pow(at[1 + k], t->power[i][k]);
			y += v;
		}
		at[0] = y * (1 + noise * normal());
	}
}

static bool has_term(const struct weft_fit_equation *e, const unsigned *power, uint32_t n, uint32_t *at)
{
	for (*at = 0; *at < e->n_terms; ++*at)
		if (!memcmp(e->power[*at], power, n * sizeof *power))
			return true;
	return false;
}

static void check_found(const struct truth *t, const struct weft_fit_found *f, double most)
{
	const struct weft_fit_equation *e = &f->equation[f->best];
	uint32_t at;
	CHECK_U64(e->n_terms, t->n_terms);
	CHECK_NEAR(e->coeff[0] / t->coeff[0], 1, most * 100);
	for (uint32_t i = 0; i < t->n_terms; i++) {
		REQUIRE(has_term(e, t->power[i], t->n_parameters, &at));
		CHECK_NEAR(e->coeff[at + 1] / t->coeff[i + 1], 1, most);
	}
}

static const struct truth truths[] = {
	{1, 1, {{3}}, {40, 0.01}},
	{2, 2, {{1, 1}, {2, 0}}, {30, 2, 0.5}},
	{3, 1, {{1, 1, 1}}, {5, 0.002}},
	{3, 2, {{1, 1, 1}, {1, 1, 0}}, {50, 0.004, 0.7}},
	{3, 3, {{1, 0, 0}, {0, 2, 0}, {0, 1, 2}}, {1, 7, 0.3, 0.01}},
};

TEST(fit_search_exact)
{
	double cell[ROWS * 4];
	struct weft_fit_found f;
	for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
		make(&truths[i], 0, cell);
		struct weft_fit_rows rows = {cell, ROWS, truths[i].n_parameters};
		REQUIRE(weft_fit_search(&rows, 3, MOST, &f) == 0);
		check_found(&truths[i], &f, 1e-6);
		CHECK_NEAR(f.equation[f.best].r2, 1, 1e-9);
	}
}

/* 3 % of noise on each duration: the equation is found, its coefficients within what so many rows can say. */
TEST(fit_search_with_noise)
{
	double cell[ROWS * 4];
	struct weft_fit_found f;
	for (size_t i = 0; i < 3; i++) {
		make(&truths[i], 0.03, cell);
		struct weft_fit_rows rows = {cell, ROWS, truths[i].n_parameters};
		REQUIRE(weft_fit_search(&rows, 3, MOST, &f) == 0);
		const struct weft_fit_equation *e = &f.equation[f.best];
		uint32_t at;
		for (uint32_t k = 0; k < truths[i].n_terms; k++) {
			REQUIRE(has_term(e, truths[i].power[k], truths[i].n_parameters, &at));
			CHECK_NEAR(e->coeff[at + 1] / truths[i].coeff[k + 1], 1, 0.1);
		}
		CHECK(e->n_terms <= truths[i].n_terms + 1);
		CHECK_NEAR(e->error, 0.03 * sqrt(2 / 3.14159), 0.02);
	}
}

/* A tenth of the tasks was interrupted, and took up to a thousand times as long. */
TEST(fit_search_with_interrupted_tasks)
{
	double cell[ROWS * 4];
	struct weft_fit_found f;
	for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
		uint32_t wide = truths[i].n_parameters + 1, at;
		make(&truths[i], 0.01, cell);
		for (uint32_t row = 0; row < ROWS; row += 10)
			cell[row * wide] *= 5 + (double)(test_random() % 1000);
		struct weft_fit_rows rows = {cell, ROWS, truths[i].n_parameters};
		REQUIRE(weft_fit_search(&rows, 3, MOST, &f) == 0);
		const struct weft_fit_equation *e = &f.equation[f.best];
		CHECK_U64(e->n_far, ROWS / 10);
		/* The term that matters most. */
		uint32_t main_term = i == 1 || i == 3 ? 0 : truths[i].n_terms - 1;
		REQUIRE(has_term(e, truths[i].power[main_term], truths[i].n_parameters, &at));
		CHECK_NEAR(e->coeff[at + 1] / truths[i].coeff[main_term + 1], 1, 0.1);
		CHECK(e->r2 > 0.98);
	}
}

TEST(fit_search_of_nothing)
{
	double cell[ROWS * 2];
	struct weft_fit_found f;
	for (int i = 0; i < ROWS; i++) {
		cell[2 * i] = 100;
		cell[2 * i + 1] = (double)(i % 17);
	}
	REQUIRE(weft_fit_search(&(struct weft_fit_rows){cell, ROWS, 1}, 3, MOST, &f) == 0);
	CHECK_U64(f.best, 0);
	CHECK_NEAR(f.equation[0].coeff[0], 100, 1e-9);
	CHECK_I64(weft_fit_search(&(struct weft_fit_rows){cell, 2, 1}, 3, MOST, &f), -EDOM);
	CHECK(f.n == 0 && f.best == 0);
	/* One value of the parameter says nothing of it. */
	for (int i = 0; i < ROWS; i++)
		cell[2 * i + 1] = 7;
	REQUIRE(weft_fit_search(&(struct weft_fit_rows){cell, ROWS, 1}, 3, MOST, &f) == 0);
	CHECK_U64(f.best, 0);
	CHECK_U64(f.n, 1);
}

TEST(fit_search_allocations_may_fail)
{
	double cell[ROWS * 2];
	static struct weft_fit_found f;
	make(&truths[0], 0, cell);
	TEST_EACH_ALLOCATION_FAILS {
		int rc = weft_fit_search(&(struct weft_fit_rows){cell, ROWS, 1}, 2, 2, &f);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
	}
}
