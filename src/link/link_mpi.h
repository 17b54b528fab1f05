/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the library that is preloaded into every process (src/preload), which bears MPI's names and knows nothing, and the one that
 * records (src/mpi), which is loaded at the first call of a process that is to be recorded.
 */
#ifndef WEFT_LINK_MPI_H
#define WEFT_LINK_MPI_H

#include <stdint.h>

enum link_mpi_call {
#define MPI_CALL(name, n, kind) LINK_MPI_##name,
#include "link_mpi_calls.def"
#undef MPI_CALL
	LINK_MPI_CALLS
};

enum { LINK_MPI_VERSION = 1 };
#define LINK_MPI_LIBRARY "libweft-mpi.so.0"
#define LINK_MPI_BEGIN "weft_mpi_begin"

struct link_mpi {
	uint32_t version, n_calls;
	void **slot;                     /* where MPI_X of the program goes: the recording side puts its own functions there */
	void *const *real;               /* what the MPI library has under the name; NULL: nothing */
	void *(*find)(const char *name); /* another name of the MPI library, or NULL */
};

/* LINK_MPI_BEGIN: 0 or -errno, and then no slot has changed. */
typedef int link_mpi_begin(const struct link_mpi *);

#endif
