/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of handles: cut at once (partition.c), or planned and switched by tasks (plan.c). */
#ifndef WEFT_RUNTIME_DATA_PARTITION_H
#define WEFT_RUNTIME_DATA_PARTITION_H

#include "replica.h"

/* One part, with an interface on each node; `tasks` may not use it yet. */
starpu_data_handle_t rt_part_new(starpu_data_handle_t parent, struct starpu_data_filter *f, unsigned i, unsigned n);
unsigned rt_part_count(starpu_data_handle_t parent, struct starpu_data_filter *f);
/*
 * With rt_data.lock, which these let go while they wait. The value, and memory for it, on the node;
 * 0 or negative.
 */
int rt_part_gather(starpu_data_handle_t h, unsigned node);
/*
 * The value leaves all other nodes, and this one, too, if the handle has none any more: then its
 * memory there is another handle's.
 */
void rt_part_leave(starpu_data_handle_t h, unsigned node, bool has_value);
/* handle.c */
starpu_data_handle_t rt_handle_new(struct starpu_data_interface_ops *ops);
void rt_handle_destroy(starpu_data_handle_t h);

/*
 * The hooks of the order: a job touches a handle with plans, or a part of one. No plan is changed
 * until it has its place.
 */
int rt_plan_hook(struct rt_submitter *s, struct rt_job *j);
void rt_plan_hook_end(void);
/*
 * The plan by whose parts tasks use the handle now, as far as they are submitted; NULL: they use
 * the whole.
 */
const struct rt_plan *rt_plan_in_parts(starpu_data_handle_t h);
void rt_plans_forget(starpu_data_handle_t h); /* it is destroyed */
void rt_plans_close(starpu_data_handle_t h);  /* it is about to be unregistered: whole again */

#endif
