/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the category starpu_detail has beside tasks and their dependencies: all definitions are made here, from one table; the core
 * records when jobs become ready and how many are, run/ what a task is, data/ where data are and go. docs/tasks.md says what each
 * means. What needs several values is a region with attributes: they belong to one another, and it lasted as long as it lasts.
 *
 * Callers ask rt_traced_in_detail() first wherever anything is to be computed; a definition that is off records nothing.
 */
#ifndef WEFT_RUNTIME_LIFE_DETAIL_H
#define WEFT_RUNTIME_LIFE_DETAIL_H

#include "life_trace.h"

/* D(group, kind, member, name, unit or class of state). Those of ALWAYS are in the category starpu_meta. */
#define RT_DETAILS(D) \
	D(TASK_VERBOSE, type, ready, "ready", "") \
	D(SCHED, type, push, "scheduler push", "") \
	D(SCHED, type, pop, "scheduler pop", "") \
	D(SCHED_VERBOSE, type, stolen, "stolen from worker", "") \
	D(DATA, type, wont_use, "won't use", "") \
	D(DATA, type, released, "data released", "") \
	D(ALWAYS, type, unregistered, "unregistered", "") \
	D(DSM, type, copy_submitted, "copy submitted", "bytes") \
	D(USER, type, user_event, "user event", "") \
	D(USER, type, user_message, "user message", "") \
	D(ALWAYS, type, user_meta, "user meta message", "") \
	D(USER, type, wait_for_all, "wait for all", "") \
	D(TASK_VERBOSE, counter, n_submitted, "submitted tasks", "") \
	D(TASK_VERBOSE, counter, n_ready, "ready tasks", "") \
	D(DSM, flow, transfer, "transfer", "") \
	D(WORKER, region, fetching, "fetching input", WEFT_STATE_WAITING) \
	D(WORKER_VERBOSE, region, callback, "callback", WEFT_STATE_RUNNING) \
	D(SCHED_VERBOSE, region, scheduling, "scheduling", WEFT_STATE_SCHEDULING) \
	D(WORKER_VERBOSE, region, progressing, "progressing", WEFT_STATE_WAITING) \
	D(WORKER_VERBOSE, region, overhead, "overhead", WEFT_STATE_OVERHEAD) \
	D(WORKER_VERBOSE, region, pushing_output, "pushing output", WEFT_STATE_OVERHEAD) \
	D(TASK, region, throttling, "throttling", WEFT_STATE_WAITING) \
	D(SUBMISSION, region, building, "building", WEFT_STATE_OVERHEAD) \
	D(SUBMISSION, region, submitting, "submitting", WEFT_STATE_OVERHEAD) \
	D(ALWAYS, region, component, "scheduler component", WEFT_STATE_SCHEDULING) \
	D(SCHED_VERBOSE, region, component_push, "component push", WEFT_STATE_SCHEDULING) \
	D(SCHED_VERBOSE, region, component_pull, "component pull", WEFT_STATE_SCHEDULING) \
	D(ALWAYS, region, registering, "data registered", WEFT_STATE_MEMORY) \
	D(ALWAYS, region, naming, "data named", WEFT_STATE_MEMORY) \
	D(ALWAYS, region, placing, "data coordinates", WEFT_STATE_MEMORY) \
	D(DSM, region, allocating, "allocating", WEFT_STATE_MEMORY) \
	D(DSM, region, freeing, "freeing", WEFT_STATE_MEMORY) \
	D(DSM, region, copying, "copying", WEFT_STATE_COMMUNICATING) \
	D(DSM, region, interface_copying, "copying by interface", WEFT_STATE_COMMUNICATING) \
	D(DATA, region, acquiring, "acquiring data", WEFT_STATE_WAITING) \
	D(ALWAYS, region, worker, "worker", WEFT_STATE_OVERHEAD) \
	D(ALWAYS, region, memory_node, "memory node", WEFT_STATE_MEMORY) \
	D(WORKER, region, initialising, "initialising", WEFT_STATE_OVERHEAD) \
	D(WORKER, region, deinitialising, "deinitialising", WEFT_STATE_OVERHEAD) \
	D(DSM_VERBOSE, region, data_state, "data state", WEFT_STATE_MEMORY) \
	D(LOCK, region, locking, "locking", WEFT_STATE_SYNCHRONIZING) \
	D(ALWAYS, attr, task, "task", "") \
	D(ALWAYS, attr, name, "name", "") \
	D(ALWAYS, attr, model, "model", "") \
	D(ALWAYS, attr, footprint, "footprint", "") \
	D(ALWAYS, attr, size, "size", "bytes") \
	D(ALWAYS, attr, flops, "flops", "") \
	D(ALWAYS, attr, sub_iteration, "sub-iteration", "") \
	D(ALWAYS, attr, job_id, "job id", "") \
	D(ALWAYS, attr, submit_order, "submit order", "") \
	D(ALWAYS, attr, file, "file", "") \
	D(ALWAYS, attr, line, "line", "") \
	D(ALWAYS, attr, color, "colour", "") \
	D(ALWAYS, attr, handle, "handle", "") \
	D(ALWAYS, attr, mode, "mode", "") \
	D(ALWAYS, attr, coordinate, "coordinate", "") \
	D(ALWAYS, attr, numa, "NUMA nodes", "") \
	D(ALWAYS, attr, parent, "parent", "") \
	D(ALWAYS, attr, home, "home node", "") \
	D(ALWAYS, attr, node, "node", "") \
	D(ALWAYS, attr, from, "from node", "") \
	D(ALWAYS, attr, to, "to node", "") \
	D(ALWAYS, attr, bytes, "bytes", "bytes") \
	D(ALWAYS, attr, cached, "cached", "") \
	D(ALWAYS, attr, context, "context", "") \
	D(ALWAYS, attr, description, "description", "") \
	D(ALWAYS, attr, number, "worker", "") \
	D(ALWAYS, attr, kind, "kind", "") \
	D(ALWAYS, attr, cause, "cause", "") \
	D(ALWAYS, attr, state, "state", "") \
	D(ALWAYS, attr, component_id, "component", "") \
	D(ALWAYS, attr, component_from, "from component", "") \
	D(ALWAYS, attr, component_to, "to component", "") \
	D(ALWAYS, attr, lock, "lock", "")

#define RT_DETAIL_MEMBER(group, kind, member, name, unit) weft_def member;
struct rt_detail {
	RT_DETAILS(RT_DETAIL_MEMBER)
};
#undef RT_DETAIL_MEMBER
extern struct rt_detail rt_detail;

void rt_detail_begin(void); /* of rt_trace_begin() */
/* A counter of bytes for each memory node: "WHAT, node N". */
weft_counter rt_detail_of_node(const char *what, unsigned node);
weft_attr rt_detail_attr(const char *name); /* one more */

/*
 * How many are not done, and how many are ready: with `more` that are about to be counted. Not each change is recorded: each of few, and of
 * many so often that what the trace says is within an eighth of it (times the threads that change it). `settled`: this one is.
 */
void rt_detail_unfinished(struct weft_bundle *b, struct rt_submitter *s, uint64_t more);
void rt_detail_settled(struct rt_submitter *s);

/* The job, which has a body, has become ready: whoever says so has it. And it begins to run for the first time. */
void rt_detail_ready(struct weft_bundle *b, struct rt_submitter *s, struct rt_job *j);
void rt_detail_began(struct rt_worker *w, struct rt_job *j);
void rt_detail_is_ready(struct rt_submitter *s, struct rt_job *j); /* a record of its own */
/* Behind a job, or a part of it: its overhead ends, if that has begun. */
void rt_detail_ended(struct rt_worker *w, bool overhead);
void rt_detail_counts(struct rt_submitter *s); /* a record of its own: jobs came or went */

static inline void rt_trace_ready(struct rt_submitter *s, struct rt_job *j)
{
	if (rt_traced_in_detail() && !(j->bits & RT_J_READY))
		rt_detail_is_ready(s, j);
}

/* A lock of the runtime's is waited for from here on, until the region rt_detail.locking is left: asked for only with RT_GROUP_LOCK. */
void rt_detail_locking(const char *which);

/* Attributes of this thread's innermost region. */
void rt_detail_text(weft_attr a, const char *text); /* NULL: none */
static inline void rt_detail_pointer(weft_attr a, const void *p)
{
	weft_attr_int(a, (int64_t)(uintptr_t)p);
}
/* The same in a bundle: of the region that is innermost then. */
static inline void rt_detail_add(struct weft_bundle *b, weft_attr a, int64_t value)
{
	weft_bundle_add(b, a, WEFT_HEAD_ATTR, (uint64_t)value);
}
static inline void rt_detail_add_pointer(struct weft_bundle *b, weft_attr a, const void *p)
{
	weft_bundle_add(b, a, WEFT_HEAD_ATTR, (uint64_t)(uintptr_t)p);
}
static inline void rt_detail_add_text(struct weft_bundle *b, weft_attr a, const char *text)
{
	if (text && *a)
		weft_bundle_add(b, a, WEFT_HEAD_ATTR_S, weft_define_string(text));
}

#endif
