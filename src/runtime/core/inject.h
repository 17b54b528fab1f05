/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ready jobs on their way from a thread that submits to the workers: an unbounded queue with one producer; consumers take
 * batches, one of them at a time. The producer stores and goes on; it is never in the way of a consumer, nor a consumer in its.
 */
#ifndef WEFT_RUNTIME_INJECT_H
#define WEFT_RUNTIME_INJECT_H

#include "base/atomic.h"
#include "base/err.h"
#include <errno.h>

enum { RT_CHUNK = 1020 };
struct rt_chunk {
	struct weft_atomic_ptr next;
	uint64_t unused;
	uint32_t at[RT_CHUNK];
};
struct rt_inject {
	/* the producer's */
	_Alignas(64) struct weft_atomic_u64 pushed;
	struct rt_chunk *tail;
	uint32_t room; /* left in the tail */
	/* the consumers', but for looking */
	_Alignas(64) struct weft_atomic_u64 taken;
	struct weft_atomic_bool lock;
	struct rt_chunk *head;
	uint32_t at;
	struct weft_atomic_ptr spare; /* a chunk that is empty again */
};
int rt_inject_init(struct rt_inject *q) WEFT_MUST_CHECK;
void rt_inject_fini(struct rt_inject *q);
int rt_inject_grow(struct rt_inject *q) WEFT_MUST_CHECK;
/* The producer. -ENOMEM: it is not in. */
static inline int rt_inject_push(struct rt_inject *q, uint32_t job)
{
	if (WEFT_UNLIKELY(!q->room) && rt_inject_grow(q))
		return -ENOMEM;
	q->tail->at[RT_CHUNK - q->room--] = job;
	weft_store_u64(&q->pushed, weft_load_relaxed_u64(&q->pushed) + 1); /* relaxed: only we store it */
	return 0;
}
/* Anybody: up to `most`, and a fair part (1/share) of what there is; how many. 0 also when another consumer is at it. */
unsigned rt_inject_take(struct rt_inject *q, uint32_t *job, unsigned most, unsigned share);
static inline uint64_t rt_inject_count(const struct rt_inject *q)
{
	uint64_t taken = weft_load_u64(&q->taken); /* first: there are not fewer pushed */
	return weft_load_u64(&q->pushed) - taken;
}
static inline bool rt_inject_any(const struct rt_inject *q)
{
	return rt_inject_count(q) != 0;
}

#endif
