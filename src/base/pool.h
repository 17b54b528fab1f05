/* SPDX-License-Identifier: Apache-2.0 */
/* Work in parallel on the reading side: a call of fn(i) for each i in [0, n), by a few threads that take the next i. */
#ifndef WEFT_BASE_POOL_H
#define WEFT_BASE_POOL_H

#include "err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CPUs that this process may use (affinity and cgroup quota), at least 1; WEFT_THREADS overrides. */
unsigned weft_pool_width(void);
/* CPUs that the cgroup's quota allows (versions 1 and 2), rounded up; 0: no quota. root: "", but in tests. */
unsigned weft_pool_quota(const char *root);

/*
 * Runs fn(arg, i, worker) for every i on up to `threads` threads (0: weft_pool_width()), the caller among them; worker is
 * in [0, threads). Returns 0, or the negative code of the lowest i that failed; after a failure no new i is begun.
 * Where the calling thread's work may be given up (below) it looks before each i, and ends with -ECANCELED.
 * All that fn wrote is visible to the caller afterwards. Loops may nest.
 */
int weft_parallel(unsigned threads, size_t n, int (*fn)(void *arg, size_t i, unsigned worker), void *arg) WEFT_MUST_CHECK;
/*
 * The same in rounds, by the same threads. begin(arg) says how many parts the next round has (0: there is none; negative: the
 * result of all); one thread calls it while the others wait, and all see what it wrote. After a round that failed it is not
 * called.
 */
int weft_parallel_rounds(unsigned threads, int64_t (*begin)(void *arg), int (*fn)(void *arg, size_t i, unsigned worker),
                         void *arg) WEFT_MUST_CHECK;

/* -- work that nobody waits for any more -- */

/*
 * A thread says how that is found out; parallel loops that it begins, and whoever walks over events, look now and
 * then, and end with -ECANCELED. So what computes for long needs no argument for it.
 */
struct weft_stop {
	bool (*asked)(void *arg); /* from any thread of the work; true from then on */
	void *arg;
};
/* For what this thread does from now on, and the loops that it begins; borrowed; NULL: nothing ends it. Returns what it was. */
const struct weft_stop *weft_stop_set(const struct weft_stop *stop);
const struct weft_stop *weft_stop_get(void);
/* Should this thread give up? */
bool weft_stop_now(void);
/* The same, looking every 32nd time: for loops whose steps take some microseconds. */
bool weft_stop_soon(void);

#endif
