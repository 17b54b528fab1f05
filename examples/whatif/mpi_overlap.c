/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI, exchanges that are waited for at once: neighbours are slow in turns (12 ms and 4 ms), and each step waits for what the neighbour sends.
 * Fixed: the halo is waited for a step later.
 *
 *     mpicc mpi_overlap.c -o mpi_overlap $(pkg-config --cflags --libs weft)
 *     weft record -o overlap.weft -- mpirun --oversubscribe -np 2 ./mpi_overlap && weft what-if overlap.weft --overlap exchange
 */
#include "whatif_work.h"
#include <mpi.h>

WEFT_REGION(interior, "interior", WEFT_STATE_RUNNING);
WEFT_REGION(exchange, "exchange", WEFT_STATE_UNKNOWN);
enum { STEPS = 120, SLOW_US = 12000, FAST_US = 4000, HALO = 100 };

int main(int argc, char **argv)
{
	static double out[2][HALO], in[2][HALO];
	MPI_Request received = MPI_REQUEST_NULL, sent[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int step = 0; step < STEPS; step++) {
		work_us(interior, (step + rank) % 2 ? SLOW_US : FAST_US);
		weft_enter(exchange);
		if (is_fixed(argc,
		             argv)) { /* what the neighbour sent a step ago; our own was taken by then, if it was sent two steps ago */
			MPI_Wait(&received, MPI_STATUS_IGNORE);
			MPI_Wait(&sent[step % 2], MPI_STATUS_IGNORE);
		}
		MPI_Irecv(in[step % 2], HALO, MPI_DOUBLE, 1 - rank, step, MPI_COMM_WORLD, &received);
		MPI_Isend(out[step % 2], HALO, MPI_DOUBLE, 1 - rank, step, MPI_COMM_WORLD, &sent[step % 2]);
		if (!is_fixed(argc, argv)) {
			MPI_Wait(&received, MPI_STATUS_IGNORE);
			MPI_Wait(&sent[step % 2], MPI_STATUS_IGNORE);
		}
		weft_leave(exchange);
	}
	MPI_Wait(&received, MPI_STATUS_IGNORE);
	MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
	MPI_Finalize();
	return 0;
}
