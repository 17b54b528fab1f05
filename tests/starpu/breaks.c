/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STARPU_TASK_BREAK_ON_*: the program gets its SIGTRAP at that task and that station only; and how many tasks are ready, under
 * several policies. Each run is a process of its own: jobs have the same numbers in each.
 */
#include "starpu_check.h"
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS = 5, BROKEN = 2 };

static int n_traps, at_trap = -1, runs, popped, pushed;
static bool on_worker;

static void trap(int number)
{
	(void)number;
	if (n_traps++)
		return;
	at_trap = runs * 100 + popped * 10 + pushed;
	on_worker = starpu_worker_get_id() >= 0;
}

static void run(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	runs++;
}

static void pop_one(void *arg)
{
	(void)arg;
	popped++;
}

static void push_one(void *arg)
{
	(void)arg;
	pushed++;
}

static struct starpu_codelet cl_run = {.cpu_funcs = {run}};

/* Tasks on one worker, all pushed before the first is popped; the number of the one that is to be broken at. */
static const char *policy;
static unsigned long tasks(void)
{
	unsigned long id = 0;
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.sched_policy_name = policy;
	CHECK(starpu_init(&conf) == 0);
	starpu_pause();
	for (int i = 0; i < TASKS; i++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &cl_run;
		t->prologue_callback_func = push_one;
		t->prologue_callback_pop_func = pop_one;
		CHECK(starpu_task_submit(t) == 0);
		if (i == BROKEN)
			id = starpu_task_get_job_id(t);
	}
	starpu_resume();
	starpu_task_wait_for_all();
	starpu_shutdown();
	CHECK(runs == TASKS && popped == TASKS && pushed == TASKS);
	return id;
}

static unsigned long number_of_job(void)
{
	unsigned long id = 0;
	int ends[2], status = -1;
	CHECK(pipe(ends) == 0);
	pid_t pid = fork();
	if (!pid) {
		/* No job has it: only so that tasks go the same way. */
		setenv("STARPU_TASK_BREAK_ON_EXEC", "18446744073709551615", 1);
		id = tasks();
		CHECK(write(ends[1], &id, sizeof id) == sizeof id);
		_exit(checks_failed());
	}
	CHECK(read(ends[0], &id, sizeof id) == sizeof id);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	close(ends[0]);
	close(ends[1]);
	return id;
}

static void breaks(const char *variable, unsigned long id, int expected, bool worker)
{
	char text[32];
	int status = -1;
	pid_t pid = fork();
	if (!pid) {
		snprintf(text, sizeof text, "%lu", id);
		signal(SIGTRAP, trap);
		setenv(variable, text, 1);
		CHECK(tasks() == id);
		/* -1: anywhere. A task may be scheduled twice: decided upon, and given to its worker. */
		CHECK(expected < 0 ? n_traps > 0 : n_traps == 1 && at_trap == expected);
		CHECK(on_worker == worker);
		if (checks_bad)
			fprintf(stderr, "%s=%s: %d traps, at %d\n", variable, text, n_traps, at_trap);
		_exit(checks_failed());
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
}

/* Those that decide when a task comes, and those that do when a worker asks. */
static void breaks_where_scheduled(void)
{
	static const struct {
		const char *policy;
		bool worker;
	} all[] = {{"lws", true},           {"ws", true},           {"eager", true},           {"prio", true},
	           {"peager", true},        {"heteroprio", true},   {"graph_test", true},      {"random", false},
	           {"dm", false},           {"dmda", false},        {"dmdas", false},          {"pheft", false},
	           {"modular-eager", true}, {"modular-prio", true}, {"modular-random", false}, {"modular-ws", false},
	           {"modular-heft", false}};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		int before = checks_bad;
		policy = all[i].policy;
		unsigned long id = number_of_job();
		breaks("STARPU_TASK_BREAK_ON_SCHED", id, -1, all[i].worker);
		if (checks_bad > before)
			fprintf(stderr, "with policy %s\n", policy);
	}
	policy = NULL;
}

static void ready_tasks(const char *name)
{
	starpu_data_handle_t h;
	int value = 0, status = -1;
	pid_t pid = fork();
	if (!pid) {
		struct starpu_codelet cl_rw = {.cpu_funcs = {run}, .nbuffers = 1, .modes = {STARPU_RW}};
		struct starpu_conf conf;
		starpu_conf_init(&conf);
		conf.ncpus = 1;
		conf.sched_policy_name = name;
		CHECK(starpu_init(&conf) == 0);
		starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
		CHECK(starpu_task_nready() == 0);
		starpu_pause();
		usleep(2000);
		for (int i = 0; i < 20; i++) {
			CHECK(starpu_task_insert(&cl_run, 0) == 0);
			CHECK(starpu_task_nready() == i + 1);
		}
		/* A chain: only its first is ready. */
		for (int i = 0; i < 10; i++)
			CHECK(starpu_task_insert(&cl_rw, STARPU_RW, h, 0) == 0);
		CHECK(starpu_task_nready() == 21 && starpu_task_nsubmitted() == 30);
		starpu_resume();
		starpu_task_wait_for_all();
		CHECK(starpu_task_nready() == 0 && runs == 30);
		starpu_data_unregister(h);
		starpu_shutdown();
		_exit(checks_failed());
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	if (status)
		fprintf(stderr, "with policy %s\n", name);
}

int main(void)
{
	static const char *const policies[] = {"eager", "prio", "random", "ws", "dmda", "modular-eager", "heteroprio"};
	setenv("STARPU_NOPENCL", "0", 1);
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_NCPU");
	unsetenv("STARPU_SCHED");
	unsigned long id = number_of_job();
	/* runs, popped, pushed */
	breaks("STARPU_TASK_BREAK_ON_PUSH", id, BROKEN, false);
	breaks("STARPU_TASK_BREAK_ON_POP", id, BROKEN * 100 + BROKEN * 10 + TASKS, true);
	breaks("STARPU_TASK_BREAK_ON_EXEC", id, BROKEN * 100 + (BROKEN + 1) * 10 + TASKS, true);
	breaks_where_scheduled();
	for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
		ready_tasks(policies[i]);
	return checks_failed();
}
