/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of records between one thread of the observed process and the controller, in shared memory.
 *
 *     | head: written | read ... | level 0 | level 1: twice as many words | level 2 ...            |
 *
 * A record is a head word, the time in ticks, and its attributes; it never wraps: a PAD record fills what is left at the end.
 * `written` and `read` count words from the beginning of time and only grow; their places are modulo the size of the level that is in use. The
 * producer alone stores `written` (release, after the record), the consumer alone `read` (release, after it has copied).
 *
 * A ring that is full grows: the producer goes on in the next level, which begins at `from`, and the consumer follows when it has come there. So
 * memory is taken by threads whose events come faster than they are read, and by no others. When the last level is full, a record is dropped and
 * counted; or, where the controller has asked for it, the producer waits until half of the ring is empty, which is the observed program that
 * waits: a second at most, and not again before something has been read.
 *
 * What was dropped stands in the ring as a LOST record, at its place: behind all that was before it, in front of all that came later. It
 * says how many records of this ring have been dropped in all, so that none is counted twice, nor by a controller that came later.
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
	LINK_REC_LOST, /* words 2, 3: how many records the ring has dropped in all so far; the time of the last of them (word 1: of the first) */
	LINK_RECS
};

enum link_record_flag {
	LINK_REC_INCOMPLETE = 1, /* an attribute could not be read, and is 0 */
	LINK_REC_LEFT = 2,       /* LEAVE: by no return; what its results would be is 0 */
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
static inline unsigned link_rec_flags(uint64_t head)
{
	return head >> 16 & 0xff;
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

enum link_when_full { LINK_FULL_DROP, LINK_FULL_WAIT };

#define LINK_RING_LEVELS 8u
#define LINK_RING_LEAST 8192u /* words of the first level, where there is room for more of them */

struct link_ring {
	_Alignas(WEFT_CACHE_LINE) struct weft_atomic_u64 written;
	struct weft_atomic_u64 dropped;               /* the producer's */
	struct weft_atomic_u64 lost_first, lost_last; /* when, of those that no LOST record says yet */
	struct weft_atomic_u32 n_rings;               /* in the first ring: how many were ever used */
	struct weft_atomic_u32 blocks;                /* in the first ring: enum link_blocks */
	struct weft_atomic_u32 entering, entered; /* in the first ring: threads that have begun, and ended, to block SIGTRAP */
	struct weft_atomic_u32 when_full;         /* in the first ring: enum link_when_full */
	struct weft_atomic_u32 waits;             /* futex: the producer waits for room */
	struct weft_atomic_u64 elsewhere;         /* in the first ring: events of threads that have no ring */
	struct weft_atomic_u64 from[LINK_RING_LEVELS]; /* position from which on level k is in use, and 1 more; 0: not yet */
	_Alignas(WEFT_CACHE_LINE) struct weft_atomic_u64 read;
	struct weft_atomic_u32 level; /* the consumer's */
	_Alignas(WEFT_CACHE_LINE) uint64_t word[];
};

/* Levels of a ring of so many bytes in all: how many, and words of the first; the others double. */
struct link_levels {
	uint32_t n, first;
};
static inline struct link_levels link_ring_levels(uint32_t bytes)
{
	uint32_t room = (bytes - (uint32_t)sizeof(struct link_ring)) / 8;
	struct link_levels l = {1, LINK_RING_LEAST};
	while (l.first > room)
		l.first /= 2;
	while (l.n < LINK_RING_LEVELS && (uint64_t)l.first * ((2u << l.n) - 1) <= room)
		l.n++;
	return l;
}
static inline uint32_t link_ring_base(struct link_levels l, uint32_t level)
{
	return l.first * ((1u << level) - 1);
}

/* The producer's side, kept in memory of its own. */
struct link_producer {
	struct link_ring *ring;
	uint64_t written, read; /* read: as last seen, or where the level begins */
	uint64_t told;          /* of ring->dropped, by LOST records */
	uint32_t base, mask;    /* of the level */
	uint32_t level;
	struct link_levels levels;
};

static inline void link_producer_level(struct link_producer *p, uint32_t level)
{
	p->level = level;
	p->base = link_ring_base(p->levels, level);
	p->mask = (p->levels.first << level) - 1;
}

/* Goes on where an earlier producer of the ring has ended; of zeroed memory, at its beginning. */
static inline void link_producer_begin(struct link_producer *p, struct link_ring *ring, uint32_t bytes)
{
	uint32_t level = 0;
	p->levels = link_ring_levels(bytes);
	while (level + 1 < p->levels.n && weft_load_u64(&ring->from[level + 1]))
		level++;
	link_producer_level(p, level);
	p->written = weft_load_u64(&ring->written);
	uint64_t from = level ? weft_load_u64(&ring->from[level]) - 1 : 0, read = weft_load_u64(&ring->read);
	p->read = read < from ? from : read;
	p->told = 0; /* a LOST record more does no harm */
	p->ring = ring;
}

/* ---- link_ring.c, for the producer ---- */

/* Whether there is room for `need` words by now, perhaps in a larger level. */
bool link_ring_room(struct link_producer *p, unsigned n);

/* Where a record of n words may be written, or NULL: full. Nothing is visible before link_ring_publish(n). */
static inline uint64_t *link_ring_reserve(struct link_producer *p, unsigned n)
{
	uint32_t at = (uint32_t)p->written & p->mask, left = p->mask + 1 - at;
	unsigned need = n <= left ? n : n + left;
	if (WEFT_UNLIKELY(p->written + need - p->read > p->mask + 1u)) {
		if (!link_ring_room(p, n))
			return NULL;
		at = (uint32_t)p->written & p->mask;
		left = p->mask + 1 - at;
	}
	if (WEFT_LIKELY(n <= left))
		return &p->ring->word[p->base + at];
	/* A pad may be longer than a record: its length is what is left, whatever its head says. */
	p->ring->word[p->base + at] = link_rec_head(0, LINK_REC_PAD, 0, 0);
	p->written += left;
	return &p->ring->word[p->base];
}

static inline void link_ring_publish(struct link_producer *p, unsigned n)
{
	p->written += n;
	weft_store_u64(&p->ring->written, p->written);
}

/* One record could not be written; at: its time. */
void link_ring_drop(struct link_producer *p, uint64_t at);
static inline bool link_ring_has_lost(const struct link_producer *p)
{
	/* Relaxed: this thread, and its handlers, alone store it. */
	return WEFT_UNLIKELY(weft_load_relaxed_u64(&p->ring->dropped) != p->told);
}
/* Writes the LOST record that is due; false: there is no room for it. */
bool link_ring_tell_lost(struct link_producer *p);

/*
 * Waits for room, where the controller (`first`: the first ring) wants that; true: it is worth trying again. *gave_up: the producer's, 0 at the
 * beginning. Async-signal-safe, without libc.
 */
bool link_ring_wait(struct link_producer *p, const struct link_ring *first, uint64_t *gave_up);

/* ---- link_ring.c ---- */

/* For the consumer. One record, copied: its words, LINK_REC_WORDS at most. False: there is none. *lost grows by 1 when the ring had to be begun anew. */
bool link_ring_take(struct link_ring *r, uint32_t bytes, uint64_t *out, uint64_t *lost);
/* All that is in it is nobody's. Not while a producer waits. */
void link_ring_forget(struct link_ring *r, uint32_t bytes);

#endif
