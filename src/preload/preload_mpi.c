/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI's C functions in a library that `weft record` preloads. Each is one jump through a slot. At first all slots lead to a resolver:
 * it finds the MPI library's own functions, and, where the process is to be recorded, loads the library that records (src/mpi),
 * which puts its wrappers into the slots. So a process that never calls MPI pays for nothing: no stream, no libweft.
 *
 * The MPI library may have been loaded by dlopen() with names of its own (Python's mpi4py): what is not behind us in the global
 * order is looked for in the libraries that are mapped.
 */
#include "link/link_mpi.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((visibility("hidden"))) void *weft_preload_mpi_slot[LINK_MPI_CALLS];
__attribute__((visibility("hidden"))) void *weft_preload_mpi_resolve(unsigned call);

static const char *const mpi_name[LINK_MPI_CALLS] = {
#define MPI_CALL(name, n, kind) "MPI_" #name,
#include "link/link_mpi_calls.def"
#undef MPI_CALL
};
static void *mpi_real[LINK_MPI_CALLS];
static pthread_once_t mpi_once = PTHREAD_ONCE_INIT;

/* Arguments are integers and addresses, in registers and behind them on the stack, which stays as it is. */
#define STUB(name) \
	__asm__(".text\n" \
	        ".globl MPI_" #name "\n" \
	        ".type MPI_" #name ", @function\n" \
	        "MPI_" #name ":\n" \
	        "	mov weft_preload_mpi_slot+8*weft_mpi_number_" #name "(%rip), %rax\n" \
	        "	test %rax, %rax\n" \
	        "	jz 1f\n" \
	        "	jmp *%rax\n" \
	        "1:	push $weft_mpi_number_" #name "\n" \
	        "	jmp weft_preload_mpi_first\n" \
	        ".size MPI_" #name ", . - MPI_" #name "\n");

__asm__(".set weft_mpi_number, 0\n");
#define MPI_CALL(name, n, kind) \
	__asm__(".set weft_mpi_number_" #name ", weft_mpi_number\n" \
	        ".set weft_mpi_number, weft_mpi_number + 1\n"); \
	STUB(name)
#include "link/link_mpi_calls.def"
#undef MPI_CALL

__asm__(".text\n"
        ".type weft_preload_mpi_first, @function\n"
        "weft_preload_mpi_first:\n"
        "	push %rdi\n"
        "	push %rsi\n"
        "	push %rdx\n"
        "	push %rcx\n"
        "	push %r8\n"
        "	push %r9\n"
        "	mov 48(%rsp), %rdi\n"
        "	call weft_preload_mpi_resolve\n"
        "	pop %r9\n"
        "	pop %r8\n"
        "	pop %rcx\n"
        "	pop %rdx\n"
        "	pop %rsi\n"
        "	pop %rdi\n"
        "	add $8, %rsp\n"
        "	jmp *%rax\n"
        ".size weft_preload_mpi_first, . - weft_preload_mpi_first\n");

/* ---- the MPI library ---- */

static int is_mpi(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
	(void)size;
	if (strncmp(name, "libmpi.so", 9) && strncmp(name, "libmpich.so", 11))
		return 0;
	*(const char **)arg = info->dlpi_name;
	return 1;
}

static void *mpi_find(const char *name)
{
	const char *path = NULL;
	void *at = dlsym(RTLD_NEXT, name), *library;
	if (at || !dl_iterate_phdr(is_mpi, &path) || !(library = dlopen(path, RTLD_NOW | RTLD_NOLOAD)))
		return at;
	at = dlsym(library, name);
	dlclose(library);
	return at;
}

/* ---- the library that records: it lies beside this one ---- */

static void load_recorder(void)
{
	Dl_info me;
	char path[4200];
	const struct link_mpi with = {LINK_MPI_VERSION, LINK_MPI_CALLS, weft_preload_mpi_slot, mpi_real, mpi_find};
	const char *slash = dladdr((void *)load_recorder, &me) ? strrchr(me.dli_fname, '/') : NULL;
	if (!slash ||
	    snprintf(path, sizeof path, "%.*s/" LINK_MPI_LIBRARY, (int)(slash - me.dli_fname), me.dli_fname) >= (int)sizeof path)
		return;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *begin = library ? dlsym(library, LINK_MPI_BEGIN) : NULL;
	if (begin)
		(void)((link_mpi_begin *)begin)(&with);
}

static void mpi_begin(void)
{
	for (unsigned i = 0; i < LINK_MPI_CALLS; i++)
		mpi_real[i] = mpi_find(mpi_name[i]);
	const char *dir = secure_getenv("WEFT_DIR");
	if (dir && *dir)
		load_recorder();
	for (unsigned i = 0; i < LINK_MPI_CALLS; i++)
		if (!weft_preload_mpi_slot[i])
			__atomic_store_n(&weft_preload_mpi_slot[i], mpi_real[i], __ATOMIC_RELEASE);
}

void *weft_preload_mpi_resolve(unsigned call)
{
	pthread_once(&mpi_once, mpi_begin);
	void *to = __atomic_load_n(&weft_preload_mpi_slot[call], __ATOMIC_ACQUIRE);
	if (to)
		return to;
	/* As the dynamic linker would have said it. */
	dprintf(STDERR_FILENO, "weft: symbol lookup error: undefined symbol: %s\n", mpi_name[call]);
	_exit(127);
}
