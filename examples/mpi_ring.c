/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI: a token goes round all ranks, some times. The program knows nothing of Weft: its calls and messages are recorded as they are.
 *
 *     mpicc mpi_ring.c -o mpi_ring
 *     weft record -o ring.weft -- mpirun -np 4 ./mpi_ring && weft stat ring.weft
 *
 * Ranks on other hosts: Open MPI hands on only what it is told to, so there it is
 *     weft record -- mpirun -x LD_PRELOAD -x WEFT_DIR -x WEFT_RUN_ID -x WEFT_MODE -x WEFT_SIZE -x WEFT_OFF -np 4 --host a,b ./mpi_ring
 * with the trace in a directory that all hosts share. MPICH and srun hand on the whole environment.
 */
#include <mpi.h>
#include <stdio.h>

#define ROUNDS 10

int main(int argc, char **argv)
{
	int rank, ranks;
	long token = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);

	for (int round = 0; round < ROUNDS && ranks > 1; round++) {
		if (rank == 0) {
			token++;
			MPI_Send(&token, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD);
		}
		MPI_Recv(&token, 1, MPI_LONG, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank > 0) {
			token++;
			MPI_Send(&token, 1, MPI_LONG, (rank + 1) % ranks, 0, MPI_COMM_WORLD);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("the token was handed on %ld times\n", token);
	MPI_Finalize();
	return ranks == 1 || rank > 0 || token == (long)ROUNDS * ranks ? 0 : 1;
}
