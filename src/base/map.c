/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hash tables. The map is open addressing with linear probing at a load of 3/4 at most; deleting shifts the followers
 * back, so that there are no tombstones and a long-lived map does not slow down. Key 0 marks a free slot; the real key 0
 * lives in one extra slot at the end, whose `key` says whether it is there:
 *
 *     slot:  [k v][0 -][k v][k v] ... [0 -] | [0 or 1, value of key 0]
 *             0                        cap-1   cap
 */
#include "map.h"
#include "vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct weft_map_slot {
	uint64_t key, value;
};

enum { MAP_FIRST = 16 };

void weft_map_fini(struct weft_map *m)
{
	free(m->slot);
	*m = (struct weft_map){0};
}

void weft_map_clear(struct weft_map *m)
{
	if (m->n)
		memset(m->slot, 0, (m->cap + 1) * sizeof *m->slot);
	m->n = 0;
}

/* The slot of `key` (not 0), or the free one where it would go. */
static size_t map_probe(const struct weft_map *m, uint64_t key)
{
	size_t mask = m->cap - 1;
	size_t i = weft_hash_u64(key) & mask;
	while (m->slot[i].key && m->slot[i].key != key)
		i = (i + 1) & mask;
	return i;
}

static int map_grow(struct weft_map *m)
{
	struct weft_map big = {.n = m->n, .cap = m->cap ? m->cap * 2 : MAP_FIRST};
	if (big.cap > SIZE_MAX / 2 / sizeof *big.slot)
		return -ENOMEM;
	big.slot = calloc(big.cap + 1, sizeof *big.slot);
	if (!big.slot)
		return -ENOMEM;
	for (size_t i = 0; i < m->cap; i++)
		if (m->slot[i].key)
			big.slot[map_probe(&big, m->slot[i].key)] = m->slot[i];
	if (m->slot)
		big.slot[big.cap] = m->slot[m->cap];
	free(m->slot);
	*m = big;
	return 0;
}

int weft_map_put(struct weft_map *m, uint64_t key, uint64_t value)
{
	if (m->n >= m->cap / 4 * 3) {
		int rc = map_grow(m);
		if (rc)
			return rc;
	}
	uint64_t mark = key ? key : 1;
	struct weft_map_slot *s = &m->slot[key ? map_probe(m, key) : m->cap];
	m->n += s->key == 0;
	*s = (struct weft_map_slot){mark, value};
	return 0;
}

bool weft_map_get(const struct weft_map *m, uint64_t key, uint64_t *out)
{
	if (m->n == 0)
		return false;
	const struct weft_map_slot *s = &m->slot[key ? map_probe(m, key) : m->cap];
	if (s->key == 0)
		return false;
	*out = s->value;
	return true;
}

/* Moves later members of the run into the hole, each only when its home is not behind the hole. */
static void map_close_hole(struct weft_map *m, size_t hole)
{
	size_t mask = m->cap - 1;
	for (size_t i = (hole + 1) & mask; m->slot[i].key; i = (i + 1) & mask) {
		size_t home = weft_hash_u64(m->slot[i].key) & mask;
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->slot[hole] = m->slot[i];
			hole = i;
		}
	}
	m->slot[hole].key = 0;
}

bool weft_map_del(struct weft_map *m, uint64_t key)
{
	if (m->n == 0)
		return false;
	size_t i = key ? map_probe(m, key) : m->cap;
	if (m->slot[i].key == 0)
		return false;
	m->n--;
	if (key)
		map_close_hole(m, i);
	else
		m->slot[i].key = 0;
	return true;
}

bool weft_map_next(const struct weft_map *m, size_t *pos, uint64_t *key, uint64_t *value)
{
	if (!m->slot)
		return false;
	while (*pos <= m->cap) {
		const struct weft_map_slot *s = &m->slot[(*pos)++];
		if (s->key == 0)
			continue;
		*key = s == &m->slot[m->cap] ? 0 : s->key;
		*value = s->value;
		return true;
	}
	return false;
}

/* -- strings to numbers -- */

#define NO_ID UINT32_MAX

void weft_intern_fini(struct weft_intern *t)
{
	weft_map_fini(&t->map);
	weft_arena_fini(&t->arena);
	free(t->name);
	free(t->len);
	free(t->next);
	*t = (struct weft_intern){0};
}

static bool intern_find_in(const struct weft_intern *t, struct weft_str s, uint64_t first, uint32_t *id)
{
	for (uint32_t i = (uint32_t)first; i != NO_ID; i = t->next[i]) {
		if (t->len[i] == s.n && (s.n == 0 || memcmp(t->name[i], s.at, s.n) == 0)) {
			*id = i;
			return true;
		}
	}
	return false;
}

bool weft_intern_find(const struct weft_intern *t, struct weft_str s, uint32_t *id)
{
	uint64_t first;
	return weft_map_get(&t->map, weft_hash(s.at, s.n), &first) && intern_find_in(t, s, first, id);
}

/* Three arrays of one capacity, which is raised only when all have grown; one that grew alone is merely larger. */
static int intern_reserve(struct weft_intern *t)
{
	if (t->n < t->cap)
		return 0;
	size_t cap_name = t->cap, cap_len = t->cap, cap_next = t->cap;
	size_t need = t->cap ? t->cap * 2 : 64;
	if (need > NO_ID || weft_vec_grow(&t->name, &cap_name, need, sizeof *t->name) ||
	    weft_vec_grow(&t->len, &cap_len, need, sizeof *t->len) || weft_vec_grow(&t->next, &cap_next, need, sizeof *t->next))
		return -ENOMEM;
	t->cap = need;
	return 0;
}

int weft_intern_add(struct weft_intern *t, struct weft_str s, uint32_t *id)
{
	uint64_t hash = weft_hash(s.at, s.n), first = NO_ID;
	if (weft_map_get(&t->map, hash, &first) && intern_find_in(t, s, first, id))
		return 0;
	if (s.n >= UINT32_MAX || intern_reserve(t))
		return -ENOMEM;
	const char *copy = weft_arena_strndup(&t->arena, s.at, s.n);
	/* The newest of equal hashes heads the chain; the map is last, so that a failure leaves no trace. */
	if (!copy || weft_map_put(&t->map, hash, t->n))
		return -ENOMEM;
	t->name[t->n] = copy;
	t->len[t->n] = (uint32_t)s.n;
	t->next[t->n] = (uint32_t)first;
	*id = (uint32_t)t->n++;
	return 0;
}

/* -- hashing -- */

static uint64_t read_u64(const uint8_t *at)
{
	uint64_t v;
	memcpy(&v, at, sizeof v);
	return v;
}

/* Up to 8 bytes as one number; lengths are mixed in elsewhere, so that padding cannot collide. */
static uint64_t read_tail(const uint8_t *at, size_t n)
{
	uint64_t v = 0;
	memcpy(&v, at, n);
	return v;
}

/* The two halves of the product, folded: every bit of the input reaches every bit of the output. */
static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)a * b;
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/*
 * Multiply-and-fold over 16 bytes a round, in the manner of wyhash (Wang Yi). The value depends on the machine's byte
 * order and may change between versions: never store it.
 */
uint64_t weft_hash(const void *at, size_t n)
{
	static const uint64_t k0 = 0x9e3779b97f4a7c15, k1 = 0xc2b2ae3d27d4eb4f, k2 = 0x165667b19e3779f9;
	const uint8_t *b = at;
	uint64_t h = k0 ^ fold(n ^ k1, k2);
	for (; n > 16; n -= 16, b += 16)
		h = fold(read_u64(b) ^ k1, read_u64(b + 8) ^ h);
	uint64_t lo = 0, hi = 0;
	if (n >= 8) {
		lo = read_u64(b);
		hi = read_u64(b + n - 8);
	} else if (n > 0) {
		lo = read_tail(b, n);
	}
	return weft_hash_u64(fold(lo ^ k1, hi ^ h) ^ k2);
}
