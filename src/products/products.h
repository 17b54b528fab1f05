/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that StarPU's trace tool makes, from traces of our runtime: paje.trace, dag.dot, tasks.rec, sched_tasks.rec, data.rec,
 * comms.rec, papi.rec, trace.rec, activity.data, distrib.data, trace.html, and number_events.data. What is in them, in which order and
 * unit: docs/offline-tools.md.
 */
#ifndef WEFT_PRODUCTS_PRODUCTS_H
#define WEFT_PRODUCTS_PRODUCTS_H

#include "trace/store/trace.h"

struct weft_products_how {
	const char *folder; /* NULL: here; made where it is not there */
	const char *paje;   /* the name of the Gantt chart's file; NULL: paje.trace */
	bool colors;        /* each kind of task has a colour of its own */
	bool no_events, no_counter, no_bus, no_flops, no_smooth, no_acquire, no_dependencies;
	bool memory_states, internal, label_dependencies, number_events, use_task_color;
	bool keep; /* a file that is there already is an error, and nothing is written */
};
struct weft_products_made {
	uint64_t n_tasks, n_bytes;
	uint64_t n_unfinished; /* tasks that have not ended: the trace is cut */
	int signal;            /* that has ended a program; 0: none is known to have */
	uint32_t n_programs;
	bool has_detail; /* false: tasks say their times only */
};

/* Several traces are programs of one run. 0, or negative with what is wrong; -ENODATA: there are no tasks of the runtime. */
int weft_products_write(struct weft_trace *const *trace, uint32_t n, const struct weft_products_how *how,
                        struct weft_products_made *made, struct weft_err *err) WEFT_MUST_CHECK;

#endif
