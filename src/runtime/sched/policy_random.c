/* SPDX-License-Identifier: Apache-2.0 */
/* Each task to a worker by lot; a faster device draws more of them. */
#include "policies.h"

static void init(unsigned ctx)
{
	(void)ctx;
	starpu_srand48(starpu_getenv_number_default("STARPU_RAND_SEED", 0));
}

static void deinit(unsigned ctx)
{
	(void)ctx;
}

static int push(struct starpu_task *t)
{
	int *workers, able[STARPU_NMAXWORKERS];
	double weight[STARPU_NMAXWORKERS], sum = 0;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(t->sched_ctx, &workers), k = 0, impls[STARPU_NMAXWORKERS];
	for (unsigned i = 0; i < n; i++) {
		if (!starpu_worker_can_execute_task_first_impl((unsigned)workers[i], t, &impls[k]))
			continue;
		weight[k] = starpu_worker_get_relative_speedup(starpu_worker_get_perf_archtype(workers[i], t->sched_ctx));
		sum += weight[k];
		able[k++] = workers[i];
	}
	if (!k)
		return -1;
	double lot = starpu_drand48() * sum;
	unsigned i = 0;
	while (i + 1 < k && lot >= weight[i])
		lot -= weight[i++];
	starpu_sched_task_break(t);
	starpu_task_set_implementation(t, impls[i]);
	starpu_push_task_end(t);
	return starpu_push_local_task(able[i], t, 0);
}

/* All tasks are in the workers' own lists. */
static struct starpu_task *pop(unsigned ctx)
{
	(void)ctx;
	return NULL;
}

struct starpu_sched_policy policy_random = {
	.init_sched = init,
	.deinit_sched = deinit,
	.push_task = push,
	.pop_task = pop,
	.policy_name = "random",
	.policy_description = "a worker by lot, weighed by the speed of its kind",
	.worker_type = STARPU_WORKER_LIST,
};
