/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP, chunks that are too large: 32 iterations that take longer and longer are handed out in eights to four threads. Fixed: one by one.
 *
 *     gcc -fopenmp omp_chunks.c -o omp_chunks $(pkg-config --cflags --libs weft)
 *     weft record -o chunks.weft -- ./omp_chunks && weft what-if chunks.weft --schedule dynamic,1
 */
#include "whatif_work.h"
#include <omp.h>

WEFT_REGION(cell, "cell", WEFT_STATE_RUNNING);
enum { STEPS = 20, CELLS = 32, CHUNK = 8, LEAST_US = 1000, MORE_US = 100 };

int main(int argc, char **argv)
{
	omp_set_schedule(omp_sched_dynamic, is_fixed(argc, argv) ? 1 : CHUNK);
	for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for schedule(runtime) num_threads(4)
		for (int i = 0; i < CELLS; i++)
			work_us(cell, LEAST_US + (long)MORE_US * i);
	}
	return 0;
}
