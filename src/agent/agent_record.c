/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of probes by libweft: see agent_record_priv.h. The event and its values are written
 * together, as one reservation: the words behind first, the first head last, so that a page that is
 * read at any instant has all of them or none. Where they do not fit, or the block is to be
 * changed, libweft's slow path takes them one by one.
 *
 * That path calls functions of libc. Where one of these is watched, it is libweft that has called
 * it, and not the program: such a hit is none.
 */
#if defined __GNUC__ && !defined __clang__
#pragma GCC target("general-regs-only")
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif
#include "agent_record_priv.h"

#define DROPPED_KIND 36u /* DROPPED of docs/format.md: libweft counts what is said to it by such a record */

/* ---- values ---- */

/* The same number, bit by bit: no floating register may be touched here. */
static uint64_t double_of_float(uint32_t f)
{
	uint64_t sign = (uint64_t)(f >> 31) << 63, fraction = f & 0x7fffff;
	int exponent = (int)(f >> 23 & 0xff);
	if (exponent == 0xff)
		return sign | 0x7ffull << 52 | fraction << 29;
	if (exponent == 0) {
		if (fraction == 0)
			return sign;
		int up = __builtin_clz((uint32_t)fraction) - 8;
		fraction = fraction << up & 0x7fffff;
		exponent = 1 - up;
	}
	return sign | (uint64_t)(exponent + 1023 - 127) << 52 | fraction << 29;
}

static uint64_t string_of(struct agent_values *v)
{
	const double none[2] = {0, 0};
	uint64_t n = v->text[0] < LINK_TEXT_BYTES ? v->text[0] : LINK_TEXT_BYTES;
	char *text = (char *)&v->text[1];
	text[n] = '\0';
	v->text[0] = 0;
	return n ? (uint32_t)agent_call((uint64_t)agent_recorder.string, (uint64_t[6]){(uint64_t)text}, none, NULL) : 0;
}

uint64_t *agent_record_value(struct agent_values *v, const struct link_op *op, uint64_t acc)
{
	static const uint32_t kind[LINK_VALUES] = {
		[LINK_VALUE_INT] = WEFT_HEAD_POINT,
		[LINK_VALUE_FLOAT] = WEFT_HEAD_POINT_F,
		[LINK_VALUE_DOUBLE] = WEFT_HEAD_POINT_F,
		[LINK_VALUE_TEXT] = WEFT_HEAD_POINT_S,
	};
	unsigned what = op->index % LINK_VALUES;
	if (v->n == LINK_PROGRAM_VALUES)
		return v->text;
	v->at[v->n].definition = (const volatile uint32_t *)op->a;
	v->at[v->n].kind = kind[what];
	v->at[v->n].word = what == LINK_VALUE_FLOAT  ? double_of_float((uint32_t)acc)
	                   : what == LINK_VALUE_TEXT ? string_of(v)
	                                             : acc;
	v->n++;
	return v->text;
}

/* ---- records ---- */

struct records {
	unsigned n, words;
	struct {
		uint32_t head;
		bool has_word;
		uint64_t word;
	} at[LINK_PROGRAM_VALUES + 1];
};

static void add(struct records *r, uint32_t on, uint32_t kind, uint64_t word)
{
	if (!on)
		return;
	r->at[r->n].head = on | kind;
	r->at[r->n].has_word = kind >> 8 & 1;
	r->at[r->n].word = word;
	r->words += 1 + r->at[r->n++].has_word;
}

/*
 * In the order in which they are read: what a function is left with stands before its leave, all
 * else behind the event.
 */
static void list(struct records *r, const struct agent_program *p, const struct agent_values *v)
{
	bool leaves = p->event_kind == WEFT_HEAD_LEAVE;
	r->n = r->words = 0;
	if (p->event && !leaves)
		add(r, *p->event, p->event_kind, 1);
	for (unsigned k = 0; v && k < v->n; k++)
		add(r, *v->at[k].definition, v->at[k].kind, v->at[k].word);
	if (p->event && leaves)
		add(r, *p->event, p->event_kind, 1);
}

/*
 * At once; false: libweft is to do it. `sample`: one of the switches, which a child of a handler
 * that forks meanwhile finds off.
 */
static bool write_records(struct weft_thread *t, const struct records *r, const volatile uint32_t *sample)
{
	uint32_t on = *sample;
	uintptr_t at = *(volatile uintptr_t *)&t->at, end = at + 8 * (uintptr_t)r->words;
	if (end > t->limit || t->clock != 1)
		return false;
	uint64_t since = __builtin_ia32_rdtsc() - t->base;
	if ((since >> 32) != 0 || *t->cpu != t->last_cpu || !on || *sample != on || !weft_claim(&t->at, at, end))
		return false;
	volatile uint64_t *word = (volatile uint64_t *)at;
	for (unsigned k = 0, to = 0; k < r->n; to += 1 + r->at[k++].has_word) {
		if (k)
			word[to] = since << 32 | r->at[k].head;
		if (r->at[k].has_word)
			word[to + 1] = r->at[k].word;
	}
	__atomic_store_n((uint64_t *)at, since << 32 | r->at[0].head, __ATOMIC_RELEASE);
	return true;
}

static void call_slow(struct agent_thread *t, uint32_t head, unsigned n, const uint64_t *payload)
{
	const double none[2] = {0, 0};
	uint32_t records = t ? t->records : 0;
	if (t)
		t->records = 1;
	agent_call((uint64_t)agent_recorder.slow, (uint64_t[6]){head, n, (uint64_t)payload}, none, NULL);
	if (t)
		t->records = records;
}

void agent_record_put(struct agent_thread *t, uint64_t caller, const struct agent_program *p, const struct agent_values *v)
{
	struct records r;
	if (t->records && caller - agent_recorder.text < agent_recorder.text_end - agent_recorder.text)
		return;
	list(&r, p, v);
	const volatile uint32_t *sample = p->event ? p->event : v && v->n ? v->at[0].definition : NULL;
	if (r.n == 0 || (r.n > 1 && write_records(agent_record_block(), &r, sample)))
		return;
	for (unsigned k = 0; k < r.n; k++)
		call_slow(t, r.at[k].head, r.at[k].has_word, &r.at[k].word);
}

void agent_record_lost(void)
{
	uint64_t one = 1;
	if (weft_load_u32(&agent_recorder.on))
		call_slow(NULL, DROPPED_KIND | 1 << 8, 1, &one);
}
