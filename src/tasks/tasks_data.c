/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles and copies. A handle's number may be another's after its end, so what is said of one is joined with its life by time, when all
 * threads have been read. O(n log n) in the number of handles, O(1) an access.
 */
#include "tasks_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum weft_tasks_fate fate_of(const struct tasks_load *l, uint32_t string)
{
	const char *state = weft_tasks_text(l->out, string);
	return !strcmp(state, "owner") ? WEFT_TASKS_OWNER : !strcmp(state, "shared") ? WEFT_TASKS_SHARED : WEFT_TASKS_INVALID;
}

int tasks_data_said(struct tasks_load *l, uint32_t thread, uint32_t role, uint64_t begin, uint64_t end,
                    const struct tasks_said *s)
{
	uint32_t process = l->trace->thread[thread].process, n = (uint32_t)(l->coordinate.n - s->coordinates);
	switch (role) {
	case TASKS_REGISTERING:
		return weft_vec_push(&l->data, (struct weft_tasks_data){.handle = s->handle,
		                                                        .parent = s->parent,
		                                                        .from = begin,
		                                                        .until = WEFT_NEVER,
		                                                        .bytes = s->bytes,
		                                                        .home = (int32_t)s->home,
		                                                        .process = process,
		                                                        .description = s->description});
	case TASKS_NAMING:
	case TASKS_PLACING:
		return weft_vec_push(&l->note, (struct tasks_note){.time = begin,
		                                                   .handle = s->handle,
		                                                   .process = process,
		                                                   .role = role,
		                                                   .value = role == TASKS_NAMING ? s->name : s->coordinates,
		                                                   .n_value = n});
	case TASKS_COPYING:
	case TASKS_INTERFACE_COPYING:
		return weft_vec_push(&l->copy,
		                     (struct weft_tasks_copy){.asked = WEFT_NEVER,
		                                              .submit = begin,
		                                              .end = end,
		                                              .bytes = s->bytes,
		                                              .handle = s->handle,
		                                              .process = process,
		                                              .thread = thread,
		                                              .asker = WEFT_TASKS_NO_ONE,
		                                              .from = (uint32_t)s->from,
		                                              .to = (uint32_t)s->to,
		                                              .cause = s->cause,
		                                              .task = s->task ? weft_tasks_find(l->out, process, s->task)
		                                                              : WEFT_TASKS_NO_ONE,
		                                              .by_interface = role != TASKS_COPYING});
	case TASKS_ALLOCATING:
	case TASKS_FREEING:
		return s->node < 0 ? 0
		                   : weft_vec_push(&l->memory, (struct weft_tasks_memory){.begin = begin,
		                                                                          .end = end,
		                                                                          .handle = s->handle,
		                                                                          .bytes = s->bytes,
		                                                                          .process = process,
		                                                                          .node = (uint32_t)s->node,
		                                                                          .frees = role == TASKS_FREEING,
		                                                                          .cached = s->cached != 0});
	case TASKS_DATA_STATE:
		return s->node < 0 ? 0
		                   : weft_vec_push(&l->event, (struct weft_tasks_event){.time = begin,
		                                                                        .handle = s->handle,
		                                                                        .process = process,
		                                                                        .thread = thread,
		                                                                        .node = (uint32_t)s->node,
		                                                                        .fate = fate_of(l, s->state)});
	case TASKS_WORKER:
		return s->number < 0
		               ? 0
		               : weft_vec_push(&l->worker, (struct weft_tasks_worker){.process = process,
		                                                                      .thread = thread,
		                                                                      .node = (uint32_t)s->node,
		                                                                      .number = (uint32_t)s->number,
		                                                                      .name = weft_tasks_text(l->out, s->name)});
	case TASKS_MEMORY_NODE:
		return s->node < 0 ? 0
		                   : weft_vec_push(&l->node, (struct weft_tasks_node){.process = process,
		                                                                      .number = (uint32_t)s->node,
		                                                                      .name = weft_tasks_text(l->out, s->name),
		                                                                      .kind = weft_tasks_text(l->out, s->kind)});
	case TASKS_ACQUIRING:
		return weft_vec_push(&l->hold, (struct weft_tasks_hold){.from = end,
		                                                        .until = WEFT_NEVER,
		                                                        .handle = s->handle,
		                                                        .process = process,
		                                                        .thread = thread});
	case TASKS_COMPONENT:
	case TASKS_COMPONENT_PUSH:
	case TASKS_COMPONENT_PULL:
		return tasks_component_said(l, process, role, begin, s);
	default:
		return 0;
	}
}

static int by_handle(const void *a, const void *b)
{
	const struct weft_tasks_data *x = a, *y = b;
	return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
	       : x->handle != y->handle ? (x->handle > y->handle) - (x->handle < y->handle)
	                                : (x->from > y->from) - (x->from < y->from);
}

static int by_submission(const void *a, const void *b)
{
	const struct weft_tasks_copy *x = a, *y = b;
	return (x->submit > y->submit) - (x->submit < y->submit);
}

/* Rows for what is used and was never registered here, then all in order, and where each handle's begin. */
static int add_unseen(struct tasks_load *l, struct weft_map *known, uint32_t process, uint64_t handle)
{
	uint64_t ignored;
	if (weft_map_get(known, tasks_key(process, handle), &ignored))
		return 0;
	if (weft_vec_push(&l->data,
	                  (struct weft_tasks_data){.handle = handle, .until = WEFT_NEVER, .home = -1, .process = process}))
		return -ENOMEM;
	return weft_map_put(known, tasks_key(process, handle), 1);
}

static int sort_lives(struct tasks_load *l, struct weft_map *first)
{
	int rc = 0;
	for (size_t i = 0; i < l->data.n && !rc; i++)
		rc = weft_map_put(first, tasks_key(l->data.at[i].process, l->data.at[i].handle), 0);
	for (uint32_t i = 0; i < l->out->n && !rc; i++) {
		const struct weft_tasks_task *t = &l->out->task[i];
		for (uint32_t k = 0; k < t->n_accesses && !rc; k++)
			rc = add_unseen(l, first, t->process, l->handle.at[t->accesses + k]);
	}
	if (rc)
		return rc;
	if (l->data.n)
		qsort(l->data.at, l->data.n, sizeof *l->data.at, by_handle);
	for (size_t i = l->data.n; i-- > 0 && !rc;)
		rc = weft_map_put(first, tasks_key(l->data.at[i].process, l->data.at[i].handle), i);
	return rc;
}

/* The life of a handle at some time: the last that had begun; WEFT_TASKS_NO_ONE: none is known. */
static uint32_t life_at(const struct tasks_load *l, const struct weft_map *first, uint32_t process, uint64_t handle,
                        uint64_t time)
{
	uint64_t at;
	if (!weft_map_get(first, tasks_key(process, handle), &at))
		return WEFT_TASKS_NO_ONE;
	while (at + 1 < l->data.n && l->data.at[at + 1].handle == handle && l->data.at[at + 1].process == process &&
	       l->data.at[at + 1].from <= time)
		at++;
	return (uint32_t)at;
}

static void take_notes(struct tasks_load *l, const struct weft_map *first)
{
	for (size_t i = 0; i < l->note.n; i++) {
		const struct tasks_note *n = &l->note.at[i];
		uint32_t at = life_at(l, first, n->process, n->handle, n->time);
		if (at == WEFT_TASKS_NO_ONE)
			continue;
		struct weft_tasks_data *d = &l->data.at[at];
		if (n->role == TASKS_UNREGISTERED) {
			d->until = n->time;
		} else if (n->role == TASKS_NAMING) {
			d->name = n->value;
		} else {
			d->coordinates = n->value;
			d->n_coordinates = n->n_value;
		}
	}
}

/* Where a registration said nothing of it: what the parameters of a task with this datum alone say. */
static void describe(struct tasks_load *l, const struct weft_tasks_task *t)
{
	if (t->n_accesses != 1 || !t->parameters || l->access.at[t->accesses].data >= l->data.n)
		return;
	struct weft_tasks_data *d = &l->data.at[l->access.at[t->accesses].data];
	if (!d->description)
		d->description = t->parameters;
	if (!d->bytes)
		d->bytes = t->bytes;
}

static int by_begin(const void *a, const void *b)
{
	const struct weft_tasks_memory *x = a, *y = b;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static int by_time(const void *a, const void *b)
{
	const struct weft_tasks_event *x = a, *y = b;
	return (x->time > y->time) - (x->time < y->time);
}

static void sort_happenings(struct tasks_load *l)
{
	if (l->copy.n)
		qsort(l->copy.at, l->copy.n, sizeof *l->copy.at, by_submission);
	if (l->memory.n)
		qsort(l->memory.at, l->memory.n, sizeof *l->memory.at, by_begin);
	if (l->event.n)
		qsort(l->event.at, l->event.n, sizeof *l->event.at, by_time);
}

int tasks_data_finish(struct tasks_load *l)
{
	struct weft_map first = {0};
	int rc = sort_lives(l, &first);
	if (!rc)
		take_notes(l, &first);
	for (uint32_t i = 0; i < l->out->n && !rc; i++) {
		const struct weft_tasks_task *t = &l->out->task[i];
		for (uint32_t k = 0; k < t->n_accesses; k++)
			l->access.at[t->accesses + k].data = life_at(l, &first, t->process, l->handle.at[t->accesses + k],
			                                             t->start);
		describe(l, t);
	}
	sort_happenings(l);
	weft_map_fini(&first);
	return rc;
}
