/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding a block, a few cycles an event. The sizes that the block's head and entries name must add up to its row's bytes, and
 * all codes must name entries, which is looked at ahead, many codes at a time; beyond that nothing is checked per event: value
 * pointers that run too far stay inside the slack behind the file (an entry cannot run over by more than 4096 × 8 bytes).
 */
#include "format/crc.h"
#include "base/wide.h"
#include "columns_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(COL_SLACK >= WEFT_BLOCK_EVENTS * 8 + 8, "slack holds what a damaged block can run over");

bool col_block_intact(const struct col_source *src, const struct col_block *row)
{
	if (row->offset % 8 || row->bytes > src->n || row->offset > src->n - row->bytes)
		return false;
	return weft_crc32c(0, src->at + row->offset, row->bytes) == row->crc;
}

void col_scratch_fini(struct col_scratch *s)
{
	free(s->time);
	free(s->entry);
	*s = (struct col_scratch){0};
}

/* What stands before codes and whats: those of a period before the first. */
#define SCRATCH_BEFORE (COL_PERIOD_MOST * (sizeof(uint32_t) + 1))

uint64_t col_scratch_bytes(uint32_t n)
{
	return (uint64_t)n * (2 * sizeof(uint64_t) + sizeof(uint32_t) + 1) + SCRATCH_BEFORE + sizeof(struct col_scratch);
}

/* Room for a block of n events with n_dict different ones. */
static int scratch_fit(struct col_scratch *s, uint32_t n, uint32_t n_dict)
{
	if (n > s->cap) {
		free(s->time);
		s->cap = 0;
		s->zero_values = false;
		s->time = malloc(n * (2 * sizeof *s->time + sizeof *s->what + sizeof *s->code) + SCRATCH_BEFORE);
		if (!s->time)
			return -ENOMEM;
		s->value = s->time + n;
		s->what = (uint32_t *)(void *)(s->value + n) + COL_PERIOD_MOST;
		s->code = (uint8_t *)(s->what + n) + COL_PERIOD_MOST;
		memset(s->code - COL_PERIOD_MOST, 0, COL_PERIOD_MOST);
		s->cap = n;
	}
	if (n_dict > s->dict_cap) {
		free(s->entry);
		s->dict_cap = 0;
		s->entry = malloc(n_dict * sizeof *s->entry);
		if (!s->entry)
			return -ENOMEM;
		s->dict_cap = n_dict;
	}
	return 0;
}

static inline uint64_t load_u64(const uint8_t *at)
{
	uint64_t v;
	memcpy(&v, at, 8);
	return v;
}

static inline uint32_t load_u32(const uint8_t *at)
{
	uint32_t v;
	memcpy(&v, at, 4);
	return v;
}

static bool gap_width_is_valid(unsigned width)
{
	return width == 1 || width == 2 || width == 3 || width == 4 || width == 8;
}

/* The block's head; false when it cannot be one. */
static bool find_head(const struct col_source *src, const struct col_block *row, struct col_head *h)
{
	if (row->offset % 8 || row->bytes < sizeof *h || row->bytes > src->n || row->offset > src->n - row->bytes)
		return false;
	memcpy(h, src->at + row->offset, sizeof *h);
	return h->n == row->n && h->n > 0 && h->n <= WEFT_BLOCK_EVENTS && h->n_dict > 0 && h->n_dict <= h->n &&
	       h->n_long <= h->n && gap_width_is_valid(h->gap_width) && h->n_moves < h->n && h->n_literals <= h->n &&
	       (h->code_width <= 2 || (h->code_width > COL_PERIOD && h->code_width <= COL_PERIOD + COL_PERIOD_MOST)) &&
	       (h->code_width > 0 || h->n_dict == 1);
}

static size_t bitmap_bytes(const struct col_head *h)
{
	return (h->n + 63u) / 64 * sizeof(uint64_t);
}

/* How many of the first n bits are set before each word of 64, and behind the last; UINT32_MAX: some are set beyond them. */
WEFT_BODY count_bits_body(const uint8_t *at, uint32_t n, uint16_t *before, uint32_t *count)
{
	uint32_t set = 0;
	for (uint32_t i = 0; i < n; i += 64) {
		uint64_t bits = load_u64(at + i / 8), beyond = n - i < 64 ? UINT64_MAX << (n - i) : 0;
		before[i / 64] = (uint16_t)set;
		set += (uint32_t)__builtin_popcountll(bits);
		if (bits & beyond) {
			*count = UINT32_MAX;
			return;
		}
	}
	*count = set;
}
WEFT_WIDE(count_bits, (const uint8_t *at, uint32_t n, uint16_t *before, uint32_t *count), (at, n, before, count))

/* Whether just `want` of the first h->n bits are set, and none beyond. */
static bool bits_are(const struct col_head *h, const uint8_t *at, uint32_t want)
{
	uint16_t before[WEFT_BLOCK_EVENTS / 64];
	uint32_t set;
	count_bits(at, h->n, before, &set);
	return set == want;
}

/*
 * Codes of a period before, but for the literals. From then on they are as if they stood in the block, a byte each. What they
 * stand for is repeated likewise, when it is wanted.
 */
static bool expand_codes(struct col_scratch *s, struct col_parts *p, bool whats)
{
	const uint8_t *literal = p->codes + bitmap_bytes(&p->head);
	const uint32_t n = p->head.n, period = p->head.code_width - COL_PERIOD;
	uint32_t done = 0;
	if (!bits_are(&p->head, p->codes, p->head.n_literals))
		return false;
	for (uint32_t i = 1; i <= COL_PERIOD_MOST; i++)
		*(s->what - i) = s->entry[0].what;
	for (uint32_t i = 0; i < n; i += 64)
		for (uint64_t bits = load_u64(p->codes + i / 8); bits; bits &= bits - 1) {
			uint32_t k = i + (uint32_t)__builtin_ctzll(bits);
			if (*literal >= p->head.n_dict)
				return false;
			col_repeat(s->code, sizeof *s->code, done, k, period);
			s->code[k] = *literal;
			if (whats) {
				col_repeat(s->what, sizeof *s->what, done, k, period);
				s->what[k] = s->entry[*literal].what;
			}
			literal++;
			done = k + 1;
		}
	col_repeat(s->code, sizeof *s->code, done, n, period);
	if (whats)
		col_repeat(s->what, sizeof *s->what, done, n, period);
	p->literals = p->codes;
	p->period = period;
	p->codes = s->code;
	p->head.code_width = 1;
	return true;
}

/* Finds the parts and sets up the entries; false when the sizes do not add up. */
static bool find_parts(const struct col_source *src, const struct col_block *row, struct col_scratch *s, bool whats,
                       struct col_parts *p)
{
	const uint8_t *at = src->at + row->offset;
	const struct col_head *h = &p->head;
	uint64_t used = sizeof *h;
	p->period = 0;
	p->entries = at + used;
	used += h->n_dict * sizeof(struct col_entry);
	uint64_t extra_place = (row->offset + used) / 8;
	used += 8 * (uint64_t)h->extra_words;
	p->longs = at + used;
	used += 8u * h->n_long;
	p->moves = at + used;
	used += h->n_moves ? bitmap_bytes(h) : 0;
	p->n_gaps = h->n_moves ? h->n_moves : h->n;
	p->gaps = at + used;
	used += (uint64_t)p->n_gaps * h->gap_width;
	p->places = at + used;
	used += 2u * h->n_long;
	p->codes = at + used;
	used += h->code_width > COL_PERIOD ? bitmap_bytes(h) + h->n_literals : (uint64_t)h->n * h->code_width;
	p->values = at + used;
	if (used > row->bytes)
		return false;
	for (uint32_t i = 0; i < h->n_dict; i++) {
		struct col_entry e;
		memcpy(&e, p->entries + i * sizeof e, sizeof e);
		if (e.width > 8)
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
	return used == row->bytes && (h->code_width <= COL_PERIOD || expand_codes(s, p, whats));
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
	else if (width == 8)
		SUM_GAPS(uint64_t);
	for (uint32_t i = from; width == 3 && i < to; i++) {
		uint32_t gap;
		memcpy(&gap, gaps + 3 * (size_t)i, sizeof gap);
		t += gap & 0xffffff;
		time[i] = t;
	}
	return t;
}

/* The sums of the gaps; false when a long one stands where there is no gap. */
static bool sum_all_gaps(const struct col_parts *p, uint64_t first, uint64_t *time)
{
	uint64_t t = first;
	uint32_t at = 0;
	for (uint32_t k = 0; k < p->head.n_long; k++) {
		uint16_t place;
		memcpy(&place, p->places + 2 * k, 2);
		if (place < at || place >= p->n_gaps)
			return false;
		t = sum_gaps(p->gaps, p->head.gap_width, time, at, place, t) + load_u64(p->longs + 8 * k);
		time[place] = t;
		at = place + 1u;
	}
	sum_gaps(p->gaps, p->head.gap_width, time, at, p->n_gaps, t);
	return true;
}

/*
 * Where events share instants: the sums stand at the end of the array, and are drawn to the events from the first on. The place
 * that is written is always before the next sum, as no more sums than events are left.
 */
static bool spread_times(const struct col_parts *p, uint64_t first, uint64_t *time)
{
	const uint32_t n = p->head.n, moved = p->n_gaps;
	if (!bits_are(&p->head, p->moves, moved))
		return false;
	/* Behind the last sum one word is read and not used: the values stand there. */
	const uint64_t *sum = time + n - moved;
	uint64_t t = first;
	for (uint32_t i = 0; i < n; i += 64) {
		uint64_t bits = load_u64(p->moves + i / 8);
		for (uint32_t k = i, to = n - i < 64 ? n : i + 64; k < to; k++, bits >>= 1) {
			uint64_t next = *sum;
			t = bits & 1 ? next : t;
			sum += bits & 1;
			time[k] = t;
		}
	}
	return true;
}

/* Where the sums of the gaps stand: at the events, or, where events share instants, at the end of the array. */
static uint64_t *sums_of(const struct col_parts *p, uint64_t *time)
{
	return time + (p->head.n_moves ? p->head.n - p->n_gaps : 0);
}

static bool decode_times(const struct col_parts *p, const struct col_block *row, uint64_t *time)
{
	if (!sum_all_gaps(p, row->first, sums_of(p, time)))
		return false;
	if (p->head.n_moves && !spread_times(p, row->first, time))
		return false;
	return time[p->head.n - 1] == row->last;
}

/* The time of the event at each place, brought together: that of the last move up to it. */
WEFT_BODY moved_times_body(const uint8_t *moves, const uint16_t *before, const uint64_t *sum, uint64_t first,
                           const uint16_t *place, uint32_t n, uint64_t *time)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t i = place[k];
		uint64_t bits = load_u64(moves + i / 64 * 8) << (63 - i % 64);
		uint32_t rank = before[i / 64] + (uint32_t)__builtin_popcountll(bits);
		time[k] = rank ? sum[rank - 1] : first;
	}
}
WEFT_WIDEST(moved_times,
            (const uint8_t *moves, const uint16_t *before, const uint64_t *sum, uint64_t first, const uint16_t *place, uint32_t n,
             uint64_t *time),
            (moves, before, sum, first, place, n, time))

/* The sums of the gaps, once. */
static bool sum_once(struct col_opened *o, struct col_scratch *s)
{
	uint64_t *sum = sums_of(&o->p, s->time);
	uint32_t moved;
	if (o->summed)
		return true;
	if (!sum_all_gaps(&o->p, o->row->first, sum) || sum[o->p.n_gaps - 1] != o->row->last)
		return false;
	if (o->p.head.n_moves) {
		count_bits(o->p.moves, o->p.head.n, o->before, &moved);
		if (moved != o->p.n_gaps)
			return false;
	}
	o->summed = true;
	return true;
}

/*
 * The times of the events at the places. Sums at the end of the same array are not overwritten before they are read: as many
 * events at least are left as sums.
 */
static void choose_times(const struct col_opened *o, struct col_scratch *s, const uint16_t *place, uint32_t n)
{
	const uint64_t *sum = sums_of(&o->p, s->time);
	if (o->p.head.n_moves)
		moved_times(o->p.moves, o->before, sum, o->row->first, place, n, o->time);
	for (uint32_t k = 0; !o->p.head.n_moves && k < n; k++)
		o->time[k] = sum[place[k]];
}

/*
 * Whether the events `b` are those `far` places behind the events `a`, one for one, at the same instants: none of them, nor of those
 * between, has a gap before it.
 */
static bool follow_at_once(const uint64_t *a, const uint64_t *b, uint32_t n_words, unsigned far, const uint8_t *moves)
{
	uint64_t wrong = 0, before_a = 0, after_b, gaps = 0;
	for (uint32_t i = 0; i < n_words && !wrong; i++) {
		after_b = i + 1 < n_words ? b[i + 1] : 0;
		wrong = b[i] ^ (a[i] << far | before_a);
		before_a = a[i] >> (64 - far);
		for (unsigned k = 0; k < far; k++)
			gaps |= (b[i] >> k | (k ? after_b << (64 - k) : 0)) & load_u64(moves + 8 * i);
		wrong |= gaps;
	}
	return !wrong && !before_a;
}

/* Whether these events have the times of those that were picked before. */
static bool are_remembered(const struct col_opened *o, const uint64_t *bits, uint32_t n)
{
	enum { FAR = 4 };
	const uint32_t n_words = (o->p.head.n + 63u) / 64;
	if (!o->remembers || n != o->n || !o->p.head.n_moves)
		return false;
	for (unsigned far = 1; far <= FAR; far++)
		if (follow_at_once(o->picked, bits, n_words, far, o->p.moves) ||
		    follow_at_once(bits, o->picked, n_words, far, o->p.moves))
			return true;
	return false;
}

static inline uint32_t code_at(const uint8_t *codes, unsigned width, uint32_t i)
{
	if (width == 1)
		return codes[i];
	uint16_t code;
	memcpy(&code, codes + 2 * i, 2);
	return code;
}

/* Whether all codes name entries. Words of eight bytes and then the rest, so that the compiler can use wide registers. */
static bool codes_are_valid(const struct col_head *h, const uint8_t *codes)
{
	uint32_t i = 0, most = 0;
	if (h->code_width == 1) {
		uint8_t high[32] = {0};
		for (; i + 32 <= h->n; i += 32)
			for (unsigned k = 0; k < 32; k++)
				high[k] = codes[i + k] > high[k] ? codes[i + k] : high[k];
		for (unsigned k = 0; k < 32; k++)
			most = high[k] > most ? high[k] : most;
	}
	for (; i < h->n; i++) {
		uint32_t code = h->code_width ? code_at(codes, h->code_width, i) : 0;
		most = code > most ? code : most;
	}
	return most < h->n_dict;
}

static inline __attribute__((always_inline)) void decode_whats(const uint8_t *codes, unsigned width, struct col_scratch *s,
                                                               uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		s->what[i] = s->entry[code_at(codes, width, i)].what;
}

static inline __attribute__((always_inline)) void decode_values(const uint8_t *codes, unsigned width, struct col_scratch *s,
                                                                uint32_t from, uint32_t n)
{
	struct col_dict *const entry = s->entry;
	uint64_t *const value = s->value;
	for (uint32_t i = from; i < n; i++) {
		struct col_dict *e = &entry[width ? code_at(codes, width, i) : 0];
		const uint8_t *at = e->at;
		value[i] = e->base + (load_u64(at) & e->mask);
		e->at = at + e->width;
	}
}

/* A piece that is periodic: the events of one place in the period in a row. Where there is no value stands 0 already. */
static void decode_period(struct col_scratch *s, const uint8_t *codes, uint32_t from, uint32_t to, uint32_t period)
{
	uint16_t often[256]; /* in a period, by code */
	const uint32_t times = (to - from) / period, rest = (to - from) % period;
	for (uint32_t r = 0; r < period; r++)
		often[codes[from + r]] = 0;
	for (uint32_t r = 0; r < period; r++)
		often[codes[from + r]]++;
	for (uint32_t r = 0; r < period; r++) {
		struct col_dict *e = &s->entry[codes[from + r]];
		const uint64_t base = e->base, mask = e->mask;
		const uint8_t *at = e->at;
		size_t step = (size_t)often[codes[from + r]] * e->width;
		e->at += e->width;
		if (!base && !mask)
			continue;
		for (uint32_t i = from + r; i < to; i += period, at += step)
			s->value[i] = base + (load_u64(at) & mask);
	}
	for (uint32_t r = 0; r < period; r++) {
		struct col_dict *e = &s->entry[codes[from + r]];
		e->at += (size_t)(times + (r < rest) - 1) * e->width;
	}
}

static void decode_periods(struct col_scratch *s, const struct col_parts *p)
{
	const uint32_t n = p->head.n;
	memset(s->value, 0, n * sizeof *s->value);
	for (uint32_t at = 0, end; at < n; at = end)
		if (col_find_piece(p->literals, at, n, p->period, &end))
			decode_period(s, p->codes, at, end, p->period);
		else
			decode_values(p->codes, 1, s, at, end);
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
	struct col_parts p;
	if (!find_head(src, row, &p.head))
		return WEFT_E_DAMAGED;
	uint32_t n = p.head.n;
	int rc = scratch_fit(s, n, p.head.n_dict);
	if (rc)
		return rc;
	bool repeats = p.head.code_width > COL_PERIOD;
	if (!find_parts(src, row, s, true, &p) || !codes_are_valid(&p.head, p.codes) || !decode_times(&p, row, s->time))
		return WEFT_E_DAMAGED;
	s->n_dict = p.head.n_dict;
	s->codes = p.head.code_width == 1 ? p.codes : NULL;
	if (p.head.code_width == 0)
		for (uint32_t i = 0; i < n; i++)
			s->what[i] = s->entry[0].what;
	else if (p.head.code_width == 2)
		decode_whats(p.codes, 2, s, n);
	else if (!repeats)
		decode_whats(p.codes, 1, s, n);
	if (!has_values(s, p.head.n_dict)) {
		if (!s->zero_values)
			memset(s->value, 0, s->cap * sizeof *s->value);
		s->zero_values = true;
		return 0;
	}
	s->zero_values = false;
	if (p.period)
		decode_periods(s, &p);
	else if (p.head.code_width == 0)
		decode_values(p.codes, 0, s, 0, n);
	else if (p.head.code_width == 1)
		decode_values(p.codes, 1, s, 0, n);
	else
		decode_values(p.codes, 2, s, 0, n);
	return 0;
}

/* ---- some of a block ---- */

/* Asks for each entry; how many are chosen, and one of them. */
static uint32_t col_ask(const struct weft_choice *choice, struct col_scratch *s, uint32_t *one)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->n_dict; i++) {
		s->entry[i].chosen = choice->of(choice->arg, s->entry[i].what);
		if (s->entry[i].chosen) {
			*one = i;
			n++;
		}
	}
	return n;
}

/*
 * The places of the events with chosen codes, and perhaps (true) a bit for each; without branches, as the events of a program are
 * hard to foresee.
 */
static bool find_places(const struct col_scratch *s, const struct col_parts *p, uint16_t *place, uint64_t *bits, uint32_t *found)
{
	const uint32_t n = p->head.n;
	uint32_t k = 0;
	if (p->head.code_width == 1) {
		uint8_t chosen[256] = {0};
		for (uint32_t i = 0; i < p->head.n_dict && i < 256; i++)
			chosen[i] = s->entry[i].chosen;
		*found = col_find_places(p->codes, n, chosen, place, bits);
		return true;
	}
	for (uint32_t i = 0; i < n; i++) {
		place[k] = (uint16_t)i;
		k += s->entry[p->head.code_width ? code_at(p->codes, 2, i) : 0].chosen;
	}
	*found = k;
	return false;
}

/* The events at the places, without their times. */
static void take_places(struct col_scratch *s, const struct col_parts *p, const uint16_t *place, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++) {
		const uint32_t i = place[k], code = p->head.code_width ? code_at(p->codes, p->head.code_width, i) : 0;
		struct col_dict *e = &s->entry[code];
		s->what[k] = e->what;
		s->value[k] = e->base + (load_u64(e->at) & e->mask);
		e->at += e->width;
	}
}

/* The same where no chosen entry has values but 0: enters and leaves of regions, mostly. */
static void take_whats(struct col_scratch *s, const struct col_parts *p, const uint16_t *place, uint32_t n)
{
	uint32_t what[256];
	for (uint32_t i = 0; i < p->head.n_dict; i++)
		what[i] = s->entry[i].what;
	for (uint32_t k = 0; n < p->head.n && k < n; k++)
		s->what[k] = what[p->codes[place[k]]];
	for (uint32_t k = 0; n == p->head.n && k < n; k++)
		s->what[k] = what[p->codes[k]];
}

/* Are they that, with codes of one byte? */
static bool are_whats_alone(const struct col_scratch *s, const struct col_parts *p)
{
	bool alone = p->head.code_width == 1 && p->head.n_dict <= 256;
	for (uint32_t i = 0; alone && i < p->head.n_dict; i++)
		alone = !s->entry[i].chosen || (!s->entry[i].width && !s->entry[i].base);
	return alone;
}

/* The same where all are of one entry, whose values stand in a row. */
typedef uint64_t four_u64 __attribute__((vector_size(32)));
typedef uint32_t four_u32 __attribute__((vector_size(16)));
typedef uint16_t four_u16 __attribute__((vector_size(8)));
typedef uint8_t four_u8 __attribute__((vector_size(4)));

#define TAKE_FOURS(type) \
	for (; k + 4 <= n; k += 4) { \
		type x; \
		memcpy(&x, at + k * (sizeof x / 4), sizeof x); \
		four_u64 v = __builtin_convertvector(x, four_u64) + base; \
		memcpy(value + k, &v, sizeof v); \
	}

WEFT_BODY take_values_body(const uint8_t *at, const struct col_dict *e, uint32_t n, uint64_t *value)
{
	const uint64_t base = e->base;
	uint32_t k = 0;
	if (e->width == 1)
		TAKE_FOURS(four_u8)
	else if (e->width == 2)
		TAKE_FOURS(four_u16)
	else if (e->width == 4)
		TAKE_FOURS(four_u32)
	else if (e->width == 8)
		TAKE_FOURS(four_u64)
	for (; e->width == 3 && k + 4 <= n; k += 4) {
		const uint8_t *from = at + (size_t)k * 3;
		four_u32 x = {load_u32(from), load_u32(from + 3), load_u32(from + 6), load_u32(from + 9)};
		four_u64 v = __builtin_convertvector(x & 0xffffff, four_u64) + base;
		memcpy(value + k, &v, sizeof v);
	}
	for (; k < n; k++)
		value[k] = base + (load_u64(at + (size_t)k * e->width) & e->mask);
}
WEFT_WIDEST(take_values, (const uint8_t *at, const struct col_dict *e, uint32_t n, uint64_t *value), (at, e, n, value))

static void take_one(struct col_scratch *s, const struct col_dict *e, uint32_t n)
{
	s->what[0] = e->what;
	col_repeat(s->what, sizeof *s->what, 1, n, 1);
	take_values(e->at, e, n, s->value);
}

int col_open(const struct col_source *src, const struct col_block *row, struct col_opened *o, struct col_scratch *s)
{
	struct col_parts *p = &o->p;
	o->row = NULL;
	o->remembers = o->summed = false;
	if (!find_head(src, row, &p->head))
		return WEFT_E_DAMAGED;
	int rc = scratch_fit(s, p->head.n, p->head.n_dict);
	if (rc)
		return rc;
	if (!find_parts(src, row, s, false, p) || !codes_are_valid(&p->head, p->codes))
		return WEFT_E_DAMAGED;
	s->n_dict = p->head.n_dict;
	s->codes = NULL;
	o->row = row;
	return 0;
}

int col_pick(struct col_opened *o, struct col_scratch *s, const struct weft_choice *choice, struct col_scratch *to, uint32_t *n)
{
	const struct col_parts *p = &o->p;
	uint16_t place[WEFT_BLOCK_EVENTS + COL_PLACES_MORE];
	uint64_t bits[COL_WORDS];
	uint32_t one = 0, found;
	*n = 0;
	int rc = to == s ? 0 : scratch_fit(to, p->head.n, p->head.n_dict);
	if (rc)
		return rc;
	if (to != s)
		memcpy(to->entry, s->entry, s->n_dict * sizeof *s->entry);
	to->n_dict = s->n_dict;
	to->codes = NULL;
	const bool zeros = to->zero_values;
	to->zero_values = false;
	uint32_t chosen = col_ask(choice, to, &one);
	if (!chosen)
		return 0;
	bool have_bits = find_places(to, p, place, bits, &found);
	if (!sum_once(o, s))
		return WEFT_E_DAMAGED;
	if (!have_bits || !are_remembered(o, bits, found))
		choose_times(o, s, place, found);
	o->remembers = have_bits;
	o->n = found;
	if (have_bits)
		memcpy(o->picked, bits, sizeof bits);
	*n = found;
	to->alike = chosen == 1;
	if (to->alike) {
		take_one(to, &to->entry[one], found);
	} else if (are_whats_alone(to, p)) {
		take_whats(to, p, place, found);
		if (!zeros)
			memset(to->value, 0, to->cap * sizeof *to->value);
		to->zero_values = true;
	} else {
		take_places(to, p, place, found);
	}
	return 0;
}

int col_choose(const struct col_source *src, const struct col_block *row, const struct weft_choice *choice, struct col_scratch *s,
               uint32_t *n)
{
	struct col_opened o;
	int rc = col_open(src, row, &o, s);
	*n = 0;
	o.time = s->time;
	return rc ? rc : col_pick(&o, s, choice, s, n);
}
