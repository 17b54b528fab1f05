/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Only the first calls of a region (WEFT_FIRST=NAME=N): when N calls of it have ended since recording was switched on, the thread that ended
 * the last of them switches it off in this process, right behind that event. As with counters at regions all threads' blocks are kept
 * closed, so that each event comes by weft_record_slow, which asks here.
 *
 * The names are looked at when regions are defined, under the lock; an event asks a bit.
 */
#include "rec_priv.h"
#include <string.h>

enum { BITS = 64 };

static struct {
	uint64_t *bits; /* by region; NULL: all is recorded */
	uint64_t most;
	struct weft_atomic_u64 calls;
	struct weft_atomic_u32 stopping; /* a thread is at it, or it is done */
	char name[512];
} first;

bool rec_first_set(const char *text)
{
	const char *equals = strrchr(text, '=');
	uint64_t most;
	if (!equals || equals == text || (size_t)(equals - text) >= sizeof first.name ||
	    weft_parse_u64(weft_str(equals + 1), &most) || !most)
		return false;
	memcpy(first.name, text, (size_t)(equals - text));
	first.most = most;
	first.bits = rec_mmap((WEFT_ID_MAX + 1) / 8);
	if (first.bits)
		weft_store_u32(&rec.metered, REC_FIRST);
	return true;
}

void rec_first_region(uint32_t id, const char *name)
{
	if (first.bits && (strcmp(first.name, name) == 0 || weft_glob(first.name, name)))
		__atomic_fetch_or(&first.bits[id / BITS], (uint64_t)1 << id % BITS, __ATOMIC_RELAXED);
}

/* The bit was set before anybody had the region. */
static bool first_ends(uint32_t head)
{
	uint32_t id = weft_head_id(head);
	return weft_head_kind(head) == WEFT_EV_LEAVE &&
	       __atomic_load_n(&first.bits[id / BITS], __ATOMIC_RELAXED) >> id % BITS & 1;
}

static unsigned first_ends_in_bundle(uint32_t events, const uint64_t *word)
{
	unsigned n = 0;
	for (uint32_t i = 0; i < events; i += 2) {
		uint32_t one = (uint32_t)*word, other = (uint32_t)(*word >> 32);
		n += first_ends(one) + (other && first_ends(other));
		word += 1 + weft_head_words(one) + weft_head_words(other);
	}
	return n;
}

void rec_first_event(uint32_t head, const uint64_t *payload)
{
	unsigned n = weft_head_kind(head) == WEFT_EV_BUNDLE
	                     ? first_ends_in_bundle(weft_head_id(head), payload + (weft_head_words(head) == WEFT_WORDS_LONG))
	                     : first_ends(head);
	uint64_t calls = n ? weft_add_u64(&first.calls, n) + n : weft_load_u64(&first.calls);
	uint32_t none = 0;
	if (calls < first.most || !weft_load_u32(&rec.on) || !weft_cas_u32(&first.stopping, &none, 1))
		return;
	weft_stop();
	/* A handler that interrupts who has the lock cannot: the next event will. */
	if (weft_load_u32(&rec.on))
		weft_store_u32(&first.stopping, 0);
}

bool rec_first_over(void)
{
	return weft_load_u32(&first.stopping);
}

void rec_first_again(void)
{
	weft_store_u64(&first.calls, 0);
	weft_store_u32(&first.stopping, 0);
}
