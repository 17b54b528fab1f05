/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast could this machine have run these tasks? And the same as a program for lp_solve, in the file that is named.
 *
 *     cc least_time.c $(pkg-config --cflags --libs starpu-1.4) -o least_time && ./least_time tasks.lp
 */
#include <starpu.h>
#include <starpu_bound.h>
#include <stdlib.h>

enum { LANES = 3, LONG = 4 };

static void work(void *buffers[], void *arg)
{
	(void)arg;
	for (volatile int i = 0; i < 1000000; i++)
		continue;
	++*(int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
}
static struct starpu_codelet codelet = {.cpu_funcs = {work}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "work"};

int main(int argc, char **argv)
{
	int value[LANES] = {0};
	double least, whole, began;
	starpu_data_handle_t lane[LANES];
	if (starpu_init(NULL))
		return 77;
	for (int i = 0; i < LANES; i++)
		starpu_variable_data_register(&lane[i], STARPU_MAIN_RAM, (uintptr_t)&value[i], sizeof value[i]);

	began = starpu_timing_now();
	starpu_bound_start(1, 0); /* with dependencies, without priorities */
	for (int i = 0; i < LANES * LONG; i++)
		if (starpu_task_insert(&codelet, STARPU_RW, lane[i % LANES], 0))
			return EXIT_FAILURE;
	starpu_task_wait_for_all();
	starpu_bound_stop();
	double took = (starpu_timing_now() - began) / 1000;

	starpu_bound_compute(&least, &whole, 1);
	printf("it took %.3f ms; no schedule takes less than %.3f ms, nor, of whole tasks, %.3f ms\n", took, least, whole);
	starpu_bound_print(stdout, 0);
	FILE *f = argc > 1 ? fopen(argv[1], "w") : NULL;
	if (f) {
		starpu_bound_print_lp(f);
		fclose(f);
	}
	for (int i = 0; i < LANES; i++)
		starpu_data_unregister(lane[i]);
	starpu_shutdown();
	return least > 0 && least <= whole + 1e-6 && value[0] == LONG ? EXIT_SUCCESS : EXIT_FAILURE;
}
