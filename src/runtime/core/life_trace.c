/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions of codelets are kept by the codelet's address and name in a table without locks for readers; a codelet whose memory has
 * become another one is seen by its name.
 */
#include "life_detail.h"
#include "simulator.h"
#include <pthread.h>

struct rt_trace rt_trace = {WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF, WEFT_OFF};
uint32_t rt_trace_groups = RT_GROUP_DEFAULT | RT_GROUP_TASK_EXTRA;
static struct weft_atomic_bool keeps_meta;

void rt_trace_keeps_meta(bool keeps)
{
	weft_store_bool(&keeps_meta, keeps);
}

bool rt_traced_meta(void)
{
	return rt_traced_in_detail() || weft_load_bool(&keeps_meta);
}

static void define(void)
{
	weft_category basic = weft_define_category("starpu", 1), detail = weft_define_category("starpu_detail", 0);
	weft_category meta = weft_define_category("starpu_meta", 1);
	bool tasks = rt_trace_has(RT_GROUP_TASK), workers = rt_trace_has(RT_GROUP_WORKER);
	rt_trace = (struct rt_trace){
		.task = tasks ? weft_define_own_flow("task", basic) : WEFT_OFF,
		.depends = tasks ? weft_define_own_flow("depends", detail) : WEFT_OFF,
		.detail = detail,
		.sleep = workers ? weft_define_region("sleeping", WEFT_STATE_IDLE, basic) : WEFT_OFF,
		.wait = workers ? weft_define_region("waiting for tasks", WEFT_STATE_WAITING, basic) : WEFT_OFF,
		.priority = weft_define_attr("priority", "", meta),
		.tag = weft_define_attr("tag", "", meta),
		.iteration = weft_define_attr("iteration", "", meta),
	};
	rt_detail_begin();
}

void rt_trace_begin(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (!rt_simulator) /* its tasks do not run when the recorder's clock says so, nor on threads */
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

/* Whoever has nothing to wait for is ready at once: it is said here, in the same record. */
static void submit_in_detail(struct rt_submitter *s, struct rt_job *j)
{
	struct weft_bundle b;
	rt_ref job = rt_job_ref(j);
	weft_bundle_begin(&b);
	weft_bundle_add(&b, rt_trace.task, WEFT_HEAD_FLOW_OUT, job);
	rt_detail_unfinished(&b, s, 1); /* it is counted in a moment */
	if (!s->before.n)
		rt_detail_ready(&b, s, j);
	for (uint32_t i = 0; i < s->before.n; i++)
		weft_bundle_add_pair(&b, rt_trace.depends, WEFT_HEAD_DEPENDENCY, s->before.at[i], job);
	weft_bundle_record(&b);
}

void rt_trace_submit(struct rt_submitter *s, struct rt_job *j)
{
	if (rt_traced_in_detail())
		submit_in_detail(s, j);
	else
		weft_flow_out(rt_trace.task, rt_job_ref(j));
}

void rt_trace_start(rt_ref job, const struct rt_trace_task *t)
{
	if (rt_traced_in_detail()) {
		struct weft_bundle b;
		weft_bundle_begin(&b);
		rt_trace_start_in(&b, job, t);
		weft_bundle_record(&b);
	} else {
		weft_enter_flow(region_of(t->codelet, t->name), rt_trace.task, job);
	}
}

void rt_trace_start_in(struct weft_bundle *b, rt_ref job, const struct rt_trace_task *t)
{
	weft_bundle_add(b, region_of(t->codelet, t->name), WEFT_HEAD_ENTER, 0);
	weft_bundle_add(b, rt_trace.task, WEFT_HEAD_FLOW_IN, job);
	if (t->priority)
		weft_bundle_add(b, rt_trace.priority, WEFT_HEAD_ATTR, (uint64_t)t->priority);
	if (t->tag)
		weft_bundle_add(b, rt_trace.tag, WEFT_HEAD_ATTR, (uint64_t)t->tag);
	if (t->iteration)
		weft_bundle_add(b, rt_trace.iteration, WEFT_HEAD_ATTR, (uint64_t)t->iteration);
}

void rt_trace_end(const void *codelet, const char *name)
{
	weft_leave(region_of(codelet, name));
}

void rt_trace_end_last(struct rt_worker *w, const void *codelet, const char *name)
{
	struct weft_bundle b;
	weft_region r = region_of(codelet, name);
	if (w->overhead != RT_OVERHEAD_FOLLOWS || !*rt_detail.overhead) {
		weft_leave(r);
		return;
	}
	weft_bundle_begin(&b);
	weft_bundle_add(&b, r, WEFT_HEAD_LEAVE, 0);
	weft_bundle_add(&b, rt_detail.overhead, WEFT_HEAD_ENTER, 0);
	weft_bundle_record(&b);
	w->overhead = RT_OVERHEAD_BEGUN;
}

void rt_trace_resume(const void *codelet, const char *name)
{
	weft_enter(region_of(codelet, name));
}
