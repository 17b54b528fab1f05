/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters' numbers: those that are fixed (prv_counters.h); others, and those of the machine, by a hash of their names, as Extrae numbers
 * native counters.
 */
#include "like_priv.h"
#include "base/str.h"
#include "trace/paraver/prv_counters.h"
#include <stdio.h>
#include <string.h>

enum { NATIVE = 44000000, MACHINE = 46000000, HASHED = 1000000, TRIES = 100 };

/* MurmurHash2 (Austin Appleby's, public domain), 32 bits, seed 0. */
static uint32_t murmur(const char *at, size_t n)
{
	const uint32_t m = 0x5bd1e995;
	uint32_t h = (uint32_t)n, k;
	for (; n >= 4; at += 4, n -= 4) {
		memcpy(&k, at, sizeof k);
		k *= m;
		k = (k ^ k >> 24) * m;
		h = h * m ^ k;
	}
	for (size_t i = n; i-- > 0;)
		h ^= (uint32_t)(unsigned char)at[i] << 8 * i;
	h = n ? h * m : h;
	h = (h ^ h >> 13) * m;
	return h ^ h >> 15;
}

static bool is_machine(const char *name)
{
	return !strncmp(name, "energy ", 7) || !strncmp(name, "net-rx", 6) || !strncmp(name, "net-tx", 6);
}

/* Two names of one number: the later is hashed again, with the number behind it. The lowest of the machine's are memory's. */
uint32_t extrae_counter(struct like *l, const char *name)
{
	uint32_t fixed = prv_counter_fixed(name), base = is_machine(name) ? MACHINE : NATIVE, number = 0;
	uint64_t key = weft_hash(name, strlen(name)), of;
	char text[300];
	if (fixed)
		return fixed;
	snprintf(text, sizeof text, "%.200s", name);
	for (unsigned i = 0; i < TRIES; i++) {
		number = base + murmur(text, strlen(text)) % HASHED;
		bool taken = weft_map_get(&l->counter, number, &of) && of != key;
		if (!taken && (base != MACHINE || number > MACHINE + 4))
			break;
		snprintf(text, sizeof text, "%.200s%u", name, number);
	}
	return weft_map_put(&l->counter, number, key) ? 0 : number;
}
