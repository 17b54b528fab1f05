/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two interfaces that are like no other: void, which has no data but an order of accesses; and
 * multiformat, whose elements look differently on each kind of device and are converted by codelets
 * of the program.
 */
#include "runtime/task/complain.h"
#include "runtime/memory/memory.h"
#include "replica.h"
#include "base/clock.h"
#include "runtime/perf/perf.h"
#include "runtime/task/driver.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- void ---- */

static void void_register(starpu_data_handle_t h, int home, void *interface)
{
	(void)h, (void)home, (void)interface;
}

static starpu_ssize_t void_allocate(void *interface, unsigned node)
{
	(void)interface, (void)node;
	return 0;
}

static void void_free(void *interface, unsigned node)
{
	(void)interface, (void)node;
}

static int void_copy(void *src, unsigned src_node, void *dst, unsigned dst_node, void *async)
{
	(void)src, (void)src_node, (void)dst, (void)dst_node, (void)async;
	return 0;
}

static const struct starpu_data_copy_methods void_methods = {.any_to_any = void_copy};

static size_t void_size(starpu_data_handle_t h)
{
	(void)h;
	return 0;
}

static uint32_t void_footprint(starpu_data_handle_t h)
{
	(void)h;
	return 0;
}

static int void_compare(void *a, void *b)
{
	(void)a, (void)b;
	return 1;
}

static void void_display(starpu_data_handle_t h, FILE *f)
{
	(void)h;
	fprintf(f, "void\t");
}

static starpu_ssize_t void_describe(void *interface, char *buf, size_t size)
{
	(void)interface;
	return snprintf(buf, size, "0");
}

static int void_pack(starpu_data_handle_t h, unsigned node, void **ptr, starpu_ssize_t *count)
{
	(void)h, (void)node;
	*count = 0;
	if (ptr)
		*ptr = NULL;
	return 0;
}

static int void_peek(starpu_data_handle_t h, unsigned node, void *ptr, size_t count)
{
	(void)h, (void)node, (void)ptr;
	return count ? -EINVAL : 0;
}

struct starpu_data_interface_ops starpu_interface_void_ops = {
	.register_data_handle = void_register,
	.allocate_data_on_node = void_allocate,
	.free_data_on_node = void_free,
	.copy_methods = &void_methods,
	.get_size = void_size,
	.footprint = void_footprint,
	.compare = void_compare,
	.display = void_display,
	.describe = void_describe,
	.interfaceid = STARPU_VOID_INTERFACE_ID,
	.pack_data = void_pack,
	.peek_data = void_peek,
	.unpack_data = void_peek,
	.name = (char *)"STARPU_VOID_INTERFACE",
};

void starpu_void_data_register(starpu_data_handle_t *handle)
{
	starpu_data_register(handle, STARPU_MAIN_RAM, NULL, &starpu_interface_void_ops);
}

/* ---- multiformat: in main memory the cpu's format; on a device that one's too ---- */

/* The device's format: on the device, and in main memory when it came from there. */
static size_t other_bytes(const struct starpu_multiformat_interface *i)
{
	return i->nx * i->ops->opencl_elemsize;
}

static void multi_register(starpu_data_handle_t h, int home, void *interface)
{
	for (unsigned node = 0; node < STARPU_MAXNODES; node++) {
		struct starpu_multiformat_interface *local = starpu_data_get_interface_on_node(h, node);
		memcpy(local, interface, sizeof *local);
		if ((int)node != home)
			local->cpu_ptr = local->cuda_ptr = local->hip_ptr = local->opencl_ptr = NULL;
	}
}

static void free_other(struct starpu_multiformat_interface *i, unsigned node)
{
	starpu_free_on_node(node, (uintptr_t)i->opencl_ptr, other_bytes(i));
	i->opencl_ptr = NULL;
}

static void multi_free(void *interface, unsigned node)
{
	struct starpu_multiformat_interface *i = interface;
	starpu_free_on_node(node, (uintptr_t)i->cpu_ptr, i->nx * i->ops->cpu_elemsize);
	i->cpu_ptr = NULL;
	free_other(i, node);
}

static void multi_unregister(starpu_data_handle_t h)
{
	for (unsigned node = 0; node < weft_load_u32(&rt_n_nodes); node++)
		free_other(starpu_data_get_interface_on_node(h, node), node);
}

static bool has_other(struct starpu_multiformat_interface *i, unsigned node)
{
	if (!i->opencl_ptr)
		i->opencl_ptr = (void *)starpu_malloc_on_node(node, other_bytes(i));
	return i->opencl_ptr;
}

static starpu_ssize_t multi_allocate(void *interface, unsigned node)
{
	struct starpu_multiformat_interface *i = interface;
	size_t cpu = i->nx * i->ops->cpu_elemsize;
	bool is_device = rt_nodes[node].kind == STARPU_OPENCL_RAM;
	i->opencl_ptr = NULL;
	i->cpu_ptr = (void *)starpu_malloc_on_node(node, cpu);
	if (i->cpu_ptr && (!is_device || has_other(i, node)))
		return (starpu_ssize_t)(cpu + (is_device ? other_bytes(i) : 0));
	multi_free(interface, node);
	return -ENOMEM;
}

/* Main memory sends its own format, a device its own: the receiver converts. */
static int multi_copy(void *src, unsigned src_node, void *dst, unsigned dst_node, void *async)
{
	struct starpu_multiformat_interface *a = src, *b = dst;
	if (rt_nodes[src_node].kind != STARPU_OPENCL_RAM)
		return starpu_interface_copy((uintptr_t)a->cpu_ptr, 0, src_node, (uintptr_t)b->cpu_ptr, 0, dst_node,
		                             a->nx * a->ops->cpu_elemsize, async);
	if (!has_other(b, dst_node))
		return -ENOMEM;
	return starpu_interface_copy((uintptr_t)a->opencl_ptr, 0, src_node, (uintptr_t)b->opencl_ptr, 0, dst_node, other_bytes(a),
	                             async);
}

static bool is_measured(struct starpu_perfmodel *m)
{
	if (!m || !rt_machine.core) /* models are put away before data */
		return false;
	rt_perf_want(m);
	return __atomic_load_n(&m->benchmarking, __ATOMIC_RELAXED);
}

/*
 * Converts as that worker would; the codelet's model learns the time. -1: no worker is of this
 * kind.
 */
static void multiformat_convert(struct rt_replica *r, struct starpu_codelet *cl, starpu_cpu_func_t func, int worker)
{
	if (rt_simulator)
		return;
	bool measured = worker >= 0 && is_measured(cl->model);
	uint64_t from = measured ? weft_monotonic_ns() : 0;
	func(&r->interface, NULL);
	if (!measured)
		return;
	struct rt_worker *w = rt_worker_self();
	if (w && rt_machine.worker[worker].driver->finish)
		rt_machine.worker[worker].driver->finish(w);
	struct starpu_task converts = {.cl = cl, .nbuffers = 1, .handles = {r->handle}, .modes = {STARPU_RW}};
	rt_perf_ran(&converts, (unsigned)worker, 0, (double)(weft_monotonic_ns() - from) / 1000.0);
}

/*
 * Into main memory it is converted at once; into a device by its worker, the only thread that may
 * launch the converting kernel.
 */
void rt_multiformat_arrived(struct rt_replica *r, unsigned from_node)
{
	struct starpu_multiformat_interface *i = r->interface;
	bool from_device = rt_nodes[from_node].kind == STARPU_OPENCL_RAM, to_device = rt_nodes[r->node].kind == STARPU_OPENCL_RAM;
	if (from_device && rt_nodes[r->node].kind == STARPU_CPU_RAM) {
		struct starpu_codelet *cl = i->ops->opencl_to_cpu_cl;
		RT_EXPECT(cl && cl->cpu_funcs[0], "multiformat data %p has no codelet from OpenCL's format to the CPU's",
		          (void *)r->handle);
		multiformat_convert(r, cl, cl->cpu_funcs[0], starpu_worker_get_by_type(STARPU_CPU_WORKER, 0));
	}
	r->foreign = to_device && !from_device;
}

void rt_multiformat_convert(struct rt_replica *r)
{
	struct starpu_multiformat_interface *i = r->interface;
	struct starpu_codelet *cl = i->ops->cpu_to_opencl_cl;
	RT_EXPECT(cl && cl->opencl_funcs[0], "multiformat data %p has no codelet from the CPU's format to OpenCL's",
	          (void *)r->handle);
	multiformat_convert(r, cl, cl->opencl_funcs[0], starpu_worker_get_id());
	r->foreign = false;
}

static const struct starpu_data_copy_methods multi_methods = {.any_to_any = multi_copy};

static void *multi_pointer(void *interface, unsigned node)
{
	(void)node;
	return ((struct starpu_multiformat_interface *)interface)->cpu_ptr;
}

static size_t multi_size(starpu_data_handle_t h)
{
	struct starpu_multiformat_interface *i = starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM);
	return i->nx * i->ops->cpu_elemsize;
}

static uint32_t multi_footprint(starpu_data_handle_t h)
{
	struct starpu_multiformat_interface *i = starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM);
	return starpu_hash_crc32c_be((uint32_t)i->nx, 0);
}

static int multi_compare(void *x, void *y)
{
	struct starpu_multiformat_interface *a = x, *b = y;
	return a->nx == b->nx && a->ops->cpu_elemsize == b->ops->cpu_elemsize &&
	       a->ops->opencl_elemsize == b->ops->opencl_elemsize;
}

static void multi_display(starpu_data_handle_t h, FILE *f)
{
	fprintf(f, "%zu\t", ((struct starpu_multiformat_interface *)starpu_data_get_interface_on_node(h, STARPU_MAIN_RAM))->nx);
}

static starpu_ssize_t multi_describe(void *interface, char *buf, size_t size)
{
	struct starpu_multiformat_interface *i = interface;
	return snprintf(buf, size, "F%zux%zux%zu", i->nx, i->ops->cpu_elemsize, i->ops->opencl_elemsize);
}

static struct starpu_multiformat_data_interface_ops *multi_formats(void *interface)
{
	return ((struct starpu_multiformat_interface *)interface)->ops;
}

static struct starpu_data_interface_ops multiformat_ops = {
	.register_data_handle = multi_register,
	.unregister_data_handle = multi_unregister,
	.allocate_data_on_node = multi_allocate,
	.free_data_on_node = multi_free,
	.copy_methods = &multi_methods,
	.to_pointer = multi_pointer,
	.get_size = multi_size,
	.footprint = multi_footprint,
	.compare = multi_compare,
	.display = multi_display,
	.describe = multi_describe,
	.interfaceid = STARPU_MULTIFORMAT_INTERFACE_ID,
	.interface_size = sizeof(struct starpu_multiformat_interface),
	.is_multiformat = 1,
	.get_mf_ops = multi_formats,
	.name = (char *)"STARPU_MULTIFORMAT_INTERFACE",
};

void starpu_multiformat_data_register(starpu_data_handle_t *handle, int home_node, void *ptr, size_t nx,
                                      struct starpu_multiformat_data_interface_ops *format_ops)
{
	struct starpu_multiformat_interface i = {.id = STARPU_MULTIFORMAT_INTERFACE_ID,
	                                         .cpu_ptr = ptr,
	                                         .nx = nx,
	                                         .ops = format_ops};
	starpu_data_register(handle, home_node, &i, &multiformat_ops);
}
