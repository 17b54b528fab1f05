/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a stub may lie: within reach of a jump of 32 bits, in memory that nobody has, with some bytes of the distance prescribed.
 *
 * Our own pages are tried first, then the gaps of the process's map, and of all addresses in them the one nearest to the jump. The next
 * (or last before) number with given bytes is found byte by byte from above, so a search costs a few steps a gap. Distances are
 * signed; with 2^31 added they are ordered as unsigned numbers.
 */
#include "probe_code.h"
#include "base/vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096ull
#define ARENA (64 * 1024ull)
#define LOWEST 0x10000ull
#define HIGHEST 0x7ffffffff000ull
#define BIAS 0x80000000ull

void probe_place_fini(struct probe_place *p)
{
	free(p->taken.at);
	free(p->pages.at);
	free(p->used.at);
	*p = (struct probe_place){0};
}

int probe_ranges_add(struct probe_ranges *r, struct probe_range one)
{
	size_t k = 0;
	while (k < r->n && r->at[k].to < one.from)
		k++;
	size_t last = k;
	while (last < r->n && r->at[last].from <= one.to) {
		one.from = r->at[last].from < one.from ? r->at[last].from : one.from;
		one.to = r->at[last].to > one.to ? r->at[last].to : one.to;
		last++;
	}
	if (last == k && weft_vec_reserve(r, r->n + 1))
		return -ENOMEM;
	memmove(&r->at[k + 1], &r->at[last], (r->n - last) * sizeof *r->at);
	r->n = r->n + 1 - (last - k);
	r->at[k] = one;
	return 0;
}

/* The least y >= x, below 2^32, with (y & mask) == value, or UINT64_MAX; mask is of whole bytes. */
static uint64_t next_match(uint64_t x, uint32_t mask, uint32_t value)
{
	while (x <= UINT32_MAX && (x & mask) != value) {
		int byte = 3;
		while (((x ^ value) & mask & 0xffull << 8 * byte) == 0)
			byte--;
		uint64_t unit = 1ull << 8 * byte;
		uint64_t have = x & 0xff * unit, want = value & 0xff * unit;
		x &= ~(256 * unit - 1);
		x += have < want ? want : 256 * unit;
	}
	return x <= UINT32_MAX ? x : UINT64_MAX;
}

/* The greatest y <= x likewise, or UINT64_MAX. */
static uint64_t last_match(uint64_t x, uint32_t mask, uint32_t value)
{
	uint64_t y = next_match(x ^ UINT32_MAX, mask, ~value & mask);
	return y == UINT64_MAX ? y : y ^ UINT32_MAX;
}

struct search {
	const struct probe_place *p;
	uint64_t end;         /* of the jump */
	uint32_t mask, value; /* of distance + BIAS */
	size_t bytes;
};

/* Addresses from..to as distances, as far as a jump reaches. False: none. */
static bool reach(const struct search *s, uint64_t from, uint64_t to, uint64_t *low, uint64_t *high)
{
	uint64_t least = s->end > BIAS ? s->end - BIAS : 0, most = s->end + BIAS - 1;
	from = from < least ? least : from;
	to = to > most ? most : to;
	if (from > to)
		return false;
	*low = from - s->end + BIAS;
	*high = to - s->end + BIAS;
	return true;
}

static uint64_t first_used(const struct probe_ranges *used, uint64_t from, uint64_t to)
{
	for (size_t k = 0; k < used->n && used->at[k].from < to; k++)
		if (used->at[k].to > from)
			return used->at[k].to;
	return 0;
}

static bool find_own(const struct search *s, uint64_t *addr)
{
	for (size_t k = s->p->pages.n; k-- > 0;) {
		const struct probe_range *r = &s->p->pages.at[k];
		uint64_t low, high;
		if (r->to - r->from < s->bytes || !reach(s, r->from, r->to - s->bytes, &low, &high))
			continue;
		for (uint64_t d = low; (d = next_match(d, s->mask, s->value)) <= high;) {
			*addr = s->end + d - BIAS;
			uint64_t after = first_used(&s->p->used, *addr, *addr + s->bytes);
			if (!after)
				return true;
			d = after - s->end + BIAS;
		}
	}
	return false;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void find_gap(const struct search *s, uint64_t from, uint64_t to, uint64_t *best)
{
	uint64_t low, high, need = (s->bytes + PAGE - 1 + PAGE) & ~(PAGE - 1);
	/* A page at each end stays free, as a guard. */
	if (to < from || to - from < need + 2 * PAGE || !reach(s, from + PAGE, to - PAGE - need, &low, &high))
		return;
	uint64_t found[2] = {next_match(low, s->mask, s->value), last_match(high, s->mask, s->value)};
	for (int k = 0; k < 2; k++) {
		if (found[k] < low || found[k] > high)
			continue;
		uint64_t addr = s->end + found[k] - BIAS;
		if (*best == 0 || distance(addr, s->end) < distance(*best, s->end))
			*best = addr;
	}
}

int probe_place_find(const struct probe_place *p, uint64_t end, uint32_t mask, uint32_t value, size_t bytes, uint64_t *addr,
                     struct probe_range *map)
{
	struct search s = {p, end, mask, value ^ (mask & 0x80000000u), bytes};
	*map = (struct probe_range){0};
	if (find_own(&s, addr))
		return 0;
	uint64_t best = 0, from = LOWEST;
	for (size_t k = 0; k <= p->taken.n; k++) {
		uint64_t to = k < p->taken.n ? p->taken.at[k].from : HIGHEST;
		if (from <= end + BIAS && to + BIAS >= end)
			find_gap(&s, from, to, &best);
		from = k < p->taken.n && p->taken.at[k].to > from ? p->taken.at[k].to : from;
	}
	if (!best)
		return -ENOSPC;
	*addr = best;
	map->from = best & ~(PAGE - 1);
	map->to = (best + bytes + PAGE - 1) & ~(PAGE - 1);
	/* Stubs without prescribed bytes will want to lie beside each other. */
	for (uint64_t to = map->from + ARENA; mask == 0 && to > map->to; to = 0) {
		bool fits = true;
		for (size_t k = 0; k < p->taken.n; k++)
			fits &= p->taken.at[k].to <= map->from || p->taken.at[k].from >= to + PAGE;
		map->to = fits ? to : map->to;
	}
	return 0;
}

bool probe_place_is_gap(const struct probe_place *p, uint64_t from, uint64_t to)
{
	bool ours = false;
	from = (from + PROBE_STUB_ALIGN - 1) & ~(uint64_t)(PROBE_STUB_ALIGN - 1);
	for (size_t k = 0; k < p->pages.n && !ours; k++)
		ours = p->pages.at[k].from <= from && p->pages.at[k].to > to;
	return ours && (from >= to || !first_used(&p->used, from, to));
}

int probe_place_claim(struct probe_place *p, uint64_t addr, size_t bytes, struct probe_range map)
{
	if (map.to && (probe_ranges_add(&p->pages, map) || probe_ranges_add(&p->taken, map)))
		return -ENOMEM;
	uint64_t end = (addr + bytes + PROBE_STUB_ALIGN - 1) & ~(uint64_t)(PROBE_STUB_ALIGN - 1);
	return probe_ranges_add(&p->used, (struct probe_range){addr, end});
}
