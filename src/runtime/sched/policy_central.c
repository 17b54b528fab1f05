/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One queue for all workers of a context: prio by priority; eager in the order of arrival, but that
 * tasks more urgent than usual come first.
 */
#include "policies.h"
#include <stdlib.h>

struct central {
	pthread_mutex_t lock;
	sched_prio queue;                /* prio: all; eager: the urgent */
	struct starpu_task_list arrived; /* eager: the others */
};

static void init(unsigned ctx)
{
	struct central *c = calloc(1, sizeof *c);
	STARPU_ASSERT_MSG(c, "no memory for a scheduling policy");
	sched_short_lock(&c->lock);
	starpu_st_prio_deque_init(&c->queue);
	starpu_task_list_init(&c->arrived);
	starpu_sched_ctx_set_policy_data(ctx, c);
}

static void init_prio(unsigned ctx)
{
	init(ctx);
	sched_any_priority(ctx);
}

static void deinit(unsigned ctx)
{
	struct central *c = starpu_sched_ctx_get_policy_data(ctx);
	starpu_st_prio_deque_destroy(&c->queue);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static int push_prio(struct starpu_task *t)
{
	struct central *c = starpu_sched_ctx_get_policy_data(t->sched_ctx);
	pthread_mutex_lock(&c->lock);
	starpu_st_prio_deque_push_back_task(&c->queue, t);
	starpu_push_task_end(t);
	sched_wake_idle(t->sched_ctx, t);
	pthread_mutex_unlock(&c->lock);
	return 0;
}

static int push_eager(struct starpu_task *t)
{
	struct central *c = starpu_sched_ctx_get_policy_data(t->sched_ctx);
	pthread_mutex_lock(&c->lock);
	if (t->priority > 0)
		starpu_st_prio_deque_push_back_task(&c->queue, t);
	else
		starpu_task_list_push_back(&c->arrived, t);
	starpu_push_task_end(t);
	sched_wake_idle(t->sched_ctx, t);
	pthread_mutex_unlock(&c->lock);
	return 0;
}

static struct starpu_task *pop(unsigned ctx)
{
	struct central *c = starpu_sched_ctx_get_policy_data(ctx);
	unsigned worker = starpu_worker_get_id_check();
	pthread_mutex_lock(&c->lock);
	struct starpu_task *t = sched_prio_take(&c->queue, worker);
	t = t ? t : sched_take_first(&c->arrived, worker);
	pthread_mutex_unlock(&c->lock);
	if (t)
		starpu_sched_task_break(t);
	return t;
}

struct starpu_sched_policy policy_eager = {
	.init_sched = init,
	.deinit_sched = deinit,
	.push_task = push_eager,
	.pop_task = pop,
	.policy_name = "eager",
	.policy_description = "one queue, first come first served",
	.worker_type = STARPU_WORKER_LIST,
};

struct starpu_sched_policy policy_prio = {
	.init_sched = init_prio,
	.deinit_sched = deinit,
	.push_task = push_prio,
	.pop_task = pop,
	.policy_name = "prio",
	.policy_description = "one queue, by priority",
	.worker_type = STARPU_WORKER_LIST,
};
