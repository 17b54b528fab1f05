/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI, a serial part: rank 0 assembles for 10 ms while the other waits for its broadcast, then both solve for 5 ms. Fixed: assembling is twice as
 * fast.
 *
 *     mpicc mpi_serial.c -o mpi_serial $(pkg-config --cflags --libs weft)
 *     weft record -o serial.weft -- mpirun --oversubscribe -np 2 ./mpi_serial && weft what-if serial.weft --faster assemble=2
 */
#include "whatif_work.h"
#include <mpi.h>

WEFT_REGION(assemble, "assemble", WEFT_STATE_RUNNING);
WEFT_REGION(solve, "solve", WEFT_STATE_RUNNING);
enum { STEPS = 160, ASSEMBLE_US = 10000, SOLVE_US = 5000 };

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int step = 0; step < STEPS; step++) {
		double matrix[64] = {0};
		if (rank == 0)
			work_us(assemble, is_fixed(argc, argv) ? ASSEMBLE_US / 2 : ASSEMBLE_US);
		MPI_Bcast(matrix, 64, MPI_DOUBLE, 0, MPI_COMM_WORLD);
		work_us(solve, SOLVE_US);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
