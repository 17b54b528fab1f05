/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often each state was there, and how long: of a Paje trace, or of trace.rec. Lengths can be kept, one by one, for a histogram; in milliseconds,
 * as StarPU's files count, or whatever the trace's unit is.
 */
#ifndef WEFT_TASKFILES_STATE_SUMS_H
#define WEFT_TASKFILES_STATE_SUMS_H

#include "text_lines.h"
#include "base/map.h"
#include "base/vec.h"

enum { STATE_UNIT = 1000000000 }; /* of sums: parts of the file's unit */
struct state_sum {
	const char *name, *category; /* category: as the last of that name says: "Task", "Runtime", "User", "Other"…; "" */
	uint64_t n;
	int64_t total;
	WEFT_VEC(double) length;
};
/*
 * Where the workers' time went, each moment once, in the innermost state: tasks; scheduling; sleeping and idle; all else is the runtime's.
 * StarPU's efficiencies are made of it: parallel = task × runtime × scheduling × pipeline.
 */
struct state_parts {
	double task, runtime, scheduling, idle;
};
struct state_sums {
	struct weft_intern word;
	WEFT_VEC(struct state_sum) at; /* in the order in which they came first */
	struct state_parts parts;      /* of trace.rec */
	int64_t first, last;           /* begin of the earliest, end of the latest */
	/* What is wanted, set before reading: */
	double from, to;   /* states that lie within; to: infinite where it is not more than `from` */
	const char *only;  /* names with commas between; NULL: all */
	bool keep_lengths; /* at most LENGTHS_MOST of each */
};
enum { LENGTHS_MOST = 20000000 };
void state_sums_fini(struct state_sums *s);

/* An error is said of the file, line by line, and nothing of it is kept. */
int state_sums_read_paje(struct state_sums *s, struct text_lines *from, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Workers set states, and threads push them within. Where profiling was started and stopped in the program, states that begin meanwhile count.
 */
int state_sums_read_rec(struct state_sums *s, struct text_lines *from, struct weft_err *err) WEFT_MUST_CHECK;
/* NULL: there is none of that name. */
const struct state_sum *state_sums_find(const struct state_sums *s, const char *name);

#endif
