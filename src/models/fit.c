/* SPDX-License-Identifier: Apache-2.0 */
/* Least squares in the three shapes of fit.h. */
#include "fit.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* -- y = alpha x^beta, from sums -- */

static void power_solve(struct weft_model_fit *f)
{
	double n = f->n;
	double det = n * f->sum_lnx2 - f->sum_lnx * f->sum_lnx;
	/* One size only: rounding leaves a determinant that is small beside its terms. */
	if (f->min_x >= f->max_x || det <= 1e-12 * n * f->sum_lnx2) {
		f->alpha = f->beta = NAN;
		return;
	}
	f->beta = (n * f->sum_lnx_lny - f->sum_lnx * f->sum_lny) / det;
	f->alpha = exp((f->sum_lny - f->beta * f->sum_lnx) / n);
}

bool weft_fit_power_add(struct weft_model_fit *f, uint64_t x, double y, uint32_t times)
{
	if (!x || !(y > 0) || isinf(y))
		return false;
	double lnx = log((double)x), lny = log(y);
	if (!f->n || x < f->min_x)
		f->min_x = x;
	if (!f->n || x > f->max_x)
		f->max_x = x;
	f->n += times;
	f->sum_lnx += lnx * times;
	f->sum_lnx2 += lnx * lnx * times;
	f->sum_lny += lny * times;
	f->sum_lnx_lny += lnx * lny * times;
	power_solve(f);
	return true;
}

bool weft_fit_power_valid(const struct weft_model_fit *f, uint32_t min_samples)
{
	return f->n >= min_samples && (double)f->min_x < 0.9 * (double)f->max_x && !isnan(f->alpha) && !isnan(f->beta);
}

/* -- y = a x^b + c -- */

struct line {
	double ln_a, b, error; /* error: sum of the squared relative distances of y */
};

/* The best line through (ln x, ln (y - c)); false: fewer than two different x. */
static bool line_at(const struct weft_fit_points *p, double c, struct line *out)
{
	double w = 0, sx = 0, sx2 = 0, sy = 0, sxy = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		double k = p->weight ? p->weight[i] : 1, lnx = log(p->x[i]), lny = log(p->y[i] - c);
		w += k;
		sx += k * lnx;
		sx2 += k * lnx * lnx;
		sy += k * lny;
		sxy += k * lnx * lny;
	}
	double det = w * sx2 - sx * sx;
	if (!(det > 1e-12 * w * sx2))
		return false;
	*out = (struct line){.b = (w * sxy - sx * sy) / det};
	out->ln_a = (sy - out->b * sx) / w;
	for (uint32_t i = 0; i < p->n; i++) {
		double k = p->weight ? p->weight[i] : 1, off = exp(out->ln_a + out->b * log(p->x[i])) + c - p->y[i];
		out->error += k * off * off / (p->y[i] * p->y[i]);
	}
	return !isnan(out->error);
}

/*
 * c lies in [0, the smallest y). The error has one valley over the range in practice, but it is steep near the end: a coarse
 * scan, dense towards the smallest y, finds the valley, and a golden section its ground.
 */
bool weft_fit_offset_points(const struct weft_fit_points *p, double abc[3])
{
	enum { SCAN = 64, STEPS = 80 };
	double least = INFINITY;
	for (uint32_t i = 0; i < p->n; i++) {
		if (!(p->x[i] > 0) || !(p->y[i] > 0))
			return false;
		least = fmin(least, p->y[i]);
	}
	struct line l, best = {.error = INFINITY};
	double at[SCAN + 1];
	int k = -1;
	for (int i = 0; i <= SCAN; i++) {
		at[i] = i == SCAN ? least * (1 - 1e-9) : least * (1 - pow(0.8, i));
		if (line_at(p, at[i], &l) && l.error < best.error) {
			best = l;
			k = i;
		}
	}
	if (p->n < 2 || k < 0)
		return false;
	double from = at[k ? k - 1 : 0], to = at[k < SCAN ? k + 1 : SCAN], c = at[k];
	for (int i = 0; i < STEPS; i++) {
		double left = to - (to - from) * 0.6180339887498949, right = from + (to - from) * 0.6180339887498949;
		struct line a, b;
		if (!line_at(p, left, &a) || !line_at(p, right, &b))
			break;
		bool in_left = a.error < b.error;
		if ((in_left ? a.error : b.error) < best.error) {
			best = in_left ? a : b;
			c = in_left ? left : right;
		}
		if (in_left)
			to = right;
		else
			from = left;
	}
	abc[0] = exp(best.ln_a);
	abc[1] = best.b;
	abc[2] = c;
	return isfinite(abc[0]) && isfinite(abc[1]);
}

bool weft_fit_offset(struct weft_model_fit *f, const struct weft_model_entry *entry, uint32_t n)
{
	double *room = calloc(n ? n : 1, 3 * sizeof *room), abc[3];
	f->a = f->b = f->c = NAN;
	if (!room)
		return false;
	struct weft_fit_points p = {.x = room, .y = room + n, .weight = room + 2 * n};
	for (uint32_t i = 0; i < n; i++) {
		if (!entry[i].n || !entry[i].size || !(entry[i].mean > 0))
			continue;
		room[p.n] = (double)entry[i].size;
		room[n + p.n] = entry[i].mean;
		room[2 * n + p.n++] = entry[i].n;
	}
	bool ok = p.n >= 3 && weft_fit_offset_points(&p, abc);
	if (ok) {
		f->a = abc[0];
		f->b = abc[1];
		f->c = abc[2];
	}
	free(room);
	return ok;
}

/* -- sums of products -- */

double weft_fit_term(const struct weft_fit_terms *t, uint32_t term, const double *parameter)
{
	double v = 1;
	for (uint32_t k = 0; k < t->n_parameters; k++)
		v *= pow(parameter[k], t->product[term][k]);
	return v;
}

double weft_fit_products(const struct weft_fit_terms *t, const double *coeff, const double *parameter)
{
	double v = coeff[0];
	for (uint32_t i = 0; i < t->n_terms; i++)
		v += coeff[i + 1] * weft_fit_term(t, i, parameter);
	return v;
}

/* Householder: column k of the n × m matrix (by rows) is reflected onto its first element, and so are those to its right, and y. */
static bool reflect(double *matrix, double *y, uint32_t n, uint32_t m, uint32_t k)
{
	double norm = 0, all = 0;
	for (uint32_t i = 0; i < n; i++) {
		double v = matrix[(size_t)i * m + k];
		all += v * v;
		norm += i >= k ? v * v : 0;
	}
	if (!(norm > 1e-20 * all) || !(norm > 0))
		return false;
	double *top = &matrix[(size_t)k * m + k], alpha = *top > 0 ? -sqrt(norm) : sqrt(norm), beta = 1 / (norm - *top * alpha);
	*top -= alpha;
	for (uint32_t j = k + 1; j <= m; j++) {
		double dot = 0;
		for (uint32_t i = k; i < n; i++)
			dot += matrix[(size_t)i * m + k] * (j < m ? matrix[(size_t)i * m + j] : y[i]);
		for (uint32_t i = k; i < n; i++)
			*(j < m ? &matrix[(size_t)i * m + j] : &y[i]) -= beta * dot * matrix[(size_t)i * m + k];
	}
	*top = alpha;
	return true;
}

/* By all rows, or those with keep[i]; each times weight[i]. NULL: all, and as they are. */
static int solve(const struct weft_fit_terms *t, const struct weft_fit_points *p, const bool *keep, double *coeff)
{
	uint32_t m = t->n_terms + 1, n = 0;
	double *matrix = calloc((size_t)p->n * m + p->n + 1, sizeof *matrix), *right = matrix + (size_t)p->n * m;
	if (!matrix)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->n; i++) {
		double w = p->weight ? p->weight[i] : 1;
		if (keep && !keep[i])
			continue;
		matrix[(size_t)n * m] = w;
		for (uint32_t k = 1; k < m; k++)
			matrix[(size_t)n * m + k] = w * weft_fit_term(t, k - 1, &p->x[(size_t)i * t->n_parameters]);
		right[n++] = w * p->y[i];
	}
	int rc = n < m ? -EDOM : 0;
	for (uint32_t k = 0; k < m && !rc; k++)
		rc = reflect(matrix, right, n, m, k) ? 0 : -EDOM;
	for (uint32_t k = m; k-- > 0 && !rc;) {
		double v = right[k];
		for (uint32_t j = k + 1; j < m; j++)
			v -= matrix[(size_t)k * m + j] * coeff[j];
		coeff[k] = v / matrix[(size_t)k * m + k];
	}
	free(matrix);
	return rc;
}

int weft_fit_products_find(const struct weft_fit_terms *t, const double *row, const double *y, uint32_t n, double *coeff)
{
	return solve(t, &(struct weft_fit_points){row, y, NULL, n}, NULL, coeff);
}

/* -- without what is far -- */

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/*
 * How far each row is, beside the smaller of what it took and what the equation says: a row that took too long is as far as one that
 * took too short. sorted: the same in order.
 */
static void distances(const struct weft_fit_terms *t, const struct weft_fit_points *p, const double *coeff, double *off,
                      double *sorted)
{
	for (uint32_t i = 0; i < p->n; i++) {
		double f = weft_fit_products(t, coeff, &p->x[(size_t)i * t->n_parameters]), least = fmin(f, p->y[i]);
		off[i] = fabs(f - p->y[i]) / (least > 0.01 * p->y[i] ? least : 0.01 * p->y[i] + 1e-300);
		sorted[i] = off[i];
	}
	qsort(sorted, p->n, sizeof *sorted, by_value);
}

/*
 * Least trimmed squares: fitted to all rows (divided by what they took, so that long ones do not weigh more), then again and again to
 * the four fifths that are nearest. What is then further than ten times the middle distance (seven deviations, if it were noise) and a
 * tenth is left out of the last fit, which is a plain one.
 */
int weft_fit_products_robust(const struct weft_fit_terms *t, const double *row, const double *y, uint32_t n, double *coeff,
                             bool *far)
{
	enum { ROUNDS = 8 };
	double *room = calloc((size_t)n + 1, 3 * sizeof *room), *off = room + n, *sorted = room + 2 * (size_t)n;
	bool *keep = calloc((size_t)n + 1, sizeof *keep);
	struct weft_fit_points p = {row, y, room, n};
	int rc = room && keep ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++) {
		room[i] = 1 / (y[i] > 0 ? y[i] : 1);
		keep[i] = true;
	}
	for (int round = 0; round < ROUNDS && !rc && n; round++) {
		rc = solve(t, &p, keep, coeff);
		if (rc)
			break;
		distances(t, &p, coeff, off, sorted);
		bool is_last = round == ROUNDS - 1;
		double most = is_last ? fmax(10 * sorted[n / 2], 0.1) : sorted[(size_t)n * 4 / 5];
		for (uint32_t i = 0; i < n; i++)
			keep[i] = off[i] <= most;
	}
	p.weight = NULL;
	/* Where too few are left to say anything, all of them speak. */
	int last = rc ? rc : solve(t, &p, keep, coeff);
	for (uint32_t i = 0; far && i < n; i++)
		far[i] = !last && !keep[i];
	if (last == -EDOM)
		last = solve(t, &p, NULL, coeff);
	free(room);
	free(keep);
	return last;
}
