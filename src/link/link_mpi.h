/* SPDX-License-Identifier: Apache-2.0 */
/* MPI's functions, as libweft-preload and libweft-mpi number them. */
#ifndef WEFT_LINK_MPI_H
#define WEFT_LINK_MPI_H

#include "link_calls.h"

enum link_mpi_call {
#define MPI_CALL(name, n, kind) LINK_MPI_##name,
#include "link_mpi_calls.def"
#undef MPI_CALL
	LINK_MPI_CALLS
};
/* Each has two names: MPI_X and, LINK_MPI_CALLS behind it, PMPI_X, which the Fortran of both MPIs calls. */
enum { LINK_MPI_NAMES = 2 * LINK_MPI_CALLS };

#define LINK_MPI_LIBRARY "libweft-mpi.so.0"
#define LINK_MPI_BEGIN "weft_mpi_begin"
#define LINK_MPI_BEHIND "weft_mpi_behind"

#endif
