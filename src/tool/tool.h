/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paraver's trace tools: a .prv in, a .prv out (with its .pcf and .row), record by record, whatever its length. What is kept
 * is byte for byte what the foreign tool keeps. Options come from its XML files or from a caller.
 *
 *     weft_tool_options_read(&o, "cut.xml", &err);
 *     weft_tool_cut("t.prv", "t.chop1.prv", &o.cut, &report, &err);
 */
#ifndef WEFT_TOOL_TOOL_H
#define WEFT_TOOL_TOOL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a tool has to tell beside its output. */
struct weft_tool_report {
	uint64_t odd_lines; /* records that name no object of the header, or no record at all; left out */
	uint64_t first_odd; /* line of the first of them, from 1 */
	/* Kept records of threads that the header does not have, and the line of the first. Cutter and counters. */
	uint64_t strange_lines, first_strange;
	/* Of a filter: lines in and out, by kind; type:value that went, also out of lines that stayed. */
	struct weft_tool_kept {
		uint64_t read, kept;
	} states, events, comms;
	uint64_t pairs_dropped;
	uint64_t parts;      /* of a split */
	uint64_t translated; /* values that were changed */
	/* Of a filter by states: the first name that is none of the .pcf's, and the nearest that is; "": there is none. */
	char unknown_state[64], nearest_state[64];
	/* Of a cut by tasks: the first number that no application has, 0 when there is none, and the greatest that one has. */
	uint64_t unknown_task, greatest_task;
};

struct weft_tool_range {
	uint64_t first, last;
};
/* Event types, and of these all values or some. The arrays belong to weft_tool_options.arena, or to who made them. */
struct weft_tool_types {
	struct weft_tool_range type;
	WEFT_VEC(int64_t) value;
};
struct weft_tool_type_list {
	struct weft_tool_types *at; /* owned, as their values: weft_tool_types_free */
	size_t n, cap;
};

struct weft_tool_filter {
	bool discard_states, discard_events, discard_comms;
	bool some_states; /* only those whose name in the .pcf is part of a name in state[] */
	WEFT_VEC(const char *) state;
	uint64_t min_state_time; /* in the trace's units */
	bool types_discarded;    /* type[] is what goes, else (when it is not empty) what stays */
	struct weft_tool_type_list type;
	int64_t min_bytes; /* of a communication; 0: all */
};

enum weft_tool_keep { WEFT_TOOL_KEEP_INSIDE, WEFT_TOOL_KEEP_BOUNDARY, WEFT_TOOL_KEEP_ALL };
struct weft_tool_cut {
	WEFT_VEC(struct weft_tool_range) task; /* numbers within an application; none: all */
	uint64_t max_bytes;                    /* of the new .prv; 0: any */
	bool by_time;                          /* from and to, else the percentages */
	uint64_t from, to;                     /* in the trace's units */
	double from_percent, to_percent;       /* of the trace's end */
	bool original_time, break_states, remove_first_states, remove_last_states;
	enum weft_tool_keep keep_events; /* events before the range */
	unsigned threads;                /* 0: as many as the process may use */
};

struct weft_tool_counters {
	bool by_intervals;       /* else by states */
	uint64_t interval;       /* between two emissions of a thread */
	uint64_t min_burst_time; /* by states: of a Running state; 0: any state */
	struct weft_tool_type_list accumulate, count;
	bool remove_states, summarize, global, only_in_burst;
	struct weft_tool_type_list keep;
};

enum { WEFT_TOOL_HAS_FILTER = 1, WEFT_TOOL_HAS_CUT = 2, WEFT_TOOL_HAS_COUNTERS = 4 };
struct weft_tool_options {
	struct weft_arena arena; /* owns the texts */
	unsigned has;            /* sections that the file has */
	struct weft_tool_filter filter;
	struct weft_tool_cut cut;
	struct weft_tool_counters counters;
	WEFT_VEC(const char *) warning; /* lines about keys that nobody knows; the first WEFT_TOOL_WARNINGS */
};
enum { WEFT_TOOL_WARNINGS = 20 };

/* 0, WEFT_E_SYNTAX with file and line, or what reading failed with. Then fini all the same. */
int weft_tool_options_read(struct weft_tool_options *o, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
int weft_tool_options_parse(struct weft_tool_options *o, const char *name, const char *text, size_t n,
                            struct weft_err *err) WEFT_MUST_CHECK;
void weft_tool_options_fini(struct weft_tool_options *o);
void weft_tool_types_free(struct weft_tool_type_list *l);
/*
 * Types with ; between them, each "50000001", "42000000-42999999" or "50000001:1,2" (of these values only); where none has
 * values, a comma does as well. 0, WEFT_E_SYNTAX, -ENOMEM.
 */
int weft_tool_types_parse(struct weft_tool_type_list *l, const char *text, size_t n) WEFT_MUST_CHECK;
int weft_tool_tasks_parse(struct weft_tool_cut *cut, const char *text, size_t n) WEFT_MUST_CHECK; /* "1,3-5" */

/*
 * The tools. `in` is a .prv (plain, gzip or zstd; its .pcf and .row are found beside it), `out` a .prv that appears with its
 * .pcf and .row when all is well, and not at all otherwise. threads 0: as many as the process may use. report may be NULL.
 */
int weft_tool_filter(const char *in, const char *out, const struct weft_tool_filter *f, unsigned threads,
                     struct weft_tool_report *report, struct weft_err *err) WEFT_MUST_CHECK;
int weft_tool_cut(const char *in, const char *out, const struct weft_tool_cut *c, struct weft_tool_report *report,
                  struct weft_err *err) WEFT_MUST_CHECK;
int weft_tool_counters(const char *in, const char *out, const struct weft_tool_counters *c, struct weft_tool_report *report,
                       struct weft_err *err) WEFT_MUST_CHECK;

enum weft_tool_level { WEFT_TOOL_THREAD, WEFT_TOOL_TASK, WEFT_TOOL_APP, WEFT_TOOL_WORKLOAD };
/* times: a file of one time a line. */
int weft_tool_shift(const char *in, const char *out, const char *times, enum weft_tool_level level, unsigned threads,
                    struct weft_tool_report *report, struct weft_err *err) WEFT_MUST_CHECK;
/* What was read as records, with the header in its long form; alone, without .pcf and .row. */
int weft_tool_dump(const char *in, const char *out, struct weft_err *err) WEFT_MUST_CHECK;
/* out names the parts: "t.prv" makes t-part1.prv, t-part2.prv, …; "t-part1.prv" makes the same. */
int weft_tool_split(const char *in, const char *out, uint32_t type, struct weft_tool_report *report,
                    struct weft_err *err) WEFT_MUST_CHECK;
/* The first part that a split writes for that name; malloc'd, NULL when memory is out. */
char *weft_tool_part_name(const char *out, uint64_t part) WEFT_MUST_CHECK;
int weft_tool_translate(const char *in, const char *out, const char *reference, unsigned threads, struct weft_tool_report *report,
                        struct weft_err *err) WEFT_MUST_CHECK;

/* -- what a trace is -- */

int weft_tool_trace_end(const char *in, uint64_t *end, uint64_t *unit_ns, struct weft_err *err) WEFT_MUST_CHECK;

/* -- names -- */

/* "a/t.prv.gz", "chop" -> "a/t.chop1.prv", with the first number whose file is not there. malloc'd, or NULL. */
char *weft_tool_name(const char *in, const char *word) WEFT_MUST_CHECK;
/* "a/t.prv.gz", ".pcf" -> "a/t.pcf". malloc'd, or NULL. */
char *weft_tool_beside(const char *prv, const char *suffix) WEFT_MUST_CHECK;
void weft_tool_remove(const char *prv); /* a trace with its .pcf and .row; what is not there is fine */

#endif
