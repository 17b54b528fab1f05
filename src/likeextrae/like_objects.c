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
	int64_t rank;
	uint32_t process;
};

static int order_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
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

static int copy_threads(struct like *l, uint32_t process, uint32_t task)
{
	const struct weft_process *p = &l->from->process[process];
	for (uint32_t i = p->first_thread; i < p->first_thread + p->n_threads; i++) {
		struct weft_thread_row row = l->from->thread[i];
		char name[48], label[40];
		if (row.own && !l->how->own_threads)
			continue;
		row.process = task;
		weft_thread_label(l->from, i, label);
		snprintf(name, sizeof name, "THREAD 1.%u.%u", task + 1, row.number);
		row.name = name;
		row.n_events = row.dropped = 0;
		int64_t made = weft_build_thread(l->b, &row);
		if (made < 0)
			return (int)made;
		l->thread_of[i] = (uint32_t)made;
	}
	return 0;
}

static int copy_task(struct like *l, uint32_t process)
{
	struct weft_process p = l->from->process[process];
	p.app = 0;
	p.first_thread = p.n_threads = 0;
	char name[300];
	snprintf(name, sizeof name, "%.250s", p.name);
	p.name = name;
	int64_t task = weft_build_process(l->b, &p);
	if (task < 0)
		return (int)task;
	l->task_of[process] = (uint32_t)task;
	if (p.rank >= 0 && (uint32_t)p.rank < l->n_ranks)
		l->task_of_rank[p.rank] = (uint32_t)task;
	return copy_threads(l, process, (uint32_t)task);
}

static int copy_tasks(struct like *l)
{
	const struct weft_trace *t = l->from;
	struct place *place = calloc((size_t)t->n_processes + 1, sizeof *place);
	uint32_t n = 0;
	bool ranks = false;
	int64_t app = weft_build_app(l->b, t->n_apps ? t->app[0].name : "");
	int rc = !place ? -ENOMEM : app < 0 ? (int)app : 0;
	for (uint32_t p = 0; p < t->n_processes; p++)
		ranks |= t->process[p].rank >= 0 && threads_in(l, p);
	for (uint32_t p = 0; p < t->n_processes && !rc; p++)
		if (threads_in(l, p) && (!ranks || t->process[p].rank >= 0))
			place[n++] = (struct place){ranks ? t->process[p].rank : (int64_t)p, p};
	if (!rc && n)
		qsort(place, n, sizeof *place, order_places);
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = copy_task(l, place[i].process);
	free(place);
	return rc;
}

/* ---- communicators ---- */

static int add_comm(struct like *l, uint32_t number, const uint64_t *task, uint32_t n)
{
	char name[48];
	snprintf(name, sizeof name, PRV_COMM_NAME "1.%u", number);
	struct weft_def_row row = {.name = name, .key = UINT64_C(1) << 32 | number, .code = n, .member = task, .n_members = n};
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

static int copy_comms(struct like *l)
{
	const struct weft_def_table *comms = &l->from->def[WEFT_CLASS_COMM];
	uint64_t *task = calloc((size_t)l->n_ranks + 1, sizeof *task);
	uint32_t n = 0, number = 2;
	if (!task)
		return -ENOMEM;
	for (uint32_t r = 0; r < l->n_ranks; r++)
		if (l->task_of_rank[r] != WEFT_NONE)
			task[n++] = l->task_of_rank[r];
	int rc = n ? add_comm(l, 1, task, n) : 0;
	for (uint32_t i = 1; i < comms->n && !rc; i++) {
		const struct weft_def_row *c = &comms->at[i];
		l->comm_of[i] = 1;
		if (!c->n_members || c->n_members > l->n_ranks || !members_of(l, c, task, &n))
			continue;
		l->comm_of[i] = number;
		rc = add_comm(l, number++, task, n);
	}
	for (uint32_t r = 0; r < l->n_ranks && !rc; r++) {
		task[0] = l->task_of_rank[r];
		if (task[0] != WEFT_NONE)
			rc = add_comm(l, number++, task, 1);
	}
	free(task);
	return rc;
}

int extrae_objects(struct like *l)
{
	const struct weft_trace *t = l->from;
	for (uint32_t p = 0; p < t->n_processes; p++)
		if (t->process[p].rank >= 0 && (uint32_t)t->process[p].rank >= l->n_ranks && t->process[p].rank < 1 << 24)
			l->n_ranks = (uint32_t)t->process[p].rank + 1;
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
		                             .send_began = m->send_began[i] == WEFT_NEVER ? m->send_done[i] : m->send_began[i],
		                             .send_done = m->send_done[i],
		                             .recv_began = m->recv_began[i] == WEFT_NEVER ? m->recv_done[i] : m->recv_began[i],
		                             .recv_done = m->recv_done[i]};
		rc = weft_build_message(l->b, &r);
	}
	return rc;
}
