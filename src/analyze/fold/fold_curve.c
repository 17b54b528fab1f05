/* SPDX-License-Identifier: Apache-2.0 */
#include "fold_curve.h"
#include "base/map.h"
#include "smooth.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MOST = 512, CELLS_LEAST = 12, EACH = 8, ALPHAS = 16, WINDOWS = 50, IN_A_WINDOW = 10 };

/* ---- as BSC's ---- */

static double *places(unsigned steps)
{
	double *at = malloc((steps + (size_t)1) * sizeof *at);
	for (unsigned i = 0; at && i < steps; i++)
		at[i] = steps > 1 ? (double)i / (steps - 1) : 0;
	return at;
}

int weft_fold_kriging(const struct weft_fold_samples *s, double nugget, unsigned steps, double *y)
{
	struct weft_spline f = {0};
	double *x = malloc((s->n + 2) * 2 * sizeof *x), *v = x + s->n + 2, *at = places(steps);
	int rc = x && at ? 0 : -ENOMEM;
	if (!rc) {
		x[0] = v[0] = 0;
		memcpy(x + 1, s->x, s->n * sizeof *x);
		memcpy(v + 1, s->y, s->n * sizeof *v);
		x[s->n + 1] = v[s->n + 1] = 1;
		rc = weft_spline_fit(&f, x, v, NULL, s->n + 2, nugget / 12);
	}
	if (!rc)
		weft_spline_at(&f, at, steps, y);
	for (unsigned i = 0; i < steps && !rc; i++)
		y[i] = y[i] > 0 ? y[i] : 0;
	weft_spline_fini(&f);
	free(x);
	free(at);
	return rc;
}

void weft_fold_slope(const double *y, unsigned steps, double factor, double *slope)
{
	double most = y[0];
	slope[0] = 0;
	for (unsigned i = 1; i < steps; i++) {
		slope[i] = y[i] > most ? factor * steps * (y[i] - most) : 0;
		most = y[i] > most ? y[i] : most;
	}
}

int weft_fold_spread(const struct weft_fold_samples *s, size_t most, uint8_t *taken, size_t *n)
{
	size_t at = 0, count = 0;
	memset(taken, s->n <= most, s->n);
	*n = s->n <= most ? s->n : most;
	if (s->n <= most)
		return 0;
	for (size_t c = 0; c < most && at < s->n; c++) {
		double middle = ((double)c + 0.5) / (double)most;
		while (at + 1 < s->n && fabs(s->x[at + 1] - middle) <= fabs(s->x[at] - middle))
			at++;
		if (taken[at] && at + 1 < s->n)
			at++;
		count += !taken[at];
		taken[at] = 1;
	}
	for (uint64_t k = 0; count < most; k++) { /* the rest from anywhere, the same each time */
		size_t i = (size_t)(weft_hash_u64(k) % s->n);
		for (size_t step = 0; step < s->n && taken[i]; step++)
			i = i + 1 < s->n ? i + 1 : 0;
		taken[i] = 1;
		count++;
	}
	return 0;
}

/* ---- monotone ---- */

struct cells { /* means of samples by place; two halves, of even and of odd instances (or samples) */
	unsigned n;
	double *x, *y, *w; /* of all. Owned, as those below: one block, `x` */
	double *half_x[2], *half_y[2], *half_w[2];
};

static bool one_instance(const struct weft_fold_samples *s)
{
	for (size_t i = 1; i < s->n; i++)
		if (s->instance[i] != s->instance[0])
			return false;
	return true;
}

static void divide(double *x, double *y, const double *w, unsigned n)
{
	for (unsigned c = 0; c < n; c++)
		if (w[c] > 0) {
			x[c] /= w[c];
			y[c] /= w[c];
		}
}

static int make_cells(struct cells *c, const struct weft_fold_samples *s)
{
	size_t n = s->n / EACH;
	bool alone = one_instance(s);
	c->n = (unsigned)(n < CELLS_LEAST ? CELLS_LEAST : n > CELLS_MOST ? CELLS_MOST : n);
	double *room = calloc((size_t)c->n * 9, sizeof *room);
	if (!room)
		return -ENOMEM;
	c->x = room, c->y = room + c->n, c->w = room + 2 * c->n;
	for (unsigned h = 0; h < 2; h++) {
		c->half_x[h] = room + (3 + 3 * h) * c->n;
		c->half_y[h] = c->half_x[h] + c->n;
		c->half_w[h] = c->half_x[h] + 2 * c->n;
	}
	for (size_t i = 0; i < s->n; i++) {
		unsigned k = (unsigned)(s->x[i] * c->n), h = (alone ? i : s->instance[i]) & 1;
		k = k < c->n ? k : c->n - 1;
		c->x[k] += s->x[i];
		c->y[k] += s->y[i];
		c->w[k]++;
		c->half_x[h][k] += s->x[i];
		c->half_y[h][k] += s->y[i];
		c->half_w[h][k]++;
	}
	divide(c->x, c->y, c->w, c->n);
	divide(c->half_x[0], c->half_y[0], c->half_w[0], c->n);
	divide(c->half_x[1], c->half_y[1], c->half_w[1], c->n);
	return 0;
}

/* A spline through cells and, with great weight, through (0,0) and (1,1). */
static int fit(struct weft_spline *f, const double *x, const double *y, const double *w, unsigned n, double alpha)
{
	double *v = malloc((n + (size_t)2) * 3 * sizeof *v), total = 0;
	unsigned m = 0;
	if (!v)
		return -ENOMEM;
	double *vx = v, *vy = v + n + 2, *vw = v + 2 * ((size_t)n + 2);
	for (unsigned i = 0; i < n; i++)
		total += w[i];
	vx[m] = 0, vy[m] = 0, vw[m++] = 1000 * (total + 1);
	for (unsigned i = 0; i < n; i++)
		if (w[i] > 0 && x[i] > 0 && x[i] < 1) {
			vx[m] = x[i], vy[m] = y[i], vw[m++] = w[i];
		}
	vx[m] = 1, vy[m] = 1, vw[m++] = 1000 * (total + 1);
	int rc = weft_spline_fit(f, vx, vy, vw, m, alpha);
	free(v);
	return rc;
}

/* How far one half of the instances is from the curve of the other. */
static int mistold(const struct cells *c, double alpha, double *out)
{
	double *got = malloc(c->n * sizeof *got), *x = malloc(c->n * sizeof *x);
	int rc = got && x ? 0 : -ENOMEM;
	*out = 0;
	for (unsigned h = 0; h < 2 && !rc; h++) {
		struct weft_spline f = {0};
		unsigned m = 0;
		rc = fit(&f, c->half_x[h], c->half_y[h], c->half_w[h], c->n, alpha);
		if (rc)
			break;
		for (unsigned i = 0; i < c->n; i++)
			if (c->half_w[!h][i] > 0)
				x[m++] = c->half_x[!h][i];
		weft_spline_at(&f, x, m, got);
		for (unsigned i = 0, k = 0; i < c->n; i++)
			if (c->half_w[!h][i] > 0) {
				double d = got[k++] - c->half_y[!h][i];
				*out += c->half_w[!h][i] * d * d;
			}
		weft_spline_fini(&f);
	}
	free(got);
	free(x);
	return rc;
}

static int choose_alpha(const struct cells *c, size_t samples, double *alpha)
{
	double best = INFINITY, total = (double)samples;
	int rc = 0;
	for (unsigned k = 0; k < ALPHAS && !rc; k++) {
		double a = total * pow(10, -10 + 0.6 * k), wrong;
		rc = mistold(c, a, &wrong);
		if (!rc && wrong < best) {
			best = wrong;
			*alpha = a;
		}
	}
	return rc;
}

static uint32_t last_instance(const struct weft_fold_samples *s)
{
	uint32_t most = 0;
	for (size_t i = 0; i < s->n; i++)
		most = s->instance[i] > most ? s->instance[i] : most;
	return most;
}

struct window {
	double sum2, n;
	uint32_t instances;
};

/* What samples differ by from the curve, window by window. */
static int look_through(const struct weft_fold_samples *s, unsigned steps, const double *y, struct window *w, unsigned n)
{
	uint32_t *seen = calloc(last_instance(s) + (size_t)1, sizeof *seen); /* the last window in which it was, from 1 */
	if (!seen)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		unsigned k = (unsigned)(s->x[i] * n), at = (unsigned)(s->x[i] * (steps - 1));
		k = k < n ? k : n - 1;
		at = at + 1 < steps ? at : steps - 2;
		double part = s->x[i] * (steps - 1) - at, d = s->y[i] - (y[at] + part * (y[at + 1] - y[at]));
		w[k].sum2 += d * d;
		w[k].n++;
		w[k].instances += seen[s->instance[i]] != k + 1;
		seen[s->instance[i]] = k + 1;
	}
	free(seen);
	return 0;
}

/* 95 % of a mean: 1.96 standard deviations of what samples differ by near a place, over the root of how many instances they are of. */
static int band(const struct weft_fold_samples *s, unsigned steps, const double *y, double *low, double *high)
{
	struct window w[WINDOWS] = {{0}};
	unsigned n = s->n / IN_A_WINDOW < WINDOWS ? (unsigned)(s->n / IN_A_WINDOW) : WINDOWS;
	n = n ? n : 1;
	int rc = look_through(s, steps, y, w, n);
	for (unsigned i = 0; i < steps && !rc; i++) {
		unsigned k = (unsigned)((double)i / (steps - 1) * n);
		const struct window *x = &w[k < n ? k : n - 1];
		double half = x->n > 0 ? 1.96 * sqrt(x->sum2 / x->n / x->instances) : 1;
		low[i] = fmax(0, y[i] - half);
		high[i] = fmin(1, y[i] + half);
	}
	low[0] = high[0] = 0;
	low[steps - 1] = high[steps - 1] = 1;
	return rc;
}

static int monotone(const struct weft_fold_samples *s, const struct cells *c, unsigned steps, double *y)
{
	struct weft_spline f = {0};
	double alpha = 1e-6, *at = places(steps);
	int rc = at ? choose_alpha(c, s->n, &alpha) : -ENOMEM;
	rc = rc ? rc : fit(&f, c->x, c->y, c->w, c->n, alpha);
	if (!rc) {
		weft_spline_at(&f, at, steps, y);
		for (unsigned i = 0; i < steps; i++)
			y[i] = fmin(1, fmax(0, y[i]));
		y[0] = 0;
		y[steps - 1] = 1;
		rc = weft_isotonic(y, NULL, steps);
	}
	weft_spline_fini(&f);
	free(at);
	return rc;
}

int weft_fold_monotone(const struct weft_fold_samples *s, unsigned steps, double *y, double *low, double *high)
{
	struct cells c = {0};
	if (steps < 2)
		return -EINVAL;
	int rc = make_cells(&c, s);
	rc = rc ? rc : monotone(s, &c, steps, y);
	rc = rc ? rc : band(s, steps, y, low, high);
	free(c.x);
	return rc;
}
