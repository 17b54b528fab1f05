/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A queue for each worker; a worker whose queue is empty steals. ws steals from any worker, lws
 * from neighbours first. A task goes to the worker that made it ready, else to the workers in turn.
 * This is the way for tasks; alone, both run in the core's loop, on jobs.
 */
#include "policies.h"
#include "runtime/core/life_detail.h"
#include <stdlib.h>

struct stealing {
	struct {
		pthread_mutex_t lock;
		sched_prio queue;
		struct weft_atomic_u32 n;
	} of[STARPU_NMAXWORKERS];
	struct weft_atomic_u32 turn;
	bool neighbours;
};

static void init_as(unsigned ctx, bool neighbours)
{
	struct stealing *s = calloc(1, sizeof *s);
	STARPU_ASSERT_MSG(s, "no memory for a scheduling policy");
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++)
		sched_short_lock(&s->of[i].lock);
	s->neighbours = neighbours;
	sched_any_priority(ctx);
	starpu_sched_ctx_set_policy_data(ctx, s);
}
static void init_ws(unsigned ctx)
{
	init_as(ctx, false);
}
static void init_lws(unsigned ctx)
{
	init_as(ctx, true);
}

static void deinit(unsigned ctx)
{
	struct stealing *s = starpu_sched_ctx_get_policy_data(ctx);
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++) {
		starpu_st_prio_deque_destroy(&s->of[i].queue);
		pthread_mutex_destroy(&s->of[i].lock);
	}
	free(s);
}

static int whose(struct stealing *s, struct starpu_task *t)
{
	int *workers, me = starpu_worker_get_id();
	unsigned n = starpu_sched_ctx_get_workers_list_raw(t->sched_ctx, &workers);
	if (me >= 0 && starpu_worker_can_execute_task_first_impl((unsigned)me, t, NULL))
		return me;
	unsigned from = weft_add_u32(&s->turn, 1);
	for (unsigned i = 0; i < n; i++)
		if (starpu_worker_can_execute_task_first_impl((unsigned)workers[(from + i) % n], t, NULL))
			return workers[(from + i) % n];
	return -1;
}

static int push(struct starpu_task *t)
{
	struct stealing *s = starpu_sched_ctx_get_policy_data(t->sched_ctx);
	int worker = whose(s, t);
	if (worker < 0)
		return -1;
	pthread_mutex_lock(&s->of[worker].lock);
	starpu_st_prio_deque_push_back_task(&s->of[worker].queue, t);
	weft_add_u32(&s->of[worker].n, 1);
	starpu_push_task_end(t);
	sched_wake((unsigned)worker);
	sched_wake_idle(t->sched_ctx, t);
	pthread_mutex_unlock(&s->of[worker].lock);
	return 0;
}

/* For `me`, from the queue of `worker`. */
static struct starpu_task *take_from(struct stealing *s, unsigned worker, unsigned me)
{
	pthread_mutex_lock(&s->of[worker].lock);
	struct starpu_task *t = NULL;
	if (weft_load_u32(&s->of[worker].n))
		t = sched_prio_take(&s->of[worker].queue, me);
	if (t)
		weft_add_u32(&s->of[worker].n, -UINT32_C(1));
	pthread_mutex_unlock(&s->of[worker].lock);
	return t;
}

static struct starpu_task *pop(unsigned ctx)
{
	struct stealing *s = starpu_sched_ctx_get_policy_data(ctx);
	unsigned me = starpu_worker_get_id_check(), rank = 0;
	struct starpu_task *t = take_from(s, me, me);
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(ctx, &workers);
	while (rank < n && workers[rank] != (int)me)
		rank++;
	unsigned from = s->neighbours ? rank + 1 : weft_add_u32(&s->turn, 1);
	for (unsigned i = 0; i < n && !t; i++) {
		int victim = workers[(from + i) % n];
		if (victim == (int)me)
			continue;
		t = take_from(s, (unsigned)victim, me);
		if (t && rt_traced_in_detail())
			weft_point(rt_detail.stolen, victim);
	}
	if (t)
		starpu_sched_task_break(t);
	return t;
}

static struct starpu_task *take_any(struct stealing *s, unsigned worker)
{
	pthread_mutex_lock(&s->of[worker].lock);
	struct starpu_task *t = starpu_st_prio_deque_pop_task(&s->of[worker].queue);
	if (t)
		weft_add_u32(&s->of[worker].n, -UINT32_C(1));
	pthread_mutex_unlock(&s->of[worker].lock);
	return t;
}

/* No worker steals from one that has left: its tasks go to the others. */
static void remove_workers(unsigned ctx, int *workers, unsigned n)
{
	struct stealing *s = starpu_sched_ctx_get_policy_data(ctx);
	struct starpu_task *t;
	for (unsigned i = 0; i < n; i++)
		while ((t = take_any(s, (unsigned)workers[i])))
			sched_push_again(t);
}

struct starpu_sched_policy policy_ws = {
	.init_sched = init_ws,
	.deinit_sched = deinit,
	.push_task = push,
	.pop_task = pop,
	.remove_workers = remove_workers,
	.policy_name = "ws",
	.policy_description = "a queue for each worker, stealing from anybody",
	.worker_type = STARPU_WORKER_LIST,
};

struct starpu_sched_policy policy_lws = {
	.init_sched = init_lws,
	.deinit_sched = deinit,
	.push_task = push,
	.pop_task = pop,
	.remove_workers = remove_workers,
	.policy_name = "lws",
	.policy_description = "a queue for each worker, stealing from neighbours first",
	.worker_type = STARPU_WORKER_TREE,
};
