/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs that wait in the middle: the worker goes on with other jobs on another stack, and comes back to this one when somebody
 * says so. A job always comes back on its own worker, so that what is bound to a thread stays true, and so that a job that is
 * told to go on before it has stopped needs no care: its worker looks only when it is back in its loop.
 *
 *     stack A   loop → run → body of X → rt_wait_for ──(switch)──┐              ┌──> goes on, returns to the loop on A
 *     stack B                                  loop → run → ... Y ... → body of "go on with X" (parked until A waits again)
 *
 * A thread that is no worker sleeps instead.
 *
 *     struct rt_waiter me;
 *     rt_waiter_init(&me, runtime);
 *     (make &me known to whoever is to call rt_go_on; it may do so at once)
 *     rt_wait_for(&me);
 */
#ifndef WEFT_RUNTIME_FIBER_H
#define WEFT_RUNTIME_FIBER_H

#include "core.h"

enum rt_may { RT_MAY_NOT, RT_MAY, RT_MAY_SLEEP }; /* not yet; it may go on; not yet, and whoever says so wakes it */

struct rt_waiter {
	struct rt_runtime *runtime;
	struct rt_worker *worker;   /* NULL: a thread of the application */
	struct rt_job *back;        /* the job that goes on with this one */
	struct weft_atomic_u32 may; /* enum rt_may: futex of a thread that is no worker */
	struct rt_waiter *next;     /* for whoever keeps lists of them */
	struct rt_context *context;
};
/* Never fails visibly: without memory for another stack the program cannot go on, and ends with a message. */
void rt_waiter_init(struct rt_waiter *me, struct rt_runtime *r);
void rt_wait_for(struct rt_waiter *me);
/* Instead of waiting, by one whom nobody will tell to go on. */
void rt_waiter_drop(struct rt_waiter *me);
/* Any thread, once for each rt_waiter_init; `w` may be gone when it returns. */
void rt_go_on(struct rt_waiter *w);
/*
 * Calls that wait do so in the middle of a job where the layer that runs it says that it may; else on threads of the application
 * only. `waits` stands for rt_wait_for there.
 */
struct rt_waits {
	bool (*may)(void);
	void (*waits)(struct rt_waiter *me);
};
void rt_waits_are(const struct rt_waits *layer); /* NULL: there is none */
bool rt_may_wait(void);
void rt_wait_here(struct rt_waiter *me);
/* Whether at least so many bytes of the calling thread's stack are left. On a worker. */
bool rt_stack_has(size_t bytes);
/* The size of further stacks, before the first is made. */
void rt_stack_set_size(size_t bytes);
/* Stacks of the calling worker, which ends. */
void rt_stacks_free(void);

/* Saves the caller's registers on its stack, whose top goes to `save`, and goes on where `to` was saved. */
void rt_switch(void **save, void *to);
/* As rt_switch would have left a stack that ends at `top`, on which `begin` is to be called: what to go on with. */
void *rt_stack_begin(char *top, void (*begin)(void));

#endif
