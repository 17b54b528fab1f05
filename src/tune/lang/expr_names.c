/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names become entities. A name that means nothing is an error with the nearest name that would; two
 * that the published files use are understood all the same, with a warning: an attribute of the
 * iteration that only an event carries, and MATE's own iter.GetNum_ACTOR() (expr_bind.c).
 */
#include "expr_bind_priv.h"
#include <string.h>

enum { KNOWN_MAX = 256 };

static struct expr *find_local(struct binder *b, const char *z)
{
	for (unsigned i = b->n_locals; i-- > 0;)
		if (strcmp(b->local[i]->name, z) == 0)
			return b->local[i];
	return NULL;
}

static enum spec_type become_attr(struct binder *b, struct expr *e, uint32_t attr, enum access access, struct expr *index)
{
	e->kind = EXPR_REF;
	e->ref = REF_ATTR;
	e->id = attr;
	e->access = access;
	e->kid[0] = index;
	e->kid[1] = NULL;
	e->read = true;
	return e->type = b->s->attr.at[attr].t;
}

enum spec_type bind_become(struct expr *e, enum ref_kind ref, uint32_t id, enum spec_type t)
{
	e->kind = EXPR_REF;
	e->ref = ref;
	e->id = id;
	e->kid[0] = e->kid[1] = NULL;
	return e->type = t;
}

/* -- suggestions -- */

static const char *bind_suggest(struct binder *b, const char *z, bool call)
{
	const char *known[KNOWN_MAX] = {0};
	struct weft_spec *s = b->s;
	size_t n = 0;
	for (unsigned i = 0; i < b->n_locals && n < KNOWN_MAX; i++)
		known[n++] = b->local[i]->name;
	for (size_t i = 0; i < s->attr.n && n < KNOWN_MAX && !call; i++) {
		const struct spec_attr *a = &s->attr.at[i];
		bool own = b->has_scope && a->scope == b->scope && (a->scope != SCOPE_ACTOR || a->actor == b->actor);
		if (a->id.z && (own || a->scope == SCOPE_PARAMETER))
			known[n++] = a->id.z;
	}
	for (size_t i = 0; i < s->function.n && n < KNOWN_MAX; i++)
		if (s->function.at[i].id.z)
			known[n++] = s->function.at[i].id.z;
	const char *near = weft_nearest(z, known, n);
	if (near || call)
		return near;
	/* An attribute of the iteration, without "iter.". */
	uint32_t iter = spec_find_attr(s, SCOPE_ITERATION, 0, z);
	if (iter != SPEC_NONE)
		return spec_attr_path(s, iter);
	/* The bound of a loop over actors: what is said to be their number. */
	for (size_t i = 0; i < s->attr.n && b->in_bound; i++)
		for (size_t k = 0; k < s->actor.n; k++)
			if (s->attr.at[i].scope == SCOPE_PARAMETER && s->attr.at[i].comment.z && s->actor.at[k].id.z &&
			    strstr(s->attr.at[i].comment.z, spec_printf(s, "number of %s", s->actor.at[k].id.z)))
				return s->attr.at[i].id.z;
	return NULL;
}

enum spec_type bind_undeclared(struct binder *b, struct expr *e, const char *what, const char *z, bool call)
{
	const char *near = bind_suggest(b, z, call);
	spec_say(b->s, WEFT_ERROR, "undeclared", e->where, near ? spec_printf(b->s, "did you mean '%s'?", near) : NULL,
	         "%s%s'%s' is not declared", what, what[0] ? " " : "", z);
	b->c->broken = true;
	return e->type = TYPE_DOUBLE;
}

/* -- names -- */

enum spec_type bind_name(struct binder *b, struct expr *e)
{
	struct weft_spec *s = b->s;
	struct expr *local = find_local(b, e->name);
	if (local) {
		e->decl = local;
		e->read = true;
		return bind_become(e, REF_LOCAL, SPEC_NONE, local->type);
	}
	uint32_t own = b->has_scope ? spec_find_attr(s, b->scope, b->actor, e->name) : SPEC_NONE;
	if (own != SPEC_NONE)
		return become_attr(b, e, own, b->scope == SCOPE_ACTOR ? ACCESS_SELF : ACCESS_PLAIN, NULL);
	uint32_t param = spec_find_attr(s, SCOPE_PARAMETER, 0, e->name);
	if (param != SPEC_NONE)
		return become_attr(b, e, param, ACCESS_PLAIN, NULL);
	bool truth = strcmp(e->name, "true") == 0;
	if (truth || strcmp(e->name, "false") == 0) {
		spec_say(s, WEFT_NOTE, "truth", e->where, NULL, "'%s' is taken as %d", e->name, truth);
		e->kind = EXPR_NUMBER;
		e->name = truth ? "1" : "0";
		return e->type = TYPE_INT;
	}
	if (strcmp(e->name, "M_PI") == 0) {
		e->kind = EXPR_NUMBER;
		e->name = "3.14159265358979323846";
		return e->type = TYPE_DOUBLE;
	}
	uint32_t point = spec_find_point(s, e->name), variable = spec_find_variable(s, e->name);
	if (b->c->role == ROLE_COND && point != SPEC_NONE) {
		enum spec_type t = variable != SPEC_NONE ? s->variable.at[variable].t : TYPE_DOUBLE;
		spec_say(
			s, WEFT_WARNING, "point-value", e->where, NULL,
			"'%s' is a variable of the program that no event carries: taken as the value that was just computed for it",
			e->name);
		return bind_become(e, REF_POINT, point, t);
	}
	if (variable != SPEC_NONE && b->c->role == ROLE_OBJECTIVE)
		return bind_become(e, REF_ASSUMED, variable, TYPE_DOUBLE);
	if (variable != SPEC_NONE) {
		spec_say(s, WEFT_ERROR, "program-variable", e->where, "let an event carry it, and use EVENT.NAME",
		         "'%s' is a variable of the program: its value is known where an event carries it", e->name);
		b->c->broken = true;
		return e->type = s->variable.at[variable].t;
	}
	return bind_undeclared(b, e, "", e->name, false);
}

/* An attribute of the iteration that is not declared, but that one event carries. */
static uint32_t bind_imply(struct binder *b, struct expr *e)
{
	struct weft_spec *s = b->s;
	uint32_t event = SPEC_NONE, field = SPEC_NONE, found = 0;
	for (uint32_t i = 0; i < s->event.n; i++) {
		uint32_t f = spec_find_field(s, i, e->name);
		if (f == SPEC_NONE || f < FIELD_FIRST)
			continue;
		if (s->event.at[i].iter == ITER_BEGIN || !found) {
			event = i;
			field = f;
		}
		found++;
	}
	if (!found || !s->event.at[event].id.z || s->attr.n >= SPEC_ENTITIES_MAX)
		return SPEC_NONE;
	const char *from = s->event.at[event].id.z;
	spec_say(s, WEFT_WARNING, "implied", e->where,
	         spec_printf(s, "declare it: id: %s … value: /#iter.%s=%s.%s;#/ dependency: %s", e->name, e->name, from, e->name,
	                     from),
	         "'%s' is no attribute of the iteration: taken from event '%s', which carries it", e->name, from);
	struct spec_attr a = {.scope = SCOPE_ITERATION,
	                      .actor = SPEC_NONE,
	                      .id = {e->name, e->where},
	                      .inic = SPEC_NONE,
	                      .value = SPEC_NONE,
	                      .follows = SPEC_NONE,
	                      .id_actor = SPEC_NONE,
	                      .t = s->event.at[event].ref.at[field - FIELD_FIRST].t,
	                      .implied_event = event,
	                      .implied_field = field};
	spec_push(s, &s->attr, a);
	return (uint32_t)s->attr.n - 1;
}

static const char *nearest_attr(struct weft_spec *s, enum spec_scope scope, uint32_t actor, const char *z)
{
	const char *known[KNOWN_MAX] = {0};
	size_t n = 0;
	for (size_t i = 0; i < s->attr.n && n < KNOWN_MAX; i++)
		if (s->attr.at[i].scope == scope && (scope != SCOPE_ACTOR || s->attr.at[i].actor == actor) && s->attr.at[i].id.z)
			known[n++] = s->attr.at[i].id.z;
	const char *near = weft_nearest(z, known, n);
	return near ? spec_printf(s, "did you mean '%s'?", near) : NULL;
}

static enum spec_type bind_field(struct binder *b, struct expr *e, uint32_t event)
{
	struct weft_spec *s = b->s;
	const struct spec_event *v = &s->event.at[event];
	uint32_t f = spec_find_field(s, event, e->name);
	if (f == SPEC_NONE) {
		const char *known[KNOWN_MAX] = {"timestamp", "id", "task"};
		size_t n = 3;
		for (size_t i = 0; i < v->ref.n && n < KNOWN_MAX; i++)
			known[n++] = v->ref.at[i].id.z;
		const char *near = weft_nearest(e->name, known, n);
		spec_say(s, WEFT_ERROR, "undeclared", e->where,
		         near ? spec_printf(s, "did you mean '%s'?", near) : "add it to its ATTRS", "event '%s' carries no '%s'",
		         v->id.z, e->name);
		b->c->broken = true;
		return e->type = TYPE_DOUBLE;
	}
	/* A value that is carried is harmless; one whose source is unknown is not. */
	if (f >= FIELD_FIRST && v->ref.at[f - FIELD_FIRST].variable == SPEC_NONE)
		spec_say(s, WEFT_ERROR, "undeclared-variable", e->where, "declare it in VARIABLES AND VALUES",
		         "'%s' is used, but no variable says what it is in the program", e->name);
	bind_become(e, REF_FIELD, event,
	            f == FIELD_TIMESTAMP ? TYPE_DOUBLE
	            : f < FIELD_FIRST    ? TYPE_INT
	                                 : v->ref.at[f - FIELD_FIRST].t);
	e->sub = f;
	return e->type;
}

static enum spec_type bind_actor_attr(struct binder *b, struct expr *e, uint32_t actor, struct expr *index)
{
	struct weft_spec *s = b->s;
	const char *name = s->actor.at[actor].id.z;
	uint32_t attr = spec_find_attr(s, SCOPE_ACTOR, actor, e->name);
	if (index && type_is_real(bind_expr(b, index)))
		spec_say(s, WEFT_WARNING, "index-type", index->where, NULL, "the index is no whole number");
	if (attr == SPEC_NONE) {
		spec_say(s, WEFT_ERROR, "undeclared", e->where, nearest_attr(s, SCOPE_ACTOR, actor, e->name),
		         "actor '%s' has no attribute '%s'", name, e->name);
		b->c->broken = true;
	}
	bool self = !index && b->has_scope && b->scope == SCOPE_ACTOR && b->actor == actor && b->c->role == ROLE_COMPLETION;
	if (!index && !self && s->actor.at[actor].most > 1) {
		spec_say(s, WEFT_ERROR, "no-index", e->where, spec_printf(s, "%s[…].%s", name, e->name),
		         "'%s' needs an index: there may be %u of it", name, s->actor.at[actor].most);
		b->c->broken = true;
	} else if (!index && !self) {
		spec_say(s, WEFT_NOTE, "implied-index", e->where, NULL, "'%s.%s' is taken as '%s[0].%s'", name, e->name, name,
		         e->name);
	}
	if (attr == SPEC_NONE)
		return e->type = TYPE_DOUBLE;
	return become_attr(b, e, attr, index ? ACCESS_NTH : self ? ACCESS_SELF : ACCESS_FIRST, index);
}

enum spec_type bind_member(struct binder *b, struct expr *e)
{
	struct weft_spec *s = b->s;
	struct expr *base = e->kid[0], *index = base->kind == EXPR_INDEX ? base->kid[1] : NULL;
	const struct expr *named = index ? base->kid[0] : base;
	if (named->kind != EXPR_NAME || find_local(b, named->name)) {
		spec_say(s, WEFT_ERROR, "member", e->where, NULL, "'.' goes with an actor, an event or 'iter'");
		b->c->broken = true;
		return e->type = TYPE_DOUBLE;
	}
	if (strcmp(named->name, "iter") == 0 && !index) {
		uint32_t attr = spec_find_attr(s, SCOPE_ITERATION, 0, e->name);
		attr = attr != SPEC_NONE ? attr : bind_imply(b, e);
		if (attr != SPEC_NONE)
			return become_attr(b, e, attr, ACCESS_PLAIN, NULL);
		spec_say(s, WEFT_ERROR, "undeclared", e->where, nearest_attr(s, SCOPE_ITERATION, 0, e->name),
		         "the iteration has no attribute '%s'", e->name);
		b->c->broken = true;
		return e->type = TYPE_DOUBLE;
	}
	uint32_t actor = spec_find_actor(s, named->name), event = spec_find_event(s, named->name);
	if (actor != SPEC_NONE)
		return bind_actor_attr(b, e, actor, index);
	if (event != SPEC_NONE && !index)
		return bind_field(b, e, event);
	struct expr what = *named;
	bind_undeclared(b, &what, "actor or event", named->name, false);
	return e->type = TYPE_DOUBLE;
}
