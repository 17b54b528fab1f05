/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls of MPI cost: ns a round of one process with itself, the least of some repetitions.
 *
 *     PROGRAM WHAT     rank       MPI_Comm_rank               messages   MPI_Isend, MPI_Recv with a status, MPI_Wait
 *                      barrier    MPI_Barrier                 posted     MPI_Irecv, MPI_Isend, MPI_Waitall
 *                      test       MPI_Test in vain            testany    MPI_Testany of 16 in vain
 *                      iprobe     MPI_Iprobe in vain
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A repetition is short, so that one of them is not interrupted where others run, too. */
enum { ROUNDS = 1000, REPETITIONS = 300 };

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

/* Nobody sends to these. */
enum { POSTED = 16 };
static MPI_Request posted[POSTED];

static void post(void)
{
	static int in[POSTED];
	for (int i = 0; i < POSTED; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, 0, 2, MPI_COMM_SELF, &posted[i]);
}

static void withdraw(void)
{
	for (int i = 0; i < POSTED; i++) {
		MPI_Cancel(&posted[i]);
		MPI_Wait(&posted[i], MPI_STATUS_IGNORE);
	}
}

static void one_test(void)
{
	int flag;
	MPI_Test(&posted[0], &flag, MPI_STATUS_IGNORE);
}

static void one_testany(void)
{
	int flag, index;
	MPI_Testany(POSTED, posted, &index, &flag, MPI_STATUS_IGNORE);
}

static void one_iprobe(void)
{
	int flag;
	MPI_Iprobe(0, 3, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static const struct kind {
	const char *name;
	void (*once)(void);
	bool posts;
} kinds[] = {
	{"rank", one_rank, false},        {"barrier", one_barrier, false},
	{"messages", one_message, false}, {"posted", one_posted, false},
	{"test", one_test, true},         {"testany", one_testany, true},
	{"iprobe", one_iprobe, false},    {NULL, NULL, false},
};

int main(int argc, char **argv)
{
	const struct kind *k = kinds;
	double least = -1;
	while (argc > 1 && k->name && strcmp(k->name, argv[1]))
		k++;
	if (argc < 2 || !k->name) {
		fprintf(stderr, "usage: %s rank|barrier|messages|posted|test|testany|iprobe\n", argv[0]);
		return 2;
	}
	MPI_Init(&argc, &argv);
	if (k->posts)
		post();
	for (int r = 0; r < REPETITIONS; r++) {
		double from = MPI_Wtime();
		for (int i = 0; i < ROUNDS; i++)
			k->once();
		double ns = (MPI_Wtime() - from) / ROUNDS * 1e9;
		least = least < 0 || ns < least ? ns : least;
	}
	if (k->posts)
		withdraw();
	printf("%.2f\n", least);
	MPI_Finalize();
	return 0;
}
