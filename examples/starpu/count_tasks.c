/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of each worker, read while tasks run: how many it has executed, and how long that took.
 *
 *     cc count_tasks.c $(pkg-config --cflags --libs starpu-1.4) -o count_tasks && ./count_tasks
 */
#include <starpu.h>
#include <stdlib.h>

enum { TASKS = 40 };
static int id_executed, id_time;

static void work(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	for (volatile int i = 0; i < 100000; i++)
		continue;
}
static struct starpu_codelet codelet = {.cpu_funcs = {work}, .name = "work"};

/* Called on the worker, after each of its tasks; `last` is what starpu_perf_counter_listener_init was given. */
static void hear(struct starpu_perf_counter_listener *listener, struct starpu_perf_counter_sample *sample, void *last)
{
	(void)listener;
	int64_t executed = starpu_perf_counter_sample_get_int64_value(sample, id_executed);
	double us = starpu_perf_counter_sample_get_double_value(sample, id_time);
	int worker = starpu_worker_get_id();
	((int64_t *)last)[worker] = executed;
	if (executed % 10 == 0)
		printf("worker %d: %lld tasks in %.1f us\n", worker, (long long)executed, us);
}

int main(void)
{
	int64_t *executed = calloc(STARPU_NMAXWORKERS, sizeof *executed), sum = 0;
	if (!executed || starpu_init(NULL))
		return 77;
	/* Counters have names and numbers; a set says which are wanted. */
	enum starpu_perf_counter_scope scope = starpu_perf_counter_scope_per_worker;
	struct starpu_perf_counter_set *set = starpu_perf_counter_set_alloc(scope);
	id_executed = starpu_perf_counter_name_to_id(scope, "starpu.task.w_total_executed");
	id_time = starpu_perf_counter_name_to_id(scope, "starpu.task.w_cumul_execution_time");
	starpu_perf_counter_set_enable_id(set, id_executed);
	starpu_perf_counter_set_enable_id(set, id_time);

	/* A listener hears of all workers; nothing is counted before the collection starts. */
	struct starpu_perf_counter_listener *listener = starpu_perf_counter_listener_init(set, hear, executed);
	starpu_perf_counter_set_all_per_worker_listeners(listener);
	starpu_perf_counter_collection_start();
	for (int i = 0; i < TASKS; i++)
		if (starpu_task_insert(&codelet, 0))
			return EXIT_FAILURE;
	starpu_task_wait_for_all();
	starpu_perf_counter_collection_stop();

	starpu_perf_counter_unset_all_per_worker_listeners();
	starpu_perf_counter_listener_exit(listener);
	starpu_perf_counter_set_free(set);
	starpu_shutdown();
	for (int i = 0; i < STARPU_NMAXWORKERS; i++)
		sum += executed[i];
	printf("all workers: %lld tasks\n", (long long)sum);
	free(executed);
	return sum == TASKS ? EXIT_SUCCESS : EXIT_FAILURE;
}
