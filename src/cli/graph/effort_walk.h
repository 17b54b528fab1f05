/* SPDX-License-Identifier: Apache-2.0 */
/* What the workers of a trace did with their time: sums by kind of effort for each kind of worker, and by state. */
#ifndef WEFT_CLI_EFFORT_WALK_H
#define WEFT_CLI_EFFORT_WALK_H

#include "graph/efficiency.h"
#include "charts/task_fields.h"
#include "cli/common/cli.h"

struct effort_state { /* by region */
	uint64_t count, ns;
	enum weft_effort effort;
	const char *model; /* of a codelet, what else its tasks are called by; "" */
};
struct efforts {
	struct task_view tasks;
	uint64_t from, to;
	unsigned n_kinds;
	char kind[WEFT_IDLE_KINDS][32]; /* "CPU", "OpenCL" */
	uint32_t workers[WEFT_IDLE_KINDS];
	double effort[WEFT_IDLE_KINDS][WEFT_EFFORTS]; /* ns */
	bool has_ready;                               /* else idle time is all `starved`, undivided */
	bool has_detail;                              /* else what is outside of tasks is idle time or the runtime's */
	struct effort_state *state;                   /* by region of the trace; [0]: in none */
	uint32_t n_states;
};
/*
 * range: as of --time, or NULL: from the first submission to the last task's end. states: only `state` is wanted, so a simulated run will do, whose
 * trace has workers and what they ran, but no rows of tasks. 0 or the exit status, after a message.
 */
int efforts_init(struct efforts *e, const struct weft_trace *t, const char *range, bool states);
void efforts_fini(struct efforts *e);
void worker_kind(const char *name, char out[32]); /* of "CPU 0" "CPU"; "workers" where it has no word */
/* The kind of the task's worker; WEFT_IDLE_KINDS: it never ran. */
unsigned efforts_kind(const struct efforts *e, const struct weft_tasks_task *task);

#endif
