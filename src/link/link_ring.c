/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The consumer's side of a ring, and what the producer seldom does. The producer lives in another process, whose memory may be overwritten by its
 * program: the consumer reads each number once, checks it, and uses it as it was checked. What the producer does here may stand in a signal handler, and
 * must not touch libc (src/agent).
 */
#if defined __GNUC__ && !defined __clang__ && defined __x86_64__
#pragma GCC target("general-regs-only")
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif
#include "link_ring.h"
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#define WAIT_SLICE_NS 10000000 /* a wake-up that was missed costs no more */
#define WAIT_MOST_SLICES 100

static long futex(struct weft_atomic_u32 *at, int what, uint32_t value, const struct timespec *most)
{
#if defined __x86_64__
	long result;
	register const struct timespec *timeout __asm__("r10") = most;
	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "0"((long)SYS_futex), "D"(at), "S"((long)what), "d"((long)value), "r"(timeout)
	                 : "rcx", "r11", "memory");
	return result;
#else
	(void)at, (void)what, (void)value, (void)most;
	return -ENOSYS;
#endif
}

/* ---- the producer ---- */

static bool has_room(const struct link_producer *p, unsigned n)
{
	uint32_t at = (uint32_t)p->written & p->mask, left = p->mask + 1 - at;
	unsigned need = n <= left ? n : n + left;
	return p->written >= p->read && p->written + need - p->read <= p->mask + 1u;
}

bool link_ring_room(struct link_producer *p, unsigned n)
{
	uint64_t read = weft_load_u64(&p->ring->read);
	if (read > p->read)
		p->read = read;
	if (has_room(p, n))
		return true;
	if (p->level + 1 >= p->levels.n)
		return false;
	/* Before the first record that stands there is published. */
	weft_store_u64(&p->ring->from[p->level + 1], p->written + 1);
	link_producer_level(p, p->level + 1);
	p->read = p->written;
	return has_room(p, n);
}

void link_ring_drop(struct link_producer *p, uint64_t at)
{
	struct link_ring *r = p->ring;
	if (weft_load_relaxed_u64(&r->lost_first) == 0) /* relaxed: this thread's own */
		weft_store_u64(&r->lost_first, at);
	weft_store_u64(&r->lost_last, at);
	weft_add_u64(&r->dropped, 1);
}

bool link_ring_tell_lost(struct link_producer *p)
{
	struct link_ring *r = p->ring;
	uint64_t *to = link_ring_reserve(p, 4), dropped = weft_load_u64(&r->dropped);
	if (!to)
		return false;
	to[0] = link_rec_head(4, LINK_REC_LOST, 0, 0);
	to[1] = weft_swap_u64(&r->lost_first, 0);
	to[2] = dropped;
	to[3] = weft_load_u64(&r->lost_last);
	link_ring_publish(p, 4);
	p->told = dropped;
	return true;
}

static bool half_is_free(const struct link_producer *p)
{
	uint64_t read = weft_load_u64(&p->ring->read);
	return p->written - (read < p->read ? p->read : read) <= (p->mask + 1) / 2;
}

bool link_ring_wait(struct link_producer *p, const struct link_ring *first, uint64_t *gave_up)
{
	const struct timespec slice = {0, WAIT_SLICE_NS};
	struct link_ring *r = p->ring;
	if (weft_load_u32(&first->when_full) != LINK_FULL_WAIT || *gave_up == weft_load_u64(&r->read) + 1)
		return false;
	for (int k = 0; k < WAIT_MOST_SLICES && weft_load_u32(&first->when_full) == LINK_FULL_WAIT; k++) {
		weft_store_u32(&r->waits, 1);
		/* Partner of the fence in ring_wake: either it sees that we wait, or we that it has read. */
		weft_fence_seq_cst();
		if (half_is_free(p)) {
			weft_store_u32(&r->waits, 0);
			*gave_up = 0;
			return true;
		}
		futex(&r->waits, FUTEX_WAIT, 1, &slice);
	}
	weft_store_u32(&r->waits, 0);
	*gave_up = weft_load_u64(&r->read) + 1;
	return false;
}

/* ---- the consumer ---- */

static uint32_t ring_last_level(const struct link_ring *r, uint32_t n)
{
	uint32_t level = 0;
	while (level + 1 < n && weft_load_u64(&r->from[level + 1]))
		level++;
	return level;
}

static void ring_wake(struct link_ring *r)
{
	weft_fence_seq_cst();
	if (weft_load_u32(&r->waits) && weft_swap_u32(&r->waits, 0))
		futex(&r->waits, FUTEX_WAKE, 1, NULL);
}

static void ring_read(struct link_ring *r, uint64_t read, uint64_t written, uint32_t n)
{
	weft_store_u64(&r->read, read);
	/* Relaxed: a hint; the fence and the look that count are in ring_wake. */
	if (WEFT_UNLIKELY(weft_load_relaxed_u32(&r->waits) != 0) && (read == written || written - read <= n / 2))
		ring_wake(r);
}

static bool ring_begin_anew(struct link_ring *r, uint64_t written, uint32_t levels, uint64_t *lost)
{
	weft_store_u32(&r->level, ring_last_level(r, levels));
	ring_read(r, written, written, 2);
	++*lost;
	return false;
}

void link_ring_forget(struct link_ring *r, uint32_t bytes)
{
	weft_store_u32(&r->level, ring_last_level(r, link_ring_levels(bytes).n));
	weft_store_u64(&r->read, weft_load_u64(&r->written));
	weft_store_u64(&r->dropped, 0);
	weft_store_u64(&r->lost_first, 0);
}

bool link_ring_take(struct link_ring *r, uint32_t bytes, uint64_t *out, uint64_t *lost)
{
	const struct link_levels l = link_ring_levels(bytes);
	for (;;) {
		/* Relaxed, both: stored by this side only. */
		uint64_t read = weft_load_relaxed_u64(&r->read), written = weft_load_u64(&r->written), until = written;
		uint32_t level = weft_load_relaxed_u32(&r->level) % LINK_RING_LEVELS;
		if (read == written)
			return false;
		uint64_t next = level + 1 < l.n ? weft_load_u64(&r->from[level + 1]) : 0;
		if (next && read == next - 1) {
			weft_store_u32(&r->level, level + 1);
			continue;
		}
		if (next && next - 1 > read && next - 1 < until)
			until = next - 1;
		uint32_t n = l.first << level, at = (uint32_t)read & (n - 1), left = n - at;
		if (level >= l.n || until < read || until - read > n)
			return ring_begin_anew(r, written, l.n, lost);
		volatile uint64_t *word = &r->word[link_ring_base(l, level)];
		uint64_t head = word[at];
		unsigned words = link_rec_words(head), kind = link_rec_kind(head);
		if (kind == LINK_REC_PAD && until - read >= left) {
			ring_read(r, read + left, written, n);
			continue;
		}
		if (kind <= LINK_REC_PAD || kind >= LINK_RECS || words < 2 || words > LINK_REC_WORDS || words > left ||
		    words > until - read)
			return ring_begin_anew(r, written, l.n, lost);
		for (unsigned k = 1; k < words; k++)
			out[k] = word[at + k];
		out[0] = head;
		ring_read(r, read + words, written, n);
		return true;
	}
}
