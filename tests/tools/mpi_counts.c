/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An MPI program that knows nothing of Weft and counts what it does. At the end rank 0 prints, of all ranks:
 *
 *     sent FROM TO N      messages              calls MPI_X N      calls of a function, polls that found something among them
 *     vain N              polls in vain, a line a rank
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, RANKS = 8, ROUNDS = 50 };
static struct {
	char name[32];
	int n;
} called[MOST];
static int n_called, sent_to[RANKS], in_vain, me, ranks;

static void count(const char *name, int n)
{
	int i = 0;
	while (i < n_called && strcmp(called[i].name, name))
		i++;
	if (i == n_called)
		snprintf(called[n_called++].name, sizeof called[0].name, "%s", name);
	called[i].n += n;
}

#define CALL(f, ...) (count(#f, 1), f(__VA_ARGS__) ? abort() : (void)0)
#define SENT(world_rank) sent_to[world_rank]++

static void expect(int holds, int line)
{
	if (holds)
		return;
	fprintf(stderr, "mpi_counts: line %d\n", line);
	abort();
}
#define EXPECT(x) expect(x, __LINE__)

/* Blocking, with and without a status, any source and tag, a receive that is longer than what comes. */
static void blocking(int next, int last)
{
	int out[4] = {me, 1, 2, 3}, in[8];
	MPI_Status s;
	for (int i = 0; i < ROUNDS; i++) {
		SENT(next);
		if (me == 0)
			CALL(MPI_Send, out, 4, MPI_INT, next, i, MPI_COMM_WORLD);
		if (i % 2) {
			CALL(MPI_Recv, in, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
			EXPECT(s.MPI_SOURCE == last && s.MPI_TAG == i);
		} else {
			CALL(MPI_Recv, in, 8, MPI_INT, last, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		EXPECT(in[0] == last && in[3] == 3);
		if (me)
			CALL(MPI_Ssend, out, 4, MPI_INT, next, i, MPI_COMM_WORLD);
	}
	SENT(next);
	CALL(MPI_Sendrecv, out, 4, MPI_INT, next, 7, in, 8, MPI_INT, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	SENT(next);
	CALL(MPI_Sendrecv_replace, out, 4, MPI_INT, next, 8, last, 8, MPI_COMM_WORLD, &s);
	EXPECT(out[0] == last && s.MPI_SOURCE == last);
	CALL(MPI_Send, out, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	CALL(MPI_Recv, in, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &s);
	EXPECT(s.MPI_SOURCE == MPI_PROC_NULL);
}

static void post(MPI_Request *r, int *in, const int *out, int next, int tag)
{
	CALL(MPI_Irecv, in, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r[0]);
	SENT(next);
	CALL(MPI_Isend, out, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &r[1]);
}

#define POLL(f, flag, ...) \
	do { \
		if (f(__VA_ARGS__)) \
			abort(); \
		count(#f, (flag) != 0); \
		in_vain += !(flag); \
	} while (0)

/* Each way of completing. */
static void completions(int next, int last)
{
	MPI_Request r[2];
	MPI_Status s[2];
	int in, flag, k, n, at[2];
	for (int i = 0; i < ROUNDS; i++) {
		post(r, &in, &me, next, 100);
		CALL(MPI_Wait, &r[0], i % 2 ? MPI_STATUS_IGNORE : &s[0]);
		CALL(MPI_Wait, &r[1], MPI_STATUS_IGNORE);
		EXPECT(in == last && (i % 2 || s[0].MPI_SOURCE == last));
		post(r, &in, &me, next, 101);
		CALL(MPI_Waitall, 2, r, i % 2 ? MPI_STATUSES_IGNORE : s);
		EXPECT(r[0] == MPI_REQUEST_NULL && (i % 2 || s[0].MPI_TAG == 101));
		post(r, &in, &me, next, 102);
		for (int done = 0; done < 2; done++)
			CALL(MPI_Waitany, 2, r, &k, MPI_STATUS_IGNORE);
		post(r, &in, &me, next, 103);
		for (int done = 0; done < 2; done += n)
			CALL(MPI_Waitsome, 2, r, &n, at, i % 2 ? MPI_STATUSES_IGNORE : s);
		post(r, &in, &me, next, 104);
		for (flag = 0; !flag;)
			POLL(MPI_Test, flag, &r[0], &flag, &s[0]);
		EXPECT(s[0].MPI_SOURCE == last);
		CALL(MPI_Wait, &r[1], MPI_STATUS_IGNORE);
		post(r, &in, &me, next, 105);
		for (flag = 0; !flag;)
			POLL(MPI_Testall, flag, 2, r, &flag, MPI_STATUSES_IGNORE);
		post(r, &in, &me, next, 106);
		for (int done = 0; done < 2; done += flag)
			POLL(MPI_Testany, flag, 2, r, &k, &flag, MPI_STATUS_IGNORE);
		post(r, &in, &me, next, 107);
		for (int done = 0; done < 2; done += n)
			POLL(MPI_Testsome, n, 2, r, &n, at, s);
		for (flag = 0; !flag && i == 0;)
			POLL(MPI_Testall, flag, 2, r, &flag, MPI_STATUSES_IGNORE);
	}
}

static void persistent(int next, int last)
{
	MPI_Request r[2];
	int in = -1;
	CALL(MPI_Send_init, &me, 1, MPI_INT, next, 9, MPI_COMM_WORLD, &r[0]);
	CALL(MPI_Recv_init, &in, 1, MPI_INT, last, 9, MPI_COMM_WORLD, &r[1]);
	for (int i = 0; i < ROUNDS; i++) {
		SENT(next);
		if (i % 2) {
			CALL(MPI_Startall, 2, r);
		} else {
			CALL(MPI_Start, &r[0]);
			CALL(MPI_Start, &r[1]);
		}
		CALL(MPI_Waitall, 2, r, MPI_STATUSES_IGNORE);
		EXPECT(in == last);
	}
	CALL(MPI_Waitall, 2, r, MPI_STATUSES_IGNORE); /* not active: no message */
	CALL(MPI_Request_free, &r[0]);
	CALL(MPI_Request_free, &r[1]);
}

/* A receive that is cancelled is no message. */
static void cancelled(void)
{
	MPI_Request r;
	MPI_Status s;
	int in, was = 0;
	CALL(MPI_Irecv, &in, 1, MPI_INT, MPI_ANY_SOURCE, 4711, MPI_COMM_WORLD, &r);
	CALL(MPI_Cancel, &r);
	CALL(MPI_Wait, &r, &s);
	CALL(MPI_Test_cancelled, &s, &was);
	EXPECT(was);
}

/* Ranks turned round, duplicates, one process alone, and between two groups. */
static void communicators(void)
{
	MPI_Comm turned, copy, alone, half, between;
	int in, rank;
	CALL(MPI_Comm_split, MPI_COMM_WORLD, 0, -me, &turned);
	CALL(MPI_Comm_dup, turned, &copy);
	CALL(MPI_Comm_split, MPI_COMM_WORLD, me, 0, &alone);
	CALL(MPI_Comm_rank, copy, &rank);
	EXPECT(rank == ranks - 1 - me);
	for (int i = 0; i < 2; i++) {
		int to = (rank + 1) % ranks;
		SENT(ranks - 1 - to);
		CALL(MPI_Sendrecv, &me, 1, MPI_INT, to, 5, &in, 1, MPI_INT, (rank + ranks - 1) % ranks, 5, i ? copy : turned,
		     MPI_STATUS_IGNORE);
		EXPECT(in == (me + 1) % ranks);
	}
	SENT(me);
	CALL(MPI_Sendrecv, &me, 1, MPI_INT, 0, 6, &in, 1, MPI_INT, 0, 6, alone, MPI_STATUS_IGNORE);
	/* Rank 0 and the others. */
	CALL(MPI_Comm_split, MPI_COMM_WORLD, me > 0, me, &half);
	CALL(MPI_Intercomm_create, half, 0, MPI_COMM_WORLD, me ? 0 : 1, 12, &between);
	if (me == 0) {
		for (int i = 0; i < ranks - 1; i++) {
			SENT(1 + i);
			CALL(MPI_Send, &me, 1, MPI_INT, i, 13, between);
		}
	} else {
		CALL(MPI_Recv, &in, 1, MPI_INT, 0, 13, between, MPI_STATUS_IGNORE);
	}
	CALL(MPI_Comm_free, &between);
	CALL(MPI_Comm_free, &half);
	CALL(MPI_Comm_free, &alone);
	CALL(MPI_Comm_free, &copy);
	CALL(MPI_Comm_free, &turned);
}

static void collectives(void)
{
	int sum, all[RANKS];
	MPI_Request r;
	for (int i = 0; i < ROUNDS; i++) {
		CALL(MPI_Allreduce, &me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		CALL(MPI_Allgather, &me, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
		EXPECT(sum == ranks * (ranks - 1) / 2 && all[ranks - 1] == ranks - 1);
	}
	CALL(MPI_Ibarrier, MPI_COMM_WORLD, &r);
	CALL(MPI_Wait, &r, MPI_STATUS_IGNORE);
	CALL(MPI_Barrier, MPI_COMM_WORLD);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Rank by rank, through calls that are not counted but the last one's. */
static void report(void)
{
	int all_sent[RANKS][RANKS], vain[RANKS], n;
	count("MPI_Gather", 2);
	count("MPI_Reduce", n_called + 2); /* this name and the next are not in the list yet */
	count("MPI_Finalize", 1);
	qsort(called, (size_t)n_called, sizeof called[0], by_name);
	MPI_Gather(sent_to, RANKS, MPI_INT, all_sent, RANKS, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Gather(&in_vain, 1, MPI_INT, vain, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; i < n_called; i++) {
		MPI_Reduce(&called[i].n, &n, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
		if (me == 0)
			printf("calls %s %d\n", called[i].name, n);
	}
	for (int from = 0; from < ranks && me == 0; from++) {
		printf("vain %d\n", vain[from]);
		for (int to = 0; to < ranks; to++)
			if (all_sent[from][to])
				printf("sent %d %d %d\n", from, to, all_sent[from][to]);
	}
}

int main(int argc, char **argv)
{
	/* In one order on all ranks, whatever each calls first. */
	static const char *const first[] = {"MPI_Send", "MPI_Ssend", "MPI_Recv"};
	for (unsigned i = 0; i < sizeof first / sizeof *first; i++)
		count(first[i], 0);
	CALL(MPI_Init, &argc, &argv);
	CALL(MPI_Comm_rank, MPI_COMM_WORLD, &me);
	CALL(MPI_Comm_size, MPI_COMM_WORLD, &ranks);
	int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks;
	blocking(next, last);
	completions(next, last);
	persistent(next, last);
	cancelled();
	communicators();
	collectives();
	report();
	MPI_Finalize();
	return 0;
}
