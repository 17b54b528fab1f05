/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The consumer's side of a ring. The producer lives in another process, whose memory may be overwritten by its program: each number
 * is read once, checked, and used as it was checked.
 */
#include "link_ring.h"
#include <string.h>

static bool ring_begin_anew(struct link_ring *r, uint64_t written, uint64_t *lost)
{
	weft_store_u64(&r->read, written);
	++*lost;
	return false;
}

bool link_ring_take(struct link_ring *r, uint32_t bytes, uint64_t *out, uint64_t *lost)
{
	uint32_t n = link_ring_words(bytes);
	for (;;) {
		/* Relaxed: `read` is stored by this side only. */
		uint64_t read = weft_load_relaxed_u64(&r->read), written = weft_load_u64(&r->written);
		if (read == written)
			return false;
		uint32_t at = (uint32_t)read & (n - 1), left = n - at;
		if (written < read || written - read > n)
			return ring_begin_anew(r, written, lost);
		uint64_t head = *(volatile uint64_t *)&r->word[at];
		unsigned words = link_rec_words(head), kind = link_rec_kind(head);
		if (kind == LINK_REC_PAD && written - read >= left) {
			weft_store_u64(&r->read, read + left);
			continue;
		}
		if (kind <= LINK_REC_PAD || kind >= LINK_RECS || words < 2 || words > LINK_REC_WORDS || words > left ||
		    words > written - read)
			return ring_begin_anew(r, written, lost);
		memcpy(out, &r->word[at], words * 8ul);
		out[0] = head;
		weft_store_u64(&r->read, read + words);
		return true;
	}
}
