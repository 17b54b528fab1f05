/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions of codelets are kept by the codelet's address and name in a table without locks for readers; a codelet whose memory has
 * become another one is seen by its name.
 */
#include "life_detail.h"
#include <pthread.h>

struct rt_trace rt_trace = {WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF};

static void define(void)
{
	weft_category basic = weft_define_category("starpu", 1), detail = weft_define_category("starpu_detail", 0);
	rt_trace = (struct rt_trace){
		.task = weft_define_own_flow("task", basic),
		.depends = weft_define_own_flow("depends", detail),
		.sleep = weft_define_region("sleeping", WEFT_STATE_IDLE, basic),
		.wait = weft_define_region("waiting for tasks", WEFT_STATE_WAITING, basic),
		.priority = weft_define_attr("priority", "", detail),
		.tag = weft_define_attr("tag", "", detail),
		.iteration = weft_define_attr("iteration", "", detail),
	};
	rt_detail_begin();
}

void rt_trace_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, define);
}

/* ---- regions of codelets ---- */

enum { SLOTS = 1024, PROBES = 16 };
struct slot {
	struct weft_atomic_ptr codelet; /* stored last */
	const char *name;
	weft_region region;
};
static struct slot slots[SLOTS];
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t hash(const void *codelet, const char *name)
{
	uint64_t x = ((uintptr_t)codelet ^ (uintptr_t)name >> 3) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(x >> 54) % SLOTS;
}

const char *(*rt_trace_nameless)(const void *codelet, char *room, size_t size);

static weft_region region_new(const void *codelet, const char *name)
{
	char room[128];
	const char *called = name || !rt_trace_nameless ? name : rt_trace_nameless(codelet, room, sizeof room);
	weft_region r = weft_define_region(called ? called : "unnamed", WEFT_STATE_RUNNING, weft_define_category("starpu", 1));
	pthread_mutex_lock(&slots_lock);
	for (size_t i = hash(codelet, name), k = 0; k < PROBES; i = (i + 1) % SLOTS, k++)
		if (!weft_load_ptr(&slots[i].codelet)) {
			slots[i].name = name;
			slots[i].region = r;
			weft_store_ptr(&slots[i].codelet, (void *)(uintptr_t)codelet);
			break;
		}
	pthread_mutex_unlock(&slots_lock);
	return r;
}

static weft_region region_of(const void *codelet, const char *name)
{
	for (size_t i = hash(codelet, name), k = 0; k < PROBES; i = (i + 1) % SLOTS, k++) {
		const void *found = weft_load_ptr(&slots[i].codelet);
		if (found == codelet && slots[i].name == name)
			return slots[i].region;
		if (!found)
			break;
	}
	return region_new(codelet, name);
}

/* ---- tasks ---- */

void rt_trace_submit(const struct rt_submitter *s, rt_ref job)
{
	weft_flow_out(rt_trace.task, job);
	if (!rt_traced_in_detail())
		return;
	rt_detail_unfinished(s->runtime, 1); /* it is counted in a moment */
	for (uint32_t i = 0; i < s->before.n; i++) {
		uint64_t pair[2] = {s->before.at[i], job};
		weft_record(rt_trace.depends, WEFT_HEAD_DEPENDENCY, 2, pair);
	}
}

void rt_trace_start(rt_ref job, const struct rt_trace_task *t)
{
	weft_enter_flow(region_of(t->codelet, t->name), rt_trace.task, job);
	if (!rt_traced_in_detail())
		return;
	const int64_t value[] = {t->priority, t->tag, t->iteration};
	const weft_attr attr[] = {rt_trace.priority, rt_trace.tag, rt_trace.iteration};
	for (unsigned i = 0; i < 3; i++)
		if (value[i])
			weft_attr_int(attr[i], value[i]);
}

void rt_trace_end(const void *codelet, const char *name)
{
	weft_leave(region_of(codelet, name));
}

void rt_trace_resume(const void *codelet, const char *name)
{
	weft_enter(region_of(codelet, name));
}
