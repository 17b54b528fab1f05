/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of LLVM's OpenMP runtime that say what its tool interface leaves out. The rest comes by that interface: through OMP_TOOL_LIBRARIES,
 * which `weft record` sets.
 */
#include "link/link_openmp.h"
#include "preload_calls.h"

static const char kmpc_call[] =
#define KMPC_CALL(name) #name "\0"
#include "link/link_kmpc_calls.def"
#undef KMPC_CALL
	;

PRELOAD_ARRAYS(kmpc, LINK_KMPC_CALLS)
PRELOAD_BEGIN(kmpc)
#define KMPC_CALL(name) PRELOAD_STUB(kmpc, name)
#include "link/link_kmpc_calls.def"
#undef KMPC_CALL

static void *kmpc_find(const char *name)
{
	static const char *const files[] = {"libomp.so", "libiomp5.so", NULL};
	return preload_find(files, name);
}

static void kmpc_fill(void);
static const char *const kmpc_names[] = {"openmp", NULL};
static struct preload_runtime kmpc = {
	.names = kmpc_names,
	.on = true,
	.library = LINK_OPENMP_LIBRARY,
	.begin = LINK_KMPC_BEGIN,
	.find = kmpc_find,
	.fill = kmpc_fill,
	.n_calls = LINK_KMPC_CALLS,
	.call = kmpc_call,
	.slot = weft_preload_kmpc_slot,
	.real = kmpc_real,
	.once = PTHREAD_ONCE_INIT,
};
PRELOAD_RESOLVER(kmpc, kmpc)
