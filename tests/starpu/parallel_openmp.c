/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler's OpenMP in tasks of a parallel worker: as many threads as it has processors, each on its own. */
#include "starpu_check.h"
#include <omp.h>
#include <sched.h>
#include <starpu_parallel_worker.h>

enum { TASKS = 20, MOST = 64 };

static int threads, wrong, sum;
static void work(void *buffers[], void *arg)
{
	int cpu[MOST], n = 0;
	(void)buffers, (void)arg;
#pragma omp parallel reduction(+ : sum)
	{
		cpu_set_t set;
		CPU_ZERO(&set);
		sched_getaffinity(0, sizeof set, &set);
		int me = omp_get_thread_num(), only = 0;
		while (!CPU_ISSET((unsigned)only, &set))
			only++;
		cpu[me] = CPU_COUNT(&set) == 1 ? only : -1;
		sum += 1;
#pragma omp single
		n = omp_get_num_threads();
	}
	__atomic_store_n(&threads, n, __ATOMIC_RELAXED);
	for (int i = 0; i < n; i++)
		wrong += cpu[i] != starpu_worker_get_bindid(i);
}
static struct starpu_codelet works = {.cpu_funcs = {work}};

int main(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = 0;
	if (starpu_init(&conf) || starpu_cpu_worker_get_count() != 2)
		cannot_begin();
	if (starpu_worker_get_bindid(0) == starpu_worker_get_bindid(1))
		skip_test("one processor only");
	/* When it is made, it tells; and each task may tell again. */
	for (int with_prologue = 0; with_prologue < 2; with_prologue++) {
		struct starpu_parallel_worker_config *c = starpu_parallel_worker_init(HWLOC_OBJ_MACHINE, 0);
		threads = wrong = sum = 0;
		for (int i = 0; i < TASKS; i++) {
			struct starpu_task *t = starpu_task_create();
			t->cl = &works;
			if (with_prologue)
				t->prologue_callback_pop_func = starpu_parallel_worker_openmp_prologue;
			CHECK(starpu_task_submit(t) == 0);
		}
		starpu_task_wait_for_all();
		CHECK(threads == 2 && wrong == 0 && sum == 2 * TASKS);
		CHECK(starpu_parallel_worker_shutdown(c) == 0);
	}
	starpu_shutdown();
	return checks_failed();
}
