/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that asks the runtime what it did: when its tasks began and ended, what its workers did meanwhile, what went to a disk and
 * back, page faults of tasks, energy, and the events that a profiling tool is told. docs/online-tools.md explains each.
 *
 *     cc looks_at_itself.c $(pkg-config --cflags --libs starpu-1.4) -o looks_at_itself
 *     STARPU_PROF_PAPI_EVENTS=page-faults ./looks_at_itself
 */
#include <starpu.h>
#include <starpu_profiling.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TASKS = 20, PAGES = 256, BYTES = 4 << 20 };

/* Touches fresh memory, so that the kernel has to give it page by page. */
static void work(void *buffers[], void *arg)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	(void)buffers, (void)arg;
	char *at = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return;
	for (int turn = 0; turn < 20; turn++)
		for (size_t i = 0; i < PAGES * page; i += 64)
			((volatile char *)at)[i] = (char)turn;
	munmap(at, PAGES * page);
}
static struct starpu_perfmodel joules = {.type = STARPU_HISTORY_BASED, .symbol = "looks_at_itself_energy"};
static struct starpu_codelet codelet = {.cpu_funcs = {work}, .energy_model = &joules, .name = "work"};

/* ---- a profiling tool, as a part of the program ---- */

static unsigned begun, ended;
static void hear(struct starpu_prof_tool_info *info, union starpu_prof_tool_event_info *event,
                 struct starpu_prof_tool_api_info *api)
{
	(void)event, (void)api;
	STARPU_ATOMIC_ADD(info->event_type == starpu_prof_tool_event_start_cpu_exec ? &begun : &ended, 1);
}
void starpu_prof_tool_library_register(starpu_prof_tool_entry_register_func reg, starpu_prof_tool_entry_register_func unreg)
{
	(void)unreg;
	reg(starpu_prof_tool_event_start_cpu_exec, hear, starpu_prof_tool_command_reg);
	reg(starpu_prof_tool_event_end_cpu_exec, hear, starpu_prof_tool_command_reg);
}

/* ---- tasks and workers ---- */

static int run_tasks(void)
{
	struct starpu_task *task[TASKS];
	double waited = 0, took = 0;
	long long faults = 0;
	for (int i = 0; i < TASKS; i++) {
		task[i] = starpu_task_create();
		task[i]->cl = &codelet;
		task[i]->detach = task[i]->destroy = 0;
		if (starpu_task_submit(task[i]))
			return -1;
	}
	for (int i = 0; i < TASKS; i++) {
		starpu_task_wait(task[i]);
		struct starpu_profiling_task_info *info = task[i]->profiling_info;
		waited += starpu_timing_timespec_delay_us(&info->submit_time, &info->start_time);
		took += starpu_timing_timespec_delay_us(&info->start_time, &info->end_time);
		faults += info->papi_values[0];
		starpu_task_destroy(task[i]);
	}
	printf("%d tasks waited %.1f us and took %.1f us on average\n", TASKS, waited / TASKS, took / TASKS);
	if (getenv("STARPU_PROF_PAPI_EVENTS"))
		printf("first event: %lld a task\n", faults / TASKS);
	return waited >= 0 && took > 0 ? 0 : -1;
}

static int ask_workers(void)
{
	int tasks = 0;
	for (unsigned i = 0; i < starpu_worker_get_count(); i++) {
		struct starpu_profiling_worker_info info;
		char name[64];
		if (starpu_profiling_worker_get_info((int)i, &info))
			return -1;
		starpu_worker_get_name((int)i, name, sizeof name);
		printf("%s: %d tasks; executing %.1f ms of %.1f ms\n", name, info.executed_tasks,
		       starpu_timing_timespec_to_us(&info.executing_time) / 1000,
		       starpu_timing_timespec_to_us(&info.total_time) / 1000);
		tasks += info.executed_tasks;
	}
	return tasks;
}

/* ---- a bus: to a disk, where the value becomes the only one, and back ---- */

static int use_bus(const char *folder)
{
	static char bytes[BYTES];
	struct starpu_profiling_bus_info to, from;
	starpu_data_handle_t h;
	int disk = starpu_disk_register(&starpu_disk_unistd_ops, (void *)(uintptr_t)folder, (starpu_ssize_t)64 << 20);
	if (disk < 0)
		return -1;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)bytes, BYTES, 1);
	starpu_data_acquire_on_node(h, disk, STARPU_RW);
	starpu_data_release_on_node(h, disk);
	starpu_data_acquire(h, STARPU_R);
	starpu_data_release(h);
	starpu_bus_get_profiling_info(starpu_bus_get_id(STARPU_MAIN_RAM, disk), &to);
	starpu_bus_get_profiling_info(starpu_bus_get_id(disk, STARPU_MAIN_RAM), &from);
	printf("to the disk %lld bytes, %d transfer; back %lld bytes, %d transfer\n", to.transferred_bytes, to.transfer_count,
	       from.transferred_bytes, from.transfer_count);
	starpu_data_unregister(h);
	return to.transferred_bytes == BYTES && from.transferred_bytes == BYTES ? 0 : -1;
}

/* ---- energy: of a batch, since single tasks are too short for its counters ---- */

static void measure_energy(void)
{
	if (starpu_energy_start(-1, STARPU_CPU_WORKER)) {
		printf("energy: this machine does not tell\n");
		return;
	}
	for (int i = 0; i < TASKS; i++)
		if (starpu_task_insert(&codelet, 0))
			return;
	starpu_task_wait_for_all();
	struct starpu_task *like = starpu_task_create();
	like->cl = &codelet;
	like->destroy = 0;
	if (starpu_energy_stop(&joules, like, 0, TASKS, -1, STARPU_CPU_WORKER))
		printf("energy: this machine does not tell\n");
	else
		printf("energy: %g J a task\n",
		       starpu_task_expected_energy(like, starpu_worker_get_perf_archtype(0, STARPU_NMAX_SCHED_CTXS), 0));
	starpu_task_destroy(like);
}

int main(void)
{
	char folder[] = "/tmp/looks-at-itself-XXXXXX";
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.nopencl = 0; /* tasks on CPUs alone, whose number is known below */
	if (starpu_init(&conf) || !starpu_cpu_worker_get_count() || !mkdtemp(folder))
		return 77;
	starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
	int bad = run_tasks(), tasks = ask_workers();
	bad |= use_bus(folder);
	unsigned heard = begun;
	starpu_profiling_status_set(STARPU_PROFILING_DISABLE);
	measure_energy();
	starpu_codelet_display_stats(&codelet);
	starpu_shutdown();
	printf("the tool heard of %u tasks\n", heard);
	rmdir(folder);
	return !bad && tasks == TASKS && heard == TASKS && ended == begun ? EXIT_SUCCESS : EXIT_FAILURE;
}
