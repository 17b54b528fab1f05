/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A device's memory: buffers, and copies between them and main memory, which go on their own queues so that they overlap with
 * kernels. An asynchronous copy is an event that is asked whether it is done.
 */
#include "opencl.h"
#include <errno.h>

static struct opencl_device *device_of(unsigned node)
{
	return &opencl_devices[starpu_memory_node_get_devid(node)];
}

/* Buffers get their memory when they are first used: a byte is written, so that a lack of it shows now. */
static cl_int buffer_new(const struct opencl_device *d, cl_mem *out, size_t size, cl_mem_flags flags)
{
	static const char zero;
	cl_int err;
	cl_mem buffer = ocl.clCreateBuffer(d->context, flags, size ? size : 1, NULL, &err);
	if (!err)
		err = ocl.clEnqueueWriteBuffer(d->to, buffer, CL_TRUE, 0, 1, &zero, 0, NULL, NULL);
	if (err && buffer)
		ocl.clReleaseMemObject(buffer);
	*out = err ? NULL : buffer;
	return err;
}

cl_int starpu_opencl_allocate_memory(int devid, cl_mem *addr, size_t size, cl_mem_flags flags)
{
	return buffer_new(&opencl_devices[devid], addr, size, flags);
}

/* The answer of the three copies: 0 done, -EAGAIN on its way. */
static cl_int submitted(cl_int err, cl_command_queue queue, const cl_event *event, int *ret)
{
	if (!err && event)
		err = ocl.clFlush(queue);
	if (ret)
		*ret = err ? -EIO : event ? -EAGAIN : 0;
	return err;
}

cl_int starpu_opencl_copy_ram_to_opencl_devid(void *ptr, int src_dev, cl_mem buffer, int dst_dev, size_t size, size_t offset,
                                              cl_event *event, int *ret)
{
	cl_command_queue queue = opencl_devices[dst_dev].to;
	(void)src_dev;
	return submitted(ocl.clEnqueueWriteBuffer(queue, buffer, event ? CL_FALSE : CL_TRUE, offset, size, ptr, 0, NULL, event),
	                 queue, event, ret);
}

cl_int starpu_opencl_copy_opencl_to_ram_devid(cl_mem buffer, int src_dev, void *ptr, int dst_dev, size_t size, size_t offset,
                                              cl_event *event, int *ret)
{
	cl_command_queue queue = opencl_devices[src_dev].from;
	(void)dst_dev;
	return submitted(ocl.clEnqueueReadBuffer(queue, buffer, event ? CL_FALSE : CL_TRUE, offset, size, ptr, 0, NULL, event),
	                 queue, event, ret);
}

/* Between buffers of one device: there is no other way in OpenCL. */
cl_int starpu_opencl_copy_opencl_to_opencl_devid(cl_mem src, int src_dev, size_t src_offset, cl_mem dst, int dst_dev,
                                                 size_t dst_offset, size_t size, cl_event *event, int *ret)
{
	cl_command_queue queue = opencl_devices[dst_dev].to;
	(void)src_dev;
	cl_int err = ocl.clEnqueueCopyBuffer(queue, src, dst, src_offset, dst_offset, size, 0, NULL, event);
	if (!err && !event)
		err = ocl.clFinish(queue);
	return submitted(err, queue, event, ret);
}

cl_int starpu_opencl_copy_async_sync_devid(uintptr_t src, size_t src_offset, int src_dev, enum starpu_node_kind src_kind,
                                           uintptr_t dst, size_t dst_offset, int dst_dev, enum starpu_node_kind dst_kind,
                                           size_t size, cl_event *event)
{
	bool from_device = src_kind == STARPU_OPENCL_RAM, to_device = dst_kind == STARPU_OPENCL_RAM;
	int ret;
	if (from_device && to_device)
		starpu_opencl_copy_opencl_to_opencl_devid((cl_mem)src, src_dev, src_offset, (cl_mem)dst, dst_dev, dst_offset,
		                                          size, event, &ret);
	else if (from_device)
		starpu_opencl_copy_opencl_to_ram_devid((cl_mem)src, src_dev, (char *)dst + dst_offset, dst_dev, size, src_offset,
		                                       event, &ret);
	else
		starpu_opencl_copy_ram_to_opencl_devid((char *)src + src_offset, src_dev, (cl_mem)dst, dst_dev, size, dst_offset,
		                                       event, &ret);
	return ret;
}

/* ---- the same by memory nodes ---- */

cl_int starpu_opencl_copy_ram_to_opencl(void *ptr, unsigned src_node, cl_mem buffer, unsigned dst_node, size_t size,
                                        size_t offset, cl_event *event, int *ret)
{
	return starpu_opencl_copy_ram_to_opencl_devid(ptr, starpu_memory_node_get_devid(src_node), buffer,
	                                              starpu_memory_node_get_devid(dst_node), size, offset, event, ret);
}

cl_int starpu_opencl_copy_opencl_to_ram(cl_mem buffer, unsigned src_node, void *ptr, unsigned dst_node, size_t size,
                                        size_t offset, cl_event *event, int *ret)
{
	return starpu_opencl_copy_opencl_to_ram_devid(buffer, starpu_memory_node_get_devid(src_node), ptr,
	                                              starpu_memory_node_get_devid(dst_node), size, offset, event, ret);
}

cl_int starpu_opencl_copy_opencl_to_opencl(cl_mem src, unsigned src_node, size_t src_offset, cl_mem dst, unsigned dst_node,
                                           size_t dst_offset, size_t size, cl_event *event, int *ret)
{
	return starpu_opencl_copy_opencl_to_opencl_devid(src, starpu_memory_node_get_devid(src_node), src_offset, dst,
	                                                 starpu_memory_node_get_devid(dst_node), dst_offset, size, event, ret);
}

cl_int starpu_opencl_copy_async_sync(uintptr_t src, size_t src_offset, unsigned src_node, uintptr_t dst, size_t dst_offset,
                                     unsigned dst_node, size_t size, cl_event *event)
{
	return starpu_opencl_copy_async_sync_devid(src, src_offset, starpu_memory_node_get_devid(src_node),
	                                           starpu_node_get_kind(src_node), dst, dst_offset,
	                                           starpu_memory_node_get_devid(dst_node), starpu_node_get_kind(dst_node), size,
	                                           event);
}

/* ---- as a memory node ---- */

static uintptr_t node_alloc(unsigned node, size_t size, int flags)
{
	cl_mem buffer;
	(void)flags;
	return buffer_new(device_of(node), &buffer, size, CL_MEM_READ_WRITE) ? 0 : (uintptr_t)buffer;
}

static void node_free(unsigned node, uintptr_t addr, size_t size, int flags)
{
	(void)node, (void)size, (void)flags;
	ocl.clReleaseMemObject((cl_mem)addr);
}

static void event_wait(void *event)
{
	cl_event e = event;
	ocl.clWaitForEvents(1, &e);
}

static void event_free(void *event)
{
	ocl.clReleaseEvent(event);
}

static int follow(struct rt_async *async, cl_event event)
{
	int rc = rt_async_add(async, &(struct rt_pending){event_wait, event_free, event});
	return rc == -ENOMEM ? 0 : rc ? rc : -EAGAIN;
}

static int node_copy(const struct rt_place *from, const struct rt_place *to, size_t size, struct rt_async *async)
{
	cl_event event;
	int rc = starpu_opencl_copy_async_sync(from->base, from->offset, from->node, to->base, to->offset, to->node, size,
	                                       async ? &event : NULL);
	return rc == -EAGAIN ? follow(async, event) : rc;
}

/* Rows, with one command; where the distances are no multiples as OpenCL wants them, row by row. */
static int node_copy2d(const struct rt_place *from, const struct rt_place *to, size_t size, size_t blocks, size_t ld_from,
                       size_t ld_to, struct rt_async *async)
{
	bool from_device = starpu_node_get_kind(from->node) == STARPU_OPENCL_RAM;
	struct opencl_device *d = device_of(from_device ? from->node : to->node);
	size_t region[3] = {size, blocks, 1}, zero[3] = {0, 0, 0};
	cl_event event = NULL;
	cl_int err;
	if (from_device && starpu_node_get_kind(to->node) == STARPU_OPENCL_RAM) {
		int rc = 0;
		for (size_t i = 0; i < blocks && (!rc || rc == -EAGAIN); i++) {
			struct rt_place f = *from, t = *to;
			f.offset += i * ld_from;
			t.offset += i * ld_to;
			rc = node_copy(&f, &t, size, async);
		}
		return rc;
	}
	size_t at_from[3] = {from->offset % ld_from, from->offset / ld_from, 0},
	       at_to[3] = {to->offset % ld_to, to->offset / ld_to, 0};
	if (from_device)
		err = ocl.clEnqueueReadBufferRect(d->from, (cl_mem)from->base, async ? CL_FALSE : CL_TRUE, at_from, zero, region,
		                                  ld_from, 0, ld_to, 0, (char *)to->base + to->offset, 0, NULL,
		                                  async ? &event : NULL);
	else
		err = ocl.clEnqueueWriteBufferRect(d->to, (cl_mem)to->base, async ? CL_FALSE : CL_TRUE, at_to, zero, region,
		                                   ld_to, 0, ld_from, 0, (const char *)from->base + from->offset, 0, NULL,
		                                   async ? &event : NULL);
	if (err)
		return -EIO;
	ocl.clFlush(from_device ? d->from : d->to);
	return async ? follow(async, event) : 0;
}

/* An interface's own functions for OpenCL. */
static int node_copy_interface(const struct starpu_data_copy_methods *m, void *from, unsigned from_node, void *to,
                               unsigned to_node, struct rt_async *async)
{
	bool from_device = starpu_node_get_kind(from_node) == STARPU_OPENCL_RAM,
	     to_device = starpu_node_get_kind(to_node) == STARPU_OPENCL_RAM;
	int (*later)(void *, unsigned, void *, unsigned, cl_event *) =
		from_device ? (to_device ? m->opencl_to_opencl_async : m->opencl_to_ram_async) : m->ram_to_opencl_async;
	int (*now)(void *, unsigned, void *, unsigned) = from_device ? (to_device ? m->opencl_to_opencl : m->opencl_to_ram)
	                                                             : m->ram_to_opencl;
	cl_event event = NULL;
	if (!later || (!async && now))
		return now ? now(from, from_node, to, to_node) : -ENOSYS;
	int rc = later(from, from_node, to, to_node, &event);
	if (rc != -EAGAIN || !event)
		return rc;
	if (async)
		return follow(async, event);
	event_wait(event);
	event_free(event);
	return 0;
}

const struct rt_node_ops opencl_node_ops = {
	.alloc = node_alloc,
	.free = node_free,
	.copy = node_copy,
	.copy2d = node_copy2d,
	.copy_interface = node_copy_interface,
};
