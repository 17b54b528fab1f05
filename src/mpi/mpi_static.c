/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libweft-mpi-static.a: for programs that link MPI from an archive (in front of it: prog.o -lweft-mpi-static libmpich.a …), in which nothing can stand in
 * front of MPI's functions when the program runs. The archive has an object for each function (dev/make-mpi-archive): MPI_X, a jump through a
 * slot here, and the address of PMPI_X, which so is linked, too. What the program does not call is in neither.
 *
 * Where WEFT_DIR is there, libweft-mpi is loaded and puts its own functions into the slots. What calls PMPI_X itself (Fortran of MPICH) goes
 * on as it was.
 */
#include "link/link_mpi.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t number;
	void *real;
};
/* Of all objects that were linked. */
extern const struct entry __start_weft_mpi_static[] __attribute__((visibility("hidden"))),
	__stop_weft_mpi_static[] __attribute__((visibility("hidden")));
void *weft_mpi_static_slot[LINK_MPI_NAMES] __attribute__((visibility("hidden")));

/* clang-format off */
/* Those that libweft-mpi calls itself are linked in any case. */
#define OWN(X) \
	X(Comm_size) \
	X(Comm_rank) X(Comm_group) X(Comm_remote_group) X(Comm_remote_size) X(Comm_test_inter) X(Group_size) X(Group_free) \
		X(Group_translate_ranks) X(Type_size) X(Bcast) X(Gather) X(Scatter) X(Send) X(Recv) X(Comm_dup) X(Comm_free) \
			X(Topo_test) X(Cartdim_get) X(Graph_neighbors_count) X(Dist_graph_neighbors_count) X(Win_get_group) \
				X(Comm_get_parent) X(Info_create) X(Info_dup) X(Info_free) X(Info_set) X(Info_get)
#define DECLARE(name) extern int PMPI_##name(void);
OWN(DECLARE)
/* Open MPI's objects; with MPICH there are none. */
#define OBJECTS(X) \
	X(ompi_mpi_comm_world) \
	X(ompi_mpi_comm_self) X(ompi_mpi_comm_null) X(ompi_request_null) X(ompi_mpi_byte) X(ompi_mpi_info_null) \
		X(ompi_mpi_double)
#define DECLARE_WEAK(name) extern char name __attribute__((weak));
OBJECTS(DECLARE_WEAK)
/* clang-format on */

static void *static_find(const char *name)
{
	static const struct {
		const char *name;
		void *at;
	} all[] = {
#define ROW(name) {"PMPI_" #name, (void *)PMPI_##name},
		OWN(ROW)
#define OBJECT(name) {#name, &name},
			OBJECTS(OBJECT)};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i].name, name))
			return all[i].at;
	/* What tells MPICH from others. */
	return !strcmp(name, "MPIR_C_MPI_UNWEIGHTED") && !&ompi_mpi_comm_world ? (void *)PMPI_Comm_size : NULL;
}

/* Threads are numbered by libweft when they first record. */
static int static_on_thread(const struct link_thread_watch *watch)
{
	(void)watch;
	return 0;
}

__attribute__((constructor(101))) static void static_begin(void)
{
	static void *real[LINK_MPI_NAMES];
	static const struct link_calls with = {LINK_CALLS_VERSION, LINK_MPI_NAMES,  weft_mpi_static_slot, real,
	                                       static_find,        static_on_thread};
	const char *dir = secure_getenv("WEFT_DIR");
	int error = errno;
	for (const struct entry *e = __start_weft_mpi_static; e < __stop_weft_mpi_static; e++)
		weft_mpi_static_slot[e->number] = real[e->number] = e->real;
	if (dir && *dir) {
		void *library = dlopen(LINK_MPI_LIBRARY, RTLD_NOW | RTLD_LOCAL);
		link_calls_begin *begin = library ? (link_calls_begin *)dlsym(library, LINK_MPI_BEGIN) : NULL;
		if (begin)
			(void)begin(&with);
	}
	errno = error;
}
