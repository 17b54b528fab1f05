/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A codelet for CPUs and OpenCL devices: the runtime brings the vector to wherever a part of it is worked on.
 *
 *     STARPU_OPENCL_ON_CPUS=1 ./opencl_scal      also takes OpenCL devices that are CPUs (PoCL)
 */
#include <starpu.h>
#include <starpu_opencl.h>

enum { N = 1 << 18, PARTS = 8, ROUNDS = 10 };

static const char source[] = "__kernel void scale(__global float *at, unsigned n, float factor)\n"
			     "{\n"
			     "	size_t i = get_global_id(0);\n"
			     "	if (i < n)\n"
			     "		at[i] *= factor;\n"
			     "}\n";
static struct starpu_opencl_program program;
static unsigned on_cpu, on_opencl;

static void scale_cpu(void *buffers[], void *arg)
{
	float *at = (float *)STARPU_VECTOR_GET_PTR(buffers[0]), factor;
	starpu_codelet_unpack_args(arg, &factor);
	for (size_t i = 0; i < STARPU_VECTOR_GET_NX(buffers[0]); i++)
		at[i] *= factor;
	STARPU_ATOMIC_ADD(&on_cpu, 1);
}

static void scale_opencl(void *buffers[], void *arg)
{
	cl_mem at = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
	cl_uint n = (cl_uint)STARPU_VECTOR_GET_NX(buffers[0]);
	cl_kernel kernel;
	cl_command_queue queue;
	size_t global = n;
	float factor;
	starpu_codelet_unpack_args(arg, &factor);
	int device = starpu_worker_get_devid(starpu_worker_get_id());
	cl_int err = starpu_opencl_load_kernel(&kernel, &queue, &program, "scale", device);
	if (!err)
		starpu_opencl_set_kernel_args(&err, &kernel, sizeof at, &at, sizeof n, &n, sizeof factor, &factor, 0);
	if (!err)
		err = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
	if (err)
		STARPU_OPENCL_REPORT_ERROR(err);
	clFinish(queue);
	starpu_opencl_release_kernel(kernel);
	STARPU_ATOMIC_ADD(&on_opencl, 1);
}

static struct starpu_codelet codelet = {
	.cpu_funcs = {scale_cpu},
	.opencl_funcs = {scale_opencl},
	.nbuffers = 1,
	.modes = {STARPU_RW},
	.name = "scale",
};

/* In turn, where there are both. */
static unsigned where(unsigned task)
{
	if (!starpu_cpu_worker_get_count() || !starpu_opencl_worker_get_count())
		return STARPU_CPU | STARPU_OPENCL;
	return task % 2 ? STARPU_OPENCL : STARPU_CPU;
}

int main(void)
{
	static float values[N], factor = 2;
	starpu_data_handle_t vector;
	int rc = starpu_init(NULL);
	if (rc == -ENODEV)
		return 77;
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_init");
	rc = starpu_opencl_load_opencl_from_string(source, &program, NULL);
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_opencl_load_opencl_from_string");
	for (unsigned i = 0; i < N; i++)
		values[i] = (float)(i % 100);
	struct starpu_data_filter blocks = {.filter_func = starpu_vector_filter_block, .nchildren = PARTS};
	starpu_vector_data_register(&vector, STARPU_MAIN_RAM, (uintptr_t)values, N, sizeof values[0]);
	starpu_data_partition(vector, &blocks);
	for (unsigned i = 0; i < PARTS * ROUNDS; i++) {
		rc = starpu_task_insert(&codelet, STARPU_RW, starpu_data_get_sub_data(vector, 1, i % PARTS), STARPU_VALUE,
		                        &factor, sizeof factor, STARPU_EXECUTE_WHERE, where(i), 0);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
	}
	starpu_data_unpartition(vector, STARPU_MAIN_RAM);
	starpu_data_unregister(vector);
	starpu_opencl_unload_opencl(&program);
	unsigned devices = starpu_opencl_worker_get_count(), wrong = 0;
	starpu_shutdown();
	for (unsigned i = 0; i < N; i++)
		wrong += values[i] != (float)(i % 100) * (1 << ROUNDS);
	printf("%u OpenCL devices; %u tasks on CPUs, %u on OpenCL; %u values are wrong\n", devices, on_cpu, on_opencl, wrong);
	return wrong || on_cpu + on_opencl != PARTS * ROUNDS;
}
