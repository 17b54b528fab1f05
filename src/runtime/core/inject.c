/* SPDX-License-Identifier: Apache-2.0 */
/* The queue is a list of chunks. A chunk that was read to its end goes to `spare`, where the producer finds it again. */
#include "inject.h"
#include <stdlib.h>

static struct rt_chunk *chunk_new(void)
{
	struct rt_chunk *c = malloc(sizeof *c);
	if (c)
		weft_store_ptr(&c->next, NULL);
	return c;
}

int rt_inject_init(struct rt_inject *q)
{
	*q = (struct rt_inject){0};
	q->head = q->tail = chunk_new();
	q->room = q->tail ? RT_CHUNK : 0;
	return q->tail ? 0 : -ENOMEM;
}

void rt_inject_fini(struct rt_inject *q)
{
	for (struct rt_chunk *c = q->head, *next; c; c = next) {
		next = weft_load_ptr(&c->next);
		free(c);
	}
	free(weft_load_ptr(&q->spare));
	*q = (struct rt_inject){0};
}

int rt_inject_grow(struct rt_inject *q)
{
	struct rt_chunk *c = weft_swap_ptr(&q->spare, NULL);
	c = c ? c : chunk_new();
	if (!c)
		return -ENOMEM;
	weft_store_ptr(&c->next, NULL);
	weft_store_ptr(&q->tail->next, c);
	q->tail = c;
	q->room = RT_CHUNK;
	return 0;
}

/* Of the consumer that holds the lock: the head is read to its end, and something stands behind it. */
static void next_chunk(struct rt_inject *q)
{
	struct rt_chunk *done = q->head;
	q->head = weft_load_ptr(&done->next);
	q->at = 0;
	free(weft_swap_ptr(&q->spare, done));
}

unsigned rt_inject_take(struct rt_inject *q, uint32_t *job, unsigned most, unsigned share)
{
	if (!rt_inject_any(q) || weft_swap_bool(&q->lock, true))
		return 0;
	uint64_t taken = weft_load_relaxed_u64(&q->taken); /* relaxed: under the lock */
	uint64_t there = weft_load_u64(&q->pushed) - taken;
	uint64_t fair = (there + share - 1) / share;
	unsigned n = fair > most ? most : (unsigned)fair;
	for (unsigned i = 0; i < n; i++) {
		if (q->at == RT_CHUNK)
			next_chunk(q);
		job[i] = q->head->at[q->at++];
	}
	weft_store_u64(&q->taken, taken + n);
	weft_store_bool(&q->lock, false);
	return n;
}
