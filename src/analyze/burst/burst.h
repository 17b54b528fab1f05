/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bursts: stretches of a thread between two things, as when it computes between two calls of a runtime. What clusters, phases and folding
 * are made of.
 */
#ifndef WEFT_ANALYZE_BURST_H
#define WEFT_ANALYZE_BURST_H

#include "counts.h"
#include "trace/filter/filter.h"

enum weft_bursts_of {
	WEFT_BURSTS_ANY,     /* STATES where the trace has such, else COMPUTE */
	WEFT_BURSTS_STATES,  /* state records of the number 1, Running */
	WEFT_BURSTS_COMPUTE, /* where the thread computes, by regions: weft_outside_is_useful */
	WEFT_BURSTS_REGIONS, /* calls of regions that the filter lets pass */
	WEFT_BURSTS_TYPE,    /* from a value that is not 0 of a type of points to its next */
	WEFT_BURSTS_LISTED,  /* those of `row` */
};
struct weft_burst_row { /* of a list (burst_csv.h) */
	uint64_t begin, end;
	int64_t value;
	uint32_t thread;
};
struct weft_bursts_how {
	enum weft_bursts_of of;
	struct weft_filter *filter;       /* bound; NULL: all */
	uint64_t from, to;                /* bursts that lie in it; to == WEFT_NEVER: no end */
	uint32_t type;                    /* of TYPE: its id */
	const struct weft_burst_row *row; /* of LISTED: borrowed; by thread, then begin */
	size_t n_rows;
	const struct weft_counters *counters; /* borrowed; NULL: none */
	/*
	 * Counters are what the events at the end of a burst say (so does BSC's suite); else all that was counted in it. A burst without an event at
	 * its end has none in either case, where counters are counts since the last event.
	 */
	bool at_end_only;
	uint32_t caller; /* a type of points: its value at the end of each burst is kept; 0: none */
	bool own_threads;
	unsigned threads; /* 0: all */
};
struct weft_bursts { /* columns; all owned */
	size_t n;
	uint32_t *thread;
	uint64_t *begin, *end;
	uint32_t *region; /* COMPUTE: the innermost region where it begins, 0: none; REGIONS: it */
	int64_t *value;   /* TYPE: of the point that begins it; LISTED: its own; else: of the type `caller`, 0: none */
	double *count;    /* by counter: n of them, one counter after the other; NAN: missing */
	uint32_t n_counters;
};
/*
 * In the order in which each burst is known to be over: when the next of its thread begins; those without a next last, by thread. 0, -ENOMEM, or what
 * reading says, in err. Out of core but for the bursts themselves.
 */
int weft_bursts_make(struct weft_bursts *out, const struct weft_trace *t, const struct weft_bursts_how *how,
                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_bursts_fini(struct weft_bursts *b);
/* What ANY is of this trace. */
enum weft_bursts_of weft_bursts_any(const struct weft_trace *t);

#endif
