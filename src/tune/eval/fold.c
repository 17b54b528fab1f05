/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See fold.h. Bytes are words of 8, in the byte order of all machines that we run on
 * (little-endian):
 *
 *     kind | iteration | flags | event, groups, parts | why (20 words, FOLD_GONE only)
 *     of each group:   n | incomplete | ids | width | then of each instance  id | first | complete | words
 *     of each part:    hi | lo | i | n
 */
#include "fold.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLAG_ENDED = 1, FLAG_FULL = 2, FLAG_BAD = 4, FLAG_REPLY = 8, WHY_WORDS = 20 };
_Static_assert(sizeof((struct fold *)0)->why == WHY_WORDS * 8, "why it is gone");

/* -- numbers -- */

/* s + e is a + b exactly. */
static double two_sum(double a, double b, double *e)
{
	double s = a + b, v = s - a;
	*e = (a - (s - v)) + (b - v);
	return s;
}

static void add_double(struct fold_number *to, double hi, double lo)
{
	double e, f;
	double s = two_sum(to->hi, hi, &e);
	if (!isfinite(s)) {
		to->hi = s;
		to->lo = 0;
		return;
	}
	double t = two_sum(to->lo, lo, &f);
	e += t;
	s = two_sum(s, e, &e);
	to->hi = two_sum(s, e + f, &to->lo);
}

/* One number into another; both are results of the same partial. */
static bool fold_merge(struct fold_number *to, const struct spec_plan *p, uint32_t k, const struct fold_number *v)
{
	const double hi = v->hi;
	const int64_t i = v->i;
	bool whole = p->term[k].whole, first = to->n == 0;
	if (v->n == 0)
		return true;
	to->n += v->n;
	switch (p->reduce) {
	case REDUCE_PRODUCT:
		if (whole)
			return first ? (to->i = i, true) : !__builtin_mul_overflow(to->i, i, &to->i);
		to->hi = first ? hi : to->hi * hi;
		return true;
	case REDUCE_MIN:
		to->i = first || i < to->i ? i : to->i;
		to->hi = first ? hi : fmin(to->hi, hi);
		return true;
	case REDUCE_MAX:
		to->i = first || i > to->i ? i : to->i;
		to->hi = first ? hi : fmax(to->hi, hi);
		return true;
	default:
		if (whole)
			return !__builtin_add_overflow(to->i, i, &to->i);
		add_double(to, hi, v->lo);
		return true;
	}
}

bool fold_number_add(struct fold_number *to, const struct spec_plan *p, uint32_t k, struct tune_value v)
{
	return fold_merge(to, p, k, &(struct fold_number){.hi = v.d, .i = v.i, .n = 1});
}

bool fold_number_join(struct fold_number *to, const struct spec_plan *p, uint32_t k, const struct fold_number *v)
{
	return fold_merge(to, p, k, v);
}

const struct spec_plan *fold_plan(const struct weft_spec *s, uint32_t k, uint32_t *own)
{
	for (size_t i = 0; i < s->attr.n; i++) {
		const struct spec_plan *p = &s->plan[i];
		if (p->split && k >= p->part && k - p->part < p->partials) {
			*own = k - p->part;
			return p;
		}
	}
	return NULL;
}

/* -- values -- */

static uint64_t word_of_double(double d)
{
	uint64_t w;
	memcpy(&w, &d, sizeof w);
	return w;
}

static double double_of_word(uint64_t w)
{
	double d;
	memcpy(&d, &w, sizeof d);
	return d;
}

void fold_pack(const struct spec_attr *a, const char *at, uint64_t *word)
{
	for (uint32_t i = 0; i < (a->len ? a->len : 1); i++) {
		if (a->t == TYPE_DOUBLE)
			word[i] = word_of_double(((const double *)(const void *)at)[i]);
		else if (a->t == TYPE_FLOAT)
			word[i] = word_of_double((double)((const float *)(const void *)at)[i]);
		else if (a->t == TYPE_SHORT)
			word[i] = (uint64_t)((const short *)(const void *)at)[i];
		else if (a->t == TYPE_CHAR)
			word[i] = (uint64_t)((const signed char *)at)[i];
		else if (a->t == TYPE_LONG)
			word[i] = (uint64_t)((const long *)(const void *)at)[i];
		else
			word[i] = (uint64_t)((const int *)(const void *)at)[i];
	}
}

void fold_unpack(const struct spec_attr *a, char *at, const uint64_t *word)
{
	for (uint32_t i = 0; i < (a->len ? a->len : 1); i++) {
		if (a->t == TYPE_DOUBLE)
			((double *)(void *)at)[i] = double_of_word(word[i]);
		else if (a->t == TYPE_FLOAT)
			((float *)(void *)at)[i] = (float)double_of_word(word[i]);
		else if (a->t == TYPE_SHORT)
			((short *)(void *)at)[i] = (short)word[i];
		else if (a->t == TYPE_CHAR)
			at[i] = (char)word[i];
		else if (a->t == TYPE_LONG)
			((long *)(void *)at)[i] = (long)word[i];
		else
			((int *)(void *)at)[i] = (int)word[i];
	}
}

uint32_t fold_width(const struct weft_spec *s, uint32_t actor, bool full)
{
	uint32_t n = 0;
	for (size_t i = 0; i < s->attr.n; i++) {
		const struct spec_attr *a = &s->attr.at[i];
		if (a->scope == SCOPE_ACTOR && a->actor == actor && s->plan[i].at_collector && (full || s->plan[i].travels))
			n += a->len ? a->len : 1;
	}
	return n;
}

/* -- folds -- */

int fold_init(struct fold *f, const struct weft_spec *s, int64_t iteration, bool full)
{
	*f = (struct fold){.kind = FOLD_STATE, .iteration = iteration, .full = full};
	f->group = calloc(s->actor.n + 1, sizeof *f->group);
	f->part = calloc(s->n_parts + 1, sizeof *f->part);
	if (!f->group || !f->part) {
		fold_fini(f);
		return -ENOMEM;
	}
	f->n_groups = (uint32_t)s->actor.n;
	f->n_parts = s->n_parts;
	for (uint32_t a = 0; a < f->n_groups; a++)
		f->group[a].width = fold_width(s, a, full);
	return 0;
}

void fold_fini(struct fold *f)
{
	for (uint32_t a = 0; f->group && a < f->n_groups; a++) {
		free(f->group[a].id);
		free(f->group[a].first);
		free(f->group[a].complete);
		free(f->group[a].word);
	}
	free(f->group);
	free(f->part);
	*f = (struct fold){0};
}

static int fold_grow(struct fold_group *g)
{
	uint32_t room = g->room ? 2 * g->room : 16;
	void *id = realloc(g->id, room * sizeof *g->id);
	g->id = id ? id : g->id;
	void *first = realloc(g->first, room * sizeof *g->first);
	g->first = first ? first : g->first;
	void *complete = realloc(g->complete, room * sizeof *g->complete);
	g->complete = complete ? complete : g->complete;
	void *word = realloc(g->word, (size_t)room * g->width * sizeof *g->word + 1);
	g->word = word ? word : g->word;
	if (!id || !first || !complete || !word)
		return -ENOMEM;
	g->room = room;
	return 0;
}

int64_t fold_add(struct fold_group *g, int64_t id, double first, bool complete)
{
	if (g->n_ids == g->room && fold_grow(g))
		return -ENOMEM;
	uint32_t i = g->n_ids++;
	g->id[i] = id;
	g->first[i] = first;
	g->complete[i] = complete;
	memset(g->word + (size_t)i * g->width, 0, g->width * sizeof *g->word);
	return i;
}

int fold_join(const struct weft_spec *s, struct fold *to, const struct fold *from)
{
	to->ended |= from->ended;
	to->bad |= from->bad;
	if (from->kind != FOLD_STATE)
		return 0;
	for (uint32_t a = 0; a < to->n_groups; a++) {
		struct fold_group *g = &to->group[a];
		const struct fold_group *h = &from->group[a];
		g->n += h->n;
		g->incomplete += h->incomplete;
		for (uint32_t i = 0; i < h->n_ids && h->width == g->width; i++) {
			int64_t k = fold_add(g, h->id[i], h->first[i], h->complete[i]);
			if (k < 0)
				return (int)k;
			memcpy(g->word + (size_t)k * g->width, h->word + (size_t)i * g->width, g->width * sizeof *g->word);
		}
	}
	for (uint32_t k = 0; k < to->n_parts; k++) {
		uint32_t own;
		const struct spec_plan *p = fold_plan(s, k, &own);
		to->bad |= !p || !fold_number_join(&to->part[k], p, own, &from->part[k]);
	}
	return 0;
}

/* -- bytes -- */

static void fold_put(struct weft_buf *b, uint64_t v)
{
	weft_buf_add(b, (const char *)&v, sizeof v);
}

int fold_encode(const struct fold *f, struct weft_buf *out)
{
	bool whole = f->kind == FOLD_STATE;
	fold_put(out, f->kind);
	fold_put(out, (uint64_t)f->iteration);
	fold_put(out,
	         (f->ended ? FLAG_ENDED : 0) | (f->full ? FLAG_FULL : 0) | (f->bad ? FLAG_BAD : 0) | (f->reply ? FLAG_REPLY : 0));
	fold_put(out, f->event);
	fold_put(out, whole ? f->n_groups : 0);
	fold_put(out, whole ? f->n_parts : 0);
	if (f->kind == FOLD_GONE)
		weft_buf_add(out, f->why, sizeof f->why);
	for (uint32_t a = 0; whole && a < f->n_groups; a++) {
		const struct fold_group *g = &f->group[a];
		fold_put(out, g->n);
		fold_put(out, g->incomplete);
		fold_put(out, g->n_ids);
		fold_put(out, g->width);
		for (uint32_t i = 0; i < g->n_ids; i++) {
			fold_put(out, (uint64_t)g->id[i]);
			fold_put(out, word_of_double(g->first[i]));
			fold_put(out, g->complete[i]);
			weft_buf_add(out, (const char *)(g->word + (size_t)i * g->width), g->width * sizeof *g->word);
		}
	}
	for (uint32_t k = 0; whole && k < f->n_parts; k++) {
		fold_put(out, word_of_double(f->part[k].hi));
		fold_put(out, word_of_double(f->part[k].lo));
		fold_put(out, (uint64_t)f->part[k].i);
		fold_put(out, f->part[k].n);
	}
	return out->failed ? -ENOMEM : 0;
}

struct reader {
	const char *at;
	size_t n;
	bool bad;
};

static uint64_t fold_get(struct reader *r)
{
	uint64_t v = 0;
	if (r->n < sizeof v) {
		r->bad = true;
		return 0;
	}
	memcpy(&v, r->at, sizeof v);
	r->at += sizeof v;
	r->n -= sizeof v;
	return v;
}

static int get_group(struct reader *r, struct fold_group *g, uint32_t most)
{
	g->n = fold_get(r);
	g->incomplete = fold_get(r);
	uint64_t ids = fold_get(r), width = fold_get(r);
	/*
	 * As many as fit the bytes that are there: no number in a message decides how much memory
	 * is taken.
	 */
	if (r->bad || width != g->width || ids > r->n / (8 * (3 + width)) || g->incomplete > g->n || g->n > most ||
	    (ids && ids != g->n))
		return WEFT_E_SYNTAX;
	for (uint64_t i = 0; i < ids; i++) {
		int64_t id = (int64_t)fold_get(r);
		double first = double_of_word(fold_get(r));
		int64_t k = fold_add(g, id, first, fold_get(r) != 0);
		if (k < 0)
			return (int)k;
		for (uint32_t w = 0; w < g->width; w++)
			g->word[(size_t)k * g->width + w] = fold_get(r);
	}
	return 0;
}

int fold_decode(const struct weft_spec *s, const void *at, size_t n, struct fold *out)
{
	struct reader r = {.at = at, .n = n};
	uint64_t kind = fold_get(&r), iteration = fold_get(&r), flags = fold_get(&r), event = fold_get(&r), groups = fold_get(&r),
		 parts = fold_get(&r);
	bool state = kind == FOLD_STATE;
	*out = (struct fold){0};
	if (r.bad || kind < FOLD_OPEN || kind > FOLD_LATE || (kind == FOLD_LATE && event >= s->event.n) ||
	    groups != (state ? s->actor.n : 0) || parts != (state ? s->n_parts : 0))
		return WEFT_E_SYNTAX;
	int rc = fold_init(out, s, (int64_t)iteration, (flags & FLAG_FULL) != 0);
	if (rc)
		return rc;
	out->kind = (enum fold_kind)kind;
	out->event = (uint32_t)event;
	out->ended = flags & FLAG_ENDED;
	out->bad = flags & FLAG_BAD;
	out->reply = flags & FLAG_REPLY;
	for (unsigned i = 0; kind == FOLD_GONE && i < WHY_WORDS; i++) {
		uint64_t w = fold_get(&r);
		memcpy(out->why + 8 * i, &w, sizeof w);
	}
	out->why[sizeof out->why - 1] = '\0';
	weft_one_line(out->why);
	for (uint32_t a = 0; state && !rc && a < out->n_groups; a++)
		rc = get_group(&r, &out->group[a], s->actor.at[a].most);
	for (uint32_t k = 0; state && !rc && k < out->n_parts; k++) {
		out->part[k].hi = double_of_word(fold_get(&r));
		out->part[k].lo = double_of_word(fold_get(&r));
		out->part[k].i = (int64_t)fold_get(&r);
		out->part[k].n = fold_get(&r);
	}
	if (!rc && (r.bad || r.n))
		rc = WEFT_E_SYNTAX;
	if (rc)
		fold_fini(out);
	return rc;
}
