/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver makes workers of one kind: a table of functions, which src/runtime/drivers fills. What
 * is common to all (fetching data, callbacks, releasing) stands in run/run.c; the driver only runs
 * the function of a task. CUDA would be one more table.
 */
#ifndef WEFT_RUNTIME_TASK_DRIVER_H
#define WEFT_RUNTIME_TASK_DRIVER_H

#include "machine.h"

struct rt_driver {
	enum starpu_worker_archtype arch;
	const char *name; /* in messages and environment variables: "CPU" */
	uint64_t where;   /* STARPU_CPU… */
	unsigned traits;  /* enum rt_worker_traits of its workers */
	enum starpu_node_kind memory;
	/* Adds its workers to the machine that begins. How many, or negative and `err` says why. */
	int (*probe)(struct rt_machine *m, struct weft_err *err);
	/* The application's name for a worker means this one of its kind. */
	bool (*is)(const struct rt_worker_info *w, const struct starpu_driver *d);
	/*
	 * Then its memory nodes, and sets its workers' nodes. 0, or negative and `err` says why.
	 * NULL: it has none.
	 */
	int (*probe_memory)(struct rt_machine *m, struct weft_err *err);
	/* On the worker's thread, before the first job and after the last. May be NULL. */
	void (*begin)(struct rt_worker *w);
	void (*end)(struct rt_worker *w);
	/*
	 * Runs implementation `impl` of the job's codelet. RT_DONE: it is done. RT_LATER: it runs
	 * asynchronously; the driver calls rt_task_ran(j, w) on this worker from `poll` when it has
	 * completed, and for such functions rt_task_begins and rt_task_stops.
	 */
	enum rt_verdict (*run)(struct rt_worker *w, struct rt_job *j, unsigned impl, void **buffers, void *cl_arg);
	/* The codelet has an implementation `impl` for this kind. */
	bool (*has)(const struct starpu_codelet *cl, unsigned impl);
	/*
	 * The function only enqueues work on the device, behind the work that is there. NULL: none
	 * does.
	 */
	bool (*flies)(const struct starpu_codelet *cl, unsigned impl);
	/* Between jobs. True: asynchronous work is pending. NULL: there never is any. */
	bool (*poll)(struct rt_worker *w);
	/* Waits for pending work. May be NULL. */
	void (*drain)(struct rt_worker *w);
	/*
	 * Waits for the work that functions called on this worker have enqueued on its device.
	 * NULL: there never is any.
	 */
	void (*finish)(struct rt_worker *w);
};

static inline bool rt_driver_is(const struct rt_worker_info *w, const struct starpu_driver *d)
{
	return w->arch == d->type && w->driver->is(w, d);
}

/* For probe: one more, whose number it returns, or -ENOSPC. */
int rt_machine_add_worker(struct rt_machine *m, const struct rt_worker_info *w);
int rt_machine_add_node(struct rt_machine *m, enum starpu_node_kind kind, int devid, const char *name);

#endif
