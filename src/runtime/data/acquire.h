/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The application's turn at a handle: a job without a body in the order, that passes the gate,
 * fetches the value to a node, notifies the application, and ends when it is released.
 */
#ifndef WEFT_RUNTIME_DATA_ACQUIRE_H
#define WEFT_RUNTIME_DATA_ACQUIRE_H

#include "gate.h"
#include "replica.h"
#include "runtime/core/fiber.h"

enum { RT_A_NO_NODE = -1 };

struct rt_acquired {
	struct rt_acquired *next; /* of the handle */
	starpu_data_handle_t handle;
	struct rt_job *job; /* NULL: ended already */
	struct rt_claim claim;
	struct rt_want want;
	int node; /* RT_A_NO_NODE: nothing is moved, nothing pinned */
	uint32_t mode;
	enum starpu_is_prefetch kind; /* how urgently its value is to be moved */
	int priority;
	int rc;
	bool ours;                          /* the runtime's own: release does not find it */
	void (*then)(struct rt_acquired *); /* called when it is acquired; NULL: a thread waits */
	void (*callback)(void *);
	void (*told)(void *, int *node, enum starpu_data_access_mode mode);
	void *arg;
	long *number[2];          /* ids of its job, for the caller; stored at submission */
	struct rt_waiter *waiter; /* without a callback */
	bool counted_out;         /* waiting for all tasks does not wait for this one */
};

/*
 * All submitted jobs on it are done, and no other may touch it. NULL: on a worker, where waiting is
 * not possible.
 */
struct rt_acquired *rt_acquire_all(starpu_data_handle_t h, uint32_t last); /* last: 0, RT_LAST, or that with RT_OPEN */
/* Submits; `then` is called on some thread. 0 or negative. */
int rt_acquire_then(starpu_data_handle_t h, uint32_t mode, int node, void (*then)(struct rt_acquired *));
/* Fills what a submission needs; 0 or negative: then `a` is freed. */
int rt_acquire_submit(struct rt_acquired *a, bool ordered);
void rt_acquired_end(struct rt_acquired *a);
static inline starpu_data_handle_t rt_acquired_handle(const struct rt_acquired *a)
{
	return a->handle;
}

#endif
