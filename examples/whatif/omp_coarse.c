/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP, tasks that are too coarse: five tasks of 12 ms for two threads, twenty times. Fixed: ten tasks of 6 ms.
 *
 *     gcc -fopenmp omp_coarse.c -o omp_coarse $(pkg-config --cflags --libs weft)
 *     weft record -o coarse.weft -- ./omp_coarse && weft what-if coarse.weft --task-size 0.5
 */
#include "whatif_work.h"

WEFT_REGION(tile, "tile", WEFT_STATE_RUNNING);
enum { ROUNDS = 20, TASKS = 5, TASK_US = 12000 };

int main(int argc, char **argv)
{
	int finer = is_fixed(argc, argv) ? 2 : 1;
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < TASKS * finer; i++) {
#pragma omp task
			work_us(tile, TASK_US / finer);
		}
#pragma omp taskwait
	}
	return 0;
}
