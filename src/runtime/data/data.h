/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data layer for the rest of the runtime: before a task runs, fetch; when it is done, release.
 *
 *     for each access: buffers[i] = handle->plain      one load; all there: run
 *     else  rt_data_fetch(job, worker, buffers)        0: run, then rt_data_done();   1: the job is parked, say RT_LATER:
 *                                                      it comes back by rt_again(), and its body asks once more
 */
#ifndef WEFT_RUNTIME_DATA_H
#define WEFT_RUNTIME_DATA_H

#include "handle.h"
#include "runtime/task/machine.h"
#include "runtime/core/core.h"

/* ---- around a task ---- */

/* The interfaces that the task finds; false: look closer. */
static inline bool rt_data_plain(struct rt_job *j, void **buffers)
{
	struct rt_handle **h = rt_job_handles(j);
	const uint32_t *mode = rt_job_modes(j);
	uint32_t special = 0;
	for (unsigned i = 0; i < j->n_accesses; i++) {
		/* relaxed: what ordered this job behind the writer orders its interface too */
		buffers[i] = weft_load_relaxed_ptr(&rt_handle_of(h[i])->plain);
		special |= mode[i] | -(uint32_t)!buffers[i];
	}
	return WEFT_LIKELY(!(special & (RT_SCRATCH | RT_REDUX | RT_COMMUTE | RT_UNORDERED | RT_FETCHED)));
}
/*
 * 0: buffers[] are filled, all replicas are pinned; 1: not yet, the job comes back to this worker;
 * negative: impossible (-ENOMEM), and the reason is in `err`. A job that comes back calls it again,
 * and keeps the claims and pins that it has.
 */
int rt_data_fetch(struct rt_job *j, struct rt_worker *w, void **buffers, struct weft_err *err) WEFT_MUST_CHECK;
/* After the task, when rt_data_plain() was false. */
void rt_data_done(struct rt_job *j, struct rt_worker *w);
/* Has rt_data_fetch() been called for this job? */
static inline bool rt_data_was_fetched(struct rt_job *j)
{
	return j->n_accesses && rt_job_modes(j)[0] & RT_FETCHED;
}
/* Begins to bring a handle's value to a node, when a policy has chosen one. Never waits. */
struct rt_prefetch {
	enum starpu_is_prefetch kind;
	int priority;
	const char *cause; /* for the trace, as in mover.h */
	rt_ref task;
};
void rt_data_prefetch_handle(starpu_data_handle_t h, unsigned node, const struct rt_prefetch *how);

/* ---- life ---- */

/*
 * Begins before layers of drivers that add memory nodes (rt_node_add, in their `begin`: the number
 * that it returns is the node's in the machine). Ends after the last task; handles that are still
 * registered are given back.
 */
extern const struct rt_layer rt_layer_data;

/*
 * Submits tasks from here, those that begin a value (redux.c): rt_task_submit of run/, a layer
 * above.
 */
void rt_data_submits_by(int (*submit)(struct starpu_task *t, bool nodeps));

/* ---- for the policies and models ---- */

size_t rt_data_size(starpu_data_handle_t h);
uint32_t rt_data_footprint(starpu_data_handle_t h); /* of its layout: for models and the allocation cache */
/* Its value is there, or its transfer is under way. */
bool rt_data_is_on(starpu_data_handle_t h, unsigned node);

#endif
