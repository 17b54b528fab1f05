/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least time that these tasks could have taken, from what they took here. Types of tasks have a mean time on each kind of worker that ran some.
 *
 *   area   each type's tasks are shared out among kinds of workers, in parts if need be, so that all kinds end at once: a linear program. The
 *          program's own schedule is one of its solutions, with the same sums, so the bound is never above what was measured.
 *   path   the longest way along dependencies, each task with its own time, or the mean of its type on another kind of worker where that is less.
 *          The program itself took each task's own time along each way, so neither is this one above what was measured.
 */
#include "panels.h"
#include "base/map.h"
#include "cli/graph/effort_walk.h"
#include "lp/lp.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LP_TYPES = 120 }; /* the simplex is dense: of more types, those with the least time are one */

/* ---- kinds and types ---- */

static unsigned find_kind(struct panels *p, const char *name)
{
	char word[32];
	worker_kind(name, word);
	for (unsigned k = 0; k < p->n_kinds; k++)
		if (strcmp(p->kind[k], word) == 0)
			return k;
	if (p->n_kinds == PANELS_KINDS)
		return PANELS_KINDS - 1;
	strcpy(p->kind[p->n_kinds], word);
	return p->n_kinds++;
}

static int find_type(struct panels *p, struct weft_map *known, const struct weft_tasks_task *task, uint32_t *out)
{
	uint64_t at, name = task->model ? (uint64_t)task->model << 1 | 1 : (uint64_t)task->region << 1;
	uint64_t key = weft_hash_u64(weft_hash_u64(name) + ((uint64_t)task->has_footprint << 32 | task->footprint));
	if (!weft_map_get(known, key, &at)) {
		const char *called = task->model ? weft_tasks_text(&p->view.tasks, task->model)
		                                 : weft_tasks_codelet(&p->view.tasks, task);
		at = p->type.n;
		if (weft_vec_push(&p->type, ((struct panels_type){.name = called,
		                                                  .footprint = task->footprint,
		                                                  .has_footprint = task->has_footprint})) ||
		    weft_map_put(known, key, at))
			return -ENOMEM;
	}
	*out = (uint32_t)at;
	return 0;
}

int panels_types(struct panels *p)
{
	const struct weft_tasks *t = &p->view.tasks;
	struct weft_map known = {0};
	int rc = 0;
	p->kind_of = calloc((size_t)t->n_workers + 1, 1);
	p->type_of = malloc(((size_t)t->n + 1) * sizeof *p->type_of);
	if (!p->kind_of || !p->type_of)
		return -ENOMEM;
	for (uint32_t k = 0; k < t->n_workers; k++) {
		p->kind_of[k] = (uint8_t)find_kind(p, t->worker[k].name);
		p->workers[p->kind_of[k]]++;
	}
	for (uint32_t i = 0; i < t->n && !rc; i++) {
		p->type_of[i] = PANELS_NO_TYPE;
		if (!panels_done(p, i))
			continue;
		rc = find_type(p, &known, &t->task[i], &p->type_of[i]);
		if (rc)
			break;
		struct panels_type *of = &p->type.at[p->type_of[i]];
		unsigned kind = p->kind_of[t->task[i].worker];
		of->n[kind]++;
		of->ns[kind] += panels_duration(p, i);
	}
	weft_map_fini(&known);
	return rc;
}

/* ---- area ---- */

static double sum_of(const struct panels_type *t, unsigned kind)
{
	uint64_t n = 0;
	for (unsigned k = 0; k < PANELS_KINDS; k++)
		n += t->n[k];
	return t->n[kind] ? (double)t->ns[kind] / (double)t->n[kind] * (double)n : INFINITY; /* all of the type there */
}

static uint64_t time_of(const struct panels_type *t)
{
	uint64_t ns = 0;
	for (unsigned k = 0; k < PANELS_KINDS; k++)
		ns += t->ns[k];
	return ns;
}

static int longer_first(const void *a, const void *b)
{
	uint64_t x = time_of(a), y = time_of(b);
	return x > y ? -1 : x < y;
}

/* Shares of types on kinds, between 0 and 1, and the time, in parts of `all`. */
static int solve(const struct panels *p, const struct panels_type *type, unsigned n, double all, double *out)
{
	struct lp lp = {0};
	unsigned *col = calloc((size_t)n * PANELS_KINDS + 1, sizeof *col);
	if (!col)
		return -ENOMEM;
	unsigned time = lp_col(&lp, (struct lp_col){"time", 1, INFINITY, false});
	for (unsigned i = 0; i < n; i++) {
		for (unsigned k = 0; k < p->n_kinds; k++)
			if (type[i].n[k])
				col[i * PANELS_KINDS + k] = lp_col(&lp, (struct lp_col){"share", 0, INFINITY, false});
		lp_row(&lp, (struct lp_row){"type", LP_EXACT, 1, 0});
		for (unsigned k = 0; k < p->n_kinds; k++)
			if (type[i].n[k])
				lp_add(&lp, col[i * PANELS_KINDS + k], 1);
	}
	for (unsigned k = 0; k < p->n_kinds; k++) {
		lp_row(&lp, (struct lp_row){"kind", LP_LEAST, 0, 0});
		lp_add(&lp, time, p->workers[k]);
		for (unsigned i = 0; i < n; i++)
			if (type[i].n[k])
				lp_add(&lp, col[i * PANELS_KINDS + k], -sum_of(&type[i], k) / all);
	}
	int rc = lp_solve_relaxed(&lp, NULL, out);
	lp_free(&lp);
	free(col);
	return rc;
}

int panels_area(struct panels *p)
{
	struct panels_type *type = malloc((p->type.n + 1) * sizeof *type);
	unsigned n = 0;
	double all = 0, area = 0;
	uint32_t workers = 0;
	int rc = type ? 0 : -ENOMEM;
	for (size_t i = 0; i < p->type.n && !rc; i++)
		if (time_of(&p->type.at[i])) {
			type[n++] = p->type.at[i];
			all += (double)time_of(&p->type.at[i]);
		}
	for (unsigned k = 0; k < p->n_kinds; k++)
		workers += p->workers[k];
	if (!rc && n > LP_TYPES) {
		qsort(type, n, sizeof *type, longer_first);
		for (; n > LP_TYPES; n--)
			for (unsigned k = 0; k < PANELS_KINDS; k++) {
				type[LP_TYPES - 1].n[k] += type[n - 1].n[k];
				type[LP_TYPES - 1].ns[k] += type[n - 1].ns[k];
			}
	}
	if (!rc && p->n_kinds == 1)
		area = all / workers;
	else if (!rc && n) {
		rc = solve(p, type, n, all, &area);
		area *= all;
		if (rc == -EDOM ||
		    rc == -ERANGE) { /* no solution in numbers: what holds for all kinds together, each task where it was fastest */
			rc = 0;
			area = 0;
			for (unsigned i = 0; i < n; i++) {
				double least = INFINITY;
				for (unsigned k = 0; k < p->n_kinds; k++)
					least = fmin(least, sum_of(&type[i], k));
				area += least / workers;
			}
		}
	}
	free(type);
	p->area = (uint64_t)llround(area);
	return rc;
}

/* ---- critical path ---- */

static uint64_t least_time(const struct panels *p, uint32_t task)
{
	if (p->type_of[task] == PANELS_NO_TYPE)
		return 0;
	const struct panels_type *of = &p->type.at[p->type_of[task]];
	unsigned own = p->kind_of[p->view.tasks.task[task].worker];
	uint64_t least = panels_duration(p, task);
	for (unsigned k = 0; k < p->n_kinds; k++)
		if (k != own && of->n[k] && of->ns[k] / of->n[k] < least)
			least = of->ns[k] / of->n[k];
	return least;
}

int panels_path(struct panels *p)
{
	uint32_t n = p->view.tasks.n;
	uint64_t *duration = malloc(((size_t)n + 1) * sizeof *duration);
	struct weft_graph_paths paths = {0};
	if (!duration)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		duration[i] = least_time(p, i);
	int rc = weft_graph_paths(&(struct weft_graph){n, p->view.first, p->view.before, duration}, &paths, NULL);
	p->path = paths.length;
	weft_graph_paths_fini(&paths);
	free(duration);
	return rc;
}
