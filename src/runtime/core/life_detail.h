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

/* D(kind, member, name, unit or class of state) */
#define RT_DETAILS(D) \
	D(type, ready, "ready", "") \
	D(type, push, "scheduler push", "") \
	D(type, pop, "scheduler pop", "") \
	D(type, wont_use, "won't use", "") \
	D(type, unregistered, "unregistered", "") \
	D(type, copy_submitted, "copy submitted", "bytes") \
	D(type, user_event, "user event", "") \
	D(type, user_message, "user message", "") \
	D(counter, n_submitted, "submitted tasks", "") \
	D(counter, n_ready, "ready tasks", "") \
	D(flow, transfer, "transfer", "") \
	D(region, fetching, "fetching input", WEFT_STATE_WAITING) \
	D(region, callback, "callback", WEFT_STATE_RUNNING) \
	D(region, scheduling, "scheduling", WEFT_STATE_SCHEDULING) \
	D(region, progressing, "progressing", WEFT_STATE_WAITING) \
	D(region, overhead, "overhead", WEFT_STATE_OVERHEAD) \
	D(region, registering, "data registered", WEFT_STATE_MEMORY) \
	D(region, naming, "data named", WEFT_STATE_MEMORY) \
	D(region, placing, "data coordinates", WEFT_STATE_MEMORY) \
	D(region, allocating, "allocating", WEFT_STATE_MEMORY) \
	D(region, freeing, "freeing", WEFT_STATE_MEMORY) \
	D(region, copying, "copying", WEFT_STATE_COMMUNICATING) \
	D(region, interface_copying, "copying by interface", WEFT_STATE_COMMUNICATING) \
	D(attr, task, "task", "") \
	D(attr, name, "name", "") \
	D(attr, model, "model", "") \
	D(attr, footprint, "footprint", "") \
	D(attr, size, "size", "bytes") \
	D(attr, flops, "flops", "") \
	D(attr, sub_iteration, "sub-iteration", "") \
	D(attr, job_id, "job id", "") \
	D(attr, submit_order, "submit order", "") \
	D(attr, parameters, "parameters", "") \
	D(attr, file, "file", "") \
	D(attr, line, "line", "") \
	D(attr, color, "colour", "") \
	D(attr, handle, "handle", "") \
	D(attr, mode, "mode", "") \
	D(attr, coordinate, "coordinate", "") \
	D(attr, numa, "NUMA nodes", "") \
	D(attr, parent, "parent", "") \
	D(attr, home, "home node", "") \
	D(attr, node, "node", "") \
	D(attr, from, "from node", "") \
	D(attr, to, "to node", "") \
	D(attr, bytes, "bytes", "bytes") \
	D(attr, cached, "cached", "")

#define RT_DETAIL_MEMBER(kind, member, name, unit) weft_def member;
struct rt_detail {
	RT_DETAILS(RT_DETAIL_MEMBER)
};
#undef RT_DETAIL_MEMBER
extern struct rt_detail rt_detail;

void rt_detail_begin(void); /* of rt_trace_begin() */
/* A counter of bytes for each memory node: "WHAT, node N". */
weft_counter rt_detail_of_node(const char *what, unsigned node);
weft_attr rt_detail_attr(const char *name); /* one more */

/* The job, which has a body, has become ready: whoever says so has it. And it begins to run for the first time. */
void rt_detail_ready(struct rt_job *j);
void rt_detail_began(struct rt_job *j);
void rt_detail_unfinished(const struct rt_runtime *r, uint64_t more);

static inline void rt_trace_ready(struct rt_job *j)
{
	if (rt_traced_in_detail())
		rt_detail_ready(j);
}

/* Attributes of this thread's innermost region. */
void rt_detail_text(weft_attr a, const char *text); /* NULL: none */
static inline void rt_detail_pointer(weft_attr a, const void *p)
{
	weft_attr_int(a, (int64_t)(uintptr_t)p);
}

#endif
