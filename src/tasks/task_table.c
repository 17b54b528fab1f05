/* SPDX-License-Identifier: Apache-2.0 */
/* The loader: rows of tasks from the arrows of their submissions, then each thread, then workers. tasks_priv.h draws it. */
#include "tasks_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct weft_tasks_task empty_task = {
	.submit = WEFT_NEVER,
	.ready = WEFT_NEVER,
	.start = WEFT_NEVER,
	.end = WEFT_NEVER,
	.push = WEFT_NEVER,
	.pop = WEFT_NEVER,
	.flops = -1,
	.iteration = WEFT_TASKS_NO_ITERATION,
	.sub_iteration = WEFT_TASKS_NO_ITERATION,
	.worker = WEFT_TASKS_NO_ONE,
	.submitter = WEFT_TASKS_NO_ONE,
};

/* ---- rows ---- */

static bool is_task(const struct tasks_load *l, uint64_t flow)
{
	return tasks_role(&l->roles, WEFT_CLASS_FLOW, l->trace->flow.flow[flow]) == TASKS_TASK;
}

/* Arrows stand in the order of their begins; those that have none, which were submitted before recording began, come last. */
static int make_rows(struct tasks_load *l)
{
	const struct weft_flows *f = &l->trace->flow;
	uint64_t n = 0;
	for (uint64_t i = 0; i < f->n; i++)
		n += is_task(l, i);
	if (n >= UINT32_MAX)
		return WEFT_E_LIMIT;
	l->out->task = malloc((n + 1) * sizeof *l->out->task);
	l->out->of_flow = malloc((f->n + 1) * sizeof *l->out->of_flow);
	uint32_t *number = calloc(l->trace->n_processes + 1u, sizeof *number);
	if (!l->out->task || !l->out->of_flow || !number) {
		free(number);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < f->n; i++) {
		l->out->of_flow[i] = WEFT_TASKS_NO_ONE;
		if (!is_task(l, i))
			continue;
		struct weft_tasks_task *t = &l->out->task[l->out->n];
		uint32_t thread = f->from_thread[i] == WEFT_NONE ? f->to_thread[i] : f->from_thread[i];
		*t = empty_task;
		t->job = f->key[i];
		t->submit = f->from_time[i];
		t->submitter = f->from_thread[i];
		t->process = l->trace->thread[thread].process;
		t->order = number[t->process]++;
		t->number = t->order + 1;
		l->out->of_flow[i] = l->out->n++;
	}
	free(number);
	return 0;
}

/* Which numbers each process uses; how many there are in all, and one more for each process. */
static uint64_t count_slots(struct tasks_load *l)
{
	struct weft_tasks *out = l->out;
	uint64_t n = 1;
	for (uint32_t i = 0; i < out->n; i++) {
		struct weft_tasks_jobs *j = &out->jobs[out->task[i].process];
		uint32_t slot = (uint32_t)out->task[i].job, last = j->n_slots ? j->first_slot + j->n_slots - 1 : slot;
		j->first_slot = j->n_slots && j->first_slot < slot ? j->first_slot : slot;
		last = last > slot ? last : slot;
		j->n_slots = last - j->first_slot < UINT32_MAX ? last - j->first_slot + 1 : UINT32_MAX;
	}
	for (uint32_t p = 0; p < l->trace->n_processes; p++)
		n += (uint64_t)out->jobs[p].n_slots + 1;
	return n;
}

/* Sorts by number, in the order of submission. False: a number's uses are not in order, as the runtime's are. */
static bool place_jobs(struct tasks_load *l)
{
	struct weft_tasks *out = l->out;
	uint32_t *next = out->job_slots, n = 0;
	for (uint32_t p = 0; p < l->trace->n_processes; p++) {
		out->jobs[p].first = next;
		next += out->jobs[p].n_slots + 1;
	}
	for (uint32_t i = 0; i < out->n; i++) {
		struct weft_tasks_jobs *j = &out->jobs[out->task[i].process];
		j->first[(uint32_t)out->task[i].job - j->first_slot]++;
	}
	for (uint32_t *at = out->job_slots; at < next; at++) {
		uint32_t here = *at;
		*at = n;
		n += here;
	}
	for (uint32_t i = 0; i < out->n; i++) {
		struct weft_tasks_jobs *j = &out->jobs[out->task[i].process];
		uint32_t slot = (uint32_t)out->task[i].job - j->first_slot, at = j->first[slot]++;
		out->of_job[at] = (struct weft_tasks_use){(uint32_t)(out->task[i].job >> 32), i};
	}
	for (uint32_t *at = next; --at > out->job_slots;) /* each begins where the one before it has ended */
		*at = at[-1];
	out->job_slots[0] = 0;
	bool in_order = true;
	for (uint32_t i = 0; i + 1 < out->n; i++) {
		const struct weft_tasks_task *a = &out->task[out->of_job[i].row], *b = &out->task[out->of_job[i + 1].row];
		in_order &= a->process != b->process || (uint32_t)a->job != (uint32_t)b->job || a->job < b->job;
	}
	return in_order;
}

static int hash_jobs(struct tasks_load *l)
{
	struct weft_tasks *out = l->out;
	uint64_t n = 16;
	while (n < 2 * (uint64_t)out->n)
		n *= 2;
	out->of_job = malloc(n * sizeof *out->of_job);
	if (!out->of_job)
		return -ENOMEM;
	memset(out->of_job, 0xff, n * sizeof *out->of_job);
	out->job_mask = (uint32_t)(n - 1);
	for (uint32_t i = 0; i < out->n; i++) {
		uint64_t at = weft_hash_u64(tasks_key(out->task[i].process, out->task[i].job));
		while (out->of_job[at & out->job_mask].row != WEFT_TASKS_NO_ONE)
			at++;
		out->of_job[at & out->job_mask].row = i;
	}
	return 0;
}

static int index_jobs(struct tasks_load *l)
{
	struct weft_tasks *out = l->out;
	out->jobs = calloc(l->trace->n_processes + 1u, sizeof *out->jobs);
	if (!out->jobs)
		return -ENOMEM;
	uint64_t n = count_slots(l);
	if (n > 4 * (uint64_t)out->n + 4096)
		return hash_jobs(l);
	out->of_job = malloc((out->n + 1u) * sizeof *out->of_job);
	out->job_slots = calloc(n, sizeof *out->job_slots);
	if (!out->of_job || !out->job_slots)
		return -ENOMEM;
	if (place_jobs(l))
		return 0;
	free(out->of_job);
	return hash_jobs(l);
}

/* ---- workers: threads that say so, have run tasks, or are called as the runtime calls its own ---- */

static bool is_called_worker(const struct weft_trace *t, uint32_t thread)
{
	static const char *const kinds[] = {"CPU ", "OpenCL "};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(t->thread[thread].name, kinds[i], strlen(kinds[i])))
			return true;
	return false;
}

static int by_number(const void *a, const void *b)
{
	const struct weft_tasks_worker *x = a, *y = b;
	return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
	       : x->number != y->number ? (x->number > y->number) - (x->number < y->number)
	                                : (x->thread > y->thread) - (x->thread < y->thread);
}

static int add_worker(struct tasks_load *l, uint32_t thread, uint32_t *next)
{
	const struct weft_thread_row *row = &l->trace->thread[thread];
	return weft_vec_push(&l->worker, (struct weft_tasks_worker){.process = row->process,
	                                                            .thread = thread,
	                                                            .number = (*next)++,
	                                                            .name = *row->name ? row->name : "worker"});
}

static int number_workers(struct tasks_load *l)
{
	const struct weft_trace *t = l->trace;
	struct weft_tasks *out = l->out;
	uint8_t *mark = calloc(t->n_threads + t->n_processes + 1u, 1), *has_tasks = mark + t->n_threads;
	enum { RAN = 1, SAID = 2 }; /* of threads; SAID of a process: of some worker, and so of all */
	int rc = mark ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < out->n && !rc; i++) {
		has_tasks[out->task[i].process] |= RAN;
		if (out->task[i].worker != WEFT_TASKS_NO_ONE)
			mark[out->task[i].worker] |= RAN;
	}
	uint32_t next = 0, process = WEFT_TASKS_NO_ONE;
	for (size_t i = 0; i < l->worker.n && !rc; i++) {
		mark[l->worker.at[i].thread] |= SAID;
		has_tasks[l->worker.at[i].process] |= SAID;
		next = l->worker.at[i].number >= next ? l->worker.at[i].number + 1 : next;
	}
	for (uint32_t i = 0, first = next; i < t->n_threads && !rc; i++) {
		if (t->thread[i].process != process)
			next = first;
		process = t->thread[i].process;
		if (!(mark[i] & SAID) && ((mark[i] & RAN) || (has_tasks[process] == RAN && is_called_worker(t, i))))
			rc = add_worker(l, i, &next);
	}
	if (!rc && l->worker.n)
		qsort(l->worker.at, l->worker.n, sizeof *l->worker.at, by_number);
	free(mark);
	return rc;
}

static int by_node(const void *a, const void *b)
{
	const struct weft_tasks_node *x = a, *y = b;
	return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
	                                : (x->number > y->number) - (x->number < y->number);
}

static int place_workers(struct tasks_load *l)
{
	struct weft_tasks *out = l->out;
	out->of_thread = malloc((l->trace->n_threads + 1u) * sizeof *out->of_thread);
	if (!out->of_thread)
		return -ENOMEM;
	memset(out->of_thread, 0xff, (l->trace->n_threads + 1u) * sizeof *out->of_thread);
	if (l->node.n)
		qsort(l->node.at, l->node.n, sizeof *l->node.at, by_node);
	for (size_t i = l->worker.n; i-- > 0;)
		out->of_thread[l->worker.at[i].thread] = (uint32_t)i;
	for (uint32_t i = 0; i < out->n; i++)
		if (out->task[i].worker != WEFT_TASKS_NO_ONE)
			out->task[i].worker = out->of_thread[out->task[i].worker];
	return 0;
}

/* ---- the whole ---- */

static void say_what_is_there(struct weft_tasks *out)
{
	bool detail = false, policy = false;
	for (uint32_t i = 0; i < out->n && !(detail && policy); i++) {
		detail |= out->task[i].has_footprint || out->task[i].n_accesses || out->task[i].ready != WEFT_NEVER;
		policy |= out->task[i].push != WEFT_NEVER || out->task[i].pop != WEFT_NEVER;
	}
	out->has = (detail ? WEFT_TASKS_HAS_DETAIL : 0u) | (out->n_edges ? WEFT_TASKS_HAS_EDGES : 0u) |
	           (out->n_data ? WEFT_TASKS_HAS_DATA : 0u) | (out->n_copies ? WEFT_TASKS_HAS_COPIES : 0u) |
	           (policy ? WEFT_TASKS_HAS_POLICY : 0u);
}

/* The arrays become the result's, also after a failure: weft_tasks_free has them all. */
static void hand_over(struct tasks_load *l)
{
	struct weft_tasks *out = l->out;
	out->edge = l->edge.at;
	out->access = l->access.at;
	out->data = l->data.at;
	out->copy = l->copy.at;
	out->memory = l->memory.at;
	out->event = l->event.at;
	out->count = l->count.at;
	out->n_counts = (uint32_t)l->count.n;
	out->worker = l->worker.at;
	out->node = l->node.at;
	out->coordinate = l->coordinate.at;
	out->hold = l->hold.at;
	out->n_holds = (uint32_t)l->hold.n;
	out->n_edges = (uint32_t)l->edge.n;
	out->n_accesses = (uint32_t)l->access.n;
	out->n_data = (uint32_t)l->data.n;
	out->n_copies = (uint32_t)l->copy.n;
	out->n_memory = (uint32_t)l->memory.n;
	out->n_events = (uint32_t)l->event.n;
	out->n_workers = (uint32_t)l->worker.n;
	out->n_nodes = (uint32_t)l->node.n;
	out->n_coordinates = (uint32_t)l->coordinate.n;
}

static int load_all(struct tasks_load *l)
{
	uint32_t n_strings = l->trace->def[WEFT_CLASS_STRING].n;
	l->mode = malloc(n_strings + 1u);
	int rc = l->mode ? tasks_roles_init(&l->roles, l->trace) : -ENOMEM;
	if (rc)
		return rc;
	memset(l->mode, 0xff, n_strings + 1u);
	rc = make_rows(l);
	if (!rc)
		rc = index_jobs(l);
	for (uint32_t i = 0; i < l->trace->n_threads && !rc; i++)
		rc = tasks_walk_thread(l, i);
	if (!rc)
		rc = tasks_data_finish(l);
	if (!rc)
		tasks_holds_finish(l);
	if (!rc)
		rc = tasks_components_finish(l);
	if (!rc)
		rc = number_workers(l);
	return rc ? rc : place_workers(l);
}

int weft_tasks_load(const struct weft_trace *t, struct weft_tasks *out)
{
	*out = (struct weft_tasks){.trace = t};
	struct tasks_load l = {.trace = t, .out = out};
	int rc = load_all(&l);
	hand_over(&l);
	free(l.mode);
	free(l.handle.at);
	free(l.note.at);
	free(l.component.at);
	free(l.move.at);
	free(l.release.at);
	tasks_roles_fini(&l.roles);
	if (rc)
		weft_tasks_free(out);
	else
		say_what_is_there(out);
	return rc;
}

void weft_tasks_free(struct weft_tasks *t)
{
	free(t->task);
	free(t->edge);
	free(t->access);
	free(t->worker);
	free(t->node);
	free(t->data);
	free(t->copy);
	free(t->memory);
	free(t->event);
	free(t->count);
	free(t->hold);
	free(t->component);
	free(t->step);
	free(t->of_flow);
	free(t->of_job);
	free(t->jobs);
	free(t->job_slots);
	free(t->coordinate);
	free(t->of_thread);
	*t = (struct weft_tasks){0};
}

/* ---- names ---- */

uint32_t weft_tasks_data_at(const struct weft_tasks *t, uint32_t process, uint64_t handle, uint64_t time)
{
	uint32_t low = 0, high = t->n_data;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct weft_tasks_data *d = &t->data[mid];
		bool is_behind = d->process != process ? d->process > process
		                 : d->handle != handle ? d->handle > handle
		                                       : d->from > time;
		if (is_behind)
			high = mid;
		else
			low = mid + 1;
	}
	return low && t->data[low - 1].handle == handle && t->data[low - 1].process == process ? low - 1 : WEFT_TASKS_NO_ONE;
}

const char *weft_tasks_text(const struct weft_tasks *t, uint32_t string)
{
	const struct weft_def_table *d = &t->trace->def[WEFT_CLASS_STRING];
	return string && string < d->n ? d->at[string].name : "";
}

const char *weft_tasks_codelet(const struct weft_tasks *t, const struct weft_tasks_task *task)
{
	const struct weft_def_table *d = &t->trace->def[WEFT_CLASS_REGION];
	return task->region && task->region < d->n ? d->at[task->region].name : "";
}

const char *weft_tasks_called(const struct weft_tasks *t, const struct weft_tasks_task *task)
{
	const char *name = weft_tasks_text(t, task->name ? task->name : task->model);
	name = *name ? name : weft_tasks_codelet(t, task);
	return *name ? name : "unknown";
}
