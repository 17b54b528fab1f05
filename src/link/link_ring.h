/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of records between one thread of the observed process and the controller, in shared memory.
 *
 *     | head: written | read ... | word 0 | word 1 | ...             | word n - 1 |
 *
 * A record is a head word, the time in ticks, and its attributes; it never wraps: a PAD record fills what is left at the end.
 * `written` and `read` count words from the beginning of time and only grow; their places are modulo the ring's size. The producer alone
 * stores `written` (release, after the record), the consumer alone `read` (release, after it has copied). Neither ever waits: a record
 * that does not fit is dropped by the producer, and counted.
 *
 * The consumer believes nothing: positions, sizes and kinds are checked, and a ring that makes no sense is begun anew at `written`.
 * Model: Lamport's single-producer single-consumer queue, with cached positions.
 */
#ifndef WEFT_LINK_RING_H
#define WEFT_LINK_RING_H

#include "base/atomic.h"
#include <stddef.h>

enum link_record {
	LINK_REC_PAD = 1,
	LINK_REC_THREAD, /* from here on the ring is this thread's: word 2 is its tid */
	LINK_REC_ENTER,
	LINK_REC_LEAVE,
	LINK_RECS
};

/* words | kind << 8 | flags << 16 | site << 32 */
static inline uint64_t link_rec_head(unsigned words, unsigned kind, unsigned flags, uint32_t site)
{
	return words | (uint64_t)kind << 8 | (uint64_t)flags << 16 | (uint64_t)site << 32;
}
static inline unsigned link_rec_words(uint64_t head)
{
	return head & 0xff;
}
static inline unsigned link_rec_kind(uint64_t head)
{
	return head >> 8 & 0xff;
}
static inline uint32_t link_rec_site(uint64_t head)
{
	return (uint32_t)(head >> 32);
}
/* What the program was seen to do with SIGTRAP. */
enum link_blocks {
	LINK_BLOCKS_THREADS = 1, /* threads have blocked it, and may do so now */
};

#define LINK_REC_WORDS 64u /* the most in one record */

struct link_ring {
	_Alignas(WEFT_CACHE_LINE) struct weft_atomic_u64 written;
	struct weft_atomic_u64 dropped;           /* the producer's */
	struct weft_atomic_u32 n_rings;           /* in the first ring: how many were ever used */
	struct weft_atomic_u32 blocks;            /* in the first ring: enum link_blocks */
	struct weft_atomic_u32 entering, entered; /* in the first ring: threads that have begun, and ended, to block SIGTRAP */
	_Alignas(WEFT_CACHE_LINE) struct weft_atomic_u64 read;
	_Alignas(WEFT_CACHE_LINE) uint64_t word[];
};

/* The greatest power of two that fits into a ring of so many bytes in all. */
static inline uint32_t link_ring_words(uint32_t bytes)
{
	uint32_t n = (bytes - (uint32_t)sizeof(struct link_ring)) / 8;
	while (n & (n - 1))
		n &= n - 1;
	return n;
}

/* The producer's side, kept in memory of its own. */
struct link_producer {
	struct link_ring *ring;
	uint64_t written, read; /* read: as last seen */
	uint32_t mask;
};

/* Where a record of n words may be written, or NULL: full. Nothing is visible before link_ring_publish(n). */
static inline uint64_t *link_ring_reserve(struct link_producer *p, unsigned n)
{
	uint32_t at = (uint32_t)p->written & p->mask, left = p->mask + 1 - at;
	unsigned need = n <= left ? n : n + left;
	if (WEFT_UNLIKELY(p->written + need - p->read > p->mask + 1u)) {
		p->read = weft_load_u64(&p->ring->read);
		if (p->written + need - p->read > p->mask + 1u || p->read > p->written)
			return NULL;
	}
	if (WEFT_LIKELY(n <= left))
		return &p->ring->word[at];
	/* A pad may be longer than a record: its length is what is left, whatever its head says. */
	p->ring->word[at] = link_rec_head(0, LINK_REC_PAD, 0, 0);
	p->written += left;
	return &p->ring->word[0];
}

static inline void link_ring_publish(struct link_producer *p, unsigned n)
{
	p->written += n;
	weft_store_u64(&p->ring->written, p->written);
}

/* ---- link_ring.c ---- */

/* One record, copied: its words, LINK_REC_WORDS at most. False: there is none. *lost grows by 1 when the ring had to be begun anew. */
bool link_ring_take(struct link_ring *r, uint32_t bytes, uint64_t *out, uint64_t *lost);

#endif
