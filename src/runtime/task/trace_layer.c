/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Life of the runtime in the trace: regions around its begin and its end, its workers and memory
 * nodes as attributes of regions of their own, and names of codelets that have none.
 */
#include "driver.h"
#include "runtime/core/life_detail.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* By its function: its exported name, or its place, "program+0x2a49". NULL: unknown. */
static const char *by_function(const void *codelet, char *room, size_t size)
{
	char *function = (char *)(uintptr_t)((const struct starpu_codelet *)codelet)->cpu_funcs[0];
	Dl_info in;
	if (!function || !dladdr(function, &in) || !in.dli_fname)
		return NULL;
	if (in.dli_sname && in.dli_saddr == function)
		return in.dli_sname;
	const char *slash = strrchr(in.dli_fname, '/');
	snprintf(room, size, "%s+%#tx", slash ? slash + 1 : in.dli_fname, function - (char *)in.dli_fbase);
	return room;
}

/* ---- which workers and memory nodes there are ---- */

static bool told; /* later nodes are recorded when they are added; under the lock of begin and end, or of new nodes */

void rt_trace_worker(unsigned worker)
{
	struct weft_bundle b;
	const struct rt_worker_info *w = &rt_machine.worker[worker];
	if (worker >= rt_machine.n_workers || !rt_traced_meta())
		return;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, rt_detail.worker, WEFT_HEAD_ENTER, 0);
	rt_detail_add(&b, rt_detail.number, worker);
	rt_detail_add_text(&b, rt_detail.name, w->name);
	rt_detail_add_text(&b, rt_detail.kind, w->driver->name);
	rt_detail_add(&b, rt_detail.node, w->node);
	weft_bundle_add(&b, rt_detail.worker, WEFT_HEAD_LEAVE, 0);
	weft_bundle_record(&b);
}

static const char *kind_of(enum starpu_node_kind kind)
{
	static const char *const names[] = {
		[STARPU_CPU_RAM] = "CPU_RAM",   [STARPU_CUDA_RAM] = "CUDA_RAM",         [STARPU_OPENCL_RAM] = "OPENCL_RAM",
		[STARPU_DISK_RAM] = "DISK_RAM", [STARPU_MAX_FPGA_RAM] = "MAX_FPGA_RAM", [STARPU_MPI_SC_RAM] = "MPI_SC_RAM",
		[STARPU_HIP_RAM] = "HIP_RAM",   [STARPU_TCPIP_SC_RAM] = "TCPIP_SC_RAM", [STARPU_SYCL_RAM] = "SYCL_RAM",
	};
	const char *name = (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
	return name ? name : "UNKNOWN";
}

static void tell_node(unsigned node)
{
	struct weft_bundle b;
	if (!rt_traced_meta())
		return;
	weft_bundle_begin(&b);
	weft_bundle_add(&b, rt_detail.memory_node, WEFT_HEAD_ENTER, 0);
	rt_detail_add(&b, rt_detail.node, node);
	rt_detail_add_text(&b, rt_detail.name, rt_machine.node[node].name);
	rt_detail_add_text(&b, rt_detail.kind, kind_of(rt_machine.node[node].kind));
	weft_bundle_add(&b, rt_detail.memory_node, WEFT_HEAD_LEAVE, 0);
	weft_bundle_record(&b);
}

void rt_trace_node(unsigned node)
{
	if (told)
		tell_node(node);
}

/* ---- begin and end ---- */

static int begin(struct rt_machine *m, struct weft_err *err)
{
	(void)m, (void)err;
	rt_trace_nameless = by_function;
	rt_trace_begin();
	weft_enter(rt_detail.initialising);
	return 0;
}

static int started(struct rt_machine *m, struct weft_err *err)
{
	(void)err;
	for (unsigned i = 0; i < m->n_nodes; i++)
		tell_node(i);
	told = true;
	weft_leave(rt_detail.initialising);
	return 0;
}

static void stopping(struct rt_machine *m)
{
	(void)m;
	weft_enter(rt_detail.deinitialising);
	told = false;
}

static void end(struct rt_machine *m)
{
	(void)m;
	weft_leave(rt_detail.deinitialising);
}

const struct rt_layer rt_layer_trace = {.name = "trace", .begin = begin, .started = started, .stopping = stopping, .end = end};
