/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What collectors can compute before the analyzer sees it, derived from the expressions alone.
 *
 * A value of an actor is computed at the collectors when its events happen in that actor, there may
 * be several of it, and it reads nothing that only the analyzer knows. A parameter such as
 *
 *     x = 0;  for (int i = 0; i < n; i++)  x += worker[i].a * iter.b - pow(m, 2);
 *
 * is a reduction over worker. Its summand is split into terms, each a product of what belongs to
 * worker[i] and of what is the same for all: the collectors sum the first kind (here Σa, and how
 * many there are), the analyzer multiplies. So a term may mix both levels by multiplication, not
 * inside a function: pow(worker[i].a - m, 2) cannot be split, and each a travels. Products, minima
 * and maxima are split only when they use one level. Where all of it is computed: derive_place.c.
 */
#include "derive.h"
#include "tune/lang/expr.h"
#include <string.h>

const char *const derive_reduction_name[] = {"", "sum", "product", "minimum", "maximum", "count"};

static bool refers_to(const struct expr *e, uint32_t attr)
{
	return e->kind == EXPR_REF && e->ref == REF_ATTR && e->id == attr;
}

static bool same_target(const struct expr *a, const struct expr *b)
{
	if (a->kind != EXPR_REF || b->kind != EXPR_REF || a->ref != b->ref || a->id != b->id || a->ref != REF_ATTR)
		return false;
	/* The same instance: by its text, which names it. */
	return a->access == b->access;
}

/* -- levels: what an expression belongs to -- */

struct levels {
	const struct weft_spec *s;
	const struct expr *counter;
	uint32_t actor;
	bool local, common, foreign; /* of worker[i]; the same for all; another instance: neither */
};

static bool counts_by(const struct expr *index, const struct expr *counter)
{
	return index && index->kind == EXPR_REF && index->ref == REF_LOCAL && index->decl == counter;
}

static void find_levels(struct levels *v, const struct expr *e)
{
	if (!e)
		return;
	if (e->kind == EXPR_REF && e->ref == REF_ATTR && v->s->attr.at[e->id].scope == SCOPE_ACTOR &&
	    v->s->actor.at[v->s->attr.at[e->id].actor].most > 1) {
		bool here = e->access == ACCESS_NTH && counts_by(e->kid[0], v->counter) &&
		            (v->actor == SPEC_NONE || v->actor == v->s->attr.at[e->id].actor);
		v->local |= here;
		v->foreign |= !here;
		v->actor = here ? v->s->attr.at[e->id].actor : v->actor;
		return;
	}
	if (e->kind == EXPR_REF && (e->ref == REF_ATTR || e->ref == REF_FIELD || e->ref == REF_COUNT))
		v->common = true;
	if (e->kind == EXPR_REF && e->ref == REF_LOCAL)
		v->foreign |= true;
	/* A function may look at anything. */
	if (e->kind == EXPR_REF && e->ref == REF_FUNCTION)
		v->foreign = true;
	for (int k = 0; k < 4; k++)
		for (const struct expr *p = e->kid[k]; p; p = p->next)
			find_levels(v, p);
}

/* Whether a product has no factor that mixes both levels; *actor as in struct levels. */
static bool term_splits(struct levels *all, const struct expr *e)
{
	if (e->kind == EXPR_BINARY && e->op[0] == '*')
		return term_splits(all, e->kid[0]) && term_splits(all, e->kid[1]);
	if (e->kind == EXPR_BINARY && e->op[0] == '/' && e->kid[1]) {
		struct levels below = {.s = all->s, .counter = all->counter, .actor = all->actor};
		find_levels(&below, e->kid[1]);
		if (!below.local && !below.foreign)
			return term_splits(all, e->kid[0]);
	}
	struct levels one = {.s = all->s, .counter = all->counter, .actor = all->actor};
	find_levels(&one, e);
	all->actor = one.actor;
	all->local |= one.local;
	all->common |= one.common;
	all->foreign |= one.foreign;
	return !one.foreign && !(one.local && one.common);
}

/* The number of terms of a sum, each of which splits; 0 when one does not. */
static uint32_t sum_terms(struct levels *all, const struct expr *e)
{
	if (e->kind == EXPR_BINARY && (e->op[0] == '+' || e->op[0] == '-') && !e->op[1]) {
		uint32_t l = sum_terms(all, e->kid[0]), r = sum_terms(all, e->kid[1]);
		return l && r ? l + r : 0;
	}
	if (e->kind == EXPR_UNARY && e->op[0] == '-' && !e->op[1])
		return sum_terms(all, e->kid[0]);
	return term_splits(all, e) ? 1 : 0;
}

/* -- forms of reductions -- */

/*
 * The operand of one step on `attr` (added, multiplied, compared); NULL: the statement is no such
 * step.
 */
const struct expr *derive_assigned(const struct expr *x, uint32_t attr, enum reduction *how)
{
	static const struct {
		char op;
		enum reduction how;
	} ops[] = {{'+', REDUCE_SUM}, {'-', REDUCE_SUM}, {'*', REDUCE_PRODUCT}};
	if (x->kind != EXPR_ASSIGN || !refers_to(x->kid[0], attr))
		return NULL;
	for (int i = 0; i < 3; i++) {
		const struct expr *v = x->kid[1];
		*how = ops[i].how;
		if (x->op[0] == ops[i].op)
			return v;
		if (x->op[0] != '=' || v->kind != EXPR_BINARY || v->op[0] != ops[i].op)
			continue;
		if (same_target(v->kid[0], x->kid[0]))
			return v->kid[1];
		if (same_target(v->kid[1], x->kid[0]) && ops[i].op != '-')
			return v->kid[0];
	}
	const struct expr *f = x->kid[1];
	if (x->op[0] != '=' || f->kind != EXPR_CALL || f->kid[0]->kind != EXPR_REF || f->kid[0]->ref != REF_MATH || !f->kid[1] ||
	    !f->kid[1]->next)
		return NULL;
	*how = strcmp(f->kid[0]->name, "fmax") == 0 ? REDUCE_MAX : REDUCE_MIN;
	if (strcmp(f->kid[0]->name, "fmax") != 0 && strcmp(f->kid[0]->name, "fmin") != 0)
		return NULL;
	return same_target(f->kid[1], x->kid[0]) ? f->kid[1]->next : same_target(f->kid[1]->next, x->kid[0]) ? f->kid[1] : NULL;
}

/* if (E > x) x = E, also with `|| x == 0` beside it, as the published tunlets begin a minimum. */
const struct expr *derive_compared(const struct expr *st, uint32_t attr, enum reduction *how)
{
	const struct expr *c = st->kid[0], *then = expr_bare(st->kid[1]);
	if (st->kid[2] || !then || then->kind != STMT_EXPR)
		return NULL;
	const struct expr *x = then->kid[0];
	if (x->kind != EXPR_ASSIGN || x->op[0] != '=' || !refers_to(x->kid[0], attr))
		return NULL;
	if (c->kind == EXPR_BINARY && strncmp(c->op, "||", 2) == 0)
		c = c->kid[0];
	if (c->kind != EXPR_BINARY || (c->op[0] != '<' && c->op[0] != '>'))
		return NULL;
	bool right = same_target(c->kid[1], x->kid[0]), left = same_target(c->kid[0], x->kid[0]);
	if (!left && !right)
		return NULL;
	*how = (c->op[0] == '>') == right ? REDUCE_MAX : REDUCE_MIN;
	return x->kid[1];
}

static const struct expr *step(const struct expr *st, uint32_t attr, enum reduction *how)
{
	st = expr_bare(st);
	if (!st)
		return NULL;
	if (st->kind == STMT_IF) {
		const struct expr *v = derive_compared(st, attr, how);
		if (v)
			return v;
		/* A condition around a count or a sum is its own summand. */
		v = st->kid[2] ? NULL : step(st->kid[1], attr, how);
		return v;
	}
	if (st->kind != STMT_EXPR)
		return NULL;
	const struct expr *x = st->kid[0];
	if ((x->kind == EXPR_POSTFIX || x->kind == EXPR_UNARY) && x->op[0] == '+' && x->op[1] == '+' &&
	    refers_to(x->kid[0], attr)) {
		*how = REDUCE_COUNT;
		return x->kid[0];
	}
	const struct expr *v = derive_assigned(x, attr, how);
	if (v && *how == REDUCE_SUM && v->kind == EXPR_NUMBER && strcmp(v->name, "1") == 0)
		*how = REDUCE_COUNT;
	return v;
}

static void find_condition_levels(struct levels *v, const struct expr *body)
{
	body = expr_bare(body);
	if (body && body->kind == STMT_IF)
		find_levels(v, body->kid[0]);
}

/* The reduction in a loop over actors; false when the loop is none. */
static bool reduce_loop(struct weft_spec *s, uint32_t attr, const struct expr *loop, struct spec_plan *p)
{
	const struct expr *bound = loop->kid[1];
	enum reduction how;
	if (!bound || bound->kind != EXPR_BINARY || bound->op[0] != '<' || bound->kid[0]->kind != EXPR_REF ||
	    bound->kid[0]->ref != REF_LOCAL)
		return false;
	const struct expr *v = step(loop->kid[3], attr, &how);
	if (!v)
		return false;
	struct levels all = {.s = s, .counter = bound->kid[0]->decl, .actor = SPEC_NONE};
	struct levels cond = all;
	find_condition_levels(&cond, loop->kid[3]);
	uint32_t terms = 1;
	if (how == REDUCE_SUM)
		terms = sum_terms(&all, v);
	else if (how != REDUCE_COUNT)
		find_levels(&all, v);
	/* The condition of a minimum names the parameter itself: that is the comparison. */
	bool compares = how == REDUCE_MIN || how == REDUCE_MAX;
	all.actor = all.actor == SPEC_NONE ? cond.actor : all.actor;
	if (all.actor == SPEC_NONE || (!all.local && !cond.local))
		return false;
	p->reduce = how;
	p->over = all.actor;
	p->split = terms > 0 && !all.foreign && !cond.foreign && (compares || !(cond.local && cond.common)) &&
	           (how == REDUCE_SUM || compares || !(all.local && all.common));
	p->partials = p->split ? terms : 0;
	return true;
}

static void plan_attr(struct weft_spec *s, uint32_t i, struct spec_plan *p)
{
	const struct spec_attr *a = &s->attr.at[i];
	p->over = SPEC_NONE;
	if (a->value == SPEC_NONE)
		return;
	for (const struct expr *st = s->code.at[a->value].body; st; st = st->next) {
		enum reduction how;
		if (st->kind == STMT_FOR && reduce_loop(s, i, st, p))
			return;
		if (a->on_event && step(st, i, &how)) {
			p->reduce = how;
			p->partials = 1;
			return;
		}
	}
}

void derive_reduce(struct weft_spec *s)
{
	s->plan = spec_alloc(s, s->attr.n * sizeof *s->plan);
	for (uint32_t i = 0; i < s->attr.n; i++)
		plan_attr(s, i, &s->plan[i]);
	derive_places(s);
}
