/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenMP, a static schedule for a triangle: row i of 16 takes i ms, and each of four threads has four rows in a row. Fixed: rows are dealt out so that each
 * thread has as much to do.
 *
 *     gcc -fopenmp omp_static.c -o omp_static $(pkg-config --cflags --libs weft)
 *     weft record -o static.weft -- ./omp_static && weft what-if static.weft --balance row
 */
#include "whatif_work.h"

WEFT_REGION(row, "row", WEFT_STATE_RUNNING);
enum { STEPS = 20, ROWS = 16, ROW_US = 1000 };

int main(int argc, char **argv)
{
	/* 15+8+7+0, 14+9+6+1, ... : 30 ms for each thread, in four blocks */
	static const int dealt[ROWS] = {15, 8, 7, 0, 14, 9, 6, 1, 13, 10, 5, 2, 12, 11, 4, 3};
	bool fixed = is_fixed(argc, argv);
	for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for schedule(static) num_threads(4)
		for (int i = 0; i < ROWS; i++)
			work_us(row, (long)ROW_US * (fixed ? dealt[i] : i));
	}
	return 0;
}
