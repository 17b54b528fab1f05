/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime's own life as events of libweft: `weft record` of a program that uses us shows its tasks without a change.
 *
 *     category starpu          a region for each codelet on the worker that runs its tasks; an arrow (flow "task") from where a
 *                              task was submitted to where it began; regions for waiting and sleeping threads
 *     category starpu_detail   attributes of a task's region where they say something: priority, tag, iteration; dependencies
 *                              from task to task (flow "depends"); all that life_detail.h lists
 *     category starpu_meta     with details, what must be known of what is recorded elsewhere: workers, memory nodes, data
 *
 * A task is named by its rt_ref. Nothing is recorded, and one word is read, while recording is off.
 */
#ifndef WEFT_RUNTIME_LIFE_TRACE_H
#define WEFT_RUNTIME_LIFE_TRACE_H

#include "core.h"
#include <weft/record.h>

/* What can be left out (STARPU_FXT_EVENTS); ALWAYS are attributes, and what is recorded whenever anything is. */
enum rt_trace_group {
	RT_GROUP_ALWAYS = 1,
	RT_GROUP_USER = 2,
	RT_GROUP_TASK = 4,
	RT_GROUP_TASK_VERBOSE = 8,
	RT_GROUP_TASK_EXTRA = 16,
	RT_GROUP_DATA = 32,
	RT_GROUP_WORKER = 64,
	RT_GROUP_WORKER_VERBOSE = 128,
	RT_GROUP_DSM = 256,
	RT_GROUP_DSM_VERBOSE = 512,
	RT_GROUP_SCHED = 1024,
	RT_GROUP_SCHED_VERBOSE = 2048,
	RT_GROUP_LOCK = 4096,
	RT_GROUP_SUBMISSION = 8192, /* how long each is built and submitted: two more records a task */
	RT_GROUP_DEFAULT = 8191 & ~(RT_GROUP_TASK_EXTRA | RT_GROUP_LOCK),
};
extern uint32_t rt_trace_groups; /* set before rt_trace_begin(), which goes by it once */
static inline bool rt_trace_has(enum rt_trace_group group)
{
	return rt_trace_groups & (uint32_t)group;
}

struct rt_trace {
	weft_flow task; /* on: the category is, and tasks are wanted */
	weft_flow depends;
	weft_category detail;
	weft_region sleep, wait;
	weft_attr priority, tag, iteration;
};
extern struct rt_trace rt_trace;

void rt_trace_begin(void); /* makes the definitions, once */

static inline bool rt_traced(void)
{
	return WEFT_UNLIKELY(*rt_trace.task != 0);
}
static inline bool rt_traced_in_detail(void)
{
	return WEFT_UNLIKELY(*rt_trace.detail != 0);
}
/* What must be known is recorded: details are, or would be if the program had not stopped them (rt_trace_keeps_meta). */
void rt_trace_keeps_meta(bool keeps);
bool rt_traced_meta(void);

/* An attribute is not recorded when it is 0. */
struct rt_trace_task {
	const void *codelet; /* what the name is kept under */
	const char *name;    /* NULL: rt_trace_nameless finds one */
	int64_t priority, tag, iteration;
};
/* What a codelet without a name is called; the text may be put into `room`. NULL: "unnamed". */
extern const char *(*rt_trace_nameless)(const void *codelet, char *room, size_t size);
/* The job has been submitted by this thread; `s->before` still says what it depends on. */
void rt_trace_submit(struct rt_submitter *s, struct rt_job *j);
/* Its function begins, or ends, on this worker. With details: its region, for its attributes to be added; then record it. */
void rt_trace_start(rt_ref job, const struct rt_trace_task *t);
void rt_trace_start_in(struct weft_bundle *b, rt_ref job, const struct rt_trace_task *t);
void rt_trace_end(const void *codelet, const char *name);
/* It ends, and the job's body with it: what comes behind is overhead, which the core sees the end of (rt_worker_run). */
void rt_trace_end_last(struct rt_worker *w, const void *codelet, const char *name);
void rt_trace_resume(const void *codelet, const char *name); /* it goes on: its region begins anew */

#endif
