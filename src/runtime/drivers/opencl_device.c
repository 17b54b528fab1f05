/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding devices. CPUs are workers of their own already, so devices of that kind count only when STARPU_OPENCL_ON_CPUS or
 * STARPU_OPENCL_ONLY_ON_CPUS says so.
 */
#include "opencl.h"
#include <dlfcn.h>
#include <errno.h>

enum { MOST_PLATFORMS = 16 };

struct opencl_functions ocl;
struct opencl_device opencl_devices[STARPU_MAXOPENCLDEVS];
unsigned opencl_n_devices;
static void *library;

static bool load(void)
{
	static const char *const names[] = {"libOpenCL.so.1", "libOpenCL.so"};
	for (unsigned i = 0; i < 2 && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	bool all = library != NULL;
#define X(name) \
	ocl.name = all ? (__typeof__(ocl.name))dlsym(library, #name) : NULL; \
	all = all && ocl.name;
	OPENCL_FUNCTIONS(X)
#undef X
	return all;
}

static void describe(struct opencl_device *d, cl_device_id id)
{
	cl_ulong bytes = 0;
	*d = (struct opencl_device){.id = id};
	if (ocl.clGetDeviceInfo(id, CL_DEVICE_NAME, sizeof d->name, d->name, NULL))
		snprintf(d->name, sizeof d->name, "unknown");
	ocl.clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof d->type, &d->type, NULL);
	ocl.clGetDeviceInfo(id, CL_DEVICE_VENDOR_ID, sizeof d->vendor, &d->vendor, NULL);
	ocl.clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
	d->memory_bytes = bytes;
}

static void add_platform(cl_platform_id platform, cl_device_type type)
{
	cl_device_id id[STARPU_MAXOPENCLDEVS];
	cl_uint n = 0;
	if (ocl.clGetDeviceIDs(platform, type, STARPU_MAXOPENCLDEVS, id, &n))
		return;
	for (cl_uint i = 0; i < n && i < STARPU_MAXOPENCLDEVS && opencl_n_devices < STARPU_MAXOPENCLDEVS; i++)
		describe(&opencl_devices[opencl_n_devices++], id[i]);
}

unsigned opencl_find(void)
{
	cl_platform_id platform[MOST_PLATFORMS];
	cl_uint n = 0;
	cl_device_type type = CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;
	if (opencl_n_devices)
		return opencl_n_devices;
	if (!load() || ocl.clGetPlatformIDs(MOST_PLATFORMS, platform, &n))
		return 0;
	if (starpu_get_env_number_default("STARPU_OPENCL_ONLY_ON_CPUS", 0) > 0)
		type = CL_DEVICE_TYPE_CPU;
	else if (starpu_get_env_number_default("STARPU_OPENCL_ON_CPUS", 0) > 0)
		type |= CL_DEVICE_TYPE_CPU;
	for (cl_uint i = 0; i < n && i < MOST_PLATFORMS; i++)
		add_platform(platform[i], type);
	return opencl_n_devices;
}

void opencl_forget(void)
{
	for (unsigned i = 0; i < opencl_n_devices; i++)
		opencl_close(i);
	opencl_n_devices = 0;
	/* The library stays: drivers of devices do not like to be unloaded. */
}

int opencl_open(unsigned devid)
{
	struct opencl_device *d = &opencl_devices[devid];
	cl_int err = CL_SUCCESS;
	if (d->context)
		return 0;
	d->context = ocl.clCreateContext(NULL, 1, &d->id, NULL, NULL, &err);
	cl_command_queue *queue[] = {&d->queue, &d->to, &d->from};
	for (unsigned i = 0; i < 3 && !err; i++)
		*queue[i] = ocl.clCreateCommandQueue(d->context, d->id, i ? 0 : CL_QUEUE_PROFILING_ENABLE, &err);
	if (!err)
		return 0;
	opencl_close(devid);
	return -ENODEV;
}

void opencl_close(unsigned devid)
{
	struct opencl_device *d = &opencl_devices[devid];
	cl_command_queue *queue[] = {&d->queue, &d->to, &d->from};
	for (unsigned i = 0; i < 3; i++) {
		if (*queue[i]) {
			ocl.clFinish(*queue[i]);
			ocl.clReleaseCommandQueue(*queue[i]);
		}
		*queue[i] = NULL;
	}
	if (d->context)
		ocl.clReleaseContext(d->context);
	d->context = NULL;
}

/* ---- for codelets ---- */

static struct opencl_device *device(int devid)
{
	STARPU_ASSERT_MSG(devid >= 0 && (unsigned)devid < opencl_n_devices && opencl_devices[devid].context,
	                  "there is no OpenCL device %d", devid);
	return &opencl_devices[devid];
}

void starpu_opencl_get_context(int devid, cl_context *context)
{
	*context = device(devid)->context;
}

void starpu_opencl_get_device(int devid, cl_device_id *id)
{
	*id = device(devid)->id;
}

void starpu_opencl_get_queue(int devid, cl_command_queue *queue)
{
	*queue = device(devid)->queue;
}

static int current_device(void)
{
	int worker = starpu_worker_get_id();
	return worker < 0 ? -1 : starpu_worker_get_devid(worker);
}

void starpu_opencl_get_current_context(cl_context *context)
{
	starpu_opencl_get_context(current_device(), context);
}

void starpu_opencl_get_current_queue(cl_command_queue *queue)
{
	starpu_opencl_get_queue(current_device(), queue);
}
