/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL devices as workers with a memory of their own. The library of the loader (libOpenCL) is looked for when the runtime
 * begins, never linked: without it, or without a device, there are no OpenCL workers, and that is all.
 *
 * Each device has a context of its own, as StarPU's programs expect, and three queues: kernels, copies to it, copies from it.
 * Between two devices copies go by main memory.
 */
#ifndef WEFT_RUNTIME_OPENCL_H
#define WEFT_RUNTIME_OPENCL_H

#include "runtime/memory/memory.h"
#include "drivers.h"
#include <starpu.h>
#include <starpu_opencl.h>

/* All that we call of OpenCL; `ocl.clFinish` and so on, all NULL or none. */
#define OPENCL_FUNCTIONS(X) \
	X(clBuildProgram) \
	X(clCreateBuffer) \
	X(clCreateCommandQueue) \
	X(clCreateContext) \
	X(clCreateKernel) \
	X(clCreateProgramWithBinary) \
	X(clCreateProgramWithSource) \
	X(clEnqueueCopyBuffer) \
	X(clEnqueueMarkerWithWaitList) \
	X(clEnqueueReadBuffer) \
	X(clEnqueueReadBufferRect) \
	X(clEnqueueWriteBuffer) \
	X(clEnqueueWriteBufferRect) \
	X(clFinish) \
	X(clFlush) \
	X(clGetDeviceIDs) \
	X(clGetDeviceInfo) \
	X(clGetEventProfilingInfo) \
	X(clGetPlatformIDs) \
	X(clGetProgramBuildInfo) \
	X(clGetProgramInfo) \
	X(clReleaseCommandQueue) \
	X(clReleaseContext) \
	X(clReleaseEvent) \
	X(clReleaseKernel) \
	X(clReleaseMemObject) \
	X(clReleaseProgram) \
	X(clSetEventCallback) \
	X(clSetKernelArg) \
	X(clWaitForEvents)
struct opencl_functions {
#define X(name) __typeof__(&(name)) name;
	OPENCL_FUNCTIONS(X)
#undef X
};
extern struct opencl_functions ocl;

struct opencl_device {
	cl_device_id id;
	cl_context context; /* NULL: not in use */
	cl_command_queue queue, to, from;
	char name[128];
	cl_device_type type;
	cl_uint vendor;
	uint64_t memory_bytes;
	unsigned node; /* its memory */
};
extern struct opencl_device opencl_devices[STARPU_MAXOPENCLDEVS];
extern unsigned opencl_n_devices;

/* opencl_device.c */
/* Looks for the library and the devices that the environment wants: how many there are. Again only after opencl_forget. */
unsigned opencl_find(void);
int opencl_open(unsigned devid); /* makes its context and queues; 0 or negative */
void opencl_close(unsigned devid);
void opencl_forget(void);

/* opencl_copy.c */
extern const struct rt_node_ops opencl_node_ops;

/* opencl_driver.c */
extern const struct rt_layer rt_layer_opencl;

#endif
