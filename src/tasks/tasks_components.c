/* SPDX-License-Identifier: Apache-2.0 */
/* Components of modular schedulers, and tasks' ways through them: what threads said, put in order when all are read. */
#include "tasks_priv.h"
#include <errno.h>
#include <stdlib.h>

int tasks_component_said(struct tasks_load *l, uint32_t process, uint32_t role, uint64_t time, const struct tasks_said *s)
{
	if (role == TASKS_COMPONENT)
		return weft_vec_push(&l->component, (struct tasks_component){s->component, s->parent, process, s->name});
	uint32_t task = weft_tasks_find(l->out, process, s->task);
	if (task == WEFT_TASKS_NO_ONE)
		return 0;
	return weft_vec_push(&l->move, (struct tasks_move){time, s->component_from, s->component_to, process, task});
}

/* Each once: a tree is told again whenever it changes. Those above are told before those below. */
static int make_components(struct tasks_load *l, struct weft_map *known)
{
	struct weft_tasks *out = l->out;
	uint64_t at;
	int rc = 0;
	out->component = malloc((l->component.n + 1) * sizeof *out->component);
	if (!out->component)
		return -ENOMEM;
	for (size_t i = 0; i < l->component.n && !rc; i++) {
		const struct tasks_component *c = &l->component.at[i];
		bool has_parent = c->parent && weft_map_get(known, tasks_key(c->process, c->parent), &at);
		uint32_t parent = has_parent ? (uint32_t)at : WEFT_TASKS_NO_ONE;
		if (weft_map_get(known, tasks_key(c->process, c->id), &at))
			continue;
		rc = weft_map_put(known, tasks_key(c->process, c->id), out->n_components);
		out->component[out->n_components++] = (struct weft_tasks_component){.id = c->id,
		                                                                    .process = c->process,
		                                                                    .parent = parent,
		                                                                    .name = weft_tasks_text(out, c->name)};
	}
	return rc;
}

static int by_task(const void *a, const void *b)
{
	const struct weft_tasks_step *x = a, *y = b;
	return x->task != y->task   ? (x->task > y->task) - (x->task < y->task)
	       : x->time != y->time ? (x->time > y->time) - (x->time < y->time)
	                            : (x->order > y->order) - (x->order < y->order);
}

int tasks_components_finish(struct tasks_load *l)
{
	struct weft_tasks *out = l->out;
	struct weft_map known = {0};
	int rc = make_components(l, &known);
	if (!rc) {
		out->step = malloc((l->move.n + 1) * sizeof *out->step);
		rc = out->step ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < l->move.n && !rc; i++) {
		const struct tasks_move *m = &l->move.at[i];
		uint64_t from, to;
		if (!weft_map_get(&known, tasks_key(m->process, m->to), &to))
			continue;
		bool has_from = m->from && weft_map_get(&known, tasks_key(m->process, m->from), &from);
		out->step[out->n_steps++] = (struct weft_tasks_step){.time = m->time,
		                                                     .task = m->task,
		                                                     .order = (uint32_t)i,
		                                                     .from = has_from ? (uint32_t)from : WEFT_TASKS_NO_ONE,
		                                                     .to = (uint32_t)to};
	}
	if (out->n_steps)
		qsort(out->step, out->n_steps, sizeof *out->step, by_task);
	weft_map_fini(&known);
	return rc;
}
