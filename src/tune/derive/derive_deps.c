/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When a value is computed, and in which order. Derived from what the expressions read; what is
 * declared (`dependency`) decides only where two answers are possible:
 *
 * - A value that uses data of an event, or builds on its own old value, is computed when its event
 *   comes; all others when the iteration is evaluated, and so from data that is complete, in
 *   whatever order the events came.
 * - Values that declare the event itself see what was there before it: they are ordered readers
 *   before writers. Values that declare another attribute see what that one became: they come
 *   behind, writers before readers.
 * - Model parameters are computed at evaluation, writers before readers.
 */
#include "derive.h"
#include "tune/lang/expr.h"
#include <string.h>

static const struct spec_code *value_of(const struct weft_spec *s, uint32_t attr)
{
	uint32_t v = s->attr.at[attr].value;
	return v == SPEC_NONE ? NULL : &s->code.at[v];
}

/* -- triggers -- */

static void declared_trigger(struct weft_spec *s, uint32_t i)
{
	struct spec_attr *a = &s->attr.at[i];
	struct weft_str rest = weft_str(a->dependency.z), part;
	while (weft_str_cut(&rest, ',', &part)) {
		part = weft_str_trim(part);
		const char *z = spec_printf(s, "%.*s", (int)part.n, part.at);
		uint32_t event = spec_find_event(s, z), attr = SPEC_NONE;
		if (!*z || strcmp(z, "none") == 0 || (a->id.z && strcmp(z, a->id.z) == 0))
			continue;
		if (event != SPEC_NONE) {
			bits_set(&a->triggers, event);
			continue;
		}
		attr = spec_find_path(s, i, z);
		if (attr == SPEC_NONE)
			spec_say(s, WEFT_ERROR, "undeclared", a->dependency.where, NULL,
			         "dependency: '%s' is no event, no attribute and no parameter", z);
		else if (a->follows == SPEC_NONE && attr != i)
			a->follows = attr;
	}
}

/* Followers are computed on the events of what they follow. */
static void spread_triggers(struct weft_spec *s)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < s->attr.n; i++)
			if (s->attr.at[i].follows != SPEC_NONE)
				more |= bits_or(&s->attr.at[i].triggers, &s->attr.at[s->attr.at[i].follows].triggers);
	}
}

static void find_triggers(struct weft_spec *s)
{
	for (uint32_t i = 0; i < s->attr.n; i++) {
		struct spec_attr *a = &s->attr.at[i];
		a->triggers = spec_bits(s, s->event.n);
		if (a->implied_event != SPEC_NONE) {
			bits_set(&a->triggers, a->implied_event);
			a->on_event = true;
			continue;
		}
		declared_trigger(s, i);
	}
	spread_triggers(s);
	for (uint32_t i = 0; i < s->attr.n; i++) {
		struct spec_attr *a = &s->attr.at[i];
		const struct spec_code *c = value_of(s, i);
		if (a->scope == SCOPE_PARAMETER || !c || !c->body)
			continue;
		/* A value that reads nothing marks that its event came. */
		a->on_event = bits_any(&c->events) || bits_has(&c->reads, i) || bits_any(&c->tunes) || !bits_any(&c->reads);
		if (!bits_any(&a->triggers))
			bits_or(&a->triggers, &c->events);
		for (size_t k = 0; k < s->actor.n; k++)
			a->on_event |= s->actor.at[k].complete != SPEC_NONE &&
			               bits_has(&s->code.at[s->actor.at[k].complete].reads, i);
		a->on_event &= bits_any(&a->triggers);
	}
}

/* -- order -- */

struct sorter {
	struct weft_spec *s;
	uint8_t *mark; /* 0 new, 1 on the way, 2 done */
	uint32_t *path, depth;
	bool (*before)(const struct weft_spec *s, uint32_t a, uint32_t b); /* a must come before b */
	bool (*wanted)(const struct weft_spec *s, uint32_t a, uint32_t event);
	uint32_t event;
	bool says, readers_first;
	uint32_t *out, n;
};

/*
 * From the value where it is reported: on the path each one needs the next, or where readers come
 * first, the one before.
 */
static void say_cycle(struct sorter *o, uint32_t back)
{
	struct weft_spec *s = o->s;
	struct weft_buf b = {0};
	uint32_t from = o->depth;
	while (from > 0 && o->path[from - 1] != back)
		from--;
	weft_buf_printf(&b, "%s needs ", spec_attr_path(s, back));
	for (uint32_t i = from; i < o->depth; i++)
		weft_buf_printf(&b, "%s needs ", spec_attr_path(s, o->path[o->readers_first ? o->depth - 1 - (i - from) : i]));
	weft_buf_puts(&b, spec_attr_path(s, back));
	spec_say(s, WEFT_ERROR, "cycle", s->attr.at[back].id.where, NULL, "values depend on each other: %s", b.at ? b.at : "");
	weft_buf_fini(&b);
}

static void sort_visit(struct sorter *o, uint32_t i)
{
	const struct weft_spec *s = o->s;
	o->mark[i] = 1;
	o->path[o->depth++] = i;
	for (uint32_t k = 0; k < s->attr.n; k++) {
		if (k == i || !o->wanted(s, k, o->event) || !o->before(s, k, i))
			continue;
		if (o->mark[k] == 1 && o->says)
			say_cycle(o, k);
		if (o->mark[k] == 0)
			sort_visit(o, k);
	}
	o->depth--;
	o->mark[i] = 2;
	o->out[o->n++] = i;
}

static uint32_t sort_attrs(struct sorter *o)
{
	struct weft_spec *s = o->s;
	o->mark = spec_alloc(s, s->attr.n);
	o->path = spec_alloc(s, s->attr.n * sizeof *o->path);
	o->n = o->depth = 0;
	for (uint32_t i = 0; i < s->attr.n; i++)
		if (o->wanted(s, i, o->event) && o->mark[i] == 0)
			sort_visit(o, i);
	return o->n;
}

/* Whoever changes what b reads. */
static bool writes_before(const struct weft_spec *s, uint32_t a, uint32_t b)
{
	const struct spec_code *w = value_of(s, a), *r = value_of(s, b);
	if (s->attr.at[a].metric.z) /* it writes itself, and reads nothing */
		return r && bits_has(&r->reads, a);
	for (uint32_t i = 0; w && r && i < w->writes.n; i++)
		if (w->writes.word[i] & r->reads.word[i]) {
			uint64_t both = w->writes.word[i] & r->reads.word[i];
			/* b does not wait for what it sets itself, unless that belongs to a. */
			both &= ~(r->writes.word[i]) | (a / 64 == i ? UINT64_C(1) << a % 64 : 0);
			if (both)
				return true;
		}
	return false;
}

static bool reads_before(const struct weft_spec *s, uint32_t a, uint32_t b)
{
	return writes_before(s, b, a);
}

static bool wanted_evaluation(const struct weft_spec *s, uint32_t a, uint32_t event)
{
	const struct spec_code *c = value_of(s, a);
	(void)event;
	return s->attr.at[a].metric.z || (!s->attr.at[a].on_event && c && c->body);
}

static bool wanted_first(const struct weft_spec *s, uint32_t a, uint32_t event)
{
	return s->attr.at[a].on_event && s->attr.at[a].follows == SPEC_NONE && bits_has(&s->attr.at[a].triggers, event);
}

static bool wanted_after(const struct weft_spec *s, uint32_t a, uint32_t event)
{
	return s->attr.at[a].on_event && s->attr.at[a].follows != SPEC_NONE && bits_has(&s->attr.at[a].triggers, event);
}

static uint32_t *deps_room(struct weft_spec *s)
{
	return spec_alloc(s, s->attr.n * sizeof(uint32_t));
}

/* Values of an event, in order; the first *n_first are those that see what was before it. */
static uint32_t event_order(struct weft_spec *s, uint32_t event, uint32_t *out, uint32_t *n_first, bool says)
{
	struct sorter first = {.s = s,
	                       .before = reads_before,
	                       .wanted = wanted_first,
	                       .event = event,
	                       .out = out,
	                       .says = says,
	                       .readers_first = true};
	*n_first = sort_attrs(&first);
	struct sorter after =
		{.s = s, .before = writes_before, .wanted = wanted_after, .event = event, .out = out + *n_first, .says = says};
	return *n_first + sort_attrs(&after);
}

uint32_t derive_event_order(struct weft_spec *s, uint32_t event, uint32_t **out, uint32_t *n_first)
{
	*out = deps_room(s);
	return event_order(s, event, *out, n_first, false);
}

/* -- indices: ids of processes, or numbers from 0 -- */

struct id_search {
	struct weft_spec *s;
	bool is_id, changed;
	uint32_t actor;          /* whose, when all agree */
	const struct expr *from; /* the reference that says so */
};

static void look_for_id(void *ctx, struct expr *e)
{
	struct id_search *q = ctx;
	if (e->kind != EXPR_REF)
		return;
	if (e->ref == REF_FIELD) {
		q->is_id = true;
		q->actor = e->sub == FIELD_ID || e->sub == FIELD_TASK ? q->s->event.at[e->id].actor_id : SPEC_NONE;
		q->from = e;
	} else if (e->ref == REF_ATTR && q->s->attr.at[e->id].holds_id) {
		q->is_id = true;
		q->actor = q->s->attr.at[e->id].id_actor;
		q->from = e;
	}
}

/* An attribute that is assigned an id (alone, not a computation with it) holds ids. */
static void spread_ids(void *ctx, struct expr *e)
{
	struct id_search *q = ctx;
	if (e->kind != EXPR_ASSIGN || e->op[1] || e->kid[0]->kind != EXPR_REF || e->kid[0]->ref != REF_ATTR ||
	    e->kid[1]->kind != EXPR_REF)
		return;
	const struct expr *from = e->kid[1];
	struct spec_attr *a = &q->s->attr.at[e->kid[0]->id];
	bool own = from->ref == REF_FIELD && (from->sub == FIELD_ID || from->sub == FIELD_TASK);
	bool passed = from->ref == REF_ATTR && q->s->attr.at[from->id].holds_id;
	if (a->holds_id || !(own || passed))
		return;
	a->holds_id = q->changed = true;
	a->id_actor = own ? q->s->event.at[from->id].actor_id : q->s->attr.at[from->id].id_actor;
}

/*
 * An attribute of the event that sets `attr`, which chooses such an actor elsewhere: what was
 * probably meant.
 */
struct carrier_search {
	struct weft_spec *s;
	uint32_t actor, attr;
	const char *found;
};

static void find_carrier(void *ctx, struct expr *e)
{
	struct carrier_search *q = ctx;
	if (q->found || q->attr == SPEC_NONE || e->kind != EXPR_REF || e->ref != REF_ATTR || !e->kid[0] ||
	    q->s->attr.at[e->id].actor != q->actor)
		return;
	const struct expr *f = e->kid[0];
	if (f->kind == EXPR_REF && f->ref == REF_FIELD && f->sub >= FIELD_FIRST &&
	    bits_has(&q->s->attr.at[q->attr].triggers, f->id))
		q->found = spec_printf(q->s, "set '%s' from '%s'", spec_attr_path(q->s, q->attr), expr_text(q->s, f->where));
}

/* A value of an event that is used as an index is an id of the application's: workerTIDr. */
static void mark_indexed(void *ctx, struct expr *e)
{
	struct weft_spec *s = ctx;
	if (e->kind != EXPR_REF || e->ref != REF_ATTR || e->access != ACCESS_NTH)
		return;
	struct expr *index = e->kid[0];
	struct id_search q = {.s = s, .actor = SPEC_NONE};
	expr_walk(index, look_for_id, &q);
	/* An attribute that some event assigns and that then chooses an actor. */
	if (!q.is_id && index->kind == EXPR_REF && index->ref == REF_ATTR) {
		const struct spec_code *c = value_of(s, index->id);
		if (s->attr.at[index->id].on_event && c && bits_any(&c->events)) {
			s->attr.at[index->id].holds_id = q.is_id = true;
			s->attr.at[index->id].id_actor = SPEC_NONE;
		}
	}
	if (q.is_id)
		e->access = ACCESS_ID;
	uint32_t whose = s->attr.at[e->id].actor;
	if (!q.is_id || q.actor == SPEC_NONE || q.actor == whose || !q.from)
		return;
	const char *other = s->actor.at[q.actor].id.z, *mine = s->actor.at[whose].id.z;
	struct carrier_search k = {.s = s, .actor = whose, .attr = index->ref == REF_ATTR ? index->id : SPEC_NONE};
	for (size_t i = 0; i < s->code.n && index->kind == EXPR_REF; i++)
		expr_walk(s->code.at[i].body, find_carrier, &k);
	spec_say(s, WEFT_WARNING, "foreign-id", index->where, k.found, "'%s' holds the id of a '%s', but chooses a '%s'",
	         expr_text(s, index->where), other ? other : "?", mine ? mine : "?");
}

static void find_indices(struct weft_spec *s)
{
	struct id_search q = {.s = s, .changed = true};
	while (q.changed) {
		q.changed = false;
		for (size_t i = 0; i < s->code.n; i++)
			expr_walk(s->code.at[i].body, spread_ids, &q);
	}
	for (size_t i = 0; i < s->code.n; i++)
		expr_walk(s->code.at[i].body, mark_indexed, s);
}

void derive_order(struct weft_spec *s)
{
	find_triggers(s);
	find_indices(s);
	struct sorter o = {.s = s, .before = writes_before, .wanted = wanted_evaluation, .out = deps_room(s), .says = true};
	uint32_t n = sort_attrs(&o), n_first;
	for (uint32_t i = 0; i < n; i++)
		spec_push(s, &s->order, o.out[i]);
	for (uint32_t e = 0; e < s->event.n; e++)
		event_order(s, e, deps_room(s), &n_first, true);
}
