/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real series of 2m numbers is transformed as m complex ones (two neighbours are one), and m as a table of rows × columns: columns, a turn
 * of each element, rows. What comes out stands in another order, frequency k1 + rows · k2 at (k1, k2), but the way back undoes the
 * same steps in reverse, so nothing is ever sorted. Between the two ways each pair of frequencies k and m - k becomes its power.
 *
 *      x, zeros behind it  ->  columns  ->  turn  ->  rows  ->  |X|²  ->  rows  ->  turn back  ->  columns  ->  sums of products
 *
 * Columns and rows are taken eight at a time into a buffer that a core's cache holds.
 */
#include "fourier.h"
#include "base/pool.h"
#include "fourier_batch.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS_MOST = 64, TURN_LOW = 12 };

struct turning { /* -2πk/n for any k < n, from two tables */
	size_t n;
	double *low_c, *low_s, *high_c, *high_s; /* one block, low_c */
};
struct transform {
	size_t m, rows, columns;
	double *re, *im; /* m each */
	struct turning of_m, of_2m;
	struct fourier_batch column[WORKERS_MOST], row[WORKERS_MOST];
	unsigned workers;
	bool back;
};

/* ---- turns ---- */

static int turning_make(struct turning *t, size_t n)
{
	size_t low = (size_t)1 << TURN_LOW, high = (n >> TURN_LOW) + 1;
	t->n = n;
	t->low_c = malloc(2 * (low + high) * sizeof *t->low_c);
	if (!t->low_c)
		return -ENOMEM;
	t->low_s = t->low_c + low;
	t->high_c = t->low_s + low;
	t->high_s = t->high_c + high;
	for (size_t k = 0; k < low; k++) {
		t->low_c[k] = cos(-2 * M_PI * (double)k / (double)n);
		t->low_s[k] = sin(-2 * M_PI * (double)k / (double)n);
	}
	for (size_t k = 0; k < high; k++) {
		t->high_c[k] = cos(-2 * M_PI * (double)(k << TURN_LOW) / (double)n);
		t->high_s[k] = sin(-2 * M_PI * (double)(k << TURN_LOW) / (double)n);
	}
	return 0;
}

static inline void turning_at(const struct turning *t, size_t k, double *c, double *s)
{
	size_t low = k & (((size_t)1 << TURN_LOW) - 1), high = k >> TURN_LOW;
	double a = t->low_c[low], b = t->low_s[low], x = t->high_c[high], y = t->high_s[high];
	*c = a * x - b * y;
	*s = a * y + b * x;
}

/* ---- steps ---- */

/* The way back is the way there with the signs of all imaginary parts turned. */
static void load(const struct transform *t, struct fourier_batch *f, size_t first, size_t step, size_t batch_step, unsigned count)
{
	double sign = t->back ? -1 : 1;
	for (size_t i = 0; i < f->n; i++)
		for (unsigned b = 0; b < FOURIER_BATCH; b++) {
			size_t at = first + i * step + b * batch_step;
			f->re[i * FOURIER_BATCH + b] = b < count ? t->re[at] : 0;
			f->im[i * FOURIER_BATCH + b] = b < count ? sign * t->im[at] : 0;
		}
}

static void store(struct transform *t, const struct fourier_batch *f, size_t first, size_t step, size_t batch_step,
                  unsigned count)
{
	double sign = t->back ? -1 : 1;
	for (size_t i = 0; i < f->n; i++)
		for (unsigned b = 0; b < count; b++) {
			size_t at = first + i * step + b * batch_step;
			t->re[at] = f->re[i * FOURIER_BATCH + b];
			t->im[at] = sign * f->im[i * FOURIER_BATCH + b];
		}
}

/* Element (k1, n2) by k1 · n2: of eight columns from n2 on, in the buffer. */
static void turn_columns(const struct transform *t, struct fourier_batch *f, size_t n2, unsigned count)
{
	for (size_t k1 = 0; k1 < f->n; k1++)
		for (unsigned b = 0; b < count; b++) {
			double c, s, *re = &f->re[k1 * FOURIER_BATCH + b], *im = &f->im[k1 * FOURIER_BATCH + b], x = *re;
			turning_at(&t->of_m, k1 * (n2 + b), &c, &s);
			*re = x * c - *im * s;
			*im = x * s + *im * c;
		}
}

static unsigned count_of(size_t all, size_t batch)
{
	size_t left = all - batch * FOURIER_BATCH;
	return left < FOURIER_BATCH ? (unsigned)left : FOURIER_BATCH;
}

static int do_columns(void *arg, size_t batch, unsigned worker)
{
	struct transform *t = arg;
	struct fourier_batch *f = &t->column[worker];
	unsigned count = count_of(t->columns, batch);
	size_t n2 = batch * FOURIER_BATCH;
	load(t, f, n2, t->columns, 1, count);
	if (t->back)
		turn_columns(t, f, n2, count); /* conjugated as all is, so it turns back */
	fourier_batch_run(f);
	if (!t->back)
		turn_columns(t, f, n2, count);
	store(t, f, n2, t->columns, 1, count);
	return 0;
}

static int do_rows(void *arg, size_t batch, unsigned worker)
{
	struct transform *t = arg;
	struct fourier_batch *f = &t->row[worker];
	unsigned count = count_of(t->rows, batch);
	size_t first = batch * FOURIER_BATCH * t->columns;
	load(t, f, first, 1, t->columns, count);
	fourier_batch_run(f);
	store(t, f, first, 1, t->columns, count);
	return 0;
}

static int run(struct transform *t, bool back)
{
	size_t columns = (t->columns + FOURIER_BATCH - 1) / FOURIER_BATCH, rows = (t->rows + FOURIER_BATCH - 1) / FOURIER_BATCH;
	t->back = back;
	int rc = back ? weft_parallel(t->workers, rows, do_rows, t) : weft_parallel(t->workers, columns, do_columns, t);
	return rc ? rc : back ? weft_parallel(t->workers, columns, do_columns, t) : weft_parallel(t->workers, rows, do_rows, t);
}

/* ---- powers ---- */

/*
 * From Z, the transform of pairs, X at k and at m - k; then from their powers the Z of the sums of products, which is real:
 * E = (Z(k) + Z(m-k)*) / 2, O = -i (Z(k) - Z(m-k)*) / 2, X(k) = E + wO, X(m-k)* = E - wO, w = e^(-iπk/m).
 */
static void pair_to_power(struct transform *t, size_t k, size_t a, size_t b)
{
	double c, s, er = (t->re[a] + t->re[b]) / 2, ei = (t->im[a] - t->im[b]) / 2;
	double or_ = (t->im[a] + t->im[b]) / 2, oi = (t->re[b] - t->re[a]) / 2;
	turning_at(&t->of_2m, k, &c, &s);
	double wr = or_ * c - oi * s, wi = or_ * s + oi * c;
	double p = (er + wr) * (er + wr) + (ei + wi) * (ei + wi), q = (er - wr) * (er - wr) + (ei - wi) * (ei - wi);
	double even = (p + q) / 2, odd = (p - q) / 2;
	/* Z'(k) = even + i · odd · w*; for m - k the signs of w turn round: its w is -w*, its odd part -odd. */
	t->re[a] = even + odd * s;
	t->im[a] = odd * c;
	if (b != a) {
		t->re[b] = even - odd * s;
		t->im[b] = odd * c;
	}
}

static int do_power(void *arg, size_t k1, unsigned worker)
{
	struct transform *t = arg;
	size_t other = k1 ? t->rows - k1 : 0;
	(void)worker;
	if (other < k1)
		return 0; /* its partner's row does both */
	for (size_t k2 = 0; k2 < t->columns; k2++) {
		size_t partner = k1 ? t->columns - 1 - k2 : (t->columns - k2) % t->columns;
		if (other == k1 && partner < k2)
			continue;
		pair_to_power(t, k1 + t->rows * k2, k1 * t->columns + k2, other * t->columns + partner);
	}
	return 0;
}

/* ---- the whole ---- */

static int make(struct transform *t, size_t numbers, unsigned threads)
{
	unsigned bits = 1;
	while (((size_t)1 << bits) < numbers)
		bits++;
	t->m = (size_t)1 << (bits - 1);
	t->rows = (size_t)1 << ((bits - 1) / 2);
	t->columns = t->m / t->rows;
	t->workers = threads ? threads : weft_pool_width();
	t->workers = t->workers < WORKERS_MOST ? t->workers : WORKERS_MOST;
	t->re = malloc(2 * t->m * sizeof *t->re);
	int rc = t->re ? turning_make(&t->of_m, t->m) : -ENOMEM;
	t->im = t->re + t->m;
	rc = rc ? rc : turning_make(&t->of_2m, 2 * t->m);
	for (unsigned w = 0; w < t->workers && !rc; w++) {
		rc = fourier_batch_make(&t->column[w], t->rows);
		rc = rc ? rc : fourier_batch_make(&t->row[w], t->columns);
	}
	return rc;
}

static void fini(struct transform *t)
{
	free(t->re);
	free(t->of_m.low_c);
	free(t->of_2m.low_c);
	for (unsigned w = 0; w < t->workers; w++) {
		fourier_batch_fini(&t->column[w]);
		fourier_batch_fini(&t->row[w]);
	}
}

static void fill(struct transform *t, const double *x, size_t n, double mean)
{
	for (size_t j = 0; j < t->m; j++) {
		t->re[j] = 2 * j < n ? x[2 * j] - mean : 0;
		t->im[j] = 2 * j + 1 < n ? x[2 * j + 1] - mean : 0;
	}
}

int weft_autocorrelation(const double *x, size_t n, size_t lags, unsigned threads, double *out)
{
	struct transform *t;
	double mean = 0, square = 0, spread = 0;
	if (n + lags > (size_t)1 << 30 || lags > n)
		return -ERANGE;
	memset(out, 0, lags * sizeof *out);
	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (size_t i = 0; i < n; i++) {
		square += (x[i] - mean) * (x[i] - mean);
		spread = fmax(spread, fabs(x[i] - mean));
	}
	if (!lags || !(spread > 1e-12 * fabs(mean)) || !(square > 0))
		return 0;
	t = calloc(1, sizeof *t);
	if (!t)
		return -ENOMEM;
	int rc = make(t, n + lags > 4 ? n + lags : 4, threads);
	if (!rc) {
		fill(t, x, n, mean);
		rc = run(t, false);
	}
	rc = rc ? rc : weft_parallel(t->workers, t->rows, do_power, t);
	rc = rc ? rc : run(t, true);
	double first = rc ? 1 : t->re[0] / (double)n;
	for (size_t k = 0; k < lags && !rc; k++)
		out[k] = (k & 1 ? t->im[k / 2] : t->re[k / 2]) / (double)(n - k) / first;
	fini(t);
	free(t);
	return rc;
}
