/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reinsch's algorithm: with h the distances of knots, Q the matrix of second differences and R that of the integral, the second derivatives
 * g solve (R + alpha · Qᵀ W⁻¹ Q) g = Qᵀ y, which has five diagonals, and f = y - alpha · W⁻¹ Q g.
 */
#include "smooth.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double APART = 1e-9;

void weft_spline_fini(struct weft_spline *s)
{
	free(s->x);
	free(s->y);
	free(s->second);
	*s = (struct weft_spline){0};
}

/* Measurements at one place become one, with the sum of their weights. Their count; w2 gets the weights. */
static size_t merge(const double *x, const double *y, const double *w, size_t n, double *x2, double *y2, double *w2)
{
	size_t m = 0;
	for (size_t i = 0; i < n; i++) {
		double weight = w ? w[i] : 1;
		if (!(weight > 0))
			continue;
		if (m && x[i] - x2[m - 1] < APART) {
			w2[m - 1] += weight;
			y2[m - 1] += weight * (y[i] - y2[m - 1]) / w2[m - 1];
			continue;
		}
		x2[m] = x[i];
		y2[m] = y[i];
		w2[m++] = weight;
	}
	return m;
}

struct bands { /* of the symmetric matrix: diagonal, and the two above it; right side; h and 1/w of the knots */
	double *a, *b, *c, *g, *h;
};

/* Row j of Q, as the factors of knots j, j + 1, j + 2. */
static void second_difference(const double *h, size_t j, double q[3])
{
	q[0] = 1 / h[j];
	q[2] = 1 / h[j + 1];
	q[1] = -q[0] - q[2];
}

static void fill(struct bands *m, const struct weft_spline *s, const double *w, double alpha)
{
	size_t rows = s->n - 2;
	for (size_t i = 0; i + 1 < s->n; i++)
		m->h[i] = s->x[i + 1] - s->x[i];
	for (size_t j = 0; j < rows; j++) {
		double q[3], r[3], t[3];
		second_difference(m->h, j, q);
		m->a[j] = (m->h[j] + m->h[j + 1]) / 3 +
		          alpha * (q[0] * q[0] / w[j] + q[1] * q[1] / w[j + 1] + q[2] * q[2] / w[j + 2]);
		m->g[j] = q[0] * s->y[j] + q[1] * s->y[j + 1] + q[2] * s->y[j + 2];
		m->b[j] = m->c[j] = 0;
		if (j + 1 < rows) {
			second_difference(m->h, j + 1, r);
			m->b[j] = m->h[j + 1] / 6 + alpha * (q[1] * r[0] / w[j + 1] + q[2] * r[1] / w[j + 2]);
		}
		if (j + 2 < rows) {
			second_difference(m->h, j + 2, t);
			m->c[j] = alpha * q[2] * t[0] / w[j + 2];
		}
	}
}

/* By L D Lᵀ, in place: g becomes the solution. */
static void solve(struct bands *m, size_t n)
{
	for (size_t j = 0; j < n; j++) {
		if (j >= 1) {
			double l = m->b[j - 1] / m->a[j - 1];
			m->a[j] -= l * m->b[j - 1];
			m->b[j] -= l * m->c[j - 1];
			m->g[j] -= l * m->g[j - 1];
		}
		if (j >= 2) {
			double l = m->c[j - 2] / m->a[j - 2];
			m->a[j] -= l * m->c[j - 2];
			m->g[j] -= l * m->g[j - 2];
		}
	}
	for (size_t j = n; j-- > 0;) {
		double v = m->g[j];
		v -= j + 1 < n ? m->b[j] * m->g[j + 1] : 0;
		v -= j + 2 < n ? m->c[j] * m->g[j + 2] : 0;
		m->g[j] = v / m->a[j];
	}
}

static int smooth(struct weft_spline *s, const double *w, double alpha)
{
	size_t rows = s->n - 2;
	double *room = malloc(5 * s->n * sizeof *room);
	if (!room)
		return -ENOMEM;
	struct bands m = {room, room + s->n, room + 2 * s->n, room + 3 * s->n, room + 4 * s->n};
	fill(&m, s, w, alpha);
	solve(&m, rows);
	for (size_t j = 0; j < rows; j++) {
		double q[3];
		second_difference(m.h, j, q);
		s->second[j + 1] = m.g[j];
		for (unsigned k = 0; k < 3; k++)
			s->y[j + k] -= alpha * q[k] * m.g[j] / w[j + k];
	}
	free(room);
	return 0;
}

/* Two knots, or all weight on a line: the line of least squares is what two knots have anyway. */
int weft_spline_fit(struct weft_spline *s, const double *x, const double *y, const double *w, size_t n, double alpha)
{
	*s = (struct weft_spline){0};
	if (!n || !(alpha >= 0))
		return -EINVAL;
	s->x = malloc(n * sizeof *s->x);
	s->y = malloc(n * sizeof *s->y);
	s->second = calloc(n, sizeof *s->second);
	double *weight = malloc(n * sizeof *weight);
	int rc = s->x && s->y && s->second && weight ? 0 : -ENOMEM;
	if (!rc) {
		s->n = merge(x, y, w, n, s->x, s->y, weight);
		rc = !s->n ? -EINVAL : s->n > 2 ? smooth(s, weight, alpha) : 0;
	}
	free(weight);
	if (rc)
		weft_spline_fini(s);
	return rc;
}

static double inside(const struct weft_spline *s, size_t i, double x)
{
	double h = s->x[i + 1] - s->x[i], a = (s->x[i + 1] - x) / h, b = (x - s->x[i]) / h;
	double bend = ((a * a * a - a) * s->second[i] + (b * b * b - b) * s->second[i + 1]) * h * h / 6;
	return a * s->y[i] + b * s->y[i + 1] + bend;
}

/* How steep it is at an end: `last` 0 or n - 1. */
static double slope_at_end(const struct weft_spline *s, bool last)
{
	size_t i = last ? s->n - 2 : 0;
	double h = s->x[i + 1] - s->x[i], chord = (s->y[i + 1] - s->y[i]) / h;
	return last ? chord + h * (s->second[i] + 2 * s->second[i + 1]) / 6
	            : chord - h * (2 * s->second[i] + s->second[i + 1]) / 6;
}

void weft_spline_at(const struct weft_spline *s, const double *at, size_t count, double *out)
{
	size_t k = 0;
	for (size_t i = 0; i < count; i++) {
		if (s->n == 1) {
			out[i] = s->y[0];
		} else if (at[i] < s->x[0]) {
			out[i] = s->y[0] + slope_at_end(s, false) * (at[i] - s->x[0]);
		} else if (at[i] > s->x[s->n - 1]) {
			out[i] = s->y[s->n - 1] + slope_at_end(s, true) * (at[i] - s->x[s->n - 1]);
		} else {
			while (k + 2 < s->n && at[i] > s->x[k + 1])
				k++;
			out[i] = inside(s, k, at[i]);
		}
	}
}

int weft_isotonic(double *y, const double *w, size_t n)
{
	struct pool { /* neighbours that share a value */
		double value, weight;
		size_t n;
	} *pool = malloc((n + 1) * sizeof *pool);
	size_t k = 0;
	if (!pool)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		pool[k++] = (struct pool){y[i], w ? w[i] : 1, 1};
		while (k > 1 && pool[k - 2].value > pool[k - 1].value) {
			struct pool *a = &pool[k - 2], *b = &pool[k - 1];
			double weight = a->weight + b->weight;
			a->value = weight > 0 ? (a->value * a->weight + b->value * b->weight) / weight : a->value;
			a->weight = weight;
			a->n += b->n;
			k--;
		}
	}
	for (size_t p = 0, i = 0; p < k; p++)
		for (size_t c = 0; c < pool[p].n; c++)
			y[i++] = pool[p].value;
	free(pool);
	return 0;
}
