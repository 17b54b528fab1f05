/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encoding: events of a thread are buffered, and every 4096 become a block (see columns_priv.h). Passes over the block: gaps;
 * codes, of which only those that are not as a period before cost a look-up; values, each brought to the others of its entry,
 * where their range is found and they are packed in a row. A block whose times are out of order, as signal handlers leave them,
 * is sorted first, stably, by merging its runs.
 */
#include "format/crc.h"
#include "base/wide.h"
#include "columns_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum col_value col_value_of(unsigned kind)
{
	switch (kind) {
	case WEFT_EV_SEND:
	case WEFT_EV_RECV:
		return COL_HALF;
	case WEFT_EV_FLOW_OUT:
	case WEFT_EV_FLOW_IN:
		return COL_FLOW;
	default:
		break;
	}
	if (kind >= 64 || !weft_kind_info[kind].name)
		return COL_UNKNOWN;
	int words = weft_kind_info[kind].words;
	return words == 0 ? COL_NONE : words == 1 ? COL_WORD : COL_EXTRA;
}

struct col_encoder *col_encoder_new(void)
{
	return calloc(1, sizeof(struct col_encoder));
}

void col_encoder_free(struct col_encoder *e)
{
	if (e)
		free(e->bytes);
	free(e);
}

void col_writer_init(struct col_writer *w, struct col_out *out, struct spill_log *ends, uint32_t serial)
{
	*w = (struct col_writer){.out = out, .ends = ends, .serial = serial};
}

void col_writer_fini(struct col_writer *w)
{
	free(w->time.at);
	free(w->what.at);
	free(w->value.at);
	free(w->extra.at);
	free(w->block.at);
	for (unsigned i = 0; i < COL_SIDES; i++)
		free(w->end[i].at);
	weft_map_fini(&w->count);
	*w = (struct col_writer){0};
}

int col_writer_reserve(struct col_writer *w, uint32_t more)
{
	size_t n = w->time.n + more < WEFT_BLOCK_EVENTS ? w->time.n + more : WEFT_BLOCK_EVENTS;
	return weft_vec_reserve(&w->time, n) || weft_vec_reserve(&w->what, n) || weft_vec_reserve(&w->value, n) ? -ENOMEM : 0;
}

int col_put(struct col_writer *w, uint64_t time, uint32_t what, uint64_t value)
{
	size_t n = w->time.n;
	if (weft_vec_reserve(&w->time, n + 1) || weft_vec_reserve(&w->what, n + 1) || weft_vec_reserve(&w->value, n + 1))
		return -ENOMEM;
	if (n && time < w->time.at[n - 1])
		w->unsorted = true;
	w->time.at[n] = time;
	w->what.at[n] = what;
	w->value.at[n] = value;
	w->time.n = w->what.n = w->value.n = n + 1;
	if (weft_what_kind(what) == WEFT_EV_DROPPED)
		w->dropped += value;
	return 0;
}

int col_put_extra(struct col_writer *w, uint64_t time, uint32_t what, const uint64_t *payload, uint32_t n)
{
	size_t place = w->extra.n;
	if (weft_vec_reserve(&w->extra, place + n + 1))
		return -ENOMEM;
	w->extra.at[place] = n;
	if (n)
		memcpy(w->extra.at + place + 1, payload, n * sizeof *payload);
	w->extra.n = place + n + 1;
	return col_put(w, time, what, place);
}

int col_flush_ends(struct col_writer *w)
{
	int rc = 0;
	for (unsigned i = 0; i < COL_SIDES && !rc; i++) {
		if (w->end[i].n)
			rc = spill_log_add(&w->ends[i], w->end[i].at, w->end[i].n);
		w->end[i].n = 0;
	}
	return rc;
}

int col_put_end(struct col_writer *w, const struct col_end *e)
{
	static const uint8_t kind[2][2] = {{WEFT_EV_RECV, WEFT_EV_SEND}, {WEFT_EV_FLOW_IN, WEFT_EV_FLOW_OUT}};
	struct col_end_vec *ends = &w->end[col_side(e)];
	int rc = ends->n >= COL_ENDS ? col_flush_ends(w) : 0;
	if (!rc && weft_vec_reserve(ends, ends->n + 1))
		rc = -ENOMEM;
	uint64_t *n = e->is_flow ? &w->n_flows : &w->n_halves;
	if (!rc)
		rc = col_put(w, e->time, weft_what(kind[e->is_flow][e->is_out], e->def), *n);
	if (rc)
		return rc;
	struct col_end *to = &ends->at[ends->n++];
	*to = *e;
	to->ordinal = (*n)++;
	to->serial = w->serial;
	return 0;
}

/* Merges [from, mid) and [mid, to) of `order`, both sorted by time; stable. */
static void merge_runs(struct col_encoder *e, const uint64_t *time, uint32_t from, uint32_t mid, uint32_t to)
{
	memcpy(e->order_temp + from, e->order + from, (mid - from) * sizeof *e->order);
	uint32_t a = from, b = mid, to_at = from;
	while (a < mid && b < to)
		e->order[to_at++] = time[e->order[b]] < time[e->order_temp[a]] ? e->order[b++] : e->order_temp[a++];
	while (a < mid)
		e->order[to_at++] = e->order_temp[a++];
}

/* Natural merge sort: finds the runs that are in order and merges neighbours, until one is left. */
static void sort_block(struct col_writer *w, struct col_encoder *e, uint32_t n)
{
	const uint64_t *time = w->time.at;
	uint16_t *run = e->code; /* not in use yet: begins of the runs */
	uint32_t n_runs = 0;
	for (uint32_t i = 0; i < n; i++) {
		e->order[i] = i;
		if (i == 0 || time[i] < time[i - 1])
			run[n_runs++] = (uint16_t)i;
	}
	while (n_runs > 1) {
		uint32_t kept = 0;
		for (uint32_t r = 0; r < n_runs; r += 2) {
			uint32_t to = r + 2 < n_runs ? run[r + 2] : n;
			if (r + 1 < n_runs)
				merge_runs(e, time, run[r], run[r + 1], to);
			run[kept++] = run[r];
		}
		n_runs = kept;
	}
	for (uint32_t i = 0; i < n; i++) {
		e->sort_time[i] = time[e->order[i]];
		e->sort_what[i] = w->what.at[e->order[i]];
		e->sort_value[i] = w->value.at[e->order[i]];
	}
	memcpy(w->time.at, e->sort_time, n * sizeof *e->sort_time);
	memcpy(w->what.at, e->sort_what, n * sizeof *e->sort_what);
	memcpy(w->value.at, e->sort_value, n * sizeof *e->sort_value);
}

enum { LOOK_AT = 1024 };

/* Whether the period of the block before still is one: few of the first events are not as a period ago. */
static bool still_period(const uint32_t *what, uint32_t n, unsigned period)
{
	uint32_t most = n < LOOK_AT ? n : LOOK_AT, other = 0;
	if (!period || period >= most)
		return false;
	for (uint32_t i = period; i < most; i++)
		other += what[i] != what[i - period];
	return other <= most / 16;
}

/* The distance at which pairs of events come again most often, as far as the first of them tell; 0: they do not. */
static unsigned find_period(struct col_encoder *e, const uint32_t *what, uint32_t n)
{
	enum { WORTH = 4 };
	uint16_t often[COL_PERIOD_MOST + 1] = {0};
	unsigned best = 0;
	uint32_t most = n < LOOK_AT ? n : LOOK_AT;
	memset(e->seen_at, 0, sizeof e->seen_at);
	for (uint32_t i = 1; i < most; i++) {
		uint16_t *last = &e->seen_at[((what[i - 1] * 37u + what[i]) * 0x9e3779b1u) >> 22];
		if (*last && i + 1 - *last <= COL_PERIOD_MOST)
			often[i + 1 - *last]++;
		*last = (uint16_t)(i + 1);
	}
	for (unsigned p = 1; p <= COL_PERIOD_MOST; p++)
		best = often[p] > often[best] ? p : best;
	return often[best] >= most / WORTH ? best : 0;
}

struct numbering {
	uint32_t n_dict, n_literals;
};

/* The number of `what` in the block's dictionary, which grows when it is a new one. */
static inline uint32_t look_up(struct col_encoder *e, uint32_t what, uint32_t *n_dict)
{
	const uint32_t mask = sizeof e->slot / sizeof *e->slot - 1;
	uint32_t at = (what * 0x9e3779b1u) >> 19;
	while (e->slot[at].era == e->era && e->slot[at].what != what)
		at = (at + 1) & mask;
	if (e->slot[at].era != e->era) {
		enum col_value v = col_value_of(weft_what_kind(what));
		e->count[*n_dict] = (struct col_count){.what = what, .has_value = v != COL_NONE};
		e->slot[at] = (struct col_slot){what, (uint16_t)(*n_dict)++, e->era};
	}
	return e->slot[at].code;
}

/* Whether the next STEP whats are those of a period before. */
#define STEP 16u
static inline bool step_repeats(const uint32_t *what, unsigned period)
{
	uint64_t differ = 0;
	for (unsigned k = 0; k < STEP; k += 2) {
		uint64_t now, before;
		memcpy(&now, what + k, sizeof now);
		memcpy(&before, what + k - period, sizeof before);
		differ |= now ^ before;
	}
	return !differ;
}

/* Events [from, to), at most STEP, some of which are not as a period ago; which ones is hard to foresee, so nothing jumps by it. */
static void number_step(struct col_encoder *e, const uint32_t *what, uint32_t from, uint32_t to, unsigned period,
                        struct numbering *n)
{
	uint64_t bits = 0;
	for (uint32_t i = from; i < to; i++) {
		uint32_t code = look_up(e, what[i], &n->n_dict);
		uint64_t is_literal = code != e->code[i - period];
		e->code[i] = (uint16_t)code;
		e->literal[n->n_literals] = (uint8_t)code;
		n->n_literals += (uint32_t)is_literal;
		bits |= is_literal << (i - from);
	}
	uint64_t over = from % 64 ? bits >> (64 - from % 64) : 0;
	e->literals[from / 64] |= bits << from % 64;
	if (over)
		e->literals[from / 64 + 1] |= over;
}

/* Numbers the whats in order of coming. What is as a period ago needs no look-up; the codes of all others are the literals. */
static struct numbering number_whats(struct col_encoder *e, const uint32_t *what, uint32_t n, unsigned period)
{
	struct numbering to = {0};
	uint32_t from = period && period < n ? period : n;
	if (++e->era == 0) {
		memset(e->slot, 0, sizeof e->slot);
		e->era = 1;
	}
	memset(e->literals, 0, sizeof e->literals);
	for (uint32_t i = 0; i < from; i++) {
		uint32_t code = look_up(e, what[i], &to.n_dict);
		e->code[i] = (uint16_t)code;
		if (code && period) { /* before the first stands 0 */
			e->literals[i / 64] |= 1ull << i % 64;
			e->literal[to.n_literals++] = (uint8_t)code;
		}
	}
	for (uint32_t i = from; i < n;) {
		uint32_t begin = i;
		while (i + STEP <= n && step_repeats(what + i, period))
			i += STEP;
		col_repeat(e->code, sizeof *e->code, begin, i, period);
		uint32_t end = i + STEP < n ? i + STEP : n;
		if (i < end)
			number_step(e, what, i, end, period, &to);
		i = end;
	}
	return to;
}

/* How many events each entry has. */
static void count_codes(struct col_encoder *e, uint32_t n, unsigned period)
{
	for (uint32_t at = 0, end; at < n; at = end) {
		if (!col_find_piece(e->literals, at, n, period, &end)) {
			for (; at < end; at++)
				e->count[e->code[at]].n++;
			continue;
		}
		uint32_t times = (end - at) / period, rest = (end - at) % period;
		for (uint32_t r = 0; r < period; r++)
			e->count[e->code[at + r]].n += times + (r < rest);
	}
}

#define LANES 4u
typedef uint64_t lanes __attribute__((vector_size(8 * LANES)));

/* The least and the greatest of n values. */
WEFT_BODY find_range_body(const uint64_t *value, uint32_t n, uint64_t *least, uint64_t *greatest)
{
	uint64_t min = value[0], max = value[0];
	uint32_t i = 0;
	if (n >= LANES) {
		lanes low, high, v;
		memcpy(&low, value, sizeof low);
		high = low;
		for (i = LANES; i + LANES <= n; i += LANES) {
			memcpy(&v, value + i, sizeof v);
			low ^= (low ^ v) & (lanes)(v < low);
			high ^= (high ^ v) & (lanes)(v > high);
		}
		for (unsigned k = 0; k < LANES; k++) {
			min = low[k] < min ? low[k] : min;
			max = high[k] > max ? high[k] : max;
		}
	}
	for (; i < n; i++) {
		min = value[i] < min ? value[i] : min;
		max = value[i] > max ? value[i] : max;
	}
	*least = min;
	*greatest = max;
}
WEFT_WIDE(find_range, (const uint64_t *value, uint32_t n, uint64_t *least, uint64_t *greatest), (value, n, least, greatest))

/* The values of a piece that is not periodic. Those that nobody wants go to one place behind the others. */
static void part_each(struct col_encoder *e, const uint64_t *value, uint32_t at, uint32_t end)
{
	for (; at < end; at++) {
		uint64_t *next = &e->place[e->code[at]], place = *next;
		*next = place + (place >> 32);
		e->parted[(uint32_t)place] = value[at];
	}
}

/* The same of one that is: all events of one place in the period in a row. */
static void part_periods(struct col_encoder *e, const uint64_t *value, uint32_t at, uint32_t end, unsigned period)
{
	uint16_t *const often = e->often; /* in a period, by code */
	const uint32_t times = (end - at) / period, rest = (end - at) % period;
	for (uint32_t r = 0; r < period; r++)
		often[e->code[at + r]] = 0;
	for (uint32_t r = 0; r < period; r++)
		often[e->code[at + r]]++;
	for (uint32_t r = 0; r < period; r++) {
		uint32_t code = e->code[at + r], step = often[code];
		uint64_t *to = e->parted + (uint32_t)e->place[code];
		if (!e->count[code].has_value)
			continue;
		e->place[code]++;
		for (uint32_t i = at + r; i < end; i += period, to += step)
			*to = value[i];
	}
	for (uint32_t r = 0; r < period; r++)
		if (e->count[e->code[at + r]].has_value)
			e->place[e->code[at + r]] += times + (r < rest) - 1;
}

/* Brings the values of each entry together, and finds their range. A place and what is added to it for the next stand in one word. */
static void part_values(struct col_encoder *e, const uint64_t *value, uint32_t n, unsigned period, uint32_t n_dict)
{
	uint32_t at = 0;
	for (uint32_t d = 0; d < n_dict; d++) {
		struct col_count *c = &e->count[d];
		c->first = at;
		e->place[d] = c->has_value ? at | 1ull << 32 : WEFT_BLOCK_EVENTS;
		at += c->has_value ? c->n : 0;
	}
	if (!at)
		return;
	for (uint32_t from = 0, end; n_dict > 1 && from < n; from = end) {
		if (col_find_piece(e->literals, from, n, period, &end))
			part_periods(e, value, from, end, period);
		else
			part_each(e, value, from, end);
	}
	if (n_dict == 1)
		memcpy(e->parted, value, n * sizeof *value);
	for (uint32_t d = 0; d < n_dict; d++) {
		struct col_count *c = &e->count[d];
		if (c->has_value)
			find_range(e->parted + c->first, c->n, &c->min, &c->max);
	}
}

static uint8_t width_of(uint64_t range)
{
	uint8_t width = 0;
	for (; range; range >>= 8)
		width++;
	return width;
}

/* How times are kept: bytes of a gap, how many gaps are longer than that (10 bytes each), and of how many events there is one. */
struct gap_plan {
	uint8_t width;
	uint32_t n_long, n_moves; /* n_moves 0: all have one */
};

/* The gaps, the bits of all of them together, and how many are not 0. */
WEFT_BODY take_gaps_body(const uint64_t *time, uint32_t n, uint64_t *gap, uint64_t *bits, uint32_t *moves)
{
	lanes all = {0}, moved = {0}, now, before;
	uint32_t i = 1;
	gap[0] = 0;
	for (; i + LANES <= n; i += LANES) {
		memcpy(&now, time + i, sizeof now);
		memcpy(&before, time + i - 1, sizeof before);
		now -= before;
		memcpy(gap + i, &now, sizeof now);
		all |= now;
		moved -= (lanes)(now != 0);
	}
	*bits = all[0] | all[1] | all[2] | all[3];
	*moves = (uint32_t)(moved[0] + moved[1] + moved[2] + moved[3]);
	for (; i < n; i++) {
		gap[i] = time[i] - time[i - 1];
		*bits |= gap[i];
		*moves += gap[i] > 0;
	}
}
WEFT_WIDE(take_gaps, (const uint64_t *time, uint32_t n, uint64_t *gap, uint64_t *bits, uint32_t *moves),
          (time, n, gap, bits, moves))

/* How many of the gaps need more bits than that. */
WEFT_BODY count_over_body(const uint64_t *gap, uint32_t n, unsigned bits, uint32_t *over)
{
	lanes count = {0}, v;
	uint32_t i = 0;
	for (; i + LANES <= n; i += LANES) {
		memcpy(&v, gap + i, sizeof v);
		count -= (lanes)(v >> bits != 0);
	}
	*over = (uint32_t)(count[0] + count[1] + count[2] + count[3]);
	for (; i < n; i++)
		*over += gap[i] >> bits != 0;
}
WEFT_WIDE(count_over, (const uint64_t *gap, uint32_t n, unsigned bits, uint32_t *over), (gap, n, bits, over))

/* The gaps, and what makes them smallest. */
static struct gap_plan measure_gaps(struct col_encoder *e, const uint64_t *time, uint32_t n)
{
	static const uint8_t width[] = {1, 2, 3, 4, 8};
	uint32_t moves, least = UINT32_MAX;
	uint64_t bits;
	struct gap_plan plan = {8, 0, 0};
	take_gaps(time, n, e->gap, &bits, &moves);
	for (unsigned i = 0; i < 5; i++) {
		uint32_t over = 0;
		if (width[i] < 8 && bits >> 8 * width[i])
			count_over(e->gap, n, 8 * width[i], &over);
		uint32_t whole = n * width[i] + over * 10, some = (n + 63) / 64 * 8 + moves * width[i] + over * 10;
		if (whole < least) {
			plan = (struct gap_plan){width[i], over, 0};
			least = whole;
		}
		if (moves && some < least) {
			plan = (struct gap_plan){width[i], over, moves};
			least = some;
		}
		if (!over)
			break; /* wider ones are larger */
	}
	return plan;
}

/* Sets the bits of the events that have a gap, and brings their gaps together. */
static void pack_moves(struct col_encoder *e, uint32_t n)
{
	uint32_t k = 0;
	for (uint32_t i = 0; i < n; i += 64) {
		uint32_t end = n - i < 64 ? n : i + 64;
		uint64_t bits = 0;
		for (uint32_t at = i; at < end; at++) {
			uint64_t gap = e->gap[at];
			bits |= (uint64_t)(gap > 0) << at % 64;
			e->gap[k] = gap;
			k += gap > 0;
		}
		e->moves[i / 64] = bits;
	}
}

static void put_number(char *at, uint64_t v, unsigned width)
{
	memcpy(at, &v, width); /* little endian, as the format is */
}

/* The low bytes of each gap. Behind the last of them other gaps are written, up to ROUND: what comes next is placed later. */
#define ROUND 16u
#define PLACE_GAPS(type) \
	for (uint32_t i = 0; i < n; i += ROUND) \
		for (uint32_t k = i; k < i + ROUND; k++) { \
			type gap = (type)e->gap[k]; \
			memcpy(gaps + sizeof gap * k, &gap, sizeof gap); \
		}
_Static_assert(WEFT_BLOCK_EVENTS % ROUND == 0 && ROUND * 8 <= COL_OVERRUN, "gaps end on a round, and have room");

WEFT_BODY narrow_gaps_body(const struct col_encoder *e, uint32_t n, uint8_t width, char *gaps)
{
	if (width == 1)
		PLACE_GAPS(uint8_t)
	else if (width == 2)
		PLACE_GAPS(uint16_t)
	else if (width == 4)
		PLACE_GAPS(uint32_t)
	else if (width == 8)
		PLACE_GAPS(uint64_t)
	for (uint32_t i = 0; width == 3 && i < n; i++)
		put_number(gaps + 3 * (size_t)i, e->gap[i], 4);
}
WEFT_WIDE(narrow_gaps, (const struct col_encoder *e, uint32_t n, uint8_t width, char *gaps), (e, n, width, gaps))

/* Gaps that are wider than the width stand apart, with 0 in their place. */
static void place_gaps(struct col_encoder *e, uint32_t n, uint8_t width, uint32_t n_long, char *longs, char *gaps, char *places)
{
	uint64_t most = width == 8 ? UINT64_MAX : (1ull << width * 8) - 1;
	for (uint32_t i = 0, k = 0; k < n_long; i++) {
		if (e->gap[i] <= most)
			continue;
		put_number(longs + 8 * k, e->gap[i], 8);
		e->order[k++] = i;
		e->gap[i] = 0;
	}
	narrow_gaps(e, n, width, gaps);
	for (uint32_t k = 0; k < n_long; k++)
		put_number(places + 2 * k, e->order[k], 2);
}

/* The values of all entries, one entry after the other. Each is written whole; the next one covers what is too much. */
static void place_values(const struct col_encoder *e, uint32_t n_dict, char *to)
{
	for (uint32_t d = 0; d < n_dict; d++) {
		/* A copy, as what is written through `to` might be anything. */
		const struct col_count c = e->count[d];
		const uint64_t *value = e->parted + c.first;
		for (uint32_t i = 0; c.width && i < c.n; i++, to += c.width)
			put_number(to, value[i] - c.min, 8);
	}
}

/* Where each part of the block begins; the last is its size. */
struct block_plan {
	size_t entries, extra, longs, moves, gaps, places, codes, values, end;
	uint32_t n_dict, n_gaps;
	struct gap_plan gap;
	uint8_t code_width;
	uint32_t n_literals;
};

/* How codes are kept: where half of them are those of a period before, as bits and literals. The bytes that they take. */
static size_t plan_codes(struct block_plan *p, uint32_t n, unsigned period)
{
	size_t bits = (n + 63) / 64 * sizeof(uint64_t);
	p->code_width = p->n_dict == 1 ? 0 : p->n_dict <= 256 ? 1 : 2;
	if (p->code_width != 1 || !period || 2 * (p->n_literals + bits) > n) {
		p->n_literals = 0;
		return (size_t)n * p->code_width;
	}
	p->code_width = (uint8_t)(COL_PERIOD + period);
	return bits + p->n_literals;
}

static void plan_block(struct col_encoder *e, struct block_plan *p, uint32_t n, unsigned period, size_t extra_words)
{
	size_t code_bytes = plan_codes(p, n, period);
	p->entries = sizeof(struct col_head);
	p->extra = p->entries + p->n_dict * sizeof(struct col_entry);
	p->longs = p->extra + 8 * extra_words;
	p->moves = p->longs + 8 * (size_t)p->gap.n_long;
	p->gaps = p->moves + (p->gap.n_moves ? (n + 63) / 64 * sizeof(uint64_t) : 0);
	p->places = p->gaps + (size_t)p->n_gaps * p->gap.width;
	p->codes = p->places + 2 * (size_t)p->gap.n_long;
	p->values = p->codes + code_bytes;
	uint32_t at = 0;
	for (uint32_t i = 0; i < p->n_dict; i++) {
		struct col_count *c = &e->count[i];
		c->width = c->has_value ? width_of(c->max - c->min) : 0;
		at += c->n * c->width;
	}
	p->end = p->values + at;
}

/* Also says in the block's row what there is in it. */
static void place_entries(const struct col_encoder *e, uint32_t n_dict, char *to, struct col_block *row)
{
	for (uint32_t i = 0; i < n_dict; i++) {
		const struct col_count *c = &e->count[i];
		struct col_entry entry = {.what = c->what,
		                          .count = (uint16_t)c->n,
		                          .width = c->width,
		                          .base = c->has_value ? c->min : 0};
		memcpy(to + i * sizeof entry, &entry, sizeof entry);
		row->kinds |= 1ull << weft_what_kind(c->what);
		row->whats |= weft_what_bit(c->what);
	}
}

static int count_whats(struct col_writer *w, const struct col_encoder *e, uint32_t n_dict)
{
	for (uint32_t i = 0; i < n_dict; i++) {
		uint64_t n = 0;
		weft_map_get(&w->count, e->count[i].what, &n);
		if (weft_map_put(&w->count, e->count[i].what, n + e->count[i].n))
			return -ENOMEM;
	}
	return 0;
}

#define FEW_LITERALS 8u /* one of so many events */

static int col_encode(struct col_writer *w, struct col_encoder *e, uint32_t n, struct col_block *row)
{
	struct block_plan p = {0};
	p.gap = measure_gaps(e, w->time.at, n);
	p.n_gaps = p.gap.n_moves ? p.gap.n_moves : n;
	unsigned period = w->period = still_period(w->what.at, n, w->period) ? w->period : find_period(e, w->what.at, n);
	struct numbering numbered = number_whats(e, w->what.at, n, period);
	p.n_dict = numbered.n_dict;
	p.n_literals = numbered.n_literals;
	/* Where it is broken often, its pieces are too short to pay. */
	unsigned of_pieces = p.n_literals <= n / FEW_LITERALS ? period : 0;
	count_codes(e, n, of_pieces);
	part_values(e, w->value.at, n, of_pieces, p.n_dict);
	plan_block(e, &p, n, period, w->extra.n);
	if (p.end + COL_OVERRUN > e->cap) {
		free(e->bytes);
		e->cap = 0;
		e->bytes = malloc(p.end + p.end / 2 + COL_OVERRUN);
		if (!e->bytes)
			return -ENOMEM;
		e->cap = p.end + p.end / 2 + COL_OVERRUN;
	}
	char *to = e->bytes;
	struct col_head head = {.n = (uint16_t)n,
	                        .n_dict = (uint16_t)p.n_dict,
	                        .n_long = (uint16_t)p.gap.n_long,
	                        .gap_width = p.gap.width,
	                        .code_width = p.code_width,
	                        .extra_words = (uint32_t)w->extra.n,
	                        .n_moves = (uint16_t)p.gap.n_moves,
	                        .n_literals = (uint16_t)p.n_literals};
	memcpy(to, &head, sizeof head);
	place_entries(e, p.n_dict, to + p.entries, row);
	if (w->extra.n)
		memcpy(to + p.extra, w->extra.at, 8 * w->extra.n);
	if (p.gap.n_moves) {
		pack_moves(e, n);
		memcpy(to + p.moves, e->moves, p.gaps - p.moves);
	}
	place_gaps(e, p.n_gaps, p.gap.width, p.gap.n_long, to + p.longs, to + p.gaps, to + p.places);
	for (uint32_t i = 0; p.code_width == 1 && i < n; i++)
		to[p.codes + i] = (char)e->code[i];
	if (p.code_width == 2)
		memcpy(to + p.codes, e->code, 2 * (size_t)n);
	if (p.code_width > COL_PERIOD) {
		size_t bits = (n + 63) / 64 * sizeof(uint64_t);
		memcpy(to + p.codes, e->literals, bits);
		memcpy(to + p.codes + bits, e->literal, p.n_literals);
	}
	if (p.end > p.values)
		place_values(e, p.n_dict, to + p.values);
	row->bytes = (uint32_t)p.end;
	row->crc = weft_crc32c(0, to, p.end);
	row->first = w->time.at[0];
	row->last = w->time.at[n - 1];
	row->n = n;
	return count_whats(w, e, p.n_dict);
}

int col_write_block(struct col_writer *w, struct col_encoder *enc)
{
	uint32_t n = (uint32_t)w->time.n;
	if (n == 0)
		return 0;
	if (w->unsorted)
		sort_block(w, enc, n);
	struct col_block row = {0};
	int rc = col_encode(w, enc, n, &row);
	if (!rc)
		rc = col_out_add(w->out, enc->bytes, row.bytes, &row.offset);
	if (!rc)
		rc = weft_vec_push(&w->block, row);
	w->n_events += n;
	w->time.n = w->what.n = w->value.n = w->extra.n = 0;
	w->unsorted = false;
	return rc;
}
