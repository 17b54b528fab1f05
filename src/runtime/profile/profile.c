/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates of tasks, and turning profiling on and off. Plain tasks have no struct, and so no dates:
 * only their worker counts them; one that queries itself (starpu_task_get_current) gets its struct,
 * with the dates known so far. Of the others, those that cannot be read behind their end (detached,
 * and without a callback) keep the date of their submission, and get the rest when they query
 * themselves.
 *
 * Times of the policy are stored by threads that may be late: dates are put in order before they
 * are shown.
 */
#include "runtime/task/complain.h"
#include "profile.h"
#include "runtime/task/task.h"
#include "runtime/meter/instant.h"
#include "base/clock.h"
#include <stdio.h>
#include <stdlib.h>

static struct starpu_profiling_task_info *info_of(const struct starpu_task *t)
{
	return t ? t->profiling_info : NULL;
}

/* The program can read it after its end. */
static bool is_looked_at(const struct starpu_task *t)
{
	return rt_wants_structs() || !t->detach || !t->destroy || t->regenerate || t->callback_func ||
	       t->epilogue_callback_func || t->prologue_callback_pop_func || (t->cl && t->cl->callback_func);
}

/* Measurements of an earlier turn are freed. */
static struct starpu_profiling_task_info *info_new(struct starpu_task *t, uint64_t submitted_ns)
{
	if (!t->profiling_info)
		t->profiling_info = rt_task_info_new(t->starpu_private);
	if (t->profiling_info)
		*t->profiling_info = (struct starpu_profiling_task_info){.submit_time = rt_profile_date(submitted_ns),
		                                                         .workerid = -1};
	return t->profiling_info;
}

static bool is_none(const struct timespec *date)
{
	return !date->tv_sec && !date->tv_nsec;
}

/* ---- a task's stations ---- */

static void at_submit(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)worker;
	if (!t)
		return;
	struct rt_task *own = t->starpu_private;
	own->submitted_ns = now;
	own->began_ns = 0;
	weft_store_u64(&own->pushed_ns, 0);
	if (is_looked_at(t))
		info_new(t, now);
}

static void at_ready(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)worker;
	struct starpu_profiling_task_info *i = info_of(t);
	if (i)
		i->push_start_time = i->push_end_time = rt_profile_date(now);
}

static void at_pop(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)worker;
	struct starpu_profiling_task_info *i = info_of(t);
	if (!i)
		return;
	i->acquire_data_start_time = rt_profile_date(now);
	if (is_none(&i->pop_end_time))
		i->pop_start_time = i->pop_end_time = i->acquire_data_start_time;
}

static void at_start(struct starpu_task *t, unsigned worker, uint64_t now)
{
	struct starpu_profiling_task_info *i = info_of(t);
	rt_profile_executes(worker, now);
	if (t)
		((struct rt_task *)t->starpu_private)->began_ns = now;
	if (!i)
		return;
	i->start_time = rt_profile_date(now);
	if (is_none(&i->acquire_data_end_time))
		i->acquire_data_end_time = i->start_time;
	i->workerid = (int)worker;
}

static void at_end(struct starpu_task *t, unsigned worker, uint64_t now)
{
	struct starpu_profiling_task_info *i = info_of(t);
	struct rt_profile_done done = {.flops = t ? t->flops : 0};
	if (i) {
		i->end_time = i->release_data_start_time = rt_profile_date(now);
		done.joules = i->energy_consumed;
		done.used_cycles = i->used_cycles;
		done.stall_cycles = i->stall_cycles;
	}
	rt_profile_executed(worker, now, &done);
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* A station that was not passed gets the date of the next one. */
static void put_in_order(struct starpu_profiling_task_info *i)
{
	struct timespec *const dates[] = {&i->start_time,     &i->acquire_data_end_time, &i->acquire_data_start_time,
	                                  &i->pop_end_time,   &i->pop_start_time,        &i->push_end_time,
	                                  &i->push_start_time};
	for (size_t k = 1; k < sizeof dates / sizeof dates[0]; k++)
		if (is_before(dates[k - 1], dates[k]) || is_before(dates[k], &i->submit_time))
			*dates[k] = *dates[k - 1];
}

static void at_released(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)worker;
	struct starpu_profiling_task_info *i = info_of(t);
	if (!i)
		return;
	uint64_t pushed = weft_load_u64(&((struct rt_task *)t->starpu_private)->pushed_ns);
	if (pushed)
		i->push_end_time = rt_profile_date(pushed);
	i->release_data_end_time = i->callback_start_time = i->callback_end_time = rt_profile_date(now);
	put_in_order(i);
}

static bool has_callback(const struct starpu_task *t)
{
	return t->callback_func || (t->cl && t->cl->callback_func);
}

static void at_callback(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)worker;
	struct starpu_profiling_task_info *i = info_of(t);
	if (i && has_callback(t)) /* else it is set */
		i->callback_start_time = rt_profile_date(now);
}

static void at_called_back(struct starpu_task *t, unsigned worker, uint64_t now)
{
	(void)worker;
	struct starpu_profiling_task_info *i = info_of(t);
	if (i && has_callback(t))
		i->callback_end_time = rt_profile_date(now);
}

static void profile_pass(enum rt_station at, struct starpu_task *t, unsigned worker, uint64_t now)
{
	static void (*const stations[RT_STATIONS])(struct starpu_task *, unsigned, uint64_t) = {
		[RT_AT_SUBMIT] = at_submit,     [RT_AT_READY] = at_ready,
		[RT_AT_POP] = at_pop,           [RT_AT_START] = at_start,
		[RT_AT_END] = at_end,           [RT_AT_RELEASED] = at_released,
		[RT_AT_CALLBACK] = at_callback, [RT_AT_CALLED_BACK] = at_called_back,
	};
	if (stations[at])
		stations[at](t, worker, now);
}

/* ---- beside them ---- */

void rt_profile_plain_begins(unsigned worker)
{
	rt_profile_executes(worker, rt_instant_ns());
}

void rt_profile_plain_ends(unsigned worker)
{
	rt_profile_executed(worker, rt_instant_ns(), NULL);
}

struct rt_task *rt_profile_pushes(struct starpu_task *t)
{
	struct rt_task *own = t->starpu_private;
	struct starpu_profiling_task_info *i = info_of(t);
	uint64_t now = rt_instant_ns();
	weft_add_u32(&own->holders, 1);
	if (i)
		i->push_start_time = i->push_end_time = rt_profile_date(now);
	rt_profile_enter_here(RT_SCHEDULING);
	return own;
}

void rt_profile_pushed(struct rt_task *held)
{
	weft_store_u64(&held->pushed_ns, rt_instant_ns());
	rt_profile_leave_here(RT_SCHEDULING);
	rt_task_unref(held);
}

uint64_t rt_profile_asked(unsigned worker)
{
	rt_profile_enter(worker, RT_SCHEDULING);
	return rt_instant_ns();
}

void rt_profile_given(unsigned worker, struct starpu_task *t, uint64_t asked_ns)
{
	struct starpu_profiling_task_info *i = info_of(t);
	rt_profile_scheduled(worker, t != NULL);
	if (!i)
		return;
	i->pop_start_time = rt_profile_date(asked_ns);
	i->pop_end_time = rt_profile_date(rt_instant_ns());
}

void rt_profile_arrived(struct starpu_task *t, unsigned worker)
{
	struct starpu_profiling_task_info *i = info_of(t);
	if (i)
		i->acquire_data_end_time = rt_profile_date(rt_instant_ns());
	rt_profile_leave(worker, RT_WAITING);
}

void rt_profile_show(struct starpu_task *t, unsigned worker)
{
	const struct rt_task *own = t->starpu_private;
	struct starpu_profiling_task_info *i = t->profiling_info;
	if (i || !own || !own->submitted_ns || !(i = info_new(t, own->submitted_ns)))
		return;
	uint64_t began = own->began_ns ? own->began_ns : own->submitted_ns;
	i->push_start_time = i->push_end_time = i->submit_time;
	i->pop_start_time = i->pop_end_time = i->acquire_data_start_time = i->acquire_data_end_time = i->start_time =
		rt_profile_date(began);
	i->workerid = (int)worker;
}

/* ---- on and off ---- */

int starpu_profiling_status_set(int status)
{
	bool was = rt_is_watched_by(RT_WATCH_PROFILE), is = status != STARPU_PROFILING_DISABLE;
	rt_watch(RT_WATCH_PROFILE, is ? profile_pass : NULL);
	if (is) {
		rt_profile_workers_begin(true);
		rt_profile_bus_begin();
	} else if (was) {
		rt_profile_workers_stop();
	}
	return was;
}

int(starpu_profiling_status_get)(void)
{
	return rt_is_watched_by(RT_WATCH_PROFILE);
}

/* Summaries at the end are printed from the same numbers. */
static bool is_asked_for(void)
{
	return starpu_get_env_number_default("STARPU_PROFILING", 0) > 0 ||
	       starpu_get_env_number_default("STARPU_WORKER_STATS", 0) > 0 || getenv("STARPU_IDLE_FILE");
}

void rt_profile_begin(void)
{
	starpu_timing_now(); /* dates begin here, or at the program's first query before */
	rt_energy_batch_begin();
	rt_profile_meters_begin();
	rt_profile_bus_forget();
	starpu_profiling_init();
}

void starpu_profiling_init(void)
{
	if (is_asked_for()) {
		starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	} else {
		rt_profile_workers_begin(rt_is_profiled());
		rt_profile_bus_begin();
	}
}

/*
 * STARPU_IDLE_FILE: a line more, of all workers' time without a function or a callback, in
 * microseconds.
 */
static void add_idle_time(const char *path)
{
	FILE *f = rt_profile_open(path, true);
	if (!f) {
		rt_say("STARPU_IDLE_FILE: cannot write '%s'", path);
		return;
	}
	fprintf(f, "%.3f\n", rt_profile_idle_us());
	fclose(f);
}

void rt_profile_end(void)
{
	const char *idle = getenv("STARPU_IDLE_FILE");
	if (idle && *idle && rt_is_profiled())
		add_idle_time(idle);
	rt_profile_print_at_end();
	if (is_asked_for())
		starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
}
