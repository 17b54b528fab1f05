/* SPDX-License-Identifier: Apache-2.0 */
#include "phases_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* SAMPLES: of the whole, for stretches; APART: details. */
enum { SAMPLES = 4096, APART = 50, COARSE = 1 << 10, FINE = 1 << 20, POINTS_LEAST = 8, POINTS = 200 };
static const double LEAST_PART = 0.05, STRONG = 0.5, SAME = 0.03, GAP = 4;

void weft_phases_fini(struct weft_phases *p)
{
	free(p->region);
	free(p->iteration);
	*p = (struct weft_phases){.n_regions = 0};
}

/* Sampled as values at instants of one that is so (as Spectral does), means of one that counts. */
static void sample_whole(const struct weft_signal *s, double from, double to, double *x)
{
	double step = (to - from) / SAMPLES;
	if (s->step)
		weft_signal_sample(s, from, to, SAMPLES, x);
	else
		weft_signal_values(s, from - step, step, SAMPLES, x);
}

static int find_regions(struct weft_phases *p, const struct weft_signal *s, uint64_t from, uint64_t to, size_t apart)
{
	double *x = malloc((SAMPLES + SAMPLES / 2) * sizeof *x), *d = x + SAMPLES;
	struct weft_stretch *stretch = malloc(SAMPLES * sizeof *stretch);
	double detail = (double)(to - from) / (SAMPLES / 2.0);
	free(p->region);
	p->n_regions = 0;
	p->region = calloc(SAMPLES, sizeof *p->region);
	int rc = x && stretch && p->region ? 0 : -ENOMEM;
	if (!rc) {
		sample_whole(s, (double)from, (double)to, x);
		weft_haar_details(x, SAMPLES, d);
		size_t n = weft_haar_stretches(d, SAMPLES / 2, apart, (size_t)(LEAST_PART * SAMPLES / 2), stretch);
		for (size_t i = 0; i < n; i++)
			p->region[p->n_regions++] = (struct weft_phase_region){
				.from = from + (uint64_t)((double)stretch[i].from * detail),
				.to = from + (uint64_t)((double)(stretch[i].to - 1) * detail),
			};
	}
	free(x);
	free(stretch);
	return rc;
}

/* Looks at a region in n samples. */
static int look(const struct weft_phase_region *r, const struct weft_signal *s, const struct weft_phases_how *how, size_t n,
                struct weft_period *out)
{
	struct weft_period_how find = {.least = how->least_strength, .cycles = 2.5, .threads = how->threads};
	double *x = malloc(n * sizeof *x), step = (double)(r->to - r->from) / (double)n;
	if (!x)
		return -ENOMEM;
	weft_signal_sample(s, (double)r->from, (double)r->to, n, x);
	int rc = weft_period_find(x, n, &find, out);
	if (!rc && out->found && out->period < POINTS_LEAST && n < FINE)
		out->found = false; /* too coarse to say */
	out->period *= step;
	free(x);
	return rc;
}

/* With many samples a period. */
static int refine(struct weft_phase_region *r, const struct weft_signal *s, const struct weft_phases_how *how)
{
	double length = (double)(r->to - r->from), want = length / r->period.period * POINTS;
	size_t n = (size_t)fmin(FINE, fmax(COARSE, want));
	double *x = malloc(n * sizeof *x), period = r->period.period / (length / (double)n);
	if (!x)
		return -ENOMEM;
	weft_signal_sample(s, (double)r->from, (double)r->to, n, x);
	int rc = weft_period_refine(x, n, how->threads, &period);
	r->period.period = period * (length / (double)n);
	free(x);
	return rc;
}

/*
 * Coarse samples first: what repeats over all of a region shows there, and what only ripples within it does not. The first period that is
 * strong is taken, else the strongest of all resolutions.
 */
static int find_period(struct weft_phase_region *r, const struct weft_signal *s, const struct weft_phases_how *how)
{
	int rc = 0;
	for (size_t n = COARSE; n <= FINE && !rc && !(r->period.strength >= STRONG); n *= 4) {
		struct weft_period p;
		rc = look(r, s, how, n, &p);
		if (!rc && p.found && p.strength > r->period.strength)
			r->period = p;
		if (n > 16 * s->n)
			break; /* finer than it changes */
	}
	return rc || !r->period.found ? rc : refine(r, s, how);
}

/* Neighbours of one period with little between them are one region, with something unusual in it. */
static bool belong_together(const struct weft_phase_region *a, const struct weft_phase_region *b)
{
	double x = a->period.period, y = b->period.period, gap = (double)(b->from - a->to);
	return a->period.found && b->period.found && fabs(x - y) < SAME * x && gap < GAP * x;
}

static int join_regions(struct weft_phases *p, const struct weft_signal *s, const struct weft_phases_how *how)
{
	uint32_t n = 0;
	int rc = 0;
	for (uint32_t i = 0; i < p->n_regions && !rc; i++) {
		struct weft_phase_region *last = n ? &p->region[n - 1] : NULL;
		if (!last || !belong_together(last, &p->region[i])) {
			p->region[n++] = p->region[i];
			continue;
		}
		struct weft_phase_region both = {.from = last->from, .to = p->region[i].to};
		rc = find_period(&both, s, how);
		if (!rc && both.period.found && fabs(both.period.period - last->period.period) < SAME * last->period.period)
			*last = both;
		else
			p->region[n++] = p->region[i];
	}
	p->n_regions = n;
	return rc;
}

/* How far apart details may be: few and long iterations change seldom. */
static int find_periods(struct weft_phases *p, const struct weft_signal *s, const struct weft_phases_how *how, uint64_t to)
{
	bool any = false;
	int rc = 0;
	for (size_t apart = APART; apart < SAMPLES / 2 && !any && !rc; apart *= 4) {
		rc = find_regions(p, s, how->from, to, apart);
		for (uint32_t i = 0; i < p->n_regions && !rc; i++) {
			rc = find_period(&p->region[i], s, how);
			any |= p->region[i].period.found;
		}
	}
	return rc ? rc : join_regions(p, s, how);
}

int weft_phases_make(struct weft_phases *out, const struct weft_signal *s, const struct weft_phases_how *how)
{
	struct phase_list list = {NULL, 0, 0};
	uint64_t to = how->to < how->end ? how->to : how->end;
	*out = (struct weft_phases){.n_regions = 0};
	int rc = to > how->from && s->n > 1 ? find_periods(out, s, how, to) : 0;
	for (uint32_t i = 0; i < out->n_regions && !rc; i++) {
		uint64_t least = i ? out->region[i - 1].to : how->from;
		if (list.n && list.at[list.n - 1].end > least)
			least = list.at[list.n - 1].end;
		if (out->region[i].period.found)
			rc = phase_iterations(&list, &out->region[i], i, s, least,
			                      i + 1 < out->n_regions ? out->region[i + 1].from : to);
	}
	out->iteration = list.at;
	out->n_iterations = (uint32_t)list.n;
	if (rc)
		weft_phases_fini(out);
	return rc;
}

uint32_t weft_phases_best(const struct weft_phases *p, uint32_t n)
{
	uint32_t best = WEFT_NONE;
	double least = INFINITY;
	for (uint32_t i = 0; n && i + n <= p->n_iterations; i++) {
		double cost = 0;
		bool fits = p->iteration[i].region == p->iteration[i + n - 1].region;
		for (uint32_t k = i; k < i + n && fits; k++) {
			const struct weft_phase_iteration *x = &p->iteration[k];
			double period = p->region[x->region].period.period;
			fits = !x->perturbed;
			cost += 1 - x->likeness + fabs((double)(x->end - x->begin) - period) / period;
		}
		if (fits && cost < least) {
			least = cost;
			best = i;
		}
	}
	return best;
}
