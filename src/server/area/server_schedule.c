/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task/schedule: who had what when, in a range: the page plays it. Rows of numbers, as there are many; names once.
 *
 *     tasks   [task, codelet, submit, ready, push, pop, start, end, worker, priority]    -1: not recorded, or none
 *     steps   [time, task, from, to]                                                     between components of a modular scheduler
 */
#include "server/core/server_tasks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_MOST = 20000, STEPS_MOST = 60000 };

static void put_time(struct weft_json *j, uint64_t t)
{
	weft_json_i64(j, t == WEFT_NEVER ? -1 : (int64_t)t);
}

/* From when it is there to when it is done. */
static bool is_there(const struct weft_tasks_task *t, uint64_t from, uint64_t to)
{
	uint64_t first = t->submit != WEFT_NEVER ? t->submit : t->start;
	return first != WEFT_NEVER && first < to && (t->end == WEFT_NEVER || t->end > from);
}

static void put_task(struct weft_json *j, const struct weft_tasks_task *t, uint32_t i)
{
	const uint64_t times[] = {t->submit, t->ready, t->push, t->pop, t->start, t->end};
	weft_json_array(j);
	weft_json_u64(j, i);
	weft_json_u64(j, t->region);
	for (unsigned k = 0; k < 6; k++)
		put_time(j, times[k]);
	weft_json_i64(j, t->worker == WEFT_TASKS_NO_ONE ? -1 : (int64_t)t->worker);
	weft_json_i64(j, t->priority);
	weft_json_end(j);
}

static void put_names(struct weft_json *j, const struct weft_tasks *t, const bool *used)
{
	const struct weft_def_table *d = &t->trace->def[WEFT_CLASS_REGION];
	weft_json_key(j, "codelets");
	weft_json_object(j);
	for (uint32_t r = 0; r < d->n; r++) {
		char key[16];
		if (!used[r])
			continue;
		snprintf(key, sizeof key, "%u", r);
		server_put_string(j, key, weft_tasks_codelet(t, &(struct weft_tasks_task){.region = r}));
	}
	weft_json_end(j);
	weft_json_key(j, "workers");
	weft_json_array(j);
	for (uint32_t k = 0; k < t->n_workers; k++)
		weft_json_string(j, t->worker[k].name);
	weft_json_end(j);
	weft_json_key(j, "components"); /* [name, parent] */
	weft_json_array(j);
	for (uint32_t k = 0; k < t->n_components; k++) {
		weft_json_array(j);
		weft_json_string(j, t->component[k].name);
		weft_json_i64(j, t->component[k].parent == WEFT_TASKS_NO_ONE ? -1 : (int64_t)t->component[k].parent);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void put_steps(struct weft_json *j, const struct weft_tasks *t, uint64_t from, uint64_t to)
{
	uint32_t n = 0;
	weft_json_key(j, "steps");
	weft_json_array(j);
	for (uint32_t k = 0; k < t->n_steps && n < STEPS_MOST; k++) {
		const struct weft_tasks_step *s = &t->step[k];
		if (s->task >= t->n || !is_there(&t->task[s->task], from, to))
			continue;
		weft_json_array(j);
		weft_json_u64(j, s->time);
		weft_json_u64(j, s->task);
		weft_json_i64(j, s->from == WEFT_TASKS_NO_ONE ? -1 : (int64_t)s->from);
		weft_json_i64(j, s->to == WEFT_TASKS_NO_ONE ? -1 : (int64_t)s->to);
		weft_json_end(j);
		n++;
	}
	weft_json_end(j);
}

int server_task_schedule(const struct server_request *r, struct server_answer *a)
{
	struct task_view v;
	struct server_trace *trace;
	struct server_json j;
	uint64_t from, to;
	uint32_t n = 0;
	int rc = server_tasks_get(r, &v, &trace);
	if (!rc)
		rc = server_arg_range(r, trace, &from, &to);
	if (rc)
		return rc;
	const struct weft_tasks *t = &v.tasks;
	for (uint32_t i = 0; i < t->n; i++)
		n += is_there(&t->task[i], from, to);
	if (n > TASKS_MOST)
		return weft_err_set(r->err, -E2BIG, "%u tasks are in this range: the animation takes %u at most, zoom in", n,
		                    TASKS_MOST);
	bool *used = calloc((size_t)t->trace->def[WEFT_CLASS_REGION].n + 1, sizeof *used);
	if (!used)
		return -ENOMEM;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	server_put_u64(w, "from", from);
	server_put_u64(w, "to", to);
	weft_json_key(w, "tasks");
	weft_json_array(w);
	for (uint32_t i = 0; i < t->n; i++) {
		if (!is_there(&t->task[i], from, to))
			continue;
		put_task(w, &t->task[i], i);
		used[t->task[i].region] = true;
	}
	weft_json_end(w);
	put_names(w, t, used);
	put_steps(w, t, from, to);
	weft_json_end(w);
	free(used);
	return server_json_end(&j, a);
}
