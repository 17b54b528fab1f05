/* SPDX-License-Identifier: Apache-2.0 */
/* Work in parallel on the reading side: a call of fn(i) for each i in [0, n), by a few threads that take the next i. */
#ifndef WEFT_BASE_POOL_H
#define WEFT_BASE_POOL_H

#include "err.h"
#include <stddef.h>

/* CPUs that this process may use (affinity and cgroup quota), at least 1; WEFT_THREADS overrides. */
unsigned weft_pool_width(void);
/* CPUs that the cgroup's quota allows (versions 1 and 2), rounded up; 0: no quota. root: "", but in tests. */
unsigned weft_pool_quota(const char *root);

/*
 * Runs fn(arg, i, worker) for every i on up to `threads` threads (0: weft_pool_width()), the caller among them; worker is
 * in [0, threads). Returns 0, or the negative code of the lowest i that failed; after a failure no new i is begun.
 * All that fn wrote is visible to the caller afterwards. Loops may nest.
 */
int weft_parallel(unsigned threads, size_t n, int (*fn)(void *arg, size_t i, unsigned worker), void *arg) WEFT_MUST_CHECK;

#endif
