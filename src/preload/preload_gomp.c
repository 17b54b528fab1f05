/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of GCC's OpenMP runtime, all that compiled programs call. Locks are called alike in other runtimes, and are the first runtime's in
 * the order in which the program was linked.
 */
#include "link/link_openmp.h"
#include "preload_calls.h"
#include <dlfcn.h>

static const char gomp_call[] =
#define GOMP_CALL(name) #name "\0"
#include "link/link_gomp_calls.def"
#undef GOMP_CALL
	;

PRELOAD_ARRAYS(gomp, LINK_GOMP_CALLS)
PRELOAD_BEGIN(gomp)
#define GOMP_CALL(name) PRELOAD_STUB(gomp, name)
#include "link/link_gomp_calls.def"
#undef GOMP_CALL

/* Locks have two forms under one name; compilers of the last fifteen years mean the later. */
static void *gomp_find(const char *name)
{
	static const char *const files[] = {"libgomp.so", NULL};
	void *at = dlvsym(RTLD_NEXT, name, "OMP_3.0");
	return at ? at : preload_find(files, name);
}

static void gomp_fill(void);
static const char *const gomp_names[] = {"openmp", NULL};
static struct preload_runtime gomp = {
	.names = gomp_names,
	.on = true,
	.library = LINK_OPENMP_LIBRARY,
	.begin = LINK_GOMP_BEGIN,
	.find = gomp_find,
	.fill = gomp_fill,
	.n_calls = LINK_GOMP_CALLS,
	.call = gomp_call,
	.slot = weft_preload_gomp_slot,
	.real = gomp_real,
	.once = PTHREAD_ONCE_INIT,
};
PRELOAD_RESOLVER(gomp, gomp)
