/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling, while the program or STARPU_PROFILING asks for it: dates and counts of tasks
 * (task->profiling_info, profile.c), times of workers by state (profile_worker.c), transfers on the
 * ways between memories (profile_bus.c), and summaries of all (profile_print.c). At the stations of
 * a task (watch.h) profile.c is a watcher; all other events are calls of the functions here.
 *
 * Each worker is in any set of states at a time. The time in each is counted ("all"), and each
 * instant once more for the first of them ("split"): so that the split times and the time in no
 * state at all are the whole time.
 */
#ifndef WEFT_RUNTIME_PROFILE_PROFILE_H
#define WEFT_RUNTIME_PROFILE_PROFILE_H

#include "runtime/task/watch.h"
#include <starpu_profiling.h>
#include <stdio.h>

enum rt_state { RT_EXECUTING, RT_CALLING_BACK, RT_WAITING, RT_SLEEPING, RT_SCHEDULING, RT_STATES };

static inline bool rt_is_profiled(void)
{
	return WEFT_UNLIKELY(rt_is_watched_by(RT_WATCH_PROFILE));
}

/* ---- profile.c ---- */

void rt_profile_begin(void); /* with the runtime */
void rt_profile_end(void);   /* prints the summaries of STARPU_WORKER_STATS and the like */
/* A plain task runs on this worker. */
void rt_profile_plain_begins(unsigned worker);
void rt_profile_plain_ends(unsigned worker);
/* Around pushing a task to its policy; after that it may be freed, but for the reference. */
struct rt_task;
struct rt_task *rt_profile_pushes(struct starpu_task *t);
void rt_profile_pushed(struct rt_task *held);
/* The worker polls its policy, and gets a task or NULL. */
uint64_t rt_profile_asked(unsigned worker);
void rt_profile_given(unsigned worker, struct starpu_task *t, uint64_t asked_ns);
/* The task's data has come; any thread. */
void rt_profile_arrived(struct starpu_task *t, unsigned worker);
/* The program queries the task while it runs. */
void rt_profile_show(struct starpu_task *t, unsigned worker);

/* ---- profile_meter.c: events and energy ---- */

void rt_profile_meters_begin(void);
void rt_profile_meters_end(void);
/* Events or energy are measured. */
static inline bool rt_profile_measures(void)
{
	return weft_load_bool(&rt_watch_profiles_structs);
}
/* Around the function of a task on its worker; within the region of its trace. */
void rt_profile_function_begins(unsigned worker);
void rt_profile_function_ends(struct starpu_task *t, unsigned worker);
/* A worker's thread begins and ends: its counters of events are its own. */
void rt_profile_thread_begins(unsigned worker);
void rt_profile_thread_ends(unsigned worker);

/* ---- energy_batch.c ---- */
void rt_energy_batch_begin(void);

/* ---- profile_worker.c ---- */

/* A number that is no worker's is ignored. */
void rt_profile_enter(unsigned worker, enum rt_state state);
void rt_profile_leave(unsigned worker, enum rt_state state);
/* The same of the calling thread's worker, if it is one. */
void rt_profile_enter_here(enum rt_state state);
void rt_profile_leave_here(enum rt_state state);
/*
 * A part of the program that is no task (OpenMP): executing begins, or ends, on the calling worker.
 */
static inline void rt_profile_executes_here(bool begins)
{
	if (!rt_is_profiled())
		return;
	if (begins)
		rt_profile_enter_here(RT_EXECUTING);
	else
		rt_profile_leave_here(RT_EXECUTING);
}
/*
 * The time since rt_profile_enter(RT_SCHEDULING) was of use: the worker was not asleep, although it
 * had no task before.
 */
void rt_profile_scheduled(unsigned worker, bool found);
/*
 * It polls for a task in vain from now on, or no more; called whether or not anything is profiled.
 */
void rt_profile_idle(unsigned worker, bool begins);
/* At this instant a function begins, or has ended. */
void rt_profile_executes(unsigned worker, uint64_t now);
struct rt_profile_done {
	double flops, joules;
	uint64_t used_cycles, stall_cycles;
};
void rt_profile_executed(unsigned worker, uint64_t now, const struct rt_profile_done *done);
void rt_profile_workers_begin(bool run);      /* all are 0, and count from now on or not */
void rt_profile_workers_stop(void);           /* their sums stay */
struct timespec rt_profile_date(uint64_t ns); /* the program's form of an instant: since StarPU began */
struct timespec rt_profile_span(uint64_t ns);
/* Microseconds that all workers ran neither a function nor a callback. */
double rt_profile_idle_us(void);

/* ---- profile_bus.c ---- */

/*
 * A transfer is over; counted whether or not anything is profiled. ns: its duration, where it was
 * measured; else 0.
 */
void rt_profile_transferred(unsigned from, unsigned to, size_t bytes, uint64_t ns);
void rt_profile_bus_begin(void);  /* the program's counts begin anew */
void rt_profile_bus_forget(void); /* so do the sums */
/* Traffic of a way since StarPU began. */
struct rt_profile_way {
	uint64_t bytes, transfers, ns;
};
struct rt_profile_way rt_profile_way(unsigned from, unsigned to);

/* ---- profile_print.c ---- */
void rt_profile_print_at_end(void);
/*
 * A file that the environment names, to be written anew or at its end; NULL: it cannot, or is
 * another user's link.
 */
FILE *rt_profile_open(const char *path, bool at_its_end);

#endif
