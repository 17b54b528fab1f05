/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Knobs of policies and of workers. A policy's knobs are an entry in an array that only grows until
 * the runtime ends: readers find theirs by name without a lock, only adding one takes it. A worker
 * that is off is skipped by the query whether it may run a task (sched_worker.c).
 */
#include "sched_knobs.h"
#include <stdlib.h>

enum { MOST = 128 };

static struct {
	pthread_mutex_t lock; /* of who adds one */
	struct weft_atomic_u32 n;
	struct sched_knobs of[MOST];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct sched_knobs usual; /* of policies without a name, and when there is no room */

/* ---- of policies ---- */

static void set_usual(struct sched_knobs *k, const char *policy)
{
	struct sched_instant *const scales[] = {&k->alpha, &k->beta, &k->gamma, &k->idle_power};
	for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
		sched_instant_set(scales[i], 1);
	weft_store_i32(&k->min_priority, INT_MIN);
	weft_store_i32(&k->max_priority, INT_MAX);
	k->policy = policy;
}

static struct sched_knobs *find(const char *policy)
{
	for (uint32_t i = 0, n = weft_load_u32(&all.n); i < n; i++)
		if (!strcmp(all.of[i].policy, policy))
			return &all.of[i];
	return NULL;
}

static struct sched_knobs *find_or_add(const char *policy)
{
	struct sched_knobs *k = find(policy);
	if (k)
		return k;
	pthread_mutex_lock(&all.lock);
	k = find(policy);
	uint32_t n = weft_load_u32(&all.n);
	char *name = k || n == MOST ? NULL : strdup(policy);
	if (name) {
		k = &all.of[n];
		set_usual(k, name);
		weft_store_u32(&all.n, n + 1);
	}
	pthread_mutex_unlock(&all.lock);
	return k;
}

static bool is_of_a_context(const char *policy)
{
	for (unsigned i = 0; i < STARPU_NMAX_SCHED_CTXS; i++) {
		const struct sched_ctx *c = sched_ctx(i);
		if (c && c->policy && c->policy->policy_name && !strcmp(c->policy->policy_name, policy))
			return true;
	}
	return false;
}

struct sched_knobs *sched_knobs_of(const char *policy)
{
	if (!policy || !*policy)
		return NULL;
	struct sched_knobs *k = find(policy);
	if (k)
		return k;
	const struct sched_policy *ours = sched_policy_find(policy);
	if (!ours && !is_of_a_context(policy))
		return NULL;
	return find_or_add(ours ? ours->policy->policy_name : policy);
}

const struct sched_knobs *sched_knobs_in(unsigned ctx)
{
	const struct sched_ctx *c = sched_ctx(ctx);
	const char *name = c && c->policy ? c->policy->policy_name : NULL;
	const struct sched_knobs *k = name ? find_or_add(name) : NULL;
	return k ? k : &usual;
}

static int cap(unsigned ctx, int priority)
{
	const struct sched_knobs *k = sched_knobs_in(ctx);
	int min = weft_load_i32(&k->min_priority), max = weft_load_i32(&k->max_priority);
	return priority > max ? max : priority < min ? min : priority;
}

void sched_knobs_cap(struct sched_knobs *k, int min, int max)
{
	weft_store_i32(&k->min_priority, min);
	weft_store_i32(&k->max_priority, max);
	if (__atomic_exchange_n(&rt_machine.cap_priority, cap, __ATOMIC_ACQ_REL) != cap) /* no codelet is plain any more */
		__atomic_add_fetch(&rt_machine.codelets, 1, __ATOMIC_ACQ_REL);
}

void sched_knobs_begin(void)
{
	set_usual(&usual, "");
	__atomic_store_n(&rt_machine.cap_priority, NULL, __ATOMIC_RELEASE);
	weft_store_u32(&rt_machine.n_off, 0);
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++)
		weft_store_bool(&rt_machine.worker[i].off, false);
}

void sched_knobs_end(void)
{
	for (uint32_t i = 0, n = weft_swap_u32(&all.n, 0); i < n; i++)
		free((char *)(uintptr_t)all.of[i].policy);
}

/* ---- of workers ---- */

bool sched_worker_is_on(unsigned worker)
{
	return worker >= STARPU_NMAXWORKERS || !weft_load_bool(&rt_machine.worker[worker].off);
}

/* Of those that run what the core's loop has: which take no more of it. All, when none was left. */
static void bar_workers(void)
{
	struct rt_runtime *r = rt_machine.core;
	bool some = false;
	for (unsigned i = 0; i < r->n_workers; i++)
		some = some || (!(r->worker[i].traits & RT_W_ONLY_PLACED) && sched_worker_is_on(i));
	for (unsigned i = 0; i < rt_machine.n_workers; i++) {
		bool barred = some && !sched_worker_is_on(i);
		if (weft_load_bool(&r->worker[i].barred) != barred)
			rt_worker_bar(&r->worker[i], barred);
	}
}

void sched_worker_turn(unsigned worker, bool on)
{
	if (sched_worker_is_on(worker) == on)
		return;
	weft_store_bool(&rt_machine.worker[worker].off, !on);
	weft_add_u32(&rt_machine.n_off, on ? -UINT32_C(1) : 1);
	bar_workers();
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		sched_wake(i);
}
