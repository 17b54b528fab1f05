/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profiling tool beside an OpenCL device: what it is told of the device's worker, its tasks, and what goes to the device and back;
 * of CPU tasks as ever. The kernel is run, so that its result shows that nothing of it got lost.
 */
#include "starpu_check.h"
#ifdef STARPU_USE_OPENCL
#include <starpu_opencl.h>
#include <starpu_profiling.h>
#include <starpu_profiling_tool.h>

enum { EVENTS = starpu_prof_tool_event_user_end + 1, N = 1 << 12, ROUNDS = 5, TO_DEVICE = 0, BACK = 1 };

static const char source[] = "__kernel void add(__global int *at, unsigned n)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	if (i < n)\n"
			     "		at[i] += 1;\n"
			     "}\n";
static struct starpu_opencl_program program;
static int count[EVENTS], drivers[2], transfers[2], on_device;
static int values[N];
static starpu_data_handle_t handle;

static void on_cpu(void *buffers[], void *arg)
{
	(void)arg;
	int *at = (int *)STARPU_VECTOR_GET_PTR(buffers[0]);
	for (int i = 0; i < N; i++)
		at[i] += 1;
}
static void on_opencl(void *buffers[], void *arg)
{
	(void)arg;
	cl_mem at = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
	cl_uint n = N;
	cl_kernel kernel;
	cl_command_queue queue;
	size_t global = N;
	CHECK(LOOK(on_device) == 1); /* it was told that we begin, and not yet that we end */
	CHECK(starpu_opencl_load_kernel(&kernel, &queue, &program, "add", starpu_worker_get_devid(starpu_worker_get_id())) == 0);
	CHECK(clSetKernelArg(kernel, 0, sizeof at, (void *)&at) == 0 && clSetKernelArg(kernel, 1, sizeof n, &n) == 0);
	CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) == 0 && clFinish(queue) == 0);
	starpu_opencl_release_kernel(kernel);
}
static struct starpu_codelet there = {.cpu_funcs = {on_cpu},
                                      .opencl_funcs = {on_opencl},
                                      .nbuffers = 1,
                                      .modes = {STARPU_RW},
                                      .name = "there"};

static void of_all(struct starpu_prof_tool_info *i, union starpu_prof_tool_event_info *e, struct starpu_prof_tool_api_info *api)
{
	CHECK(i && e && api && e->event_type == i->event_type);
	__atomic_add_fetch(&count[i->event_type], 1, __ATOMIC_RELAXED);
}

static void of_driver(struct starpu_prof_tool_info *i, union starpu_prof_tool_event_info *e,
                      struct starpu_prof_tool_api_info *api)
{
	of_all(i, e, api);
	int opencl = starpu_worker_get_type(i->worker_id) == STARPU_OPENCL_WORKER;
	CHECK(i->driver_type == (opencl ? starpu_prof_tool_driver_ocl : starpu_prof_tool_driver_cpu));
	if (i->event_type == starpu_prof_tool_event_driver_init)
		__atomic_add_fetch(&drivers[opencl], 1, __ATOMIC_RELAXED);
}

static void of_task(struct starpu_prof_tool_info *i, union starpu_prof_tool_event_info *e, struct starpu_prof_tool_api_info *api)
{
	of_all(i, e, api);
	int begins = i->event_type == starpu_prof_tool_event_start_gpu_exec ||
	             i->event_type == starpu_prof_tool_event_start_cpu_exec;
	int gpu = i->event_type == starpu_prof_tool_event_start_gpu_exec || i->event_type == starpu_prof_tool_event_end_gpu_exec;
	CHECK(i->worker_id == starpu_worker_get_id() && !strcmp(i->task_name, "a task"));
	CHECK(i->driver_type == (gpu ? starpu_prof_tool_driver_ocl : starpu_prof_tool_driver_cpu));
	CHECK(i->device_number == starpu_worker_get_devid(i->worker_id));
	CHECK(i->fun_ptr == (gpu ? (void *)on_opencl : (void *)on_cpu));
	CHECK(i->nbuffers == 1 && i->buffers[0].handle == handle && i->buffers[0].mode == STARPU_RW);
	if (gpu)
		__atomic_add_fetch(&on_device, begins ? 1 : -1, __ATOMIC_ACQ_REL);
}

static void of_transfer(struct starpu_prof_tool_info *i, union starpu_prof_tool_event_info *e,
                        struct starpu_prof_tool_api_info *api)
{
	of_all(i, e, api);
	int back = starpu_node_get_kind(i->memnode) == STARPU_CPU_RAM;
	CHECK(i->bytes_to_transfer == sizeof values && i->driver_type == starpu_prof_tool_driver_ocl);
	if (i->event_type == starpu_prof_tool_event_end_transfer) {
		CHECK(i->bytes_transfered == sizeof values);
		__atomic_add_fetch(&transfers[back], 1, __ATOMIC_RELAXED);
	}
}

void starpu_prof_tool_library_register(starpu_prof_tool_entry_register_func reg, starpu_prof_tool_entry_register_func unreg)
{
	static const struct {
		enum starpu_prof_tool_event first, last;
		starpu_prof_tool_cb_func func;
	} rows[] = {
		{starpu_prof_tool_event_driver_init, starpu_prof_tool_event_driver_init_end, of_driver},
		{starpu_prof_tool_event_start_cpu_exec, starpu_prof_tool_event_end_cpu_exec, of_task},
		{starpu_prof_tool_event_start_gpu_exec, starpu_prof_tool_event_end_gpu_exec, of_task},
		{starpu_prof_tool_event_start_transfer, starpu_prof_tool_event_end_transfer, of_transfer},
	};
	(void)unreg;
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
		for (int i = rows[k].first; i <= (int)rows[k].last; i++)
			reg((enum starpu_prof_tool_event)i, rows[k].func, starpu_prof_tool_command_reg);
}

/* By turns on the device and on a CPU: the vector goes there and comes back each time. */
static void run_tasks(void)
{
	for (int i = 0; i < 2 * ROUNDS; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &there;
		t->name = "a task";
		t->handles[0] = handle;
		t->where = i % 2 ? STARPU_CPU : STARPU_OPENCL;
		t->synchronous = 1;
		CHECK(starpu_task_submit(t) == 0);
	}
}

static void check_counts(void)
{
	CHECK(drivers[0] == 1 && drivers[1] == 1);
	for (int i = starpu_prof_tool_event_driver_init; i <= starpu_prof_tool_event_driver_init_end; i++)
		CHECK(count[i] == 2);
	CHECK(count[starpu_prof_tool_event_start_gpu_exec] == ROUNDS && count[starpu_prof_tool_event_end_gpu_exec] == ROUNDS);
	CHECK(count[starpu_prof_tool_event_start_cpu_exec] == ROUNDS && count[starpu_prof_tool_event_end_cpu_exec] == ROUNDS);
	CHECK(count[starpu_prof_tool_event_start_transfer] == 2 * ROUNDS && transfers[TO_DEVICE] == ROUNDS &&
	      transfers[BACK] == ROUNDS);
	CHECK(on_device == 0);
	for (int i = 0; i < N; i++)
		CHECK(values[i] == 2 * ROUNDS);
}

int main(void)
{
	struct starpu_conf conf;
	setenv("STARPU_SILENT", "1", 1);
	setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
	unsetenv("STARPU_SCHED");
	starpu_conf_init(&conf);
	conf.ncpus = conf.nopencl = 1;
	if (starpu_init(&conf))
		cannot_begin();
	if (starpu_opencl_worker_get_count() != 1)
		skip_test("no OpenCL device");
	CHECK(starpu_opencl_load_opencl_from_string(source, &program, NULL) == 0);
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)values, N, sizeof *values);
	run_tasks();
	starpu_data_unregister(handle);
	CHECK(starpu_opencl_unload_opencl(&program) == 0);
	starpu_shutdown();
	check_counts();
	return checks_failed();
}
#else
int main(void)
{
	skip_test("built without OpenCL");
}
#endif
