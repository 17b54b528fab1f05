/* SPDX-License-Identifier: Apache-2.0 */
/* MPI's C functions, by both of their names: MPI's Fortran calls PMPI_X. */
#include "link/link_mpi.h"
#include "preload_calls.h"
#include <dlfcn.h>

static const char mpi_call[] =
#define MPI_CALL(name, n, kind) "MPI_" #name "\0"
#include "link/link_mpi_calls.def"
#undef MPI_CALL
#define MPI_CALL(name, n, kind) "PMPI_" #name "\0"
#include "link/link_mpi_calls.def"
#undef MPI_CALL
	;

PRELOAD_ARRAYS(mpi, LINK_MPI_NAMES)
PRELOAD_BEGIN(mpi)
#define MPI_CALL(name, n, kind) PRELOAD_STUB(mpi, MPI_##name)
#include "link/link_mpi_calls.def"
#undef MPI_CALL
#define MPI_CALL(name, n, kind) PRELOAD_STUB(mpi, PMPI_##name)
#include "link/link_mpi_calls.def"
#undef MPI_CALL

static void *mpi_find(const char *name)
{
	static const char *const files[] = {"libmpi.so", "libmpich.so", NULL};
	link_calls_behind *linked = (link_calls_behind *)dlsym(RTLD_NEXT, LINK_MPI_BEHIND);
	if (linked)
		return linked(name);
	return preload_find(files, name);
}

static void mpi_fill(void);
static const char *const mpi_names[] = {"mpi", NULL};
static struct preload_runtime mpi = {
	.names = mpi_names,
	.on = true,
	.library = LINK_MPI_LIBRARY,
	.begin = LINK_MPI_BEGIN,
	.find = mpi_find,
	.fill = mpi_fill,
	.n_calls = LINK_MPI_NAMES,
	.call = mpi_call,
	.slot = weft_preload_mpi_slot,
	.real = mpi_real,
	.once = PTHREAD_ONCE_INIT,
};
PRELOAD_RESOLVER(mpi, mpi)
