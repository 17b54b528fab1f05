/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profiling tool: all events of a small program, in their order and with what they say. Once as a part of the program, once as a
 * library that STARPU_PROF_TOOL names (profiling_tool_library.c), which writes what it hears to a file.
 */
#include "starpu_check.h"
#include <starpu_profiling_tool.h>
#include <sys/wait.h>

enum { EVENTS = starpu_prof_tool_event_user_end + 1, TASKS = 4, BYTES = 1 << 16 };

static int count[EVENTS], in_task, as_library;
static char data[BYTES];
static starpu_data_handle_t handle;
static starpu_prof_tool_entry_register_func registers, unregisters;

static void work(void *buffers[], void *arg);
static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "prof_tool_model"};
static struct starpu_codelet cl = {.cpu_funcs = {work}, .nbuffers = 1, .modes = {STARPU_RW}, .model = &model, .name = "works"};

static void work(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	/* It was told that we begin, and not yet that we end. */
	CHECK(as_library || LOOK(in_task) == 1);
}
static void call_back(void *arg)
{
	(void)arg;
}

static void of_all(struct starpu_prof_tool_info *i, union starpu_prof_tool_event_info *e, struct starpu_prof_tool_api_info *api)
{
	CHECK(i && e && api && e->event_type == i->event_type);
	CHECK(i->starpu_version[0] == STARPU_MAJOR_VERSION && i->starpu_version[1] == STARPU_MINOR_VERSION);
	CHECK(i->conf && i->conf->ncpus == 2 && i->thread_id == gettid());
	__atomic_add_fetch(&count[i->event_type], 1, __ATOMIC_RELAXED);
}

static void of_task(struct starpu_prof_tool_info *i, union starpu_prof_tool_event_info *e, struct starpu_prof_tool_api_info *api)
{
	of_all(i, e, api);
	CHECK(i->worker_id == starpu_worker_get_id() && i->driver_type == starpu_prof_tool_driver_cpu);
	CHECK(i->device_number == starpu_worker_get_devid(i->worker_id));
	CHECK(!strcmp(i->task_name, "a task") && !strcmp(i->model_name, "prof_tool_model"));
	CHECK(i->fun_ptr == (void *)work && i->flops == 5e6 && i->iterations[0] == 7);
	CHECK(i->nbuffers == 1 && i->buffers[0].handle == handle && i->buffers[0].mode == STARPU_RW);
	CHECK(i->buffers[0].dimensions == 2 && i->buffers[0].coordinates[0] == 3 && i->buffers[0].coordinates[1] == 4);
	if (i->event_type == starpu_prof_tool_event_start_cpu_exec)
		__atomic_add_fetch(&in_task, 1, __ATOMIC_ACQ_REL);
	else
		__atomic_add_fetch(&in_task, -1, __ATOMIC_ACQ_REL);
}

static void of_transfer(struct starpu_prof_tool_info *i, union starpu_prof_tool_event_info *e,
                        struct starpu_prof_tool_api_info *api)
{
	of_all(i, e, api);
	CHECK(i->bytes_to_transfer == BYTES && i->memnode < 2);
	CHECK(i->bytes_transfered == (i->event_type == starpu_prof_tool_event_end_transfer ? BYTES : 0));
}

/* Hides that of the library: the program has its tool itself. */
void starpu_prof_tool_library_register(starpu_prof_tool_entry_register_func reg, starpu_prof_tool_entry_register_func unreg)
{
	registers = reg;
	unregisters = unreg;
	if (as_library)
		return;
	for (int i = starpu_prof_tool_event_init; i < EVENTS; i++) {
		int task = i == starpu_prof_tool_event_start_cpu_exec || i == starpu_prof_tool_event_end_cpu_exec;
		int transfer = i == starpu_prof_tool_event_start_transfer || i == starpu_prof_tool_event_end_transfer;
		reg((enum starpu_prof_tool_event)i,
		    task       ? of_task
		    : transfer ? of_transfer
		               : of_all,
		    starpu_prof_tool_command_reg);
	}
}

static void run_tasks(void)
{
	starpu_iteration_push(7);
	for (unsigned i = 0; i < TASKS; i++) /* by turns on both nodes: it moves each time but the first */
		CHECK(starpu_task_insert(&cl, STARPU_RW, handle, STARPU_NAME, "a task", STARPU_FLOPS, 5e6, STARPU_CALLBACK,
		                         call_back, STARPU_EXECUTE_ON_WORKER, (int)(i % 2), 0) == 0);
	starpu_iteration_pop();
	starpu_task_wait_for_all();
}

static void run(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = 0;
	if (starpu_init(&conf))
		cannot_begin();
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)data, BYTES, 1);
	starpu_data_set_coordinates(handle, 2, 3, 4);
	run_tasks();
	if (!as_library) {
		/* Switched off for all, and on again. */
		int before = count[starpu_prof_tool_event_user_start];
		registers(starpu_prof_tool_event_user_start, NULL, starpu_prof_tool_command_toggle);
		run_tasks();
		CHECK(count[starpu_prof_tool_event_user_start] == before &&
		      count[starpu_prof_tool_event_user_end] == before + TASKS);
		registers(starpu_prof_tool_event_user_start, NULL, starpu_prof_tool_command_toggle);
		/* For this thread alone: workers are told. */
		registers(starpu_prof_tool_event_user_end, NULL, starpu_prof_tool_command_toggle_per_thread);
		unregisters(starpu_prof_tool_event_user_start, of_all, starpu_prof_tool_command_reg);
		run_tasks();
		CHECK(count[starpu_prof_tool_event_user_start] == before &&
		      count[starpu_prof_tool_event_user_end] == before + 2 * TASKS);
		registers((enum starpu_prof_tool_event)99, of_all, starpu_prof_tool_command_reg);
	}
	starpu_data_unregister(handle);
	starpu_shutdown();
}

static void check_counts(void)
{
	static const enum starpu_prof_tool_event once[] = {starpu_prof_tool_event_init, starpu_prof_tool_event_terminate,
	                                                   starpu_prof_tool_event_init_begin, starpu_prof_tool_event_init_end};
	for (int i = 0; i < 4; i++)
		CHECK(count[once[i]] == 1);
	for (int i = starpu_prof_tool_event_driver_init; i <= starpu_prof_tool_event_driver_init_end; i++)
		CHECK(count[i] == 2);
	CHECK(count[starpu_prof_tool_event_start_cpu_exec] == 3 * TASKS &&
	      count[starpu_prof_tool_event_end_cpu_exec] == 3 * TASKS);
	CHECK(count[starpu_prof_tool_event_start_gpu_exec] == 0 && count[starpu_prof_tool_event_end_gpu_exec] == 0);
	/* Each task but the first, and back home at the end. */
	CHECK(count[starpu_prof_tool_event_start_transfer] == 3 * TASKS);
	CHECK(count[starpu_prof_tool_event_end_transfer] == 3 * TASKS);
}

static void by_library(const char *library)
{
	char path[] = "/tmp/weft-prof-tool-XXXXXX", text[4096] = "";
	int file = mkstemp(path);
	as_library = 1;
	setenv("STARPU_PROF_TOOL", library, 1);
	setenv("PROF_TOOL_OUTPUT", path, 1);
	run();
	CHECK(read(file, text, sizeof text - 1) > 0);
	CHECK(strstr(text, "init\n") == text && strstr(text, "init end\n") && strstr(text, "terminate\n"));
	int begun = 0;
	for (const char *at = text; (at = strstr(at, "start a task\n")); at++)
		begun++;
	CHECK(begun == TASKS);
	setenv("STARPU_PROF_TOOL", "/nowhere/libtool.so", 1); /* is said, and the program runs */
	run();
	unsetenv("STARPU_PROF_TOOL");
	close(file);
	unlink(path);
}

int main(int argc, char **argv)
{
	setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 1);
	setenv("STARPU_USE_NUMA", "1", 1);
	setenv("STARPU_SILENT", "1", 1);
	setenv("STARPU_NOPENCL", "0", 1);
	unsetenv("STARPU_SCHED");
	run();
	check_counts();
	if (argc > 1)
		by_library(argv[1]);
	return checks_failed();
}
