/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the runtime that begin and end with it, in the order of their beginning; each has its line here. */
#ifndef WEFT_RUNTIME_API_LAYERS_H
#define WEFT_RUNTIME_API_LAYERS_H

#include "runtime/task/machine.h"

extern const struct rt_layer rt_layer_data;
extern const struct rt_layer rt_layer_trace, rt_layer_fxt;
extern const struct rt_layer rt_layer_opencl, rt_layer_simulate, rt_layer_perf, rt_layer_sched, rt_layer_monitor, rt_layer_bound,
	rt_layer_live;

static const struct rt_layer *const rt_layers[] = {
	&rt_layer_fxt, /* ends last */
	&rt_layer_trace,    &rt_layer_data,
#ifdef STARPU_USE_OPENCL
	&rt_layer_opencl, /* its memory nodes come after main memory's */
#endif
	&rt_layer_simulate, &rt_layer_perf, &rt_layer_sched, &rt_layer_monitor, &rt_layer_bound, &rt_layer_live, NULL,
};

#endif
