/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues of tasks for policies; starpu_scheduler_toolbox.h is their face to programs. The caller
 * locks.
 *
 * A fifo also keeps the models' estimates of its tasks. A priority deque is an array of lists, one
 * for each priority that occurs, the highest first: a push is a binary search, with few priorities
 * nearly free.
 */
#ifndef WEFT_RUNTIME_SCHED_QUEUE_H
#define WEFT_RUNTIME_SCHED_QUEUE_H

#include <starpu.h>
#include <stdbool.h>
#include <starpu_scheduler_toolbox.h>

struct starpu_st_fifo_taskq {
	struct starpu_task_list tasks;
	unsigned n, n_processed;
	double exp_start, exp_end, exp_len, pipeline_len; /* microseconds */
	unsigned *n_by_priority;                          /* of the last query; owned */
	double *len_by_priority;
};

struct sched_bucket {
	int priority;
	struct starpu_task_list tasks;
};
struct starpu_st_prio_deque {
	struct sched_bucket *bucket; /* owned; highest first */
	unsigned n_buckets, cap, n;
};
typedef struct starpu_st_prio_deque sched_prio;

void sched_list_insert_after(struct starpu_task_list *l, struct starpu_task *at, struct starpu_task *t);
/* The first of a list that this worker may run; its first possible implementation is set. */
struct starpu_task *sched_take_first(struct starpu_task_list *l, unsigned worker);
/*
 * The first task that this worker may run, by priority; its first possible implementation is set.
 */
struct starpu_task *sched_prio_take(sched_prio *q, unsigned worker);
/* The same, and among equals the one with the most data at hand. */
struct starpu_task *sched_prio_take_ready(sched_prio *q, unsigned worker);

#endif
