/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenCL workers: kernels from strings, files and stored binaries; data that goes to and fro between CPUs and devices, matrices
 * with rows that do not touch each other; tasks that are left in the queue (STARPU_OPENCL_ASYNC); the small functions. With
 * several devices (POCL_DEVICES="pthread pthread") also from one device to another. Skipped without any.
 */
#include "starpu_check.h"
#include <starpu.h>
#include <starpu_opencl.h>
#include <stdbool.h>

enum { N = 5000, ROUNDS = 60, NX = 33, NY = 21, LD = 50 };

static const char source[] = "#ifndef TIMES\n"
			     "#define TIMES 3\n"
			     "#endif\n"
			     "__kernel void advance(__global int *at, unsigned nx, unsigned ny, unsigned ld, int add)\n"
			     "{\n"
			     "	size_t x = get_global_id(0), y = get_global_id(1);\n"
			     "	if (x < nx && y < ny)\n"
			     "		at[y * ld + x] = (at[y * ld + x] * TIMES + add) % 10007;\n"
			     "}\n";
static struct starpu_opencl_program program;
static unsigned ran[STARPU_NMAXWORKERS];

static void step(int *at, size_t nx, size_t ny, size_t ld, int add)
{
	for (size_t y = 0; y < ny; y++)
		for (size_t x = 0; x < nx; x++)
			at[y * ld + x] = (at[y * ld + x] * 3 + add) % 10007;
}

static void launch(cl_mem at, size_t nx, size_t ny, size_t ld, int add, int finish)
{
	cl_kernel kernel;
	cl_command_queue queue, current;
	cl_context context, of_device;
	cl_uint w = (cl_uint)nx, h = (cl_uint)ny, l = (cl_uint)ld;
	size_t global[2] = {nx, ny};
	int worker = starpu_worker_get_id_check(), device = starpu_worker_get_devid(worker);
	__atomic_fetch_add(&ran[worker], 1, __ATOMIC_RELAXED);
	CHECK(starpu_worker_get_type(worker) == STARPU_OPENCL_WORKER);
	CHECK(starpu_node_get_kind(starpu_worker_get_memory_node((unsigned)worker)) == STARPU_OPENCL_RAM);
	cl_int err = starpu_opencl_load_kernel(&kernel, &queue, &program, "advance", device);
	CHECK(err == CL_SUCCESS);
	starpu_opencl_get_current_queue(&current);
	starpu_opencl_get_current_context(&context);
	starpu_opencl_get_context(device, &of_device);
	CHECK(queue == current && context == of_device);
	CHECK(starpu_opencl_set_kernel_args(finish ? &err : NULL, &kernel, sizeof at, &at, sizeof w, &w, sizeof h, &h, sizeof l,
	                                    &l, sizeof add, &add, 0) == 5);
	err = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL);
	CHECK(err == CL_SUCCESS);
	if (finish)
		clFinish(queue);
	starpu_opencl_release_kernel(kernel);
}

static void vector_cpu(void *buffers[], void *arg)
{
	int add;
	starpu_codelet_unpack_args(arg, &add);
	step((int *)STARPU_VECTOR_GET_PTR(buffers[0]), STARPU_VECTOR_GET_NX(buffers[0]), 1, 0, add);
}

static void vector_opencl(void *buffers[], void *arg)
{
	int add;
	starpu_codelet_unpack_args(arg, &add);
	launch((cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]), STARPU_VECTOR_GET_NX(buffers[0]), 1, 0, add, 0);
}

static void matrix_cpu(void *buffers[], void *arg)
{
	int add;
	starpu_codelet_unpack_args(arg, &add);
	step((int *)STARPU_MATRIX_GET_PTR(buffers[0]), STARPU_MATRIX_GET_NX(buffers[0]), STARPU_MATRIX_GET_NY(buffers[0]),
	     STARPU_MATRIX_GET_LD(buffers[0]), add);
}

static void matrix_opencl(void *buffers[], void *arg)
{
	int add;
	starpu_codelet_unpack_args(arg, &add);
	launch((cl_mem)STARPU_MATRIX_GET_DEV_HANDLE(buffers[0]), STARPU_MATRIX_GET_NX(buffers[0]),
	       STARPU_MATRIX_GET_NY(buffers[0]), STARPU_MATRIX_GET_LD(buffers[0]), add, 1);
}

static struct starpu_codelet cl_vector = {.cpu_funcs = {vector_cpu},
                                          .opencl_funcs = {vector_opencl},
                                          .opencl_flags = {STARPU_OPENCL_ASYNC},
                                          .nbuffers = 1,
                                          .modes = {STARPU_RW},
                                          .name = "vector"};
static struct starpu_codelet cl_matrix = {.cpu_funcs = {matrix_cpu},
                                          .opencl_funcs = {matrix_opencl},
                                          .nbuffers = 1,
                                          .modes = {STARPU_RW},
                                          .name = "matrix"};

/* Some worker, so that all come in turn. */
static void submit(struct starpu_codelet *codelet, starpu_data_handle_t data, unsigned i, int add)
{
	unsigned worker = i * 7 % starpu_worker_get_count();
	int rc = starpu_task_insert(codelet, STARPU_RW, data, STARPU_VALUE, &add, sizeof add, STARPU_EXECUTE_ON_WORKER, worker,
	                            0);
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
}

static void check_vector(void)
{
	static int values[N], want[N];
	starpu_data_handle_t data;
	for (int i = 0; i < N; i++)
		values[i] = want[i] = i;
	starpu_vector_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)values, N, sizeof values[0]);
	for (unsigned i = 0; i < ROUNDS; i++) {
		submit(&cl_vector, data, i, (int)i);
		step(want, N, 1, 0, (int)i);
		if (i % 10 == 5) {
			starpu_data_acquire(data, STARPU_R);
			CHECK(memcmp(values, want, sizeof values) == 0);
			starpu_data_release(data);
		}
	}
	starpu_data_unregister(data);
	CHECK(memcmp(values, want, sizeof values) == 0);
}

/* Many at once, in parts of a vector. */
static void check_parts(void)
{
	static int values[N], want[N];
	starpu_data_handle_t data;
	struct starpu_data_filter blocks = {.filter_func = starpu_vector_filter_block, .nchildren = 10};
	for (int i = 0; i < N; i++)
		values[i] = want[i] = 3 * i;
	starpu_vector_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)values, N, sizeof values[0]);
	starpu_data_partition(data, &blocks);
	for (unsigned i = 0; i < 10 * ROUNDS; i++)
		submit(&cl_vector, starpu_data_get_sub_data(data, 1, i % 10), i * 3 + i / 10, (int)(i / 10));
	starpu_data_unpartition(data, STARPU_MAIN_RAM);
	starpu_data_unregister(data);
	for (unsigned i = 0; i < ROUNDS; i++)
		step(want, N, 1, 0, (int)i);
	CHECK(memcmp(values, want, sizeof values) == 0);
}

static void check_matrix(void)
{
	static int values[NY * LD], want[NY * LD];
	starpu_data_handle_t data;
	for (int i = 0; i < NY * LD; i++)
		values[i] = want[i] = i % 10007;
	starpu_matrix_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)values, LD, NX, NY, sizeof values[0]);
	for (unsigned i = 0; i < ROUNDS; i++) {
		submit(&cl_matrix, data, i, (int)i);
		step(want, NX, NY, LD, (int)i);
	}
	starpu_data_unregister(data);
	CHECK(memcmp(values, want, sizeof values) == 0);
}

/* More than a device may have (STARPU_LIMIT_OPENCL_MEM=1): parts make room for each other, and what was changed comes home. */
static void check_room(void)
{
	enum { BIG = 3 << 18, PIECES = 12 };
	static int values[BIG], want[BIG];
	starpu_data_handle_t data;
	struct starpu_data_filter blocks = {.filter_func = starpu_vector_filter_block, .nchildren = PIECES};
	for (int i = 0; i < BIG; i++)
		values[i] = want[i] = i % 10007;
	starpu_vector_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)values, BIG, sizeof values[0]);
	starpu_data_partition(data, &blocks);
	for (unsigned i = 0; i < 3 * PIECES; i++) {
		int add = (int)(i / PIECES);
		int rc = starpu_task_insert(&cl_vector, STARPU_RW, starpu_data_get_sub_data(data, 1, i % PIECES), STARPU_VALUE,
		                            &add, sizeof add, STARPU_EXECUTE_WHERE, STARPU_OPENCL, 0);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
	}
	starpu_data_unpartition(data, STARPU_MAIN_RAM);
	starpu_data_unregister(data);
	for (unsigned i = 0; i < 3; i++)
		step(want, BIG, 1, 0, (int)i);
	CHECK(memcmp(values, want, sizeof values) == 0);
}

/* What was left in the queue, and nothing comes behind it: who waits knows when it is done. */
static void check_waiting(void)
{
	static int values[N];
	int add = 1;
	starpu_data_handle_t data;
	starpu_vector_data_register(&data, STARPU_MAIN_RAM, (uintptr_t)values, N, sizeof values[0]);
	for (unsigned i = 0; i < ROUNDS; i++) {
		int rc = starpu_task_insert(&cl_vector, STARPU_RW, data, STARPU_VALUE, &add, sizeof add, STARPU_EXECUTE_WHERE,
		                            STARPU_OPENCL, 0);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
		CHECK(starpu_task_wait_for_all() == 0);
		CHECK(starpu_task_nsubmitted() == 0);
	}
	starpu_data_unregister(data);
}

static unsigned idle_hook(void *calls)
{
	__atomic_fetch_add((unsigned *)calls, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Workers that call functions of the program while they have nothing else to do see what arrives, too. */
static void check_hooked(void)
{
	unsigned calls = 0;
	int hook = starpu_idle_hook_register(idle_hook, &calls);
	check_waiting();
	starpu_idle_hook_deregister(hook);
	CHECK(calls > 0);
}

static double us_of(const struct timespec *t)
{
	return (double)t->tv_sec * 1e6 + (double)t->tv_nsec / 1e3;
}

/* Of tasks that were left in the queue, each has the device from when the one before it was done: profiled so, and measured. */
static void check_stretches(void)
{
	enum { TASKS = 16 };
	static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "opencl_stretches"};
	static int values[TASKS][N];
	starpu_data_handle_t data[TASKS];
	struct starpu_task *task[TASKS];
	struct starpu_codelet cl = cl_vector;
	int add = 1;
	cl.model = &model;
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	for (unsigned i = 0; i < TASKS; i++) {
		starpu_vector_data_register(&data[i], STARPU_MAIN_RAM, (uintptr_t)values[i], N, sizeof values[i][0]);
		task[i] = starpu_task_build(&cl, STARPU_RW, data[i], STARPU_VALUE, &add, sizeof add, STARPU_EXECUTE_ON_WORKER,
		                            starpu_worker_get_by_type(STARPU_OPENCL_WORKER, 0), 0);
		task[i]->destroy = 0;
		task[i]->detach = 0;
		CHECK(starpu_task_submit(task[i]) == 0);
	}
	CHECK(starpu_task_wait_for_all() == 0);
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(starpu_worker_get_by_type(STARPU_OPENCL_WORKER, 0),
	                                                                     0);
	CHECK(starpu_perfmodel_history_based_expected_perf(&model, arch, starpu_task_footprint(&model, task[0], arch, 0)) > 0);
	for (unsigned i = 0; i < TASKS; i++) {
		const struct starpu_profiling_task_info *t = task[i]->profiling_info;
		CHECK(us_of(&t->start_time) > 0 && us_of(&t->end_time) >= us_of(&t->start_time));
		for (unsigned k = 0; k < i; k++)
			CHECK(us_of(&task[k]->profiling_info->end_time) <= us_of(&t->start_time) ||
			      us_of(&t->end_time) <= us_of(&task[k]->profiling_info->start_time));
	}
	for (unsigned i = 0; i < TASKS; i++) {
		starpu_task_destroy(task[i]);
		starpu_data_unregister(data[i]);
	}
	starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
	CHECK(starpu_perfmodel_unload_model(&model) == 0);
}

/* Devices are numbered before CPUs, as StarPU numbers them. */
static void check_numbers(void)
{
	unsigned devices = starpu_opencl_worker_get_count();
	int ids[STARPU_NMAXWORKERS];
	CHECK(starpu_worker_get_ids_by_type(STARPU_OPENCL_WORKER, ids, STARPU_NMAXWORKERS) == devices);
	for (unsigned i = 0; i < devices; i++) {
		CHECK(ids[i] == (int)i && starpu_worker_get_devnum(ids[i]) == (int)i && starpu_worker_get_bindid(ids[i]) >= 0);
		CHECK(starpu_worker_get_by_devid(STARPU_OPENCL_WORKER, starpu_worker_get_devid(ids[i])) == ids[i]);
		CHECK(starpu_worker_get_memory_node(i) == i + 1);
	}
	CHECK(starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, ids, STARPU_NMAXWORKERS) == starpu_cpu_worker_get_count());
	for (unsigned i = 0; i < starpu_cpu_worker_get_count(); i++)
		CHECK(ids[i] == (int)(devices + i) && starpu_worker_get_memory_node((unsigned)ids[i]) == STARPU_MAIN_RAM);
}

static void check_all(void)
{
	check_waiting();
	check_hooked();
	check_stretches();
	check_room();
	check_vector();
	check_parts();
	check_matrix();
}

static void write_source(const char *path)
{
	FILE *f = fopen(path, "w");
	CHECK(f && fputs(source, f) >= 0 && fclose(f) == 0);
}

/* A source is found by its path, or by its name in the folder that the environment names; text and folder come with it. */
static void check_source(const char *folder, const char *path)
{
	enum { AS_MUCH = 16 << 10 };
	static const struct {
		const char *name;
		bool in_folder;
	} way[] = {{"/step.cl", false}, {"step.cl", true}};
	char *file, *where, *text, name[64], place[64], old_file[256], old_where[256], *old_text = malloc(AS_MUCH);
	snprintf(place, sizeof place, "%s/", folder);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(name, sizeof name, "%s%s", way[i].in_folder ? "" : folder, way[i].name);
		if (way[i].in_folder)
			setenv("STARPU_OPENCL_PROGRAM_DIR", folder, 1);
		starpu_opencl_load_program_source_malloc(name, &file, &where, &text);
		CHECK(!strcmp(file, path) && !strcmp(where, place) && !strcmp(text, source));
		starpu_opencl_load_program_source(name, old_file, old_where, old_text);
		CHECK(!strcmp(old_file, path) && !strcmp(old_where, place) && !strcmp(old_text, source));
		free(file);
		free(where);
		free(text);
	}
	unsetenv("STARPU_OPENCL_PROGRAM_DIR");
	free(old_text);
}

/* Links that somebody has planted where built programs are kept: what they point to stays, and the programs are stored. */
static void check_planted_links(const char *folder, const char *path)
{
	char command[512];
	snprintf(
		command, sizeof command,
		"cd %s && echo precious >kept && n=0 && for f in .starpu/opencl/*; do ln -sf %s/kept \"$f\"; n=$((n + 1)); done; [ $n -gt 0 ]",
		folder, folder);
	CHECK(system(command) == 0);
	CHECK(starpu_opencl_compile_opencl_from_file(path, "-DTIMES=3") == 0);
	snprintf(
		command, sizeof command,
		"cd %s && [ \"$(cat kept)\" = precious ] && for f in .starpu/opencl/*; do [ ! -L \"$f\" ] && [ -s \"$f\" ] || exit 1; done",
		folder);
	CHECK(system(command) == 0);
}

int main(void)
{
	char folder[] = "/tmp/weft-opencl-XXXXXX", path[64];
	setenv("STARPU_OPENCL_ON_CPUS", "1", 0);
	if (!mkdtemp(folder))
		return 1;
	setenv("STARPU_HOME", folder, 1);
	setenv("STARPU_CALIBRATE", "1", 1); /* however much times differ */
	setenv("STARPU_HISTORY_MAX_ERROR", "1000000", 1);
	snprintf(path, sizeof path, "%s/step.cl", folder);
	write_source(path);
	int rc = starpu_init(NULL);
	if (rc == -ENODEV || (!rc && !starpu_opencl_worker_get_count()))
		skip_test("no OpenCL device");
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_init");
	CHECK(starpu_memory_nodes_get_count() > starpu_opencl_worker_get_count());
	check_numbers();
	check_source(folder, path);

	CHECK(starpu_opencl_load_opencl_from_string(source, &program, NULL) == 0);
	check_all();
	starpu_opencl_unload_opencl(&program);
	CHECK(starpu_opencl_load_opencl_from_file(path, &program, "-DTIMES=3") == 0);
	check_all();
	starpu_opencl_unload_opencl(&program);
	CHECK(starpu_opencl_compile_opencl_from_file(path, "-DTIMES=3") == 0);
	check_planted_links(folder, path);
	CHECK(starpu_opencl_load_binary_opencl(path, &program) == 0);
	check_all();
	starpu_opencl_unload_opencl(&program);

	for (unsigned i = 0; i < starpu_worker_get_count(); i++)
		if (starpu_worker_get_type((int)i) == STARPU_OPENCL_WORKER)
			CHECK(ran[i] > 0);
	CHECK(strstr(starpu_opencl_error_string(CL_INVALID_KERNEL_ARGS), "CL_INVALID_KERNEL_ARGS") != NULL);
	starpu_shutdown();
	snprintf(path, sizeof path, "rm -rf %s", folder);
	return system(path) || checks_failed();
}
