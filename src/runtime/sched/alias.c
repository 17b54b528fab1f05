/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallel tasks as programs' own policies make them: starpu_parallel_task_barrier_init says how
 * many workers take part, then a copy of the task is pushed to each. The copies only name the
 * members: when the last one was pushed, the task itself is pushed to these workers as one (a
 * combined worker), and the copies are freed.
 */
#include "runtime/task/complain.h"
#include "sched.h"
#include <stdlib.h>

struct crew {
	int size, n;
	int member[STARPU_NMAXWORKERS];
};

void starpu_parallel_task_barrier_init_n(struct starpu_task *task, int worker_size)
{
	struct rt_task *own = rt_task_of(task);
	struct crew *c = own ? calloc(1, sizeof *c) : NULL;
	if (!c)
		rt_misuse("no memory for a parallel task");
	if (worker_size < 1 || (unsigned)worker_size > rt_machine.n_workers)
		rt_misuse("a parallel task for %d workers, and there are %u", worker_size, rt_machine.n_workers);
	free(own->parallel);
	c->size = worker_size;
	own->parallel = c;
}

void starpu_parallel_task_barrier_init(struct starpu_task *task, int workerid)
{
	int size = 1, *members;
	if (starpu_worker_is_combined_worker(workerid))
		starpu_combined_worker_get_description(workerid, &size, &members);
	starpu_parallel_task_barrier_init_n(task, size);
}

int rt_alias_push(struct starpu_task *alias, int worker)
{
	struct starpu_task *task = ((struct rt_task *)alias->starpu_private)->alias_of;
	struct rt_task *own = task->starpu_private;
	struct crew *c = own->parallel;
	c->member[c->n++] = worker;
	rt_task_free(alias);
	if (c->n < c->size)
		return 0;
	int as_one = c->size > 1 ? starpu_combined_worker_assign_workerid(c->size, c->member) : worker;
	return as_one < 0 ? as_one : starpu_push_local_task(as_one, task, 0);
}
