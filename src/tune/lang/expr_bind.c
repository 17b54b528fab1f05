/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names become entities, expressions get types. One walk over each tree, with a stack of the locals
 * in reach. A name that means nothing is an error with the nearest name that would; two that the
 * published files use are understood all the same, with a warning: an attribute of the iteration
 * that only an event carries, and MATE's own iter.GetNum_ACTOR().
 */
#include "expr.h"
#include <string.h>

enum { LOCALS_MAX = 256, KNOWN_MAX = 256 };

struct binder {
	struct weft_spec *s;
	struct spec_code *c;
	enum spec_scope scope;    /* whose names need no qualification: of the owner */
	uint32_t actor;           /* SCOPE_ACTOR */
	bool has_scope, in_bound; /* in_bound: in the condition of a `for` */
	struct expr *local[LOCALS_MAX];
	unsigned n_locals;
	uint32_t n_numbers; /* locals so far, for their names in C */
};

static enum spec_type bind_bind(struct binder *b, struct expr *e);
static void bind_list(struct binder *b, struct expr *e);

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

static enum spec_type bind_become(struct expr *e, enum ref_kind ref, uint32_t id, enum spec_type t)
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

static enum spec_type bind_undeclared(struct binder *b, struct expr *e, const char *what, const char *z, bool call)
{
	const char *near = bind_suggest(b, z, call);
	spec_say(b->s, WEFT_ERROR, "undeclared", e->where, near ? spec_printf(b->s, "did you mean '%s'?", near) : NULL,
	         "%s%s'%s' is not declared", what, what[0] ? " " : "", z);
	b->c->broken = true;
	return e->type = TYPE_DOUBLE;
}

/* -- names -- */

static enum spec_type bind_name(struct binder *b, struct expr *e)
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
	if (index && type_is_real(bind_bind(b, index)))
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

static enum spec_type bind_member(struct binder *b, struct expr *e)
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

/* -- calls -- */

static bool match_prefix(const char *z, const char *prefix)
{
	return strncmp(z, prefix, strlen(prefix)) == 0;
}

/* iter.GetNum_worker(): how many there are. */
static bool bind_count(struct binder *b, struct expr *e)
{
	struct weft_spec *s = b->s;
	const struct expr *f = e->kid[0], *arg = e->kid[1];
	bool internal = f->kind == EXPR_MEMBER && f->kid[0]->kind == EXPR_NAME && strcmp(f->kid[0]->name, "iter") == 0 &&
	                match_prefix(f->name, "GetNum_");
	bool ours = f->kind == EXPR_NAME && strcmp(f->name, "count") == 0 && arg && !arg->next && arg->kind == EXPR_NAME;
	uint32_t actor = internal ? spec_find_actor(s, f->name + 7) : ours ? spec_find_actor(s, arg->name) : SPEC_NONE;
	if (actor == SPEC_NONE)
		return false;
	if (internal)
		spec_say(s, WEFT_WARNING, "internal-method", f->where, spec_printf(s, "count(%s)", s->actor.at[actor].id.z),
		         "'%s' is a method inside MATE: taken as the number of '%s' in the iteration", f->name,
		         s->actor.at[actor].id.z);
	bind_become(e, REF_COUNT, actor, TYPE_INT);
	return true;
}

/* add_event(e), rem_event(e): the argument is an event, not an expression. */
static enum spec_type bind_event_call(struct binder *b, struct expr *e, bool add)
{
	struct weft_spec *s = b->s;
	const struct expr *arg = e->kid[1];
	uint32_t event = arg && arg->kind == EXPR_NAME ? spec_find_event(s, arg->name) : SPEC_NONE;
	if (event == SPEC_NONE || arg->next) {
		spec_say(s, WEFT_ERROR, "undeclared", e->where, NULL, "expected the name of an event");
		b->c->broken = true;
		return e->type = TYPE_VOID;
	}
	enum spec_utility need = add ? UTILITY_ADDABLE : UTILITY_REMOVABLE;
	if (s->event.at[event].util != need)
		spec_say(s, WEFT_WARNING, "utility", e->where, spec_printf(s, "utility: %s", add ? "addable" : "removable"),
		         "event '%s' is not declared %s", arg->name, add ? "addable" : "removable");
	return bind_become(e, add ? REF_ADD : REF_REM, event, TYPE_VOID);
}

static unsigned count_list(const struct expr *e)
{
	unsigned n = 0;
	for (; e; e = e->next)
		n++;
	return n;
}

static void check_count(struct binder *b, const struct expr *e, const char *name, unsigned want)
{
	unsigned n = count_list(e->kid[1]);
	if (n == want)
		return;
	spec_say(b->s, WEFT_ERROR, "arguments", e->where, NULL, "'%s' takes %u argument%s, not %u", name, want,
	         want == 1 ? "" : "s", n);
	b->c->broken = true;
}

static enum spec_type bind_call(struct binder *b, struct expr *e)
{
	struct weft_spec *s = b->s;
	struct expr *f = e->kid[0];
	unsigned want;
	if (bind_count(b, e))
		return e->type;
	const char *name = f->kind == EXPR_NAME ? f->name : "";
	if (strcmp(name, "add_event") == 0 || strcmp(name, "rem_event") == 0)
		return bind_event_call(b, e, name[0] == 'a');
	bind_list(b, e->kid[1]);
	if (match_prefix(name, "Tune_")) {
		uint32_t point = spec_find_point(s, name + 5);
		check_count(b, e, name, 0);
		if (point != SPEC_NONE)
			return bind_become(e, REF_TUNE, point, TYPE_VOID);
	}
	uint32_t function = spec_find_function(s, name);
	if (function != SPEC_NONE) {
		check_count(b, e, name, s->function.at[function].n_params);
		f->kind = EXPR_REF;
		f->ref = REF_FUNCTION;
		f->id = function;
		return e->type = s->function.at[function].t;
	}
	const char *c_name = expr_math_function(name, &want);
	if (c_name) {
		check_count(b, e, name, want);
		f->kind = EXPR_REF;
		f->ref = REF_MATH;
		f->name = c_name;
		s->calls_math = true;
		return e->type = TYPE_DOUBLE;
	}
	return bind_undeclared(b, f->kind == EXPR_NAME ? f : e, "function",
	                       f->kind == EXPR_NAME || f->kind == EXPR_MEMBER ? f->name : "?", true);
}

/* -- expressions -- */

static enum spec_type bind_index(struct binder *b, struct expr *e)
{
	struct weft_spec *s = b->s;
	enum spec_type t = bind_bind(b, e->kid[0]);
	struct expr *array = e->kid[0];
	uint32_t len = array->kind != EXPR_REF   ? 0
	               : array->ref == REF_LOCAL ? array->decl->len
	               : array->ref == REF_ATTR  ? s->attr.at[array->id].len
	                                         : 0;
	bind_bind(b, e->kid[1]);
	if (len == 0 && !b->c->broken) {
		spec_say(s, WEFT_ERROR, "no-array", e->where, NULL, "'%s' is no array", expr_text(s, array->where));
		b->c->broken = true;
	}
	return e->type = t;
}

static void bind_target(struct binder *b, struct expr *target, bool also_read)
{
	struct expr *t = target->kind == EXPR_INDEX ? target->kid[0] : target;
	if (t->kind == EXPR_REF && (t->ref == REF_LOCAL || t->ref == REF_ATTR)) {
		t->write = true;
		t->read = also_read;
		return;
	}
	if (b->c->broken)
		return;
	spec_say(b->s, WEFT_ERROR, "assignment", target->where, NULL, "'%s' cannot be assigned to",
	         expr_text(b->s, target->where));
	b->c->broken = true;
}

static enum spec_type bind_wider(enum spec_type a, enum spec_type b)
{
	return type_is_real(a) || type_is_real(b) ? TYPE_DOUBLE : a == TYPE_LONG || b == TYPE_LONG ? TYPE_LONG : TYPE_INT;
}

static enum spec_type bind_binary(struct binder *b, struct expr *e)
{
	enum spec_type l = bind_bind(b, e->kid[0]), r = bind_bind(b, e->kid[1]);
	bool text = l == TYPE_STRING || r == TYPE_STRING, whole = strchr("%&|^~", e->op[0]) && e->op[0] != e->op[1];
	if (text && !strchr("=!", e->op[0]) && !b->c->broken) {
		spec_say(b->s, WEFT_ERROR, "type", e->where, NULL, "strings are compared with '==' and '!=' only");
		b->c->broken = true;
	}
	if ((whole || strstr("<<>>", e->op)) && e->op[0] && (type_is_real(l) || type_is_real(r)) && e->op[1] != '=' &&
	    !(strchr("<>", e->op[0]) && !e->op[1]) && !b->c->broken) {
		spec_say(b->s, WEFT_ERROR, "type", e->where, e->op[0] == '%' ? "use fmod" : NULL, "'%s' works on whole numbers",
		         e->op);
		b->c->broken = true;
	}
	if (strchr("+-*/", e->op[0]))
		return e->type = bind_wider(l, r);
	if (e->op[0] == ',')
		return e->type = r;
	return e->type = TYPE_INT;
}

static void check_number(struct binder *b, struct expr *e)
{
	const char *z = e->name;
	double v;
	size_t n = strlen(z);
	bool hex = z[0] == '0' && (z[1] | 32) == 'x', ok = hex && n > 2;
	for (size_t i = 2; hex && i < n; i++)
		ok &= strchr("0123456789abcdefABCDEF", z[i]) != NULL;
	while (!hex && n > 1 && strchr("fFlLuU", z[n - 1]))
		n--;
	e->type = !hex && strpbrk(z, ".eE") ? TYPE_DOUBLE : TYPE_INT;
	uint64_t whole = 0;
	if (!hex)
		ok = e->type == TYPE_INT
		             ? weft_parse_u64(weft_str_n(z, n), &whole) == 0 && whole <= INT64_MAX
		             : weft_parse_double(weft_str_n(z[n - 1] == '.' ? z : z, z[n - 1] == '.' ? n - 1 : n), &v) == 0;
	if (whole > INT32_MAX)
		e->type = TYPE_LONG;
	if (ok)
		return;
	spec_say(b->s, WEFT_ERROR, "number", e->where, NULL, "'%s' is no number, or too large", z);
	b->c->broken = true;
}

static enum spec_type bind_assign(struct binder *b, struct expr *e)
{
	struct weft_spec *s = b->s;
	enum spec_type l = bind_bind(b, e->kid[0]), r = bind_bind(b, e->kid[1]);
	bind_target(b, e->kid[0], e->op[1] == '=');
	if ((l == TYPE_STRING) != (r == TYPE_STRING) && !b->c->broken) {
		spec_say(s, WEFT_ERROR, "type", e->where, NULL, "a string and a number cannot be assigned to each other");
		b->c->broken = true;
	}
	return e->type = l;
}

static enum spec_type bind_bind(struct binder *b, struct expr *e)
{
	switch (e->kind) {
	case EXPR_NUMBER:
		check_number(b, e);
		return e->type;
	case EXPR_STRING:
		return e->type = e->name[0] == '\'' ? TYPE_INT : TYPE_STRING;
	case EXPR_NAME:
		return bind_name(b, e);
	case EXPR_MEMBER:
		return bind_member(b, e);
	case EXPR_INDEX:
		return bind_index(b, e);
	case EXPR_CALL:
		return bind_call(b, e);
	case EXPR_UNARY:
	case EXPR_POSTFIX:
		e->type = bind_bind(b, e->kid[0]);
		if (e->op[1])
			bind_target(b, e->kid[0], true);
		return e->type = e->op[0] == '!' ? TYPE_INT : e->type;
	case EXPR_BINARY:
		return bind_binary(b, e);
	case EXPR_ASSIGN:
		return bind_assign(b, e);
	case EXPR_CHOICE:
		bind_bind(b, e->kid[0]);
		e->type = bind_bind(b, e->kid[1]);
		return e->type = bind_wider(e->type, bind_bind(b, e->kid[2]));
	case EXPR_CAST:
		bind_bind(b, e->kid[0]);
		return e->type;
	default:
		return e->type;
	}
}

/* -- statements -- */

static void bind_decl(struct binder *b, struct expr *e)
{
	for (; e; e = e->kid[1]) {
		if (e->kid[0])
			bind_bind(b, e->kid[0]);
		e->number = b->n_numbers++;
		if (b->n_locals < LOCALS_MAX)
			b->local[b->n_locals++] = e;
	}
}

static void bind_statement(struct binder *b, struct expr *e)
{
	unsigned before = b->n_locals;
	switch (e->kind) {
	case STMT_EXPR:
		bind_bind(b, e->kid[0]);
		return;
	case STMT_DECL:
		bind_decl(b, e);
		return;
	case STMT_FOR:
		if (e->kid[0])
			bind_statement(b, e->kid[0]);
		b->in_bound = true;
		if (e->kid[1])
			bind_bind(b, e->kid[1]);
		b->in_bound = false;
		if (e->kid[2])
			bind_bind(b, e->kid[2]);
		bind_list(b, e->kid[3]);
		break;
	case STMT_BLOCK:
		bind_list(b, e->kid[0]);
		break;
	case STMT_IF:
	case STMT_WHILE:
	case STMT_DO:
	case STMT_RETURN:
		if (e->kid[0])
			bind_bind(b, e->kid[0]);
		bind_list(b, e->kid[1]);
		bind_list(b, e->kid[2]);
		break;
	default:
		break;
	}
	b->n_locals = before;
}

static void bind_list(struct binder *b, struct expr *e)
{
	for (; e; e = e->next) {
		if (e->kind >= STMT_EXPR)
			bind_statement(b, e);
		else
			bind_bind(b, e);
	}
}

static void bind_code(struct weft_spec *s, uint32_t id)
{
	struct spec_code *c = &s->code.at[id];
	struct binder b = {.s = s, .c = c};
	if (c->role == ROLE_INIC || c->role == ROLE_VALUE) {
		b.has_scope = true;
		b.scope = s->attr.at[c->owner].scope;
		b.actor = s->attr.at[c->owner].actor;
	} else if (c->role == ROLE_COMPLETION) {
		b.has_scope = true;
		b.scope = SCOPE_ACTOR;
		b.actor = c->owner;
	} else if (c->role == ROLE_FUNCTION) {
		for (struct expr *p = s->function.at[c->owner].params; p && b.n_locals < LOCALS_MAX; p = p->next) {
			p->number = b.n_numbers++;
			b.local[b.n_locals++] = p;
		}
	}
	/* A single expression as a value is what the attribute becomes. */
	struct expr *only = c->body;
	bool plain = (c->role == ROLE_INIC || c->role == ROLE_VALUE) && only && !only->next && only->kind == STMT_EXPR &&
	             only->kid[0]->kind != EXPR_ASSIGN && only->kid[0]->kind != EXPR_CALL && !only->kid[0]->op[1];
	if (plain && s->attr.at[c->owner].id.z && !s->attr.at[c->owner].len && s->attr.at[c->owner].scope != SCOPE_ACTOR) {
		struct expr *set = spec_alloc(s, sizeof *set), *name = spec_alloc(s, sizeof *name);
		*name = (struct expr){.kind = EXPR_NAME, .where = only->where, .name = s->attr.at[c->owner].id.z};
		*set = (struct expr){.kind = EXPR_ASSIGN, .op = "=", .where = only->where, .kid = {name, only->kid[0]}};
		only->kid[0] = set;
		spec_say(s, WEFT_NOTE, "implied-assignment", only->where, NULL, "a value alone is what '%s' becomes", name->name);
	}
	bind_list(&b, c->body);
}

/* -- what each code uses -- */

struct uses {
	struct weft_spec *s;
	struct spec_code *c;
};

static void bind_gather(void *ctx, struct expr *e)
{
	struct uses *u = ctx;
	if (e->kind != EXPR_REF)
		return;
	if (e->ref == REF_ATTR && e->read)
		bits_set(&u->c->reads, e->id);
	if (e->ref == REF_ATTR && e->write)
		bits_set(&u->c->writes, e->id);
	if (e->ref == REF_FIELD)
		bits_set(&u->c->events, e->id);
	if (e->ref == REF_FUNCTION)
		bits_set(&u->c->calls, e->id);
	if (e->ref == REF_TUNE)
		bits_set(&u->c->tunes, e->id);
}

/* A function beyond the subset uses what it names. */
static void gather_tokens(struct weft_spec *s, struct spec_code *c)
{
	uint32_t end = c->where.at + c->where.n;
	for (struct token t = expr_token(s->text, c->where.at, end); t.kind != TOKEN_END;
	     t = expr_token(s->text, t.where.at + t.where.n, end))
		for (uint32_t i = 0; t.kind == TOKEN_NAME && i < s->attr.n; i++)
			if (s->attr.at[i].id.z && token_is(s->text, t, s->attr.at[i].id.z))
				bits_set(&c->reads, i);
}

/* Callers use what their callees use; repeated until nothing is added. */
static void close_calls(struct weft_spec *s)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < s->code.n; i++) {
			struct spec_code *c = &s->code.at[i];
			for (uint32_t f = 0; f < s->function.n + s->point.n; f++) {
				bool function = f < s->function.n;
				uint32_t k = function ? f : f - (uint32_t)s->function.n;
				if (!bits_has(function ? &c->calls : &c->tunes, k))
					continue;
				uint32_t callee = function ? s->function.at[k].code : s->point.at[k].value;
				if (callee == SPEC_NONE)
					continue;
				const struct spec_code *d = &s->code.at[callee];
				more |= bits_or(&c->reads, &d->reads) | bits_or(&c->writes, &d->writes) |
				        bits_or(&c->calls, &d->calls) | bits_or(&c->tunes, &d->tunes) |
				        bits_or(&c->events, &d->events);
			}
		}
	}
}

/* The objective is asked between iterations: all that there is then are parameters. */
static void check_objective(struct weft_spec *s)
{
	if (s->objective == SPEC_NONE)
		return;
	struct spec_code *c = &s->code.at[s->objective];
	for (uint32_t i = 0; i < s->attr.n; i++)
		if (bits_has(&c->reads, i) && s->attr.at[i].scope != SCOPE_PARAMETER)
			spec_say(s, WEFT_ERROR, "objective", c->where, "make it a model parameter",
			         "the objective uses '%s', which ends with its iteration", spec_attr_path(s, i));
	if (bits_any(&c->writes) || bits_any(&c->events) || bits_any(&c->tunes))
		spec_say(s, WEFT_ERROR, "objective", c->where, NULL,
		         "the objective only computes: it sets nothing, tunes nothing, and uses no event");
}

void expr_bind_all(struct weft_spec *s)
{
	for (uint32_t i = 0; i < s->code.n; i++)
		bind_code(s, i);
	for (size_t i = 0; i < s->code.n; i++) {
		struct spec_code *c = &s->code.at[i];
		struct uses u = {s, c};
		c->reads = spec_bits(s, s->attr.n);
		c->writes = spec_bits(s, s->attr.n);
		c->events = spec_bits(s, s->event.n);
		c->calls = spec_bits(s, s->function.n);
		c->tunes = spec_bits(s, s->point.n);
		expr_walk(c->body, bind_gather, &u);
		if (c->opaque)
			gather_tokens(s, c);
	}
	close_calls(s);
	check_objective(s);
}
