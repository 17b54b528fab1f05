/* SPDX-License-Identifier: Apache-2.0 */
/* One queue for all workers of a context: eager in the order of arrival, prio by priority. */
#include "policies.h"
#include <stdlib.h>

struct central {
	pthread_mutex_t lock;
	sched_prio queue;                /* prio */
	struct starpu_task_list arrived; /* eager */
};

static void init(unsigned ctx)
{
	struct central *c = calloc(1, sizeof *c);
	STARPU_ASSERT_MSG(c, "no memory for a scheduling policy");
	pthread_mutex_init(&c->lock, NULL);
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
	starpu_task_list_push_back(&c->arrived, t);
	starpu_push_task_end(t);
	sched_wake_idle(t->sched_ctx, t);
	pthread_mutex_unlock(&c->lock);
	return 0;
}

static struct starpu_task *first_arrived(struct central *c, unsigned worker)
{
	unsigned impl;
	for (struct starpu_task *t = starpu_task_list_front(&c->arrived); t; t = t->next)
		if (starpu_worker_can_execute_task_first_impl(worker, t, &impl)) {
			starpu_task_set_implementation(t, impl);
			starpu_task_list_erase(&c->arrived, t);
			return t;
		}
	return NULL;
}

static struct starpu_task *pop(unsigned ctx)
{
	struct central *c = starpu_sched_ctx_get_policy_data(ctx);
	unsigned worker = starpu_worker_get_id_check();
	pthread_mutex_lock(&c->lock);
	struct starpu_task *t = sched_prio_take(&c->queue, worker);
	t = t ? t : first_arrived(c, worker);
	pthread_mutex_unlock(&c->lock);
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
