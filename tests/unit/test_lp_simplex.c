/* SPDX-License-Identifier: Apache-2.0 */
/* The simplex: programs with known optima, those without one, degenerate ones, and random ones against their dual. */
#include "harness.h"
#include "lp/lp.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { MOST = 8 };

/* min c x, A x (sense) b. */
static int solve(unsigned m, unsigned n, double a[MOST][MOST], const enum lp_sense *sense, const double *b, const double *c,
                 double *x, double *least)
{
	struct lp l = {0};
	for (unsigned k = 0; k < n; k++)
		lp_col(&l, (struct lp_col){.name = "x", .cost = c[k], .most = INFINITY});
	for (unsigned r = 0; r < m; r++) {
		lp_row(&l, (struct lp_row){.name = "r", .sense = sense[r], .right = b[r]});
		for (unsigned k = 0; k < n; k++)
			if (a[r][k] != 0)
				lp_add(&l, k, a[r][k]);
	}
	int rc = lp_solve_relaxed(&l, x, least);
	lp_free(&l);
	return rc;
}

TEST(known_optima)
{
	static const struct {
		unsigned m, n;
		double a[MOST][MOST], b[MOST], c[MOST], least;
		enum lp_sense sense[MOST];
		int rc;
	} cases[] = {
		{2, 2, {{1, 2}, {3, 1}}, {14, 12}, {-3, -2}, -18, {LP_MOST, LP_MOST}, 0},
		{2, 2, {{1, 1}, {1, -1}}, {2, 0}, {1, 3}, 4, {LP_LEAST, LP_EXACT}, 0},
		{1, 1, {{-1}}, {-5}, {1}, 0, {LP_LEAST}, 0},                    /* x ≤ 5, turned round */
		{1, 1, {{-1}}, {-5}, {1}, 5, {LP_MOST}, 0},                     /* x ≥ 5, turned round */
		{2, 1, {{1}, {1}}, {1, 2}, {1}, 0, {LP_MOST, LP_LEAST}, -EDOM}, /* no x is both */
		{1, 2, {{1, -1}}, {1}, {-1, 0}, 0, {LP_MOST}, -EDOM},           /* no end */
		{3, 2, {{1, 1}, {2, 2}, {1, 0}}, {4, 8, 3}, {1, 2}, 5, {LP_EXACT, LP_EXACT, LP_MOST}, 0}, /* a row too many */
		/* Beale's, which the steepest column alone goes round in for ever. */
		{3,
	         4,
	         {{0.25, -60, -0.04, 9}, {0.5, -90, -0.02, 3}, {0, 0, 1, 0}},
	         {0, 0, 1},
	         {-0.75, 150, -0.02, 6},
	         -0.05,
	         {LP_MOST, LP_MOST, LP_MOST},
	         0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		double a[MOST][MOST], x[MOST], least;
		for (unsigned r = 0; r < MOST; r++)
			for (unsigned k = 0; k < MOST; k++)
				a[r][k] = cases[i].a[r][k];
		CHECK_I64(solve(cases[i].m, cases[i].n, a, cases[i].sense, cases[i].b, cases[i].c, x, &least), cases[i].rc);
		if (!cases[i].rc)
			CHECK_NEAR(least, cases[i].least, 1e-9);
	}
}

static double some(unsigned *state)
{
	*state = *state * 1664525 + 1013904223;
	return (double)(*state >> 12 & 0xff) / 16;
}

/* min c x, A x ≥ b has the optimum of max b y, Aᵀ y ≤ c. */
TEST(random_duals)
{
	static const enum lp_sense least_rows[MOST] = {LP_LEAST, LP_LEAST, LP_LEAST, LP_LEAST,
	                                               LP_LEAST, LP_LEAST, LP_LEAST, LP_LEAST};
	static const enum lp_sense most_rows[MOST] = {LP_MOST, LP_MOST, LP_MOST, LP_MOST, LP_MOST, LP_MOST, LP_MOST, LP_MOST};
	unsigned state = 7;
	for (int turn = 0; turn < 300; turn++) {
		unsigned m = 1 + (unsigned)turn % MOST, n = 1 + (unsigned)(turn / MOST) % MOST;
		double a[MOST][MOST] = {{0}}, t[MOST][MOST] = {{0}}, b[MOST], c[MOST], minus[MOST], x[MOST], y[MOST], primal,
		       dual;
		for (unsigned r = 0; r < m; r++)
			for (unsigned k = 0; k < n; k++)
				t[k][r] = a[r][k] = some(&state) + 0.1;
		for (unsigned r = 0; r < m; r++)
			minus[r] = -(b[r] = some(&state));
		for (unsigned k = 0; k < n; k++)
			c[k] = some(&state);
		CHECK_I64(solve(m, n, a, least_rows, b, c, x, &primal), 0);
		CHECK_I64(solve(n, m, t, most_rows, c, minus, y, &dual), 0);
		CHECK_NEAR(primal, -dual, 1e-6 * (1 + fabs(primal)));
		for (unsigned r = 0; r < m; r++) {
			double sum = 0;
			for (unsigned k = 0; k < n; k++)
				sum += a[r][k] * x[k];
			CHECK(sum >= b[r] - 1e-6);
		}
	}
}
