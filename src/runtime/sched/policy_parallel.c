/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Policies for parallel tasks: peager gives a task to the largest combination of the worker that
 * polls for it; pheft to the combination (or worker) where models expect it to be done first. Tasks
 * of one worker go as with eager.
 */
#include "policies.h"
#include <math.h>
#include <stdlib.h>

struct parallel {
	pthread_mutex_t lock;
	sched_prio urgent; /* peager: before what has arrived */
	struct starpu_task_list arrived;
	double free_at[STARPU_NMAXWORKERS]; /* pheft: when each worker is expected to be */
};

static void init(unsigned ctx)
{
	struct parallel *p = calloc(1, sizeof *p);
	STARPU_ASSERT_MSG(p, "no memory for a scheduling policy");
	sched_short_lock(&p->lock);
	starpu_st_prio_deque_init(&p->urgent);
	starpu_task_list_init(&p->arrived);
	starpu_sched_find_all_worker_combinations();
	starpu_sched_ctx_set_policy_data(ctx, p);
}

static void deinit(unsigned ctx)
{
	struct parallel *p = starpu_sched_ctx_get_policy_data(ctx);
	starpu_st_prio_deque_destroy(&p->urgent);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static int push_eager(struct starpu_task *t)
{
	struct parallel *p = starpu_sched_ctx_get_policy_data(t->sched_ctx);
	pthread_mutex_lock(&p->lock);
	if (t->priority > 0)
		starpu_st_prio_deque_push_back_task(&p->urgent, t);
	else
		starpu_task_list_push_back(&p->arrived, t);
	starpu_push_task_end(t);
	sched_wake_idle(t->sched_ctx, t);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

/*
 * The largest combination that this worker is of and that may run the task; the worker itself when
 * there is none.
 */
static int largest_of(unsigned worker, struct starpu_task *t)
{
	int best = (int)worker, best_size = 1, size, *members;
	for (unsigned i = 0; i < starpu_combined_worker_get_count(); i++) {
		int id = (int)(starpu_worker_get_count() + i);
		if (starpu_combined_worker_get_description(id, &size, &members) || size <= best_size)
			continue;
		bool mine = false;
		for (int k = 0; k < size; k++)
			mine = mine || members[k] == (int)worker;
		if (mine && starpu_combined_worker_can_execute_task((unsigned)id, t, 0)) {
			best = id;
			best_size = size;
		}
	}
	return best;
}

static struct starpu_task *pop_eager(unsigned ctx)
{
	struct parallel *p = starpu_sched_ctx_get_policy_data(ctx);
	unsigned me = starpu_worker_get_id_check();
	pthread_mutex_lock(&p->lock);
	struct starpu_task *t = sched_prio_take(&p->urgent, me);
	t = t ? t : sched_take_first(&p->arrived, me);
	pthread_mutex_unlock(&p->lock);
	if (t)
		starpu_sched_task_break(t);
	int to = t && t->cl && t->cl->type != STARPU_SEQ ? largest_of(me, t) : (int)me;
	if (to == (int)me)
		return t;
	starpu_push_local_task(to, t, 0);
	return NULL;
}

/* -- pheft -- */

static double end_on(struct parallel *p, unsigned id, struct starpu_task *t, double now, double *length)
{
	int size = 1, one = (int)id, *members = &one;
	if (starpu_worker_is_combined_worker((int)id))
		starpu_combined_worker_get_description((int)id, &size, &members);
	double start = now;
	for (int i = 0; i < size; i++)
		start = fmax(start, p->free_at[members[i]]);
	*length = starpu_task_expected_length(t, starpu_worker_get_perf_archtype((int)id, t->sched_ctx), 0);
	return start + (isnan(*length) ? 0 : *length);
}

static void init_heft(unsigned ctx)
{
	init(ctx);
	sched_priorities(ctx, 0, 1);
}

static int push_heft(struct starpu_task *t)
{
	struct parallel *p = starpu_sched_ctx_get_policy_data(t->sched_ctx);
	unsigned n = starpu_worker_get_count() + starpu_combined_worker_get_count(), impl = 0;
	double now = starpu_timing_now(), earliest = INFINITY, best_length = 0;
	int best = -1, unknown = -1;
	pthread_mutex_lock(&p->lock);
	for (unsigned id = 0; id < n; id++) {
		double length;
		bool able = id < starpu_worker_get_count() ? starpu_worker_can_execute_task_first_impl(id, t, &impl)
		                                           : starpu_combined_worker_can_execute_task(id, t, 0);
		if (!able)
			continue;
		double end = end_on(p, id, t, now, &length);
		unknown = isnan(length) ? (int)id : unknown;
		if (end < earliest) {
			earliest = end;
			best = (int)id;
			best_length = length;
		}
	}
	/* Unknown lengths are learnt, the largest combination first. */
	best = unknown >= 0 ? unknown : best;
	if (best >= 0) {
		int size = 1, one = best, *members = &one;
		if (starpu_worker_is_combined_worker(best))
			starpu_combined_worker_get_description(best, &size, &members);
		for (int i = 0; i < size; i++)
			p->free_at[members[i]] = earliest;
		t->predicted = isnan(best_length) ? 0 : best_length;
	}
	pthread_mutex_unlock(&p->lock);
	starpu_sched_task_break(t);
	starpu_push_task_end(t);
	return best < 0 ? -1 : starpu_push_local_task(best, t, 0);
}

static struct starpu_task *pop_none(unsigned ctx)
{
	(void)ctx;
	return NULL;
}

struct starpu_sched_policy policy_peager = {
	.init_sched = init,
	.deinit_sched = deinit,
	.push_task = push_eager,
	.pop_task = pop_eager,
	.policy_name = "peager",
	.policy_description = "eager, parallel tasks on the largest combination of workers",
	.worker_type = STARPU_WORKER_LIST,
};

struct starpu_sched_policy policy_pheft = {
	.init_sched = init_heft,
	.deinit_sched = deinit,
	.push_task = push_heft,
	.pop_task = pop_none,
	.policy_name = "pheft",
	.policy_description = "parallel tasks on the combination of workers where they are expected to be done first",
	.worker_type = STARPU_WORKER_LIST,
};
