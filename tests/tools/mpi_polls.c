/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rank 0 waits, by calls that only ask, for many requests at a time: receives, persistent ones, sends, and null ones in one array; rank 1
 * answers late and in another order. Rank 0 prints what it received (tag and bytes) and how often it asked in vain.
 * With an argument MPI is begun for several threads at a time.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum { REQUESTS = 40, ROUNDS = 6, ROOM = 256 };
enum kind { RECEIVE, PERSISTENT, SEND, NONE };

static char in[REQUESTS][ROOM], out[ROOM];
static long in_vain;

static enum kind kind_of(int i)
{
	return i % 5 == 4 ? (i % 2 ? SEND : NONE) : i % 5 == 2 ? PERSISTENT : RECEIVE;
}

static bool receives(int i)
{
	return kind_of(i) == RECEIVE || kind_of(i) == PERSISTENT;
}

static void answer(int round)
{
	usleep(2000);
	for (int i = 0; i < REQUESTS; i++) {
		int k = (i * 7 + round) % REQUESTS;
		if (receives(k))
			MPI_Send(out, 10 + k, MPI_CHAR, 0, 100 * round + k, MPI_COMM_WORLD);
		if (i % 10 == 9)
			usleep(500);
	}
	for (int i = 0; i < REQUESTS; i++)
		if (kind_of(i) == SEND)
			MPI_Recv(out, ROOM, MPI_CHAR, 0, 100 * round + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void post(int round, MPI_Request *r)
{
	for (int i = 0; i < REQUESTS; i++) {
		int tag = 100 * round + i;
		r[i] = MPI_REQUEST_NULL;
		if (kind_of(i) == SEND)
			MPI_Isend(out, 5, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &r[i]);
		else if (kind_of(i) == RECEIVE)
			MPI_Irecv(in[i], ROOM, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &r[i]);
		else if (kind_of(i) == PERSISTENT)
			MPI_Recv_init(in[i], ROOM, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r[i]);
		if (kind_of(i) == PERSISTENT)
			MPI_Start(&r[i]);
	}
}

static void any(MPI_Request *r)
{
	int k, flag;
	do {
		MPI_Testany(REQUESTS, r, &k, &flag, MPI_STATUS_IGNORE);
		in_vain += !flag;
	} while (!flag || k != MPI_UNDEFINED);
}

static void some(MPI_Request *r)
{
	int n, at[REQUESTS];
	do {
		MPI_Testsome(REQUESTS, r, &n, at, MPI_STATUSES_IGNORE);
		in_vain += n == 0;
	} while (n != MPI_UNDEFINED);
}

static void all(MPI_Request *r)
{
	int flag;
	do {
		MPI_Testall(REQUESTS, r, &flag, MPI_STATUSES_IGNORE);
		in_vain += !flag;
	} while (!flag);
}

int main(int argc, char **argv)
{
	static void (*const ways[])(MPI_Request *) = {any, some, all};
	int me, level;
	MPI_Request r[REQUESTS];
	MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	for (int round = 0; round < ROUNDS; round++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (me) {
			answer(round);
			continue;
		}
		post(round, r);
		ways[round % 3](r);
		for (int i = 0; i < REQUESTS; i++) {
			if (receives(i))
				printf("received %d %d\n", 100 * round + i, 10 + i);
			if (kind_of(i) == PERSISTENT)
				MPI_Request_free(&r[i]);
		}
	}
	if (!me)
		printf("vain %ld\n", in_vain);
	MPI_Finalize();
	return 0;
}
