/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a stub may lie: within reach of a jump of 32 bits, in memory that nobody has, with some
 * bytes of the distance prescribed.
 *
 * Our own pages are tried first, then the gaps of the process's map, and of all addresses in them
 * the one nearest to the jump. The next (or last before) number with given bytes is found byte by
 * byte from above, so a search costs a few steps a gap. Distances are signed; with 2^31 added they
 * are ordered as unsigned numbers.
 *
 * A page costs more than a stub, in time and memory. With prescribed bytes, which are other
 * addresses for each function, a place is therefore looked for in front of the last stubs, then
 * from the top of our pages downwards: functions come in the order of their addresses, and what the
 * next one can reach lies higher.
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

void probe_place_forget(struct probe_place *p)
{
	p->pages.n = p->used.n = 0;
	p->n_recent = 0;
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

/* The first that ends behind `from`, when it begins before `to`; else NULL. */
static const struct probe_range *first_used(const struct probe_ranges *used, uint64_t from, uint64_t to)
{
	size_t low = 0, high = used->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (used->at[middle].to > from)
			high = middle;
		else
			low = middle + 1;
	}
	return low < used->n && used->at[low].from < to ? &used->at[low] : NULL;
}

/* In a page that has a stub already, in front of it. */
static bool find_beside(const struct search *s, uint64_t *addr)
{
	enum { RECENT = sizeof s->p->recent / sizeof *s->p->recent };
	for (unsigned k = 0; k < RECENT && k < s->p->n_recent; k++) {
		uint64_t at = s->p->recent[(s->p->n_recent - 1 - k) % RECENT], last = at - s->bytes, low, high;
		if (!reach(s, last, last, &low, &high) || (low = last_match(low, s->mask, s->value)) == UINT64_MAX)
			continue;
		*addr = s->end + low - BIAS;
		if (*addr / PAGE == at / PAGE && !first_used(&s->p->used, *addr, *addr + s->bytes))
			return true;
	}
	return false;
}

static bool find_upwards(const struct search *s, uint64_t low, uint64_t high, uint64_t *addr)
{
	while ((low = next_match(low, s->mask, s->value)) <= high) {
		*addr = s->end + low - BIAS;
		const struct probe_range *in_the_way = first_used(&s->p->used, *addr, *addr + s->bytes);
		if (!in_the_way)
			return true;
		low = in_the_way->to - s->end + BIAS;
	}
	return false;
}

static bool find_downwards(const struct search *s, uint64_t low, uint64_t high, uint64_t *addr)
{
	while ((high = last_match(high, s->mask, s->value)) != UINT64_MAX && high >= low) {
		*addr = s->end + high - BIAS;
		const struct probe_range *in_the_way = first_used(&s->p->used, *addr, *addr + s->bytes);
		if (!in_the_way)
			return true;
		if (in_the_way->from - s->bytes - s->end + BIAS > high)
			return false;
		high = in_the_way->from - s->bytes - s->end + BIAS;
	}
	return false;
}

static bool find_own(const struct search *s, uint64_t *addr)
{
	if (s->mask && find_beside(s, addr))
		return true;
	for (size_t k = s->p->pages.n; k-- > 0;) {
		const struct probe_range *r = &s->p->pages.at[k];
		uint64_t low, high;
		if (r->to - r->from < s->bytes || !reach(s, r->from, r->to - s->bytes, &low, &high))
			continue;
		if (s->mask ? find_downwards(s, low, high, addr) : find_upwards(s, low, high, addr))
			return true;
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

static bool is_free(const struct probe_place *p, struct probe_range r)
{
	for (size_t k = 0; k < p->taken.n; k++)
		if (p->taken.at[k].to > r.from - PAGE && p->taken.at[k].from < r.to + PAGE)
			return false;
	return true;
}

/* Other stubs will want to lie near it: more pages away from the jump, where they are free. */
static void extend(const struct probe_place *p, bool upwards, struct probe_range *map)
{
	struct probe_range more = {map->from, map->from + ARENA};
	if (!upwards)
		more = (struct probe_range){map->to - ARENA, map->to};
	if (map->to > ARENA + LOWEST && more.to < HIGHEST && is_free(p, more))
		*map = more;
}

int probe_place_find(const struct probe_place *p, struct probe_jump jump, size_t bytes, uint64_t *addr, struct probe_range *map)
{
	const uint64_t end = jump.end;
	struct search s = {p, end, jump.mask, jump.value ^ (jump.mask & 0x80000000u), bytes};
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
	extend(p, best > end, map);
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
	p->recent[p->n_recent++ % (sizeof p->recent / sizeof *p->recent)] = addr;
	return probe_ranges_add(&p->used, (struct probe_range){addr, end});
}
