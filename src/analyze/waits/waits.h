/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wait states: what threads waited for, and which work, elsewhere and earlier, was to blame.
 *
 *     a  ──sweep──[ barrier waits w ]──         w is a wait at a barrier. Between this barrier and what a and b passed together before, b did
 *     b  ──sweep────────sweep──[bar]──          more of `sweep` than a: w is the cost of that delay, on b.
 *
 * Where b itself had waited in between (more than a), that part of w goes on to whatever had made b wait: costs are direct where the delay is
 * in the segment that was waited for, propagated where they came over other waits. Direct, propagated and unexplained costs add up to all waits.
 */
#ifndef WEFT_WAITS_H
#define WEFT_WAITS_H

#include "replay/causal/causal.h"

enum weft_wait_class {
	WEFT_WAIT_LATE_SENDER,
	WEFT_WAIT_WRONG_ORDER,
	WEFT_WAIT_LATE_RECEIVER,
	WEFT_WAIT_EAGER_LIMIT,
	WEFT_WAIT_N_TO_N,
	WEFT_WAIT_ONE_TO_N,
	WEFT_WAIT_N_TO_ONE,
	WEFT_WAIT_MPI_BARRIER,
	WEFT_WAIT_MPI_EDGE,
	WEFT_WAIT_TEAM_BARRIER,
	WEFT_WAIT_TEAM_END,
	WEFT_WAIT_TEAM_IDLE,
	WEFT_WAIT_THREAD_BARRIER,
	WEFT_WAIT_LOCK,
	WEFT_WAIT_CRITICAL,
	WEFT_WAIT_WOKEN,
	WEFT_WAIT_JOIN,
	WEFT_WAIT_TASKS,
	WEFT_WAIT_NO_TASK,
	WEFT_WAIT_LATE_SUBMITTER,
	WEFT_WAIT_INPUT,
	WEFT_WAIT_NEVER_WOKEN,
	WEFT_WAIT_OTHER,
	WEFT_WAIT_CLASSES
};
struct weft_wait_row {
	const char *key, *name, *about;
};
extern const struct weft_wait_row weft_wait_row[WEFT_WAIT_CLASSES];

struct weft_wait {
	uint64_t ns;
	uint32_t node;
	uint32_t cause_thread, cause_node; /* WEFT_CAUSAL_NONE: nobody is known */
	uint8_t class;
};
struct weft_wait_cost { /* of a path on a thread */
	uint32_t path, thread;
	double direct_ns, propagated_ns;
};
struct weft_waits {
	const struct weft_causal *c; /* borrowed */
	struct weft_wait *wait;      /* by node */
	uint32_t n;
	uint32_t *of_node; /* node -> wait, or NONE */
	uint64_t total_ns, class_ns[WEFT_WAIT_CLASSES], class_n[WEFT_WAIT_CLASSES];
	struct weft_wait_cost *cost; /* the greatest first */
	uint32_t n_costs;
	double unexplained_ns;
};

int weft_waits_find(const struct weft_causal *c, struct weft_waits *out) WEFT_MUST_CHECK; /* classes */
int weft_waits_blame(struct weft_waits *w) WEFT_MUST_CHECK;                               /* then costs */
void weft_waits_fini(struct weft_waits *w);

#endif
