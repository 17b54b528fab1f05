/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a trace (or what a filter leaves of it) as our own streams: the base of cut, filter, merge and conversion to .weft. */
#ifndef WEFT_TRACE_WRITE_H
#define WEFT_TRACE_WRITE_H

#include "trace/filter/filter.h"

struct weft_write_count { /* what was written */
	uint64_t events, threads;
};
/* Events that a trace has not and its copy shall have: of thread t [first[t], first[t + 1]), by time; ids are those of the trace. */
struct weft_write_extra {
	const size_t *first; /* of all threads, and one more */
	const uint64_t *time, *value;
	const uint32_t *what;
};
struct weft_write_how {
	struct weft_filter *filter; /* NULL: everything; bound here, to each trace in turn */
	uint64_t from, to;          /* cut: events in [from, to); spans that are open at a bound are clipped to it */
	bool keep_times;            /* do not move `from` to 0 */
	const char *origin; /* text of the note weft.origin, in place of those that the trace has; NULL: none (see origin.h) */
	uint64_t memory;
	bool progress;
	const struct weft_write_extra *extra; /* of one trace that is written whole: without a filter or a range. NULL: none */
	struct weft_write_count *count;       /* added to; NULL: nobody asks */
};
/*
 * Writes one stream a process into a new folder `path` (made under a temporary name, renamed when complete; fails with -EEXIST
 * when it is there, unless `force`). Several traces are written into one: their processes side by side, times aligned by
 * CLOCK_REALTIME of their begins when `align`, else all begin at 0.
 */
int weft_trace_write(const struct weft_trace *const *traces, unsigned n_traces, const char *path,
                     const struct weft_write_how *how, bool align, bool force, struct weft_err *err) WEFT_MUST_CHECK;

#endif
