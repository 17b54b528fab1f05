/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is computed at collectors, and what travels from them. A collector sees the events of some
 * instances of an actor, all of each; it knows neither the iteration's attributes nor parameters
 * nor other instances. So
 *
 * - an event is *folded* there when it says itself which iteration it belongs to, and its actor has
 *   more than one instance; it also *passes* when a value that only the analyzer can compute is
 *   computed on it;
 * - an attribute of an actor is computed there when it is made of folded events of that very
 *   instance and of attributes that are computed there; when nobody else sets it; and when what the
 *   analyzer computes on an event does not read it (what is computed at evaluation may: by then the
 *   collectors have been asked);
 * - what runs there has no loops and calls nothing but math.h: it ends, and can run inside the
 *   collector;
 * - a reduction is *split* when its loop goes over all instances from 0, and all that it reads of
 *   them is computed there.
 *
 * Each rule only takes away; they are applied until nothing changes.
 */
#include "derive.h"
#include "tune/lang/expr.h"
#include "tune/lang/spec_runtime.h"
#include <string.h>

/* -- codes that a collector can run -- */

struct look {
	const struct weft_spec *s;
	uint32_t actor;
	bool foreign; /* something that is not there */
};

static bool is_own_id(const struct weft_spec *s, const struct expr *index, uint32_t actor)
{
	return index && index->kind == EXPR_REF && index->ref == REF_FIELD &&
	       (index->sub == FIELD_ID || index->sub == FIELD_TASK) && s->event.at[index->id].actor_id == actor;
}

static void look_at(void *ctx, struct expr *e)
{
	struct look *l = ctx;
	bool loop = e->kind == STMT_FOR || e->kind == STMT_WHILE || e->kind == STMT_DO;
	l->foreign |= loop || e->kind == EXPR_STRING;
	if (e->kind != EXPR_REF)
		return;
	if (e->ref == REF_ATTR) {
		const struct spec_attr *a = &l->s->attr.at[e->id];
		bool own = e->access == ACCESS_SELF || (e->access == ACCESS_ID && is_own_id(l->s, e->kid[0], a->actor));
		l->foreign |= a->scope != SCOPE_ACTOR || a->actor != l->actor || !own || !l->s->plan[e->id].at_collector;
	} else if (e->ref != REF_LOCAL && e->ref != REF_FIELD && e->ref != REF_MATH) {
		l->foreign = true;
	}
}

static bool runs_there(struct weft_spec *s, uint32_t code, uint32_t actor)
{
	if (code == SPEC_NONE)
		return true;
	struct look l = {.s = s, .actor = actor};
	expr_walk(s->code.at[code].body, look_at, &l);
	return !l.foreign && !s->code.at[code].broken && !s->code.at[code].opaque;
}

/* -- events -- */

/*
 * An event of the actor that does not say its iteration belongs to the one that its process has
 * begun.
 */
static bool begins_for_others(const struct weft_spec *s, uint32_t actor)
{
	for (size_t e = 0; e < s->event.n; e++)
		if (s->event.at[e].actor_id == actor && s->event.at[e].iteration_ref == SPEC_NONE)
			return true;
	return false;
}

static void place_events(struct weft_spec *s)
{
	for (uint32_t e = 0; e < s->event.n; e++) {
		struct spec_event *v = &s->event.at[e];
		/* The runtime's are few, and workers no processes: there is nothing to fold. */
		v->folds = v->actor_id < s->actor.n && s->actor.at[v->actor_id].most > 1 && v->iteration_ref != SPEC_NONE &&
		           !runtime_is_class(v->class.z);
		v->passes = !v->folds || (v->iter == ITER_BEGIN && (spec_has_depinic(s) || begins_for_others(s, v->actor_id)));
		for (uint32_t i = 0; i < s->attr.n; i++) {
			const struct spec_attr *a = &s->attr.at[i];
			v->passes |= a->on_event && bits_has(&a->triggers, e) && !s->plan[i].at_collector;
		}
	}
}

/* -- attributes -- */

static bool events_fold(const struct weft_spec *s, const struct spec_attr *a)
{
	for (uint32_t e = 0; e < s->event.n; e++)
		if (bits_has(&a->triggers, e) && (s->event.at[e].actor_id != a->actor || !s->event.at[e].folds))
			return false;
	return true;
}

/* Whether a code runs when an event comes, at the analyzer. */
static bool is_early(const struct weft_spec *s, const struct spec_code *c)
{
	if (c->role == ROLE_VALUE)
		return s->attr.at[c->owner].on_event && !s->plan[c->owner].at_collector;
	return c->role == ROLE_INIC && !s->plan[c->owner].at_collector;
}

static bool others_leave_it(const struct weft_spec *s, uint32_t i)
{
	for (size_t k = 0; k < s->code.n; k++) {
		const struct spec_code *c = &s->code.at[k];
		bool of_attr = c->role == ROLE_INIC || c->role == ROLE_VALUE;
		bool there = of_attr && s->plan[c->owner].at_collector && s->attr.at[c->owner].actor == s->attr.at[i].actor;
		if ((!there && bits_has(&c->writes, i)) || (is_early(s, c) && bits_has(&c->reads, i)))
			return false;
	}
	return true;
}

static bool place_stays(struct weft_spec *s, uint32_t i)
{
	const struct spec_attr *a = &s->attr.at[i];
	return events_fold(s, a) && runs_there(s, a->value, a->actor) && runs_there(s, a->inic, a->actor) &&
	       others_leave_it(s, i);
}

static void place_attrs(struct weft_spec *s)
{
	for (uint32_t i = 0; i < s->attr.n; i++) {
		const struct spec_attr *a = &s->attr.at[i];
		s->plan[i].at_collector = a->scope == SCOPE_ACTOR && a->actor < s->actor.n && a->on_event &&
		                          a->value != SPEC_NONE && s->code.at[a->value].body && a->implied_event == SPEC_NONE &&
		                          a->t != TYPE_STRING;
	}
	place_events(s);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < s->attr.n; i++)
			if (s->plan[i].at_collector && !place_stays(s, i)) {
				s->plan[i].at_collector = false;
				more = true;
			}
	}
	place_events(s);
}

/* -- loops -- */

struct splitter {
	struct weft_spec *s;
	struct spec_plan *p;
	uint32_t attr;
	bool minus; /* the step subtracts */
	bool ok;
};

static bool is_number(const struct expr *e, const char *z)
{
	return e && e->kind == EXPR_NUMBER && strcmp(e->name, z) == 0;
}

static bool is_counter(const struct expr *e, const struct expr *decl)
{
	return e && e->kind == EXPR_REF && e->ref == REF_LOCAL && e->decl == decl;
}

static bool counts_up(const struct expr *e, const struct expr *decl)
{
	if (!e || !is_counter(e->kid[0], decl))
		return false;
	if (e->kind == EXPR_POSTFIX || e->kind == EXPR_UNARY)
		return expr_is_op(e, "++");
	return e->kind == EXPR_ASSIGN && expr_is_op(e, "+=") && is_number(e->kid[1], "1");
}

static bool begins_at_0(const struct expr *st, const struct expr *decl)
{
	if (st && st->kind == STMT_DECL)
		return st == decl && !st->kid[1] && is_number(st->kid[0], "0");
	const struct expr *x = st && st->kind == STMT_EXPR ? st->kid[0] : NULL;
	return x && x->kind == EXPR_ASSIGN && expr_is_op(x, "=") && is_counter(x->kid[0], decl) && is_number(x->kid[1], "0");
}

/* The variables that an expression in the loop uses. */
struct uses {
	const struct weft_spec *s;
	const struct spec_plan *p;
	uint32_t attr;
	bool local, common, bad; /* bad: it changes something, or cannot be told apart */
};

static void look_at_use(void *ctx, struct expr *e)
{
	struct uses *u = ctx;
	u->bad |= e->kind == EXPR_ASSIGN || e->kind == EXPR_POSTFIX || e->kind == EXPR_STRING ||
	          ((e->kind == EXPR_UNARY) && e->op[1]);
	if (e->kind != EXPR_REF)
		return;
	if (e->ref == REF_ATTR) {
		const struct spec_attr *a = &u->s->attr.at[e->id];
		bool many = a->scope == SCOPE_ACTOR && u->s->actor.at[a->actor].most > 1;
		bool here = many && a->actor == u->p->over && e->access == ACCESS_NTH && is_counter(e->kid[0], u->p->counter);
		u->local |= here;
		u->common |= !here;
		u->bad |= (many && !here) || (here && !u->s->plan[e->id].at_collector) || e->id == u->attr;
	} else if (e->ref == REF_FIELD || e->ref == REF_COUNT) {
		u->common = true;
	} else if (e->ref == REF_LOCAL) {
		/*
		 * The counter inside an index is passed over with its attribute; elsewhere it is a
		 * number that collectors do not know.
		 */
		u->bad |= !is_counter(e, u->p->counter);
	} else if (e->ref != REF_MATH) {
		u->bad = true;
	}
}

static bool has_bare_counter(const struct expr *e, const struct expr *counter)
{
	if (!e)
		return false;
	if (is_counter(e, counter))
		return true;
	if (e->kind == EXPR_REF && e->ref == REF_ATTR && is_counter(e->kid[0], counter))
		return false;
	for (int k = 0; k < 4; k++)
		for (const struct expr *c = e->kid[k]; c; c = c->next)
			if (has_bare_counter(c, counter))
				return true;
	return false;
}

static struct uses uses_of(struct splitter *sp, const struct expr *e)
{
	struct uses u = {.s = sp->s, .p = sp->p, .attr = sp->attr};
	/* Walking only looks; the list behind the expression is not part of it. */
	struct expr alone = *e;
	alone.next = NULL;
	expr_walk(&alone, look_at_use, &u);
	u.bad |= has_bare_counter(&alone, sp->p->counter);
	return u;
}

static void add_factors(struct splitter *sp, struct spec_term *t, const struct expr *e, bool divides)
{
	if (e->kind == EXPR_BINARY && expr_is_op(e, "*") && !divides) {
		add_factors(sp, t, e->kid[0], false);
		add_factors(sp, t, e->kid[1], false);
		return;
	}
	struct uses u = uses_of(sp, e);
	/* In whole numbers a division is not the last thing to be done. */
	if (e->kind == EXPR_BINARY && expr_is_op(e, "/") && !divides && u.local && type_is_real(e->type)) {
		struct uses below = uses_of(sp, e->kid[1]);
		if (!below.local) {
			add_factors(sp, t, e->kid[0], false);
			add_factors(sp, t, e->kid[1], true);
			return;
		}
	}
	sp->ok &= !u.bad && !(u.local && u.common) && !(u.local && divides) && t->n < TERM_FACTORS;
	if (!sp->ok)
		return;
	t->factor[t->n].e = e;
	t->factor[t->n].divides = divides;
	t->factor[t->n++].local = u.local;
	t->whole &= !u.local || !type_is_real(e->type);
}

static void add_terms(struct splitter *sp, const struct expr *e, bool minus)
{
	bool sum = e->kind == EXPR_BINARY && (expr_is_op(e, "+") || expr_is_op(e, "-"));
	if (sum) {
		add_terms(sp, e->kid[0], minus);
		add_terms(sp, e->kid[1], minus != expr_is_op(e, "-"));
		return;
	}
	if (e->kind == EXPR_UNARY && expr_is_op(e, "-")) {
		add_terms(sp, e->kid[0], !minus);
		return;
	}
	if (sp->p->partials >= TERMS_MAX || !sp->ok) {
		sp->ok = false;
		return;
	}
	struct spec_term *t = &sp->p->term[sp->p->partials++];
	*t = (struct spec_term){.minus = minus, .whole = true};
	add_factors(sp, t, e, false);
}

/* One term that is local as a whole: of a minimum, maximum, product. */
static void add_value(struct splitter *sp, const struct expr *e)
{
	struct uses u = uses_of(sp, e);
	sp->ok &= u.local && !u.common && !u.bad;
	sp->p->partials = 1;
	sp->p->term[0] = (struct spec_term){.n = 1, .whole = !type_is_real(e->type)};
	sp->p->term[0].factor[0].e = e;
	sp->p->term[0].factor[0].local = true;
}

/* The step of the loop: what it does to the value, by what. */
static void split_step(struct splitter *sp, const struct expr *st)
{
	enum reduction how;
	const struct expr *v = NULL, *x = NULL;
	if (st->kind == STMT_IF && (v = derive_compared(st, sp->attr, &how))) {
		/* `|| x == 0`, which begins a minimum, asks for the values one after the other. */
		sp->ok &= !expr_is_op(st->kid[0], "||");
		sp->p->target = expr_bare(st->kid[1])->kid[0]->kid[0];
		add_value(sp, v);
		sp->p->reduce = how;
		return;
	}
	if (st->kind == STMT_IF) {
		struct uses u = uses_of(sp, st->kid[0]);
		sp->ok &= !st->kid[2] && u.local && !u.common && !u.bad;
		sp->p->cond = st->kid[0];
		st = expr_bare(st->kid[1]);
	}
	if (!st || st->kind != STMT_EXPR || !sp->ok) {
		sp->ok = false;
		return;
	}
	x = st->kid[0];
	if ((x->kind == EXPR_POSTFIX || x->kind == EXPR_UNARY) && expr_is_op(x, "++") && x->kid[0]->kind == EXPR_REF &&
	    x->kid[0]->ref == REF_ATTR && x->kid[0]->id == sp->attr) {
		sp->p->target = x->kid[0];
		sp->p->reduce = REDUCE_SUM;
		sp->p->partials = 1;
		sp->p->term[0] = (struct spec_term){.whole = true};
		return;
	}
	v = derive_assigned(x, sp->attr, &how);
	sp->ok &= v != NULL;
	if (!v)
		return;
	sp->p->target = x->kid[0];
	sp->p->reduce = how;
	sp->p->called = how == REDUCE_MIN || how == REDUCE_MAX;
	bool minus = x->op[0] == '-' || (x->op[0] == '=' && x->kid[1]->kind == EXPR_BINARY && x->kid[1]->op[0] == '-');
	if (how == REDUCE_SUM)
		add_terms(sp, v, minus);
	else
		add_value(sp, v);
}

struct touch {
	const struct weft_spec *s;
	bool found;
};

static void find_instances(void *ctx, struct expr *e)
{
	struct touch *t = ctx;
	if (e->kind == EXPR_REF && e->ref == REF_ATTR && t->s->plan[e->id].at_collector)
		t->found = true;
}

/* Whether the statements beside the loop read instances. */
static bool touches_instances(const struct weft_spec *s, const struct expr *body, const struct expr *but)
{
	struct touch t = {.s = s};
	for (const struct expr *st = body; st && !t.found; st = st->next) {
		struct expr alone = *st;
		alone.next = NULL;
		if (st != but)
			expr_walk(&alone, find_instances, &t);
	}
	return t.found;
}

static bool whole_sum_fits(const struct splitter *sp)
{
	if (type_is_real(sp->s->attr.at[sp->attr].t))
		return true;
	for (uint32_t i = 0; i < sp->p->partials; i++) {
		const struct spec_term *t = &sp->p->term[i];
		for (uint32_t k = 0; k < t->n; k++)
			if (type_is_real(t->factor[k].e->type))
				return false;
	}
	return true;
}

static void split_loop(struct weft_spec *s, uint32_t i)
{
	const struct spec_attr *a = &s->attr.at[i];
	const struct spec_code *c = &s->code.at[a->value];
	struct spec_plan *p = &s->plan[i], kept = *p;
	struct splitter sp = {.s = s,
	                      .p = p,
	                      .attr = i,
	                      .ok = p->over != SPEC_NONE && !a->on_event && !a->len && a->scope != SCOPE_ACTOR &&
	                            !bits_any(&c->calls) && !bits_any(&c->tunes)};
	p->split = false;
	if (!sp.ok)
		return;
	p->term = spec_alloc(s, TERMS_MAX * sizeof *p->term);
	p->partials = 0;
	const struct expr *st = c->body;
	while (st && st->kind != STMT_FOR)
		st = st->next;
	const struct expr *bound = st ? st->kid[1] : NULL;
	sp.ok = bound && bound->kind == EXPR_BINARY && expr_is_op(bound, "<") && bound->kid[0]->kind == EXPR_REF &&
	        bound->kid[0]->ref == REF_LOCAL && !type_is_real(bound->kid[1]->type);
	if (sp.ok) {
		p->loop = st;
		p->counter = bound->kid[0]->decl;
		p->bound = bound->kid[1];
		struct uses u = uses_of(&sp, p->bound);
		sp.ok = !u.bad && !u.local && begins_at_0(st->kid[0], p->counter) && counts_up(st->kid[2], p->counter) &&
		        expr_bare(st->kid[3]) && !expr_bare(st->kid[3])->next && !touches_instances(s, c->body, st);
	}
	if (sp.ok)
		split_step(&sp, expr_bare(st->kid[3]));
	p->split = sp.ok && whole_sum_fits(&sp);
	if (!p->split) {
		*p = kept;
		p->split = false;
		p->partials = 0;
	}
}

/* -- what travels -- */

static void find_travellers(struct weft_spec *s)
{
	for (uint32_t i = 0; i < s->attr.n; i++) {
		s->plan[i].part = s->n_parts;
		s->n_parts += s->plan[i].split ? s->plan[i].partials : 0;
	}
	for (size_t i = 0; i < s->code.n; i++) {
		const struct spec_code *c = &s->code.at[i];
		bool value = c->role == ROLE_VALUE || c->role == ROLE_INIC;
		if (value && (s->plan[c->owner].at_collector || (c->role == ROLE_VALUE && s->plan[c->owner].split)))
			continue;
		if (c->role == ROLE_COMPLETION && s->actor.at[c->owner].complete_there)
			continue;
		for (uint32_t k = 0; k < s->attr.n; k++)
			if (bits_has(&c->reads, k) && s->plan[k].at_collector)
				s->plan[k].travels = true;
	}
}

static void place_actors(struct weft_spec *s)
{
	for (uint32_t a = 0; a < s->actor.n; a++) {
		struct spec_actor *x = &s->actor.at[a];
		x->complete_there = x->complete == SPEC_NONE || runs_there(s, x->complete, a);
		x->folds = x->ids = false;
		for (size_t e = 0; e < s->event.n; e++)
			if (s->event.at[e].actor_id == a)
				x->folds |= s->event.at[e].folds;
	}
}

static void find_ids(struct weft_spec *s)
{
	for (uint32_t i = 0; i < s->attr.n; i++)
		if (s->attr.at[i].scope == SCOPE_ACTOR && s->attr.at[i].actor < s->actor.n)
			s->actor.at[s->attr.at[i].actor].ids |= !s->plan[i].at_collector || s->plan[i].travels;
	for (size_t e = 0; e < s->event.n; e++)
		if (s->event.at[e].actor_id < s->actor.n)
			s->actor.at[s->event.at[e].actor_id].ids |= s->event.at[e].passes;
	for (uint32_t a = 0; a < s->actor.n; a++)
		s->actor.at[a].ids |= !s->actor.at[a].complete_there;
}

void derive_places(struct weft_spec *s)
{
	place_attrs(s);
	place_actors(s);
	for (uint32_t i = 0; i < s->attr.n; i++)
		if (s->plan[i].split)
			split_loop(s, i);
	find_travellers(s);
	find_ids(s);
}
