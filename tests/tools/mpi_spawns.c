/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An MPI program of two processes that spawns worlds, and exchanges messages with them over the intercommunicator, over what is merged of it, split and
 * duplicated. Each process prints how many messages it has received, between worlds and within its own.
 *     PROGRAM [alone]    alone: the children's environment has no preloaded library
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int between, within;

static void all_to_all(MPI_Comm inter, int tag)
{
	int n, v = 1, got[16];
	MPI_Request r[16];
	MPI_Comm_remote_size(inter, &n);
	for (int i = 0; i < n; i++)
		MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, tag, inter, &r[i]);
	for (int i = 0; i < n; i++)
		MPI_Send(&v, 1, MPI_INT, i, tag, inter);
	MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
	between += n;
}

static void ring(MPI_Comm comm, int *count)
{
	int me, n, v;
	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &n);
	MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 5, &v, 1, MPI_INT, (me + n - 1) % n, 5, comm, MPI_STATUS_IGNORE);
	*count += 1;
}

static void talk(MPI_Comm inter, int high)
{
	MPI_Comm both, part, copy, other;
	int me;
	all_to_all(inter, 3);
	MPI_Intercomm_merge(inter, high, &both);
	ring(both, &between);
	MPI_Comm_rank(both, &me);
	MPI_Comm_split(both, me % 2, -me, &part);
	ring(part, &between);
	MPI_Comm_dup(part, &copy);
	ring(copy, &between);
	MPI_Comm_dup(inter, &other);
	all_to_all(other, 4);
	MPI_Comm_free(&other);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&part);
	MPI_Comm_free(&both);
	ring(MPI_COMM_WORLD, &within);
}

int main(int argc, char **argv)
{
	MPI_Comm parent, inter;
	int me;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	if (parent == MPI_COMM_NULL) {
		char *commands[] = {argv[0], argv[0]};
		int each[] = {1, 2}, codes[3];
		MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
		MPI_Info_create(&infos[1]);
		MPI_Info_set(infos[1], "env", argc > 1 ? "LD_PRELOAD=" : "MINE=yes");
		MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 3, argc > 1 ? infos[1] : MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes);
		talk(inter, 0);
		MPI_Comm_disconnect(&inter);
		MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, each, infos, 1, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
		MPI_Info_free(&infos[1]);
	} else {
		inter = parent;
	}
	talk(inter, parent != MPI_COMM_NULL);
	MPI_Comm_disconnect(&inter);
	printf("%s %d: %d between, %d within%s\n", parent == MPI_COMM_NULL ? "parent" : "child", me, between, within,
	       getenv("MINE") ? ", as asked for" : "");
	MPI_Finalize();
	return 0;
}
