/* SPDX-License-Identifier: Apache-2.0 */
/* Each figure by itself, in parallel; then the correction over all of them, and the verdicts. */
#include "regress.h"
#include "base/pool.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 2000, MIXTURES_MOST = 20000 };
const char *const weft_verdict_names[] = {"same", "slower", "faster", "new", "gone", NULL};

/* ---- random numbers: xorshift, seeded by the figure's own values ---- */

static uint64_t rng_next(uint64_t *state)
{
	uint64_t x = *state;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return *state = x;
}

static uint32_t rng_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((rng_next(state) >> 32) * n >> 32);
}

static uint64_t rng_seed(const struct weft_regress_figure *f)
{
	uint64_t seed = 0x9e3779b97f4a7c15, bits;
	for (uint32_t i = 0; i < f->n_base + f->n_now; i++) {
		const double v = i < f->n_base ? f->base[i] : f->now[i - f->n_base];
		memcpy(&bits, &v, sizeof bits);
		seed = (seed ^ bits) * 0xff51afd7ed558ccd;
		seed ^= seed >> 33;
	}
	return seed ? seed : 1;
}

/* ---- one figure ---- */

static double mean_of(const double *v, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / n : NAN;
}

static double squares_of(const double *v, uint32_t n, double mean)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sum;
}

static double drawn_mean(const double *v, uint32_t n, uint64_t *state)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += v[rng_below(state, n)];
	return sum / n;
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static int find_interval(struct weft_regress_result *r, const struct weft_regress_figure *f, uint64_t *state)
{
	double *ratio = malloc(DRAWS * sizeof *ratio);
	uint32_t n = 0;
	if (!ratio)
		return -ENOMEM;
	for (unsigned i = 0; i < DRAWS; i++) {
		const double base = drawn_mean(f->base, f->n_base, state), now = drawn_mean(f->now, f->n_now, state);
		if (base > 0)
			ratio[n++] = now / base - 1;
	}
	qsort(ratio, n, sizeof *ratio, compare_doubles);
	if (n) {
		r->low = ratio[(size_t)(0.025 * (n - 1))];
		r->high = ratio[(size_t)ceil(0.975 * (n - 1))];
	}
	free(ratio);
	return 0;
}

/* n over k, or `most` where it is more. */
static uint64_t choices(uint32_t n, uint32_t k, uint64_t most)
{
	double c = 1;
	for (uint32_t i = 1; i <= k && c <= (double)most; i++)
		c = c * (n - k + i) / i;
	return c > (double)most ? most : (uint64_t)(c + 0.5);
}

struct mixture {
	const double *all;
	uint32_t n, n_base;
	double total, found; /* of all; the difference of means as it is */
};

static bool differs_as_much(const struct mixture *m, double base_sum)
{
	const double d = (m->total - base_sum) / (m->n - m->n_base) - base_sum / m->n_base;
	return fabs(d) >= fabs(m->found) - 1e-12 * fabs(m->total);
}

/* The next choice of n_base of n in order; false behind the last. */
static bool next_choice(uint32_t *pick, uint32_t k, uint32_t n)
{
	uint32_t i = k;
	while (i > 0 && pick[i - 1] == n - k + i - 1)
		i--;
	if (i == 0)
		return false;
	pick[i - 1]++;
	for (uint32_t j = i; j < k; j++)
		pick[j] = pick[j - 1] + 1;
	return true;
}

static double all_mixtures(const struct mixture *m, uint32_t *pick)
{
	uint64_t as_much = 0, n = 0;
	for (uint32_t i = 0; i < m->n_base; i++)
		pick[i] = i;
	do {
		double sum = 0;
		for (uint32_t i = 0; i < m->n_base; i++)
			sum += m->all[pick[i]];
		as_much += differs_as_much(m, sum);
		n++;
	} while (next_choice(pick, m->n_base, m->n));
	return (double)as_much / (double)n;
}

static double some_mixtures(const struct mixture *m, uint32_t *pick, uint64_t *state)
{
	uint64_t as_much = 1; /* the one that was found */
	for (uint32_t i = 0; i < m->n; i++)
		pick[i] = i;
	for (unsigned k = 1; k < MIXTURES_MOST; k++) {
		double sum = 0;
		for (uint32_t i = 0; i < m->n_base; i++) {
			const uint32_t j = i + rng_below(state, m->n - i), swap = pick[i];
			pick[i] = pick[j];
			pick[j] = swap;
			sum += m->all[pick[i]];
		}
		as_much += differs_as_much(m, sum);
	}
	return (double)as_much / MIXTURES_MOST;
}

static int find_chance(struct weft_regress_result *r, const struct weft_regress_figure *f, uint64_t *state)
{
	struct mixture m = {.n = f->n_base + f->n_now, .n_base = f->n_base, .found = r->now - r->base};
	double *all = malloc(m.n * sizeof *all);
	uint32_t *pick = malloc(m.n * sizeof *pick);
	int rc = all && pick ? 0 : -ENOMEM;
	if (!rc) {
		memcpy(all, f->base, f->n_base * sizeof *all);
		memcpy(all + f->n_base, f->now, f->n_now * sizeof *all);
		m.all = all;
		m.total = mean_of(all, m.n) * m.n;
		r->p = choices(m.n, m.n_base, MIXTURES_MOST) < MIXTURES_MOST ? all_mixtures(&m, pick)
		                                                             : some_mixtures(&m, pick, state);
	}
	free(all);
	free(pick);
	return rc;
}

/* ---- Student's distribution ---- */

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	enum { STEPS = 300 };
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double h = d;
	for (unsigned m = 1; m <= STEPS; m++) {
		const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
			     odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		for (unsigned k = 0; k < 2; k++) {
			const double n = k ? odd : even;
			d = 1 + n * d;
			c = 1 + n / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			h *= d * c;
		}
		if (fabs(d * c - 1) < 1e-15)
			break;
	}
	return h;
}

static double beta_part(double a, double b, double x)
{
	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Both sides of what lies beyond t. */
static double student_beyond(double t, double freedom)
{
	return beta_part(freedom / 2, 0.5, freedom / (freedom + t * t));
}

static double welch(const struct weft_regress_figure *f, double base, double now)
{
	const double a = squares_of(f->base, f->n_base, base) / (f->n_base - 1) / f->n_base,
		     b = squares_of(f->now, f->n_now, now) / (f->n_now - 1) / f->n_now;
	if (a + b <= 0)
		return base == now ? 1 : 0;
	const double freedom = (a + b) * (a + b) / (a * a / (f->n_base - 1) + b * b / (f->n_now - 1));
	return student_beyond((now - base) / sqrt(a + b), freedom);
}

struct regress_work {
	struct weft_regress_result *result;
	const struct weft_regress_figure *figure;
	uint32_t n;
	double level;
};

static int regress_one(void *arg, size_t i, unsigned worker)
{
	const struct regress_work *w = arg;
	const struct weft_regress_figure *f = &w->figure[i];
	struct weft_regress_result *r = &w->result[i];
	uint64_t state = rng_seed(f);
	(void)worker;
	*r = (struct weft_regress_result){mean_of(f->base, f->n_base),
	                                  mean_of(f->now, f->n_now),
	                                  NAN,
	                                  NAN,
	                                  NAN,
	                                  NAN,
	                                  NAN,
	                                  NAN,
	                                  0};
	if (!f->n_base || !f->n_now)
		return 0;
	r->change = r->base > 0 ? r->now / r->base - 1 : NAN;
	if (f->n_base < 2 || f->n_now < 2)
		return 0;
	const uint32_t freedom = f->n_base + f->n_now - 2;
	const double spread = sqrt((squares_of(f->base, f->n_base, r->base) + squares_of(f->now, f->n_now, r->now)) / freedom);
	r->effect = spread > 0 ? (r->now - r->base) / spread * (1 - 3.0 / (4.0 * freedom - 1)) : NAN;
	int rc = find_interval(r, f, &state);
	if (rc)
		return rc;
	const double fewest = 2.0 / (double)choices(f->n_base + f->n_now, f->n_base, MIXTURES_MOST);
	if (fewest * w->n <= w->level / 2)
		return find_chance(r, f, &state);
	r->p = welch(f, r->base, r->now);
	return 0;
}

/* ---- all together ---- */

struct ranked_p {
	double p;
	uint32_t at;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_p *x = a, *y = b;
	return x->p != y->p ? (x->p < y->p ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

static int correct(struct weft_regress_result *result, uint32_t n, bool by_share)
{
	struct ranked_p *r = malloc(((size_t)n + 1) * sizeof *r);
	uint32_t m = 0;
	if (!r)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (!isnan(result[i].p))
			r[m++] = (struct ranked_p){result[i].p, i};
	qsort(r, m, sizeof *r, compare_ranked);
	double bound = by_share ? 1 : 0;
	for (uint32_t k = 0; k < m; k++) {
		const uint32_t i = by_share ? m - 1 - k : k;
		const double p = by_share ? r[i].p * m / (i + 1) : r[i].p * (m - i);
		bound = by_share ? fmin(bound, p) : fmax(bound, fmin(1, p));
		result[r[i].at].corrected = bound;
	}
	free(r);
	return 0;
}

static enum weft_verdict verdict_of(const struct weft_regress_result *r, const struct weft_regress_how *how)
{
	if (isnan(r->base) || isnan(r->now))
		return isnan(r->now) ? WEFT_VERDICT_GONE : WEFT_VERDICT_NEW;
	if (isnan(r->change) || fabs(r->change) < how->least || fabs(r->now - r->base) < how->smallest || r->now == r->base)
		return WEFT_VERDICT_SAME;
	if (isnan(r->corrected) ? how->least <= 0 : r->corrected > (how->level > 0 ? how->level : 0.05))
		return WEFT_VERDICT_SAME;
	return r->change > 0 ? WEFT_VERDICT_SLOWER : WEFT_VERDICT_FASTER;
}

int weft_regress_compute(struct weft_regress_result *result, const struct weft_regress_figure *figure, uint32_t n,
                         const struct weft_regress_how *how)
{
	struct regress_work w = {.result = result, .figure = figure, .n = n, .level = how->level > 0 ? how->level : 0.05};
	int rc = weft_parallel(how->threads, n, regress_one, &w);
	rc = rc ? rc : correct(result, n, how->by_share);
	for (uint32_t i = 0; i < n && !rc; i++)
		result[i].verdict = verdict_of(&result[i], how);
	return rc;
}
