/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An MPI program of three processes that writes down what its collective operations, one-sided calls, files and rarer messages move, in
 * truth.RANK:
 *
 *     collective OPERATION ROOT SENT RECEIVED COMMUNICATOR
 *     window CALL TARGET BYTES          file CALL NAME BYTES          sent FROM TO BYTES
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };
static int me, ranks, in[MOST], out[MOST], counts[MOST], places[MOST], given[MOST], given_at[MOST];
static FILE *truth;

#define DO(x) ((x) ? abort() : (void)0)
#define DID(op, root, sent, received, comm) \
	fprintf(truth, "collective %d %d %d %d %s\n", op, root, (int)(sent), (int)(received), comm)
#define I (int)sizeof(int)
#define WORLD "MPI_COMM_WORLD"

static int sum(const int *n, int of)
{
	int all = 0;
	for (int i = 0; i < of; i++)
		all += n[i];
	return all;
}

/* With one root, and each argument that does not count here wrong. */
static void rooted(int root)
{
	MPI_Comm w = MPI_COMM_WORLD;
	int is = me == root, wild = -77;
	MPI_Datatype none = is ? MPI_INT : MPI_DATATYPE_NULL;
	DO(MPI_Bcast(in, 5, MPI_INT, root, w));
	DID(7, root, is ? 5 * I : 0, is ? 0 : 5 * I, WORLD);
	DO(MPI_Reduce(out, in, 3, MPI_INT, MPI_SUM, root, w));
	DID(9, root, 3 * I, is ? 3 * I : 0, WORLD);
	DO(MPI_Gather(out, 2, MPI_INT, in, is ? 2 : wild, none, root, w));
	DID(13, root, 2 * I, is ? 2 * I * ranks : 0, WORLD);
	DO(MPI_Gather(is ? MPI_IN_PLACE : out, is ? 0 : 2, MPI_INT, in, is ? 2 : wild, none, root, w));
	DID(13, root, 2 * I, is ? 2 * I * ranks : 0, WORLD);
	DO(MPI_Scatter(out, is ? 4 : wild, none, in, 4, MPI_INT, root, w));
	DID(15, root, is ? 4 * I * ranks : 0, 4 * I, WORLD);
	DO(MPI_Gatherv(out, me + 1, MPI_INT, in, is ? counts : NULL, is ? places : NULL, none, root, w));
	DID(14, root, (me + 1) * I, is ? sum(counts, ranks) * I : 0, WORLD);
	DO(MPI_Gatherv(is ? MPI_IN_PLACE : out, me + 1, MPI_INT, in, is ? counts : NULL, is ? places : NULL, none, root, w));
	DID(14, root, (me + 1) * I, is ? sum(counts, ranks) * I : 0, WORLD);
	DO(MPI_Scatterv(out, is ? counts : NULL, is ? places : NULL, none, in, me + 1, MPI_INT, root, w));
	DID(16, root, is ? sum(counts, ranks) * I : 0, (me + 1) * I, WORLD);
}

/* Rank r gives i + 2 * r + 1 to rank i. */
static void uneven(void)
{
	for (int i = 0, at = 0, from = 0; i < ranks; i++) {
		counts[i] = i + 1;
		places[i] = at;
		at += i + 1;
		given[i] = i + 2 * me + 1;
		given_at[i] = from;
		from += given[i];
	}
}

static void all_to_all(MPI_Comm w, const char *name)
{
	int taken[MOST], taken_at[MOST];
	MPI_Datatype types[MOST];
	int bytes_at[MOST], bytes_taken[MOST];
	for (int i = 0, at = 0; i < ranks; i++) {
		taken[i] = me + 2 * i + 1;
		taken_at[i] = at;
		at += taken[i];
		types[i] = MPI_INT;
		bytes_at[i] = given_at[i] * I;
		bytes_taken[i] = taken_at[i] * I;
	}
	DO(MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, w));
	DID(11, -1, 2 * I * ranks, 2 * I * ranks, name);
	DO(MPI_Alltoallv(out, given, given_at, MPI_INT, in, taken, taken_at, MPI_INT, w));
	DID(12, -1, sum(given, ranks) * I, sum(taken, ranks) * I, name);
	DO(MPI_Alltoallw(out, given, bytes_at, types, in, taken, bytes_taken, types, w));
	DID(170, -1, sum(given, ranks) * I, sum(taken, ranks) * I, name);
}

static void rootless(MPI_Comm w, const char *name)
{
	DO(MPI_Barrier(w));
	DID(8, -1, 0, 0, name);
	DO(MPI_Allreduce(out, in, 6, MPI_DOUBLE, MPI_SUM, w));
	DID(10, -1, 6 * sizeof(double), 6 * sizeof(double), name);
	DO(MPI_Allreduce(MPI_IN_PLACE, in, 6, MPI_INT, MPI_SUM, w));
	DID(10, -1, 6 * I, 6 * I, name);
	DO(MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, w));
	DID(17, -1, 2 * I, 2 * I * ranks, name);
	DO(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT, w));
	DID(17, -1, 2 * I, 2 * I * ranks, name);
	DO(MPI_Scan(out, in, 3, MPI_INT, MPI_SUM, w));
	DID(30, -1, 3 * I, 3 * I, name);
	DO(MPI_Exscan(out, in, 3, MPI_INT, MPI_SUM, w));
	DID(214, -1, 3 * I, 3 * I, name);
	DO(MPI_Reduce_scatter_block(out, in, 2, MPI_INT, MPI_SUM, w));
	DID(168, -1, 2 * I * ranks, 2 * I, name);
}

static void uneven_rootless(void)
{
	MPI_Comm w = MPI_COMM_WORLD;
	DO(MPI_Allgatherv(out, me + 1, MPI_INT, in, counts, places, MPI_INT, w));
	DID(18, -1, (me + 1) * I, sum(counts, ranks) * I, WORLD);
	DO(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, places, MPI_INT, w));
	DID(18, -1, (me + 1) * I, sum(counts, ranks) * I, WORLD);
	DO(MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, w));
	DID(80, -1, sum(counts, ranks) * I, (me + 1) * I, WORLD);
}

/* Begun, then completed among others; and made once, started twice. */
static void begun(void)
{
	MPI_Request r[4];
	int rest[MOST];
	DO(MPI_Ibarrier(MPI_COMM_WORLD, &r[0]));
	DO(MPI_Ibcast(in, 7, MPI_INT, 2, MPI_COMM_WORLD, &r[1]));
	DO(MPI_Iallreduce(out, rest, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r[2]));
	DO(MPI_Igather(out, 1, MPI_INT, rest + 10, 1, MPI_INT, 1, MPI_COMM_WORLD, &r[3]));
	DO(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
	DID(8, -1, 0, 0, WORLD);
	DID(7, 2, me == 2 ? 7 * I : 0, me == 2 ? 0 : 7 * I, WORLD);
	DID(10, -1, 3 * I, 3 * I, WORLD);
	DID(13, 1, I, me == 1 ? ranks * I : 0, WORLD);
#ifdef MPICH
	DO(MPI_Bcast_init(in, 9, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
	for (int i = 0; i < 2; i++) {
		DO(MPI_Start(&r[0]));
		DO(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
		DID(7, 0, me == 0 ? 9 * I : 0, me == 0 ? 0 : 9 * I, WORLD);
	}
	DO(MPI_Wait(&r[0], MPI_STATUS_IGNORE)); /* not active */
	DO(MPI_Request_free(&r[0]));
	DO(MPI_Allreduce_c(out, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	DID(10, -1, 4 * I, 4 * I, WORLD);
#endif
}

/* A ring of three, twice: as a grid, where each has two neighbours, and as a graph, where each gives to one. */
static void neighbours(void)
{
	MPI_Comm grid, graph;
	int size = ranks, around = 1, next = (me + 1) % ranks, last = (me + ranks - 1) % ranks;
	DO(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &grid));
	DO(MPI_Comm_set_name(grid, "the grid"));
	DO(MPI_Neighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, grid));
	DID(174, -1, 3 * I, 2 * 3 * I, "the grid");
	DO(MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, grid));
	DID(178, -1, 2 * 3 * I, 2 * 3 * I, "the grid");
	DO(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
	                                  &graph));
	DO(MPI_Neighbor_allgather(out, 4, MPI_INT, in, 4, MPI_INT, graph));
	DID(174, -1, 4 * I, 4 * I, "graph");
	DO(MPI_Comm_free(&graph));
	DO(MPI_Comm_free(&grid));
}

/* Rank 0 and the others. */
static void between_groups(void)
{
	MPI_Comm half, between;
	int others = ranks - 1;
	DO(MPI_Comm_split(MPI_COMM_WORLD, me > 0, me, &half));
	DO(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, me ? 0 : 1, 12, &between));
	DO(MPI_Bcast(in, 5, MPI_INT, me == 0 ? MPI_ROOT : 0, between));
	DID(7, 0, me == 0 ? 5 * I : 0, me == 0 ? 0 : 5 * I, "intercomm");
	DO(MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, me == 0 ? MPI_ROOT : 0, between));
	DID(13, 0, me == 0 ? 0 : 2 * I, me == 0 ? others * 2 * I : 0, "intercomm");
	DO(MPI_Bcast(in, 5, MPI_INT, me == 1 ? MPI_ROOT : me ? MPI_PROC_NULL : 0, between));
	DID(7, me == 2 ? -1 : 1, me == 1 ? 5 * I : 0, me == 0 ? 5 * I : 0, "intercomm");
	DO(MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, between));
	DID(17, -1, 2 * I, 2 * I * (me == 0 ? others : 1), "intercomm");
	DO(MPI_Comm_free(&between));
	DO(MPI_Comm_free(&half));
}

static void windows(void)
{
	int store[MOST] = {0}, next = (me + 1) % ranks, one = 1, old, expected = 0;
	MPI_Win w;
	MPI_Request r;
	DO(MPI_Win_create(store, sizeof store, I, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	DO(MPI_Win_fence(0, w));
	DO(MPI_Put(out, 3, MPI_INT, next, 0, 3, MPI_INT, w));
	fprintf(truth, "window MPI_Put %d %d\n", next, 3 * I);
	DO(MPI_Win_fence(0, w));
	DO(MPI_Get(in, 2, MPI_INT, next, 0, 2, MPI_INT, w));
	fprintf(truth, "window MPI_Get %d %d\n", next, 2 * I);
	DO(MPI_Win_fence(0, w));
	DO(MPI_Accumulate(out, 4, MPI_INT, next, 0, 4, MPI_INT, MPI_SUM, w));
	fprintf(truth, "window MPI_Accumulate %d %d\n", next, 4 * I);
	DO(MPI_Win_fence(0, w));
	DO(MPI_Win_lock(MPI_LOCK_SHARED, next, 0, w));
	fprintf(truth, "window MPI_Win_lock %d\n", next);
	DO(MPI_Fetch_and_op(&one, &old, MPI_INT, next, 20, MPI_SUM, w));
	fprintf(truth, "window MPI_Fetch_and_op %d %d\n", next, I);
	DO(MPI_Compare_and_swap(&one, &expected, &old, MPI_INT, next, 21, w));
	fprintf(truth, "window MPI_Compare_and_swap %d %d\n", next, I);
	DO(MPI_Get_accumulate(out, 2, MPI_INT, in, 2, MPI_INT, next, 30, 2, MPI_INT, MPI_SUM, w));
	fprintf(truth, "window MPI_Get_accumulate %d %d\n", next, 2 * I);
	DO(MPI_Rput(out, 5, MPI_INT, next, 40, 5, MPI_INT, w, &r));
	fprintf(truth, "window MPI_Rput %d %d\n", next, 5 * I);
	DO(MPI_Wait(&r, MPI_STATUS_IGNORE));
	DO(MPI_Win_unlock(next, w));
	fprintf(truth, "window MPI_Win_unlock %d\n", next);
	DO(MPI_Win_free(&w));
}

static void files(void)
{
	MPI_File f;
	MPI_Status s;
	MPI_Request r;
	int n;
	DO(MPI_File_open(MPI_COMM_WORLD, "written", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	fprintf(truth, "file MPI_File_open written\n");
	DO(MPI_File_write_at(f, 100 * me, out, 10, MPI_INT, MPI_STATUS_IGNORE));
	fprintf(truth, "file MPI_File_write_at written %d\n", 10 * I);
	DO(MPI_File_write_at_all(f, 100 * me + 40, out, 5, MPI_INT, &s));
	DO(MPI_Get_count(&s, MPI_INT, &n));
	fprintf(truth, "file MPI_File_write_at_all written %d\n", n * I);
	DO(MPI_File_iwrite_at(f, 1000 + 100 * me, out, 6, MPI_INT, &r));
	fprintf(truth, "file MPI_File_iwrite_at written %d\n", 6 * I);
	DO(MPI_Wait(&r, MPI_STATUS_IGNORE));
	DO(MPI_File_sync(f));
	DO(MPI_Barrier(MPI_COMM_WORLD));
	DID(8, -1, 0, 0, WORLD);
	DO(MPI_File_read_at(f, 1000 + 100 * (ranks - 1), in, MOST, MPI_INT, &s)); /* shorter than asked for */
	DO(MPI_Get_count(&s, MPI_INT, &n));
	fprintf(truth, "file MPI_File_read_at written %d\n", n * I);
	DO(MPI_File_close(&f));
	fprintf(truth, "file MPI_File_close written\n");
}

#define SENT(to, bytes) fprintf(truth, "sent %d %d %d\n", me, to, (int)(bytes))

static void messages(void)
{
	int next = (me + 1) % ranks, last = (me + ranks - 1) % ranks, flag = 0;
	MPI_Message m;
	MPI_Request r[2];
	MPI_Status s;
	DO(MPI_Isend(out, 4, MPI_INT, next, 1, MPI_COMM_WORLD, &r[0]));
	SENT(next, 4 * I);
	DO(MPI_Mprobe(last, MPI_ANY_TAG, MPI_COMM_WORLD, &m, &s));
	DO(MPI_Mrecv(in, 10, MPI_INT, &m, MPI_STATUS_IGNORE));
	DO(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	DO(MPI_Isend(out, 5, MPI_INT, next, 2, MPI_COMM_WORLD, &r[0]));
	SENT(next, 5 * I);
	while (!flag)
		DO(MPI_Improbe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, &m, &s));
	DO(MPI_Imrecv(in, 10, MPI_INT, &m, &r[1]));
	DO(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
#ifdef MPICH
	DO(MPI_Isendrecv(out, 6, MPI_INT, next, 3, in, 6, MPI_INT, last, 3, MPI_COMM_WORLD, &r[0]));
	SENT(next, 6 * I);
	DO(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	DO(MPI_Isendrecv_replace(out, 7, MPI_INT, next, 4, last, 4, MPI_COMM_WORLD, &r[0]));
	SENT(next, 7 * I);
	DO(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	DO(MPI_Send_c(out, 8, MPI_INT, me == 0 ? next : MPI_PROC_NULL, 5, MPI_COMM_WORLD));
	if (me == 0)
		SENT(next, 8 * I);
	DO(MPI_Recv_c(in, 8, MPI_INT, me == 1 ? last : MPI_PROC_NULL, 5, MPI_COMM_WORLD, &s));
	DO(MPI_Psend_init(out, 2, 3, MPI_INT, next, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
	DO(MPI_Precv_init(in, 2, 3, MPI_INT, last, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
	for (int i = 0; i < 2; i++) {
		DO(MPI_Startall(2, r));
		SENT(next, 6 * I);
		DO(MPI_Pready(0, r[0]));
		DO(MPI_Pready(1, r[0]));
		DO(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	}
	DO(MPI_Request_free(&r[0]));
	DO(MPI_Request_free(&r[1]));
#endif
}

int main(int argc, char **argv)
{
	char name[32];
	MPI_Comm copy;
	DO(MPI_Init(&argc, &argv));
	DO(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	DO(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
	snprintf(name, sizeof name, "truth.%d", me);
	truth = fopen(name, "w");
	if (!truth || ranks != 3)
		abort();
	uneven();
	for (int root = 0; root < ranks; root++)
		rooted(root);
	DO(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
	rootless(MPI_COMM_WORLD, WORLD);
	rootless(copy, "dup");
	all_to_all(copy, "dup");
	DO(MPI_Comm_free(&copy));
	uneven_rootless();
	begun();
	neighbours();
	between_groups();
	windows();
	files();
	messages();
	fclose(truth);
	DO(MPI_Finalize());
	return 0;
}
