/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of a thread as Paraver's functions see them. Those of a .prv are its columns, as they
 * stand. Those of another trace are translated block by block, by two lanes that walk over the
 * columns each on its own, since a state says at its begin how long it lasts:
 *
 *     columns ─┬─> events lane: regions, counters, attributes, points, ends of messages ─┐ by time, states
 *              └─> states lane: state records, or what the innermost region says        ─┘ before events ──> blocks
 *
 * Only the lane runs that is asked for; mostly that is one, and its blocks are given out as they
 * are.
 */
#ifndef WEFT_METRIC_METRIC_SOURCE_H
#define WEFT_METRIC_METRIC_SOURCE_H

#include "metric.h"
#include "metric_schema.h"
#include "metric_stack.h"
#include "trace/store/cursor.h"

/* Events that were translated and not yet given out: [at, n). */
struct metric_events {
	uint64_t *time, *value; /* owned, as the others */
	uint32_t *what, *cpu;   /* cpu: in `seen`, from 1; 0: unknown */
	uint32_t at, n, cap;
};

struct metric_lane {
	const struct metric_schema *schema;
	uint32_t thread; /* in the trace */
	struct weft_cursor cursor;
	struct weft_choice choice; /* of events of the trace */
	struct metric_events out;
	uint32_t cpu; /* in force, as in metric_events */
	bool open, ended;
};

struct metric_events_lane {
	struct metric_lane lane;
	struct weft_nest nest;
	WEFT_VEC(uint32_t) below; /* by depth: the innermost region of its category before the one at that depth was entered */
	uint8_t *wanted;          /* by type of `seen`. Owned */
	uint32_t *category;       /* by region. Owned */
	uint32_t *region;         /* by category: the innermost region, 0: none. Owned */
	uint8_t *said;            /* by category: used while regions close. Owned */
	struct weft_choice asks;  /* of events as they are seen */
	bool regions, cpus;       /* some type of regions is wanted; so is where a thread runs */
	bool alone;               /* nothing but one type is wanted */
	bool alike;               /* the last block's events are of one type */
};
struct metric_state_end {
	uint64_t time;
	uint32_t what, cpu;
};
struct metric_states_lane {
	struct metric_lane lane;
	struct metric_stack stack;
	uint64_t begin;  /* of the state that is open */
	uint64_t change; /* time of a change that was not looked at yet, WEFT_NEVER: none */
	uint32_t state;  /* Paraver's number of the open state */
	uint32_t state_cpu;
	bool created;                          /* the thread has not ended */
	bool only_last_end;                    /* where another state begins, its begin is all that is given out */
	bool from_records;                     /* the trace says states itself; the fields above are not used then */
	WEFT_VEC(struct metric_state_end) end; /* of state records, by time */
};

struct metric_source {
	const struct weft_space *space;
	const struct metric_schema *schema; /* NULL: the trace is a .prv */
	uint32_t thread;                    /* as it is seen */
	struct weft_choice choice;
	struct weft_cursor cursor; /* of a .prv */
	struct metric_events_lane events;
	struct metric_states_lane states;
	struct metric_events out;
	uint32_t cpu; /* that was given out last */
	bool has_events, has_states, has_cpus;
	bool alike; /* the events of the last block are of one kind and type; false: not known */
};

/*
 * Reads the events that the choice lets through, from the time on; from the begin where
 * metric_source_seeks says no. The choice is asked in terms of what is seen; what it borrows must
 * outlive the source. Then end all the same.
 */
int metric_source_begin(struct metric_source *m, const struct weft_space *s, uint32_t thread, uint64_t from,
                        const struct weft_choice *choice) WEFT_MUST_CHECK;
/* 1 and a block (valid until the next call for any source of the walk), 0 at the end, negative. */
int metric_source_next(struct metric_source *m, struct weft_block *b) WEFT_MUST_CHECK;
void metric_source_end(struct metric_source *m);
/* Whether it may begin anywhere: what is open there does not matter. */
bool metric_source_seeks(const struct metric_source *m);
/*
 * Before the first metric_source_next: the end of a state is not wanted where another begins. (It
 * may come all the same.)
 */
void metric_source_drop_ends(struct metric_source *m);
void metric_source_join(struct metric_source *m, struct weft_walk *w); /* NULL: alone */

/* ---- lanes ---- */

int metric_events_lane_begin(struct metric_events_lane *l, const struct metric_schema *s, uint32_t thread, uint64_t from,
                             const struct weft_choice *choice) WEFT_MUST_CHECK;
int metric_events_lane_fill(struct metric_events_lane *l) WEFT_MUST_CHECK; /* 1: there is something, 0: the end, negative */
void metric_events_lane_end(struct metric_events_lane *l);
/* thread: WEFT_NONE: of a process without any. */
int metric_states_lane_begin(struct metric_states_lane *l, const struct metric_schema *s, uint32_t thread) WEFT_MUST_CHECK;
int metric_states_lane_fill(struct metric_states_lane *l) WEFT_MUST_CHECK;
void metric_states_lane_end(struct metric_states_lane *l);

int metric_events_reserve(struct metric_events *e, uint32_t more) WEFT_MUST_CHECK; /* behind n; forgets what is before `at` */
void metric_events_fini(struct metric_events *e);
static inline void metric_events_put(struct metric_events *e, uint64_t time, uint32_t what, uint64_t value, uint32_t cpu)
{
	uint32_t n = e->n++;
	e->time[n] = time;
	e->what[n] = what;
	e->value[n] = value;
	e->cpu[n] = cpu;
}

int metric_lane_begin(struct metric_lane *l, const struct metric_schema *s, uint32_t thread, uint64_t from) WEFT_MUST_CHECK;
void metric_lane_end(struct metric_lane *l);
/*
 * As cpus are seen: of a CPU event's value on a thread of the trace; 0: unknown, or another node's.
 */
uint32_t metric_seen_cpu(const struct metric_schema *s, uint32_t thread, uint64_t cpu);
/* When a thread of the trace was there, made consistent; WEFT_NONE: never. */
void metric_life(const struct metric_schema *s, uint32_t thread, uint64_t *begin, uint64_t *end);

#endif
