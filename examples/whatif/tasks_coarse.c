/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The task runtime, tasks that are too coarse: five tasks of 24 ms for four workers, twenty times. Fixed: ten tasks of 12 ms.
 *
 *     gcc tasks_coarse.c -o tasks_coarse $(pkg-config --cflags --libs starpu-1.4 weft)
 *     weft record -o coarse.weft -- ./tasks_coarse && weft what-if coarse.weft --task-size 0.5
 */
#include "whatif_work.h"
#include <starpu.h>

WEFT_REGION(kernel, "kernel", WEFT_STATE_RUNNING);
enum { ROUNDS = 20, TASKS = 5, TASK_US = 24000 };

static long task_us = TASK_US;
static void run_tile(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	work_us(kernel, task_us);
}
static struct starpu_codelet tile = {.cpu_funcs = {run_tile}, .name = "tile"};

int main(int argc, char **argv)
{
	struct starpu_conf conf;
	int finer = is_fixed(argc, argv) ? 2 : 1;
	task_us /= finer;
	starpu_conf_init(&conf);
	conf.ncpus = 4;
	if (starpu_init(&conf))
		return 77;
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < TASKS * finer; i++)
			starpu_task_insert(&tile, 0);
		starpu_task_wait_for_all();
	}
	starpu_shutdown();
	return 0;
}
