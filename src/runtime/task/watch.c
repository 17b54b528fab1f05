/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watchers: a word of bits, and a callback for each bit. The callback is stored before its bit is
 * set and never cleared, so that a station that has read the bit finds it. Turning a watcher on or
 * off changes whether codelets are plain; they are examined again at their next task.
 */
#include "watch.h"
#include "runtime/meter/instant.h"

struct weft_atomic_u32 rt_watched;
struct weft_atomic_bool rt_watch_profiles_structs;
static struct weft_atomic_ptr watching[RT_WATCHERS];
static _Thread_local RT_NEAR uint64_t last_ns;

static bool want_structs(uint32_t watched)
{
	return watched & ~(1U << RT_WATCH_PROFILE) || (watched && weft_load_bool(&rt_watch_profiles_structs));
}

bool rt_wants_structs(void)
{
	return want_structs(weft_load_u32(&rt_watched));
}

void rt_watch(enum rt_watcher who, rt_watch_fn fn)
{
	uint32_t bit = 1u << who, old = weft_load_u32(&rt_watched), wanted;
	rt_instant_begin();
	if (fn)
		weft_store_ptr(&watching[who], (void *)fn);
	do
		wanted = fn ? old | bit : old & ~bit;
	while (!weft_cas_u32(&rt_watched, &old, wanted));
	if (want_structs(old) != want_structs(wanted)) /* codelets are examined again */
		__atomic_add_fetch(&rt_machine.codelets, 1, __ATOMIC_ACQ_REL);
}

void rt_watch_pass(enum rt_station at, struct starpu_task *t, unsigned worker)
{
	last_ns = rt_instant_ns();
	rt_watch_pass_at_once(at, t, worker);
}

void rt_watch_pass_at_once(enum rt_station at, struct starpu_task *t, unsigned worker)
{
	uint64_t now = last_ns ? last_ns : rt_instant_ns();
	for (uint32_t left = weft_load_u32(&rt_watched); left; left &= left - 1)
		((rt_watch_fn)weft_load_ptr(&watching[__builtin_ctz(left)]))(at, t, worker, now);
}
