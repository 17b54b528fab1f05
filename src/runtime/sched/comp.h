/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modular schedulers: trees of components, tasks go down by push and pull.
 *
 *     push_task(c, t)   accept it, or refuse (not 0): then it stays with the caller
 *     pull_task(c, to)  a task for the component `to`, which is below: from c itself, or from a component above c
 *     can_pull(c)       there are tasks at c or above: components below may pull
 *     can_push(c, to)   there is room in `to` below c: c may push
 *
 * Queues are fifo and prio; decisions (mct, random…) push what they pull from above; the others
 * pass on. All of a tree runs under one lock of its context: a decision looks at all of the tree
 * anyway, and takes longer than the lock.
 */
#ifndef WEFT_RUNTIME_SCHED_COMP_H
#define WEFT_RUNTIME_SCHED_COMP_H

#include "policies.h"
#include "runtime/core/life_detail.h"
#include <starpu_sched_component.h>

/* A component with all defaults; `data` is owned when `deinit` frees it. */
struct starpu_sched_component *comp_new(struct starpu_sched_tree *tree, const char *name, size_t data_bytes);
void comp_free_data(struct starpu_sched_component *c);

/*
 * For decisions: pulls from above and pushes by `c->push_task` until one is refused, which goes
 * back. True: a task was pushed.
 */
int comp_pump(struct starpu_sched_component *c);
/* A decision's pull, can_pull and can_push. */
struct starpu_task *comp_decision_pull(struct starpu_sched_component *c, struct starpu_sched_component *to);
int comp_decision_can_pull(struct starpu_sched_component *c);
int comp_decision_can_push(struct starpu_sched_component *c, struct starpu_sched_component *to);
/* A refused task goes back to the queue that it came from, to the front. */
int comp_give_back(struct starpu_sched_component *c, struct starpu_task *t);

/*
 * The program's own component decides about tasks of a queue above it: then a queue below does not
 * pull through it.
 */
bool comp_is_programs_decision(const struct starpu_sched_component *c);

/*
 * Moves the tasks that no worker below may run any more from a queue's, a work stealing's, a leaf's
 * own to the end of `out`.
 */
void comp_queue_strand(struct starpu_sched_component *c, struct starpu_task_list *out);
void comp_ws_strand(struct starpu_sched_component *c, struct starpu_task_list *out);
void comp_leaf_strand(struct starpu_sched_component *c, struct starpu_task_list *out);

/* The first and the last of the inner ones of a composed component; of any other, itself. */
struct starpu_sched_component *comp_top(struct starpu_sched_component *c);
struct starpu_sched_component *comp_bottom(struct starpu_sched_component *c);

/* All workers of a leaf are in its tree; a combined one has several. */
bool comp_leaf_in_ctx(const struct starpu_sched_component *c);

int comp_child_of_caller(const struct starpu_sched_component *c); /* the child above the calling worker, or -1 */

/* The lock of a context's tree, for calls from outside. */
void comp_lock(unsigned ctx);
void comp_unlock(unsigned ctx);

/* comp_trace.c: for the trace: which components there are; a task goes on, down (push) or as somebody asks (pull); NULL: from outside. */
void comp_trace_tree(const struct starpu_sched_component *root);
void comp_trace_move(weft_region how, const struct starpu_sched_component *from, const struct starpu_sched_component *to,
                     struct starpu_task *t);

/* Its kind is the one that pushes like this. */
bool comp_is(const struct starpu_sched_component *c, int (*push)(struct starpu_sched_component *, struct starpu_task *));

#endif
