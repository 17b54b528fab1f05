/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules that were needed before, by address: a program has some hundred places that it calls from, so nearly all are found here. One
 * table for all threads and their handlers, of a fixed size, each address in one of two neighbouring places.
 *
 * A place: its address (0: none; 1: somebody writes it), then three words of the rule. Who writes makes the address 1 by
 * compare-and-swap, writes the words, and stores the new address (release). Who reads loads the address, the words, and the address
 * again: when it is the same, the words are of that address, whoever wrote it meanwhile, as an address has one rule. A writer that is
 * interrupted for good (longjmp out of a handler, a fork by another thread) leaves a place that nobody uses any more.
 *
 * An object that is unloaded takes its addresses with it, and another may come to them: therefore the table of the object is
 * part of what is compared, at the price of asking for the object each time (10 ns).
 */
#include "unwind_priv.h"
#include "base/atomic.h"
#include <string.h>

enum { CACHE_PLACES = 8192, CACHE_BUSY = 1 };

struct cached {
	struct weft_atomic_u64 key, word[3];
};
static struct cached cache[CACHE_PLACES];

static uint64_t cache_key(uint64_t ip, const uint8_t *hdr)
{
	/* Addresses have 47 bits; a hash of the object goes above them. Never 0 or 1. */
	return ip ^ (uint64_t)(uintptr_t)hdr * UINT64_C(0x9e3779b97f4a7c15) >> 48 << 48 ^ UINT64_C(1) << 63;
}

static uint32_t cache_place(uint64_t key)
{
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 51) & ~1u;
}

static bool cache_read(const struct cached *at, uint64_t key, struct unwind_rule *out)
{
	uint64_t word[3];
	if (weft_load_u64(&at->key) != key)
		return false;
	for (unsigned i = 0; i < 3; i++)
		word[i] = weft_load_u64(&at->word[i]); /* acquire: none is read after the key is read again */
	if (weft_load_relaxed_u64(&at->key) != key)
		return false;
	memcpy(out, word, sizeof word);
	return true;
}

static void cache_write(struct cached *at, uint64_t key, const struct unwind_rule *rule)
{
	uint64_t word[3], old = weft_load_u64(&at->key);
	if (old == CACHE_BUSY || !weft_cas_u64(&at->key, &old, CACHE_BUSY))
		return;
	memcpy(word, rule, sizeof word);
	for (unsigned i = 0; i < 3; i++)
		weft_store_u64(&at->word[i], word[i]);
	weft_store_u64(&at->key, key);
}

/* Apart, as it takes stack. */
static __attribute__((noinline)) void unwind_rule_new(uint64_t ip, struct unwind_rule *out)
{
	struct unwind_where where;
	struct unwind_fde fde;
	if (unwind_find(ip, &where) && unwind_table_find(&where.bytes, where.hdr, ip, &fde))
		unwind_rule_of(&fde, ip, out);
	else
		*out = (struct unwind_rule){.kind = UNWIND_NONE};
}

void unwind_rule_at(uint64_t ip, struct unwind_rule *out)
{
	const uint8_t *hdr = unwind_tables(ip);
	if (!hdr) {
		*out = (struct unwind_rule){.kind = UNWIND_NONE};
		return;
	}
	uint64_t key = cache_key(ip, hdr);
	struct cached *at = &cache[cache_place(key)];
	if (WEFT_LIKELY(cache_read(at, key, out)) || cache_read(at + 1, key, out))
		return;
	unwind_rule_new(ip, out);
	cache_write(at + (weft_load_u64(&at->key) && key & 8), key, out);
}
