/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI: a token goes round all ranks, some times. The messages are recorded by hand, as long as Weft has no wrappers for MPI.
 *
 *     mpicc mpi_ring.c $(pkg-config --cflags --libs weft) -o mpi_ring
 *     weft record -- mpirun -np 4 ./mpi_ring && weft stat mpirun.weft
 *
 * Ranks on other hosts: Open MPI hands on only what it is told to, so there it is
 *     weft record -- mpirun -x WEFT_DIR -x WEFT_RUN_ID -x WEFT_MODE -x WEFT_SIZE -x WEFT_OFF -np 4 --host a,b ./mpi_ring
 * with the trace in a directory that all hosts share. MPICH and srun hand on the whole environment.
 */
#include <mpi.h>
#include <stdio.h>
#include <weft/record.h>

#define ROUNDS 10

WEFT_REGION(region_send, "MPI_Send", WEFT_STATE_COMMUNICATING);
WEFT_REGION(region_recv, "MPI_Recv", WEFT_STATE_COMMUNICATING);
WEFT_REGION(region_barrier, "MPI_Barrier", WEFT_STATE_SYNCHRONIZING);

static weft_comm world = WEFT_OFF;

static void give(int to, long token)
{
	uint64_t began = weft_ticks();
	weft_enter(region_send);
	MPI_Send(&token, 1, MPI_LONG, to, 0, MPI_COMM_WORLD);
	weft_send_since(world, to, 0, sizeof token, began);
	weft_leave(region_send);
}

static long take(int from)
{
	long token;
	uint64_t posted = weft_ticks();
	weft_enter(region_recv);
	MPI_Recv(&token, 1, MPI_LONG, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	weft_recv_since(world, from, 0, sizeof token, posted);
	weft_leave(region_recv);
	return token;
}

/* Behind a barrier all ranks are at the same point within some microseconds: clocks of different hosts are aligned by it. */
static void synchronise(uint64_t key)
{
	weft_enter(region_barrier);
	MPI_Barrier(MPI_COMM_WORLD);
	weft_leave(region_barrier);
	weft_sync(key, 50000);
}

int main(int argc, char **argv)
{
	int rank, ranks;
	long token = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	weft_set_rank(rank, ranks);
	world = weft_define_comm("world", 0, NULL, (unsigned)ranks);

	synchronise(1);
	for (int round = 0; round < ROUNDS && ranks > 1; round++) {
		if (rank == 0)
			give(1, token + 1);
		token = take((rank + ranks - 1) % ranks);
		if (rank > 0)
			give((rank + 1) % ranks, token + 1);
	}
	synchronise(2);
	if (rank == 0)
		printf("the token was handed on %ld times\n", token);
	MPI_Finalize();
	return ranks == 1 || rank > 0 || token == (long)ROUNDS * ranks ? 0 : 1;
}
