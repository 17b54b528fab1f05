/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pausing. A worker looks at `asks` before it takes a job, and says which one it runs before it calls it. Who pauses sets
 * RT_ASK_PAUSE, makes every running thread pass a barrier, and then waits until each worker is seen in one of two states: it runs a
 * job, which has begun before; or it has stepped aside. Both look at `asks` before they take another, behind the barrier.
 *
 *     worker            take off `aside` | look at asks | ... | say what it runs | run it | look at asks
 *     who pauses        set the bit | barrier | look at what it runs and whether it is aside
 *
 * So nobody waits for a job to end, which may itself wait for the one who pauses.
 */
#include "core.h"
#include <sched.h>

static bool begins_nothing(const struct rt_worker *w)
{
	return weft_load_bool(&w->aside) || rt_worker_current(w) != __atomic_load_n(&w->idle_current, __ATOMIC_ACQUIRE);
}

void rt_wait_paused(struct rt_runtime *r)
{
	struct rt_worker *me = rt_worker_self();
	bool was_aside = me && weft_load_bool(&me->aside);
	if (me) /* two that pause at once do not wait for each other */
		weft_store_bool(&me->aside, true);
	rt_barrier_of_all(r);
	for (unsigned i = 0; i < r->n_workers; i++)
		while (rt_is_pausing(r) && !begins_nothing(&r->worker[i]))
			sched_yield();
	if (me)
		weft_store_bool(&me->aside, was_aside);
}

static bool is_at_rest(const struct rt_worker *w)
{
	return weft_load_bool(&w->aside) && !weft_load_bool(&w->flies) &&
	       rt_worker_current(w) == __atomic_load_n(&w->idle_current, __ATOMIC_ACQUIRE);
}

bool rt_is_quiet(struct rt_runtime *r)
{
	unsigned quiet = 0;
	rt_ask(r, RT_ASK_PAUSE, 0);
	rt_wait_paused(r);
	while (quiet < r->n_workers && is_at_rest(&r->worker[quiet]))
		quiet++;
	rt_ask(r, 0, RT_ASK_PAUSE);
	return quiet == r->n_workers;
}

void rt_worker_aside(struct rt_worker *w)
{
	weft_store_bool(&w->aside, true);
}

/* What a device has begun comes to its end also now, and who waits for it knows. */
static void wait_for_resume(struct rt_worker *w, uint32_t asks)
{
	bool polls = w->traits & RT_W_POLLS, flies = polls && w->runtime->hooks->poll(w);
	weft_store_bool(&w->flies, flies);
	if (polls)
		rt_tell_waiters(w->runtime);
	if (flies)
		sched_yield();
	else
		rt_futex_wait(&w->runtime->asks, asks);
}

void rt_worker_back(struct rt_worker *w)
{
	struct rt_runtime *r = w->runtime;
	for (;;) {
		weft_store_bool(&w->aside, false);
		/* Partner: the barrier in rt_wait_paused. */
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		uint32_t asks = weft_load_u32(&r->asks);
		if (!(asks & RT_ASK_PAUSE) || weft_load_bool(&r->stop))
			return;
		weft_store_bool(&w->aside, true);
		wait_for_resume(w, asks);
	}
}
