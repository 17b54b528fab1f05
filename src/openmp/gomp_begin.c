/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The begin of what stands in for GCC's runtime. A program of GCC's may run on LLVM's, which has functions of the same names: its tool
 * interface tells of them, and they are left alone.
 */
#include "gomp_priv.h"
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

__attribute__((visibility("default"))) link_calls_begin weft_gomp_begin;
void *const *gomp_real;
bool gomp_can_cancel;

static bool is_gcc(const void *function)
{
	Dl_info is;
	if (!function || !dladdr(function, &is) || !is.dli_fname)
		return false;
	const char *slash = strrchr(is.dli_fname, '/');
	return strncmp(slash ? slash + 1 : is.dli_fname, "libgomp.so", 10) == 0;
}

int weft_gomp_begin(const struct link_calls *with)
{
	static const struct gomp_wrap *const all[] = {gomp_regions, gomp_loops, gomp_ull_loops,
	                                              gomp_sync,    gomp_tasks, gomp_locks};
	if (with->version != LINK_CALLS_VERSION || with->n_calls != LINK_GOMP_CALLS)
		return -EPROTO;
	if (!openmp_begin())
		return 0;
	gomp_real = with->real;
	int (*cancellation)(void);
	void *at = with->find("omp_get_cancellation");
	memcpy(&cancellation, &at, sizeof cancellation);
	gomp_can_cancel = at && cancellation();
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (const struct gomp_wrap *w = all[i]; w->with; w++)
			if (is_gcc(with->real[w->call]))
				__atomic_store_n(&with->slot[w->call], w->with, __ATOMIC_RELEASE);
	for (const struct gomp_wrap *w = ompt_tests; w->with; w++)
		if (with->real[w->call] && !is_gcc(with->real[w->call]))
			__atomic_store_n(&with->slot[w->call], w->with, __ATOMIC_RELEASE);
	return 0;
}
