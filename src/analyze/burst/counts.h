/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of a thread as growing sums over time, whatever the trace has: counts since the last event (types of points, as Extrae writes them),
 * or running sums (counters, sets of them, and those in a .prv that we wrote).
 */
#ifndef WEFT_ANALYZE_COUNTS_H
#define WEFT_ANALYZE_COUNTS_H

#include "base/map.h"
#include "trace/store/cursor.h"

struct weft_counters {
	const struct weft_trace *trace; /* borrowed */
	uint32_t n;
	const char **name;  /* by counter: as the trace calls it; borrowed from the trace */
	struct weft_map of; /* what of an event -> counter << 1 | it is a running sum */
	uint64_t kinds;     /* of events */
};
/*
 * By name each: a number of Paraver's, a name, or the beginning of a label ("PAPI_TOT_INS" of "PAPI_TOT_INS [Instr completed]"); case counts for
 * nothing. A counter that the trace has not: n stays right and nothing is found of it; *missing is its name. 0 or -ENOMEM.
 */
int weft_counters_find(struct weft_counters *c, const struct weft_trace *t, const char *const *name, uint32_t n,
                       const char **missing) WEFT_MUST_CHECK;
/* All that the trace has: types of points in Paraver's range of hardware counters (42000000…), and counters. 0 or -ENOMEM. */
int weft_counters_all(struct weft_counters *c, const struct weft_trace *t) WEFT_MUST_CHECK;
void weft_counters_fini(struct weft_counters *c);
/* The type of points (its id) of that number or name; 0: the trace has none. */
/* What a counter is called in a label: "PAPI_TOT_INS" of "PAPI_TOT_INS [Instr completed]", of "(PAPI_TOT_INS) Instr completed". Its length. */
size_t weft_counters_name(const char *label, const char **begin);
uint32_t weft_counters_type(const struct weft_trace *t, const char *name);

struct weft_count_line { /* from `time` on, `sum`; times ascend and differ. Owned */
	uint64_t *time;
	double *sum;
	size_t n, cap, n_time;
};
/* line: one for each counter, zeroed or of an earlier thread. 0, -ENOMEM, or what reading says. */
int weft_counts_read(const struct weft_counters *c, uint32_t thread, struct weft_count_line *line) WEFT_MUST_CHECK;
void weft_count_line_fini(struct weft_count_line *l);
/* Events not later than `time`: how many of the line. O(log n). */
size_t weft_count_upto(const struct weft_count_line *l, uint64_t time);
/* What was counted in (begin, end]; NAN where the line has nothing at or before `begin` to begin from. */
double weft_count_between(const struct weft_count_line *l, uint64_t begin, uint64_t end);
/* What the events at exactly this time say that they counted; NAN: there are none. */
double weft_count_at(const struct weft_count_line *l, uint64_t time);

#endif
