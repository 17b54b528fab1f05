/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph_test: tasks are held until the program says starpu_do_schedule (waiting for all says it too); then workers take them by
 * priority. What is submitted after that is not held, until starpu_reset_scheduler.
 */
#include "policies.h"
#include <stdlib.h>

struct graph {
	pthread_mutex_t lock;
	bool scheduled;
	struct starpu_task_list held;
	sched_prio queue;
};

static void init(unsigned ctx)
{
	struct graph *g = calloc(1, sizeof *g);
	STARPU_ASSERT_MSG(g, "no memory for a scheduling policy");
	pthread_mutex_init(&g->lock, NULL);
	starpu_task_list_init(&g->held);
	starpu_st_prio_deque_init(&g->queue);
	sched_any_priority(ctx);
	starpu_sched_ctx_set_policy_data(ctx, g);
}

static void deinit(unsigned ctx)
{
	struct graph *g = starpu_sched_ctx_get_policy_data(ctx);
	starpu_st_prio_deque_destroy(&g->queue);
	pthread_mutex_destroy(&g->lock);
	free(g);
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
	if (g->scheduled)
		starpu_st_prio_deque_push_back_task(&g->queue, t);
	else
		starpu_task_list_push_back(&g->held, t);
	starpu_push_task_end(t);
	if (g->scheduled)
		sched_wake_idle(t->sched_ctx, t);
	pthread_mutex_unlock(&g->lock);
	return 0;
}

static struct starpu_task *pop(unsigned ctx)
{
	struct graph *g = starpu_sched_ctx_get_policy_data(ctx);
	unsigned me = starpu_worker_get_id_check();
	pthread_mutex_lock(&g->lock);
	struct starpu_task *t = g->scheduled ? sched_prio_take(&g->queue, me) : NULL;
	pthread_mutex_unlock(&g->lock);
	return t;
}

static void do_schedule(unsigned ctx)
{
	struct graph *g = starpu_sched_ctx_get_policy_data(ctx);
	struct starpu_task *t;
	pthread_mutex_lock(&g->lock);
	g->scheduled = true;
	while ((t = starpu_task_list_pop_front(&g->held)))
		starpu_st_prio_deque_push_back_task(&g->queue, t);
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
	.policy_description = "holds tasks until starpu_do_schedule, then runs them by priority",
	.worker_type = STARPU_WORKER_LIST,
};
