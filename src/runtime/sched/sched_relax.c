/* SPDX-License-Identifier: Apache-2.0 */
/*
 * StarPU's states of workers by which policies may inspect each other while they schedule. Ours
 * never hold a worker's lock while a policy runs, so that being relaxed is a state that is only
 * stored; the locks are real ones, for policies that rely on them. Also callbacks of idle workers,
 * and prefetching for a task.
 */
#include "sched.h"
#include "runtime/task/break.h"
#include "runtime/data/data.h"
#include <errno.h>

static _Thread_local int relaxed;
static pthread_mutex_t locks[STARPU_NMAXWORKERS] = {[0 ... STARPU_NMAXWORKERS - 1] = PTHREAD_MUTEX_INITIALIZER};

void starpu_worker_relax_on(void)
{
	relaxed++;
}

void starpu_worker_relax_off(void)
{
	relaxed -= relaxed > 0;
}

int starpu_worker_get_relax_state(void)
{
	return relaxed > 0;
}

int starpu_worker_sched_op_pending(void)
{
	return 0;
}

void starpu_worker_lock(int workerid)
{
	pthread_mutex_lock(&locks[workerid]);
}

int starpu_worker_trylock(int workerid)
{
	return pthread_mutex_trylock(&locks[workerid]);
}

void starpu_worker_unlock(int workerid)
{
	pthread_mutex_unlock(&locks[workerid]);
}

void starpu_worker_lock_self(void)
{
	starpu_worker_lock(starpu_worker_get_id());
}

void starpu_worker_unlock_self(void)
{
	starpu_worker_unlock(starpu_worker_get_id());
}

unsigned starpu_worker_is_blocked_in_parallel(int workerid)
{
	return sched_party_holds((unsigned)workerid);
}

unsigned starpu_worker_is_slave_somewhere(int workerid)
{
	return starpu_worker_is_sub_worker_somewhere(workerid);
}

unsigned starpu_worker_is_sub_worker_somewhere(int workerid)
{
	for (unsigned i = 1; i < STARPU_NMAX_SCHED_CTXS; i++)
		if (sched_ctx(i) && !sched_ctxs[i].policy && starpu_sched_ctx_contains_worker(workerid, i) &&
		    (int)sched_ctxs[i].primary != workerid)
			return 1;
	return 0;
}

/* From 1 on, for as long as the task exists. */
unsigned long starpu_task_get_job_id(struct starpu_task *task)
{
	struct rt_task *own = rt_task_of(task);
	return own ? rt_task_number(own) : 0;
}

void starpu_sched_task_break(struct starpu_task *task)
{
	const struct rt_task *own = task->starpu_private;
	if (own && own->job)
		rt_break_on(RT_BREAK_SCHED, own->job);
}

/* -- data ahead of a task -- */

static int prefetch(struct starpu_task *t, unsigned node, enum starpu_is_prefetch kind, int prio)
{
	int n = STARPU_TASK_GET_NBUFFERS(t);
	const struct rt_task *own = rt_task_of(t);
	struct rt_prefetch how = {.kind = kind, .priority = prio, .task = own && own->job ? rt_job_ref(own->job) : 0};
	if (node >= starpu_memory_nodes_get_count())
		return -EINVAL;
	for (int i = 0; i < n; i++)
		if (STARPU_TASK_GET_MODE(t, i) & STARPU_R)
			rt_data_prefetch_handle(STARPU_TASK_GET_HANDLE(t, i), node, &how);
	return 0;
}

#define PREFETCH(name, kind) \
	int starpu_##name##_task_input_on_node_prio(struct starpu_task *task, unsigned node, int prio) \
	{ \
		return prefetch(task, node, kind, prio); \
	} \
	int starpu_##name##_task_input_on_node(struct starpu_task *task, unsigned node) \
	{ \
		return prefetch(task, node, kind, task->priority); \
	} \
	int starpu_##name##_task_input_for_prio(struct starpu_task *task, unsigned worker, int prio) \
	{ \
		return prefetch(task, starpu_worker_get_memory_node(worker), kind, prio); \
	} \
	int starpu_##name##_task_input_for(struct starpu_task *task, unsigned worker) \
	{ \
		return prefetch(task, starpu_worker_get_memory_node(worker), kind, task->priority); \
	}
PREFETCH(prefetch, STARPU_PREFETCH)
PREFETCH(idle_prefetch, STARPU_IDLEFETCH)
