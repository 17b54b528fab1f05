/* SPDX-License-Identifier: Apache-2.0 */
/* From a trace of Paraver to a program of Dimemas, as prv2dim does it: record by record, with its order of what happens at one instant. */
#ifndef WEFT_REPLAY_PRV2DIM_H
#define WEFT_REPLAY_PRV2DIM_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

struct weft_prv2dim_how {
	uint64_t burst_type; /* bursts are values of this counter times `factor` (seconds); 0: they are times */
	double factor;
	bool no_initial; /* what is before a task's first event takes no time */
	bool no_init;    /* MPI_Init lets tasks not wait for each other */
	uint64_t memory; /* of what is sorted; more goes to temporary files */
};
struct weft_prv2dim_count {
	uint64_t records, communications;
	uint64_t outside, misfits, disordered, wrong; /* communications outside of calls, in calls of other kinds; lines */
	uint32_t tasks_any;                           /* tasks that call what may complete in any order */
	uint32_t tasks_no_init;                       /* that do not begin with MPI_Init */
};
int weft_prv2dim(const char *prv, const char *dim, const struct weft_prv2dim_how *how, struct weft_prv2dim_count *count,
                 struct weft_err *err) WEFT_MUST_CHECK;

#endif
