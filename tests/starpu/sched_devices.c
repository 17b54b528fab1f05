/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPUs and OpenCL devices together: model-driven policies give a task to the kind that is faster at it, all policies give right
 * results wherever tasks run, and the ways to the devices are measured and kept.
 */
#include "starpu_check.h"
#include <stdint.h>
#include <unistd.h>

enum { TASKS = 120, CELLS = 6 };
static int on_kind[2][2]; /* [codelet][kind of worker] */

static void add(void *buffers[], void *arg)
{
	int *cell = (int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	*cell += 1;
	__atomic_add_fetch(&on_kind[(uintptr_t)arg][0], 1, __ATOMIC_RELAXED);
}

#ifdef STARPU_USE_OPENCL
#include <starpu_opencl.h>
static void add_there(void *buffers[], void *arg)
{
	int value;
	cl_mem at = (cl_mem)STARPU_VARIABLE_GET_DEV_HANDLE(buffers[0]);
	size_t offset = STARPU_VARIABLE_GET_OFFSET(buffers[0]);
	cl_command_queue queue;
	starpu_opencl_get_current_queue(&queue);
	CHECK(clEnqueueReadBuffer(queue, at, CL_TRUE, offset, sizeof value, &value, 0, NULL, NULL) == CL_SUCCESS);
	value++;
	CHECK(clEnqueueWriteBuffer(queue, at, CL_TRUE, offset, sizeof value, &value, 0, NULL, NULL) == CL_SUCCESS);
	__atomic_add_fetch(&on_kind[(uintptr_t)arg][1], 1, __ATOMIC_RELAXED);
}

static double good_there(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t;
	(void)impl;
	return arch->devices[0].type == STARPU_CPU_WORKER ? 1e6 : 10;
}
static double good_here(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t;
	(void)impl;
	return arch->devices[0].type == STARPU_CPU_WORKER ? 10 : 1e6;
}
static struct starpu_perfmodel models[] = {{.type = STARPU_PER_ARCH, .arch_cost_function = good_here, .symbol = "here"},
                                           {.type = STARPU_PER_ARCH, .arch_cost_function = good_there, .symbol = "there"}};
static struct starpu_codelet cls[] = {
	{.cpu_funcs = {add}, .opencl_funcs = {add_there}, .nbuffers = 1, .modes = {STARPU_RW}, .model = &models[0]},
	{.cpu_funcs = {add}, .opencl_funcs = {add_there}, .nbuffers = 1, .modes = {STARPU_RW}, .model = &models[1]},
};

static void with(const char *policy, int by_model)
{
	struct starpu_conf conf;
	starpu_data_handle_t handle[CELLS];
	int cell[CELLS] = {0}, want[CELLS] = {0};
	starpu_conf_init(&conf);
	conf.sched_policy_name = policy;
	conf.ncpus = 2;
	if (starpu_init(&conf) || !starpu_opencl_worker_get_count() || !starpu_cpu_worker_get_count())
		exit(77);
	memset(on_kind, 0, sizeof on_kind);
	for (int i = 0; i < CELLS; i++)
		starpu_variable_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)&cell[i], sizeof cell[i]);
	for (int i = 0; i < TASKS; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &cls[i % 2];
		t->cl_arg = (void *)(uintptr_t)(i % 2);
		t->handles[0] = handle[i % CELLS];
		want[i % CELLS]++;
		CHECK(starpu_task_submit(t) == 0);
	}
	starpu_task_wait_for_all();
	for (int i = 0; i < CELLS; i++) {
		starpu_data_unregister(handle[i]);
		CHECK(cell[i] == want[i]);
	}
	CHECK(on_kind[0][0] + on_kind[0][1] + on_kind[1][0] + on_kind[1][1] == TASKS);
	if (by_model && (on_kind[0][1] || on_kind[1][0]))
		fprintf(stderr, "# %s: %d and %d tasks on the slower kind\n", policy, on_kind[0][1], on_kind[1][0]);
	CHECK(!by_model || (!on_kind[0][1] && !on_kind[1][0]));
	starpu_shutdown();
}

static void the_bus(void)
{
	starpu_data_handle_t handle;
	static char block[1 << 20];
	char path[300];
	if (starpu_init(NULL))
		exit(77);
	CHECK(starpu_transfer_bandwidth(0, 1) > 0 && starpu_transfer_latency(1, 0) > 0);
	CHECK(starpu_transfer_predict(0, 1, 1000000) > starpu_transfer_predict(0, 1, 1000));
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)block, sizeof block, 1);
	CHECK(starpu_data_expected_transfer_time(handle, 0, STARPU_R) == 0 &&
	      starpu_data_expected_transfer_time(handle, 1, STARPU_W) == 0);
	CHECK(starpu_data_expected_transfer_time(handle, 1, STARPU_R) == starpu_transfer_predict(0, 1, sizeof block));
	starpu_data_unregister(handle);
	snprintf(path, sizeof path, "%s/.starpu/sampling/bus/test.bandwidth", getenv("STARPU_HOME"));
	CHECK(access(path, R_OK) == 0);
	starpu_shutdown();
}

int main(void)
{
	static const char *const by_model[] = {"dm", "dmda", "dmdar", "dmdas", "modular-dmda", "modular-dmdas", "modular-heft"};
	char home[] = "/tmp/weft-devices-XXXXXX", command[64];
	CHECK(mkdtemp(home) != NULL);
	setenv("STARPU_HOME", home, 1);
	setenv("STARPU_HOSTNAME", "test", 1);
	setenv("STARPU_SILENT", "1", 1);
	setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
	unsetenv("STARPU_SCHED");
	for (size_t i = 0; i < sizeof by_model / sizeof *by_model; i++)
		with(by_model[i], 1);
	for (struct starpu_sched_policy **all = starpu_sched_get_predefined_policies(); *all; all++)
		with((*all)->policy_name, 0);
	the_bus();
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
#else
int main(void)
{
	(void)add;
	return 77;
}
#endif
