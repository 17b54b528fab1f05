/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modular policies: each is a name, a decision, and flags for the components above and below
 * it, from which comp_make.c builds the tree when a context begins with that policy.
 */
#include "comp.h"

static void deinit(unsigned ctx)
{
	starpu_sched_tree_deinitialize(ctx);
}

#define MODULAR(ident, name, text, create, flags) \
	static void init_##ident(unsigned ctx) \
	{ \
		starpu_sched_component_initialize_simple_scheduler((starpu_sched_component_create_t)(void (*)(void))create, \
		                                                   NULL, flags, ctx); \
	} \
	struct starpu_sched_policy policy_##ident = { \
		.init_sched = init_##ident, \
		.deinit_sched = deinit, \
		.add_workers = starpu_sched_tree_add_workers, \
		.remove_workers = starpu_sched_tree_remove_workers, \
		.push_task = starpu_sched_tree_push_task, \
		.pop_task = starpu_sched_tree_pop_task, \
		.pre_exec_hook = starpu_sched_component_worker_pre_exec_hook, \
		.post_exec_hook = starpu_sched_component_worker_post_exec_hook, \
		.do_schedule = starpu_sched_tree_do_schedule, \
		.policy_name = name, \
		.policy_description = text, \
		.worker_type = STARPU_WORKER_LIST, \
	};

#define ABOVE STARPU_SCHED_SIMPLE_FIFO_ABOVE
#define ABOVE_PRIO (STARPU_SCHED_SIMPLE_FIFO_ABOVE | STARPU_SCHED_SIMPLE_FIFO_ABOVE_PRIO)
#define BELOW STARPU_SCHED_SIMPLE_FIFOS_BELOW
#define BELOW_PRIO (STARPU_SCHED_SIMPLE_FIFOS_BELOW | STARPU_SCHED_SIMPLE_FIFOS_BELOW_PRIO)
#define READY STARPU_SCHED_SIMPLE_FIFOS_BELOW_READY
#define IMPL STARPU_SCHED_SIMPLE_IMPL
#define MODEL STARPU_SCHED_SIMPLE_PERFMODEL
/* Also of a single worker or node: the decision estimates, or keeps tasks. */
#define WORKERS (STARPU_SCHED_SIMPLE_DECIDE_WORKERS | STARPU_SCHED_SIMPLE_DECIDE_ALWAYS)
#define NODES (STARPU_SCHED_SIMPLE_DECIDE_MEMNODES | STARPU_SCHED_SIMPLE_DECIDE_ALWAYS)
#define COMBINED STARPU_SCHED_SIMPLE_COMBINED_WORKERS
#define NOLIMIT STARPU_SCHED_SIMPLE_FIFOS_BELOW_NOLIMIT

MODULAR(modular_eager, "modular-eager", "eager from components", starpu_sched_component_eager_create, WORKERS | ABOVE | IMPL)
MODULAR(modular_eager_prio, "modular-eager-prio", "eager from components, by priority", starpu_sched_component_eager_prio_create,
        WORKERS | ABOVE_PRIO | IMPL)
MODULAR(modular_eager_prefetching, "modular-eager-prefetching", "eager from components, queues below fetch data ahead",
        starpu_sched_component_eager_create, WORKERS | ABOVE | BELOW | IMPL)
MODULAR(modular_gemm, "modular-gemm", "random for what is not modelled, mct for the rest", starpu_sched_component_mct_create,
        NODES | MODEL | ABOVE_PRIO | BELOW_PRIO | READY | IMPL)
MODULAR(modular_prio, "modular-prio", "one queue by priority, from components", starpu_sched_component_eager_prio_create,
        WORKERS | ABOVE_PRIO | IMPL)
MODULAR(modular_prio_prefetching, "modular-prio-prefetching", "one queue by priority, queues below fetch data ahead",
        starpu_sched_component_eager_prio_create, WORKERS | ABOVE_PRIO | BELOW_PRIO | IMPL)
MODULAR(modular_random, "modular-random", "random from components", starpu_sched_component_random_create,
        WORKERS | ABOVE | BELOW | NOLIMIT | IMPL)
MODULAR(modular_random_prio, "modular-random-prio", "random from components, by priority", starpu_sched_component_random_create,
        WORKERS | ABOVE_PRIO | BELOW_PRIO | NOLIMIT | IMPL)
MODULAR(modular_random_prefetching, "modular-random-prefetching", "random from components, queues below fetch data ahead",
        starpu_sched_component_random_create, WORKERS | ABOVE | BELOW | IMPL)
MODULAR(modular_random_prio_prefetching, "modular-random-prio-prefetching", "random by priority, queues below fetch data ahead",
        starpu_sched_component_random_create, WORKERS | ABOVE_PRIO | BELOW_PRIO | IMPL)
MODULAR(modular_ws, "modular-ws", "work stealing from components", starpu_sched_component_work_stealing_create, WORKERS | IMPL)
MODULAR(modular_dmda, "modular-dmda", "dmda from components", starpu_sched_component_mct_create,
        WORKERS | MODEL | BELOW | NOLIMIT | IMPL)
MODULAR(modular_dmdap, "modular-dmdap", "dmdap from components", starpu_sched_component_mct_create,
        WORKERS | MODEL | BELOW_PRIO | NOLIMIT | IMPL)
MODULAR(modular_dmdar, "modular-dmdar", "dmdar from components", starpu_sched_component_mct_create,
        WORKERS | MODEL | BELOW | READY | NOLIMIT | IMPL)
MODULAR(modular_dmdas, "modular-dmdas", "dmdas from components", starpu_sched_component_mct_create,
        WORKERS | MODEL | BELOW_PRIO | READY | NOLIMIT | IMPL)
MODULAR(modular_heft, "modular-heft", "the most urgent where it is done first", starpu_sched_component_heft_create,
        WORKERS | MODEL | ABOVE_PRIO | BELOW_PRIO | READY | IMPL)
MODULAR(modular_heft_prio, "modular-heft-prio", "the same, deciding by memory node", starpu_sched_component_mct_create,
        NODES | MODEL | ABOVE_PRIO | BELOW_PRIO | READY | IMPL)
MODULAR(modular_heft2, "modular-heft2", "the same with queues that are not bounded", starpu_sched_component_heft_create,
        WORKERS | MODEL | ABOVE_PRIO | BELOW_PRIO | NOLIMIT | IMPL)
MODULAR(modular_heteroprio, "modular-heteroprio", "to the device that is much better at it, else where it is done first",
        starpu_sched_component_heteroprio_create, WORKERS | MODEL | ABOVE_PRIO | BELOW_PRIO | IMPL)
MODULAR(modular_heteroprio_heft, "modular-heteroprio-heft", "heteroprio, queues that are not bounded",
        starpu_sched_component_heteroprio_create, WORKERS | MODEL | ABOVE_PRIO | BELOW_PRIO | NOLIMIT | IMPL)

MODULAR(modular_parallel_heft, "modular-parallel-heft", "heft over workers and combinations of them",
        starpu_sched_component_heft_create, WORKERS | ABOVE_PRIO | BELOW_PRIO | IMPL | COMBINED)
MODULAR(modular_parallel_random, "modular-parallel-random", "random over workers and combinations of them",
        starpu_sched_component_random_create, WORKERS | ABOVE | BELOW | IMPL | COMBINED)
MODULAR(modular_parallel_random_prio, "modular-parallel-random-prio", "the same by priority",
        starpu_sched_component_random_create, WORKERS | ABOVE_PRIO | BELOW_PRIO | IMPL | COMBINED)
