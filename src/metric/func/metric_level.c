/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row above the threads (or cpus): its children's rows, merged. Its boundaries are all boundaries
 * of the children; at each, every child that ends there goes on, past its intervals without length.
 * A heap keeps the children by the end of what they show; equal ends in the order in which they
 * came there, as the child that changed last is one of the functions.
 */
#include "metric_work.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct child_ref {
	double end;
	uint64_t turn; /* when it came to this end */
	uint32_t child;
};
struct level {
	struct metric_stream stream;
	const struct weft_call *call;
	double (*run)(const struct weft_call *c, const double *value, uint32_t n);
	struct metric_pull *child; /* owned */
	struct child_ref *heap;    /* owned; the least end first */
	double *value;             /* owned; what the children show */
	uint32_t n, changed;
	uint64_t turns;
	double begin, to;
	bool of_change, done;
	bool keeps_empty; /* intervals without length are ours, too */
};

static bool before(const struct child_ref *a, const struct child_ref *b)
{
	return a->end != b->end ? a->end < b->end : a->turn < b->turn;
}

static void sink(struct level *l, uint32_t i)
{
	struct child_ref r = l->heap[i];
	for (;;) {
		uint32_t k = 2 * i + 1;
		if (k >= l->n)
			break;
		if (k + 1 < l->n && before(&l->heap[k + 1], &l->heap[k]))
			k++;
		if (!before(&l->heap[k], &r))
			break;
		l->heap[i] = l->heap[k];
		i = k;
	}
	l->heap[i] = r;
}

static void level_free(struct metric_stream *s)
{
	struct level *l = (struct level *)(void *)s;
	for (uint32_t i = 0; l->child && i < l->n; i++)
		metric_pull_fini(&l->child[i]);
	free(l->child);
	free(l->heap);
	free(l->value);
	free(l);
}

/*
 * All children that end at `at` go on; by one interval only, where those without length are kept.
 */
static int advance(struct level *l, double at)
{
	const uint64_t before = l->turns;
	while (l->heap[0].end <= at && (!l->keeps_empty || l->heap[0].turn < before)) {
		struct child_ref *r = &l->heap[0];
		struct metric_pull *p = &l->child[r->child];
		int rc = metric_pull_step(p);
		if (rc < 0)
			return rc;
		r->end = rc ? p->end : INFINITY;
		r->turn = l->turns++;
		l->value[r->child] = p->value;
		l->changed = r->child;
		sink(l, 0);
	}
	return 0;
}

static int level_next(struct metric_stream *s, struct weft_intervals *b)
{
	struct level *l = (struct level *)(void *)s;
	b->n = 0;
	b->begin = l->begin;
	while (!l->done && b->n < WEFT_INTERVALS) {
		double end = l->heap[0].end;
		if (end == INFINITY) {
			l->done = true;
			break;
		}
		b->end[b->n] = end;
		b->value[b->n++] = l->of_change ? l->value[l->changed] : l->run(l->call, l->value, l->n);
		l->begin = end;
		if (end >= l->to) {
			l->done = true;
			break;
		}
		int rc = advance(l, end);
		if (rc)
			return rc;
	}
	return b->n > 0;
}

static int open_children(struct level *l, const struct metric_site *site, uint32_t first)
{
	struct metric_site below = *site;
	below.level = site->level + 1;
	for (uint32_t i = 0; i < l->n; i++) {
		struct metric_stream *s;
		below.object = first + i;
		int rc = metric_chain_new(&s, &below);
		if (!rc)
			rc = metric_pull_init(&l->child[i], s);
		if (rc)
			return rc;
		l->value[i] = l->child[i].value;
		l->heap[i] = (struct child_ref){l->child[i].ended ? INFINITY : l->child[i].end, l->turns++, i};
		if (!i || l->child[i].begin > l->begin)
			l->begin = l->child[i].begin;
	}
	for (uint32_t i = l->n / 2; i-- > 0;)
		sink(l, i);
	return 0;
}

static double run_mode(const struct weft_call *c, const double *value, uint32_t n);
static double run_mode_of_tasks(const struct weft_call *c, const double *value, uint32_t n);

int metric_level_new(struct metric_stream **out, const struct metric_site *site)
{
	struct level *l = calloc(1, sizeof *l);
	uint32_t first;
	*out = NULL;
	if (!l)
		return -ENOMEM;
	l->stream = (struct metric_stream){level_next, level_free};
	l->call = &site->metric->of_level[site->level];
	l->run = ((const struct metric_level_func *)(const void *)l->call->func)->run;
	if (l->run == run_mode && site->level == WEFT_APPL)
		l->run = run_mode_of_tasks;
	l->of_change = !l->run;
	l->to = site->to;
	weft_level_down(site->space, site->level, site->object, site->level + 1, &first, &l->n);
	l->keeps_empty = l->n == 1 || (site->level == WEFT_APPL && site->metric->parent[0]);
	l->child = calloc((size_t)l->n + 1, sizeof *l->child);
	l->heap = calloc((size_t)l->n + 1, sizeof *l->heap);
	l->value = calloc((size_t)l->n + 1, sizeof *l->value);
	int rc = l->child && l->heap && l->value ? 0 : -ENOMEM;
	if (!rc)
		rc = open_children(l, site, first);
	if (rc) {
		level_free(&l->stream);
		return rc;
	}
	if (!l->n) { /* an object without children shows 0 all the time */
		l->heap[0] = (struct child_ref){site->space->end, 0, 0};
		l->to = 0;
	}
	*out = &l->stream;
	return 0;
}

/* ---- functions ---- */

static double run_adding(const struct weft_call *c, const double *value, uint32_t n)
{
	double sum = 0;
	(void)c;
	for (uint32_t i = 0; i < n; i++)
		sum += value[i];
	return sum;
}

static double run_adding_sign(const struct weft_call *c, const double *value, uint32_t n)
{
	return run_adding(c, value, n) > 0;
}

static double run_average(const struct weft_call *c, const double *value, uint32_t n)
{
	return n ? run_adding(c, value, n) / n : 0;
}

static double run_maximum(const struct weft_call *c, const double *value, uint32_t n)
{
	double most = 0;
	(void)c;
	for (uint32_t i = 0; i < n; i++)
		if (value[i] > most)
			most = value[i];
	return most;
}

/* A 0 is taken for "nothing yet". */
static double run_minimum(const struct weft_call *c, const double *value, uint32_t n)
{
	double least = 0;
	(void)c;
	for (uint32_t i = 0; i < n; i++)
		if (least == 0 || value[i] < least)
			least = value[i];
	return least;
}

static bool all_same_listed(const struct weft_call *c, const double *value, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (value[i] != value[0])
			return false;
	return n && metric_in_list(metric_param(c, 0), value[0]);
}

static double run_activity(const struct weft_call *c, const double *value, uint32_t n)
{
	return all_same_listed(c, value, n) ? value[0] : 0;
}

static double run_in_activity(const struct weft_call *c, const double *value, uint32_t n)
{
	return all_same_listed(c, value, n);
}

static double mode_of(const double *value, uint32_t n, bool greatest)
{
	double mode = 0;
	uint32_t most = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t count = 0;
		for (uint32_t k = 0; k < n; k++)
			count += value[k] == value[i];
		if (count > most || (greatest && count == most && value[i] > mode)) {
			most = count;
			mode = value[i];
		}
	}
	return mode;
}

/*
 * The most frequent value; the first of equally frequent ones, of tasks (as the tool does it) the
 * greatest.
 */
static double run_mode(const struct weft_call *c, const double *value, uint32_t n)
{
	(void)c;
	return mode_of(value, n, false);
}

static double run_mode_of_tasks(const struct weft_call *c, const double *value, uint32_t n)
{
	(void)c;
	return mode_of(value, n, true);
}

static double run_child(const struct weft_call *c, const double *value, uint32_t n)
{
	double i = metric_param_one(c, 0) - 1;
	return i >= 0 && i < n ? value[(uint32_t)i] : 0;
}

static double run_add_listed(const struct weft_call *c, const double *value, uint32_t n)
{
	struct weft_list l = metric_param(c, 0);
	double sum = 0;
	for (uint32_t i = 0; i < l.n; i++)
		if (l.at[i] >= 0 && l.at[i] < n)
			sum += value[(uint32_t)l.at[i]];
	return sum;
}

const struct metric_level_func metric_level_funcs[] = {
	{{"Adding", {{0}}, false}, run_adding},
	{{"AddingSign", {{0}}, false}, run_adding_sign},
	{{"Average", {{0}}, false}, run_average},
	{{"Maximum", {{0}}, false}, run_maximum},
	{{"Minimum", {{0}}, false}, run_minimum},
	{{"Activity", METRIC_PARAM("Values", 1), false}, run_activity},
	{{"In Activity", METRIC_PARAM("Values", 1), false}, run_in_activity},
	{{"Mode", {{0}}, false}, run_mode},
	{{"Thread i", METRIC_PARAM("Object", 1), false}, run_child},
	{{"Add Tasks", METRIC_PARAM("Objects", 0), false}, run_add_listed},
	{{"Changed value", {{0}}, true}, NULL}, /* of the child that changed last */
	{{NULL, {{0}}, false}, NULL},
};
