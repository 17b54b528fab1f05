/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions as intervals: pairs each enter with its leave. A leave without an enter is counted and ignored; a leave of an outer
 * region closes the inner ones; what is open at an OFF mark, at the end of the thread or of the trace is closed there.
 */
#ifndef WEFT_TRACE_SPANS_H
#define WEFT_TRACE_SPANS_H

#include "cursor.h"

struct weft_span {
	uint32_t thread, region;
	uint32_t depth; /* 0: outermost */
	uint64_t begin, end;
	uint64_t inner;    /* time in regions directly inside; self time is end - begin - inner */
	uint64_t sequence; /* number of its enter in the thread: orders spans by begin */
	bool closed_early; /* not by its own leave */
};

struct weft_span_walk { /* feed it the events of ONE thread in order */
	WEFT_VEC(struct weft_span) open;
	uint64_t unmatched_leaves, closed_early, sequence;
	uint32_t thread;
	int (*on_span)(void *arg, const struct weft_span *s); /* called at the close; a non-zero result ends the walk */
	void *arg;
};
void weft_span_begin(struct weft_span_walk *w, uint32_t thread, int (*on_span)(void *, const struct weft_span *), void *arg);
int weft_span_feed(struct weft_span_walk *w, const struct weft_block *b) WEFT_MUST_CHECK;
int weft_span_end(struct weft_span_walk *w, uint64_t at) WEFT_MUST_CHECK; /* closes what is open, frees */

/* The whole of it for one thread and a time range (spans that began before `from` are found too). */
int weft_spans(const struct weft_trace *t, uint32_t thread, uint64_t from, uint64_t to,
               int (*on_span)(void *, const struct weft_span *), void *arg) WEFT_MUST_CHECK;

#endif
