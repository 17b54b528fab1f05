/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash tables: u64 -> u64 (open addressing, linear probing, power-of-two), and an interner that numbers strings
 * 0, 1, 2… in the order in which they first came. Not thread-safe. Zero-initialised is empty.
 */
#ifndef WEFT_BASE_MAP_H
#define WEFT_BASE_MAP_H

#include "arena.h"
#include "str.h"
#include <stdbool.h>
#include <stdint.h>

struct weft_map_slot;
struct weft_map {
	struct weft_map_slot *slot; /* owned */
	size_t n, cap;
};
void weft_map_fini(struct weft_map *m);
void weft_map_clear(struct weft_map *m); /* empty, with the room that it has */
/* Any key is allowed. put: 0 or -ENOMEM, replaces. get: false when absent (out untouched). del: whether it was there. O(1). */
int weft_map_put(struct weft_map *m, uint64_t key, uint64_t value) WEFT_MUST_CHECK;
bool weft_map_get(const struct weft_map *m, uint64_t key, uint64_t *out);
bool weft_map_del(struct weft_map *m, uint64_t key);
/* Each slot in turn: start with *pos = 0; false at the end. The map must not change meanwhile. */
bool weft_map_next(const struct weft_map *m, size_t *pos, uint64_t *key, uint64_t *value);

struct weft_intern {
	struct weft_map map;     /* hash -> first id; chains in next[] */
	struct weft_arena arena; /* the strings */
	const char **name;       /* id -> string; borrowed from arena */
	uint32_t *len, *next;
	size_t n, cap;
};
void weft_intern_fini(struct weft_intern *t);
int weft_intern_add(struct weft_intern *t, struct weft_str s, uint32_t *id) WEFT_MUST_CHECK; /* 0 or -ENOMEM */
bool weft_intern_find(const struct weft_intern *t, struct weft_str s, uint32_t *id);

uint64_t weft_hash(const void *at, size_t n); /* 64-bit, not for adversaries' collisions in libweft */
static inline uint64_t weft_hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

#endif
