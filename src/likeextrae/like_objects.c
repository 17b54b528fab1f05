/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects as Extrae has them: one application, a task for each rank in their order, threads of the program only. Processes without a rank (a
 * launcher, a shell) are left out where others have one. Communicators are numbered from 1: the world, those of the program, and each
 * task's own.
 */
#include "like_priv.h"
#include "trace/paraver/prv_names.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- nodes, tasks, threads ---- */

static int copy_nodes(struct like *l)
{
	const struct weft_trace *t = l->from;
	for (uint32_t i = 0; i < t->n_nodes; i++) {
		int64_t node = weft_build_node(l->b, t->node[i].name);
		if (node < 0)
			return (int)node;
		for (uint32_t k = 0; k < t->node[i].n_cpus; k++) {
			int64_t made = weft_build_cpu(l->b, &t->cpu[t->node[i].first_cpu + k]);
			if (made < 0)
				return (int)made;
		}
		/* The format has a cpu on each node. */
		int64_t one = t->node[i].n_cpus ? 0 : weft_build_cpu(l->b, &(struct weft_cpu){.node = i, .name = ""});
		if (one < 0)
			return (int)one;
	}
	return 0;
}

struct place {
	uint32_t app;
	int64_t rank;
	uint32_t process;
};

static int order_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->app != y->app)
		return x->app < y->app ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->process < y->process ? -1 : x->process > y->process;
}

static uint32_t threads_in(const struct like *l, uint32_t process)
{
	const struct weft_process *p = &l->from->process[process];
	uint32_t n = 0;
	for (uint32_t i = p->first_thread; i < p->first_thread + p->n_threads; i++)
		n += !l->from->thread[i].own || l->how->own_threads;
	return n;
}

/* The application that it is in, of those that are made. */
static uint32_t app_of(const struct like *l, uint32_t process)
{
	uint32_t app = l->how->apps ? l->from->process[process].app : 0;
	return app < l->n_apps ? app : 0;
}

/* Where the task of the process's rank stands in task_of_rank, or WEFT_NONE. */
static uint32_t rank_place(const struct like *l, uint32_t process)
{
	int64_t rank = l->from->process[process].rank;
	uint32_t app = app_of(l, process);
	return rank >= 0 && rank < l->first_rank[app + 1] - l->first_rank[app] ? l->first_rank[app] + (uint32_t)rank : WEFT_NONE;
}

static int copy_threads(struct like *l, uint32_t process, uint32_t task, uint32_t number)
{
	const struct weft_process *p = &l->from->process[process];
	for (uint32_t i = p->first_thread; i < p->first_thread + p->n_threads; i++) {
		struct weft_thread_row row = l->from->thread[i];
		char name[48];
		if (row.own && !l->how->own_threads)
			continue;
		if (weft_thread_reads_counters(l->from, i)) {
			l->thread_of[i] = l->thread_of[p->first_thread];
			continue;
		}
		row.process = task;
		row.begin = row.begin < l->to ? row.begin : l->to;
		row.end = row.end < l->to ? row.end : l->to;
		snprintf(name, sizeof name, "THREAD %u.%u.%u", app_of(l, process) + 1, number, row.number);
		row.name = name;
		row.n_events = row.dropped = 0;
		int64_t made = weft_build_thread(l->b, &row);
		if (made < 0)
			return (int)made;
		l->thread_of[i] = (uint32_t)made;
	}
	return 0;
}

/* number: of the task in its application, from 1. */
static int copy_task(struct like *l, uint32_t process, uint32_t app, uint32_t number)
{
	struct weft_process p = l->from->process[process];
	uint32_t place = rank_place(l, process);
	p.app = app;
	p.first_thread = p.n_threads = 0;
	p.begin = p.begin < l->to ? p.begin : l->to;
	p.end = p.end < l->to ? p.end : l->to;
	char name[300];
	snprintf(name, sizeof name, "%.250s", p.name);
	p.name = name;
	int64_t task = weft_build_process(l->b, &p);
	if (task < 0)
		return (int)task;
	l->task_of[process] = (uint32_t)task;
	if (place != WEFT_NONE)
		l->task_of_rank[place] = number - 1;
	return copy_threads(l, process, (uint32_t)task, number);
}

/* Those with a rank, where there are some in their application. */
static uint32_t list_places(const struct like *l, struct place *place)
{
	const struct weft_trace *t = l->from;
	uint32_t n = 0;
	for (uint32_t app = 0; app < l->n_apps; app++) {
		bool ranks = false;
		for (uint32_t p = 0; p < t->n_processes; p++)
			ranks |= app_of(l, p) == app && t->process[p].rank >= 0 && threads_in(l, p);
		for (uint32_t p = 0; p < t->n_processes; p++)
			if (app_of(l, p) == app && threads_in(l, p) && (!ranks || t->process[p].rank >= 0))
				place[n++] = (struct place){app, ranks ? t->process[p].rank : (int64_t)p, p};
	}
	return n;
}

static int copy_tasks(struct like *l)
{
	const struct weft_trace *t = l->from;
	struct place *place = calloc((size_t)t->n_processes + 1, sizeof *place);
	uint32_t n = 0, number = 0;
	int rc = place ? 0 : -ENOMEM;
	for (uint32_t app = 0; app < l->n_apps && !rc; app++)
		rc = weft_build_app(l->b, app < t->n_apps ? t->app[app].name : "") < 0 ? -ENOMEM : 0;
	if (!rc && (n = list_places(l, place)) > 0)
		qsort(place, n, sizeof *place, order_places);
	for (uint32_t i = 0; i < n && !rc; i++) {
		number = i && place[i].app == place[i - 1].app ? number + 1 : 1;
		rc = copy_task(l, place[i].process, place[i].app, number);
	}
	free(place);
	return rc;
}

/* ---- communicators ---- */

static int add_comm(struct like *l, uint32_t app, uint32_t number, const uint64_t *task, uint32_t n)
{
	char name[48];
	snprintf(name, sizeof name, PRV_COMM_NAME "%u.%u", app + 1, number);
	struct weft_def_row row = {.name = name,
	                           .key = (uint64_t)(app + 1) << 32 | number,
	                           .code = n,
	                           .member = task,
	                           .n_members = n};
	int64_t made = weft_build_def(l->b, WEFT_CLASS_COMM, &row);
	return made < 0 ? (int)made : 0;
}

static bool members_of(const struct like *l, const struct weft_def_row *c, uint64_t *task, uint32_t *n)
{
	*n = 0;
	for (uint32_t k = 0; k < c->n_members; k++) {
		if (c->member[k] >= l->n_ranks || l->task_of_rank[c->member[k]] == WEFT_NONE)
			return false;
		task[(*n)++] = l->task_of_rank[c->member[k]];
	}
	return *n > 0;
}

/* Of several applications nobody says whose a communicator is: they have the world and the tasks' own. */
static int copy_app_comms(struct like *l, uint32_t app, uint64_t *task)
{
	const struct weft_def_table *comms = &l->from->def[WEFT_CLASS_COMM];
	uint32_t n = 0, number = 2;
	for (uint32_t r = l->first_rank[app]; r < l->first_rank[app + 1]; r++)
		if (l->task_of_rank[r] != WEFT_NONE)
			task[n++] = l->task_of_rank[r];
	int rc = n ? add_comm(l, app, 1, task, n) : 0;
	for (uint32_t i = 1; i < comms->n && !rc; i++) {
		const struct weft_def_row *c = &comms->at[i];
		l->comm_of[i] = 1;
		if (l->n_apps > 1 || !c->n_members || c->n_members > l->n_ranks || !members_of(l, c, task, &n))
			continue;
		l->comm_of[i] = number;
		rc = add_comm(l, app, number++, task, n);
	}
	for (uint32_t r = l->first_rank[app]; r < l->first_rank[app + 1] && !rc; r++) {
		task[0] = l->task_of_rank[r];
		if (l->task_of_rank[r] != WEFT_NONE)
			rc = add_comm(l, app, number++, task, 1);
	}
	return rc;
}

static int copy_comms(struct like *l)
{
	uint64_t *task = calloc((size_t)l->n_ranks + 1, sizeof *task);
	int rc = task ? 0 : -ENOMEM;
	for (uint32_t app = 0; app < l->n_apps && !rc; app++)
		rc = copy_app_comms(l, app, task);
	free(task);
	return rc;
}

/* Ranks of each application, and where they begin. */
static int count_ranks(struct like *l)
{
	const struct weft_trace *t = l->from;
	l->n_apps = l->how->apps && t->n_apps ? t->n_apps : 1;
	l->first_rank = calloc((size_t)l->n_apps + 1, sizeof *l->first_rank);
	if (!l->first_rank)
		return -ENOMEM;
	for (uint32_t p = 0; p < t->n_processes; p++) {
		uint32_t *n = &l->first_rank[app_of(l, p) + 1];
		if (t->process[p].rank >= 0 && (uint32_t)t->process[p].rank >= *n && t->process[p].rank < 1 << 24)
			*n = (uint32_t)t->process[p].rank + 1;
	}
	for (uint32_t app = 0; app < l->n_apps; app++)
		l->first_rank[app + 1] += l->first_rank[app];
	l->n_ranks = l->first_rank[l->n_apps];
	return 0;
}

int extrae_objects(struct like *l)
{
	const struct weft_trace *t = l->from;
	if (count_ranks(l))
		return -ENOMEM;
	l->thread_of = malloc(((size_t)t->n_threads + 1) * sizeof *l->thread_of);
	l->task_of = malloc(((size_t)t->n_processes + 1) * sizeof *l->task_of);
	l->task_of_rank = malloc(((size_t)l->n_ranks + 1) * sizeof *l->task_of_rank);
	l->comm_of = calloc((size_t)t->def[WEFT_CLASS_COMM].n + 1, sizeof *l->comm_of);
	if (!l->thread_of || !l->task_of || !l->task_of_rank || !l->comm_of)
		return -ENOMEM;
	memset(l->thread_of, 0xff, t->n_threads * sizeof *l->thread_of);
	memset(l->task_of, 0xff, t->n_processes * sizeof *l->task_of);
	memset(l->task_of_rank, 0xff, l->n_ranks * sizeof *l->task_of_rank);
	int rc = copy_nodes(l);
	rc = rc ? rc : copy_tasks(l);
	return rc ? rc : copy_comms(l);
}

/* ---- messages ---- */

int extrae_messages(struct like *l)
{
	const struct weft_messages *m = &l->from->message;
	int64_t comm = -1;
	int rc = 0;
	for (uint64_t i = 0; i < m->n && !rc; i++) {
		uint64_t began = m->send_began[i] == WEFT_NEVER ? m->send_done[i] : m->send_began[i];
		if (began > l->to || m->send_done[i] > l->to || m->recv_done[i] > l->to)
			continue;
		if (m->send_thread[i] == WEFT_NONE || m->recv_thread[i] == WEFT_NONE ||
		    l->thread_of[m->send_thread[i]] == WEFT_NONE || l->thread_of[m->recv_thread[i]] == WEFT_NONE)
			continue;
		if (comm < 0 && (comm = weft_build_def(l->b, WEFT_CLASS_COMM, &(struct weft_def_row){.name = ""})) < 0)
			return (int)comm;
		struct weft_message_row r = {.send_thread = l->thread_of[m->send_thread[i]],
		                             .recv_thread = l->thread_of[m->recv_thread[i]],
		                             .comm = (uint32_t)comm,
		                             .tag = m->tag[i],
		                             .size = m->size[i],
		                             .send_began = began,
		                             .send_done = m->send_done[i],
		                             .recv_began = m->recv_began[i] == WEFT_NEVER ? m->recv_done[i] : m->recv_began[i],
		                             .recv_done = m->recv_done[i]};
		rc = weft_build_message(l->b, &r);
	}
	return rc;
}
