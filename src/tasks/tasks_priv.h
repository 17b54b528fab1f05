/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the loader share.
 *
 *   flows ── rows of tasks, by the time of submission ── jobs: job -> row
 *   threads, one after the other ── tasks_walk.c: attributes of open regions, times of points, edges
 *                                     ├─ tasks_data.c: handles' lives, what is said of them, copies; joined when all threads are read
 *                                     └─ tasks_components.c: components of schedulers, and tasks' ways through them
 */
#ifndef WEFT_TASKS_LOAD_PRIV_H
#define WEFT_TASKS_LOAD_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "tasks_roles.h"
#include "task_table.h"

/* Said of a handle at some time: until all threads are read, nobody knows which life of it that is. */
struct tasks_note {
	uint64_t time, handle;
	uint32_t process;
	uint32_t role;           /* TASKS_UNREGISTERED, TASKS_NAMING, TASKS_PLACING */
	uint32_t value, n_value; /* string; coordinates */
};

/* Attributes of an open region that is no task. */
struct tasks_said {
	uint64_t handle, parent, bytes;
	int64_t home, node, from, to, number;
	uint32_t name, description, kind, cause, state, coordinates;
	uint64_t cached, task, component, component_from, component_to;
};

/* Of schedulers' components: as they are said, until all are known. */
struct tasks_component {
	uint64_t id, parent;
	uint32_t process, name;
};
struct tasks_move {
	uint64_t time, from, to;
	uint32_t process, task;
};

struct tasks_load {
	const struct weft_trace *trace;
	struct weft_tasks *out;
	struct tasks_roles roles;
	uint8_t *mode; /* by string: what it lets a task do, 0xff: not looked at yet; owned */
	WEFT_VEC(uint32_t) edge;
	WEFT_VEC(struct weft_tasks_access) access;
	WEFT_VEC(uint64_t) handle; /* of each access */
	WEFT_VEC(struct weft_tasks_data) data;
	WEFT_VEC(struct weft_tasks_copy) copy;
	WEFT_VEC(struct weft_tasks_memory) memory;
	WEFT_VEC(struct weft_tasks_event) event;
	WEFT_VEC(struct weft_tasks_count) count;
	WEFT_VEC(struct weft_tasks_worker) worker;
	WEFT_VEC(struct weft_tasks_node) node;
	WEFT_VEC(int64_t) coordinate;
	WEFT_VEC(struct tasks_note) note;
	WEFT_VEC(struct tasks_component) component;
	WEFT_VEC(struct tasks_move) move;
	WEFT_VEC(struct weft_tasks_hold) hold;
	WEFT_VEC(struct tasks_note) release; /* of what was acquired */
};

static inline uint64_t tasks_key(uint32_t process, uint64_t name)
{
	return name ^ (uint64_t)process << 48;
}
/* tasks_walk.c */
int tasks_walk_thread(struct tasks_load *l, uint32_t thread) WEFT_MUST_CHECK;
/* tasks_data.c: a region about data has ended; the thread's copies; all threads are read */
int tasks_data_said(struct tasks_load *l, uint32_t thread, uint32_t role, uint64_t begin, uint64_t end,
                    const struct tasks_said *s) WEFT_MUST_CHECK;
int tasks_data_finish(struct tasks_load *l) WEFT_MUST_CHECK;
/* tasks_components.c: a region about components has ended; all threads are read */
int tasks_component_said(struct tasks_load *l, uint32_t process, uint32_t role, uint64_t time,
                         const struct tasks_said *s) WEFT_MUST_CHECK;
void tasks_holds_finish(struct tasks_load *l); /* tasks_holds.c: once data and notes are there */
int tasks_components_finish(struct tasks_load *l) WEFT_MUST_CHECK;

#endif
