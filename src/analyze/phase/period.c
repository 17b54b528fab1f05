/* SPDX-License-Identifier: Apache-2.0 */
#include "period.h"
#include "fourier.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct maximum {
	size_t lag;
	double value;
};

/* Where the series has stopped being like itself only because little time has passed: the autocorrelation has been below half of its range. */
static size_t main_lobe(const double *r, size_t lags)
{
	double least = 1;
	for (size_t k = 0; k < lags; k++)
		least = r[k] < least ? r[k] : least;
	double half = (1 + least) / 2;
	size_t k = 0;
	while (k < lags && r[k] > half)
		k++;
	return k;
}

/* Highest of the lags around it that are nearer than a tenth: ripples on a slope are no maxima. */
static bool is_maximum(const double *r, size_t lags, size_t k)
{
	size_t reach = k / 10 + 1;
	for (size_t i = k > reach ? k - reach : 0; i < k; i++)
		if (r[i] > r[k])
			return false;
	for (size_t i = k + 1; i <= k + reach && i < lags; i++)
		if (r[i] >= r[k])
			return false;
	return k > 0 && k + 1 < lags;
}

/* Between samples: the top of the parabola through three of them. */
static double refined(const double *r, size_t lags, size_t k)
{
	if (!k || k + 1 >= lags)
		return (double)k;
	double a = r[k - 1], b = r[k], c = r[k + 1], bend = a - 2 * b + c;
	return bend < 0 ? (double)k + 0.5 * (a - c) / bend : (double)k;
}

static size_t highest_near(const double *r, size_t lags, double lag, double reach)
{
	size_t first = (size_t)fmax(1, lag - reach), last = (size_t)fmin((double)lags - 1, lag + reach), best = first;
	for (size_t k = first; k <= last; k++)
		best = r[k] > r[best] ? k : best;
	return best;
}

/* A far multiple says more exactly how long one period is. */
static double by_multiples(const double *r, size_t lags, size_t first, double least)
{
	double period = refined(r, lags, first);
	for (unsigned m = 2; m <= 64 && period * m < (double)lags - 2; m++) {
		size_t k = highest_near(r, lags, period * m, fmax(1, period * 0.25));
		if (r[k] < least || !is_maximum(r, lags, k) || fabs((double)k - period * m) > 0.2 * period)
			break;
		period = refined(r, lags, k) / m;
	}
	return period;
}

static void judge(const double *r, size_t lags, size_t lobe, struct weft_period *out)
{
	struct maximum first = {0, 0}, second = {0, 0};
	double lowest = INFINITY;
	for (size_t k = lobe; k < lags; k++) {
		if (!is_maximum(r, lags, k))
			continue;
		lowest = r[k] < lowest ? r[k] : lowest;
		if (r[k] > first.value) {
			second = first;
			first = (struct maximum){k, r[k]};
		} else if (r[k] > second.value) {
			second = (struct maximum){k, r[k]};
		}
	}
	if (second.lag) {
		double a = (double)first.lag, b = (double)second.lag;
		out->likeliness[0] = second.value / first.value;
		out->likeliness[1] = a > b ? a / b : b / a;
		out->likeliness[2] = lowest / first.value;
	}
}

static void choose(const double *r, size_t lags, const struct weft_period_how *how, struct weft_period *out)
{
	size_t lobe = main_lobe(r, lags), first = 0;
	double best = 0;
	for (size_t k = lobe; k < lags; k++)
		if (r[k] > best && is_maximum(r, lags, k))
			best = r[k];
	if (best < how->least)
		return;
	for (size_t k = lobe; k < lags && !first; k++)
		if (r[k] >= 0.85 * best && is_maximum(r, lags, k))
			first = k;
	out->found = true;
	out->strength = r[first] < 1 ? r[first] : 1;
	out->period = by_multiples(r, lags, first, 0.5 * r[first]);
	judge(r, lags, lobe, out);
}

int weft_period_find(const double *x, size_t n, const struct weft_period_how *how, struct weft_period *out)
{
	size_t lags = (size_t)((double)n / how->cycles);
	*out = (struct weft_period){.found = false};
	if (n < 8 || lags < 3)
		return 0;
	double *r = malloc(lags * sizeof *r);
	int rc = r ? weft_autocorrelation(x, n, lags, how->threads, r) : -ENOMEM;
	if (!rc)
		choose(r, lags, how, out);
	free(r);
	return rc;
}

int weft_period_refine(const double *x, size_t n, unsigned threads, double *period)
{
	size_t lags = n / 2;
	double *r = *period * 1.2 < (double)lags ? malloc(lags * sizeof *r) : NULL;
	if (!r)
		return *period * 1.2 < (double)lags ? -ENOMEM : 0;
	int rc = weft_autocorrelation(x, n, lags, threads, r);
	if (!rc) {
		size_t k = highest_near(r, lags, *period, *period / 10);
		if (is_maximum(r, lags, k))
			*period = by_multiples(r, lags, k, 0.5 * r[k]);
	}
	free(r);
	return rc;
}

/* ---- stretches ---- */

void weft_haar_details(const double *x, size_t n, double *d)
{
	for (size_t i = 0; i + 1 < n; i += 2)
		d[i / 2] = fabs(x[i] - x[i + 1]) / M_SQRT2;
}

static double threshold(const double *d, size_t n)
{
	double mean = 0, square = 0;
	for (size_t i = 0; i < n; i++)
		mean += d[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		square += (d[i] - mean) * (d[i] - mean) / (double)n;
	return (mean + 5 * sqrt(square)) / 8;
}

size_t weft_haar_stretches(const double *d, size_t n, size_t apart, size_t least, struct weft_stretch *out)
{
	double most = threshold(d, n);
	size_t count = 0, from = n, last = n;
	for (size_t i = 0; i <= n; i++) {
		bool above = i < n && d[i] > most;
		if (from < n && (i == n || (above && i - last > apart))) {
			if (last + 1 - from >= least)
				out[count++] = (struct weft_stretch){from, last + 1};
			from = n;
		}
		if (above && from == n)
			from = i;
		last = above ? i : last;
	}
	return count;
}
