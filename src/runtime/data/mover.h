/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Movers: a thread for each memory node beside main memory, and one for main memory, begun with the
 * first transfer. They do the work that may wait (copy, allocate by evicting), in the order of
 * urgency: fetches before prefetches before idle ones; within these by priority, then by age. A
 * worker whose task needs a transfer parks the task and runs others meanwhile.
 */
#ifndef WEFT_RUNTIME_DATA_MOVER_H
#define WEFT_RUNTIME_DATA_MOVER_H

#include "replica.h"

struct rt_move_item {
	starpu_data_handle_t handle;
	unsigned node;
	uint32_t mode;
};
struct rt_move {
	struct rt_move *next;
	void (*done)(
		struct rt_move
			*m); /* callback on the mover's thread; frees it. All items are pinned, or rc is the error and none is */
	void *arg;
	int rc, priority;
	uint64_t number; /* of all moves: how the trace names it */
	enum starpu_is_prefetch kind;
	const char *cause;           /* for the trace; NULL: as its kind says */
	rt_ref task;                 /* for whom; 0: for no task */
	starpu_data_handle_t failed; /* with rc: the handle that it was about */
	unsigned n;
	struct rt_move_item item[];
};
struct rt_move *rt_move_new(unsigned n); /* NULL: no memory. Of 0 items: only `done` is called */
void rt_move(struct rt_move *m, unsigned node, enum starpu_is_prefetch kind, int priority);
/* Cancels prefetches of this handle that have not begun, and waits for those that have. */
void rt_move_cancel(starpu_data_handle_t h);
void *rt_mover_own(void);  /* as rt_sim_keeps_own wants it: a bool */
bool rt_movers_rest(void); /* no move is queued or running */
void rt_mover_end(void);   /* all moves are done */
/* The calling thread may wait: a mover, or a thread of the application. */
bool rt_data_may_wait(void);

#endif
