/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP support: what each variable of the environment (OMP_*) does, each case in a process of its own, on a machine that hwloc
 * makes up, of four cores with two processors each, with four CPU workers.
 */
#include "starpu_check.h"
#include <starpu_openmp.h>
#include <sys/wait.h>

static int processors(int place)
{
	return starpu_omp_get_place_num_procs(place);
}
/* Their sum tells which they are. */
static int sum_of(int place)
{
	int ids[64], sum = 0, n = processors(place);
	starpu_omp_get_place_proc_ids(place, ids);
	for (int i = 0; i < n; i++)
		sum += ids[i];
	return sum;
}
static int places(int unused)
{
	(void)unused;
	return starpu_omp_get_num_places();
}
static int last_partition(int unused)
{
	int numbers[64], n = starpu_omp_get_partition_num_places();
	(void)unused;
	starpu_omp_get_partition_place_nums(numbers);
	return n ? numbers[n - 1] : -1;
}
static int threads, inner_threads;
static void count_inner(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	STARPU_ATOMIC_ADD(&inner_threads, 1);
}
static void parallel(void (*f)(void *buffers[], void *arg))
{
	struct starpu_omp_parallel_region_attr attr = {.cl = {.cpu_funcs = {f}, .where = STARPU_CPU}, .if_clause = 1};
	starpu_omp_parallel_region(&attr);
}
static void count_both(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	STARPU_ATOMIC_ADD(&threads, 1);
	if (starpu_omp_master_inline())
		parallel(count_inner);
}
static int threads_in(int level)
{
	parallel(count_both);
	return level == 1 ? threads : inner_threads;
}
static int most(int unused)
{
	(void)unused;
	return starpu_omp_get_max_threads();
}
static int limit(int unused)
{
	(void)unused;
	return starpu_omp_get_thread_limit();
}
static int schedule(int of_chunk)
{
	enum starpu_omp_sched_value kind;
	int chunk;
	starpu_omp_get_schedule(&kind, &chunk);
	return of_chunk ? chunk : (int)kind;
}
static int bind(int unused)
{
	(void)unused;
	return starpu_omp_get_proc_bind();
}
static int nested(int unused)
{
	(void)unused;
	return starpu_omp_get_nested();
}
static int dynamic(int unused)
{
	(void)unused;
	return starpu_omp_get_dynamic();
}
static int cancellation(int unused)
{
	(void)unused;
	return starpu_omp_get_cancellation();
}

static const struct {
	const char *name, *value;
	int (*ask)(int);
	int about, answer;
} cases[] = {
	{"OMP_NUM_THREADS", "3", threads_in, 1, 3},
	{"OMP_NUM_THREADS", "2,3", threads_in, 1, 2},
	{"OMP_NUM_THREADS", "2,3", threads_in, 2, 1},
	{"OMP_NUM_THREADS", "100", threads_in, 1, 4},
	{"OMP_NUM_THREADS", "100", most, 0, 4},
	{"OMP_NUM_THREADS", "none", threads_in, 1, 4},
	{"OMP_THREAD_LIMIT", "2", threads_in, 1, 2},
	{"OMP_THREAD_LIMIT", "2", most, 0, 2},
	{"OMP_THREAD_LIMIT", "9", limit, 0, 4},
	{"OMP_MAX_ACTIVE_LEVELS", "0", threads_in, 1, 1},
	{"OMP_MAX_ACTIVE_LEVELS", "2", threads_in, 2, 4},
	{"OMP_MAX_ACTIVE_LEVELS", "2", nested, 0, 1},
	{"OMP_NESTED", "true", threads_in, 2, 4},
	{"OMP_NESTED", "false", threads_in, 2, 1},
	{"OMP_SCHEDULE", "static", schedule, 0, starpu_omp_sched_static},
	{"OMP_SCHEDULE", "static", schedule, 1, 0},
	{"OMP_SCHEDULE", "dynamic", schedule, 0, starpu_omp_sched_dynamic},
	{"OMP_SCHEDULE", "dynamic", schedule, 1, 1},
	{"OMP_SCHEDULE", "GUIDED,7", schedule, 0, starpu_omp_sched_guided},
	{"OMP_SCHEDULE", "GUIDED,7", schedule, 1, 7},
	{"OMP_SCHEDULE", "nonmonotonic:dynamic,2", schedule, 1, 2},
	{"OMP_SCHEDULE", "auto", schedule, 0, starpu_omp_sched_auto},
	{"OMP_SCHEDULE", "some", schedule, 0, starpu_omp_sched_static},
	{"OMP_PROC_BIND", "spread", bind, 0, starpu_omp_proc_bind_spread},
	{"OMP_PROC_BIND", "close,spread", bind, 0, starpu_omp_proc_bind_close},
	{"OMP_PROC_BIND", "primary", bind, 0, starpu_omp_proc_bind_master},
	{"OMP_DYNAMIC", "true", dynamic, 0, 1},
	{"OMP_CANCELLATION", "true", cancellation, 0, 1},
	{"OMP_PLACES", "", places, 0, 0},
	{"OMP_PLACES", "threads", places, 0, 8},
	{"OMP_PLACES", "threads(3)", places, 0, 3},
	{"OMP_PLACES", "Cores", places, 0, 4},
	{"OMP_PLACES", "cores", processors, 1, 2},
	{"OMP_PLACES", "cores", sum_of, 1, 2 + 3},
	{"OMP_PLACES", "cores", processors, -1, 0},
	{"OMP_PLACES", "cores", processors, 4, 0},
	{"OMP_PLACES", "sockets", processors, 0, 8},
	{"OMP_PLACES", "{0},{1}", places, 0, 2},
	{"OMP_PLACES", "{0},{1}", last_partition, 0, 1},
	{"OMP_PLACES", "{0},{3}", sum_of, 1, 3},
	{"OMP_PLACES", "{0:4}", processors, 0, 4},
	{"OMP_PLACES", " { 1 : 3 : 2 } ", sum_of, 0, 1 + 3 + 5},
	{"OMP_PLACES", "{0:4,!2}", sum_of, 0, 0 + 1 + 3},
	{"OMP_PLACES", "{0:2}:3:4", places, 0, 3},
	{"OMP_PLACES", "{0:2}:3:4", sum_of, 2, 8 + 9},
	{"OMP_PLACES", "{4:2}:3:-2", sum_of, 2, 0 + 1},
	{"OMP_PLACES", "{0}:4,!{2}", places, 0, 3},
	{"OMP_PLACES", "{0}:4,!{2}", sum_of, 2, 3},
	{"OMP_PLACES", "{0},{1", places, 0, 0},
	{"OMP_PLACES", "{0}{1}", places, 0, 0},
	{"OMP_PLACES", "{-1}", places, 0, 0},
	{"OMP_PLACES", "boats", places, 0, 0},
};

/* In a child, as the environment is read once for each begin, and tests are not to leave theirs to each other. */
static void check_case(unsigned i)
{
	int status;
	pid_t child = fork();
	if (child) {
		waitpid(child, &status, 0);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		return;
	}
	setenv(cases[i].name, cases[i].value, 1);
	if (starpu_omp_init())
		_exit(1);
	int answer = cases[i].ask(cases[i].about);
	if (answer != cases[i].answer)
		fprintf(stderr, "%s=%s: %d instead of %d (case %u)\n", cases[i].name, cases[i].value, answer, cases[i].answer, i);
	starpu_omp_shutdown();
	_exit(answer != cases[i].answer);
}

int main(void)
{
	static const char *const unset[] = {"OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "OMP_MAX_ACTIVE_LEVELS",
	                                    "OMP_NESTED",      "OMP_SCHEDULE",     "OMP_PROC_BIND",
	                                    "OMP_DYNAMIC",     "OMP_CANCELLATION", "OMP_PLACES"};
	for (unsigned i = 0; i < sizeof unset / sizeof unset[0]; i++)
		unsetenv(unset[i]);
	setenv("STARPU_NCPU", "4", 1);
	setenv("STARPU_NOPENCL", "0", 1);
	setenv("HWLOC_SYNTHETIC", "package:1 core:4 pu:2", 1);
	for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check_case(i);
	return checks_failed();
}
