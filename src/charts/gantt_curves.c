/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Curves, by pixel: tasks submitted and not done, ready and not begun, as mean numbers; GFlop/s and bandwidths as amounts that are spread evenly
 * over the task or the copy; memory in use as the greatest value.
 */
#include "gantt.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BLUE = 0x1c7ed6, ORANGE = 0xe8590c, TEAL = 0x0c8599, PURPLE = 0x7048e8 };

static const struct {
	const char *unit;
	uint32_t colour;
} looks[] = {
	[GANTT_SUBMITTED] = {"tasks", BLUE},        [GANTT_READY] = {"tasks", TEAL}, [GANTT_FLOPS] = {"GFlop/s", ORANGE},
	[GANTT_WORKER_FLOPS] = {"GFlop/s", ORANGE}, [GANTT_MEMORY] = {"MB", BLUE},   [GANTT_BANDWIDTH] = {"MB/s", TEAL},
};

static int add_curve(struct gantt *g, enum gantt_curve_of of, const char *label, int64_t row, double **value)
{
	struct gantt_curve c = {.value = calloc(g->width, sizeof *c.value),
	                        .colour = looks[of].colour,
	                        .unit = looks[of].unit,
	                        .of = of,
	                        .row = row};
	snprintf(c.label, sizeof c.label, "%s", label);
	if (!c.value || weft_vec_push(&g->curve, c)) {
		free(c.value);
		return -ENOMEM;
	}
	*value = c.value;
	return 0;
}

void gantt_spread(const struct gantt *g, double *value, uint64_t from, uint64_t to, double amount)
{
	double length = (double)(g->to - g->from) / g->width, lasts = (double)(to - from);
	if (to <= from || to <= g->from || from >= g->to)
		return;
	double begin = from > g->from ? (double)(from - g->from) : 0, end = (double)((to < g->to ? to : g->to) - g->from);
	for (unsigned k = (unsigned)(begin / length); k < g->width && k * length < end; k++) {
		double a = begin > k * length ? begin : k * length, b = end < (k + 1) * length ? end : (k + 1) * length;
		value[k] += b > a ? amount / lasts * (b - a) / length : 0;
	}
}

/* ---- of the program ---- */

static int count_tasks(struct gantt *g, const char *label, bool ready)
{
	const struct weft_tasks *t = &g->tasks->tasks;
	uint64_t *begin = malloc(((size_t)t->n + 1) * sizeof *begin), *end = malloc(((size_t)t->n + 1) * sizeof *end),
		 *busy = NULL;
	double *value;
	int rc = begin && end ? 0 : -ENOMEM;
	bool any = false;
	for (uint32_t i = 0; i < t->n && !rc; i++) {
		begin[i] = ready ? t->task[i].ready : t->task[i].submit;
		end[i] = ready ? t->task[i].start : t->task[i].end;
		end[i] = end[i] == WEFT_NEVER ? g->to : end[i];
		any = any || begin[i] != WEFT_NEVER;
	}
	if (!rc && any)
		rc = weft_graph_parallelism(&(struct weft_graph_span){begin, end, NULL, t->n}, g->from, g->to, g->width, &busy);
	if (!rc && any)
		rc = add_curve(g, ready ? GANTT_READY : GANTT_SUBMITTED, label, -1, &value);
	for (unsigned k = 0; k < g->width && !rc && any; k++)
		value[k] = (double)busy[k] * g->width / (double)(g->to - g->from);
	free(begin);
	free(end);
	free(busy);
	return rc;
}

/* In all, and of each worker. */
static int sum_flops(struct gantt *g)
{
	const struct weft_tasks *t = &g->tasks->tasks;
	double **of = calloc((size_t)t->n_workers + 1, sizeof *of);
	int rc = of ? 0 : -ENOMEM;
	bool any = false;
	for (uint32_t i = 0; i < t->n && !any; i++)
		any = t->task[i].flops >= 0;
	if (!rc && any)
		rc = add_curve(g, GANTT_FLOPS, "all workers", -1, &of[t->n_workers]);
	for (uint32_t k = 0; k < t->n_workers && !rc && any; k++)
		rc = add_curve(g, GANTT_WORKER_FLOPS, "", (int64_t)g->first_worker + k, &of[k]);
	for (uint32_t i = 0; i < t->n && !rc && any; i++) {
		const struct weft_tasks_task *task = &t->task[i];
		if (task->flops < 0 || task->start == WEFT_NEVER || task->end == WEFT_NEVER || task->worker >= t->n_workers)
			continue;
		gantt_spread(g, of[task->worker], task->start, task->end, task->flops);
		gantt_spread(g, of[t->n_workers], task->start, task->end, task->flops);
	}
	free(of);
	return rc;
}

/* ---- of memory nodes ---- */

static int sum_copies(struct gantt *g, uint32_t node, bool in)
{
	const struct weft_tasks *t = &g->tasks->tasks;
	double *value = NULL;
	char label[64];
	int rc = 0;
	snprintf(label, sizeof label, "node %u, %s", node, in ? "in" : "out");
	for (uint32_t i = 0; i < t->n_copies && !rc; i++) {
		const struct weft_tasks_copy *c = &t->copy[i];
		if ((in ? c->to : c->from) != node || c->start == WEFT_NEVER || c->end == WEFT_NEVER)
			continue;
		if (!value) {
			rc = add_curve(g, GANTT_BANDWIDTH, label, -1, &value);
			if (!rc && !in)
				g->curve.at[g->curve.n - 1].colour = PURPLE;
		}
		if (!rc)
			gantt_spread(g, value, c->start, c->end, (double)c->bytes * 1e3); /* bytes a ns are GB/s */
	}
	return rc;
}

/* The values of one counter, whichever thread recorded them: the greatest of each pixel, else the last one before it. */
static int trace_memory(struct gantt *g, uint32_t counter)
{
	const struct weft_trace *t = g->tasks->tasks.trace;
	uint64_t *when = calloc((size_t)g->width + 1, sizeof *when);
	double *last = calloc((size_t)g->width + 1, sizeof *last), *value = NULL;
	char label[64];
	snprintf(label, sizeof label, "%s", t->def[WEFT_CLASS_COUNTER].at[counter].name);
	int rc = when && last ? add_curve(g, GANTT_MEMORY, label, -1, &value) : -ENOMEM;
	for (uint32_t thread = 0; thread < t->n_threads && !rc; thread++) {
		struct weft_cursor c;
		struct weft_block b;
		rc = weft_cursor_begin(&c, t, thread, 0, g->to);
		while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
			for (uint32_t i = 0; i < b.n; i++) {
				if (b.what[i] != weft_what(WEFT_EV_COUNTER, counter))
					continue;
				/* [0] of `last`: what was so before the first pixel. */
				size_t k = b.time[i] < g->from ? 0
				                               : 1 + (size_t)((unsigned __int128)(b.time[i] - g->from) *
				                                              g->width / (g->to - g->from));
				double mb = (double)(int64_t)b.value[i] / 1e6;
				k = k > g->width ? g->width : k;
				if (k && mb > value[k - 1])
					value[k - 1] = mb;
				if (b.time[i] >= when[k]) {
					when[k] = b.time[i] + 1;
					last[k] = mb;
				}
			}
			rc = 0;
		}
		weft_cursor_end(&c);
	}
	double now = last ? last[0] : 0;
	for (unsigned k = 0; k < g->width && !rc; k++) {
		value[k] = value[k] > now ? value[k] : now;
		now = when[k + 1] ? last[k + 1] : now;
	}
	free(when);
	free(last);
	return rc;
}

int gantt_curves(struct gantt *g)
{
	const struct weft_tasks *t = &g->tasks->tasks;
	const struct weft_def_table *d = &t->trace->def[WEFT_CLASS_COUNTER];
	uint32_t nodes = 0;
	int rc = count_tasks(g, "submitted", false);
	rc = rc ? rc : count_tasks(g, "ready", true);
	rc = rc ? rc : sum_flops(g);
	for (uint32_t k = 1; k < d->n && !rc; k++)
		if (strncmp(d->at[k].name, "memory in use, node ", 20) == 0)
			rc = trace_memory(g, k);
	for (uint32_t i = 0; i < t->n_copies; i++) {
		nodes = t->copy[i].to < 64 && t->copy[i].to >= nodes ? t->copy[i].to + 1 : nodes;
		nodes = t->copy[i].from < 64 && t->copy[i].from >= nodes ? t->copy[i].from + 1 : nodes;
	}
	for (uint32_t node = 0; node < 2 * nodes && !rc; node++)
		rc = sum_copies(g, node / 2, node % 2 == 0);
	for (size_t k = 0; k < g->curve.n; k++)
		for (unsigned x = 0; x < g->width; x++)
			g->curve.at[k].most = g->curve.at[k].value[x] > g->curve.at[k].most ? g->curve.at[k].value[x]
			                                                                    : g->curve.at[k].most;
	size_t kept = 0; /* memory that was never used, and workers without operations, say nothing */
	for (size_t k = 0; k < g->curve.n; k++)
		if (g->curve.at[k].most > 0 || (g->curve.at[k].of != GANTT_MEMORY && g->curve.at[k].of != GANTT_WORKER_FLOPS))
			g->curve.at[kept++] = g->curve.at[k];
		else
			free(g->curve.at[k].value);
	g->curve.n = kept;
	return rc;
}
