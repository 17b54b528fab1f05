/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Further measurements around the function of a task on a CPU worker, at the user's wish: events of
 * the worker's thread (STARPU_PROF_PAPI_EVENTS) and energy (STARPU_ENERGY_PROFILING).
 *
 * The energy of processors is counted for all tasks that run at a time together: the energy between
 * two of their begins and ends is shared out equally. Σ is the share of a task that would run all
 * the time; a task's share is the difference of Σ between its begin and its end.
 */
#include "runtime/task/complain.h"
#include "profile.h"
#include "runtime/core/life_detail.h"
#include "runtime/meter/energy.h"
#include "runtime/meter/events.h"
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>

static struct {
	struct rt_events events;
	weft_attr attr[RT_EVENTS];
	bool energy, opened;
} my;

/* Of the thread that is a worker. */
static _Thread_local struct {
	struct rt_event_counters counters;
	long long from[RT_EVENTS];
	double energy_from;
	bool runs;
} mine;

static struct {
	pthread_mutex_t lock;
	unsigned running;
	double joules, sum; /* counted so far; Σ */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Σ, when one task more (or less) runs. */
static double share(int more)
{
	pthread_mutex_lock(&shared.lock);
	double joules = rt_energy_joules();
	if (shared.running)
		shared.sum += (joules - shared.joules) / shared.running;
	shared.joules = joules;
	shared.running += (unsigned)more;
	double sum = shared.sum;
	pthread_mutex_unlock(&shared.lock);
	return sum;
}

static void say_line(const char *line)
{
	rt_say("STARPU_PROF_PAPI_EVENTS: %s", line);
}

void rt_profile_meters_begin(void)
{
	struct weft_err err = {0};
	const char *names = getenv("STARPU_PROF_PAPI_EVENTS");
	my.events.n = 0;
	if (names)
		rt_events_parse(&my.events, names, say_line);
	my.energy = starpu_get_env_number_default("STARPU_ENERGY_PROFILING", 0) > 0;
	if (my.energy && rt_energy_open(&err)) {
		rt_say("STARPU_ENERGY_PROFILING: %s", err.text);
		my.energy = false;
	}
	my.opened = my.energy;
	for (unsigned i = 0; i < my.events.n; i++)
		my.attr[i] = rt_detail_attr(my.events.event[i].name);
	weft_store_bool(&rt_watch_profiles_structs, my.energy || my.events.n);
}

void rt_profile_meters_end(void)
{
	if (my.opened)
		rt_energy_close();
	my.opened = my.energy = false;
	my.events.n = 0;
	weft_store_bool(&rt_watch_profiles_structs, false);
}

void rt_profile_thread_begins(unsigned worker)
{
	if (worker < rt_machine.n_workers && rt_machine.worker[worker].arch == STARPU_CPU_WORKER && my.events.n &&
	    rt_event_open(&mine.counters, &my.events))
		rt_say("STARPU_PROF_PAPI_EVENTS: worker %u cannot count its events", worker);
}

void rt_profile_thread_ends(unsigned worker)
{
	(void)worker;
	rt_event_close(&mine.counters);
}

static bool is_measured(unsigned worker)
{
	return worker < rt_machine.n_workers && rt_machine.worker[worker].arch == STARPU_CPU_WORKER;
}

void rt_profile_function_begins(unsigned worker)
{
	if (!is_measured(worker))
		return;
	mine.runs = true;
	if (my.energy)
		mine.energy_from = share(1);
	if (mine.counters.n)
		rt_event_read(&mine.counters, mine.from);
}

static void keep_events(struct starpu_profiling_task_info *i, const long long *until)
{
	for (unsigned k = 0; k < mine.counters.n; k++) {
		const struct rt_event *e = &my.events.event[k];
		long long value = until[k] - mine.from[k];
		if (rt_traced_in_detail())
			weft_attr_int(my.attr[k], value);
		if (!i)
			continue;
		i->papi_values[k] = value;
		if (e->type == PERF_TYPE_HARDWARE && e->config == PERF_COUNT_HW_CPU_CYCLES)
			i->used_cycles = (uint64_t)value;
		if (e->type == PERF_TYPE_HARDWARE && e->config == PERF_COUNT_HW_STALLED_CYCLES_BACKEND)
			i->stall_cycles = (uint64_t)value;
	}
}

void rt_profile_function_ends(struct starpu_task *t, unsigned worker)
{
	long long until[RT_EVENTS];
	struct starpu_profiling_task_info *i = t ? t->profiling_info : NULL;
	if (!is_measured(worker) || !mine.runs) /* it began before profiling did */
		return;
	mine.runs = false;
	if (mine.counters.n) {
		rt_event_read(&mine.counters, until);
		keep_events(i, until);
	}
	double joules = my.energy ? share(-1) - mine.energy_from : 0;
	if (i)
		i->energy_consumed = joules;
}
