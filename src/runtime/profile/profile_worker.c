/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of workers: the set of states that each is in, and the sum of time for each state. A
 * worker's numbers are under a lock that is held for an instant, nearly always by the worker
 * itself: data arrives on other threads, and any thread may ask.
 */
#include "profile.h"
#include "runtime/meter/instant.h"
#include <errno.h>
#include <string.h>

struct spent {
	_Alignas(64) struct weft_atomic_bool lock;
	bool runs;   /* it counts */
	uint8_t set; /* of the states whose depth is not 0 */
	uint16_t depth[RT_STATES];
	uint64_t last; /* until when is counted */
	uint64_t since, split[RT_STATES], all[RT_STATES];
	uint64_t idle_ns; /* neither executing nor calling back, since it began to run: asking does not reset it */
	int tasks;
	struct rt_profile_done done;
	struct weft_atomic_bool is_idle;
};
static struct spent spent[STARPU_NMAXWORKERS + 1];

static void spent_lock(struct spent *s)
{
	while (weft_swap_bool(&s->lock, true))
		__builtin_ia32_pause();
}

static void spent_unlock(struct spent *s)
{
	weft_store_bool(&s->lock, false);
}

/*
 * The time since the last turn counts for the worker's states, but `hidden` is not the first of
 * them.
 */
static void turn(struct spent *s, uint64_t now, unsigned hidden)
{
	if (now <= s->last)
		return;
	uint64_t ns = now - s->last;
	unsigned first = s->set & ~hidden;
	s->last = now;
	if (first)
		s->split[__builtin_ctz(first)] += ns;
	if (!(s->set & (1U << RT_EXECUTING | 1U << RT_CALLING_BACK)))
		s->idle_ns += ns;
	for (unsigned left = s->set; left; left &= left - 1)
		s->all[__builtin_ctz(left)] += ns;
}

static void deepen(struct spent *s, enum rt_state state)
{
	s->depth[state]++;
	s->set |= (uint8_t)(1U << state);
}

/* A state that began before counting has not been entered. */
static void rise(struct spent *s, enum rt_state state)
{
	if (s->depth[state] && !--s->depth[state])
		s->set &= (uint8_t) ~(1U << state);
}

static void change(unsigned worker, enum rt_state state, bool enters, uint64_t now)
{
	if (worker >= RT_NO_WORKER)
		return;
	struct spent *s = &spent[worker];
	spent_lock(s);
	if (s->runs) {
		turn(s, now, 0);
		if (enters)
			deepen(s, state);
		else
			rise(s, state);
	}
	spent_unlock(s);
}

void rt_profile_enter(unsigned worker, enum rt_state state)
{
	change(worker, state, true, rt_instant_ns());
}

void rt_profile_leave(unsigned worker, enum rt_state state)
{
	change(worker, state, false, rt_instant_ns());
}

void rt_profile_enter_here(enum rt_state state)
{
	rt_profile_enter((unsigned)rt_worker_number(), state);
}

void rt_profile_leave_here(enum rt_state state)
{
	rt_profile_leave((unsigned)rt_worker_number(), state);
}

void rt_profile_scheduled(unsigned worker, bool found)
{
	struct spent *s = &spent[worker];
	uint64_t now = rt_instant_ns();
	spent_lock(s);
	if (s->runs) {
		turn(s, now, found ? 1U << RT_SLEEPING : 0);
		rise(s, RT_SCHEDULING);
	}
	spent_unlock(s);
}

void rt_profile_executes(unsigned worker, uint64_t now)
{
	change(worker, RT_EXECUTING, true, now);
}

void rt_profile_executed(unsigned worker, uint64_t now, const struct rt_profile_done *done)
{
	struct spent *s = &spent[worker];
	spent_lock(s);
	if (s->runs) {
		turn(s, now, 0);
		rise(s, RT_EXECUTING);
		s->tasks++;
		if (done) {
			s->done.flops += done->flops;
			s->done.joules += done->joules;
			s->done.used_cycles += done->used_cycles;
			s->done.stall_cycles += done->stall_cycles;
		}
	}
	spent_unlock(s);
}

void rt_profile_idle(unsigned worker, bool begins)
{
	if (worker >= RT_NO_WORKER)
		return;
	weft_store_bool(&spent[worker].is_idle, begins);
	/*
	 * Partner: the barrier in rt_profile_workers_begin(): either it sees that the worker is
	 * idle, or we see that it counts.
	 */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!rt_is_profiled())
		return;
	if (begins)
		rt_profile_enter(worker, RT_SLEEPING);
	else
		rt_profile_leave(worker, RT_SLEEPING);
}

/* ---- on and off ---- */

/* With the lock. */
static void count_anew(struct spent *s, uint64_t now)
{
	s->since = s->last = now;
	memset(s->split, 0, sizeof s->split);
	memset(s->all, 0, sizeof s->all);
	s->tasks = 0;
	s->done = (struct rt_profile_done){0};
}

/* The watcher is on already (rt_watch): states that begin meanwhile are entered. */
void rt_profile_workers_begin(bool run)
{
	/* Partner: rt_profile_idle() */
	if (rt_machine.core)
		rt_barrier_of_all(rt_machine.core);
	for (struct spent *s = spent; s < spent + STARPU_NMAXWORKERS; s++) {
		spent_lock(s);
		count_anew(s, rt_instant_ns());
		if (run && !s->runs) {
			memset(s->depth, 0, sizeof s->depth);
			s->set = 0;
			s->idle_ns = 0;
			if (weft_load_bool(&s->is_idle))
				deepen(s, RT_SLEEPING);
		}
		s->runs = run;
		spent_unlock(s);
	}
}

void rt_profile_workers_stop(void)
{
	for (struct spent *s = spent; s < spent + STARPU_NMAXWORKERS; s++) {
		spent_lock(s);
		if (s->runs)
			turn(s, rt_instant_ns(), 0);
		s->runs = false;
		spent_unlock(s);
	}
}

double rt_profile_idle_us(void)
{
	uint64_t ns = 0;
	for (struct spent *s = spent; s < spent + rt_machine.n_workers; s++) {
		spent_lock(s);
		if (s->runs)
			turn(s, rt_instant_ns(), 0);
		ns += s->idle_ns;
		spent_unlock(s);
	}
	return (double)ns / 1e3;
}

/* ---- queries ---- */

double starpu_timing_timespec_to_us(struct timespec *ts)
{
	return (double)ts->tv_sec * 1e6 + (double)ts->tv_nsec * 1e-3;
}

double starpu_timing_timespec_delay_us(struct timespec *start, struct timespec *end)
{
	return (double)(end->tv_sec - start->tv_sec) * 1e6 + (double)(end->tv_nsec - start->tv_nsec) * 1e-3;
}

struct timespec rt_profile_span(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / STARPU_NS_PER_S), .tv_nsec = (long)(ns % STARPU_NS_PER_S)};
}

struct timespec rt_profile_date(uint64_t ns)
{
	static struct weft_atomic_u64 reference; /* read once: it never changes */
	uint64_t began = weft_load_u64(&reference);
	if (WEFT_UNLIKELY(!began)) {
		began = (uint64_t)(starpu_timing_get_reference() * 1e3);
		weft_store_u64(&reference, began);
	}
	return rt_profile_span(ns > began ? ns - began : 0);
}

static struct starpu_profiling_worker_info info_of(const struct spent *s)
{
	return (struct starpu_profiling_worker_info){
		.start_time = rt_profile_date(s->since),
		.total_time = rt_profile_span(s->last - s->since),
		.executing_time = rt_profile_span(s->split[RT_EXECUTING]),
		.callback_time = rt_profile_span(s->split[RT_CALLING_BACK]),
		.waiting_time = rt_profile_span(s->split[RT_WAITING]),
		.sleeping_time = rt_profile_span(s->split[RT_SLEEPING]),
		.scheduling_time = rt_profile_span(s->split[RT_SCHEDULING]),
		.all_executing_time = rt_profile_span(s->all[RT_EXECUTING]),
		.all_callback_time = rt_profile_span(s->all[RT_CALLING_BACK]),
		.all_waiting_time = rt_profile_span(s->all[RT_WAITING]),
		.all_sleeping_time = rt_profile_span(s->all[RT_SLEEPING]),
		.all_scheduling_time = rt_profile_span(s->all[RT_SCHEDULING]),
		.executed_tasks = s->tasks,
		.used_cycles = s->done.used_cycles,
		.stall_cycles = s->done.stall_cycles,
		.energy_consumed = s->done.joules,
		.flops = s->done.flops,
	};
}

int starpu_profiling_worker_get_info(int workerid, struct starpu_profiling_worker_info *worker_info)
{
	if (workerid < 0 || (unsigned)workerid >= rt_machine.n_workers)
		return -EINVAL;
	struct spent *s = &spent[workerid];
	spent_lock(s);
	if (s->runs)
		turn(s, rt_instant_ns(), 0);
	if (worker_info)
		*worker_info = info_of(s);
	count_anew(s, s->last);
	spent_unlock(s);
	return 0;
}
