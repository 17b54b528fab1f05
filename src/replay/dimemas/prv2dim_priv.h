/* SPDX-License-Identifier: Apache-2.0 */
/* The two halves: prv2dim.c makes rows of lines and sorts them, prv2dim_write.c makes a program of the rows. */
#ifndef WEFT_REPLAY_PRV2DIM_PRIV_H
#define WEFT_REPLAY_PRV2DIM_PRIV_H

#include "base/str.h"
#include "base/vec.h"
#include "prv2dim.h"
#include "trace/store/spill.h"
#include <stdio.h>

enum { P2D_STATE, P2D_EVENT, P2D_SEND, P2D_RECEIVE, P2D_RECEIVED };
enum { P2D_ROW_WORDS = 8 };
/* thread, time, class << 62 | line << 16 | place in it, then: kind, and
 *   state: its end                   event: type, value
 *   others: other task, bytes, tag << 32 | number of the communication */
struct p2d_task {
	uint32_t first, n;
	bool omp;
	WEFT_VEC(uint64_t) offset; /* of its threads in the output */
};
struct p2d {
	const char *prv, *dim;
	const struct weft_prv2dim_how *how;
	struct weft_prv2dim_count *count;
	struct weft_err *err;
	WEFT_VEC(struct p2d_task) task;
	WEFT_VEC(uint32_t) task_of; /* by thread */
	struct weft_buf comms;      /* the definitions, as they are written */
	uint32_t n_comms;
	double to_seconds;
	struct spill_sort rows;
	WEFT_VEC(int32_t) root;        /* of the k-th reduction of a communicator: roots[comm_first[c] + k] */
	WEFT_VEC(uint64_t) reductions; /* communicator << 32 | k: sorted as found */
};
int p2d_write(struct p2d *d) WEFT_MUST_CHECK;

#endif
