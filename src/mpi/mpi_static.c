/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libweft-mpi-static.a: for programs that link MPI from an archive (in front of it: prog.o -lweft-mpi-static libmpich.a …), in which nothing can stand in
 * front of MPI's functions when the program runs. The archive has an object for each function (dev/make-mpi-archive): MPI_X, a jump through a
 * slot here, and the address of PMPI_X, which so is linked, too. What the program does not call is in neither.
 *
 * Where WEFT_DIR is there, libweft-mpi is loaded, or is in the program (libweft-mpi-whole.a), and puts its own functions into the slots. What calls PMPI_X itself (Fortran of MPICH) goes
 * on as it was.
 */
#include "link/link_mpi.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

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

/* In libweft-mpi-whole.a, where that is linked. */
extern link_calls_begin weft_mpi_begin __attribute__((weak));

/*
 * A program without a dynamic linker loads nothing: the C library that would come with a library would be another one, and calls of it end in
 * places that nobody has set up.
 */
static bool has_dynamic_linker(void)
{
	const ElfW(Phdr) *h = (const ElfW(Phdr) *)(uintptr_t)getauxval(AT_PHDR);
	for (unsigned long i = 0, n = getauxval(AT_PHNUM); h && i < n; i++)
		if (h[i].p_type == PT_INTERP)
			return true;
	return false;
}

static link_calls_begin *find_begin(void)
{
	if (weft_mpi_begin)
		return weft_mpi_begin;
	void *library = has_dynamic_linker() ? dlopen(LINK_MPI_LIBRARY, RTLD_NOW | RTLD_LOCAL) : NULL;
	return library ? (link_calls_begin *)dlsym(library, LINK_MPI_BEGIN) : NULL;
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
	link_calls_begin *begin = dir && *dir ? find_begin() : NULL;
	if (begin)
		(void)begin(&with);
	errno = error;
}
