/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that are linked with this library (-lweft-mpi in front of MPI's): for environments where nothing can be preloaded. It bears MPI's names
 * then, and finds MPI behind itself; recording begins when WEFT_DIR is there. Loaded by libweft-preload it is not in the global order,
 * nobody finds these names, and nothing here does anything.
 */
#include "mpi_arguments.h"
#include "mpi_priv.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

static const char *const linked_name[LINK_MPI_NAMES] = {
#define MPI_CALL(name, n, kind) "MPI_" #name,
#include "link/link_mpi_calls.def"
#undef MPI_CALL
#define MPI_CALL(name, n, kind) "PMPI_" #name,
#include "link/link_mpi_calls.def"
#undef MPI_CALL
};
static void *linked_slot[LINK_MPI_NAMES], *linked_real[LINK_MPI_NAMES];

/* In the global order only where we are linked. Of a preloaded recorder: what is behind us is MPI's. */
PUBLIC link_calls_behind weft_mpi_behind;
void *weft_mpi_behind(const char *name)
{
	void *at = dlsym(RTLD_NEXT, name);
	/* No jump in place of the call: behind whom it looks is told by the address that it returns to. */
	__asm__ volatile("" : "+r"(at));
	return at;
}

/* Threads are numbered by libweft when they first record. */
static int linked_on_thread(const struct link_thread_watch *watch)
{
	(void)watch;
	return 0;
}

/* As the dynamic linker would end it. */
static _Noreturn void linked_absent(unsigned call)
{
	(void)dprintf(STDERR_FILENO, "weft: symbol lookup error: undefined symbol: %s\n", linked_name[call]);
	_exit(127);
}

static inline void *linked_to(unsigned call)
{
	void *to = linked_slot[call];
	if (WEFT_UNLIKELY(!to))
		linked_absent(call);
	return to;
}

link_calls_begin weft_mpi_begin;

#define MPI_CALL(name, n, kind) \
	PUBLIC int MPI_##name(TAKE_##n); \
	PUBLIC int MPI_##name(TAKE_##n) \
	{ \
		return ((int (*)(TAKE_##n))linked_to(LINK_MPI_##name))(LIST_##n); \
	} \
	PUBLIC int PMPI_##name(TAKE_##n); \
	PUBLIC int PMPI_##name(TAKE_##n) \
	{ \
		return ((int (*)(TAKE_##n))linked_to(LINK_MPI_CALLS + LINK_MPI_##name))(LIST_##n); \
	}
#include "link/link_mpi_calls.def"
#undef MPI_CALL

/* In the global order, and the first there that has these names: else somebody in front records, or profiles. */
static bool linked_is_first(void)
{
	Dl_info first, own;
	const void *at = dlsym(RTLD_DEFAULT, "MPI_Init");
	return at && dladdr(at, &first) && dladdr(linked_slot, &own) && first.dli_fbase == own.dli_fbase;
}

__attribute__((constructor)) static void linked_begin(void)
{
	const struct link_calls with = {LINK_CALLS_VERSION, LINK_MPI_NAMES,  linked_slot,
	                                linked_real,        weft_mpi_behind, linked_on_thread};
	const char *dir = secure_getenv("WEFT_DIR");
	int error = errno;
	if (dlsym(RTLD_DEFAULT, LINK_MPI_BEHIND)) {
		for (unsigned i = 0; i < LINK_MPI_NAMES; i++)
			linked_real[i] = weft_mpi_behind(linked_name[i]);
		if (dir && *dir && linked_is_first())
			(void)weft_mpi_begin(&with);
		for (unsigned i = 0; i < LINK_MPI_NAMES; i++)
			if (!linked_slot[i])
				linked_slot[i] = linked_real[i];
	}
	errno = error;
}
