/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search works on sums alone: with every row divided by its y, the products of all columns (intercept, candidates, y) are summed
 * once; a set of columns is then judged by a Cholesky factorisation of a few rows of that matrix, whatever the number of rows was.
 * Sets of up to EXHAUSTIVE terms are tried all, larger ones grow from the best by one. Columns are scaled to length 1, and sums are of
 * long doubles: what is left of y's length when it is explained is a difference of nearly equal numbers.
 */
#include "fit_search.h"
#include "fit.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 400, EXHAUSTIVE = 3, MOST_TRIPLES = 160 };

/* What rounding leaves of y. */
static const long double explained = 1e-12L;

struct search {
	const struct weft_fit_rows *all, *rows;                   /* all of them, and those that are looked at */
	uint32_t n;                                               /* candidates */
	unsigned *power;                                          /* owned; n × n_parameters */
	long double *gram;                                        /* owned; (n + 2)²: intercept, candidates, y */
	uint32_t set[WEFT_SEARCH_TERMS], best[WEFT_SEARCH_TERMS]; /* columns, from 1 */
	long double least;                                        /* of the best set of this size: what it leaves of y */
};

/* -- candidates -- */

/* All exponents of the parameters from `k` on that sum up to `left`; -ENOSPC when there are too many. */
static int add_candidates(struct search *s, unsigned *power, uint32_t k, uint32_t left)
{
	uint32_t p = s->rows->n_parameters;
	if (k == p) {
		bool any = false;
		for (uint32_t i = 0; i < p; i++)
			any = any || power[i];
		if (!any)
			return 0;
		if (s->n == CANDIDATES)
			return -ENOSPC;
		memcpy(s->power + (size_t)s->n++ * p, power, p * sizeof *power);
		return 0;
	}
	int rc = 0;
	for (power[k] = 0; power[k] <= left && !rc; power[k]++)
		rc = add_candidates(s, power, k + 1, left - power[k]);
	power[k] = 0;
	return rc;
}

static uint32_t degree_of(const unsigned *power, uint32_t p)
{
	uint32_t sum = 0;
	for (uint32_t i = 0; i < p; i++)
		sum += power[i];
	return sum;
}

/* The simple ones first, so that they win where others do no better. */
static int make_candidates(struct search *s, uint32_t degree)
{
	uint32_t p = s->rows->n_parameters;
	unsigned power[WEFT_SEARCH_PARAMETERS] = {0};
	s->power = calloc((size_t)CANDIDATES * (p ? p : 1), sizeof *s->power);
	if (!s->power)
		return -ENOMEM;
	int rc = -ENOSPC;
	for (; degree && rc == -ENOSPC; degree--) {
		s->n = 0;
		rc = add_candidates(s, power, 0, degree);
		memset(power, 0, sizeof power);
	}
	for (uint32_t i = 1; i < s->n && !rc; i++)
		for (uint32_t k = i; k && degree_of(s->power + (size_t)k * p, p) < degree_of(s->power + (size_t)(k - 1) * p, p);
		     k--)
			for (uint32_t j = 0; j < p; j++) {
				unsigned *a = s->power + (size_t)k * p + j, *b = a - p, was = *a;
				*a = *b;
				*b = was;
			}
	return rc ? -EDOM : 0;
}

/* -- sums -- */

static void fill_row(const struct search *s, uint32_t row, long double *x)
{
	uint32_t p = s->rows->n_parameters;
	const double *cell = s->rows->cell + (size_t)row * (p + 1);
	for (uint32_t i = 0; i < s->n; i++) {
		long double v = 1;
		for (uint32_t k = 0; k < p; k++)
			v *= powl(cell[1 + k], s->power[(size_t)i * p + k]);
		x[i + 1] = v / cell[0];
	}
	x[0] = 1 / (long double)cell[0];
	x[s->n + 1] = 1;
}

static int sum_products(struct search *s)
{
	size_t m = s->n + 2;
	s->gram = calloc(m * m + m, sizeof *s->gram);
	if (!s->gram)
		return -ENOMEM;
	long double *x = s->gram + m * m;
	for (uint32_t row = 0; row < s->rows->n; row++) {
		if (!(s->rows->cell[(size_t)row * (s->rows->n_parameters + 1)] > 0))
			continue;
		fill_row(s, row, x);
		for (size_t i = 0; i < m; i++)
			for (size_t k = 0; k <= i; k++)
				s->gram[i * m + k] += x[i] * x[k];
	}
	for (size_t i = 0; i < m; i++)
		x[i] = s->gram[i * m + i] > 0 ? 1 / sqrtl(s->gram[i * m + i]) : 0;
	for (size_t i = 0; i < m; i++)
		for (size_t k = 0; k <= i; k++) {
			s->gram[i * m + k] *= x[i] * x[k];
			s->gram[k * m + i] = s->gram[i * m + k];
		}
	return 0;
}

/* What the columns of the set (and the intercept) leave of y, of 1; more than 1: they depend on each other. */
static long double left_by(const struct search *s, uint32_t n)
{
	long double l[WEFT_SEARCH_TERMS + 2][WEFT_SEARCH_TERMS + 2];
	size_t m = s->n + 2, column[WEFT_SEARCH_TERMS + 2] = {0};
	for (uint32_t i = 0; i < n; i++)
		column[i + 1] = s->set[i];
	column[n + 1] = m - 1;
	for (uint32_t i = 0; i < n + 2; i++)
		for (uint32_t k = 0; k <= i; k++) {
			long double v = s->gram[column[i] * m + column[k]];
			for (uint32_t j = 0; j < k; j++)
				v -= l[i][j] * l[k][j];
			if (i == k && i == n + 1)
				return v;
			if (i == k && !(v > 1e-13L))
				return 2;
			l[i][k] = i == k ? sqrtl(v) : v / l[k][k];
		}
	return 2;
}

/* -- sets -- */

static void judge(struct search *s, uint32_t n)
{
	long double left = left_by(s, n);
	/* A more complicated set must be better by more than rounding. */
	if (left > 1 || !(left < s->least - 1e-13L))
		return;
	s->least = left;
	memcpy(s->best, s->set, sizeof s->best);
}

static void try_sets(struct search *s, uint32_t at, uint32_t n)
{
	if (at == n) {
		judge(s, n);
		return;
	}
	for (uint32_t c = at ? s->set[at - 1] + 1 : 1; c <= s->n; c++) {
		s->set[at] = c;
		try_sets(s, at + 1, n);
	}
}

static bool has(const struct search *s, uint32_t n, uint32_t column)
{
	for (uint32_t i = 0; i < n; i++)
		if (s->set[i] == column)
			return true;
	return false;
}

static void grow_set(struct search *s, uint32_t n)
{
	memcpy(s->set, s->best, sizeof s->set);
	for (uint32_t c = 1; c <= s->n; c++) {
		if (has(s, n - 1, c))
			continue;
		s->set[n - 1] = c;
		judge(s, n);
	}
}

/* -- equations -- */

static void judge_equation(const struct weft_fit_terms *t, const double *x, const double *y, const bool *far,
                           struct weft_fit_equation *e, uint32_t n)
{
	double mean = 0, all = 0, left = 0;
	e->n_far = 0;
	for (uint32_t i = 0; i < n; i++)
		e->n_far += far[i];
	double counted = n - e->n_far;
	for (uint32_t i = 0; i < n; i++)
		mean += far[i] ? 0 : y[i] / counted;
	e->error = 0;
	for (uint32_t i = 0; i < n; i++) {
		double off = weft_fit_products(t, e->coeff, x + (size_t)i * t->n_parameters) - y[i];
		if (far[i])
			continue;
		all += (y[i] - mean) * (y[i] - mean);
		left += off * off;
		e->error += y[i] > 0 ? fabs(off) / y[i] / counted : 0;
	}
	e->r2 = all > 0 && e->n_terms ? 1 - left / all : 0;
}

int weft_fit_equation(const struct weft_fit_rows *rows, struct weft_fit_equation *e, bool *far)
{
	uint32_t p = rows->n_parameters;
	unsigned *product[WEFT_SEARCH_TERMS];
	for (uint32_t i = 0; i < e->n_terms; i++)
		product[i] = e->power[i];
	struct weft_fit_terms terms = {product, e->n_terms, p};
	double *x = malloc(((size_t)p + 1) * (rows->n + 1) * sizeof *x), *y = x + (size_t)p * rows->n;
	bool *own = calloc((size_t)rows->n + 1, sizeof *own);
	int rc = x && own ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < rows->n && !rc; i++) {
		memcpy(x + (size_t)i * p, rows->cell + (size_t)i * (p + 1) + 1, p * sizeof *x);
		y[i] = rows->cell[(size_t)i * (p + 1)];
	}
	rc = rc ? rc : weft_fit_products_robust(&terms, x, y, rows->n, e->coeff, own);
	if (!rc) {
		judge_equation(&terms, x, y, own, e, rows->n);
		if (far)
			memcpy(far, own, rows->n * sizeof *far);
	}
	free(x);
	free(own);
	return rc;
}

/* What rounding leaves is nothing: exact rows are explained by the fewest terms that do. */
static double criterion(long double left, uint32_t n, uint32_t terms)
{
	return n * (double)logl((left > explained ? left : explained) / n) + (terms + 2) * log(n);
}

static int keep(struct search *s, uint32_t n, struct weft_fit_found *out)
{
	struct weft_fit_equation *e = &out->equation[n];
	uint32_t p = s->rows->n_parameters;
	*e = (struct weft_fit_equation){.n_terms = n, .bic = criterion(s->least, s->rows->n, n)};
	for (uint32_t i = 0; i < n; i++)
		memcpy(e->power[i], s->power + (size_t)(s->best[i] - 1) * p, p * sizeof *s->power);
	int rc = weft_fit_equation(s->all, e, NULL);
	if (!rc && (!out->n || e->bic < out->equation[out->best].bic))
		out->best = n;
	out->n += !rc;
	return rc;
}

static int search(const struct weft_fit_rows *all, const struct weft_fit_rows *rows, uint32_t degree, uint32_t most_terms,
                  struct weft_fit_found *out)
{
	struct search s = {.all = all, .rows = rows};
	memset(out, 0, sizeof *out);
	int rc = make_candidates(&s, degree);
	rc = rc ? rc : sum_products(&s);
	for (uint32_t n = 0; n <= most_terms && n <= s.n && n + 1 < rows->n && !rc; n++) {
		s.least = 1.5L;
		if (n <= EXHAUSTIVE && (n < EXHAUSTIVE || s.n <= MOST_TRIPLES))
			try_sets(&s, 0, n);
		else
			grow_set(&s, n);
		/* No set of this size is independent: no larger one is. */
		int stop = s.least > 1 ? -EDOM : keep(&s, n, out);
		rc = stop == -ENOMEM ? stop : 0;
		/* What is explained needs no further terms. */
		if (stop || s.least < explained)
			break;
	}
	out->candidates = s.n;
	free(s.power);
	free(s.gram);
	return rc ? rc : out->n ? 0 : -EDOM;
}

/* The rows that are not far from the best equation so far; their number goes to *near. */
static int near_rows(const struct weft_fit_rows *rows, const struct weft_fit_found *found, double *room, bool *far,
                     uint32_t *near)
{
	size_t wide = rows->n_parameters + (size_t)1;
	struct weft_fit_equation e = found->equation[found->best];
	uint32_t n = 0;
	int rc = weft_fit_equation(rows, &e, far);
	for (uint32_t i = 0; i < rows->n; i++)
		if (!rc && !far[i])
			memcpy(room + wide * n++, rows->cell + wide * i, wide * sizeof *room);
	*near = n;
	return rc;
}

int weft_fit_search(const struct weft_fit_rows *rows, uint32_t degree, uint32_t most_terms, struct weft_fit_found *out)
{
	memset(out, 0, sizeof *out);
	if (rows->n < 3 || rows->n_parameters > WEFT_SEARCH_PARAMETERS)
		return -EDOM;
	double *room = malloc((rows->n_parameters + (size_t)1) * rows->n * sizeof *room);
	bool *far = calloc(rows->n, sizeof *far);
	int rc = room && far ? search(rows, rows, degree, most_terms, out) : -ENOMEM;
	for (int round = 0; round < 2 && !rc; round++) {
		uint32_t n;
		rc = near_rows(rows, out, room, far, &n);
		if (rc || n == rows->n || n < 3)
			break;
		struct weft_fit_rows some = {room, n, rows->n_parameters};
		rc = search(rows, &some, degree, most_terms, out);
	}
	free(room);
	free(far);
	return rc;
}
