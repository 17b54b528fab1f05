/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP, a critical section: each of four threads computes for 2 ms and adds its result for 2 ms under a lock. Fixed: each adds to a sum of its own.
 *
 *     gcc -fopenmp omp_critical.c -o omp_critical $(pkg-config --cflags --libs weft)
 *     weft record -o critical.weft -- ./omp_critical && weft what-if critical.weft --no-lock 'omp critical add'
 */
#include "whatif_work.h"

WEFT_REGION(compute, "compute", WEFT_STATE_RUNNING);
WEFT_REGION(add, "add", WEFT_STATE_RUNNING);
enum { STEPS = 100, COMPUTE_US = 2000, ADD_US = 2000 };

int main(int argc, char **argv)
{
	bool fixed = is_fixed(argc, argv);
#pragma omp parallel num_threads(4)
	for (int step = 0; step < STEPS; step++) {
		work_us(compute, COMPUTE_US);
		if (fixed) {
			work_us(add, ADD_US);
		} else {
#pragma omp critical(add)
			work_us(add, ADD_US);
		}
	}
	return 0;
}
