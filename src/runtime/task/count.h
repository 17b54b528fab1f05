/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever counts tasks (src/runtime/monitor) is told of each job at four stations, on whatever thread passes them. Unlike watchers
 * (watch.h) it gets jobs, and no clock is read unless it wants one: what is not counted costs nothing. One word is read while nobody
 * counts. Plain jobs are told when they are submitted and have run; while ready ones are counted, no codelet is plain.
 */
#ifndef WEFT_RUNTIME_TASK_COUNT_H
#define WEFT_RUNTIME_TASK_COUNT_H

#include "task.h"

struct rt_count_ops {
	void (*submitted)(struct rt_job *j);                         /* about to be: it is not ready before this returns */
	void (*refused)(struct rt_job *j);                           /* it was told as submitted, and has not been */
	void (*ready)(struct rt_job *j);                             /* of those that were submitted while rt_counts_ready() */
	void (*popped)(struct rt_job *j);                            /* a worker has it */
	bool (*wants_time)(void);                                    /* of the functions of tasks */
	void (*ran)(struct rt_job *j, unsigned worker, uint64_t ns); /* its function; ns is 0 when nobody wanted it */
	void (*waited)(void);                                        /* the thread has waited for tasks */
};
extern struct weft_atomic_ptr rt_counter; /* const struct rt_count_ops; NULL: nobody counts */
extern struct weft_atomic_bool rt_counter_wants_ready;

/* What this thread is submitting, from behind `submitted` on. */
extern _Thread_local RT_NEAR struct rt_job *rt_count_submitting;

static inline const struct rt_count_ops *rt_counts(void)
{
	return WEFT_UNLIKELY(weft_load_ptr(&rt_counter) != NULL) ? weft_load_ptr(&rt_counter) : NULL;
}
/* All tasks are to be placed jobs, of which it is known when they are ready. */
static inline bool rt_counts_ready(void)
{
	return rt_counts() && weft_load_bool(&rt_counter_wants_ready);
}
static inline void rt_count_waited(void)
{
	const struct rt_count_ops *c = rt_counts();
	if (c)
		c->waited();
}

/* From now on; NULL: nobody. A station that has begun may still tell it a moment later. */
void rt_count_by(const struct rt_count_ops *ops);
void rt_count_ready(bool wanted);

#endif
