/* SPDX-License-Identifier: Apache-2.0 */
/* A run of tasks as rows, without a trace's streams: for tests of what computes on tasks. A task begins when those before it have ended and its worker is free. */
#ifndef WEFT_TESTS_SAMPLE_RUN_H
#define WEFT_TESTS_SAMPLE_RUN_H

#include "harness.h"
#include "cli/panels/panels.h"
#include <stdlib.h>

enum { RUN_TASKS = 600, RUN_WORKERS = 6, RUN_REGIONS = 8, RUN_BEFORE = 3 };
struct sample_run {
	struct weft_trace trace;
	struct weft_def_row region[RUN_REGIONS];
	struct weft_tasks_task task[RUN_TASKS];
	struct weft_tasks_worker worker[RUN_WORKERS];
	uint32_t edge[RUN_TASKS * RUN_BEFORE];
	uint64_t free_at[RUN_WORKERS], end;
	struct panels_how how;
	struct panels p;
};

static inline void run_init(struct sample_run *r, const char *const *workers, unsigned n)
{
	static const char *const names[RUN_REGIONS] = {"", "a", "b", "c", "d", "e", "f", "g"};
	*r = (struct sample_run){0};
	for (unsigned i = 0; i < RUN_REGIONS; i++)
		r->region[i].name = names[i];
	r->trace.def[WEFT_CLASS_REGION].at = r->region;
	r->trace.def[WEFT_CLASS_REGION].n = RUN_REGIONS;
	for (unsigned i = 0; i < n; i++)
		r->worker[i].name = workers[i];
	r->p.how = &r->how;
	r->p.view.tasks =
		(struct weft_tasks){.trace = &r->trace, .task = r->task, .worker = r->worker, .edge = r->edge, .n_workers = n};
}

/* A task of this codelet (1 … 7) and footprint; before: n tasks by number from 0. Its row, for what else is to be said. */
static inline struct weft_tasks_task *run_task(struct sample_run *r, unsigned region, uint32_t footprint, unsigned worker,
                                               uint64_t ns, const uint32_t *before, unsigned n)
{
	struct weft_tasks *t = &r->p.view.tasks;
	struct weft_tasks_task *task = &r->task[t->n++];
	*task = (struct weft_tasks_task){.number = t->n,
	                                 .region = region,
	                                 .footprint = footprint,
	                                 .has_footprint = 1,
	                                 .worker = worker,
	                                 .flops = -1,
	                                 .before = t->n_edges,
	                                 .n_before = n,
	                                 .start = r->free_at[worker]};
	for (unsigned k = 0; k < n; k++) {
		t->edge[t->n_edges++] = before[k];
		task->start = t->task[before[k]].end > task->start ? t->task[before[k]].end : task->start;
	}
	task->end = r->free_at[worker] = task->start + ns;
	r->end = task->end > r->end ? task->end : r->end;
	return task;
}

static inline void run_bounds(struct sample_run *r)
{
	REQUIRE(panels_types(&r->p) == 0);
	REQUIRE(panels_area(&r->p) == 0);
	REQUIRE(task_view_paths(&r->p.view, &(struct weft_err){0}) == 0);
	REQUIRE(panels_path(&r->p) == 0);
}

static inline void run_fini(struct sample_run *r)
{
	struct panels *p = &r->p;
	weft_graph_paths_fini(&p->view.paths);
	free(p->view.first);
	free(p->view.before);
	free(p->view.duration);
	free(p->kind_of);
	free(p->type.at);
	free(p->type_of);
	free(p->outlier.at);
}

#endif
