/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk: lanes (threads, and what happens to data), merged by time, and what is written as they go by.
 *
 *   prod_lanes.c   lanes, the heap, choosing events
 *   prod_events.c  what an event means: states of workers and threads, counters, points
 *   prod_paje.c    lines of paje.trace;  prod_paje_head.c  its types and containers
 *   prod_data_lane.c  handles, allocations, copies
 */
#ifndef WEFT_PRODUCTS_WALK_H
#define WEFT_PRODUCTS_WALK_H

#include "products_priv.h"
#include "trace/store/cursor.h"

/* What a worker or a thread is shown to do. */
struct prod_state {
	const char *alias;           /* in paje.trace */
	const char *name, *category; /* in trace.rec */
	bool sleeps;
};
extern const struct prod_state prod_worker_state[TASKS_N_ROLES], prod_thread_state[TASKS_N_ROLES]; /* alias NULL: none */
extern const struct prod_state prod_idle, prod_waits_for_all;

struct prod_open {
	uint32_t region, task;
	uint32_t role;
};
struct prod_happening {
	uint64_t time;
	uint32_t row;
	uint32_t what; /* enum prod_what */
};
enum prod_what {
	PROD_REGISTERED,
	PROD_MEMORY_END,
	PROD_COPY_END,
	PROD_COPY_SUBMIT,
	PROD_COPY_START,
	PROD_MEMORY_BEGIN,
	PROD_FATE,
	PROD_RECEIVED,
	PROD_SENT,
	PROD_UNREGISTERED
};

/* A thread; or what happens to the data of a trace. */
struct prod_lane {
	struct prod_trace *t;
	struct prod_program *p;  /* NULL: the lane of data */
	uint64_t time;           /* of what comes next, on the axis of all; UINT64_MAX: nothing */
	uint32_t order;          /* of lanes at one instant */
	uint32_t thread, worker; /* worker: WEFT_TASKS_NO_ONE: none */
	struct weft_cursor cursor;
	struct weft_block block;
	uint32_t at;                      /* in the block */
	struct prod_happening *happening; /* owned */
	size_t n_happenings, next;
	char alias[28], thread_alias[28];
	WEFT_VEC(struct prod_open) open;
	const struct prod_state *shown; /* of a worker; NULL: a task */
	uint32_t shown_task;
	bool begun, created, waits_for_all;
	uint64_t since, changed, executing, sleeping; /* of the line of activity.data that comes next */
};

struct prod_name {             /* of a kind of task, in paje.trace */
	struct weft_str alias; /* n == 0: not defined yet */
	uint32_t color;        /* 1 + 0xrrggbb; 0: none of its own */
};
struct prod_node {
	double in, out;  /* MB/s */
	uint32_t copies; /* under way to it */
};
struct prod_walk {
	struct prod_set *set;
	struct prod_lane *lane, **heap; /* owned */
	uint32_t n_lanes, n_heap;
	uint64_t period;          /* of activity.data */
	struct prod_name **names; /* of each trace: strings, then regions; arena */
	struct weft_map colored;  /* name and colour -> 1 + number of `extra` */
	WEFT_VEC(struct weft_str) extra;
	struct prod_node **node; /* of each program */
	int64_t (*last)[2];      /* of each program: submitted, ready */
	struct weft_choice choice;
	int failed;
};

/* prod_lanes.c */
int prod_data_lane(struct prod_walk *w, struct prod_lane *l) WEFT_MUST_CHECK; /* prod_data_lane.c: fills it */
void prod_happened(struct prod_walk *w, struct prod_lane *l, const struct prod_happening *h);

/* prod_events.c */
void prod_event(struct prod_walk *w, struct prod_lane *l, uint64_t time, uint32_t what, uint64_t value);
void prod_end_lane(struct prod_walk *w, struct prod_lane *l);

/* prod_paje_head.c */
void prod_paje_types(struct prod_walk *w);
void prod_paje_containers(struct prod_walk *w);
void prod_paje_end(struct prod_walk *w);

/* prod_paje.c: lines; type and value without quotes are the file's own words */
void paje_begin(struct export_out *o, const char *code, uint64_t time);
void paje_state(struct prod_walk *w, const struct prod_lane *l, uint64_t time, const char *alias);
void paje_task(struct prod_walk *w, const struct prod_lane *l, uint64_t time, const struct weft_tasks_task *t);
void paje_event(struct prod_walk *w, uint64_t time, const char *type, const char *prefix, const char *container,
                const char *value);
void paje_set(struct prod_walk *w, uint64_t time, const char *prefix, const char *container, int number, const char *type,
              double value);
void paje_context(struct prod_walk *w, const struct prod_lane *l, uint64_t time, const struct weft_tasks_task *t, bool begins);

#endif
