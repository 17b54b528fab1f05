/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Like mpi_operations.c, of the ways that it does not go: files at each kind of position, windows of all kinds and epochs, messages of each mode,
 * neighbours with their own amounts, and collectives that are begun. What they move is written to truth.RANK, in the same words.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };
static int me, ranks, next, last, in[MOST], out[MOST], counts[MOST], places[MOST];
static FILE *truth;

#define DO(x) ((x) ? abort() : (void)0)
#define DID(op, root, sent, received, comm) \
	fprintf(truth, "collective %d %d %d %d %s\n", op, root, (int)(sent), (int)(received), comm)
#define I (int)sizeof(int)
#define WORLD "MPI_COMM_WORLD"
#define WAIT(r) DO(MPI_Wait(&(r), MPI_STATUS_IGNORE))

/* ---- files ---- */

#define FILED(call, ints) fprintf(truth, "file %s more %d\n", call, (int)(ints)*I)
#define BARE(call) fprintf(truth, "file %s more\n", call)

static void together(void)
{
	DO(MPI_Barrier(MPI_COMM_WORLD));
	DID(8, -1, 0, 0, WORLD);
}

static void own_position(MPI_File f)
{
	MPI_Request r;
	DO(MPI_File_seek(f, 1000 * me, MPI_SEEK_SET));
	DO(MPI_File_write(f, out, 3, MPI_INT, MPI_STATUS_IGNORE));
	FILED("MPI_File_write", 3);
	DO(MPI_File_write_all(f, out, 4, MPI_INT, MPI_STATUS_IGNORE));
	FILED("MPI_File_write_all", 4);
	DO(MPI_File_iwrite(f, out, 5, MPI_INT, &r));
	WAIT(r);
	FILED("MPI_File_iwrite", 5);
	DO(MPI_File_seek(f, 1000 * me, MPI_SEEK_SET));
	DO(MPI_File_read(f, in, 2, MPI_INT, MPI_STATUS_IGNORE));
	FILED("MPI_File_read", 2);
	DO(MPI_File_read_all(f, in, 3, MPI_INT, MPI_STATUS_IGNORE));
	FILED("MPI_File_read_all", 3);
	DO(MPI_File_iread(f, in, 4, MPI_INT, &r));
	WAIT(r);
	FILED("MPI_File_iread", 4);
	DO(MPI_File_read_at_all(f, 1000 * me, in, 6, MPI_INT, MPI_STATUS_IGNORE));
	FILED("MPI_File_read_at_all", 6);
	DO(MPI_File_iread_at(f, 1000 * me, in, 7, MPI_INT, &r));
	WAIT(r);
	FILED("MPI_File_iread_at", 7);
}

static void shared_position(MPI_File f)
{
	MPI_Request r;
	DO(MPI_File_seek_shared(f, 10000, MPI_SEEK_SET));
	DO(MPI_File_write_shared(f, out, me + 1, MPI_INT, MPI_STATUS_IGNORE));
	FILED("MPI_File_write_shared", me + 1);
	DO(MPI_File_iwrite_shared(f, out, 4, MPI_INT, &r));
	WAIT(r);
	FILED("MPI_File_iwrite_shared", 4);
	DO(MPI_File_write_ordered(f, out, 2 * me + 1, MPI_INT, MPI_STATUS_IGNORE));
	FILED("MPI_File_write_ordered", 2 * me + 1);
	together();
	DO(MPI_File_seek_shared(f, 10000, MPI_SEEK_SET));
	DO(MPI_File_read_shared(f, in, 2, MPI_INT, MPI_STATUS_IGNORE));
	FILED("MPI_File_read_shared", 2);
	DO(MPI_File_iread_shared(f, in, 3, MPI_INT, &r));
	WAIT(r);
	FILED("MPI_File_iread_shared", 3);
	DO(MPI_File_read_ordered(f, in, 1, MPI_INT, MPI_STATUS_IGNORE));
	FILED("MPI_File_read_ordered", 1);
}

/* Begun and ended by two calls each. */
static void in_two(MPI_File f)
{
	DO(MPI_File_seek(f, 2000 * me, MPI_SEEK_SET));
	DO(MPI_File_write_all_begin(f, out, 6, MPI_INT));
	DO(MPI_File_write_all_end(f, out, MPI_STATUS_IGNORE));
	DO(MPI_File_write_at_all_begin(f, 2000 * me, out, 5, MPI_INT));
	DO(MPI_File_write_at_all_end(f, out, MPI_STATUS_IGNORE));
	DO(MPI_File_read_at_all_begin(f, 2000 * me, in, 4, MPI_INT));
	DO(MPI_File_read_at_all_end(f, in, MPI_STATUS_IGNORE));
	FILED("MPI_File_write_all_begin", 6);
	FILED("MPI_File_write_at_all_begin", 5);
	FILED("MPI_File_read_at_all_begin", 4);
}

static void files(void)
{
	MPI_File f;
	DO(MPI_File_open(MPI_COMM_WORLD, "more", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	BARE("MPI_File_open");
	own_position(f);
	shared_position(f);
	in_two(f);
	DO(MPI_File_close(&f));
	BARE("MPI_File_close");
}

/* ---- windows ---- */

#define MOVED(call, ints) fprintf(truth, "window %s %d %d\n", call, next, (int)(ints)*I)
#define EPOCH(call) fprintf(truth, "window %s %d\n", call, next)

/* Each opens its window for the last, and writes into the next one's. */
static void posted(MPI_Win w)
{
	MPI_Group all, to, from;
	DO(MPI_Comm_group(MPI_COMM_WORLD, &all));
	DO(MPI_Group_incl(all, 1, &next, &to));
	DO(MPI_Group_incl(all, 1, &last, &from));
	DO(MPI_Win_post(from, 0, w));
	DO(MPI_Win_start(to, 0, w));
	DO(MPI_Put(out, 6, MPI_INT, next, 0, 6, MPI_INT, w));
	MOVED("MPI_Put", 6);
	DO(MPI_Win_complete(w));
	DO(MPI_Win_wait(w));
	DO(MPI_Group_free(&all));
	DO(MPI_Group_free(&to));
	DO(MPI_Group_free(&from));
}

static void locked(MPI_Win w, MPI_Aint at)
{
	MPI_Request r;
	DO(MPI_Win_lock_all(0, w));
	DO(MPI_Put(out, 2, MPI_INT, next, at, 2, MPI_INT, w));
	MOVED("MPI_Put", 2);
	DO(MPI_Win_flush(next, w));
	EPOCH("MPI_Win_flush");
	DO(MPI_Accumulate(out, 3, MPI_INT, next, at, 3, MPI_INT, MPI_SUM, w));
	MOVED("MPI_Accumulate", 3);
	DO(MPI_Win_flush_local(next, w));
	EPOCH("MPI_Win_flush_local");
	DO(MPI_Win_flush_all(w));
	DO(MPI_Rget(in, 4, MPI_INT, next, at, 4, MPI_INT, w, &r));
	MOVED("MPI_Rget", 4);
	WAIT(r);
	DO(MPI_Raccumulate(out, 5, MPI_INT, next, at, 5, MPI_INT, MPI_SUM, w, &r));
	MOVED("MPI_Raccumulate", 5);
	WAIT(r);
	DO(MPI_Rget_accumulate(out, 6, MPI_INT, in, 6, MPI_INT, next, at, 6, MPI_INT, MPI_SUM, w, &r));
	MOVED("MPI_Rget_accumulate", 6);
	WAIT(r);
	DO(MPI_Win_sync(w));
	DO(MPI_Win_unlock_all(w));
}

static void windows(void)
{
	int *store;
	MPI_Win w;
	MPI_Aint mine, theirs;
	DO(MPI_Win_allocate(MOST * I, I, MPI_INFO_NULL, MPI_COMM_WORLD, &store, &w));
	posted(w);
	locked(w, 0);
	DO(MPI_Win_free(&w));
	static int attached[MOST];
	DO(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	DO(MPI_Win_attach(w, attached, sizeof attached));
	DO(MPI_Get_address(attached, &mine));
	DO(MPI_Sendrecv(&mine, 1, MPI_AINT, last, 9, &theirs, 1, MPI_AINT, next, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	fprintf(truth, "sent %d %d %d\n", me, last, (int)sizeof mine);
	locked(w, theirs);
	together();
	DO(MPI_Win_detach(w, attached));
	DO(MPI_Win_free(&w));
}

/* ---- messages ---- */

#define SENT(ints) fprintf(truth, "sent %d %d %d\n", me, next, (int)(ints)*I)

static void take(int tag)
{
	MPI_Status s;
	DO(MPI_Probe(last, tag, MPI_COMM_WORLD, &s));
	DO(MPI_Recv(in, MOST, MPI_INT, last, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void begun_sends(void)
{
	typedef int begin(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
	static begin *const how[] = {MPI_Issend, MPI_Ibsend, MPI_Irsend};
	MPI_Request r[2];
	for (int i = 0; i < 3; i++) {
		DO(MPI_Irecv(in, MOST, MPI_INT, last, 20 + i, MPI_COMM_WORLD, &r[0]));
		together(); /* so that the receive is there, for who is sent to ready */
		DO(how[i](out, 7 + i, MPI_INT, next, 20 + i, MPI_COMM_WORLD, &r[1]));
		SENT(7 + i);
		DO(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	}
}

static void kept_sends(void)
{
	typedef int make(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
	static make *const how[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};
	MPI_Request r[2];
	for (int i = 0; i < 4; i++) {
		DO(how[i](out, 11 + i, MPI_INT, next, 30 + i, MPI_COMM_WORLD, &r[1]));
		DO(MPI_Recv_init(in, MOST, MPI_INT, last, 30 + i, MPI_COMM_WORLD, &r[0]));
		for (int k = 0; k < 3; k++) {
			DO(MPI_Start(&r[0]));
			together();
			DO(MPI_Start(&r[1]));
			SENT(11 + i);
			DO(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
		}
		DO(MPI_Request_free(&r[0]));
		DO(MPI_Request_free(&r[1]));
	}
}

static void messages(void)
{
	static char room[1 << 16];
	void *old;
	int bytes;
	MPI_Request r;
	DO(MPI_Buffer_attach(room, sizeof room));
	DO(MPI_Bsend(out, 2, MPI_INT, next, 10, MPI_COMM_WORLD));
	SENT(2);
	take(10);
	DO(MPI_Irecv(in, MOST, MPI_INT, last, 11, MPI_COMM_WORLD, &r));
	together();
	DO(MPI_Rsend(out, 3, MPI_INT, next, 11, MPI_COMM_WORLD));
	SENT(3);
	WAIT(r);
	begun_sends();
	kept_sends();
	DO(MPI_Buffer_detach(&old, &bytes));
}

/* ---- neighbours, each with its own amount ---- */

enum { GATHERV = 176, ALLTOALLV = 180, ALLTOALLW = 182 };

/* In the ring of a grid each gives to both sides, me + 1 to one and me + 2 to the other where amounts differ. */
static void neighbours(void)
{
	MPI_Comm grid;
	MPI_Request r;
	MPI_Datatype types[] = {MPI_INT, MPI_INT};
	int size = ranks, around = 1, from[] = {last, next}, taken[2], taken_at[2], given[] = {me + 1, me + 2},
	    given_at[] = {0, me + 1};
	MPI_Aint bytes_given[] = {0, given_at[1] * I}, bytes_taken[2];
	DO(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &around, 0, &grid));
	DO(MPI_Comm_set_name(grid, "the grid"));
	for (int i = 0, at = 0; i < 2; at += taken[i++]) {
		taken[i] = from[i] + 1;
		taken_at[i] = at;
	}
	int gathered = taken[0] + taken[1];
	DO(MPI_Neighbor_allgatherv(out, me + 1, MPI_INT, in, taken, taken_at, MPI_INT, grid));
	DID(GATHERV, -1, (me + 1) * I, gathered * I, "the grid");
	DO(MPI_Ineighbor_allgatherv(out, me + 1, MPI_INT, in, taken, taken_at, MPI_INT, grid, &r));
	WAIT(r);
	DID(GATHERV, -1, (me + 1) * I, gathered * I, "the grid");
	/* The last one gives its second amount to this one, the next one its first. */
	taken[0] = last + 2, taken[1] = next + 1, taken_at[1] = taken[0];
	bytes_taken[0] = 0, bytes_taken[1] = taken_at[1] * I;
	DO(MPI_Neighbor_alltoallv(out, given, given_at, MPI_INT, in, taken, taken_at, MPI_INT, grid));
	DID(ALLTOALLV, -1, (2 * me + 3) * I, (taken[0] + taken[1]) * I, "the grid");
	DO(MPI_Ineighbor_alltoallv(out, given, given_at, MPI_INT, in, taken, taken_at, MPI_INT, grid, &r));
	WAIT(r);
	DID(ALLTOALLV, -1, (2 * me + 3) * I, (taken[0] + taken[1]) * I, "the grid");
	DO(MPI_Neighbor_alltoallw(out, given, bytes_given, types, in, taken, bytes_taken, types, grid));
	DID(ALLTOALLW, -1, (2 * me + 3) * I, (taken[0] + taken[1]) * I, "the grid");
	DO(MPI_Ineighbor_allgather(out, 3, MPI_INT, in, 3, MPI_INT, grid, &r));
	WAIT(r);
	DID(174, -1, 3 * I, 6 * I, "the grid");
	DO(MPI_Ineighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, grid, &r));
	WAIT(r);
	DID(178, -1, 6 * I, 6 * I, "the grid");
	DO(MPI_Comm_free(&grid));
}

/* ---- collectives that are begun ---- */

static void begun(void)
{
	MPI_Comm w = MPI_COMM_WORLD;
	MPI_Request r[9];
	static int to[9][MOST];
	int all = ranks * (ranks + 1) / 2;
	for (int i = 0, at = 0; i < ranks; at += ++i) {
		counts[i] = i + 1;
		places[i] = at;
	}
	DO(MPI_Ireduce(out, to[0], 3, MPI_INT, MPI_SUM, 1, w, &r[0]));
	DID(9, 1, 3 * I, me == 1 ? 3 * I : 0, WORLD);
	DO(MPI_Iscatter(out, 2, MPI_INT, to[1], 2, MPI_INT, 0, w, &r[1]));
	DID(15, 0, me == 0 ? 2 * I * ranks : 0, 2 * I, WORLD);
	DO(MPI_Iscan(out, to[2], 4, MPI_INT, MPI_SUM, w, &r[2]));
	DID(30, -1, 4 * I, 4 * I, WORLD);
	DO(MPI_Iexscan(out, to[3], 5, MPI_INT, MPI_SUM, w, &r[3]));
	DID(214, -1, 5 * I, 5 * I, WORLD);
	DO(MPI_Ialltoall(out, 2, MPI_INT, to[4], 2, MPI_INT, w, &r[4]));
	DID(11, -1, 2 * I * ranks, 2 * I * ranks, WORLD);
	DO(MPI_Ireduce_scatter(out, to[5], counts, MPI_INT, MPI_SUM, w, &r[5]));
	DID(80, -1, all * I, (me + 1) * I, WORLD);
	DO(MPI_Ireduce_scatter_block(out, to[6], 2, MPI_INT, MPI_SUM, w, &r[6]));
	DID(168, -1, 2 * I * ranks, 2 * I, WORLD);
	DO(MPI_Iallgatherv(out, me + 1, MPI_INT, to[7], counts, places, MPI_INT, w, &r[7]));
	DID(18, -1, (me + 1) * I, all * I, WORLD);
	DO(MPI_Igatherv(out, me + 1, MPI_INT, to[8], counts, places, MPI_INT, 2, w, &r[8]));
	DID(14, 2, (me + 1) * I, me == 2 ? all * I : 0, WORLD);
	DO(MPI_Waitall(9, r, MPI_STATUSES_IGNORE));
}

int main(int argc, char **argv)
{
	char name[32];
	DO(MPI_Init(&argc, &argv));
	DO(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	DO(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
	next = (me + 1) % ranks;
	last = (me + ranks - 1) % ranks;
	snprintf(name, sizeof name, "truth.%d", me);
	truth = fopen(name, "w");
	if (!truth || ranks != 3)
		abort();
	files();
	windows();
	messages();
	neighbours();
	begun();
	fclose(truth);
	DO(MPI_Finalize());
	return 0;
}
