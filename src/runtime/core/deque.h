/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker's own ready jobs: the deque of Chase and Lev (SPAA 2005), with the orders of Lê, Pop, Cohen and Zappa Nardelli
 * (PPoPP 2013). The owner pushes and pops at the bottom; any thread steals at the top. It grows, never shrinks; arrays that it
 * has grown out of are kept until the end, as a thief may still read them: together they are less than the last one.
 */
#ifndef WEFT_RUNTIME_DEQUE_H
#define WEFT_RUNTIME_DEQUE_H

#include "base/atomic.h"
#include "base/err.h"

struct rt_ring {
	struct rt_ring *older;
	uint64_t mask;
	struct weft_atomic_u32 at[];
};
struct rt_deque {
	_Alignas(64) struct weft_atomic_u64 top;
	_Alignas(64) struct weft_atomic_u64 bottom;
	struct weft_atomic_ptr ring;
};
int rt_deque_init(struct rt_deque *d) WEFT_MUST_CHECK;
void rt_deque_fini(struct rt_deque *d);
int rt_deque_push(struct rt_deque *d, uint32_t job) WEFT_MUST_CHECK; /* the owner; -ENOMEM: it is not in */
uint32_t rt_deque_pop(struct rt_deque *d);                           /* the owner; 0: it was empty */
uint32_t rt_deque_steal(struct rt_deque *d);                         /* anybody; 0: it was empty, or somebody else was faster */
/* The owner: the one that it will pop after so many others, or anything when there are not so many. */
static inline uint32_t rt_deque_glance(const struct rt_deque *d, unsigned others)
{
	const struct rt_ring *r = weft_load_relaxed_ptr(&d->ring); /* relaxed: ours, and only a hint */
	return weft_load_relaxed_u32(&r->at[(weft_load_relaxed_u64(&d->bottom) - 1 - others) & r->mask]);
}
/* About how many there are; anybody. */
static inline uint64_t rt_deque_size(const struct rt_deque *d)
{
	uint64_t t = weft_load_u64(&d->top), b = weft_load_u64(&d->bottom);
	return b > t && b - t < (UINT64_C(1) << 62) ? b - t : 0;
}

#endif
