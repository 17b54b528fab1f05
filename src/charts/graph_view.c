/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of folding: by level, unless the program counts iterations; then neighbouring steps are taken together until there are few enough
 * boxes. A graph of few tasks is shown as it is.
 */
#include "graph_view.h"
#include "render/draw/palette.h"
#include "render/draw/svg.h"
#include "weft/states.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const graph_by_names[GRAPH_FOLDINGS] = {"auto", "none", "level", "iteration", "codelet"};

enum { UNFOLDED_MOST = 150 };

/* ---- nodes ---- */

static int choose_nodes(struct graph_view *v, struct weft_filter *f, uint32_t *node)
{
	const struct weft_tasks *t = &v->tasks->tasks;
	v->begin = WEFT_NEVER;
	for (uint32_t i = 0; i < t->n; i++) {
		node[i] = UINT32_MAX;
		if (!task_passes(f, v->tasks, i))
			continue;
		const struct weft_tasks_task *task = &t->task[i];
		bool ran = task->start != WEFT_NEVER && task->end != WEFT_NEVER && task->end > task->start;
		node[i] = v->n;
		v->task[v->n] = i;
		v->duration[v->n++] = ran ? task->end - task->start : 0;
		if (ran && task->start < v->begin)
			v->begin = task->start;
		if (ran && task->end > v->end)
			v->end = task->end;
	}
	v->begin = v->begin == WEFT_NEVER ? 0 : v->begin;
	return v->n ? 0 : -ENOENT;
}

static void choose_edges(struct graph_view *v, const uint32_t *node)
{
	const struct weft_tasks *t = &v->tasks->tasks;
	uint64_t n = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		const struct weft_tasks_task *task = &t->task[v->task[i]];
		v->first[i] = n;
		for (uint32_t e = 0; e < task->n_before; e++)
			if (node[t->edge[task->before + e]] != UINT32_MAX)
				v->before[n++] = node[t->edge[task->before + e]];
	}
	v->first[v->n] = n;
	v->g = (struct weft_graph){v->n, v->first, v->before, v->duration};
}

int graph_view_init(struct graph_view *v, struct task_view *tasks, struct weft_filter *f, struct weft_err *err)
{
	const struct weft_tasks *t = &tasks->tasks;
	size_t room = (size_t)t->n + 1;
	uint32_t *node = malloc(room * sizeof *node), cycle = 0;
	*v = (struct graph_view){.tasks = tasks,
	                         .n_all = t->n,
	                         .task = malloc(room * sizeof *v->task),
	                         .first = malloc(room * sizeof *v->first),
	                         .duration = malloc(room * sizeof *v->duration),
	                         .before = malloc(((size_t)t->n_edges + 1) * sizeof *v->before)};
	int rc = node && v->task && v->first && v->duration && v->before ? choose_nodes(v, f, node) : -ENOMEM;
	if (!rc) {
		choose_edges(v, node);
		rc = weft_graph_paths(&v->g, &v->paths, &cycle);
	}
	free(node);
	if (rc == -ENOENT)
		return weft_err_set(err, rc, "no task passes the filter");
	if (rc == -ELOOP)
		return weft_err_set(err, rc, "'%s': task %" PRIu64 " waits for itself", t->trace->path,
		                    t->task[v->task[cycle]].job);
	err->code = rc;
	return rc;
}

void graph_view_fini(struct graph_view *v)
{
	weft_graph_paths_fini(&v->paths);
	weft_fold_fini(&v->fold);
	weft_layout_fini(&v->layout);
	free(v->task);
	free(v->first);
	free(v->duration);
	free(v->before);
	free(v->kind);
	free(v->step);
	free(v->width);
	free(v->colour);
}

/* ---- boxes ---- */

static const struct weft_tasks_task *task_of(const struct graph_view *v, uint32_t node)
{
	return &v->tasks->tasks.task[v->task[node]];
}

static bool has_iterations(const struct graph_view *v)
{
	int32_t first = task_of(v, 0)->iteration;
	for (uint32_t i = 1; i < v->n; i++)
		if (task_of(v, i)->iteration != first)
			return true;
	return false;
}

static uint32_t step_of(const struct graph_view *v, uint32_t node)
{
	int32_t iteration = task_of(v, node)->iteration;
	return v->by == GRAPH_NONE        ? node
	       : v->by == GRAPH_LEVEL     ? v->paths.level[node]
	       : v->by == GRAPH_ITERATION ? (iteration < 0 ? 0 : (uint32_t)iteration + 1)
	                                  : 0;
}

static int choose_colours(struct graph_view *v)
{
	const struct weft_def_table *regions = &v->tasks->tasks.trace->def[WEFT_CLASS_REGION];
	struct weft_palette_name *name = calloc((size_t)regions->n + 1, sizeof *name);
	bool *used = calloc((size_t)regions->n + 1, sizeof *used);
	uint32_t *colour = calloc((size_t)regions->n + 1, sizeof *colour), *at = calloc((size_t)regions->n + 1, sizeof *at),
		 n = 0;
	v->n_kinds = regions->n;
	v->colour = calloc((size_t)regions->n + 1, sizeof *v->colour);
	int rc = name && used && colour && at && v->colour ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < v->n; i++)
		used[v->kind[i]] = true;
	for (uint32_t k = 0; !rc && k < regions->n; k++)
		if (used[k]) {
			at[n] = k;
			name[n++] = (struct weft_palette_name){graph_kind_name(v, k), WEFT_STATE_RUNNING};
		}
	if (!rc)
		rc = weft_palette_choose(name, n, colour);
	for (uint32_t k = 0; !rc && k < n; k++)
		v->colour[at[k]] = colour[k];
	free(name);
	free(used);
	free(colour);
	free(at);
	return rc;
}

int graph_view_fold(struct graph_view *v, const struct graph_how *how)
{
	uint32_t groups;
	uint32_t most = how->most ? how->most : 1;
	v->by = how->by != GRAPH_AUTO                   ? how->by
	        : v->n <= most && v->n <= UNFOLDED_MOST ? GRAPH_NONE
	        : has_iterations(v)                     ? GRAPH_ITERATION
	                                                : GRAPH_LEVEL;
	v->stride = 1;
	v->kind = malloc(((size_t)v->n + 1) * sizeof *v->kind);
	v->step = malloc(((size_t)v->n + 1) * sizeof *v->step);
	int rc = v->kind && v->step ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < v->n; i++) {
		v->kind[i] = task_of(v, i)->region;
		v->step[i] = step_of(v, i);
	}
	if (!rc && v->by != GRAPH_NONE)
		rc = weft_fold_stride(v->kind, v->step, v->n, most, &v->stride, &groups);
	for (uint32_t i = 0; !rc && i < v->n && v->stride > 1; i++)
		v->step[i] /= v->stride;
	if (!rc)
		rc = weft_fold(&v->g, &v->paths, v->kind, v->step, &v->fold);
	if (!rc)
		rc = choose_colours(v);
	return rc;
}

int graph_view_place(struct graph_view *v)
{
	char first[96], second[96];
	double *rank = calloc((size_t)v->fold.n + 1, sizeof *rank);
	bool *critical = graph_critical_edges(v);
	v->width = calloc((size_t)v->fold.n + 1, sizeof *v->width);
	int rc = rank && critical && v->width ? weft_fold_reduce(&v->fold, critical) : -ENOMEM;
	free(critical);
	for (uint32_t k = 0; !rc && k < v->fold.n; k++) {
		graph_label(v, k, first, second);
		double a = svg_text_width(first, GRAPH_LABEL_MOST), b = svg_text_width(second, 0);
		v->width[k] = (a > b ? a : b) + 20;
		rank[k] = v->fold.group[k].at;
	}
	if (!rc)
		rc = weft_layout(&(struct weft_layout_in){v->fold.n, v->fold.n_edges, v->fold.edge, v->width, rank, GRAPH_GAP},
		                 &v->layout);
	free(rank);
	return rc;
}

/* ---- words ---- */

const char *graph_kind_name(const struct graph_view *v, uint32_t kind)
{
	struct weft_tasks_task task = {.region = kind};
	return weft_tasks_codelet(&v->tasks->tasks, &task);
}

static void step_words(const struct graph_view *v, uint32_t step, char *out, size_t room)
{
	uint32_t from = step * v->stride, to = from + v->stride - 1;
	const char *what = v->by == GRAPH_ITERATION ? "iteration" : "level";
	if (v->by == GRAPH_ITERATION && from == 0 && v->stride == 1)
		snprintf(out, room, "no iteration");
	else if (v->by == GRAPH_ITERATION && v->stride == 1)
		snprintf(out, room, "%s %u", what, from - 1);
	else if (v->by == GRAPH_CODELET || v->by == GRAPH_NONE)
		*out = '\0';
	else if (v->stride == 1)
		snprintf(out, room, "%s %u", what, from);
	else
		snprintf(out, room, "%ss %u-%u", what, from - (v->by == GRAPH_ITERATION && from),
		         to - (v->by == GRAPH_ITERATION));
}

void graph_label(const struct graph_view *v, uint32_t box, char first[96], char second[96])
{
	const struct weft_fold_group *g = &v->fold.group[box];
	char time[32], step[48];
	if (g->count == 1) {
		uint32_t node = v->fold.member[g->first];
		snprintf(first, 96, "%s", weft_tasks_called(&v->tasks->tasks, task_of(v, node)));
		snprintf(second, 96, "%s", weft_human_ns(time, g->work));
		return;
	}
	snprintf(first, 96, "%.70s x%u", graph_kind_name(v, g->kind), g->count);
	step_words(v, g->step, step, sizeof step);
	snprintf(second, 96, "%s%s%s", weft_human_ns(time, g->work), *step ? ", " : "", step);
}

void graph_words(const struct graph_view *v, char *out, size_t room)
{
	char length[32], work[32];
	const struct weft_graph_paths *p = &v->paths;
	snprintf(out, room,
	         "%u tasks, %" PRIu64 " dependencies, %u levels; %s of work, critical path %s of %u tasks, parallelism %.3g",
	         v->n, v->first[v->n], p->depth, weft_human_ns(work, p->work), weft_human_ns(length, p->length), p->n_path,
	         p->length ? (double)p->work / (double)p->length : 1.0);
}

static int compare_pairs(const void *a, const void *b)
{
	return memcmp(a, b, 8);
}

bool *graph_critical_edges(const struct graph_view *v)
{
	uint32_t n = v->paths.n_path;
	uint32_t(*pair)[2] = calloc((size_t)n + 1, sizeof *pair);
	bool *critical = calloc((size_t)v->fold.n_edges + 1, sizeof *critical);
	for (uint32_t k = 1; pair && k < n; k++) {
		pair[k - 1][0] = v->fold.of[v->paths.path[k - 1]];
		pair[k - 1][1] = v->fold.of[v->paths.path[k]];
	}
	if (pair && n > 1)
		qsort(pair, n - 1, sizeof *pair, compare_pairs);
	for (uint32_t e = 0; pair && critical && e < v->fold.n_edges && n > 1; e++) {
		uint32_t key[2] = {v->fold.edge[e].from, v->fold.edge[e].to};
		critical[e] = bsearch(key, pair, n - 1, sizeof *pair, compare_pairs) != NULL;
	}
	if (!pair) {
		free(critical);
		critical = NULL;
	}
	free(pair);
	return critical;
}
