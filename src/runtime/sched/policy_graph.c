/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_test: tasks are held until the program calls starpu_do_schedule (as waiting for all does).
 * Then each gets as its priority the length of the longest path behind it in the graph, and workers
 * take them by that. Tasks submitted later are not held, until starpu_reset_scheduler.
 *
 * There are two queues, for CPUs and for other devices; a task goes to where models expect it to be
 * shorter. A worker whose queue has no task for it polls the other.
 */
#include "policies.h"
#include <math.h>
#include <stdlib.h>

enum { CPUS, OTHERS, KINDS };

struct graph {
	pthread_mutex_t lock;
	bool scheduled;
	struct starpu_task_list held;
	sched_prio queue[KINDS];
};

static unsigned kind_of(unsigned worker)
{
	return starpu_worker_get_type((int)worker) == STARPU_CPU_WORKER ? CPUS : OTHERS;
}

static void init(unsigned ctx)
{
	struct graph *g = calloc(1, sizeof *g);
	STARPU_ASSERT_MSG(g, "no memory for a scheduling policy");
	sched_short_lock(&g->lock);
	starpu_task_list_init(&g->held);
	for (unsigned i = 0; i < KINDS; i++)
		starpu_st_prio_deque_init(&g->queue[i]);
	starpu_sched_ctx_set_policy_data(ctx, g);
}

static void deinit(unsigned ctx)
{
	struct graph *g = starpu_sched_ctx_get_policy_data(ctx);
	for (unsigned i = 0; i < KINDS; i++)
		starpu_st_prio_deque_destroy(&g->queue[i]);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

/*
 * The queue where it is shorter; a task without an estimate goes to the CPUs, if they can run it.
 */
static unsigned where(struct starpu_task *t)
{
	double shortest[KINDS] = {INFINITY, INFINITY};
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(t->sched_ctx, &workers), impls;
	for (unsigned i = 0; i < n; i++) {
		unsigned kind = kind_of((unsigned)workers[i]);
		if (!starpu_worker_can_execute_task_impl((unsigned)workers[i], t, &impls))
			continue;
		for (unsigned impl = 0; impls >> impl; impl++)
			if (impls >> impl & 1) {
				double us = starpu_task_worker_expected_length(t, (unsigned)workers[i], t->sched_ctx, impl);
				shortest[kind] = fmin(shortest[kind], isnan(us) ? 0 : us);
			}
	}
	return shortest[OTHERS] < shortest[CPUS] ? OTHERS : CPUS;
}

static void enqueue(struct graph *g, struct starpu_task *t)
{
	starpu_st_prio_deque_push_back_task(&g->queue[where(t)], t);
}

static void wake_all(unsigned ctx)
{
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(ctx, &workers);
	for (unsigned i = 0; i < n; i++)
		sched_wake((unsigned)workers[i]);
}

static int push(struct starpu_task *t)
{
	struct graph *g = starpu_sched_ctx_get_policy_data(t->sched_ctx);
	pthread_mutex_lock(&g->lock);
	starpu_push_task_end(t);
	if (g->scheduled) {
		enqueue(g, t);
		sched_wake_idle(t->sched_ctx, t);
	} else {
		starpu_task_list_push_back(&g->held, t);
	}
	pthread_mutex_unlock(&g->lock);
	return 0;
}

static struct starpu_task *pop(unsigned ctx)
{
	struct graph *g = starpu_sched_ctx_get_policy_data(ctx);
	unsigned me = starpu_worker_get_id_check(), mine = kind_of(me);
	pthread_mutex_lock(&g->lock);
	struct starpu_task *t = sched_prio_take(&g->queue[mine], me);
	t = t ? t : sched_prio_take(&g->queue[1 - mine], me);
	pthread_mutex_unlock(&g->lock);
	if (t)
		starpu_sched_task_break(t);
	return t;
}

static void do_schedule(unsigned ctx)
{
	struct graph *g = starpu_sched_ctx_get_policy_data(ctx);
	struct starpu_task *t;
	pthread_mutex_lock(&g->lock);
	g->scheduled = true;
	sched_rank(&g->held);
	while ((t = starpu_task_list_pop_front(&g->held)))
		enqueue(g, t);
	pthread_mutex_unlock(&g->lock);
	wake_all(ctx);
}

static void reset(unsigned ctx)
{
	struct graph *g = starpu_sched_ctx_get_policy_data(ctx);
	pthread_mutex_lock(&g->lock);
	g->scheduled = false;
	pthread_mutex_unlock(&g->lock);
}

struct starpu_sched_policy policy_graph_test = {
	.init_sched = init,
	.deinit_sched = deinit,
	.push_task = push,
	.pop_task = pop,
	.do_schedule = do_schedule,
	.reset_scheduler = reset,
	.policy_name = "graph_test",
	.policy_description = "holds tasks until starpu_do_schedule, then runs them by their depth in the graph",
	.worker_type = STARPU_WORKER_LIST,
};
