/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of calls: where the time went, by region (or state), by an object, or by both. Beside the
 * tables of functions of time (hist.h), since calls lie in each other, and a row says all of its
 * statistics at once. One pass over each thread, the threads in parallel; memory by the number of
 * rows, not of calls.
 */
#ifndef WEFT_METRIC_CALL_TABLE_H
#define WEFT_METRIC_CALL_TABLE_H

#include "metric/func/metric.h"
#include "trace/filter/filter.h"

enum weft_call_by {
	WEFT_BY_REGION = 1,
	WEFT_BY_THREAD = 2,
	WEFT_BY_PROCESS = 4, /* not together with threads, which are finer */
};

struct weft_call_how {
	unsigned by;                      /* weft_call_by; 0: one row of all */
	const struct weft_filter *filter; /* NULL: everything; only calls that pass are counted */
	uint64_t from, to;                /* calls are cut at these times; to == WEFT_NEVER: no end */
	bool states;                      /* the state records of a foreign trace in place of regions */
	bool progress;
	unsigned threads; /* 0: all */
	uint64_t memory;  /* 0: a quarter of the machine's */
};

struct weft_call_row {
	uint32_t region;          /* or state; WEFT_NONE when rows are not by region */
	uint32_t thread, process; /* of the trace itself; WEFT_NONE likewise; the process of a thread is set */
	uint32_t n_threads;       /* that have calls */
	uint64_t calls;
	uint64_t total;              /* time inside; where calls of one row are nested, the inner ones are not counted again */
	uint64_t self;               /* time inside, and in no region within */
	uint64_t min, max, p50, p99; /* of a call's time, with what is within; p50 and p99 to 0.8 %, exact up to 64 calls */
	double mean;
	double share; /* of self in the time of all threads, 0..1 */
	/*
	 * Average over greatest, over the row's threads: of their self time in the region, or of
	 * their useful time when rows are not by region. NAN when there is only one thread by
	 * nature, or no time.
	 */
	double balance;
};

struct weft_call_table {
	struct weft_call_row *row; /* owned; in order of region, process, thread */
	size_t n_rows;
	uint64_t thread_time; /* lengths of the threads that can pass, within the times asked for */
	uint64_t busy;        /* useful time, as metrics have it (metric_stack.h); with a filter, that of the calls which pass */
	uint32_t n_threads;   /* that have useful time */
	double load_balance;  /* average over greatest useful time of those threads; NAN when there is none */
	uint64_t unmatched_leaves, closed_early;
};

/*
 * 0, or negative with *err: -ENOMEM, WEFT_E_LIMIT when the rows do not fit the memory, or what
 * reading gave.
 */
int weft_call_table_compute(struct weft_call_table *out, const struct weft_space *s, const struct weft_call_how *how,
                            struct weft_err *err) WEFT_MUST_CHECK;
void weft_call_table_fini(struct weft_call_table *s);

#endif
