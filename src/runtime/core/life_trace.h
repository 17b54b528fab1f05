/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime's own life as events of libweft: `weft record` of a program that uses us shows its tasks without a change.
 *
 *     category starpu          a region for each codelet on the worker that runs its tasks; an arrow (flow "task") from where a
 *                              task was submitted to where it began; regions for waiting and sleeping threads
 *     category starpu_detail   attributes of a task's region where they say something: priority, tag, iteration; dependencies
 *                              from task to task (flow "depends"); all that life_detail.h lists
 *
 * A task is named by its rt_ref. Nothing is recorded, and one word is read, while recording is off.
 */
#ifndef WEFT_RUNTIME_LIFE_TRACE_H
#define WEFT_RUNTIME_LIFE_TRACE_H

#include "core.h"
#include <weft/record.h>

struct rt_trace {
	weft_flow task;    /* on: the category is */
	weft_flow depends; /* on: details are */
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
	return WEFT_UNLIKELY(*rt_trace.depends != 0);
}

/* An attribute is not recorded when it is 0. */
struct rt_trace_task {
	const void *codelet; /* what the name is kept under */
	const char *name;    /* NULL: rt_trace_nameless finds one */
	int64_t priority, tag, iteration;
};
/* What a codelet without a name is called; the text may be put into `room`. NULL: "unnamed". */
extern const char *(*rt_trace_nameless)(const void *codelet, char *room, size_t size);
/* The job has been submitted by this thread; `s->before` still says what it depends on. */
void rt_trace_submit(const struct rt_submitter *s, rt_ref job);
/* Its function begins, or ends, on this worker. */
void rt_trace_start(rt_ref job, const struct rt_trace_task *t);
void rt_trace_end(const void *codelet, const char *name);
void rt_trace_resume(const void *codelet, const char *name); /* it goes on: its region begins anew */

#endif
