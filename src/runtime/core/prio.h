/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ready jobs that have a priority other than the usual 0, the most urgent first and equals in the order in which they came. Any
 * thread puts and takes; a lock is held for an instant.
 *
 * An array of lists, one for each priority that occurs, the highest first: with few priorities all is at hand.
 */
#ifndef WEFT_RUNTIME_PRIO_H
#define WEFT_RUNTIME_PRIO_H

#include "job.h"

struct rt_prio_list {
	int32_t priority;
	uint32_t first, last; /* jobs, by next_free */
};
struct rt_prio {
	_Alignas(64) struct weft_atomic_bool lock;
	struct weft_atomic_u32 n_urgent, n_low; /* above 0, below 0; stored with the lock */
	struct rt_prio_list *list;              /* owned; with the lock */
	unsigned n, cap;
};
void rt_prio_fini(struct rt_prio *q);
int rt_prio_put(struct rt_prio *q, struct rt_job *j) WEFT_MUST_CHECK; /* 0 or -ENOMEM */
/* The most urgent of those above 0, or of those below; NULL: there is none. */
struct rt_job *rt_prio_take(struct rt_prio *q, bool urgent);

/* relaxed: a sleeper's membarrier orders it behind what was put, as in rt_work_came; others look again */
static inline bool rt_prio_any(const struct rt_prio *q, bool urgent)
{
	return weft_load_relaxed_u32(urgent ? &q->n_urgent : &q->n_low) != 0;
}

#endif
