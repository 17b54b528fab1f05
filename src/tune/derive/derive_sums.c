/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of the iteration that are sums event by event, of events that collectors see:
 *
 *     iter.n += W.x            (on W, an event of worker)
 *
 * is the same as a sum of each worker's own, and a sum over these when the iteration is evaluated:
 *
 *     worker.iter_n += W.x     (on W)
 *     for (int i = 0; i < count(worker); i++) iter.n += worker[i].iter_n
 *
 * It is written so here, before anything is placed; then nothing else need know of it, the events
 * need not travel, and the result is the same to the last bit with collectors and without. Where
 * somebody looks at the sum while the iteration goes on, it stays as it is.
 */
#include "derive.h"
#include "tune/lang/expr.h"
#include <stdio.h>
#include <string.h>

/* -- which -- */

/* The actor of all its events, when collectors see these; else SPEC_NONE. */
static uint32_t actor_of(const struct weft_spec *s, const struct spec_attr *a)
{
	uint32_t actor = SPEC_NONE;
	for (uint32_t e = 0; e < s->event.n; e++) {
		const struct spec_event *v = &s->event.at[e];
		if (!bits_has(&a->triggers, e))
			continue;
		if (v->actor_id >= s->actor.n || s->actor.at[v->actor_id].most < 2 || v->iteration_ref == SPEC_NONE ||
		    (actor != SPEC_NONE && actor != v->actor_id))
			return SPEC_NONE;
		actor = v->actor_id;
	}
	return actor;
}

/* Only the owner changes it, and whoever reads it does so at evaluation. */
static bool is_private(const struct weft_spec *s, uint32_t attr)
{
	for (size_t i = 0; i < s->code.n; i++) {
		const struct spec_code *c = &s->code.at[i];
		bool of_attr = c->role == ROLE_VALUE || c->role == ROLE_INIC, own = of_attr && c->owner == attr;
		bool early = c->role == ROLE_COMPLETION || c->role == ROLE_INIC ||
		             (c->role == ROLE_VALUE && s->attr.at[c->owner].on_event);
		bool changes = bits_has(&c->writes, attr) || (c->opaque && bits_has(&c->reads, attr));
		if (!own && (changes || (early && bits_has(&c->reads, attr))))
			return false;
	}
	return true;
}

static bool is_target(const struct expr *e, uint32_t attr)
{
	return e && e->kind == EXPR_REF && e->ref == REF_ATTR && e->id == attr;
}

/* The terms that may stand beside the sum itself: data of the event, and arithmetic. */
struct look {
	uint32_t attr;
	unsigned mentions;
	bool other;
};

static void look_at(void *ctx, struct expr *e)
{
	struct look *l = ctx;
	l->mentions += is_target(e, l->attr);
	l->other |= e->kind == EXPR_STRING || e->kind == STMT_DECL || e->kind == STMT_FOR || e->kind == STMT_WHILE ||
	            e->kind == STMT_DO;
	l->other |= e->kind == EXPR_REF && e->ref != REF_FIELD && e->ref != REF_MATH && !is_target(e, l->attr);
}

/*
 * The step adds to the attribute, and what it adds is of the attribute's own kind: each step of a
 * whole number would round.
 */
static bool adds(const struct weft_spec *s, const struct expr *st, uint32_t attr)
{
	enum reduction how;
	const struct expr *x = st && st->kind == STMT_EXPR ? st->kid[0] : NULL;
	if (!x)
		return false;
	if (x->kind == EXPR_POSTFIX || x->kind == EXPR_UNARY)
		return is_target(x->kid[0], attr) && expr_is_op(x, "++");
	const struct expr *v = derive_assigned(x, attr, &how);
	return v && how == REDUCE_SUM && (type_is_real(s->attr.at[attr].t) || !type_is_real(v->type));
}

static bool is_sum(struct weft_spec *s, uint32_t attr)
{
	const struct spec_attr *a = &s->attr.at[attr];
	const struct spec_code *c = a->value == SPEC_NONE ? NULL : &s->code.at[a->value];
	if (a->scope != SCOPE_ITERATION || !a->on_event || a->len || a->t == TYPE_STRING || a->metric.z || !c || !c->body ||
	    c->broken || c->body->next || bits_any(&c->calls) || bits_any(&c->tunes))
		return false;
	struct look l = {.attr = attr};
	expr_walk(c->body, look_at, &l);
	const struct expr *st = expr_bare(c->body);
	bool guarded = st && st->kind == STMT_IF && !st->kid[2];
	st = guarded ? expr_bare(st->kid[1]) : st;
	/* `n = n + x` names it twice; nothing else does. */
	bool plain = st && st->kind == STMT_EXPR && expr_is_op(st->kid[0], "=");
	return !l.other && l.mentions == 1u + plain && adds(s, st, attr) && actor_of(s, a) != SPEC_NONE && is_private(s, attr);
}

/* -- the two that it becomes -- */

static struct expr *node(struct weft_spec *s, struct expr e)
{
	struct expr *n = spec_alloc(s, sizeof *n);
	*n = e;
	return n;
}

/* A copy of the tree that means `to` where it meant `from`. */
static struct expr *copy_for(struct weft_spec *s, const struct expr *e, uint32_t from, uint32_t to)
{
	if (!e)
		return NULL;
	struct expr *c = node(s, *e);
	for (int k = 0; k < 4; k++)
		c->kid[k] = copy_for(s, e->kid[k], from, to);
	c->next = copy_for(s, e->next, from, to);
	if (is_target(e, from)) {
		c->id = to;
		c->type = s->attr.at[to].t;
		c->access = ACCESS_SELF;
	}
	return c;
}

/* All that is made has the place of the expression that it stands for. */
struct maker {
	struct weft_spec *s;
	struct span where;
};

static struct expr *make(struct maker *m, enum expr_kind kind, const char *op, enum spec_type t, struct expr *a, struct expr *b)
{
	struct expr *e = node(m->s, (struct expr){.kind = kind, .type = t, .where = m->where, .kid = {a, b}});
	snprintf(e->op, sizeof e->op, "%s", op);
	return e;
}

static struct expr *make_ref(struct maker *m, enum ref_kind ref, uint32_t id, enum spec_type t)
{
	struct expr *e = make(m, EXPR_REF, "", t, NULL, NULL);
	e->ref = ref;
	e->id = id;
	e->read = true;
	return e;
}

static struct expr *make_counter(struct maker *m, struct expr *decl)
{
	struct expr *e = make_ref(m, REF_LOCAL, SPEC_NONE, TYPE_INT);
	e->decl = decl;
	return e;
}

static struct expr *loop_over(struct weft_spec *s, uint32_t sum, uint32_t part, uint32_t actor, struct span where)
{
	struct maker m = {s, where};
	struct expr *zero = make(&m, EXPR_NUMBER, "", TYPE_INT, NULL, NULL);
	zero->name = "0";
	struct expr *decl = make(&m, STMT_DECL, "", TYPE_INT, zero, NULL);
	decl->name = "i";
	struct expr *count = make_ref(&m, REF_COUNT, actor, TYPE_INT);
	struct expr *bound = make(&m, EXPR_BINARY, "<", TYPE_INT, make_counter(&m, decl), count);
	struct expr *to = make_ref(&m, REF_ATTR, sum, s->attr.at[sum].t);
	to->write = true;
	struct expr *one = make_ref(&m, REF_ATTR, part, s->attr.at[part].t);
	one->access = ACCESS_NTH;
	one->kid[0] = make_counter(&m, decl);
	struct expr *add = make(&m, EXPR_ASSIGN, "+=", s->attr.at[sum].t, to, one);
	struct expr *loop = make(&m, STMT_FOR, "", TYPE_NONE, decl, bound);
	loop->kid[2] = make(&m, EXPR_POSTFIX, "++", TYPE_INT, make_counter(&m, decl), NULL);
	loop->kid[3] = make(&m, STMT_EXPR, "", TYPE_NONE, add, NULL);
	return loop;
}

/* A name that the actor has not. */
static const char *name_of_part(struct weft_spec *s, uint32_t actor, const char *sum)
{
	const char *name = spec_printf(s, "iter_%s", sum);
	while (spec_find_attr(s, SCOPE_ACTOR, actor, name) != SPEC_NONE)
		name = spec_printf(s, "%s_", name);
	return name;
}

static uint32_t add_part(struct weft_spec *s, uint32_t sum, uint32_t actor)
{
	const struct spec_attr *a = &s->attr.at[sum];
	uint32_t part = (uint32_t)s->attr.n, code = (uint32_t)s->code.n;
	struct spec_attr p = {.scope = SCOPE_ACTOR,
	                      .actor = actor,
	                      .id = {name_of_part(s, actor, a->id.z), a->id.where},
	                      .inic = SPEC_NONE,
	                      .value = code,
	                      .t = type_is_real(a->t) ? TYPE_DOUBLE : TYPE_LONG,
	                      .implied_event = SPEC_NONE,
	                      .on_event = true,
	                      .triggers = a->triggers,
	                      .follows = SPEC_NONE,
	                      .id_actor = SPEC_NONE};
	struct spec_code c = s->code.at[a->value];
	c.owner = part;
	spec_push(s, &s->attr, p);
	c.body = copy_for(s, c.body, sum, part);
	spec_push(s, &s->code, c);
	return part;
}

/* There are more attributes than when the sets of them were made. */
static void widen(struct weft_spec *s)
{
	for (size_t i = 0; i < s->code.n; i++) {
		struct bits *all[] = {&s->code.at[i].reads, &s->code.at[i].writes};
		for (int k = 0; k < 2; k++) {
			struct bits wide = spec_bits(s, s->attr.n);
			(void)bits_or(&wide, all[k]);
			*all[k] = wide;
		}
	}
}

static struct bits only(struct weft_spec *s, uint32_t a, uint32_t b)
{
	struct bits bits = spec_bits(s, s->attr.n);
	bits_set(&bits, a);
	bits_set(&bits, b);
	return bits;
}

static void split_sum(struct weft_spec *s, uint32_t sum)
{
	uint32_t actor = actor_of(s, &s->attr.at[sum]), part = add_part(s, sum, actor);
	struct spec_attr *a = &s->attr.at[sum];
	struct spec_code *c = &s->code.at[a->value], *of_part = &s->code.at[s->attr.at[part].value];
	widen(s);
	of_part->reads = of_part->writes = only(s, part, part);
	c->body = loop_over(s, sum, part, actor, c->where);
	c->reads = only(s, sum, part);
	c->writes = only(s, sum, sum);
	c->events = spec_bits(s, s->event.n);
	a->on_event = false;
	a->follows = SPEC_NONE;
	a->triggers = spec_bits(s, s->event.n);
	/* Before all that is computed at evaluation: it reads nothing of that. */
	spec_push(s, &s->order, sum);
	memmove(s->order.at + 1, s->order.at, (s->order.n - 1) * sizeof *s->order.at);
	s->order.at[0] = sum;
}

void derive_sums(struct weft_spec *s)
{
	for (uint32_t i = 0, n = (uint32_t)s->attr.n; i < n && !spec_has_depinic(s) && s->attr.n < SPEC_ENTITIES_MAX; i++)
		if (is_sum(s, i))
			split_sum(s, i);
}
