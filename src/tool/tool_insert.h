/* SPDX-License-Identifier: Apache-2.0 */
/* Events of our own put into a .prv where they belong in time, its lines left as they stand; and where its Running states are. */
#ifndef WEFT_TOOL_TOOL_INSERT_H
#define WEFT_TOOL_TOOL_INSERT_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_tool_new_label {
	int64_t value;
	const char *text;
};
struct weft_tool_new_type { /* a group of its own in the .pcf */
	uint32_t number, gradient;
	const char *text;
	const struct weft_tool_new_label *label;
	size_t n_labels;
};
struct weft_tool_new_event {
	uint64_t time;   /* in the trace's units */
	uint32_t thread; /* row of the header, from 0 */
	uint32_t cpu;    /* 0: where the thread last was */
	uint32_t type;   /* place in `type` */
	int64_t value;
};
struct weft_tool_insert {
	const struct weft_tool_new_event *event; /* by time; of one time in the order in which they shall stand */
	size_t n_events;
	const struct weft_tool_new_type *type;
	size_t n_types;
	bool alone; /* nothing else of the trace but its head */
};
/*
 * Before each line stand the new events that are not later than it. The .pcf gets the types behind those that it has, the .row is copied.
 * 0, or negative and err; nothing is left of an output that failed.
 */
int weft_tool_insert(const char *in, const char *out, const struct weft_tool_insert *how, struct weft_err *err);

struct weft_tool_state { /* a state record, in the trace's units */
	uint64_t begin, end;
	uint32_t thread, cpu; /* thread: row of the header */
	uint64_t line;        /* of the file, from 1 */
};
/* Each record of a state, in the order of the file. on_state's result that is not 0 ends it, and is returned. 0, or negative and err. */
int weft_tool_states(const char *in, int64_t state, int (*on_state)(void *arg, const struct weft_tool_state *s), void *arg,
                     struct weft_err *err);

#endif
