/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user of a program asks of the runtime around its tasks: where the main thread is bound, who hears of signals, of workers
 * that sleep and of tasks that become ready. What may end the process is done by a child.
 */
#include "starpu_check.h"
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static int n_ran;

static void count(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&n_ran, 1, __ATOMIC_ACQ_REL);
}

static struct starpu_codelet cl_count = {.cpu_funcs = {count}, .name = "counts"};

/* ---- the main thread ---- */

static cpu_set_t bound_to(void)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
	return set;
}

/* How many units of the first worker's and of ours are the same. */
static int bound_with(unsigned worker)
{
	hwloc_cpuset_t theirs = starpu_worker_get_hwloc_cpuset((int)worker);
	cpu_set_t ours = bound_to();
	int same = 0;
	for (int i = 0; i < CPU_SETSIZE; i++)
		same += CPU_ISSET(i, &ours) && hwloc_bitmap_isset(theirs, (unsigned)i);
	hwloc_bitmap_free(theirs);
	return same;
}

static void main_thread_has_a_unit(void)
{
	cpu_set_t before = bound_to(), inside;
	CHECK(starpu_init(NULL) == 0);
	inside = bound_to();
	CHECK(CPU_EQUAL(&before, &inside));
	unsigned usual = starpu_cpu_worker_get_count();
	starpu_shutdown();
	setenv("STARPU_MAIN_THREAD_BIND", "1", 1);
	for (int round = 0; round < 3; round++) {
		CHECK(starpu_init(NULL) == 0);
		inside = bound_to();
		CHECK(CPU_COUNT(&inside) == 1);
		CHECK(starpu_cpu_worker_get_count() == (usual > 1 ? usual - 1 : 1));
		for (unsigned i = 0; i < starpu_cpu_worker_get_count() && usual > 1; i++)
			CHECK(bound_with(i) == 0);
		sched_setaffinity(0, sizeof before, &before);
		starpu_bind_thread_on_main();
		cpu_set_t again = bound_to();
		CHECK(CPU_EQUAL(&inside, &again));
		starpu_shutdown();
		inside = bound_to();
		CHECK(CPU_EQUAL(&before, &inside));
	}
	unsetenv("STARPU_MAIN_THREAD_BIND");
}

static void main_thread_where_it_is_said(const char *variable)
{
	char number[16];
	cpu_set_t before = bound_to(), inside;
	CHECK(starpu_init(NULL) == 0);
	unsigned usual = starpu_cpu_worker_get_count();
	int pu = starpu_worker_get_bindid((int)usual - 1);
	hwloc_topology_t topology = starpu_get_hwloc_topology();
	hwloc_obj_t unit = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned)pu);
	hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, unit);
	bool by_core = strstr(variable, "CORE") && core;
	unsigned os = unit->os_index;
	snprintf(number, sizeof number, "%u", by_core ? core->logical_index : unit->logical_index);
	starpu_shutdown();
	setenv(variable, number, 1);
	CHECK(starpu_init(NULL) == 0);
	inside = bound_to();
	CHECK(CPU_COUNT(&inside) == 1 && CPU_ISSET(os, &inside));
	CHECK(starpu_cpu_worker_get_count() == usual); /* it is not reserved */
	CHECK(bound_with(usual - 1) == 1);
	starpu_shutdown();
	setenv(variable, "99999", 1);
	CHECK(starpu_init(NULL) == 0);
	inside = bound_to();
	CHECK(CPU_EQUAL(&before, &inside));
	starpu_shutdown();
	unsetenv(variable);
}

/* ---- signals ---- */

static void dies(void *buffers[], void *arg)
{
	(void)buffers;
	raise(*(int *)arg);
}

static struct starpu_codelet cl_dies = {.cpu_funcs = {dies}, .name = "dies"};

static void heard(int number)
{
	_exit(number == SIGINT ? 42 : 43);
}

/* A child whose task raises this signal, with STARPU_CATCH_SIGNALS=`catches`: how it ended, and what it said. */
static int child(int number, const char *catches, void (*own)(int), char *said, size_t size)
{
	int ends[2], status = -1;
	ssize_t n;
	size_t all = 0;
	if (pipe(ends))
		return -1;
	pid_t pid = fork();
	if (!pid) {
		signal(number, own); /* a sanitizer has its own */
		dup2(ends[1], STDERR_FILENO);
		setenv("STARPU_CATCH_SIGNALS", catches, 1);
		if (starpu_init(NULL))
			_exit(1);
		starpu_task_insert(&cl_dies, STARPU_CL_ARGS_NFREE, &number, sizeof number, 0);
		starpu_task_wait_for_all();
		_exit(1);
	}
	close(ends[1]);
	while (all + 1 < size && (n = read(ends[0], said + all, size - 1 - all)) > 0)
		all += (size_t)n;
	said[all] = '\0';
	close(ends[0]);
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static void signals_are_told(void)
{
	static const int numbers[] = {SIGINT, SIGSEGV, SIGTRAP};
	static const char *const names[] = {"SIGINT", "SIGSEGV", "SIGTRAP"};
	char said[1000];
	for (int i = 0; i < 3; i++) {
		int status = child(numbers[i], "1", SIG_DFL, said, sizeof said);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
		CHECK(strstr(said, names[i]) && strstr(said, "dies") && strstr(said, "on worker CPU "));
		status = child(numbers[i], "0", SIG_DFL, said, sizeof said);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == numbers[i]);
		CHECK(!said[0]);
	}
	/* The program's own handlers stay. */
	CHECK(child(SIGINT, "1", heard, said, sizeof said) == 42 << 8 && !said[0]);
}

static void signals_are_given_back(void)
{
	struct sigaction now;
	signal(SIGINT, SIG_DFL);
	CHECK(starpu_init(NULL) == 0);
	CHECK(sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler != SIG_DFL);
	starpu_shutdown();
	CHECK(sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
	CHECK(starpu_init(NULL) == 0);
	signal(SIGINT, heard);
	starpu_shutdown();
	CHECK(sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == heard);
	signal(SIGINT, SIG_DFL);
}

/* ---- sleep ---- */

static int slept[STARPU_NMAXWORKERS], woke[STARPU_NMAXWORKERS];

static void sleeps(unsigned worker)
{
	CHECK(starpu_worker_get_id() == (int)worker);
	CHECK(LOOK(slept[worker]) == LOOK(woke[worker]));
	__atomic_add_fetch(&slept[worker], 1, __ATOMIC_ACQ_REL);
}

static void wakes(unsigned worker)
{
	__atomic_add_fetch(&woke[worker], 1, __ATOMIC_ACQ_REL);
	CHECK(LOOK(slept[worker]) == LOOK(woke[worker]));
}

static bool everybody_sleeps(unsigned n)
{
	bool all = true;
	for (unsigned i = 0; i < n; i++)
		all = all && LOOK(slept[i]) > LOOK(woke[i]);
	return all;
}

static void sleep_is_told(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.callback_worker_going_to_sleep = sleeps;
	conf.callback_worker_waking_up = wakes;
	CHECK(starpu_init(&conf) == 0);
	WAIT_FOR(everybody_sleeps(2));
	CHECK(everybody_sleeps(2));
	int before = LOOK(woke[0]) + LOOK(woke[1]);
	n_ran = 0;
	starpu_task_insert(&cl_count, 0);
	starpu_task_wait_for_all();
	CHECK(n_ran == 1);
	CHECK(LOOK(woke[0]) + LOOK(woke[1]) > before);
	WAIT_FOR(everybody_sleeps(2));
	/* From now on nobody is told. */
	starpu_worker_set_going_to_sleep_callback(NULL);
	starpu_worker_set_waking_up_callback(NULL);
	before = LOOK(slept[0]) + LOOK(slept[1]) + LOOK(woke[0]) + LOOK(woke[1]);
	starpu_task_insert(&cl_count, 0);
	starpu_task_wait_for_all();
	starpu_shutdown();
	CHECK(LOOK(slept[0]) + LOOK(slept[1]) + LOOK(woke[0]) + LOOK(woke[1]) == before);
}

/* ---- tasks that become ready ---- */

enum { CHAIN = 20 };
static int told[CHAIN], was_told[CHAIN];

static void hears(void *data, struct starpu_task *task, double delay)
{
	CHECK(data == told && delay >= 0);
	if (task->cl_arg)
		__atomic_add_fetch(&told[(int *)task->cl_arg - was_told], 1, __ATOMIC_ACQ_REL);
}

static void notes(void *buffers[], void *arg)
{
	(void)buffers;
	*(int *)arg = LOOK(told[(int *)arg - was_told]);
}

static void chain(starpu_data_handle_t h, int expected)
{
	static struct starpu_codelet cl_notes = {.cpu_funcs = {notes}, .nbuffers = 1, .modes = {STARPU_RW}};
	memset(told, 0, sizeof told);
	memset(was_told, -1, sizeof was_told);
	for (int i = 0; i < CHAIN; i++)
		CHECK(starpu_task_insert(&cl_notes, STARPU_RW, h, STARPU_CL_ARGS_NFREE, &was_told[i], sizeof was_told[i], 0) ==
		      0);
	starpu_task_wait_for_all();
	for (int i = 0; i < CHAIN; i++)
		CHECK(was_told[i] == expected && told[i] == expected);
}

/* Registered before the begin, or in the middle; each task once, before it runs. */
static void ready_tasks_are_told(bool before)
{
	starpu_data_handle_t h;
	int value = 0;
	if (before)
		starpu_task_notify_ready_soon_register(hears, told);
	CHECK(starpu_init(NULL) == 0);
	starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
	if (!before) {
		chain(h, 0);
		starpu_task_notify_ready_soon_register(hears, told);
	}
	chain(h, 1);
	starpu_task_notify_ready_soon_register(NULL, NULL);
	chain(h, 0);
	starpu_data_unregister(h);
	starpu_shutdown();
}

int main(void)
{
	unsetenv("STARPU_NCPU");
	unsetenv("STARPU_SILENT");
	setenv("STARPU_NOPENCL", "0", 1); /* whose libraries take signals, too */
	signals_are_told();               /* first: children of a process with one thread */
	signals_are_given_back();
	setenv("STARPU_SILENT", "1", 1);
	main_thread_has_a_unit();
	main_thread_where_it_is_said("STARPU_MAIN_THREAD_CPUID");
	main_thread_where_it_is_said("STARPU_MAIN_THREAD_COREID");
	sleep_is_told();
	ready_tasks_are_told(true);
	ready_tasks_are_told(false);
	return checks_failed();
}
