/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the exporters share.
 *
 *   trace ── export_walk.c ── sink: push, pop, state, event… ── export_chrome.c, export_paje.c, …  ── export_out.c ── file
 *             (filter, spans)                                        export_detail.c: what an event says, as names and values
 *
 * The walk turns a thread's events into a proper stack for formats that know nothing else: a pop always ends what was pushed
 * last. (A mark that switches one category off ends a region below others: these are popped, and pushed anew.)
 */
#ifndef WEFT_TRACE_EXPORT_PRIV_H
#define WEFT_TRACE_EXPORT_PRIV_H

#include "base/progress.h"
#include "export.h"
#include "export_out.h"
#include "trace/filter/pick.h"

/* ---- export_walk.c ---- */

struct export_level {
	uint64_t sequence;
	uint32_t region;
	bool shown; /* passes the filter */
};
struct export_state {
	uint32_t state;
	uint64_t end;
};
struct export_attr {
	size_t level;
	struct weft_event event;
};
struct export_lane { /* one thread on its way out */
	uint32_t thread;
	uint32_t depth; /* how many levels are shown */
	bool begun, ended;
	uint64_t last; /* time of the last event */
	struct pick pick;
	struct weft_span_walk walk;
	WEFT_VEC(struct export_level) level; /* mirrors walk.open */
	WEFT_VEC(struct export_attr) attr;   /* of shown levels, in their order */
	WEFT_VEC(struct export_state) state;
};
struct export_sink { /* what is NULL is not called; times never fall within a lane, nor in export_merged */
	const struct weft_trace *t;
	const struct weft_export_how *how;
	struct export_out *out; /* the walk ends when this has failed */
	struct weft_progress progress;
	bool keeps_attrs;
	void (*begin)(struct export_sink *s, struct export_lane *l, uint64_t time);
	void (*end)(struct export_sink *s, struct export_lane *l, uint64_t time);
	void (*push)(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region);
	/* With the attributes and call stacks that came while it was innermost, when keeps_attrs; else these are passed to event. */
	void (*pop)(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region, const struct export_attr *attr,
	            size_t n_attrs);
	void (*span)(struct export_sink *s, struct export_lane *l, const struct weft_span *span); /* whole, at its close */
	void (*state)(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t state, bool begins); /* nested */
	void (*event)(struct export_sink *s, struct export_lane *l, const struct weft_event *e); /* all the rest that passes */
	/* In export_merged: a SEND whose message has both ends, at the time when its send began; its event comes, too, at its end. */
	void (*sent)(struct export_sink *s, struct export_lane *l, const struct weft_event *e);
};
int export_threads(struct export_sink *s) WEFT_MUST_CHECK; /* one thread after another */
int export_merged(struct export_sink *s) WEFT_MUST_CHECK;  /* all threads together, in order of time */
/* Where an arrow's end is drawn: a message begins when its send does, which is before the SEND, and may be received before that. */
uint64_t export_end_time(const struct weft_trace *t, const struct weft_event *e);

/* Numbers for formats where a thread's tid is unique and the first thread's is the process's pid. */
uint32_t export_pid(const struct weft_trace *t, uint32_t process);
uint32_t export_tid(uint32_t thread);
/* "1.2 solver [pid 4711]" and "1.2.1 worker": unique. Appended. */
void export_process_name(const struct weft_trace *t, uint32_t process, struct weft_buf *out);
void export_thread_name(const struct weft_trace *t, uint32_t thread, struct weft_buf *out);

/* ---- export_detail.c ---- */

enum export_value { EXPORT_I64, EXPORT_U64, EXPORT_HEX, EXPORT_DOUBLE, EXPORT_TEXT };
struct export_arg {
	const char *key;
	enum export_value kind;
	union {
		int64_t i;
		uint64_t u;
		double d;
		const char *text; /* borrows from the trace or from the detail */
	};
};
#define EXPORT_ARGS 6
struct export_detail {
	const char *name; /* of the definition, else of the kind */
	unsigned n;
	struct export_arg arg[EXPORT_ARGS];
	char label[40];
	char stack[1024]; /* addresses as text */
};
/* Writes an argument that is no text; `not_finite` for a double that is no number. */
void export_number(struct export_out *o, const struct export_arg *a, const char *not_finite);
/* The value of a point, counter or attribute is its first argument. */
void export_describe(const struct export_sink *s, const struct weft_event *e, struct export_detail *d);
const char *export_def_name(const struct weft_trace *t, enum weft_class c, uint64_t id); /* "?" when there is none */
/* A counter's value, as a double too, also of one in a set. */
bool export_is_floating(unsigned kind);

#endif
