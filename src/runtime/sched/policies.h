/* SPDX-License-Identifier: Apache-2.0 */
/* The policies, each a struct starpu_sched_policy, and what they share. */
#ifndef WEFT_RUNTIME_SCHED_POLICIES_H
#define WEFT_RUNTIME_SCHED_POLICIES_H

#include "sched.h"
#include "sched_queue.h"

extern struct starpu_sched_policy policy_lws, policy_ws, policy_eager, policy_prio, policy_random, policy_dm, policy_dmda,
	policy_dmdap, policy_dmdar, policy_dmdas, policy_dmdasd, policy_peager, policy_pheft, policy_heteroprio,
	policy_graph_test;
extern struct starpu_sched_policy policy_modular_eager, policy_modular_eager_prio, policy_modular_eager_prefetching,
	policy_modular_gemm, policy_modular_prio, policy_modular_prio_prefetching, policy_modular_random,
	policy_modular_random_prio, policy_modular_random_prefetching, policy_modular_random_prio_prefetching, policy_modular_ws,
	policy_modular_dmda, policy_modular_dmdap, policy_modular_dmdar, policy_modular_dmdas, policy_modular_heft,
	policy_modular_heft_prio, policy_modular_heft2, policy_modular_heteroprio, policy_modular_heteroprio_heft,
	policy_modular_parallel_heft, policy_modular_parallel_random, policy_modular_parallel_random_prio;

/*
 * Wakes a worker of this context that has polled in vain and may run the task. The caller still has
 * the lock of the queue into which it has put the task: so the task cannot be freed, and each
 * worker that has polled in vain is marked as idle.
 */
static inline void sched_wake_idle(unsigned ctx, struct starpu_task *t)
{
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(ctx, &workers);
	for (unsigned i = 0; i < n; i++)
		if (!weft_load_bool(&sched_workers[workers[i]].poked) &&
		    starpu_worker_can_execute_task_first_impl((unsigned)workers[i], t, NULL)) {
			sched_wake((unsigned)workers[i]);
			return;
		}
}

/* Policies set the range of priorities that they distinguish, unless the program has set one. */
static inline void sched_priorities(unsigned ctx, int min, int max)
{
	if (!starpu_sched_ctx_min_priority_is_set(ctx))
		starpu_sched_ctx_set_min_priority(ctx, min);
	if (!starpu_sched_ctx_max_priority_is_set(ctx))
		starpu_sched_ctx_set_max_priority(ctx, max);
}
static inline void sched_any_priority(unsigned ctx)
{
	sched_priorities(ctx, INT_MIN, INT_MAX);
}

#endif
