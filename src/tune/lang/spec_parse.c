/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Items become entities. The parser is in one context at a time (the header, an event, the
 * attributes of an actor…); which properties a context has, where they go and which must be there
 * is one table. What stands in the wrong place is said and passed over, so that one mistake brings
 * one diagnosis.
 */
#include "spec_scan.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum context {
	CTX_NONE,
	CTX_HEADER,
	CTX_VARIABLE,
	CTX_EVENT,
	CTX_EVENT_ATTRS,
	CTX_ACTOR,
	CTX_ATTR,
	CTX_FUNCTION,
	CTX_POINT,
	CTX_POINT_ATTRS
};
enum need { OPTIONAL, NEEDED, WANTED }; /* NEEDED: an error without it; WANTED: a warning */

static const struct property {
	enum context ctx;
	enum label label;
	size_t offset; /* of a struct word, or of a code's number */
	enum need need;
	enum code_role role;
	bool is_code;
} properties[] = {
#define WORD(ctx, label, type, member, need) \
	{ \
		ctx, label, offsetof(struct type, member), need, 0, false \
	}
#define CODE(ctx, label, type, member, need, role) \
	{ \
		ctx, label, offsetof(struct type, member), need, role, true \
	}
	WORD(CTX_HEADER, LABEL_ID, weft_spec, name, NEEDED),
	WORD(CTX_HEADER, LABEL_COMMENT, weft_spec, comment, OPTIONAL),
	WORD(CTX_HEADER, LABEL_UNIT, weft_spec, unit, OPTIONAL),
	WORD(CTX_HEADER, LABEL_PRIORITY, weft_spec, priority, OPTIONAL),
	WORD(CTX_HEADER, LABEL_HOLD, weft_spec, hold, OPTIONAL),
	WORD(CTX_HEADER, LABEL_LOST, weft_spec, lost, OPTIONAL),
	WORD(CTX_HEADER, LABEL_WEIGHT, weft_spec, weight, OPTIONAL),
	CODE(CTX_HEADER, LABEL_OBJECTIVE, weft_spec, objective, OPTIONAL, ROLE_OBJECTIVE),
	WORD(CTX_VARIABLE, LABEL_ID, spec_variable, id, NEEDED),
	WORD(CTX_VARIABLE, LABEL_PATH, spec_variable, path, OPTIONAL),
	WORD(CTX_VARIABLE, LABEL_COMMENT, spec_variable, comment, OPTIONAL),
	WORD(CTX_VARIABLE, LABEL_SOURCE, spec_variable, source, WANTED),
	WORD(CTX_VARIABLE, LABEL_TYPE, spec_variable, type, NEEDED),
	WORD(CTX_VARIABLE, LABEL_ACTOR_ID, spec_variable, actor, NEEDED),
	WORD(CTX_EVENT, LABEL_ID, spec_event, id, NEEDED),
	WORD(CTX_EVENT, LABEL_ACTOR_ID, spec_event, actor, NEEDED),
	WORD(CTX_EVENT, LABEL_CONTROLITER, spec_event, controliter, WANTED),
	WORD(CTX_EVENT, LABEL_UTILITY, spec_event, utility, WANTED),
	WORD(CTX_EVENT, LABEL_METHOD, spec_event, method, NEEDED),
	WORD(CTX_EVENT, LABEL_CLASS, spec_event, class, OPTIONAL),
	WORD(CTX_EVENT, LABEL_PLACE, spec_event, place, NEEDED),
	WORD(CTX_EVENT, LABEL_ITERATION, spec_event, iteration, OPTIONAL),
	WORD(CTX_ACTOR, LABEL_ID, spec_actor, id, NEEDED),
	WORD(CTX_ACTOR, LABEL_MIN, spec_actor, min, WANTED),
	WORD(CTX_ACTOR, LABEL_MAX, spec_actor, max, NEEDED),
	CODE(CTX_ACTOR, LABEL_COMPLETION, spec_actor, complete, WANTED, ROLE_COMPLETION),
	WORD(CTX_ACTOR, LABEL_CLASS, spec_actor, class, OPTIONAL),
	WORD(CTX_ACTOR, LABEL_EXE, spec_actor, exe, WANTED),
	WORD(CTX_ACTOR, LABEL_RANK, spec_actor, rank, OPTIONAL),
	WORD(CTX_ACTOR, LABEL_HOST, spec_actor, host, OPTIONAL),
	WORD(CTX_ACTOR, LABEL_ENTERS, spec_actor, enters, OPTIONAL),
	WORD(CTX_ATTR, LABEL_ID, spec_attr, id, NEEDED),
	WORD(CTX_ATTR, LABEL_COMMENT, spec_attr, comment, OPTIONAL),
	WORD(CTX_ATTR, LABEL_TYPE, spec_attr, type, NEEDED),
	CODE(CTX_ATTR, LABEL_INIC, spec_attr, inic, WANTED, ROLE_INIC),
	WORD(CTX_ATTR, LABEL_DEPINIC, spec_attr, depinic, OPTIONAL),
	CODE(CTX_ATTR, LABEL_VALUE, spec_attr, value, NEEDED, ROLE_VALUE),
	WORD(CTX_ATTR, LABEL_METRIC, spec_attr, metric, OPTIONAL),
	WORD(CTX_ATTR, LABEL_CUM, spec_attr, cum, OPTIONAL),
	WORD(CTX_ATTR, LABEL_DEPENDENCY, spec_attr, dependency, OPTIONAL),
	CODE(CTX_FUNCTION, LABEL_DEF, spec_function, code, NEEDED, ROLE_FUNCTION),
	WORD(CTX_POINT, LABEL_ID, spec_point, id, NEEDED),
	CODE(CTX_POINT, LABEL_VALUE, spec_point, value, OPTIONAL, ROLE_POINT_VALUE),
	WORD(CTX_POINT, LABEL_KIND, spec_point, kind, WANTED),
	WORD(CTX_POINT, LABEL_SYNCFUNCTION, spec_point, sync, OPTIONAL),
	WORD(CTX_POINT, LABEL_SYNCPLACE, spec_point, syncplace, OPTIONAL),
	CODE(CTX_POINT, LABEL_COND, spec_point, cond, OPTIONAL, ROLE_COND),
	WORD(CTX_POINT, LABEL_IDX, spec_point, idx, OPTIONAL),
	WORD(CTX_POINT, LABEL_REQ, spec_point, req, OPTIONAL),
	WORD(CTX_POINT, LABEL_PLACE, spec_point, place, OPTIONAL),
	WORD(CTX_POINT, LABEL_RESOURCE, spec_point, resource, OPTIONAL),
	WORD(CTX_POINT, LABEL_SENSE, spec_point, sense, OPTIONAL),
	WORD(CTX_POINT, LABEL_CLASS, spec_point, class, OPTIONAL),
	WORD(CTX_POINT, LABEL_ACTOR_ID, spec_point, actor, OPTIONAL),
#undef WORD
#undef CODE
};
enum { PROPERTIES = sizeof properties / sizeof properties[0] };

struct parser {
	struct weft_spec *s;
	uint32_t pos;
	enum context ctx;
	enum keyword section, open; /* open: the keyword of the entity that is open */
	bool in_attrs;              /* of an actor */
	struct span opened;
	struct span named[CTX_POINT_ATTRS + 1]; /* where the entity of a context stands, for what it lacks */
	uint32_t seen[LABELS];                  /* of the entity: 1 + place of the label */
};

static const char *const context_name[] = {"here",     "the header",   "a variable", "an event", "an event's attributes",
                                           "an actor", "an attribute", "a function", "a point",  "a point's attributes"};

/* The object that a context fills: the last of its kind. */
static void *context_object(struct parser *p)
{
	struct weft_spec *s = p->s;
	switch (p->ctx) {
	case CTX_VARIABLE:
		return &s->variable.at[s->variable.n - 1];
	case CTX_EVENT:
		return &s->event.at[s->event.n - 1];
	case CTX_ACTOR:
		return &s->actor.at[s->actor.n - 1];
	case CTX_ATTR:
		return &s->attr.at[s->attr.n - 1];
	case CTX_FUNCTION:
		return &s->function.at[s->function.n - 1];
	case CTX_POINT:
		return &s->point.at[s->point.n - 1];
	default:
		return s;
	}
}

static uint32_t context_owner(struct parser *p)
{
	struct weft_spec *s = p->s;
	size_t n = p->ctx == CTX_ACTOR      ? s->actor.n
	           : p->ctx == CTX_ATTR     ? s->attr.n
	           : p->ctx == CTX_FUNCTION ? s->function.n
	                                    : s->point.n;
	return (uint32_t)n - 1;
}

static struct word word_of(struct weft_spec *s, struct span v)
{
	char *z = spec_alloc(s, v.n + 1);
	memcpy(z, s->text + v.at, v.n);
	weft_one_line(z);
	return (struct word){z, v};
}

/* Properties that the entity of this context lacks. */
static void check_missing(struct parser *p)
{
	static const char *const default_of[LABELS] = {
		[LABEL_SOURCE] = "asVarValue",     [LABEL_CONTROLITER] = "no",
		[LABEL_UTILITY] = "always",        [LABEL_MIN] = "1",
		[LABEL_KIND] = "SetVariableValue", [LABEL_COMPLETION] = "always complete",
		[LABEL_EXE] = "any program",       [LABEL_INIC] = "0",
	};
	char *object = p->ctx == CTX_NONE ? NULL : context_object(p);
	for (unsigned i = 0; object && i < PROPERTIES; i++) {
		const struct property *r = &properties[i];
		if (r->ctx != p->ctx)
			continue;
		struct span where = p->named[p->ctx];
		if (!p->seen[r->label] && r->is_code)
			*(uint32_t *)(object + r->offset) = SPEC_NONE;
		else if (!p->seen[r->label])
			((struct word *)(object + r->offset))->where = where;
		/* A metric is computed by the engine, and needs no expression of its own. */
		bool metric = p->ctx == CTX_ATTR && p->seen[LABEL_METRIC] && (r->label == LABEL_VALUE || r->label == LABEL_INIC);
		if (p->seen[r->label] || r->need == OPTIONAL || metric)
			continue;
		if (r->need == NEEDED)
			spec_say(p->s, WEFT_ERROR, spec_printf(p->s, "missing-%s", spec_label_name(r->label)), where,
			         spec_printf(p->s, "add '%s: …'", spec_label_name(r->label)), "%s without '%s'",
			         context_name[p->ctx], spec_label_name(r->label));
		else
			spec_say(p->s, WEFT_WARNING, spec_printf(p->s, "missing-%s", spec_label_name(r->label)), where, NULL,
			         "%s without '%s': taken as %s", context_name[p->ctx], spec_label_name(r->label),
			         default_of[r->label]);
	}
	memset(p->seen, 0, sizeof p->seen);
}

static void leave_context(struct parser *p, enum context next)
{
	check_missing(p);
	p->ctx = next;
}

static bool too_many(struct parser *p, size_t n, struct span where)
{
	if (n < SPEC_ENTITIES_MAX)
		return false;
	spec_say(p->s, WEFT_ERROR, "limit", where, NULL, "more than %d of a kind", SPEC_ENTITIES_MAX);
	return true;
}

/* -- attributes: `id:` begins one -- */

static void begin_attr(struct parser *p, struct span where)
{
	struct weft_spec *s = p->s;
	struct spec_attr a = {.inic = SPEC_NONE,
	                      .value = SPEC_NONE,
	                      .follows = SPEC_NONE,
	                      .id_actor = SPEC_NONE,
	                      .implied_event = SPEC_NONE};
	a.scope = p->section == KEY_ITERATION ? SCOPE_ITERATION : p->section == KEY_PARAMETERS ? SCOPE_PARAMETER : SCOPE_ACTOR;
	a.actor = a.scope == SCOPE_ACTOR ? (uint32_t)s->actor.n - 1 : SPEC_NONE;
	leave_context(p, CTX_ATTR);
	p->named[CTX_ATTR] = where;
	spec_push(s, &s->attr, a);
}

static bool attrs_may_begin(const struct parser *p)
{
	bool in_list = p->in_attrs || p->section == KEY_ITERATION || p->section == KEY_PARAMETERS;
	return p->ctx == CTX_ATTR || (p->ctx == CTX_NONE && in_list);
}

static void add_ref(struct parser *p, const struct item *it)
{
	struct weft_spec *s = p->s;
	struct spec_ref r = {.id = word_of(s, it->value), .variable = SPEC_NONE};
	if (p->ctx == CTX_EVENT_ATTRS)
		spec_push(s, &s->event.at[s->event.n - 1].ref, r);
	else
		spec_push(s, &s->point.at[s->point.n - 1].ref, r);
}

static void set_property(struct parser *p, const struct property *r, const struct item *it)
{
	struct weft_spec *s = p->s;
	char *object = context_object(p);
	if (p->seen[it->label]) {
		spec_say(s, WEFT_WARNING, "given-twice", it->name, NULL, "'%s' is given twice: the first counts",
		         spec_label_name(it->label));
		return;
	}
	p->seen[it->label] = it->name.at + 1;
	if (it->label == LABEL_ID)
		p->named[p->ctx] = it->value;
	if (!r->is_code) {
		*(struct word *)(object + r->offset) = word_of(s, it->value);
		return;
	}
	struct spec_code c = {.role = r->role, .owner = context_owner(p), .where = it->value, .given = true, .bare = it->bare};
	*(uint32_t *)(object + r->offset) = (uint32_t)s->code.n;
	spec_push(s, &s->code, c);
}

static void parse_label(struct parser *p, const struct item *it)
{
	struct weft_spec *s = p->s;
	if (it->label == LABEL_INCLUDE && (p->ctx == CTX_HEADER || p->section == KEY_VARIABLES)) {
		spec_push(s, &s->include, word_of(s, it->value));
		return;
	}
	if (it->label == LABEL_ID && attrs_may_begin(p)) {
		if (too_many(p, s->attr.n, it->name))
			return;
		begin_attr(p, it->value);
	}
	if (p->ctx == CTX_EVENT_ATTRS || p->ctx == CTX_POINT_ATTRS) {
		if (it->label == LABEL_ID) {
			add_ref(p, it);
			return;
		}
		spec_say(s, WEFT_ERROR, "misplaced", it->name, NULL, "'%s' among the attributes of %s, which have 'id' only",
		         spec_label_name(it->label), p->ctx == CTX_EVENT_ATTRS ? "an event" : "a point");
		return;
	}
	for (unsigned i = 0; i < PROPERTIES; i++)
		if (properties[i].ctx == p->ctx && properties[i].label == it->label) {
			set_property(p, &properties[i], it);
			return;
		}
	spec_say(s, WEFT_ERROR, "misplaced", it->name, NULL, "'%s' is no property of %s", spec_label_name(it->label),
	         p->ctx == CTX_NONE ? "anything here" : context_name[p->ctx]);
}

/* -- keywords -- */

static const struct {
	enum keyword open, close, section;
	enum context ctx;
	const char *name;
} entities[] = {
	{KEY_VARIABLE, KEY_ENDVARIABLE, KEY_VARIABLES, CTX_VARIABLE, "variable"},
	{KEY_EVENT, KEY_ENDEVENT, KEY_EVENTS, CTX_EVENT, "event"},
	{KEY_ACTOR, KEY_ENDACTOR, KEY_ACTORS, CTX_ACTOR, "actor"},
	{KEY_FUNCTION, KEY_ENDFUNCTION, KEY_FUNCTIONS, CTX_FUNCTION, "func"},
	{KEY_POINT, KEY_ENDPOINT, KEY_TUNING, CTX_POINT, "point"},
};
enum { ENTITIES = sizeof entities / sizeof entities[0] };

static void close_entity(struct parser *p, bool by_keyword)
{
	if (p->open == KEY_NONE)
		return;
	for (unsigned i = 0; i < ENTITIES; i++)
		if (entities[i].open == p->open && !by_keyword)
			spec_say(p->s, WEFT_ERROR, "unclosed", p->opened, spec_printf(p->s, "add 'end%s'", entities[i].name),
			         "'%s' is not closed", entities[i].name);
	leave_context(p, CTX_NONE);
	p->open = KEY_NONE;
	p->in_attrs = false;
}

static void push_entity(struct parser *p, enum context ctx)
{
	struct weft_spec *s = p->s;
	if (ctx == CTX_VARIABLE)
		spec_push(s, &s->variable, (struct spec_variable){.actor_id = SPEC_NONE});
	else if (ctx == CTX_EVENT)
		spec_push(s, &s->event, (struct spec_event){.actor_id = SPEC_NONE, .iteration_ref = SPEC_NONE});
	else if (ctx == CTX_ACTOR)
		spec_push(s, &s->actor, (struct spec_actor){.complete = SPEC_NONE});
	else if (ctx == CTX_FUNCTION)
		spec_push(s, &s->function, (struct spec_function){.code = SPEC_NONE, .where = p->opened});
	else
		spec_push(s, &s->point, (struct spec_point){.value = SPEC_NONE, .cond = SPEC_NONE, .variable = SPEC_NONE});
}

static void open_entity(struct parser *p, unsigned row, struct span where)
{
	struct weft_spec *s = p->s;
	size_t n[] = {s->variable.n, s->event.n, s->actor.n, s->function.n, s->point.n};
	close_entity(p, false);
	leave_context(p, CTX_NONE);
	if (too_many(p, n[row], where))
		return;
	if (p->section != entities[row].section)
		spec_say(s, WEFT_WARNING, "section", where, NULL, "'%s' in another section", entities[row].name);
	p->section = entities[row].section;
	p->open = entities[row].open;
	p->opened = where;
	p->ctx = entities[row].ctx;
	p->named[p->ctx] = where;
	push_entity(p, p->ctx);
}

static void parse_attrs(struct parser *p, struct span where)
{
	enum context ctx = p->ctx;
	leave_context(p, CTX_NONE);
	if (ctx == CTX_EVENT) {
		p->ctx = CTX_EVENT_ATTRS;
	} else if (ctx == CTX_POINT) {
		p->ctx = CTX_POINT_ATTRS;
	} else if (ctx == CTX_ACTOR) {
		/* Attributes follow; each begins with its id. */
		p->in_attrs = true;
	} else {
		spec_say(p->s, WEFT_ERROR, "misplaced", where, NULL, "'ATTRS' outside of an event, an actor and a point");
		p->ctx = ctx;
	}
}

static void enter_section(struct parser *p, const struct item *it)
{
	close_entity(p, false);
	leave_context(p, it->key == KEY_TUNLET ? CTX_HEADER : CTX_NONE);
	if (p->ctx == CTX_HEADER)
		p->named[CTX_HEADER] = it->name;
	if (it->key < p->section)
		spec_say(p->s, WEFT_NOTE, "section-order", it->name, NULL,
		         "the sections are in another order than the grammar's");
	p->section = it->key;
}

static void parse_keyword(struct parser *p, const struct item *it)
{
	if (it->key <= KEY_ENDTUNLET) {
		enter_section(p, it);
		return;
	}
	if (it->key == KEY_ATTRS) {
		parse_attrs(p, it->name);
		return;
	}
	for (unsigned i = 0; i < ENTITIES; i++) {
		if (entities[i].open == it->key) {
			open_entity(p, i, it->name);
			return;
		}
		if (entities[i].close == it->key && p->open == entities[i].open) {
			close_entity(p, true);
			return;
		}
	}
	spec_say(p->s, WEFT_ERROR, "misplaced", it->name, NULL, "'%.*s' closes nothing", (int)it->name.n,
	         p->s->text + it->name.at);
}

void spec_parse(struct weft_spec *s)
{
	struct parser p = {.s = s};
	bool begun = false;
	for (;;) {
		struct item it = spec_next(s, &p.pos);
		if (it.end)
			break;
		if (!begun && it.key != KEY_TUNLET) {
			spec_say(s, WEFT_WARNING, "delimiters", it.name, "begin with 'TUNLET'", "no 'TUNLET' before this");
			p.section = KEY_TUNLET;
			p.ctx = CTX_HEADER;
			p.named[CTX_HEADER] = it.name;
		}
		begun = true;
		if (it.key)
			parse_keyword(&p, &it);
		else
			parse_label(&p, &it);
		if (it.key == KEY_ENDTUNLET)
			break;
	}
	close_entity(&p, false);
	leave_context(&p, CTX_NONE);
	struct span end = {s->n, 0};
	/* In the last line that says something. */
	while (end.at > 0 && strchr(" \t\r\n", s->text[end.at - 1]))
		end.at--;
	if (!begun)
		spec_say(s, WEFT_ERROR, "empty", end, NULL, "nothing is specified");
	else if (p.section != KEY_ENDTUNLET)
		spec_say(s, WEFT_WARNING, "delimiters", end, "end with 'ENDTUNLET'", "no 'ENDTUNLET' at the end");
	else {
		struct item rest = spec_next(s, &p.pos);
		if (!rest.end)
			spec_say(s, WEFT_WARNING, "delimiters", rest.name, NULL, "text behind 'ENDTUNLET' is not read");
	}
}
