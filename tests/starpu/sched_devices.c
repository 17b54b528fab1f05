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
	if (starpu_init(&conf) || !starpu_cpu_worker_get_count())
		cannot_begin();
	if (!starpu_opencl_worker_get_count())
		skip_test("no OpenCL device");
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

static char block[1 << 24];

static void the_bus(void)
{
	starpu_data_handle_t handle;
	char path[300];
	if (starpu_init(NULL))
		cannot_begin();
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

/* ---- variables that weigh data: where the policy would rather not run a task, as its data are elsewhere ---- */

static void nowhere_near(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	on_kind[0][starpu_worker_get_type(starpu_worker_get_id()) != STARPU_CPU_WORKER]++;
}
static double transfer; /* of its data to the device */
static double better_there(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)impl;
	return arch->devices[0].type == STARPU_CPU_WORKER ? 2 * transfer : transfer / 2;
}
static struct starpu_perfmodel better = {.type = STARPU_PER_ARCH, .arch_cost_function = better_there, .symbol = "better"};
static struct starpu_codelet reads_much = {.cpu_funcs = {nowhere_near},
                                           .opencl_funcs = {nowhere_near},
                                           .nbuffers = 1,
                                           .modes = {STARPU_R},
                                           .model = &better};

/* On the device it is done sooner in spite of its data, which cost more than that, if they are to count on their own. */
static void weighs_transfers(const char *beta, int there)
{
	starpu_data_handle_t handle;
	struct starpu_conf conf;
	setenv("STARPU_SCHED_BETA", beta, 1);
	starpu_conf_init(&conf);
	conf.sched_policy_name = "dmda";
	conf.ncpus = 1;
	if (starpu_init(&conf))
		cannot_begin();
	memset(on_kind, 0, sizeof on_kind);
	transfer = starpu_transfer_predict(0, 1, sizeof block);
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)block, sizeof block, 1);
	CHECK(starpu_task_insert(&reads_much, STARPU_R, handle, 0) == 0);
	starpu_data_unregister(handle);
	if (!on_kind[0][there])
		fprintf(stderr, "# beta %s: %d and %d, %.0f us\n", beta, on_kind[0][0], on_kind[0][1], transfer);
	CHECK(on_kind[0][there] == 1);
	starpu_shutdown();
	unsetenv("STARPU_SCHED_BETA");
}

static void counts_writing_back(void)
{
	starpu_data_handle_t handle;
	for (int counts = 0; counts < 2; counts++) {
		setenv("STARPU_EXPECTED_TRANSFER_TIME_WRITEBACK", counts ? "1" : "0", 1);
		if (starpu_init(NULL))
			cannot_begin();
		starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)block, sizeof block, 1);
		double back = counts ? starpu_transfer_predict(1, 0, sizeof block) : 0;
		CHECK(starpu_data_expected_transfer_time(handle, 1, STARPU_W) == back);
		CHECK(starpu_data_expected_transfer_time(handle, 0, STARPU_RW) == 0);
		starpu_data_unregister(handle);
		starpu_shutdown();
	}
	unsetenv("STARPU_EXPECTED_TRANSFER_TIME_WRITEBACK");
}

/* Of two tasks that wait for a device, the one whose data are there is taken first, where that is asked for; more urgent or not. */
static int order[2], n_order;
static void note_taken(void *arg)
{
	order[n_order++] = (int)(uintptr_t)arg;
}
static void nothing_there(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static int held;
static void hold_there(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	WAIT_FOR(!LOOK(held));
}
static struct starpu_codelet waits_there = {.opencl_funcs = {nothing_there}, .nbuffers = 1, .modes = {STARPU_R}},
			     holds_there = {.opencl_funcs = {hold_there}};

static void takes_ready(const char *policy, const char *variable, const char *value, int urgent, int first)
{
	static int cells[2];
	starpu_data_handle_t handle[2];
	struct starpu_conf conf;
	setenv(variable, value, 1);
	setenv("STARPU_PREFETCH", "0", 1);
	starpu_conf_init(&conf);
	conf.sched_policy_name = policy;
	conf.ncpus = 0;
	conf.nopencl = 1;
	if (starpu_init(&conf))
		cannot_begin();
	for (int i = 0; i < 2; i++)
		starpu_variable_data_register(&handle[i], STARPU_MAIN_RAM, (uintptr_t)&cells[i], sizeof cells[i]);
	CHECK(starpu_data_prefetch_on_node(handle[1], starpu_worker_get_memory_node(0), 0) == 0);
	n_order = 0;
	CHECK(starpu_task_insert(&holds_there, 0) == 0);
	WAIT_FOR(LOOK(held));
	for (uintptr_t i = 0; i < 2; i++)
		CHECK(starpu_task_insert(&waits_there, STARPU_R, handle[i], STARPU_PRIORITY, i ? 0 : urgent,
		                         STARPU_PROLOGUE_CALLBACK_POP, note_taken, STARPU_PROLOGUE_CALLBACK_POP_ARG_NFREE,
		                         (void *)i, 0) == 0);
	__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
	starpu_task_wait_for_all();
	if (order[0] != first)
		fprintf(stderr, "# %s, %s=%s: %d, %d\n", policy, variable, value, order[0], order[1]);
	CHECK(n_order == 2 && order[0] == first);
	for (int i = 0; i < 2; i++)
		starpu_data_unregister(handle[i]);
	starpu_shutdown();
	unsetenv(variable);
	unsetenv("STARPU_PREFETCH");
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
	weighs_transfers("1", 0);
	weighs_transfers("0", 1);
	counts_writing_back();
	takes_ready("modular-dmdar", "STARPU_SCHED_READY", "1", 0, 1);
	takes_ready("modular-dmdar", "STARPU_SCHED_READY", "0", 0, 0);
	takes_ready("modular-dmdar", "STARPU_SCHED_FIFO_READY_FIRST", "0", 1, 0);
	takes_ready("modular-dmdar", "STARPU_SCHED_FIFO_READY_FIRST", "1", 1, 1);
	takes_ready("dmdas", "STARPU_SCHED_FIFO_READY_FIRST", "0", 1, 0);
	takes_ready("dmdas", "STARPU_SCHED_FIFO_READY_FIRST", "1", 1, 1);
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
#else
int main(void)
{
	(void)add;
	skip_test("built without OpenCL");
}
#endif
