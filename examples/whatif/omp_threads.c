/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP, too few threads: work that is divided well among two. Fixed: among four.
 *
 *     gcc -fopenmp omp_threads.c -o omp_threads $(pkg-config --cflags --libs weft)
 *     weft record -o threads.weft -- ./omp_threads && weft what-if threads.weft --omp-threads 4
 */
#include "whatif_work.h"

WEFT_REGION(block, "block", WEFT_STATE_RUNNING);
enum { STEPS = 50, BLOCKS = 8, BLOCK_US = 3000 };

int main(int argc, char **argv)
{
	int threads = is_fixed(argc, argv) ? 4 : 2;
	for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for schedule(static) num_threads(threads)
		for (int i = 0; i < BLOCKS; i++)
			work_us(block, BLOCK_US);
	}
	return 0;
}
