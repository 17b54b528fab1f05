/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stockham's way: each pass reads one array and writes the other, in an order that needs no sorting at the end; four at a time, and two in the
 * last pass where the length is no power of four. Element q + s·(p + k·m) and its three partners meet for every p < m; what is innermost is a
 * run of s · FOURIER_BATCH numbers beside each other.
 */
#include "fourier_batch.h"
#include "base/wide.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

int fourier_batch_make(struct fourier_batch *f, size_t n)
{
	size_t all = n * FOURIER_BATCH;
	*f = (struct fourier_batch){.n = n};
	f->re = aligned_alloc(64, ((4 * all + 2 * n) * sizeof *f->re + 63) / 64 * 64);
	if (!f->re)
		return -ENOMEM;
	f->im = f->re + all;
	f->other_re = f->im + all;
	f->other_im = f->other_re + all;
	f->cos = f->other_im + all;
	f->sin = f->cos + n;
	for (size_t k = 0; k < n; k++) {
		f->cos[k] = cos(-2 * M_PI * (double)k / (double)n);
		f->sin[k] = sin(-2 * M_PI * (double)k / (double)n);
	}
	return 0;
}

void fourier_batch_fini(struct fourier_batch *f)
{
	double *first = f->re < f->other_re ? f->re : f->other_re; /* the arrays may have changed places */
	free(first);
	*f = (struct fourier_batch){.n = 0};
}

struct quad { /* where four runs of numbers are read and written, and what the last three are turned by */
	const double *re, *im;
	double *to_re, *to_im;
	size_t apart, to_apart, n;
	double c1, s1, c2, s2, c3, s3;
};

WEFT_BODY four_body(const struct quad *q)
{
	const double *re = q->re, *im = q->im;
	double *restrict to_re = q->to_re, *restrict to_im = q->to_im;
	size_t a = q->apart, t = q->to_apart, n = q->n;
	double c1 = q->c1, s1 = q->s1, c2 = q->c2, s2 = q->s2, c3 = q->c3, s3 = q->s3;
	for (size_t i = 0; i < n; i++) {
		double ar = re[i] + re[i + 2 * a], ai = im[i] + im[i + 2 * a], br = re[i] - re[i + 2 * a],
		       bi = im[i] - im[i + 2 * a];
		double cr = re[i + a] + re[i + 3 * a], ci = im[i + a] + im[i + 3 * a];
		double dr = re[i + a] - re[i + 3 * a], di = im[i + a] - im[i + 3 * a];
		double xr = br + di, xi = bi - dr, yr = ar - cr, yi = ai - ci, zr = br - di, zi = bi + dr;
		to_re[i] = ar + cr;
		to_im[i] = ai + ci;
		to_re[i + t] = xr * c1 - xi * s1;
		to_im[i + t] = xr * s1 + xi * c1;
		to_re[i + 2 * t] = yr * c2 - yi * s2;
		to_im[i + 2 * t] = yr * s2 + yi * c2;
		to_re[i + 3 * t] = zr * c3 - zi * s3;
		to_im[i + 3 * t] = zr * s3 + zi * c3;
	}
}
WEFT_WIDE(four, (const struct quad *q), (q))

static void pass_of_four(struct fourier_batch *f, size_t n, size_t s)
{
	size_t m = n / 4, run = s * FOURIER_BATCH;
	for (size_t p = 0; p < m; p++) {
		size_t w = p * s;
		struct quad q = {f->re + p * run,
		                 f->im + p * run,
		                 f->other_re + 4 * p * run,
		                 f->other_im + 4 * p * run,
		                 m * run,
		                 run,
		                 run,
		                 f->cos[w],
		                 f->sin[w],
		                 f->cos[2 * w],
		                 f->sin[2 * w],
		                 f->cos[3 * w],
		                 f->sin[3 * w]};
		four(&q);
	}
}

static void pass_of_two(struct fourier_batch *f, size_t s)
{
	size_t run = s * FOURIER_BATCH;
	for (size_t i = 0; i < run; i++) {
		double ar = f->re[i], ai = f->im[i], br = f->re[i + run], bi = f->im[i + run];
		f->other_re[i] = ar + br;
		f->other_im[i] = ai + bi;
		f->other_re[i + run] = ar - br;
		f->other_im[i + run] = ai - bi;
	}
}

void fourier_batch_run(struct fourier_batch *f)
{
	for (size_t n = f->n, s = 1; n > 1;) {
		size_t by = n >= 4 ? 4 : 2;
		if (by == 4)
			pass_of_four(f, n, s);
		else
			pass_of_two(f, s);
		double *re = f->re, *im = f->im;
		f->re = f->other_re;
		f->im = f->other_im;
		f->other_re = re;
		f->other_im = im;
		n /= by;
		s *= by;
	}
}
