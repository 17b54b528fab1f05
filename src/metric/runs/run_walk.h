/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of a run one after the other, each with what was said of it: bytes, a file, a lock, messages. For tables of runtimes
 * (run_tables.c), which ask for regions by category.
 */
#ifndef WEFT_METRIC_RUN_WALK_H
#define WEFT_METRIC_RUN_WALK_H

#include "base/vec.h"
#include "trace/filter/filter.h"
#include "trace/store/cursor.h"

struct run_call {
	uint32_t thread, region;
	uint64_t begin, end, inner; /* inner: time in regions directly in it; cut to the times that are asked for */
	uint64_t bytes, sent, received,
		most; /* bytes: attribute; sent, received: of messages and collective operations; most: of one */
	uint64_t n_messages, least, sizes; /* sizes: of all of them, the greater of what was sent and received */
	int64_t descriptor, error;         /* -1: not said; 0: none */
	uint64_t lock;                     /* 0: not said */
	uint32_t file;                     /* string; 0: not said */
	uint32_t target;                   /* rank; WEFT_NONE: not said */
	bool has_bytes;
};
struct run_walk {
	const struct weft_trace *t;
	const struct weft_filter *filter; /* bound; NULL: everything */
	uint64_t from, to;
	bool own_threads;
	/* At the end of a call: above[0] is the innermost region around it. Non-zero ends the walk. NULL: nobody asks. */
	int (*on_call)(void *arg, const struct run_call *c, const struct run_call *above, uint32_t n_above);
	/* A point of an integer type. */
	int (*on_point)(void *arg, uint32_t thread, uint64_t time, uint32_t type, int64_t value);
	int (*on_counter)(void *arg, uint32_t thread, uint64_t time, uint32_t counter, int64_t value);
	void *arg;
};
/* 0, what a callback gave, or negative. */
int run_walk(const struct run_walk *w) WEFT_MUST_CHECK;
/* The id of a category, 0: the trace has none of that name. */
uint32_t run_category(const struct weft_trace *t, const char *name);

#endif
