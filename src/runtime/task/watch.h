/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchers: subscribers (profiling, counters, tools, bounds, live displays) whose callbacks are
 * called at each station of a task's way while they are on. One word has a bit for each; it is read
 * once at a station, and nothing else is while it is 0. While any watcher beside profiling is on,
 * no codelet is plain, so that each task has a struct (profile.h has its own way for plain ones).
 *
 *     submit ─> ready ─> pop ─> start ─> end ─> released ─> callback ─> called back
 *     worker:                          sleep ─> wake
 *
 * Consecutive stations with nothing between them are passed at one instant (rt_pass_at_once).
 */
#ifndef WEFT_RUNTIME_TASK_WATCH_H
#define WEFT_RUNTIME_TASK_WATCH_H

#include "machine.h"

enum rt_station {
	RT_AT_SUBMIT,
	RT_AT_READY,
	RT_AT_POP,
	RT_AT_START,
	RT_AT_END,
	RT_AT_RELEASED,
	RT_AT_CALLBACK,
	RT_AT_CALLED_BACK,
	RT_AT_SLEEP,
	RT_AT_WAKE,
	RT_STATIONS
};

enum rt_watcher { RT_WATCH_PROFILE, RT_WATCH_COUNTERS, RT_WATCH_TOOL, RT_WATCH_BOUND, RT_WATCH_LIVE, RT_WATCHERS };

enum { RT_NO_WORKER = STARPU_NMAXWORKERS };

/*
 * `t` is NULL and `worker` RT_NO_WORKER where there is none. Called by any thread, several at once.
 */
typedef void (*rt_watch_fn)(enum rt_station at, struct starpu_task *t, unsigned worker, uint64_t now_ns);

extern struct weft_atomic_u32 rt_watched;
extern struct weft_atomic_bool rt_watch_profiles_structs; /* profiling wants more of tasks than times */
static inline bool rt_is_watched(void)
{
	return WEFT_UNLIKELY(weft_load_u32(&rt_watched) != 0);
}
static inline bool rt_is_watched_by(enum rt_watcher who)
{
	return weft_load_u32(&rt_watched) & 1u << who;
}

/* Each task is to have a struct. */
bool rt_wants_structs(void);
/* Subscribes; NULL unsubscribes, and a station that has begun may still call it a moment later. */
void rt_watch(enum rt_watcher who, rt_watch_fn fn);

void rt_watch_pass(enum rt_station at, struct starpu_task *t, unsigned worker);
static inline void rt_pass(enum rt_station at, struct starpu_task *t, unsigned worker)
{
	if (rt_is_watched())
		rt_watch_pass(at, t, worker);
}

/* The same at the instant of the station that this thread passed last. */
void rt_watch_pass_at_once(enum rt_station at, struct starpu_task *t, unsigned worker);
static inline void rt_pass_at_once(enum rt_station at, struct starpu_task *t, unsigned worker)
{
	if (rt_is_watched())
		rt_watch_pass_at_once(at, t, worker);
}

#endif
