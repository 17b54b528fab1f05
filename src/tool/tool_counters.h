/* SPDX-License-Identifier: Apache-2.0 */
/* Software counters on their way: tool_counters.c fills them, tool_counters_labels.c names them. For these two only. */
#ifndef WEFT_TOOL_TOOL_COUNTERS_H
#define WEFT_TOOL_TOOL_COUNTERS_H

#include "tool_priv.h"

struct counter {
	uint32_t id;      /* in counter[] and in a thread's sums */
	uint64_t type;    /* of the events that are counted */
	int64_t value;    /* of these, where values count apart */
	uint64_t emitted; /* the type that it gets */
	bool accumulate;
};
struct counted_type {
	uint64_t type;
	bool accumulates, counts, keeps; /* some value of it */
	struct weft_map summed, counted; /* value (0: all) -> id of a counter */
};
struct counter_sum {  /* of a thread */
	int64_t sum;  /* since the last sample */
	bool written; /* in some sample; then in each one from there on */
};
struct counter_thread {
	int64_t who[3];          /* app, task, thread */
	struct counter_sum *sum; /* by id of a counter. Owned */
	size_t n_sums;
	uint64_t last_emission;
	bool has_burst, burst_open;
	uint64_t burst_begin, burst_end;
	uint64_t useful; /* Running time since the last sample */
};
struct counters {
	const struct weft_tool_counters *how;
	struct weft_tool_report *report;
	struct tool_input in;
	struct tool_output *out;
	struct weft_arena arena; /* owns counters and types */
	struct counter_thread *thread;
	struct weft_map by_stranger; /* threads that the header does not have: hash of their numbers -> place in stranger[] */
	WEFT_VEC(struct counter_thread *) stranger;
	struct weft_map by_type; /* type -> its place in type[] */
	WEFT_VEC(struct counted_type *) type;
	WEFT_VEC(struct counter *) counter;
	struct counter **order; /* as they are emitted. Owned */
	bool sorted, no_memory;
};

/* Writes the new .pcf: the counters, and what is kept. */
int tool_counters_labels(struct counters *c, const char *in, const char *out, struct weft_err *err) WEFT_MUST_CHECK;

#endif
