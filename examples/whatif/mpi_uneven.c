/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI, uneven work: rank r sweeps for 4 + 8r ms between two reductions. Fixed: all ranks sweep for the mean.
 *
 *     mpicc mpi_uneven.c -o mpi_uneven $(pkg-config --cflags --libs weft)
 *     weft record -o uneven.weft -- mpirun --oversubscribe -np 2 ./mpi_uneven && weft what-if uneven.weft --balance sweep
 */
#include "whatif_work.h"
#include <mpi.h>

WEFT_REGION(sweep, "sweep", WEFT_STATE_RUNNING);
enum { STEPS = 100, LEAST_US = 4000, MORE_US = 8000 };

int main(int argc, char **argv)
{
	int rank, ranks;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	long mine = LEAST_US + (long)MORE_US * rank;
	if (is_fixed(argc, argv))
		mine = LEAST_US + (long)MORE_US * (ranks - 1) / 2;
	for (int step = 0; step < STEPS; step++) {
		double error = rank, sum;
		work_us(sweep, mine);
		MPI_Allreduce(&error, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
