/* SPDX-License-Identifier: Apache-2.0 */
/* What the files share that stand in for functions of GCC's runtime. */
#ifndef WEFT_GOMP_PRIV_H
#define WEFT_GOMP_PRIV_H

#include "openmp_priv.h"

/* One function of ours, and whose place it takes. */
struct gomp_wrap {
	unsigned call; /* enum link_gomp_call */
	void *with;
};
#define GOMP_WRAP(name) \
	{ \
		LINK_##name, (void *)wrap_##name \
	}
#define GOMP_END \
	{ \
		LINK_GOMP_CALLS, NULL \
	}
extern const struct gomp_wrap gomp_regions[], gomp_loops[], gomp_ull_loops[], gomp_sync[], gomp_tasks[], gomp_locks[];
extern const struct gomp_wrap ompt_tests[]; /* where the locks are another runtime's */

extern void *const *gomp_real;
#define GOMP_REAL(name, type) ((type)gomp_real[LINK_##name])

typedef void gomp_function(void *);

/* OMP_CANCELLATION is set. */
extern bool gomp_can_cancel;

#endif
