/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The task runtime, too few workers: 120 tasks of 10 ms that wait for nothing, on two workers (STARPU_NCPU=2). Fixed: on four.
 *
 *     gcc tasks_workers.c -o tasks_workers $(pkg-config --cflags --libs starpu-1.4 weft)
 *     STARPU_NCPU=2 weft record -o workers.weft -- ./tasks_workers && weft what-if workers.weft --workers 4
 */
#include "whatif_work.h"
#include <starpu.h>

WEFT_REGION(kernel, "kernel", WEFT_STATE_RUNNING);
enum { TASKS = 120, TASK_US = 10000 };

static void run_tile(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	work_us(kernel, TASK_US);
}
static struct starpu_codelet tile = {.cpu_funcs = {run_tile}, .name = "tile"};

int main(int argc, char **argv)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = is_fixed(argc, argv) ? 4 : 2;
	if (starpu_init(&conf))
		return 77;
	for (int i = 0; i < TASKS; i++)
		starpu_task_insert(&tile, 0);
	starpu_task_wait_for_all();
	starpu_shutdown();
	return 0;
}
