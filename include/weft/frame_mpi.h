/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link (weft/frame.h) over MPI: whichever mpi.h the program is compiled with.
 *
 *     struct weft_frame_mpi mpi;
 *     int rc = weft_frame_mpi_begin(&mpi, MPI_COMM_WORLD);     all processes of it together, behind MPI_Init
 *     rc = rc ? rc : weft_mw_run(&program, &me, &mpi.link, NULL);
 *     weft_frame_mpi_end(&mpi);
 */
#ifndef WEFT_FRAME_MPI_H
#define WEFT_FRAME_MPI_H

/* Not the C++ interface that MPI once had: we use none of it, and it does not compile without warnings. */
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <weft/frame.h>

struct weft_frame_mpi {
	struct weft_frame_link link; /* first: a link's address is its own */
	MPI_Comm comm;               /* a duplicate: our messages meet no others */
};

static inline int weft_frame_mpi_send(struct weft_frame_link *l, int to, const void *data, size_t bytes)
{
	struct weft_frame_mpi *m = (struct weft_frame_mpi *)l;
	if (bytes > INT_MAX)
		return -EMSGSIZE;
	return MPI_Send((void *)data, (int)bytes, MPI_BYTE, to, 0, m->comm) == MPI_SUCCESS ? 0 : -EIO;
}

static inline int weft_frame_mpi_wait(struct weft_frame_link *l, int from, int *sender, size_t *bytes)
{
	struct weft_frame_mpi *m = (struct weft_frame_mpi *)l;
	int source = from == WEFT_FRAME_ANY ? MPI_ANY_SOURCE : from, there = 0, n = 0;
	MPI_Status status;
	for (unsigned turn = 0;;) {
		if (MPI_Iprobe(source, 0, m->comm, &there, &status) != MPI_SUCCESS)
			return -EIO;
		if (there)
			break;
		weft_frame_idle(&turn);
	}
	if (MPI_Get_count(&status, MPI_BYTE, &n) != MPI_SUCCESS)
		return -EIO;
	*sender = status.MPI_SOURCE;
	*bytes = (size_t)n;
	return 0;
}

static inline int weft_frame_mpi_receive(struct weft_frame_link *l, int sender, void *data, size_t bytes)
{
	struct weft_frame_mpi *m = (struct weft_frame_mpi *)l;
	return MPI_Recv(data, (int)bytes, MPI_BYTE, sender, 0, m->comm, MPI_STATUS_IGNORE) == MPI_SUCCESS ? 0 : -EIO;
}

static inline int weft_frame_mpi_begin(struct weft_frame_mpi *m, MPI_Comm comm)
{
	m->link.send = weft_frame_mpi_send;
	m->link.wait = weft_frame_mpi_wait;
	m->link.receive = weft_frame_mpi_receive;
	if (MPI_Comm_dup(comm, &m->comm) != MPI_SUCCESS)
		return -EIO;
	return MPI_Comm_rank(m->comm, &m->link.rank) == MPI_SUCCESS && MPI_Comm_size(m->comm, &m->link.size) == MPI_SUCCESS
	               ? 0
	               : -EIO;
}

static inline void weft_frame_mpi_end(struct weft_frame_mpi *m)
{
	MPI_Comm_free(&m->comm);
}

#endif
