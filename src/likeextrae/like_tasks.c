/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP's tasks, before threads are translated: where one is made its function is not known yet, which runs later and elsewhere. A flow of
 * the kind "omp task" leads from one to the other; its key is the task's number in its process. With dependencies, each becomes a
 * communication from the end of the task that was waited for to the begin of the one that waited.
 */
#include "like_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct open_one {
	uint32_t region, task; /* task: number + 1, or 0 */
};
struct reader {
	struct like *l;
	uint32_t thread, process, flow, depends;
	WEFT_VEC(struct open_one) open;
};

static uint64_t task_key(uint32_t process, uint64_t number)
{
	return weft_hash_u64(number) ^ weft_hash_u64((uint64_t)process + 1) << 1;
}

uint32_t extrae_task_of(const struct like *l, uint32_t process, uint64_t number)
{
	uint64_t at;
	return weft_map_get(&l->task_at, task_key(process, number), &at) ? (uint32_t)at : WEFT_NONE;
}

static uint32_t find_flow(const struct weft_trace *t, const char *name)
{
	const struct weft_def_table *flows = &t->def[WEFT_CLASS_FLOW];
	for (uint32_t i = 1; i < flows->n; i++)
		if (!strcmp(flows->at[i].name, name))
			return i;
	return 0;
}

static int take_begin(struct reader *r, const struct weft_event *e)
{
	struct open_one *o = r->open.n ? &r->open.at[r->open.n - 1] : NULL;
	uint64_t key, at;
	if (!o || e->value >= r->l->from->flow.n)
		return 0;
	key = task_key(r->process, r->l->from->flow.key[e->value]);
	if (weft_map_get(&r->l->task_at, key, &at))
		return 0; /* parts of an untied task: the first counts */
	struct like_task task = {.region = o->region, .thread = r->thread, .begin = e->time, .end = e->time};
	int rc = weft_vec_push(&r->l->task, task);
	rc = rc ? rc : weft_map_put(&r->l->task_at, key, r->l->task.n - 1);
	o->task = (uint32_t)r->l->task.n;
	return rc;
}

static void take_end(struct reader *r, const struct weft_event *e)
{
	size_t n = r->open.n;
	while (n > 0 && r->open.at[n - 1].region != e->id)
		n--;
	if (!n)
		return;
	if (r->open.at[n - 1].task)
		r->l->task.at[r->open.at[n - 1].task - 1].end = e->time;
	r->open.n = n - 1;
}

static int take_event(struct reader *r, const struct weft_event *e)
{
	struct open_one one = {e->id, 0};
	switch (e->kind) {
	case WEFT_EV_ENTER:
		return weft_vec_push(&r->open, one);
	case WEFT_EV_LEAVE:
		take_end(r, e);
		return 0;
	case WEFT_EV_FLOW_IN:
		return e->id == r->flow ? take_begin(r, e) : 0;
	case WEFT_EV_DEPENDENCY: {
		uint32_t n = 0;
		const uint64_t *word = weft_extra(r->l->from, r->thread, e->value, &n);
		struct like_depends d = {r->process, n > 1 ? word[0] : 0, n > 1 ? word[1] : 0};
		return e->id == r->depends && n > 1 && r->l->how->dependencies ? weft_vec_push(&r->l->depends, d) : 0;
	}
	default:
		return 0;
	}
}

static int read_thread(struct reader *r)
{
	struct weft_cursor c;
	struct weft_block b;
	int rc = weft_cursor_begin(&c, r->l->from, r->thread, 0, WEFT_NEVER);
	bool begun = !rc;
	r->open.n = 0;
	while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			struct weft_event e = {b.time[i], r->thread, weft_what_kind(b.what[i]), weft_what_id(b.what[i]),
			                       b.value[i]};
			rc = take_event(r, &e);
		}
	}
	if (begun)
		weft_cursor_end(&c);
	return rc;
}

int extrae_tasks(struct like *l)
{
	struct reader r = {.l = l, .flow = find_flow(l->from, "omp task"), .depends = find_flow(l->from, "omp task dependency")};
	int rc = 0;
	l->task_flow = r.flow;
	for (uint32_t i = 0; r.flow && i < l->from->n_threads && !rc; i++) {
		r.thread = i;
		r.process = l->from->thread[i].process;
		if (l->thread_of[i] != WEFT_NONE)
			rc = read_thread(&r);
	}
	free(r.open.at);
	return rc;
}

int extrae_dependencies(struct like *l)
{
	int64_t comm = l->depends.n ? weft_build_def(l->b, WEFT_CLASS_COMM, &(struct weft_def_row){.name = ""}) : 0;
	int rc = comm < 0 ? (int)comm : 0;
	for (size_t i = 0; i < l->depends.n && !rc; i++) {
		const struct like_depends *d = &l->depends.at[i];
		uint32_t from = extrae_task_of(l, d->process, d->from), to = extrae_task_of(l, d->process, d->to);
		if (from == WEFT_NONE || to == WEFT_NONE)
			continue;
		const struct like_task *a = &l->task.at[from], *b = &l->task.at[to];
		struct weft_message_row m = {.send_thread = l->thread_of[a->thread],
		                             .recv_thread = l->thread_of[b->thread],
		                             .comm = (uint32_t)comm,
		                             .send_began = a->end,
		                             .send_done = a->end,
		                             .recv_began = b->begin > a->end ? b->begin : a->end,
		                             .recv_done = b->begin > a->end ? b->begin : a->end};
		rc = weft_build_message(l->b, &m);
	}
	return rc;
}
