/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls of MPI cost: ns a round of one process with itself, the least of some repetitions.
 *
 *     PROGRAM WHAT     rank       MPI_Comm_rank               messages   MPI_Isend, MPI_Recv with a status, MPI_Wait
 *                      barrier    MPI_Barrier                 posted     MPI_Irecv, MPI_Isend, MPI_Waitall
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 50000, REPETITIONS = 5 };

static void one_rank(void)
{
	int rank;
	MPI_Comm_rank(MPI_COMM_SELF, &rank);
}

static void one_barrier(void)
{
	MPI_Barrier(MPI_COMM_SELF);
}

static void one_message(void)
{
	int out = 1, in;
	MPI_Request r;
	MPI_Status s;
	MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r);
	MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &s);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void one_posted(void)
{
	int out = 1, in;
	MPI_Request r[2];
	MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r[0]);
	MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static const struct {
	const char *name;
	void (*once)(void);
} kinds[] = {{"rank", one_rank}, {"barrier", one_barrier}, {"messages", one_message}, {"posted", one_posted}};

int main(int argc, char **argv)
{
	double least = -1;
	void (*once)(void) = NULL;
	for (unsigned i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
		once = strcmp(kinds[i].name, argv[1]) ? once : kinds[i].once;
	if (!once) {
		fprintf(stderr, "usage: %s rank|barrier|messages|posted\n", argv[0]);
		return 2;
	}
	MPI_Init(&argc, &argv);
	for (int k = 0; k < REPETITIONS; k++) {
		double from = MPI_Wtime();
		for (int i = 0; i < ROUNDS; i++)
			once();
		double ns = (MPI_Wtime() - from) / ROUNDS * 1e9;
		least = least < 0 || ns < least ? ns : least;
	}
	printf("%.2f\n", least);
	MPI_Finalize();
	return 0;
}
