/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI programs that meet. Each process prints how many messages it has received from the other side, and within what both are merged to.
 *     PROGRAM serve FILE CLIENTS    opens a port, and accepts so many worlds, which are connected at the same time; FILE.0: the port
 *     PROGRAM call FILE             connects
 *     PROGRAM both FILE             rank 0 serves and rank 1 connects, each for itself
 *     PROGRAM join FILE [call]      one process of each, over a socket of TCP; FILE.1: its number
 */
#include <arpa/inet.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 4 };
static int between, within;

static void put(const char *file, int n, const char *text)
{
	char name[512], part[520];
	snprintf(name, sizeof name, "%s.%d", file, n);
	snprintf(part, sizeof part, "%s-part", name);
	FILE *f = fopen(part, "w");
	fprintf(f, "%s\n", text);
	fclose(f);
	rename(part, name);
}

static void get(const char *file, int n, char *text, int room)
{
	char name[512];
	FILE *f;
	snprintf(name, sizeof name, "%s.%d", file, n);
	while (!(f = fopen(name, "r")))
		usleep(10000);
	fgets(text, room, f);
	text[strcspn(text, "\n")] = 0;
	fclose(f);
}

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

static void ring(MPI_Comm inter, int high)
{
	MPI_Comm both;
	int me, n, v;
	MPI_Intercomm_merge(inter, high, &both);
	MPI_Comm_rank(both, &me);
	MPI_Comm_size(both, &n);
	MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, 5, &v, 1, MPI_INT, (me + n - 1) % n, 5, both, MPI_STATUS_IGNORE);
	within++;
	MPI_Comm_free(&both);
}

static void serve(const char *file, int clients, MPI_Comm comm)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm inter[MOST];
	int me;
	MPI_Comm_rank(comm, &me);
	if (me == 0) {
		MPI_Open_port(MPI_INFO_NULL, port);
		put(file, 0, port);
	}
	for (int i = 0; i < clients; i++)
		MPI_Comm_accept(port, MPI_INFO_NULL, 0, comm, &inter[i]);
	for (int round = 0; round < 3; round++)
		for (int i = clients; i-- > 0;)
			all_to_all(inter[i], round);
	for (int i = 0; i < clients; i++) {
		ring(inter[i], 0);
		MPI_Comm_disconnect(&inter[i]);
	}
	if (me == 0)
		MPI_Close_port(port);
}

static void call(const char *file, MPI_Comm comm)
{
	char port[MPI_MAX_PORT_NAME] = "";
	MPI_Comm inter;
	int me;
	MPI_Comm_rank(comm, &me);
	if (me == 0)
		get(file, 0, port, sizeof port);
	MPI_Comm_connect(port, MPI_INFO_NULL, 0, comm, &inter);
	for (int round = 0; round < 3; round++)
		all_to_all(inter, round);
	ring(inter, 1);
	MPI_Comm_disconnect(&inter);
}

static void join(const char *file, int calls)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int s = socket(AF_INET, SOCK_STREAM, 0), fd = s;
	socklen_t n = sizeof at;
	MPI_Comm inter;
	char text[32];
	if (calls) {
		get(file, 1, text, sizeof text);
		at.sin_port = htons((uint16_t)atoi(text));
		connect(s, (struct sockaddr *)&at, sizeof at);
	} else {
		bind(s, (struct sockaddr *)&at, sizeof at);
		listen(s, 1);
		getsockname(s, (struct sockaddr *)&at, &n);
		snprintf(text, sizeof text, "%d", ntohs(at.sin_port));
		put(file, 1, text);
		fd = accept(s, NULL, NULL);
	}
	MPI_Comm_join(fd, &inter);
	all_to_all(inter, 1);
	ring(inter, calls);
	MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
	int me;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	if (!strcmp(argv[1], "serve"))
		serve(argv[2], atoi(argv[3]), MPI_COMM_WORLD);
	else if (!strcmp(argv[1], "call"))
		call(argv[2], MPI_COMM_WORLD);
	else if (!strcmp(argv[1], "join"))
		join(argv[2], argc > 3);
	else if (me == 0)
		serve(argv[2], 1, MPI_COMM_SELF);
	else
		call(argv[2], MPI_COMM_SELF);
	printf("%s %d: %d between, %d within\n", argv[1], me, between, within);
	MPI_Finalize();
	return 0;
}
