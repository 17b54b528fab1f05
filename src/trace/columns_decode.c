/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding a block, a few cycles an event. The sizes that the block's head and entries name must add up to its row's bytes;
 * beyond that nothing is checked per event: a code out of range names a harmless entry, and value pointers that run too far stay
 * inside the slack behind the file (an entry cannot run over by more than 4096 × 8 bytes).
 */
#include "base/crc.h"
#include "columns_priv.h"
#include <string.h>

_Static_assert(COL_SLACK >= WEFT_BLOCK_EVENTS * 8 + 8, "slack holds what a damaged block can run over");

bool col_block_intact(const struct col_source *src, const struct col_block *row)
{
	if (row->offset % 8 || row->bytes > src->n || row->offset > src->n - row->bytes)
		return false;
	return weft_crc32c(0, src->at + row->offset, row->bytes) == row->crc;
}

static inline uint64_t load_u64(const uint8_t *at)
{
	uint64_t v;
	memcpy(&v, at, 8);
	return v;
}

struct block_parts {
	struct col_head head;
	const uint8_t *entries, *longs, *gaps, *places, *codes, *values;
};

static bool width_is_valid(unsigned width)
{
	return width == 1 || width == 2 || width == 4 || width == 8;
}

/* Finds the parts and sets up the entries; false when the sizes do not add up. */
static bool find_parts(const struct col_source *src, const struct col_block *row, struct col_scratch *s, struct block_parts *p)
{
	if (row->offset % 8 || row->bytes < sizeof p->head || row->bytes > src->n || row->offset > src->n - row->bytes)
		return false;
	const uint8_t *at = src->at + row->offset;
	memcpy(&p->head, at, sizeof p->head);
	const struct col_head *h = &p->head;
	if (h->n != row->n || h->n == 0 || h->n > WEFT_BLOCK_EVENTS || h->n_dict == 0 || h->n_dict > h->n || h->n_long > h->n ||
	    !width_is_valid(h->gap_width) || h->code_width > 2 || (h->code_width == 0 && h->n_dict != 1))
		return false;
	uint64_t used = sizeof *h;
	p->entries = at + used;
	used += h->n_dict * sizeof(struct col_entry);
	uint64_t extra_place = (row->offset + used) / 8;
	used += 8 * (uint64_t)h->extra_words;
	p->longs = at + used;
	used += 8u * h->n_long;
	p->gaps = at + used;
	used += (uint64_t)h->n * h->gap_width;
	p->places = at + used;
	used += 2u * h->n_long;
	p->codes = at + used;
	used += (uint64_t)h->n * h->code_width;
	p->values = at + used;
	if (used > row->bytes)
		return false;
	for (uint32_t i = 0; i < h->n_dict; i++) {
		struct col_entry e;
		memcpy(&e, p->entries + i * sizeof e, sizeof e);
		if (e.width && !width_is_valid(e.width))
			return false;
		enum col_value v = col_value_of(weft_what_kind(e.what));
		if (v == COL_UNKNOWN || used > row->bytes)
			return false;
		s->entry[i].at = at + used;
		s->entry[i].what = e.what;
		s->entry[i].width = e.width;
		s->entry[i].mask = e.width == 8 ? UINT64_MAX : (1ull << 8 * e.width) - 1;
		s->entry[i].base = e.base + (v == COL_HALF    ? row->half_base
		                             : v == COL_FLOW  ? row->flow_base
		                             : v == COL_EXTRA ? extra_place
		                                              : 0);
		used += (uint64_t)e.count * e.width;
	}
	return used == row->bytes;
}

#define SUM_GAPS(type) \
	do { \
		for (uint32_t i = from; i < to; i++) { \
			type gap; \
			memcpy(&gap, gaps + sizeof(type) * i, sizeof gap); \
			t += gap; \
			time[i] = t; \
		} \
	} while (0)

static uint64_t sum_gaps(const uint8_t *gaps, unsigned width, uint64_t *time, uint32_t from, uint32_t to, uint64_t t)
{
	if (width == 1)
		SUM_GAPS(uint8_t);
	else if (width == 2)
		SUM_GAPS(uint16_t);
	else if (width == 4)
		SUM_GAPS(uint32_t);
	else
		SUM_GAPS(uint64_t);
	return t;
}

static bool decode_times(const struct block_parts *p, const struct col_block *row, uint64_t *time)
{
	uint64_t t = row->first;
	uint32_t at = 0;
	for (uint32_t k = 0; k < p->head.n_long; k++) {
		uint16_t place;
		memcpy(&place, p->places + 2 * k, 2);
		if (place < at || place >= p->head.n)
			return false;
		t = sum_gaps(p->gaps, p->head.gap_width, time, at, place, t) + load_u64(p->longs + 8 * k);
		time[place] = t;
		at = place + 1u;
	}
	return sum_gaps(p->gaps, p->head.gap_width, time, at, p->head.n, t) == row->last;
}

static inline uint32_t code_at(const uint8_t *codes, unsigned width, uint32_t i)
{
	if (width == 1)
		return codes[i];
	uint16_t code;
	memcpy(&code, codes + 2 * i, 2);
	return code & (WEFT_BLOCK_EVENTS - 1);
}

static inline __attribute__((always_inline)) void decode_whats(const uint8_t *codes, unsigned width, struct col_scratch *s,
                                                               uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		s->what[i] = s->entry[code_at(codes, width, i)].what;
}

static inline __attribute__((always_inline)) void decode_values(const uint8_t *codes, unsigned width, struct col_scratch *s,
                                                                uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t code = width ? code_at(codes, width, i) : 0;
		const uint8_t *at = s->entry[code].at;
		s->value[i] = s->entry[code].base + (load_u64(at) & s->entry[code].mask);
		s->entry[code].at = at + s->entry[code].width;
	}
}

static bool has_values(const struct col_scratch *s, uint32_t n_dict)
{
	for (uint32_t i = 0; i < n_dict; i++)
		if (s->entry[i].base || s->entry[i].mask)
			return true;
	return false;
}

int col_decode(const struct col_source *src, const struct col_block *row, struct col_scratch *s)
{
	struct block_parts p;
	if (!find_parts(src, row, s, &p) || !decode_times(&p, row, s->time))
		return WEFT_E_DAMAGED;
	uint32_t n = p.head.n;
	s->n_dict = p.head.n_dict;
	/* A code that names no entry finds one that is harmless. */
	uint32_t codes = p.head.code_width == 2 ? WEFT_BLOCK_EVENTS : p.head.code_width == 1 ? 256 : 1;
	for (uint32_t i = p.head.n_dict; i < codes; i++) {
		memset(&s->entry[i], 0, sizeof s->entry[i]);
		s->entry[i].at = src->at;
		s->entry[i].what = s->entry[0].what;
	}
	if (p.head.code_width == 0)
		for (uint32_t i = 0; i < n; i++)
			s->what[i] = s->entry[0].what;
	else if (p.head.code_width == 1)
		decode_whats(p.codes, 1, s, n);
	else
		decode_whats(p.codes, 2, s, n);
	if (!has_values(s, p.head.n_dict)) {
		if (!s->zero_values)
			memset(s->value, 0, sizeof s->value);
		s->zero_values = true;
		return 0;
	}
	s->zero_values = false;
	if (p.head.code_width == 0)
		decode_values(p.codes, 0, s, n);
	else if (p.head.code_width == 1)
		decode_values(p.codes, 1, s, n);
	else
		decode_values(p.codes, 2, s, n);
	return 0;
}
