/* SPDX-License-Identifier: Apache-2.0 */
/* A policy of the program's that runs tasks on two workers as one: a copy for each, behind a barrier. */
#include "starpu_check.h"
#include <starpu_scheduler.h>

static int n_ran, ranks;
static void both(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
	CHECK(starpu_combined_worker_get_size() == 2);
	__atomic_add_fetch(&n_ran, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&ranks, 1 + starpu_combined_worker_get_rank(), __ATOMIC_RELAXED);
}

static int pair; /* the two as one worker */
static unsigned n_pushed;
static int push(struct starpu_task *task)
{
	if (task->cl->type == STARPU_SEQ)
		return starpu_push_local_task(0, task, 0);
	if (n_pushed++ % 2)
		starpu_parallel_task_barrier_init(task, pair);
	else
		starpu_parallel_task_barrier_init_n(task, 2);
	for (int i = 0; i < 2; i++) {
		struct starpu_task *alias = starpu_task_dup(task);
		alias->destroy = 1;
		CHECK(starpu_push_local_task(i, alias, 0) == 0);
	}
	return 0;
}

static struct starpu_task *pop(unsigned sched_ctx_id)
{
	(void)sched_ctx_id;
	return NULL;
}

static void begin(unsigned sched_ctx_id)
{
	int members[] = {0, 1};
	(void)sched_ctx_id;
	pair = starpu_combined_worker_assign_workerid(2, members);
	CHECK(starpu_worker_is_combined_worker(pair));
}

static void end(unsigned sched_ctx_id)
{
	(void)sched_ctx_id;
}

int main(void)
{
	static struct starpu_sched_policy policy = {
		.init_sched = begin,
		.deinit_sched = end,
		.push_task = push,
		.pop_task = pop,
		.policy_name = "pairs",
		.policy_description = "each task on two workers",
		.worker_type = STARPU_WORKER_LIST,
	};
	static struct starpu_codelet spmd = {.cpu_funcs = {both}, .type = STARPU_SPMD, .max_parallelism = 2};
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = 0;
	conf.sched_policy = &policy;
	unsetenv("STARPU_SCHED");
	if (starpu_init(&conf))
		cannot_begin();
	for (int i = 0; i < 20; i++)
		CHECK(starpu_task_insert(&spmd, 0) == 0);
	CHECK(starpu_task_wait_for_all() == 0);
	starpu_shutdown();
	CHECK(n_pushed == 20);
	CHECK(n_ran == 40 && ranks == 60);
	return checks_failed();
}
