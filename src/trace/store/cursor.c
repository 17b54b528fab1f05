/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a thread: the blocks of a time range are found by binary search in the block table, and decoded one at a time into the
 * cursor's scratch. The mapped columns are let go when a quarter of the memory limit has been touched, so that a walk over a
 * trace of any size stays inside it.
 */
#include "cursor.h"
#include "store.h"
#include "base/pool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HALVES (1ull << WEFT_EV_SEND | 1ull << WEFT_EV_RECV)
#define FLOW_ENDS (1ull << WEFT_EV_FLOW_OUT | 1ull << WEFT_EV_FLOW_IN)
#define STRINGS (1ull << WEFT_EV_POINT_S | 1ull << WEFT_EV_ATTR_S)
#define CPUS (1ull << WEFT_EV_CPU)

#define NAMES (HALVES | FLOW_ENDS | STRINGS | CPUS)

/* A value that names a row elsewhere: ends get the number of their message or flow, all must name one that exists. */
static bool resolve_one(const struct weft_trace *t, uint64_t kind, uint64_t *value)
{
	const struct weft_store *s = t->store;
	const uint64_t v = *value;
	uint64_t limit = kind & HALVES      ? s->n_halves
	                 : kind & FLOW_ENDS ? s->n_flow_ends
	                 : kind & STRINGS   ? t->def[WEFT_CLASS_STRING].n
	                                    : t->n_cpus;
	if (v >= limit && !(kind & CPUS && v == WEFT_NONE))
		return false;
	if (kind & (HALVES | FLOW_ENDS))
		*value = kind & HALVES ? s->half[v] : s->flow_end[v];
	return true;
}

static uint64_t kind_bit(uint32_t what)
{
	return 1ull << weft_what_kind(what);
}

/* The events [from, to) of one code. */
static bool resolve_code(const struct weft_trace *t, struct col_scratch *c, uint32_t code, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++)
		if (c->codes[i] == code && !resolve_one(t, kind_bit(c->what[i]), &c->value[i]))
			return false;
	return true;
}

/* Looks for one code in words of eight: what names a row is rare among what does not. */
static bool find_and_resolve(const struct weft_trace *t, struct col_scratch *c, uint32_t code, uint32_t n)
{
	const uint64_t ones = 0x0101010101010101u, all = ones * code;
	uint32_t i = 0;
	for (; i + 8 <= n; i += 8) {
		uint64_t word;
		memcpy(&word, c->codes + i, sizeof word);
		word ^= all;
		if (((word - ones) & ~word & ones << 7) && !resolve_code(t, c, code, i, i + 8))
			return false;
	}
	return resolve_code(t, c, code, i, n);
}

static int resolve(const struct weft_trace *t, struct col_scratch *c, uint32_t n)
{
	enum { FEW = 8 };
	uint32_t code[FEW], n_codes = 0;
	for (uint32_t i = 0; i < c->n_dict && n_codes <= FEW; i++)
		if (kind_bit(c->entry[i].what) & NAMES && n_codes++ < FEW)
			code[n_codes - 1] = i;
	if (c->codes && n_codes <= FEW) {
		for (uint32_t k = 0; k < n_codes; k++)
			if (!find_and_resolve(t, c, code[k], n))
				return WEFT_E_DAMAGED;
		return 0;
	}
	for (uint32_t i = 0; i < n; i++)
		if (kind_bit(c->what[i]) & NAMES && !resolve_one(t, kind_bit(c->what[i]), &c->value[i]))
			return WEFT_E_DAMAGED;
	return 0;
}

/* The kinds of what was taken from a block; false when it names a definition that does not exist. */
static bool block_kinds(const struct weft_trace *t, const struct col_scratch *c, bool chosen_only, uint64_t *kinds)
{
	*kinds = 0;
	for (uint32_t i = 0; i < c->n_dict; i++) {
		unsigned kind = weft_what_kind(c->entry[i].what);
		enum weft_class of = weft_kind_info[kind].of;
		if (of != WEFT_CLASS_NONE && weft_what_id(c->entry[i].what) >= t->def[of].n)
			return false;
		if (!chosen_only || c->entry[i].chosen)
			*kinds |= 1ull << kind;
	}
	return true;
}

struct weft_walk {
	struct col_opened opened;
	struct col_scratch scratch;
	uint64_t time[WEFT_BLOCK_EVENTS];
};

struct weft_walk *weft_walk_new(void)
{
	struct weft_walk *w = calloc(1, sizeof *w);
	if (w)
		w->opened.time = w->time;
	return w;
}

void weft_walk_free(struct weft_walk *w)
{
	if (w)
		col_scratch_fini(&w->scratch);
	free(w);
}

/* The chosen events, but for their times, which are the walk's. */
static int pick(const struct col_source *src, const struct col_block *row, const struct weft_choice *choice, struct weft_walk *w,
                struct col_scratch *c, uint32_t *n)
{
	*n = 0;
	int rc = w->opened.row == row ? 0 : col_open(src, row, &w->opened, &w->scratch);
	return rc ? rc : col_pick(&w->opened, &w->scratch, choice, c, n);
}

/* Events of a block. */
struct loading {
	const struct weft_choice *choice; /* NULL: all of them */
	struct weft_walk *walk;           /* NULL: none */
	struct col_scratch *to;
	const uint64_t *time;
	uint32_t n;
};

static int load_block(const struct weft_trace *t, uint64_t block, struct loading *l)
{
	struct weft_store *s = t->store;
	const struct col_block *row = &s->block[block];
	struct weft_atomic_u64 *seen = &s->seen[block / 64];
	struct col_scratch *c = l->to;
	uint64_t bit = 1ull << block % 64;
	/* Relaxed: the mark only saves work; two threads may both verify the block. */
	if (!(weft_load_relaxed_u64(seen) & bit)) {
		if (!col_block_intact(&s->columns, row))
			return WEFT_E_DAMAGED;
		__atomic_fetch_or(&seen->v, bit, __ATOMIC_RELAXED);
	}
	l->n = row->n;
	int rc = !l->choice ? col_decode(&s->columns, row, c)
	         : l->walk  ? pick(&s->columns, row, l->choice, l->walk, c, &l->n)
	                    : col_choose(&s->columns, row, l->choice, c, &l->n);
	uint64_t kinds = 0;
	l->time = l->choice && l->walk ? l->walk->time : c->time;
	if (!rc && !block_kinds(t, c, l->choice != NULL, &kinds))
		rc = WEFT_E_DAMAGED;
	if (!rc && (kinds & NAMES)) {
		c->zero_values = false;
		rc = resolve(t, c, l->n);
	}
	store_touch(s, row->bytes + (kinds & (HALVES | FLOW_ENDS) ? 4 * (uint64_t)l->n : 0));
	return rc;
}

int store_load_block(const struct weft_trace *t, uint64_t block, struct col_scratch *c)
{
	return load_block(t, block, &(struct loading){.to = c});
}

int weft_cursor_begin(struct weft_cursor *c, const struct weft_trace *t, uint32_t thread, uint64_t from, uint64_t to)
{
	*c = (struct weft_cursor){.trace = t, .thread = thread, .from = from, .to = to};
	if (thread >= t->n_threads)
		return -EINVAL;
	const struct store_thread *row = &t->store->thread[thread];
	const struct col_block *block = t->store->block + row->first_block;
	uint64_t low = 0, high = row->n_blocks;
	while (low < high) { /* the first block that ends at `from` or later */
		uint64_t mid = low + (high - low) / 2;
		if (block[mid].last < from)
			low = mid + 1;
		else
			high = mid;
	}
	c->next_block = row->first_block + low;
	c->priv[0] = row->first_block + row->n_blocks;
	return 0;
}

/* The first event at `time` or later. */
static uint32_t find_time(const uint64_t *time, uint32_t n, uint64_t want)
{
	uint32_t low = 0;
	while (low < n) {
		uint32_t mid = low + (n - low) / 2;
		if (time[mid] < want)
			low = mid + 1;
		else
			n = mid;
	}
	return low;
}

static bool is_wanted(const struct weft_cursor *c, const struct col_block *row)
{
	const struct weft_wanted *w = &c->wanted;
	return !(w->kinds | w->whats) || (row->kinds & w->kinds) || (row->whats & w->whats);
}

static int next_block(struct weft_cursor *c, const struct weft_choice *choice, struct weft_block *b)
{
	struct weft_store *s = c->trace->store;
	*b = (struct weft_block){0};
	while (c->next_block < c->priv[0]) {
		const struct col_block *row = &s->block[c->next_block];
		if (c->to != WEFT_NEVER && row->first >= c->to)
			return 0;
		if (!is_wanted(c, row)) {
			c->next_block++;
			continue;
		}
		if (!c->scratch && !(c->scratch = calloc(1, sizeof(struct col_scratch))))
			return -ENOMEM;
		if (weft_stop_soon())
			return -ECANCELED;
		struct col_scratch *d = c->scratch;
		struct loading l = {.choice = choice, .walk = c->walk, .to = d};
		int rc = load_block(c->trace, c->next_block, &l);
		if (rc)
			return rc;
		c->next_block++;
		uint32_t from = row->first < c->from ? find_time(l.time, l.n, c->from) : 0;
		uint32_t to = c->to != WEFT_NEVER && row->last >= c->to ? find_time(l.time, l.n, c->to) : l.n;
		if (from >= to)
			continue;
		*b = (struct weft_block){to - from, l.time + from, d->what + from, d->value + from};
		c->alike = choice && d->alike;
		return 1;
	}
	return 0;
}

int weft_cursor_next(struct weft_cursor *c, struct weft_block *b)
{
	return next_block(c, NULL, b);
}

int weft_cursor_next_of(struct weft_cursor *c, const struct weft_choice *choice, struct weft_block *b)
{
	return next_block(c, choice, b);
}

void weft_cursor_end(struct weft_cursor *c)
{
	if (c->scratch)
		col_scratch_fini(c->scratch);
	free(c->scratch);
	c->scratch = NULL;
	c->next_block = c->priv[0];
}

uint64_t weft_thread_last(const struct weft_trace *t, uint32_t thread)
{
	const struct store_thread *row = &t->store->thread[thread];
	return row->n_blocks ? t->store->block[row->first_block + row->n_blocks - 1].last : 0;
}

const uint64_t *weft_extra(const struct weft_trace *t, uint32_t thread, uint64_t value, uint32_t *n)
{
	(void)thread;
	const struct weft_store *s = t->store;
	*n = 0;
	if (value >= s->columns.n / 8)
		return NULL;
	const uint64_t *at = (const uint64_t *)(const void *)(s->columns.at + 8 * value);
	if (*at > WEFT_WORDS_MAX || *at > (s->columns.n / 8 - value - 1))
		return NULL;
	*n = (uint32_t)*at;
	return at + 1;
}
