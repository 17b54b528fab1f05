/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of a thread's regions, one after the other as they end, for tables of calls
 * (hist/call_table.h); or its state records, which are calls that do not nest. Not a function of
 * time: calls lie in each other.
 */
#ifndef WEFT_METRIC_METRIC_CALLS_H
#define WEFT_METRIC_METRIC_CALLS_H

#include "base/progress.h"
#include "metric.h"
#include "trace/filter/filter.h"

struct metric_call {
	uint32_t region; /* or state, of the trace */
	uint64_t time, self;
	uint64_t total;  /* the part of its time that no call around it has that counts into the same row */
	uint64_t useful; /* the part of self in which the thread computes (metric_stack.h) */
};
struct metric_calls_how {
	const struct weft_space *space;
	const struct weft_filter *filter; /* NULL: all calls */
	uint64_t from, to;                /* calls are cut at these times */
	bool states;
	bool by_region;                 /* calls of one region share a row; otherwise all do */
	struct weft_progress *progress; /* NULL: none */
};
struct metric_calls_sum {
	uint64_t useful; /* time in which the thread computes; with a filter, in calls that pass */
	uint64_t unmatched, closed_early;
};
/* What a worker needs for one thread after the other. Borrows `how`. */
struct metric_calls;
int metric_calls_new(struct metric_calls **out, const struct metric_calls_how *how) WEFT_MUST_CHECK;
void metric_calls_free(struct metric_calls *c); /* NULL is fine */
/* thread: of the trace itself. A result of on_call that is not 0 ends the walk, and is returned. */
int metric_calls_walk(struct metric_calls *c, uint32_t thread, int (*on_call)(void *arg, const struct metric_call *call),
                      void *arg, struct metric_calls_sum *sum) WEFT_MUST_CHECK;
/* When the thread is there within the range; false: not at all. */
bool metric_calls_life(const struct metric_calls_how *how, uint32_t thread, uint64_t *begin, uint64_t *end);
/* The trace itself. */
const struct weft_trace *metric_calls_trace(const struct weft_space *s);

#endif
