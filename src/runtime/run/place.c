/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a placed job goes when it is ready. What the program wanted to know of it (callbacks) is told first; then a policy has it,
 * or, without one, it goes into the core's loop when any CPU worker may run it (by its priority, when it has one), else to the
 * worker of those that may run it which has the least to do.
 */
#include "runtime/task/break.h"
#include "runtime/task/begin.h"
#include "runtime/task/count.h"
#include "runtime/task/driver.h"
#include "run.h"
#include "runtime/data/data.h"
#include "runtime/profile/prof_tool.h"
#include "runtime/profile/profile.h"
#include "runtime/core/life_detail.h"
#include <limits.h>
#include <stdio.h>
#include <sys/prctl.h>

/* Jobs given to each worker and not run yet; a guess is good enough. */
static struct weft_atomic_i32 load[STARPU_NMAXWORKERS + 1];

static void tell_ready(struct starpu_task *t)
{
	struct rt_task *own = t->starpu_private;
	if (own->announced)
		return;
	own->announced = true;
	struct starpu_task *outer = rt_speaks_of;
	rt_speaks_of = t;
	if (t->soon_callback_func) {
		weft_enter(rt_detail.callback);
		t->soon_callback_func(t->soon_callback_arg, 0.0);
		weft_leave(rt_detail.callback);
	}
	if (t->prologue_callback_func)
		rt_call_back(t->prologue_callback_func, t->prologue_callback_arg);
	t->status = STARPU_TASK_READY;
	rt_speaks_of = outer;
}

/* Those of them that no knob has switched off. */
static struct rt_mask those_on(const struct rt_mask *m)
{
	struct rt_mask on = {0};
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (rt_mask_has(m, i) && !weft_load_bool(&rt_machine.worker[i].off))
			rt_mask_add(&on, i);
	return on;
}

static bool place_contains(const struct rt_mask *m, const struct rt_mask *of)
{
	for (unsigned i = 0; i < RT_MASK_WORDS; i++)
		if (of->word[i] & ~m->word[i])
			return false;
	return true;
}

static int least_loaded(const struct rt_mask *m)
{
	static struct weft_atomic_u32 turn;
	unsigned n = rt_machine.n_workers, from = weft_add_u32(&turn, 1);
	int best = -1, least = INT_MAX;
	for (unsigned i = 0; i < n; i++) {
		unsigned worker = (from + i) % n;
		int has = weft_load_i32(&load[worker]);
		if (rt_mask_has(m, worker) && has < least) {
			least = has;
			best = (int)worker;
		}
	}
	return best;
}

void rt_place_on(struct rt_job *j, unsigned worker)
{
	weft_add_i32(&load[worker], 1);
	rt_again(&rt_machine.core->worker[worker], j);
}

void rt_placed_ran(unsigned worker)
{
	weft_add_i32(&load[worker], -1);
}

/* As if it had not been placed. */
static void into_the_loop(struct rt_submitter *s, struct rt_job *j)
{
	j->bits &= (uint16_t)~RT_J_PLACED & 63;
	if (j->priority && rt_prioritise(s, j))
		return;
	if (!rt_make_ready(s, j))
		rt_again(rt_worker_of_all(rt_machine.core), j);
}

/* The codelet may refuse workers; now that the task is ready it is asked. */
static void keep_able(struct rt_mask *m, struct starpu_task *t)
{
	struct rt_mask able = {0};
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (rt_mask_has(m, i) && rt_task_can_run(t, i) >= 0)
			rt_mask_add(&able, i);
	if (!rt_mask_is_empty(&able))
		*m = able;
}

static void place_natively(struct rt_submitter *s, struct rt_job *j)
{
	struct starpu_task *t = rt_upper(j)->task;
	struct rt_mask m;
	if (rt_job_is_plain(j)) {
		into_the_loop(s, j);
		return;
	}
	if (t)
		m = ((struct rt_task *)t->starpu_private)->mask;
	else
		rt_codelet_mask(rt_upper(j)->cl, &m);
	if (t && t->cl && t->cl->can_execute)
		keep_able(&m, t);
	struct rt_mask cpus = rt_machine.cpus;
	if (WEFT_UNLIKELY(weft_load_u32(&rt_machine.n_off)) && !(t && t->execute_on_a_specific_worker)) {
		/* In the loop workers that are off take nothing, but when there are no others. */
		struct rt_mask on = those_on(&m), loop = those_on(&cpus);
		m = rt_mask_is_empty(&on) ? m : on;
		cpus = rt_mask_is_empty(&loop) ? cpus : loop;
	}
	/* A device that has nothing to do is worth more than another CPU. */
	int device = -1;
	for (unsigned i = 0; i < rt_machine.n_workers && device < 0; i++)
		if (rt_mask_has(&m, i) && !rt_mask_has(&rt_machine.cpus, i) && weft_load_i32(&load[i]) <= 0)
			device = (int)i;
	bool anywhere = !rt_mask_is_empty(&cpus) && place_contains(&m, &cpus) && !(t && t->cl && t->cl->can_execute);
	if (device >= 0 || !anywhere)
		rt_place_on(j, (unsigned)(device >= 0 ? device : least_loaded(&m)));
	else
		into_the_loop(s, j);
}

static void place_ready(struct rt_submitter *s, struct rt_job *j)
{
	struct starpu_task *t = rt_upper(j)->task;
	rt_break_on(RT_BREAK_PUSH, j);
	rt_pass(RT_AT_READY, t, RT_NO_WORKER);
	const struct rt_count_ops *counts = rt_counts();
	if (counts)
		counts->ready(j);
	if (t)
		tell_ready(t);
	if (!rt_turn_is_to_come(j))
		rt_place(s, j);
}

void rt_place(struct rt_submitter *s, struct rt_job *j)
{
	if (rt_job_runs_nowhere(j))
		into_the_loop(s, j);
	else if (rt_policy())
		rt_policy()->ready(j);
	else
		place_natively(s, j);
}

static struct rt_job *place_take(struct rt_worker *w)
{
	return rt_policy() ? rt_policy()->take(w) : NULL;
}

static bool place_any(struct rt_worker *w)
{
	return rt_policy() && rt_policy()->any(w);
}

static const struct rt_driver *driver_of(const struct rt_worker *w)
{
	return w->number < rt_machine.n_workers ? rt_machine.worker[w->number].driver : NULL;
}

static void place_begin(struct rt_worker *w)
{
	const struct rt_driver *d = driver_of(w);
	weft_store_i32(&load[w->number], 0);
	if (!d)
		return;
	const struct rt_worker_info *info = &rt_machine.worker[w->number];
	if (!info->application && !rt_simulator) { /* before the first event, which a recording takes the thread's name with */
		prctl(PR_SET_NAME, info->name);
		weft_name_thread(info->name); /* where that was one of its making */
	}
	rt_trace_worker(w->number);
	weft_enter(rt_detail.initialising);
	rt_worker_bind_self(w->number);
	rt_tool_tell(starpu_prof_tool_event_driver_init, w->number);
	rt_tool_tell(starpu_prof_tool_event_driver_init_start, w->number);
	if (d->begin)
		d->begin(w);
	rt_profile_thread_begins(w->number);
	weft_leave(rt_detail.initialising);
	rt_tool_tell(starpu_prof_tool_event_driver_init_end, w->number);
}

static void place_end(struct rt_worker *w)
{
	const struct rt_driver *d = driver_of(w);
	weft_enter(rt_detail.deinitialising);
	rt_profile_thread_ends(w->number);
	if (d && d->end)
		d->end(w);
	weft_leave(rt_detail.deinitialising);
	if (d)
		rt_tool_tell(starpu_prof_tool_event_driver_deinit, w->number);
}

static bool place_poll(struct rt_worker *w)
{
	const struct rt_driver *d = driver_of(w);
	return d && d->poll && d->poll(w);
}

/* The program's, from the configuration or from the functions below; seldom enough to be looked up each time. */
static struct weft_atomic_ptr going_to_sleep, waking_up;

void starpu_worker_set_going_to_sleep_callback(void (*callback)(unsigned workerid))
{
	weft_store_ptr(&going_to_sleep, (void *)callback);
}

void starpu_worker_set_waking_up_callback(void (*callback)(unsigned workerid))
{
	weft_store_ptr(&waking_up, (void *)callback);
}

static void place_sleeps(struct rt_worker *w, bool begins)
{
	void (*callback)(unsigned) = (void (*)(unsigned))weft_load_ptr(begins ? &going_to_sleep : &waking_up);
	if (w->number >= rt_machine.n_workers)
		return;
	rt_pass(begins ? RT_AT_SLEEP : RT_AT_WAKE, NULL, w->number);
	if (callback)
		callback(w->number);
}

static void place_idles(struct rt_worker *w, bool begins)
{
	rt_profile_idle(w->number, begins);
}

void rt_run_begin(const struct rt_machine *m)
{
	rt_data_submits_by(rt_task_submit);
	starpu_worker_set_going_to_sleep_callback(m->conf.callback_worker_going_to_sleep);
	starpu_worker_set_waking_up_callback(m->conf.callback_worker_waking_up);
}

const struct rt_sched_hooks rt_run_hooks = {
	.ready = place_ready,
	.take = place_take,
	.any = place_any,
	.begin = place_begin,
	.end = place_end,
	.poll = place_poll,
	.progress = rt_hooks_call,
	.sleeps = place_sleeps,
	.idles = place_idles,
};
