/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker is switched off while tasks are submitted, and on again.
 *
 *     cc switch_worker.c $(pkg-config --cflags --libs starpu-1.4) -o switch_worker && ./switch_worker
 */
#include <starpu.h>
#include <starpu_perf_steering.h>
#include <stdlib.h>

enum { TASKS = 100 };
static unsigned by_first;

static void work(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	if (starpu_worker_get_id() == 0)
		__atomic_add_fetch(&by_first, 1, __ATOMIC_RELAXED);
}
static struct starpu_codelet codelet = {.cpu_funcs = {work}, .name = "work"};

static unsigned run(void)
{
	by_first = 0;
	for (int i = 0; i < TASKS; i++)
		if (starpu_task_insert(&codelet, 0))
			exit(EXIT_FAILURE);
	starpu_task_wait_for_all();
	return by_first;
}

int main(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	if (starpu_init(&conf))
		return 77;
	enum starpu_perf_knob_scope scope = (enum starpu_perf_knob_scope)starpu_perf_knob_scope_name_to_id("per_worker");
	int enable = starpu_perf_knob_name_to_id(scope, "starpu.worker.w_enable_worker_knob");
	if (starpu_worker_get_count() < 2 || starpu_perf_knob_get_per_worker_int32_value(enable, 0) != 1)
		return 77;

	starpu_perf_knob_set_per_worker_int32_value(enable, 0, 0);
	unsigned off = run();
	printf("switched off, worker 0 ran %u of %d tasks\n", off, TASKS);
	starpu_perf_knob_set_per_worker_int32_value(enable, 0, 1);
	printf("switched on, it is given tasks again: %d\n", starpu_perf_knob_get_per_worker_int32_value(enable, 0));
	run();
	starpu_shutdown();
	return off ? EXIT_FAILURE : EXIT_SUCCESS;
}
