/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policies by performance models: each task goes to the worker where it is expected to be done
 * first.
 *
 *     cost = alpha (end there - earliest end anywhere) + beta (transfer of data) + gamma (energy, with what others burn idle)
 *
 * dm leaves data and energy out; dmda counts them. The queue of a worker is by arrival (dm, dmda),
 * by priority (dmdap, dmdas, dmdasd), or by data at hand (dmdar; among equals: dmdas, dmdasd).
 * dmdasd also decides by priority: only tasks that would come before count. Where a model has no
 * estimate yet, the task goes to those workers in turn, so that the model learns; without a model
 * to the shortest queue.
 */
#include "policies.h"
#include "runtime/task/complain.h"
#include "sched_knobs.h"
#include <math.h>
#include <stdlib.h>

enum { WITH_DATA = 1, SORTED = 2, READY = 4, DECIDE_BY_PRIORITY = 8, READY_FIRST = 16 };

struct dm_worker {
	pthread_mutex_t lock;
	struct starpu_st_fifo_taskq queue;
	struct sched_instant end; /* of the running task */
};
struct dm {
	unsigned how;
	double alpha, beta, gamma, idle_power;
	const struct sched_knobs *knobs; /* factors of these */
	pthread_mutex_t push;            /* decisions one by one: each sees the result of the last */
	struct dm_worker of[STARPU_NMAXWORKERS];
};

static void init_as(unsigned ctx, unsigned how)
{
	struct dm *d = calloc(1, sizeof *d);
	STARPU_ASSERT_MSG(d, "no memory for a scheduling policy");
	d->how = how;
	d->knobs = sched_knobs_in(ctx);
	d->alpha = rt_env_factor("STARPU_SCHED_ALPHA", 1.0F);
	d->beta = rt_env_factor("STARPU_SCHED_BETA", 1.0F);
	d->gamma = how & WITH_DATA ? rt_env_factor("STARPU_SCHED_GAMMA", 1000.0F) : 0;
	d->idle_power = rt_env_factor("STARPU_IDLE_POWER", 0.0F);
	if (starpu_getenv_number_default("STARPU_SCHED_FIFO_READY_FIRST", 0) > 0)
		d->how |= READY_FIRST;
	sched_short_lock(&d->push);
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++) {
		sched_short_lock(&d->of[i].lock);
		starpu_st_fifo_taskq_init(&d->of[i].queue);
	}
	if (how & SORTED)
		sched_any_priority(ctx);
	starpu_sched_ctx_set_policy_data(ctx, d);
}
static void init_dm(unsigned ctx)
{
	init_as(ctx, 0);
}
static void init_dmda(unsigned ctx)
{
	init_as(ctx, WITH_DATA);
}
static void init_dmdap(unsigned ctx)
{
	init_as(ctx, WITH_DATA | SORTED);
}
static void init_dmdar(unsigned ctx)
{
	init_as(ctx, WITH_DATA | READY);
}
static void init_dmdas(unsigned ctx)
{
	init_as(ctx, WITH_DATA | READY | SORTED);
}
static void init_dmdasd(unsigned ctx)
{
	init_as(ctx, WITH_DATA | READY | SORTED | DECIDE_BY_PRIORITY);
}

static void dm_deinit(unsigned ctx)
{
	struct dm *d = starpu_sched_ctx_get_policy_data(ctx);
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++)
		pthread_mutex_destroy(&d->of[i].lock);
	pthread_mutex_destroy(&d->push);
	free(d);
}

/* -- deciding -- */

struct place {
	int worker;
	unsigned impl, n_before;
	double length, transfer, energy; /* NaN: not known; 0: no model */
	double end;
};

static double length_of(const struct starpu_task *t)
{
	return t->predicted + t->predicted_transfer;
}

/*
 * The length and number of the tasks before a new one of this priority: sought from both ends of
 * the sorted queue.
 */
static double len_before(const struct starpu_st_fifo_taskq *q, int priority, unsigned *n)
{
	const struct starpu_task *front = q->tasks.head, *back = q->tasks.tail;
	double before = 0, behind = 0;
	for (*n = 0; front && front->priority >= priority; front = front->next, back = back->prev, ++*n) {
		if (back->priority >= priority) {
			*n = q->n - *n;
			return fmax(0, q->exp_len - behind);
		}
		before += length_of(front);
		behind += length_of(back);
	}
	return before;
}

/* The instant at which this worker would begin a new task, and the number of tasks before it. */
static double begin_of(struct dm *d, unsigned worker, struct starpu_task *t, double now, unsigned *n)
{
	struct dm_worker *w = &d->of[worker];
	pthread_mutex_lock(&w->lock);
	double len = w->queue.exp_len;
	*n = w->queue.n;
	if (d->how & DECIDE_BY_PRIORITY)
		len = len_before(&w->queue, t->priority, n);
	pthread_mutex_unlock(&w->lock);
	return fmax(sched_instant(&w->end), now) + len;
}

static unsigned dm_look(struct dm *d, struct starpu_task *t, double now, struct place *at)
{
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(t->sched_ctx, &workers), k = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned worker = (unsigned)workers[i], impls, before;
		if (!starpu_worker_can_execute_task_impl(worker, t, &impls))
			continue;
		double begin = begin_of(d, worker, t, now, &before);
		double transfer = d->how & WITH_DATA ? starpu_task_expected_data_transfer_time_for(t, worker) : 0;
		for (unsigned impl = 0; impls >> impl && k < STARPU_NMAXWORKERS * STARPU_MAXIMPLEMENTATIONS; impl++) {
			if (!(impls >> impl & 1))
				continue;
			struct place *p = &at[k++];
			*p = (struct place){(int)worker,
			                    impl,
			                    before,
			                    starpu_task_worker_expected_length(t, worker, t->sched_ctx, impl),
			                    transfer,
			                    starpu_task_worker_expected_energy(t, worker, t->sched_ctx, impl),
			                    0};
			p->energy = isnan(p->energy) ? 0 : p->energy;
			p->end = begin + transfer + (isnan(p->length) ? 0 : p->length);
		}
	}
	return k;
}

static const struct place *dm_decide(const struct dm *d, const struct place *at, unsigned n)
{
	const struct place *best = NULL, *unknown = NULL, *shortest = NULL;
	double earliest = INFINITY, least = INFINITY;
	bool modelled = false;
	for (unsigned i = 0; i < n; i++) {
		if (isnan(at[i].length) && (!unknown || at[i].n_before < unknown->n_before))
			unknown = &at[i];
		if (!shortest || at[i].n_before < shortest->n_before)
			shortest = &at[i];
		modelled = modelled || at[i].length > 0;
		earliest = fmin(earliest, at[i].end);
	}
	if (unknown || !modelled)
		return unknown ? unknown : shortest;
	double alpha = d->alpha * sched_instant(&d->knobs->alpha), beta = d->beta * sched_instant(&d->knobs->beta),
	       gamma = d->gamma * sched_instant(&d->knobs->gamma),
	       idle_power = d->idle_power * sched_instant(&d->knobs->idle_power);
	for (unsigned i = 0; i < n; i++) {
		double cost = alpha * (at[i].end - earliest) + beta * at[i].transfer + gamma * at[i].energy +
		              gamma * idle_power * (at[i].end - earliest) / 1e6;
		if (cost < least) {
			least = cost;
			best = &at[i];
		}
	}
	return best;
}

static int dm_push(struct starpu_task *t)
{
	struct dm *d = starpu_sched_ctx_get_policy_data(t->sched_ctx);
	struct place at[STARPU_NMAXWORKERS * STARPU_MAXIMPLEMENTATIONS];
	double now = starpu_timing_now();
	pthread_mutex_lock(&d->push);
	unsigned n = dm_look(d, t, now, at);
	const struct place *p = n ? dm_decide(d, at, n) : NULL;
	if (!p) {
		pthread_mutex_unlock(&d->push);
		return -1;
	}
	struct dm_worker *w = &d->of[p->worker];
	starpu_sched_task_break(t);
	starpu_task_set_implementation(t, p->impl);
	t->predicted = isnan(p->length) ? 0 : p->length;
	t->predicted_transfer = p->transfer;
	if (d->how & WITH_DATA && p->transfer > 0 && starpu_get_prefetch_flag())
		starpu_prefetch_task_input_for(t, (unsigned)p->worker);
	pthread_mutex_lock(&w->lock);
	w->queue.exp_len += length_of(t);
	if (d->how & SORTED)
		starpu_st_fifo_taskq_push_sorted_task(&w->queue, t);
	else
		starpu_st_fifo_taskq_push_back_task(&w->queue, t);
	starpu_push_task_end(t);
	sched_wake((unsigned)p->worker);
	pthread_mutex_unlock(&w->lock);
	pthread_mutex_unlock(&d->push);
	return 0;
}

/* -- running -- */

static struct starpu_task *dm_pop(unsigned ctx)
{
	struct dm *d = starpu_sched_ctx_get_policy_data(ctx);
	unsigned me = starpu_worker_get_id_check();
	struct dm_worker *w = &d->of[me];
	pthread_mutex_lock(&w->lock);
	struct starpu_task *t = !(d->how & READY)      ? starpu_st_fifo_taskq_pop_local_task(&w->queue)
	                        : d->how & READY_FIRST ? starpu_st_fifo_taskq_pop_first_ready_task_ready_first(&w->queue, me, 0)
	                                               : starpu_st_fifo_taskq_pop_first_ready_task(&w->queue, me, 0);
	if (t) {
		/* From now until its end it counts as the running task. */
		double len = length_of(t);
		w->queue.exp_len = fmax(0, w->queue.exp_len - len);
		sched_instant_set(&w->end, starpu_timing_now() + len);
	}
	pthread_mutex_unlock(&w->lock);
	return t;
}

static void ends_at(unsigned ctx, double when)
{
	struct dm *d = starpu_sched_ctx_get_policy_data(ctx);
	int me = starpu_worker_get_id();
	if (me >= 0)
		sched_instant_set(&d->of[me].end, when);
}

static void dm_before(struct starpu_task *t, unsigned ctx)
{
	ends_at(ctx, starpu_timing_now() + t->predicted); /* its data is here */
}

static void dm_after(struct starpu_task *t, unsigned ctx)
{
	(void)t;
	ends_at(ctx, starpu_timing_now());
}

/* A worker that leaves gives its tasks to the others. */
static void remove_workers(unsigned ctx, int *workers, unsigned n)
{
	struct dm *d = starpu_sched_ctx_get_policy_data(ctx);
	for (unsigned i = 0; i < n; i++) {
		struct dm_worker *w = &d->of[workers[i]];
		struct starpu_task *t;
		do {
			pthread_mutex_lock(&w->lock);
			t = starpu_st_fifo_taskq_pop_local_task(&w->queue);
			w->queue.exp_len = t ? w->queue.exp_len : 0;
			pthread_mutex_unlock(&w->lock);
			if (t)
				sched_push_again(t);
		} while (t);
	}
}

#define DM(name, description) \
	struct starpu_sched_policy policy_##name = { \
		.init_sched = init_##name, \
		.deinit_sched = dm_deinit, \
		.push_task = dm_push, \
		.pop_task = dm_pop, \
		.pre_exec_hook = dm_before, \
		.post_exec_hook = dm_after, \
		.remove_workers = remove_workers, \
		.prefetches = 1, \
		.policy_name = #name, \
		.policy_description = description, \
		.worker_type = STARPU_WORKER_LIST, \
	}
DM(dm, "where performance models expect it to be done first");
DM(dmda, "where it is expected to be done first, with the transfer of its data");
DM(dmdap, "dmda, queues by priority");
DM(dmdar, "dmda, queues by data at hand");
DM(dmdas, "dmda, queues by priority, then by data at hand");
DM(dmdasd, "dmdas, deciding by priority too");
