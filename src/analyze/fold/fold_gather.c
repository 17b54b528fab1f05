/* SPDX-License-Identifier: Apache-2.0 */
/* Instances, thread by thread; of each thread the counters as lines over time, then the stacks. */
#include "fold_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- instances ---- */

static int by_place(const void *a, const void *b)
{
	const struct weft_fold_instance *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

static int find_instances(struct weft_folding *f, const struct weft_bursts *b)
{
	f->instance = malloc((b->n + 1) * sizeof *f->instance);
	if (!f->instance)
		return -ENOMEM;
	for (size_t i = 0; i < b->n; i++)
		f->instance[i] = (struct weft_fold_instance){b->begin[i], b->end[i], b->thread[i], true};
	qsort(f->instance, b->n, sizeof *f->instance, by_place);
	for (size_t i = 0; i < b->n; i++) {
		const struct weft_fold_instance *x = &f->instance[i], *last = f->n ? &f->instance[f->n - 1] : NULL;
		if (x->end > x->begin && (!last || last->thread != x->thread || x->begin >= last->end))
			f->instance[f->n++] = *x;
	}
	return 0;
}

/* ---- outliers ---- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* As BSC's Folding: the element at n/2 of the sorted list, for both. */
static void median_and_mad(double *v, size_t n, double *median, double *mad)
{
	qsort(v, n, sizeof *v, ascending);
	*median = v[n / 2];
	for (size_t i = 0; i < n; i++)
		v[i] = fabs(v[i] - *median);
	qsort(v, n, sizeof *v, ascending);
	*mad = v[n / 2];
}

static void mean_and_deviation(const double *v, size_t n, double *mean, double *deviation)
{
	double sum = 0, sum2 = 0;
	for (size_t i = 0; i < n; i++)
		sum += v[i];
	*mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		sum2 += (v[i] - *mean) * (v[i] - *mean);
	*deviation = n > 1 ? sqrt(sum2 / (double)(n - 1)) : 0;
}

static void middle_of(const struct weft_fold_rule *rule, double *v, size_t n, double *middle, double *spread)
{
	*middle = *spread = 0;
	if (n && rule->use_mean)
		mean_and_deviation(v, n, middle, spread);
	else if (n)
		median_and_mad(v, n, middle, spread);
}

static double duration_of(const struct weft_folding *f, uint32_t i)
{
	return (double)(f->instance[i].end - f->instance[i].begin);
}

static int leave_out(struct weft_folding *f, const struct weft_fold_rule *rule)
{
	struct weft_fold_stats *s = &f->stats;
	double *v = malloc((f->n + (size_t)1) * sizeof *v);
	if (!v)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->n; i++)
		v[i] = duration_of(f, i);
	middle_of(rule, v, f->n, &s->middle, &s->spread);
	s->low = s->middle - rule->times * s->spread;
	s->high = s->middle + rule->times * s->spread;
	s->n = f->n;
	for (uint32_t i = 0; i < f->n; i++) {
		double d = duration_of(f, i);
		f->instance[i].used = d >= s->low && d <= s->high;
		if (f->instance[i].used)
			v[s->used++] = d;
	}
	middle_of(rule, v, s->used, &s->used_middle, &s->used_spread);
	free(v);
	return 0;
}

/* ---- counters ---- */

struct points { /* of one counter, while it grows */
	WEFT_VEC(double) x;
	WEFT_VEC(double) y;
	WEFT_VEC(uint32_t) instance;
};

static bool counts_by_event(const struct weft_trace *t)
{
	return !strcmp(t->format, "prv");
}

/* Of an instance: what was counted, if it was counted from its begin to its end; and each sample within it. */
static int take_instance(const struct weft_trace *t, const struct weft_folding *f, uint32_t i, const struct weft_count_line *l,
                         double *total, struct points *p)
{
	const struct weft_fold_instance *x = &f->instance[i];
	bool whole = !counts_by_event(t) || (!isnan(weft_count_at(l, x->begin)) && !isnan(weft_count_at(l, x->end)));
	*total = whole ? weft_count_between(l, x->begin, x->end) : NAN;
	if (!(*total > 0)) {
		*total = NAN;
		return 0;
	}
	size_t first = weft_count_upto(l, x->begin), end = weft_count_upto(l, x->end);
	double from = l->sum[first - 1], length = (double)(x->end - x->begin);
	for (size_t k = first; k < end && l->time[k] < x->end; k++)
		if (weft_vec_push(&p->x, (double)(l->time[k] - x->begin) / length) ||
		    weft_vec_push(&p->y, (l->sum[k] - from) / *total) || weft_vec_push(&p->instance, i))
			return -ENOMEM;
	return 0;
}

static int take_thread(const struct weft_trace *t, struct weft_folding *f, uint32_t first, uint32_t end,
                       struct weft_count_line *line, const struct weft_counters *counters, struct points *p)
{
	int rc = weft_counts_read(counters, f->instance[first].thread, line);
	for (uint32_t c = 0; c < f->n_counters && !rc; c++)
		for (uint32_t i = first; i < end && !rc; i++)
			rc = take_instance(t, f, i, &line[c], &f->counter[c].total[i], &p[c]);
	return rc;
}

static void rate_counter(struct weft_folding *f, struct weft_fold_counter *c)
{
	double sum = 0, time = 0;
	for (uint32_t i = 0; i < f->n; i++)
		if (f->instance[i].used && !isnan(c->total[i])) {
			sum += c->total[i];
			time += duration_of(f, i);
			c->n_counted++;
		}
	c->mean_total = c->n_counted ? sum / (double)c->n_counted : NAN;
	c->rate = time > 0 ? sum / time * 1000 : NAN;
}

static int gather_counters(struct weft_folding *f, const struct weft_trace *t, const struct weft_counters *counters)
{
	struct weft_count_line *line = calloc(counters->n + (size_t)1, sizeof *line);
	struct points *p = calloc(counters->n + (size_t)1, sizeof *p);
	f->counter = calloc(counters->n + (size_t)1, sizeof *f->counter);
	int rc = line && p && f->counter ? 0 : -ENOMEM;
	f->n_counters = rc ? 0 : counters->n;
	for (uint32_t c = 0; c < f->n_counters && !rc; c++) {
		f->counter[c].label = counters->name[c];
		f->counter[c].total = malloc((f->n + (size_t)1) * sizeof *f->counter[c].total);
		rc = f->counter[c].total ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; i < f->n && !rc;) {
		uint32_t end = i;
		while (end < f->n && f->instance[end].thread == f->instance[i].thread)
			end++;
		rc = take_thread(t, f, i, end, line, counters, p);
		i = end;
	}
	for (uint32_t c = 0; c < f->n_counters; c++) {
		weft_count_line_fini(&line[c]);
		struct weft_fold_counter *k = &f->counter[c];
		k->x = p[c].x.at;
		k->y = p[c].y.at;
		k->instance = p[c].instance.at;
		k->n = rc ? 0 : p[c].x.n;
		if (!rc)
			rate_counter(f, k);
		f->stats.samples = k->n > f->stats.samples ? k->n : f->stats.samples;
	}
	free(line);
	free(p);
	return rc;
}

/* ---- the whole ---- */

int weft_folding_make(struct weft_folding *out, const struct weft_trace *t, const struct weft_bursts *bursts,
                      const struct weft_fold_how *how, struct weft_err *err)
{
	*out = (struct weft_folding){.instance = NULL};
	if (bursts->n >= UINT32_MAX)
		return weft_err_set(err, -ERANGE, "%zu instances are more than can be folded", bursts->n);
	int rc = find_instances(out, bursts);
	rc = rc ? rc : leave_out(out, &how->rule);
	rc = rc ? rc : gather_counters(out, t, how->counters);
	rc = rc ? rc : fold_gather_stacks(out, t, how);
	if (!rc)
		return 0;
	weft_folding_fini(out);
	return weft_err_set(err, rc, "cannot fold '%s': %s", t->path, weft_err_name(rc));
}

void weft_folding_fini(struct weft_folding *f)
{
	for (uint32_t c = 0; f->counter && c < f->n_counters; c++) {
		free(f->counter[c].x);
		free(f->counter[c].y);
		free(f->counter[c].instance);
		free(f->counter[c].total);
	}
	free(f->counter);
	free(f->instance);
	free(f->stack);
	free(f->frame);
	*f = (struct weft_folding){.instance = NULL};
}

/* ---- samples by place ---- */

int weft_fold_take(const struct weft_folding *f, uint32_t counter, struct weft_fold_taken *out)
{
	const struct weft_fold_counter *c = &f->counter[counter];
	uint64_t *key = malloc((c->n + 1) * sizeof *key);
	uint32_t *index = malloc((c->n + 1) * sizeof *index);
	size_t n = 0;
	*out = (struct weft_fold_taken){.x = malloc((c->n + 1) * (2 * sizeof *out->x + sizeof *out->instance))};
	int rc = key && index && out->x && c->n < UINT32_MAX ? 0 : -ENOMEM;
	for (size_t i = 0; i < c->n && !rc; i++)
		if (f->instance[c->instance[i]].used) {
			key[n] = (uint64_t)(c->x[i] * 0x1p44);
			index[n++] = (uint32_t)i;
		}
	rc = rc ? rc : weft_key_order(key, index, n, 45);
	if (!rc) {
		out->y = out->x + c->n + 1;
		out->instance = (uint32_t *)(out->y + c->n + 1);
		out->n = n;
		for (size_t i = 0; i < n; i++) {
			out->x[i] = c->x[index[i]];
			out->y[i] = c->y[index[i]];
			out->instance[i] = c->instance[index[i]];
		}
	} else {
		free(out->x);
		*out = (struct weft_fold_taken){.x = NULL};
	}
	free(key);
	free(index);
	return rc;
}
