/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callbacks of the program in the workers' loop. While any is registered, workers call them between
 * jobs, and do not sleep when they have no job: they yield and poll again. A worker copies each
 * slot under the lock and calls it without; slots never move.
 */
#include "begin.h"
#include "machine.h"
#include <pthread.h>
#include <sched.h>

enum { HOOKS = 32 };

static struct {
	pthread_mutex_t lock;
	struct hook {
		unsigned (*func)(void *);
		void *arg;
		bool only_idle;
	} at[HOOKS];
	struct weft_atomic_u32 n; /* slots that were ever used */
	unsigned active;
} hooks = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int add(unsigned (*func)(void *), void *arg, bool only_idle)
{
	int id = -1;
	pthread_mutex_lock(&hooks.lock);
	for (unsigned i = 0; i < HOOKS && id < 0; i++)
		if (!hooks.at[i].func) {
			hooks.at[i] = (struct hook){func, arg, only_idle};
			id = (int)i;
		}
	if (id >= (int)weft_load_u32(&hooks.n))
		weft_store_u32(&hooks.n, (uint32_t)id + 1);
	if (id >= 0 && !hooks.active++ && rt_machine.core)
		rt_ask(rt_machine.core, RT_ASK_PROGRESS, 0);
	pthread_mutex_unlock(&hooks.lock);
	if (id >= 0)
		starpu_wake_all_blocked_workers();
	return id;
}

static void drop(int id)
{
	pthread_mutex_lock(&hooks.lock);
	if (id >= 0 && id < HOOKS && hooks.at[id].func) {
		hooks.at[id] = (struct hook){0};
		if (!--hooks.active && rt_machine.core)
			rt_ask(rt_machine.core, 0, RT_ASK_PROGRESS);
	}
	pthread_mutex_unlock(&hooks.lock);
}

void rt_hooks_call(bool idle)
{
	for (uint32_t i = 0; i < weft_load_u32(&hooks.n); i++) {
		pthread_mutex_lock(&hooks.lock);
		struct hook h = hooks.at[i];
		pthread_mutex_unlock(&hooks.lock);
		if (h.func && (idle || !h.only_idle))
			h.func(h.arg);
	}
	if (idle)
		sched_yield();
}

int starpu_progression_hook_register(unsigned (*func)(void *arg), void *arg)
{
	return add(func, arg, false);
}

void starpu_progression_hook_deregister(int hook_id)
{
	drop(hook_id);
}

int starpu_idle_hook_register(unsigned (*func)(void *arg), void *arg)
{
	return add(func, arg, true);
}

void starpu_idle_hook_deregister(int hook_id)
{
	drop(hook_id);
}

void starpu_wake_all_blocked_workers(void)
{
	struct rt_runtime *r = rt_machine.core;
	for (unsigned i = 0; r && i < r->n_workers; i++)
		rt_wake(&r->worker[i]);
}

void rt_hooks_begin(void)
{
	pthread_mutex_lock(&hooks.lock);
	if (hooks.active)
		rt_ask(rt_machine.core, RT_ASK_PROGRESS, 0);
	pthread_mutex_unlock(&hooks.lock);
}
