/* SPDX-License-Identifier: Apache-2.0 */
/* The deque of Chase and Lev. `bottom` is one below `top` for an instant in pop: all comparisons are of signed differences. */
#include "deque.h"
#include <errno.h>
#include <stdlib.h>

enum { FIRST = 256 };

static struct rt_ring *ring_new(uint64_t n)
{
	struct rt_ring *r = aligned_alloc(64, (sizeof *r + n * sizeof r->at[0] + 63) / 64 * 64);
	if (!r)
		return NULL;
	*r = (struct rt_ring){NULL, n - 1};
	for (uint64_t i = 0; i < n; i++) /* relaxed: nobody else has it yet */
		weft_store_relaxed_u32(&r->at[i], 0);
	return r;
}

int rt_deque_init(struct rt_deque *d)
{
	struct rt_ring *r = ring_new(FIRST);
	weft_store_u64(&d->top, 1);
	weft_store_u64(&d->bottom, 1);
	weft_store_ptr(&d->ring, r);
	return r ? 0 : -ENOMEM;
}

void rt_deque_fini(struct rt_deque *d)
{
	for (struct rt_ring *r = weft_load_ptr(&d->ring), *older; r; r = older) {
		older = r->older;
		free(r);
	}
	weft_store_ptr(&d->ring, NULL);
}

static struct rt_ring *grow(struct rt_deque *d, struct rt_ring *from, uint64_t top, uint64_t bottom)
{
	struct rt_ring *to = ring_new(2 * (from->mask + 1));
	if (!to)
		return NULL;
	for (uint64_t i = top; i < bottom; i++) /* relaxed: a thief reads them through the ring that is stored behind */
		weft_store_relaxed_u32(&to->at[i & to->mask], weft_load_relaxed_u32(&from->at[i & from->mask]));
	to->older = from;
	weft_store_ptr(&d->ring, to);
	return to;
}

int rt_deque_push(struct rt_deque *d, uint32_t job)
{
	uint64_t b = weft_load_relaxed_u64(&d->bottom), t = weft_load_u64(&d->top); /* relaxed: bottom is ours */
	struct rt_ring *r = weft_load_relaxed_ptr(&d->ring);                        /* likewise */
	if (b - t > r->mask) {
		r = grow(d, r, t, b);
		if (!r)
			return -ENOMEM;
	}
	weft_store_relaxed_u32(&r->at[b & r->mask], job); /* relaxed: published by bottom */
	weft_store_u64(&d->bottom, b + 1);
	return 0;
}

uint32_t rt_deque_pop(struct rt_deque *d)
{
	uint64_t b = weft_load_relaxed_u64(&d->bottom) - 1;  /* relaxed: ours */
	struct rt_ring *r = weft_load_relaxed_ptr(&d->ring); /* likewise */
	if ((int64_t)(b - weft_load_relaxed_u64(&d->top)) < 0)
		return 0; /* top only grows: it is empty whatever top is by now */
	/* A store and a fence in one instruction. Partner: steal's fence; one of the two sees the other's index. */
	__atomic_exchange_n(&d->bottom.v, b, __ATOMIC_SEQ_CST);
	uint64_t t = __atomic_load_n(&d->top.v, __ATOMIC_SEQ_CST);
	uint32_t job = weft_load_relaxed_u32(&r->at[b & r->mask]); /* relaxed: we wrote it */
	if ((int64_t)(b - t) > 0)
		return job;
	if (b != t || !__atomic_compare_exchange_n(&d->top.v, &t, t + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		job = 0; /* a thief took the last one */
	weft_store_u64(&d->bottom, b + 1);
	return job;
}

uint32_t rt_deque_steal(struct rt_deque *d)
{
	uint64_t t = __atomic_load_n(&d->top.v, __ATOMIC_SEQ_CST);
	/* Partner: pop's exchange. */
	uint64_t b = __atomic_load_n(&d->bottom.v, __ATOMIC_SEQ_CST);
	if ((int64_t)(b - t) <= 0)
		return 0;
	struct rt_ring *r = weft_load_ptr(&d->ring);
	uint32_t job = weft_load_relaxed_u32(&r->at[t & r->mask]); /* relaxed: the exchange below decides whether it counts */
	uint64_t expect = t;
	return __atomic_compare_exchange_n(&d->top.v, &expect, t + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED) ? job : 0;
}
