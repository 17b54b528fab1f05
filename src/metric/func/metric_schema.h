/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What metrics see of a trace that was not made for Paraver: its objects, event types and states
 * with the numbers and names that `weft convert --to prv` gives them, and how the definitions of
 * the trace map to those. The events themselves stay in the trace's columns; metric_source.h
 * translates them while they are read.
 *
 *     ENTER of a region ──────── type of its category, value: the region ┐
 *     COUNTER, ATTR, POINT (_F, _S) ── a type of each definition         ├─ numbers of prv_names.h
 *     COLLECTIVE, DROPPED ────── types of their own                      ┘
 *     regions with a state class ── states without gaps
 */
#ifndef WEFT_METRIC_METRIC_SCHEMA_H
#define WEFT_METRIC_METRIC_SCHEMA_H

#include "base/arena.h"
#include "trace/paraver/prv_names.h"
#include "trace/store/trace.h"

/* Where the states of a thread come from. */
enum metric_states_from { METRIC_FROM_NOTHING, METRIC_FROM_STATES, METRIC_FROM_REGIONS };
enum { METRIC_EVENT_KINDS = 64 };

struct metric_schema {
	const struct weft_trace *trace; /* borrowed */
	struct weft_trace seen;         /* what metrics see: shares columns, messages and all that is not below with the trace */
	struct weft_arena arena;        /* all that follows, and the rows of `seen` */
	uint32_t *type[METRIC_EVENT_KINDS]; /* by kind of event and id of its definition: id of a type in `seen`, 0: none */
	uint32_t *category_type;            /* by category */
	uint32_t *region_state; /* by region: Paraver's number of its state; PRV_STATES: that of the region around it */
	uint32_t other_type[PRV_OTHERS_END];
	uint32_t paraver_state[PRV_STATES]; /* by Paraver's number: id of a state in `seen` */
	uint32_t *cpu;                      /* by cpu: cpu in `seen` */
	uint32_t *thread;                   /* by thread in `seen`: thread; WEFT_NONE: of a process without any */
	uint32_t *row;                      /* by thread: thread in `seen`; WEFT_NONE: it is left out */
	uint8_t *states_from;               /* by thread: enum metric_states_from */
	bool derived;                       /* some thread has states from regions */
	bool renumbered;                    /* some thread is another one in `seen` */
};

/*
 * Of a trace that is not a .prv; own_threads: with those of Weft itself. *out: NULL on failure.
 * Reads the dictionaries of all blocks, side by side.
 */
int metric_schema_new(struct metric_schema **out, const struct weft_trace *t, bool own_threads) WEFT_MUST_CHECK;
void metric_schema_free(struct metric_schema *s); /* NULL is fine */

/* On which definition of the trace a kind of event makes a type, and how. */
struct metric_event_kind {
	enum weft_class of; /* WEFT_CLASS_NONE: the kind makes none */
	uint32_t range;     /* its number is this + id */
	uint8_t as;         /* enum metric_value_as */
	uint8_t gradient;
};
enum metric_value_as { METRIC_AS_INT, METRIC_AS_FLOAT, METRIC_AS_TEXT };
extern const struct metric_event_kind metric_event_kinds[METRIC_EVENT_KINDS];

#endif
