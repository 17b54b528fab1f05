/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who wakes whom: the threads that wait on a condition variable or a semaphore, in the order in which they came, in lists by address.
 * A wake marks the first that is not marked yet, with a key; its arrow begins there. Who returns takes its key, or, when the kernel chose another than
 * the first, that of the first marked, who is then unmarked. Timed out with a mark: the arrow has no end, as the wake had no effect. Likewise
 * who meets at a barrier, of whom the last wakes the others; and who waits for a lock.
 */
#include "calls_priv.h"
#include <sys/mman.h>

enum { BUCKETS = 64, ROOM = 4096 };
struct calls_waiter {
	struct calls_waiter *next;
	const void *at;
	uint64_t key; /* 0: not woken yet */
};
static struct bucket {
	struct weft_atomic_u32 lock, n;
	struct calls_waiter *first, *last, *spare;
} buckets[BUCKETS] __attribute__((aligned(64)));
static struct weft_atomic_u64 keys;

static struct bucket *bucket_of(const void *at)
{
	return &buckets[((uintptr_t)at >> 4 ^ (uintptr_t)at >> 10) % BUCKETS];
}

static struct calls_waiter *waiter_new(struct bucket *b)
{
	if (!b->spare) {
		struct calls_waiter *more = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (more == MAP_FAILED)
			return NULL;
		for (unsigned i = 0; i < ROOM / sizeof *more; i++) {
			more[i].next = b->spare;
			b->spare = &more[i];
		}
	}
	struct calls_waiter *w = b->spare;
	b->spare = w->next;
	return w;
}

static struct calls_waiter *waiter_add(struct bucket *b, const void *at)
{
	struct calls_waiter *w = waiter_new(b);
	if (!w)
		return NULL;
	*w = (struct calls_waiter){NULL, at, 0};
	if (b->first)
		b->last->next = w;
	else
		b->first = w;
	b->last = w;
	weft_add_u32(&b->n, 1);
	return w;
}

struct calls_waiter *calls_wake_expect(const void *at)
{
	struct bucket *b = bucket_of(at);
	int error = errno;
	if (!calls_lock(&b->lock))
		return NULL;
	struct calls_waiter *w = waiter_add(b, at);
	calls_unlock(&b->lock);
	errno = error;
	return w;
}

/* Each that is not marked yet, or the first of them. */
static void mark(struct bucket *b, const void *at, weft_flow by, bool all)
{
	for (struct calls_waiter *w = b->first; w; w = w->next) {
		if (w->at != at || w->key)
			continue;
		w->key = weft_add_u64(&keys, 1) + 1;
		weft_flow_out(by, w->key);
		if (!all)
			break;
	}
}

void calls_wake(const void *at, weft_flow by, bool all)
{
	struct bucket *b = bucket_of(at);
	if (weft_load_u32(&b->n) == 0 || !calls_lock(&b->lock))
		return;
	mark(b, at, by, all);
	calls_unlock(&b->lock);
}

/* Who is marked goes, and is late. */
static unsigned count_unmarked(const struct bucket *b, const void *at)
{
	unsigned n = 0;
	for (const struct calls_waiter *w = b->first; w; w = w->next)
		n += w->at == at && !w->key;
	return n;
}

struct calls_waiter *calls_wake_meet(const void *at, unsigned n)
{
	struct bucket *b = bucket_of(at);
	int error = errno;
	if (!calls_lock(&b->lock))
		return NULL;
	struct calls_waiter *w = NULL;
	if (count_unmarked(b, at) + 1 == n)
		mark(b, at, calls_def.opened, true);
	else
		w = waiter_add(b, at);
	calls_unlock(&b->lock);
	errno = error;
	return w;
}

static uint64_t take_key(struct bucket *b, struct calls_waiter *w)
{
	struct calls_waiter *from = w;
	if (!w->key)
		for (from = b->first; from && !(from->at == w->at && from->key); from = from->next)
			;
	if (!from)
		return 0;
	uint64_t key = from->key;
	from->key = 0;
	return key;
}

static void take_out(struct bucket *b, struct calls_waiter *w)
{
	struct calls_waiter **at = &b->first, *before = NULL;
	while (*at && *at != w) {
		before = *at;
		at = &before->next;
	}
	if (!*at)
		return; /* forked meanwhile */
	*at = w->next;
	if (b->last == w)
		b->last = before;
	weft_add_u32(&b->n, UINT32_MAX);
	w->next = b->spare;
	b->spare = w;
}

uint64_t calls_wake_done(const void *at, struct calls_waiter *w, bool woken)
{
	struct bucket *b = bucket_of(at);
	uint64_t key = 0;
	if (!w || !calls_lock(&b->lock))
		return 0;
	if (woken)
		key = take_key(b, w);
	take_out(b, w);
	calls_unlock(&b->lock);
	return key;
}

void calls_wake_forked(void)
{
	for (unsigned i = 0; i < BUCKETS; i++)
		buckets[i] = (struct bucket){0};
}
