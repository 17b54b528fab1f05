/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions as intervals: pairs each enter with its leave. A leave without an enter is counted and ignored; a leave of an outer
 * region closes the inner ones; what is open at an OFF mark, at the end of the thread or of the trace is closed there. An OFF
 * mark of one category closes only that category's regions: what they held stays open, at its depth.
 */
#ifndef WEFT_TRACE_SPANS_H
#define WEFT_TRACE_SPANS_H

#include "nest.h"
#include "trace/store/cursor.h"

struct weft_filter;

struct weft_span {
	uint32_t thread, region;
	uint32_t depth; /* 0: outermost; spans of one thread and depth never overlap */
	uint64_t begin, end;
	uint64_t inner;    /* time in regions directly inside; self time is end - begin - inner */
	uint64_t sequence; /* number of its enter in the thread, from 0: orders spans by begin */
	bool closed_early; /* not by its own leave */
	bool chosen;       /* by one of its attributes (weft_span_choose) */
};

struct weft_span_walk {                  /* feed it the events of ONE thread in order */
	WEFT_VEC(struct weft_span) open; /* outermost first */
	uint64_t unmatched_leaves, closed_early, sequence;
	uint32_t thread;
	int (*on_span)(void *arg, const struct weft_span *s); /* called at the close; a non-zero result ends the walk */
	void *arg;
	const struct weft_trace *trace;
	const struct weft_filter *choose; /* private */
	struct weft_nest nest;            /* private */
	int result;                       /* what ended the walk, or 0 */
};
/* trace: for the categories of regions (NULL: marks of single categories close nothing). on_span: NULL only counts. Both are borrowed. */
void weft_span_begin(struct weft_span_walk *w, const struct weft_trace *trace, uint32_t thread,
                     int (*on_span)(void *, const struct weft_span *), void *arg);
/*
 * A filter that asks for attributes speaks of regions by what stands inside them: from here on, a region that has an attribute
 * that passes is chosen. Any other filter (or NULL) chooses nothing. Borrowed until the end of the walk.
 */
void weft_span_choose(struct weft_span_walk *w, const struct weft_filter *f);
/*
 * 0, on_span's non-zero result, or -ENOMEM; after one of these two nothing more is fed. O(1) amortised an event, except a mark of
 * one category, which is O(depth).
 */
int weft_span_feed(struct weft_span_walk *w, const struct weft_block *b) WEFT_MUST_CHECK;
/* Closes what is open (at its begin when that is later), frees. After a walk that was ended: only frees, and says that result again. */
int weft_span_end(struct weft_span_walk *w, uint64_t at) WEFT_MUST_CHECK;

/*
 * The whole of it for one thread (choose: a filter for weft_span_choose, or NULL): all spans that touch [from, to), whole, also those that began before `from`; what is open at
 * `to` (or at the thread's end, when that comes first) ends there. O(events of the thread before `to`).
 */
int weft_spans(const struct weft_trace *t, uint32_t thread, uint64_t from, uint64_t to, const struct weft_filter *choose,
               int (*on_span)(void *, const struct weft_span *), void *arg) WEFT_MUST_CHECK;

#endif
