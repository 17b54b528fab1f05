/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker's thread is walked once. At each instant it is in its innermost region, and that is an effort: a task's, or one of the runtime's by
 * the region's meaning (tasks_roles.h); inside a task all is the task's. Where it is in none, or sleeps, it idles; idle stretches of all workers and
 * how many tasks were ready meanwhile are divided in the end.
 */
#include "effort_walk.h"
#include "base/vec.h"
#include "tasks/tasks_roles.h"
#include "charts/thread_states.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EFFORT_IDLE = WEFT_EFFORTS }; /* not divided yet */

/* All others are the runtime's: callbacks, ends of tasks, hooks, submissions; and so are regions of a program's own outside of tasks. */
static const struct {
	enum tasks_role role;
	uint8_t effort;
} meanings[] = {
	{TASKS_SLEEPING, EFFORT_IDLE},
	{TASKS_WORKER, EFFORT_IDLE},
	{TASKS_SCHEDULING, WEFT_EFFORT_SCHEDULING},
	{TASKS_FETCHING, WEFT_EFFORT_TRANSFER},
	{TASKS_ALLOCATING, WEFT_EFFORT_TRANSFER},
	{TASKS_FREEING, WEFT_EFFORT_TRANSFER},
	{TASKS_COPYING, WEFT_EFFORT_TRANSFER},
	{TASKS_INTERFACE_COPYING, WEFT_EFFORT_TRANSFER},
};

static uint8_t effort_of(enum tasks_role role)
{
	for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
		if (meanings[i].role == role)
			return meanings[i].effort;
	return WEFT_EFFORT_RUNTIME;
}

struct walk {
	struct efforts *e;
	struct tasks_roles roles;
	uint8_t *effort; /* by region */
	bool *is_task;   /* likewise */
	WEFT_VEC(struct weft_idle_step) step;
	unsigned kind;
	bool idle;
};

static int step_add(struct walk *w, uint64_t at, int idle, int ready)
{
	struct weft_idle_step s = {at, idle, ready, w->kind};
	return weft_vec_push(&w->step, s);
}

static int add_time(void *arg, uint32_t region, uint64_t from, uint64_t to, bool begins)
{
	struct walk *w = arg;
	struct efforts *e = w->e;
	e->state[region].count += begins && region && from >= e->from && from < e->to;
	from = from > e->from ? from : e->from;
	to = to < e->to ? to : e->to;
	if (to <= from)
		return 0;
	bool idle = w->effort[region] == EFFORT_IDLE, was = w->idle;
	e->state[region].ns += to - from;
	if (!idle)
		e->effort[w->kind][w->effort[region]] += (double)(to - from);
	w->idle = idle;
	return idle == was ? 0 : step_add(w, from, idle ? 1 : -1, 0);
}

static int walk_worker(struct walk *w, const struct weft_tasks_worker *worker)
{
	w->idle = false;
	int rc = thread_states(w->e->tasks.tasks.trace, worker->thread, w->is_task, w->e->to, add_time, w);
	return rc || !w->idle ? rc : step_add(w, w->e->to, -1, 0);
}

/* ---- kinds of workers ---- */

void worker_kind(const char *name, char out[32])
{
	size_t n = strcspn(name, " 0123456789");
	if (n)
		snprintf(out, 32, "%.*s", (int)(n < 31 ? n : 31), name);
	else
		strcpy(out, "workers");
}

static unsigned find_kind(struct efforts *e, const char *name)
{
	char word[32];
	worker_kind(name, word);
	for (unsigned k = 0; k < e->n_kinds; k++)
		if (strcmp(e->kind[k], word) == 0)
			return k;
	if (e->n_kinds == WEFT_IDLE_KINDS)
		return WEFT_IDLE_KINDS - 1;
	strcpy(e->kind[e->n_kinds], word);
	return e->n_kinds++;
}

unsigned efforts_kind(const struct efforts *e, const struct weft_tasks_task *task)
{
	if (task->worker >= e->tasks.tasks.n_workers)
		return WEFT_IDLE_KINDS;
	return find_kind((struct efforts *)e, e->tasks.tasks.worker[task->worker].name); /* is there: nothing is added */
}

/* ---- all of it ---- */

static int ready_steps(struct walk *w)
{
	const struct weft_tasks *t = &w->e->tasks.tasks;
	int rc = 0;
	for (uint32_t i = 0; i < t->n && !rc; i++) {
		uint64_t ready = t->task[i].ready, start = t->task[i].start;
		if (ready == WEFT_NEVER || start == WEFT_NEVER || start <= ready)
			continue;
		w->e->has_ready = true;
		w->kind = 0;
		rc = step_add(w, ready, 0, 1);
		rc = rc ? rc : step_add(w, start, 0, -1);
	}
	return rc;
}

static int find_efforts(struct walk *w, const struct weft_trace *t)
{
	const struct weft_tasks *tasks = &w->e->tasks.tasks;
	uint32_t n = t->def[WEFT_CLASS_REGION].n;
	w->effort = calloc((size_t)n + 1, 1);
	w->is_task = calloc((size_t)n + 1, sizeof *w->is_task);
	w->e->state = calloc((size_t)n + 1, sizeof *w->e->state);
	w->e->n_states = n;
	int rc = w->effort && w->is_task && w->e->state ? tasks_roles_init(&w->roles, t) : -ENOMEM;
	if (rc)
		return rc;
	w->effort[0] = EFFORT_IDLE;
	for (uint32_t r = 1; r < n; r++)
		w->effort[r] = effort_of(tasks_role(&w->roles, WEFT_CLASS_REGION, r));
	for (uint32_t i = 0; i < tasks->n; i++)
		w->is_task[tasks->task[i].region] = tasks->task[i].region != 0;
	for (uint32_t r = 1; r < n; r++)
		w->effort[r] = w->is_task[r] ? WEFT_EFFORT_WORK : w->effort[r];
	for (uint32_t r = 0; r < n; r++)
		w->e->state[r] = (struct effort_state){.effort = w->effort[r] == EFFORT_IDLE ? WEFT_EFFORT_STARVED
		                                                                             : (enum weft_effort)w->effort[r],
		                                       .model = ""};
	for (uint32_t i = 0; i < tasks->n; i++)
		w->e->state[tasks->task[i].region].model = weft_tasks_text(tasks, tasks->task[i].model);
	return 0;
}

static int find_range(struct efforts *e, const struct weft_trace *t, const char *range)
{
	struct weft_err err = {0};
	e->from = WEFT_NEVER;
	for (uint32_t i = 0; i < e->tasks.tasks.n; i++) {
		const struct weft_tasks_task *task = &e->tasks.tasks.task[i];
		uint64_t first = task->submit != WEFT_NEVER ? task->submit : task->start;
		e->from = first < e->from ? first : e->from;
		e->to = task->end != WEFT_NEVER && task->end > e->to ? task->end : e->to;
	}
	e->from = e->from == WEFT_NEVER ? 0 : e->from;
	e->to = e->to > e->from ? e->to : t->end; /* none was done: the trace was cut off */
	if (range && weft_time_range(range, t->end, &e->from, &e->to, &err))
		return cli_fail(&err);
	e->to = e->to < t->end ? e->to : t->end;
	e->from = e->from < e->to ? e->from : e->to;
	return CLI_OK;
}

/* ---- of a simulated run ---- */

static bool is_worker(const char *name)
{
	static const char *const kinds[] = {"CPU ", "CUDA ", "OpenCL "};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(name, kinds[i], strlen(kinds[i])) && name[strlen(kinds[i])] >= '0' && name[strlen(kinds[i])] <= '9')
			return true;
	return false;
}

/* Its traces are made of Paje's: nothing has a category, workers are known by their names. */
static bool is_simulated(const struct weft_trace *t)
{
	for (uint32_t c = 1; c < t->def[WEFT_CLASS_CATEGORY].n; c++)
		if (!strcmp(t->def[WEFT_CLASS_CATEGORY].at[c].name, "starpu"))
			return false;
	for (uint32_t i = 0; i < t->n_threads; i++)
		if (is_worker(t->thread[i].name))
			return true;
	return false;
}

/* From the first task's begin on, to the end. */
static int simulated_range(struct efforts *e, const struct weft_trace *t, const char *range)
{
	struct weft_err err = {0};
	e->from = e->to = t->end;
	for (uint32_t i = 0; i < t->n_threads; i++)
		if (is_worker(t->thread[i].name) && t->thread[i].begin < e->from)
			e->from = t->thread[i].begin;
	return range && weft_time_range(range, t->end, &e->from, &e->to, &err) ? cli_fail(&err) : CLI_OK;
}

static int simulated_states(struct efforts *e, const struct weft_trace *t, const char *range)
{
	struct walk w = {.e = e};
	e->tasks.tasks.trace = t;
	int status = simulated_range(e, t, range);
	if (status)
		return status;
	int rc = find_efforts(&w, t);
	for (uint32_t r = 1; r < e->n_states && !rc; r++) {
		w.effort[r] = WEFT_EFFORT_WORK;
		e->state[r].effort = WEFT_EFFORT_WORK;
	}
	for (uint32_t i = 0; i < t->n_threads && !rc; i++)
		if (is_worker(t->thread[i].name)) {
			w.kind = find_kind(e, t->thread[i].name);
			rc = walk_worker(&w, &(struct weft_tasks_worker){.thread = i});
		}
	tasks_roles_fini(&w.roles);
	free(w.step.at);
	free(w.effort);
	free(w.is_task);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

int efforts_init(struct efforts *e, const struct weft_trace *t, const char *range, bool states)
{
	struct walk w = {.e = e};
	double late[WEFT_IDLE_KINDS], starved[WEFT_IDLE_KINDS];
	struct weft_err err = {0};
	*e = (struct efforts){0};
	if (states && is_simulated(t))
		return simulated_states(e, t, range);
	if (task_view_load(&e->tasks, t, &err))
		return cli_fail(&err);
	int status = find_range(e, t, range);
	if (status)
		return status;
	e->has_detail = e->tasks.tasks.has & WEFT_TASKS_HAS_DETAIL;
	int rc = find_efforts(&w, t);
	for (uint32_t k = 0; k < e->tasks.tasks.n_workers && !rc; k++) {
		w.kind = find_kind(e, e->tasks.tasks.worker[k].name);
		e->workers[w.kind]++;
		rc = walk_worker(&w, &e->tasks.tasks.worker[k]);
	}
	if (!rc)
		rc = ready_steps(&w);
	if (!rc) {
		weft_idle_split(w.step.at, w.step.n, e->from, e->to, late, starved);
		for (unsigned k = 0; k < e->n_kinds; k++) {
			e->effort[k][WEFT_EFFORT_LATE] = late[k];
			e->effort[k][WEFT_EFFORT_STARVED] = starved[k];
		}
	}
	tasks_roles_fini(&w.roles);
	free(w.step.at);
	free(w.effort);
	free(w.is_task);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

void efforts_fini(struct efforts *e)
{
	task_view_fini(&e->tasks);
	free(e->state);
}
