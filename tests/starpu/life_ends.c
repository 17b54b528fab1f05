/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How programs begin and end: each in a process of its own, that has to end with a known status. With tasks under way, by exit, by
 * return, by a signal, from another thread; around fork; several begins; paused; with what was forgotten.
 */
#include "starpu_check.h"
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

static int ran, began;

static void count(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
}
static void lasts(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	__atomic_add_fetch(&began, 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
}
static void leaves(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	_exit(5);
}
static void aborts(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	abort();
}
static struct starpu_codelet counts = {.cpu_funcs = {count}, .name = "counts"}, goes_on = {.cpu_funcs = {lasts}},
			     exits = {.cpu_funcs = {leaves}}, dies = {.cpu_funcs = {aborts}};

static void begin(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = 0;
	CHECK(!starpu_init(&conf));
}
static void insert(struct starpu_codelet *cl, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		CHECK(!starpu_task_insert(cl, 0));
}
static void begin_what_never_ends(void)
{
	begin();
	insert(&goes_on, 2);
	WAIT_FOR(LOOK(began) == 2);
	insert(&counts, 100);
}
static int end_after(int n)
{
	starpu_shutdown();
	CHECK(ran == n);
	return checks_failed();
}

/* ---- ends ---- */

static int exits_with_tasks(void)
{
	begin_what_never_ends();
	exit(3);
}
static int returns_with_tasks(void)
{
	begin_what_never_ends();
	return 3;
}
static int exits_in_a_task(void)
{
	begin();
	insert(&exits, 1);
	starpu_task_wait_for_all();
	return 0;
}
static int aborts_in_a_task(void)
{
	begin();
	insert(&dies, 1);
	starpu_task_wait_for_all();
	return 0;
}
static int is_told_to_end(void)
{
	begin_what_never_ends();
	raise(SIGTERM);
	return 0;
}
static int ends_at_exit(void)
{
	begin();
	atexit(starpu_shutdown);
	insert(&counts, 50);
	exit(checks_failed());
}

static void *ends(void *arg)
{
	starpu_task_wait_for_all();
	starpu_shutdown();
	CHECK(ran == 50);
	exit(checks_failed() ? 1 : 4);
	return arg;
}
/* The main thread goes before the others. */
static int ends_without_main(void)
{
	pthread_t t;
	begin();
	insert(&counts, 50);
	CHECK(!pthread_create(&t, NULL, ends, NULL));
	pthread_exit(NULL);
}

static int forgets_data(void)
{
	static int value[10];
	starpu_data_handle_t h;
	begin();
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)value, 10, sizeof value[0]);
	starpu_shutdown();
	begin();
	return end_after(0);
}

/* ---- fork ---- */

static int status_of(pid_t child)
{
	int status = -1;
	CHECK(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
static int some(void)
{
	begin();
	insert(&counts, 20);
	starpu_task_wait_for_all();
	return end_after(20);
}
static int forks_before(void)
{
	pid_t child = fork();
	if (!child)
		_exit(some());
	CHECK(!some());
	CHECK(!status_of(child));
	return checks_failed();
}
/* A child that leaves StarPU alone; and a command. */
static int forks_between(void)
{
	begin();
	insert(&counts, 20);
	pid_t child = fork();
	if (!child)
		_exit(9);
	CHECK(status_of(child) == 9);
	CHECK(!system("exit 0"));
	starpu_task_wait_for_all();
	return end_after(20);
}
/* A child that ends as its parent would (by atexit, say: here at once, as a sanitizer's own end does not work there), and one that wants StarPU. */
static int forks_and_goes_on(void)
{
	begin();
	pid_t child = fork();
	if (!child) {
		starpu_shutdown();
		_exit(6);
	}
	CHECK(status_of(child) == 6);
	child = fork();
	if (!child) {
		CHECK(starpu_init(NULL) == -ENODEV);
		_exit(checks_failed());
	}
	CHECK(!status_of(child));
	insert(&counts, 20);
	return end_after(20);
}
static int forks_after(void)
{
	CHECK(!some());
	pid_t child = fork();
	ran = 0;
	if (!child)
		_exit(some());
	CHECK(!some());
	CHECK(!status_of(child));
	return checks_failed();
}

/* ---- threads, begins that are counted, pauses ---- */

static void *begins(void *arg)
{
	begin();
	return arg;
}
static void *shuts_down(void *arg)
{
	starpu_shutdown();
	return arg;
}
static void in_a_thread(void *(*function)(void *))
{
	pthread_t t;
	CHECK(!pthread_create(&t, NULL, function, NULL));
	CHECK(!pthread_join(t, NULL));
}
static int begins_and_ends_elsewhere(void)
{
	in_a_thread(begins);
	CHECK(starpu_is_initialized());
	insert(&counts, 20);
	in_a_thread(shuts_down);
	CHECK(!starpu_is_initialized());
	CHECK(ran == 20);
	return checks_failed();
}

static void *waits_for_begin(void *arg)
{
	starpu_wait_initialized();
	CHECK(starpu_is_initialized());
	insert(&counts, 1);
	return arg;
}
static int is_waited_for(void)
{
	pthread_t t;
	CHECK(!pthread_create(&t, NULL, waits_for_begin, NULL));
	begin();
	CHECK(!pthread_join(t, NULL));
	return end_after(1);
}

static void *again_and_again(void *arg)
{
	for (unsigned i = 0; i < 20; i++) {
		begin();
		insert(&counts, 10);
		starpu_task_wait_for_all();
		starpu_shutdown();
	}
	return arg;
}
static int two_begin(void)
{
	pthread_t t;
	CHECK(!pthread_create(&t, NULL, again_and_again, NULL));
	again_and_again(NULL);
	CHECK(!pthread_join(t, NULL));
	CHECK(!starpu_is_initialized() && ran == 400);
	return checks_failed();
}

static int counts_begins(void)
{
	enum { TIMES = 3 };
	for (unsigned i = 0; i < TIMES; i++)
		begin();
	for (unsigned i = 0; i < TIMES; i++) {
		CHECK(starpu_is_initialized());
		insert(&counts, 5);
		starpu_shutdown();
	}
	CHECK(!starpu_is_initialized() && ran == 5 * TIMES);
	starpu_shutdown(); /* of nothing */
	return checks_failed();
}

static int counts_pauses(void)
{
	begin();
	CHECK(!starpu_is_paused());
	starpu_pause();
	starpu_pause();
	insert(&counts, 50);
	starpu_resume();
	CHECK(starpu_is_paused() && !LOOK(ran));
	starpu_resume();
	CHECK(!starpu_is_paused());
	starpu_task_wait_for_all();
	CHECK(ran == 50);
	/* What is paused at the end runs all the same. */
	starpu_pause();
	insert(&counts, 50);
	return end_after(100);
}

static int fails_then_begins(void)
{
	struct starpu_conf conf;
	starpu_conf_noworker(&conf);
	for (unsigned i = 0; i < 3; i++) {
		CHECK(starpu_init(&conf) == -ENODEV && !starpu_is_initialized());
		starpu_shutdown();
	}
	return some();
}

/* What a process has; '.', '..' and the one that is looked through count the same each time. */
static unsigned entries(const char *folder)
{
	unsigned n = 0;
	DIR *d = opendir(folder);
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}
static int leaves_nothing(void)
{
	again_and_again(NULL);
	unsigned files = entries("/proc/self/fd"), threads = entries("/proc/self/task");
	for (unsigned i = 0; i < 5; i++)
		again_and_again(NULL);
	CHECK(entries("/proc/self/fd") == files);
	WAIT_FOR(entries("/proc/self/task") == threads); /* a thread that was joined may be seen a little longer */
	CHECK(entries("/proc/self/task") == threads);
	return checks_failed();
}

/* ---- what is asked too early, or too late ---- */

static int answers_early_and_late(void)
{
	int ids[2];
	char name[64];
	for (unsigned late = 0; late < 2; late++) {
		CHECK(!starpu_is_initialized());
		CHECK(starpu_task_wait_for_all() == 0 && starpu_task_wait_for_n_submitted(1) == 0 &&
		      starpu_task_wait_for_no_ready() == 0 && starpu_task_wait_for_all_in_ctx(0) == 0);
		CHECK(starpu_task_nsubmitted() == 0 && starpu_task_nready() == 0);
		CHECK(starpu_sched_set_min_priority(-3) == 0 && starpu_sched_set_max_priority(3) == 0);
		CHECK(!starpu_task_get_current() && starpu_worker_get_id() == -1);
		starpu_pause();
		starpu_resume();
		/* The workers that there were are still told. */
		unsigned n = late ? 2 : 0;
		CHECK(starpu_worker_get_count() == n && starpu_cpu_worker_get_count() == n);
		CHECK(starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, ids, 2) == n);
		CHECK(starpu_worker_get_by_type(STARPU_CPU_WORKER, 0) == (late ? 0 : -1));
		CHECK(starpu_worker_get_type(0) == (late ? STARPU_CPU_WORKER : STARPU_UNKNOWN_WORKER));
		CHECK(starpu_memory_nodes_get_count() == late);
		CHECK(!starpu_get_hwloc_topology() && !starpu_worker_get_hwloc_cpuset(0) && !starpu_worker_get_hwloc_obj(0));
		CHECK(!starpu_worker_get_perf_archtype(77, 0));
		starpu_worker_get_name(0, name, sizeof name);
		CHECK(!strncmp(name, late ? "CPU 0" : "no worker", 5));
		if (!late)
			CHECK(!some());
	}
	return checks_failed();
}
/* There is no answer: a line and an abort, not a crash. */
static int binds_early(void)
{
	(void)starpu_get_next_bindid(0, NULL, 0);
	return 0;
}
static int prints_early(void)
{
	starpu_topology_print(stderr);
	return 0;
}
static int waits_for_a_tag_early(void)
{
	starpu_tag_wait(7);
	return 0;
}

/* ---- tasks that a policy holds until somebody waits, in whatever form ---- */

static int value;
static void add(void *buffers[], void *arg)
{
	(void)arg;
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static struct starpu_codelet adds = {.cpu_funcs = {add}, .nbuffers = 1, .modes = {STARPU_RW}};

static void wait_by_acquiring(starpu_data_handle_t h)
{
	CHECK(!starpu_data_acquire(h, STARPU_R));
	CHECK(value == 1);
	starpu_data_release(h);
}
static void wait_by_cutting(starpu_data_handle_t h)
{
	static int more[8];
	starpu_data_handle_t v;
	struct starpu_data_filter f = {.filter_func = starpu_vector_filter_block, .nchildren = 2};
	(void)h;
	starpu_vector_data_register(&v, STARPU_MAIN_RAM, (uintptr_t)more, 8, sizeof more[0]);
	CHECK(!starpu_task_insert(&adds, STARPU_RW, v, 0));
	starpu_data_partition(v, &f);
	CHECK(more[0] == 1);
	starpu_data_unpartition(v, STARPU_MAIN_RAM);
	starpu_data_unregister(v);
}
static void wait_for_a_tag(starpu_data_handle_t h)
{
	CHECK(!starpu_task_insert(&adds, STARPU_RW, h, STARPU_TAG, (starpu_tag_t)5, 0));
	CHECK(!starpu_tag_wait(5));
}
static void wait_by_the_limit(starpu_data_handle_t h)
{
	(void)h;
	starpu_set_limit_max_submitted_tasks(4);
	insert(&counts, 20);
}
static void wait_for_no_ready(starpu_data_handle_t h)
{
	(void)h;
	CHECK(!starpu_task_wait_for_no_ready());
}
static void just_unregister(starpu_data_handle_t h)
{
	(void)h;
}

static int waits_for_held_tasks(void)
{
	static void (*const how[])(starpu_data_handle_t) = {wait_by_acquiring, wait_by_cutting,   wait_for_a_tag,
	                                                    wait_by_the_limit, wait_for_no_ready, just_unregister};
	setenv("STARPU_SCHED", "graph_test", 1);
	for (unsigned i = 0; i < sizeof how / sizeof how[0]; i++) {
		starpu_data_handle_t h;
		value = 0;
		begin();
		starpu_variable_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)&value, sizeof value);
		CHECK(!starpu_task_insert(&adds, STARPU_RW, h, 0));
		how[i](h);
		starpu_data_unregister(h);
		CHECK(value >= 1);
		starpu_shutdown();
	}
	/* Nobody waits but the end. */
	begin();
	ran = 0;
	insert(&counts, 10);
	return end_after(10);
}

/* ---- each in its process ---- */

static const struct program {
	const char *name;
	int (*run)(void);
	int status; /* or, negative, the signal */
} programs[] = {
	{"exits_with_tasks", exits_with_tasks, 3},
	{"returns_with_tasks", returns_with_tasks, 3},
	{"exits_in_a_task", exits_in_a_task, 5},
	{"aborts_in_a_task", aborts_in_a_task, -SIGABRT},
	{"is_told_to_end", is_told_to_end, -SIGTERM},
	{"ends_at_exit", ends_at_exit, 0},
	{"ends_without_main", ends_without_main, 4},
	{"forgets_data", forgets_data, 0},
	{"forks_before", forks_before, 0},
	{"forks_between", forks_between, 0},
	{"forks_and_goes_on", forks_and_goes_on, 0},
	{"forks_after", forks_after, 0},
	{"begins_and_ends_elsewhere", begins_and_ends_elsewhere, 0},
	{"is_waited_for", is_waited_for, 0},
	{"two_begin", two_begin, 0},
	{"counts_begins", counts_begins, 0},
	{"counts_pauses", counts_pauses, 0},
	{"fails_then_begins", fails_then_begins, 0},
	{"leaves_nothing", leaves_nothing, 0},
	{"answers_early_and_late", answers_early_and_late, 0},
	{"binds_early", binds_early, -SIGABRT},
	{"prints_early", prints_early, -SIGABRT},
	{"waits_for_a_tag_early", waits_for_a_tag_early, -SIGABRT},
	{"waits_for_held_tasks", waits_for_held_tasks, 0},
};

/* Itself, again: a process that was forked by one under a sanitizer is not the same as one that begins. */
static int run_as_process(const struct program *p)
{
	int status = 0;
	pid_t child = fork();
	if (!child) {
		execl("/proc/self/exe", "starpu_life_ends", p->name, (char *)NULL);
		_exit(126);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_NCPU");
	unsetenv("STARPU_SCHED");
	for (const struct program *p = programs; p < programs + sizeof programs / sizeof programs[0]; p++) {
		if (argc > 1 && !strcmp(argv[1], p->name))
			return p->run();
		int status = argc > 1 ? p->status : run_as_process(p);
		if (status != p->status)
			fprintf(stderr, "# %s ended with %d\n", p->name, status);
		CHECK(status == p->status);
	}
	return checks_failed();
}
