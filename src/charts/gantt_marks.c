/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lies over the rows: points (a task is given to the policy or taken from it, what the program says itself) and arrows (copies between memory
 * nodes, dependencies of tasks). Of those that would be drawn on the same pixels the first stays, so that a chart's size depends on its pixels.
 */
#include "gantt.h"
#include "base/map.h"
#include "tasks/tasks_roles.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct marks {
	struct gantt *g;
	struct tasks_roles roles;
	struct weft_map seen;
};

/* Whether nothing with this key was there before; rc: of the lack of memory. */
static bool is_new(struct marks *m, uint64_t key, int *rc)
{
	uint64_t known;
	if (weft_map_get(&m->seen, key, &known))
		return false;
	*rc = weft_map_put(&m->seen, key, 1);
	return !*rc;
}

/* ---- points ---- */

static unsigned point_kind(enum tasks_role role)
{
	switch (role) {
	case TASKS_PUSH:
		return GANTT_PUSH;
	case TASKS_POP:
		return GANTT_POP;
	case TASKS_USER_EVENT:
	case TASKS_USER_MESSAGE:
	case TASKS_USER_META:
	case TASKS_WAIT_FOR_ALL:
		return GANTT_EVENTS;
	default:
		return 0;
	}
}

static int add_point(struct marks *m, uint32_t row, uint64_t time, enum tasks_role role, uint64_t value)
{
	struct gantt *g = m->g;
	struct gantt_point p = {.row = row, .kind = point_kind(role)};
	double x = gantt_x(g, time);
	int rc = 0;
	p.pixel = x < g->width ? (uint32_t)x : g->width - 1;
	if (!is_new(m, weft_hash_u64((uint64_t)row << 32 | p.pixel) + p.kind, &rc))
		return rc;
	if (role == TASKS_WAIT_FOR_ALL)
		snprintf(p.text, sizeof p.text, "wait for all");
	else if (role == TASKS_USER_EVENT)
		snprintf(p.text, sizeof p.text, "%" PRIu64, value);
	else if (p.kind == GANTT_EVENTS)
		snprintf(p.text, sizeof p.text, "%.40s", weft_tasks_text(&g->tasks->tasks, (uint32_t)value));
	return weft_vec_push(&g->point, p);
}

static int walk_points(struct marks *m, uint32_t row, uint32_t thread)
{
	const struct weft_trace *t = m->g->tasks->tasks.trace;
	struct weft_cursor c;
	struct weft_block b;
	int failed = 0, rc = weft_cursor_begin(&c, t, thread, m->g->from, m->g->to);
	if (rc)
		return rc;
	while (!failed && (rc = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n && !failed; i++) {
			unsigned kind = weft_what_kind(b.what[i]);
			if (kind != WEFT_EV_POINT && kind != WEFT_EV_POINT_S)
				continue;
			enum tasks_role role = tasks_role(&m->roles, WEFT_CLASS_TYPE, weft_what_id(b.what[i]));
			if (m->g->show & point_kind(role))
				failed = add_point(m, row, b.time[i], role, b.value[i]);
		}
	weft_cursor_end(&c);
	return failed ? failed : rc;
}

static int find_points(struct marks *m)
{
	const struct gantt *g = m->g;
	int rc = 0;
	for (size_t r = g->first_worker; r < g->row.n && !rc; r++) {
		const struct gantt_row *row = &g->row.at[r];
		rc = walk_points(m, (uint32_t)r, row->kind == GANTT_WORKER ? g->tasks->tasks.worker[row->of].thread : row->of);
	}
	return rc;
}

/* ---- arrows ---- */

static int add_arrow(struct marks *m, struct gantt_arrow a, uint64_t from, uint64_t to)
{
	struct gantt *g = m->g;
	int rc = 0;
	if (from == WEFT_NEVER || to == WEFT_NEVER || to < g->from || from > g->to)
		return 0;
	a.from = gantt_x(g, from);
	a.to = gantt_x(g, to);
	uint64_t key = weft_hash_u64((uint64_t)a.from_row << 32 | a.to_row) ^ a.kind;
	key = weft_hash_u64(key ^ (uint64_t)(uint32_t)(int64_t)a.from << 32 ^ (uint32_t)(int64_t)a.to);
	if (!is_new(m, key, &rc))
		return rc;
	if (g->arrow.n == GANTT_ARROWS_MOST) {
		g->left_out++;
		return 0;
	}
	return weft_vec_push(&g->arrow, a);
}

static uint32_t node_row(const struct gantt *g, uint32_t process, uint32_t node)
{
	for (uint32_t r = 0; r < g->first_worker; r++)
		if (g->row.at[r].process == process && g->row.at[r].of == node)
			return r;
	return WEFT_TASKS_NO_ONE;
}

static int find_transfers(struct marks *m)
{
	const struct weft_tasks *t = &m->g->tasks->tasks;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_copies && !rc; i++) {
		const struct weft_tasks_copy *c = &t->copy[i];
		struct gantt_arrow a = {.from_row = node_row(m->g, c->process, c->from),
		                        .to_row = node_row(m->g, c->process, c->to),
		                        .kind = GANTT_TRANSFERS};
		if (a.from_row != WEFT_TASKS_NO_ONE && a.to_row != WEFT_TASKS_NO_ONE)
			rc = add_arrow(m, a, c->start, c->end);
	}
	return rc;
}

/* From the end of a task to the begin of the one that waited for it. */
static int find_dependencies(struct marks *m)
{
	const struct weft_tasks *t = &m->g->tasks->tasks;
	int rc = 0;
	for (uint32_t i = 0; i < t->n && !rc; i++) {
		const struct weft_tasks_task *task = &t->task[i];
		for (uint32_t k = 0; k < task->n_before && !rc; k++) {
			const struct weft_tasks_task *before = &t->task[t->edge[task->before + k]];
			if (task->worker < t->n_workers && before->worker < t->n_workers)
				rc = add_arrow(m,
				               (struct gantt_arrow){.from_row = m->g->first_worker + before->worker,
				                                    .to_row = m->g->first_worker + task->worker,
				                                    .kind = GANTT_DEPENDENCIES},
				               before->end, task->start);
		}
	}
	return rc;
}

int gantt_marks(struct gantt *g)
{
	struct marks m = {.g = g};
	int rc = 0;
	if (g->show & (GANTT_EVENTS | GANTT_PUSH | GANTT_POP)) {
		rc = tasks_roles_init(&m.roles, g->tasks->tasks.trace);
		rc = rc ? rc : find_points(&m);
		tasks_roles_fini(&m.roles);
		weft_map_clear(&m.seen);
	}
	if (!rc && g->show & GANTT_TRANSFERS)
		rc = find_transfers(&m);
	if (!rc && g->show & GANTT_DEPENDENCIES)
		rc = find_dependencies(&m);
	weft_map_fini(&m.seen);
	return rc;
}
