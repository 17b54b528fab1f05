/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modular schedulers: trees of components, tasks go down by push and pull.
 *
 *     push_task(c, t)   take it, or refuse (not 0): then it stays with who has it
 *     pull_task(c, to)  a task for the component `to`, which is below: from c itself, or from what is above c
 *     can_pull(c)       there is something at c or above: what is below may pull
 *     can_push(c, to)   there is room in `to` below c: c may push
 *
 * Queues are fifo and prio; decisions (mct, random…) push what they pull from above; the others pass on. All of a tree runs
 * under one lock of its context: a decision looks at all of the tree anyway, and takes longer than the lock.
 */
#ifndef WEFT_RUNTIME_SCHED_COMP_H
#define WEFT_RUNTIME_SCHED_COMP_H

#include "policies.h"
#include <starpu_sched_component.h>

/* A component with everything as usual; `data` is owned when `deinit` frees it. */
struct starpu_sched_component *comp_new(struct starpu_sched_tree *tree, const char *name, size_t data_bytes);
void comp_free_data(struct starpu_sched_component *c);

/* For decisions: pulls from above and pushes by `c->push_task` until one is refused, which goes back. True: something was pushed. */
int comp_pump(struct starpu_sched_component *c);
/* What a decision's pull, can_pull and can_push are. */
struct starpu_task *comp_decision_pull(struct starpu_sched_component *c, struct starpu_sched_component *to);
int comp_decision_can_pull(struct starpu_sched_component *c);
int comp_decision_can_push(struct starpu_sched_component *c, struct starpu_sched_component *to);
/* A refused task goes back to the queue that it came from, to the front. */
int comp_give_back(struct starpu_sched_component *c, struct starpu_task *t);

/* Does the program's own component push what a queue above it has as it decides? Then a queue below does not pull through it. */
bool comp_is_programs_decision(const struct starpu_sched_component *c);

/* Takes the tasks that nobody below may run any more out of a queue's, a work stealing's, a leaf's own, to the end of `out`. */
void comp_queue_strand(struct starpu_sched_component *c, struct starpu_task_list *out);
void comp_ws_strand(struct starpu_sched_component *c, struct starpu_task_list *out);
void comp_leaf_strand(struct starpu_sched_component *c, struct starpu_task_list *out);

/* The first and the last of the inner ones of a composed component; of any other, itself. */
struct starpu_sched_component *comp_top(struct starpu_sched_component *c);
struct starpu_sched_component *comp_bottom(struct starpu_sched_component *c);

/* Are all workers of a leaf in its tree? Those of a combined one are several. */
bool comp_leaf_in_ctx(const struct starpu_sched_component *c);

int comp_child_of_caller(const struct starpu_sched_component *c); /* the child above the calling worker, or -1 */

/* The lock of a context's tree, for who comes in from outside. */
void comp_lock(unsigned ctx);
void comp_unlock(unsigned ctx);

/* Is it of the kind that pushes like this? */
bool comp_is(const struct starpu_sched_component *c, int (*push)(struct starpu_sched_component *, struct starpu_task *));

#endif
