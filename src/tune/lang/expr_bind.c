/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions get types, names become entities (expr_names.c). One walk over each tree, with a
 * stack of the locals in reach.
 */
#include "expr_bind_priv.h"
#include <string.h>

static void bind_list(struct binder *b, struct expr *e);

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
	enum spec_type t = bind_expr(b, e->kid[0]);
	struct expr *array = e->kid[0];
	uint32_t len = array->kind != EXPR_REF   ? 0
	               : array->ref == REF_LOCAL ? array->decl->len
	               : array->ref == REF_ATTR  ? s->attr.at[array->id].len
	                                         : 0;
	bind_expr(b, e->kid[1]);
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
	enum spec_type l = bind_expr(b, e->kid[0]), r = bind_expr(b, e->kid[1]);
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
	enum spec_type l = bind_expr(b, e->kid[0]), r = bind_expr(b, e->kid[1]);
	bind_target(b, e->kid[0], e->op[1] == '=');
	if ((l == TYPE_STRING) != (r == TYPE_STRING) && !b->c->broken) {
		spec_say(s, WEFT_ERROR, "type", e->where, NULL, "a string and a number cannot be assigned to each other");
		b->c->broken = true;
	}
	return e->type = l;
}

enum spec_type bind_expr(struct binder *b, struct expr *e)
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
		e->type = bind_expr(b, e->kid[0]);
		if (e->op[1])
			bind_target(b, e->kid[0], true);
		return e->type = e->op[0] == '!' ? TYPE_INT : e->type;
	case EXPR_BINARY:
		return bind_binary(b, e);
	case EXPR_ASSIGN:
		return bind_assign(b, e);
	case EXPR_CHOICE:
		bind_expr(b, e->kid[0]);
		e->type = bind_expr(b, e->kid[1]);
		return e->type = bind_wider(e->type, bind_expr(b, e->kid[2]));
	case EXPR_CAST:
		bind_expr(b, e->kid[0]);
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
			bind_expr(b, e->kid[0]);
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
		bind_expr(b, e->kid[0]);
		return;
	case STMT_DECL:
		bind_decl(b, e);
		return;
	case STMT_FOR:
		if (e->kid[0])
			bind_statement(b, e->kid[0]);
		b->in_bound = true;
		if (e->kid[1])
			bind_expr(b, e->kid[1]);
		b->in_bound = false;
		if (e->kid[2])
			bind_expr(b, e->kid[2]);
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
			bind_expr(b, e->kid[0]);
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
			bind_expr(b, e);
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
