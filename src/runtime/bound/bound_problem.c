/* SPDX-License-Identifier: Apache-2.0 */
/* From what was recorded to numbers: how long each kind of task takes where, an order of tasks, the longest way through them. */
#include "bound.h"
#include "runtime/perf/perf.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The mean of the model's history, NaN where it has none. */
static double mean_of(const struct bound_kind *k, unsigned worker)
{
	struct starpu_perfmodel_arch *arch = perf_worker_arch(worker);
	if (!k->model || !k->model->is_init || !k->model->state)
		return NAN;
	struct starpu_perfmodel_per_arch *p = starpu_perfmodel_get_model_per_arch(k->model, arch, 0);
	for (const struct starpu_perfmodel_history_list *l = p ? p->list : NULL; l; l = l->next)
		if (l->entry->footprint == k->footprint && l->entry->nsample)
			return l->entry->mean;
	return NAN;
}

/* A model without a history says it itself; without any model, this run does. */
static double time_of(const struct bound_record *r, const struct bound_kind *k, unsigned place)
{
	double us = NAN;
	if (k->model && k->model->type == STARPU_HISTORY_BASED)
		us = mean_of(k, r->place[place].first);
	else if (k->model && k->model->type != STARPU_PERFMODEL_INVALID && k->n)
		us = k->given_us[place] / k->n;
	if (isnan(us) && k->n_ran[place])
		us = k->ran_us[place] / k->n_ran[place];
	return us / 1000;
}

static void set_times(struct bound_problem *p)
{
	for (uint32_t k = 0; k < p->r->n_kinds; k++) {
		double *ms = &p->ms[(size_t)k * p->r->n_places], least = INFINITY;
		for (unsigned i = 0; i < p->r->n_places; i++) {
			ms[i] = p->r->kind[k]->may >> i & 1 ? time_of(p->r, p->r->kind[k], i) : NAN;
			least = fmin(least, isnan(ms[i]) ? INFINITY : ms[i]);
		}
		/* Nobody knows anything of it: it takes no time, wherever it may run. */
		for (unsigned i = 0; isinf(least) && i < p->r->n_places; i++)
			ms[i] = p->r->kind[k]->may >> i & 1 ? 0 : NAN;
		p->least[k] = isinf(least) ? 0 : least;
	}
}

/* What comes behind each task, and then, from those before which nothing comes, an order. */
static int set_order(struct bound_problem *p)
{
	const struct bound_record *r = p->r;
	uint32_t *left = calloc(r->n_tasks + 1, sizeof *left), n = 0;
	if (!left)
		return -ENOMEM;
	for (uint32_t e = 0; e < r->n_edges; e++)
		p->first[r->edge[e].from + 2]++;
	for (uint32_t i = 0; i < r->n_tasks; i++)
		p->first[i + 2] += p->first[i + 1];
	for (uint32_t e = 0; e < r->n_edges; e++) {
		uint32_t at = p->first[r->edge[e].from + 1]++;
		p->behind[at] = r->edge[e].to;
		p->edge[at] = e;
		left[r->edge[e].to]++;
	}
	for (uint32_t i = 0; i < r->n_tasks; i++)
		if (!left[i])
			p->order[n++] = i;
	for (uint32_t at = 0; at < n; at++)
		for (uint32_t b = p->first[p->order[at]]; b < p->first[p->order[at] + 1]; b++)
			if (!--left[p->behind[b]])
				p->order[n++] = p->behind[b];
	/* In a circle, which no program that ends has. */
	for (uint32_t i = 0; i < r->n_tasks && n < r->n_tasks; i++)
		if (left[i])
			p->order[n++] = i;
	free(left);
	return 0;
}

int bound_problem_make(struct bound_problem *p)
{
	const struct bound_record *r = &bound;
	*p = (struct bound_problem){.r = r};
	p->ms = calloc((size_t)r->n_kinds * r->n_places + 1, sizeof *p->ms);
	p->least = calloc(r->n_kinds + 1, sizeof *p->least);
	p->order = calloc(r->n_tasks + 1, sizeof *p->order);
	p->first = calloc(r->n_tasks + 3, sizeof *p->first);
	p->behind = calloc(r->n_edges + 1, sizeof *p->behind);
	p->edge = calloc(r->n_edges + 1, sizeof *p->edge);
	if (!p->ms || !p->least || !p->order || !p->first || !p->behind || !p->edge)
		return -ENOMEM;
	for (unsigned i = 0; i < r->n_places; i++)
		p->n_workers += r->place[i].n;
	set_times(p);
	return set_order(p);
}

void bound_problem_free(struct bound_problem *p)
{
	void *const all[] = {p->ms, p->least, p->order, p->first, p->behind, p->edge};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
}

static void count_kinds(const struct bound_problem *p, const uint32_t *from, uint32_t last, uint32_t *path)
{
	memset(path, 0, p->r->n_kinds * sizeof *path);
	for (uint32_t i = last; i != BOUND_NOTHING; i = from[i])
		if (p->r->task[i].kind != BOUND_NOTHING)
			path[p->r->task[i].kind]++;
}

double bound_longest(const struct bound_problem *p, const double *of_kind, uint32_t *path)
{
	const struct bound_record *r = p->r;
	double *begin = calloc(r->n_tasks + 1, sizeof *begin), longest = 0;
	uint32_t *from = malloc((r->n_tasks + 1) * sizeof *from), last = BOUND_NOTHING;
	for (uint32_t i = 0; from && i < r->n_tasks; i++)
		from[i] = BOUND_NOTHING;
	for (uint32_t at = 0; begin && from && at < r->n_tasks; at++) {
		uint32_t i = p->order[at], kind = r->task[i].kind;
		double end = begin[i] + (kind == BOUND_NOTHING ? 0 : of_kind[kind]);
		if (end > longest) {
			longest = end;
			last = i;
		}
		for (uint32_t b = p->first[i]; b < p->first[i + 1]; b++)
			if (end > begin[p->behind[b]]) {
				begin[p->behind[b]] = end;
				from[p->behind[b]] = i;
			}
	}
	if (path && from)
		count_kinds(p, from, last, path);
	free(begin);
	free(from);
	return longest;
}

double bound_transfer_ms(const struct bound_problem *p, uint32_t edge, unsigned from_place, unsigned to_place)
{
	unsigned from = p->r->place[from_place].node, to = p->r->place[to_place].node;
	size_t bytes = p->r->edge[edge].bytes;
	double us = from == to || !bytes ? 0 : starpu_transfer_predict(from, to, bytes);
	return us > 0 ? us / 1000 : 0;
}
