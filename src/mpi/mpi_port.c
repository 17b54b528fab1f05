/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worlds that meet: MPI_Comm_accept and MPI_Comm_connect at a port, MPI_Comm_join over a socket. Where all are of one world after all, the communicator is one
 * like others (mpi_comm.c). Else the two sides must come to one key without a word to each other, since the other may not be recorded:
 *
 *     port's name  +  Open MPI's number of the communicator
 *
 * A port may have been used by many clients, at the same time, too; their communicators have different numbers at the server, and each number is the same on
 * both sides, for it stands in the headers of messages. It lies in the communicator behind its name (below); where that is not so, as with MPICH, ends stay
 * unpaired. A number may be had again when the first is gone: then all of its messages are paired already.
 *
 * The port's name is known to each side's root. It tells the others of its side, if they are sure to be recorded: where `weft record` began the launcher.
 */
#include "mpi_priv.h"
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { NAME_BYTES = 64, OBJECT_BYTES = 512, WORLD_NUMBER = 0, SELF_NUMBER = 1 }; /* the predefined ones are padded to this size */

static uint64_t port_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

/* ---- the number of a communicator ---- */

static bool numbers_are(const char *object, unsigned at, uint32_t number, int rank)
{
	uint32_t found[2];
	memcpy(found, object + at, sizeof found);
	return found[0] == number && found[1] == (uint32_t)rank;
}

/*
 * Where the number lies: behind the name, in front of the rank. Looked for by the name of MPI_COMM_SELF, and believed when the numbers and ranks of the
 * two communicators that each process has are the right ones there. 0: not found.
 */
static unsigned number_offset(void)
{
	static const char name[] = "MPI_COMM_SELF";
	const char *self = (const char *)mpi.self, *world = (const char *)mpi.world;
	int rank;
	if (mpi.handle != 8 || mpi_own.Comm_rank(mpi.world, &rank))
		return 0;
	for (unsigned at = 0; at + NAME_BYTES + 8 <= OBJECT_BYTES; at += 8)
		if (memcmp(self + at, name, sizeof name) == 0 && numbers_are(self, at + NAME_BYTES, SELF_NUMBER, 0) &&
		    numbers_are(world, at + NAME_BYTES, WORLD_NUMBER, rank))
			return at + NAME_BYTES;
	return 0;
}

/* 0: not known. Those below are the world's and the process's own. */
static uint32_t number_of(mpi_word comm)
{
	unsigned at = number_offset();
	uint32_t number = 0;
	int rank;
	if (!at || mpi_own.Comm_rank(comm, &rank))
		return 0;
	memcpy(&number, (const char *)comm + at, sizeof number);
	return numbers_are((const char *)comm, at, number, rank) ? number : 0;
}

/* ---- ports ---- */

/* Up to a blank: a name that was read from a file may have more. */
static uint64_t port_hash(const char *name)
{
	uint64_t h = 3;
	for (; (unsigned char)*name > ' '; name++)
		h = port_mix(h, (unsigned char)*name);
	return h ? h : 1;
}

/* The root's; 0: this process does not know it. */
static uint64_t port_of(const struct mpi_call *c)
{
	const char *asked = getenv("WEFT_CLOCKS");
	int root = mpi_count_int(c, 2), rank, size;
	uint64_t port = 0;
	if (mpi_own.Comm_rank(c->a[3], &rank) || mpi_own.Comm_size(c->a[3], &size))
		return 0;
	if (rank == root && c->a[0])
		port = port_hash((const char *)c->a[0]);
	if (size > 1 && (!asked || (strcmp(asked, "meet") && strcmp(asked, "always"))))
		return 0;
	if (size > 1 && mpi_own.Bcast(&port, sizeof port, mpi.byte, root, mpi_handle(c->a[3])))
		return 0;
	return port;
}

static void joined(mpi_word handle, uint64_t place, bool first, const char *name)
{
	uint32_t number = number_of(handle);
	if (place && number)
		mpi_spawn_joined(handle, port_mix(place, number), first, name);
	else
		mpi_lost(1);
}

void mpi_after_port(struct mpi_call *c, int rc)
{
	if (rc || !c->a[4])
		return;
	mpi_word handle = mpi_handle_at((const void *)c->a[4], 0);
	bool accepts = c->id == LINK_MPI_Comm_accept;
	/* Asked in any case: all of this side get here, and they do not all know whether the others are of their world. */
	uint64_t port = port_of(c);
	const char *name = accepts ? "accepted" : "connected";
	if (handle != mpi.comm_null && !mpi_comm_in_world(handle, name))
		joined(handle, port, accepts, name);
}

/* ---- a socket ---- */

/* What the two ends of a connection are called, the lower first; 0: they have no names that both sides know. */
static uint64_t socket_hash(int fd, bool *first)
{
	struct sockaddr_storage own = {0}, peer = {0};
	socklen_t n = sizeof own, n_peer = sizeof peer;
	if (getsockname(fd, (struct sockaddr *)&own, &n) || getpeername(fd, (struct sockaddr *)&peer, &n_peer) || n != n_peer ||
	    (own.ss_family != AF_INET && own.ss_family != AF_INET6))
		return 0;
	*first = memcmp(&own, &peer, n) < 0;
	const unsigned char *end[2] = {(unsigned char *)(*first ? &own : &peer), (unsigned char *)(*first ? &peer : &own)};
	uint64_t h = 4;
	for (unsigned i = 0; i < 2 * n; i++)
		h = port_mix(h, end[i / n][i % n]);
	return h ? h : 1;
}

void mpi_after_join(struct mpi_call *c, int rc)
{
	if (rc || !c->a[1])
		return;
	bool first = false;
	uint64_t place = socket_hash(mpi_count_int(c, 0), &first);
	mpi_word handle = mpi_handle_at((const void *)c->a[1], 0);
	if (handle != mpi.comm_null && !mpi_comm_in_world(handle, "joined"))
		joined(handle, place, first, "joined");
}
