/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callbacks for counters of tasks (src/runtime/monitor): one subscriber, notified of each job at
 * four stations, on the thread that passes them. Unlike watchers (watch.h) it gets jobs, and no
 * clock is read unless it asks for one. Without a subscriber a station costs the read of one word.
 * Plain jobs are notified at submission and after their run; while ready jobs are counted, no
 * codelet is plain.
 */
#ifndef WEFT_RUNTIME_TASK_COUNT_H
#define WEFT_RUNTIME_TASK_COUNT_H

#include "task.h"

struct rt_count_ops {
	void (*submitted)(struct rt_job *j);                         /* before it may be ready */
	void (*refused)(struct rt_job *j);                           /* notified as submitted, but refused */
	void (*ready)(struct rt_job *j);                             /* of those that were submitted while rt_counts_ready() */
	void (*popped)(struct rt_job *j);                            /* a worker has it */
	bool (*wants_time)(void);                                    /* of the functions of tasks */
	void (*ran)(struct rt_job *j, unsigned worker, uint64_t ns); /* its function; ns is 0 when not asked for */
	void (*waited)(void);                                        /* the thread has waited for tasks */
};
extern struct weft_atomic_ptr rt_counter; /* const struct rt_count_ops; NULL: no subscriber */
extern struct weft_atomic_bool rt_counter_wants_ready;

/* The job that this thread is submitting, from behind `submitted` on. */
extern _Thread_local RT_NEAR struct rt_job *rt_count_submitting;

static inline const struct rt_count_ops *rt_counts(void)
{
	return WEFT_UNLIKELY(weft_load_ptr(&rt_counter) != NULL) ? weft_load_ptr(&rt_counter) : NULL;
}
/* All tasks are to be placed jobs, so that each passes the station "ready". */
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

/* Subscribes; NULL: unsubscribes. A station that has begun may still call it a moment later. */
void rt_count_by(const struct rt_count_ops *ops);
void rt_count_ready(bool wanted);

#endif
