/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codes by their role: statements, one expression, or a performance function, whose body may be any C: brackets in
 * balance, no C++, and a type, a name and parameters in front.
 */
#include "expr_parse_priv.h"
#include <string.h>

static void parse_statements(struct reader *r)
{
	struct expr **last = &r->code->body;
	while (r->t.kind != TOKEN_END) {
		if (parse_at_op(r, "}")) {
			parse_complain(r, "unbalanced", r->t.where, "remove it", "'}' closes nothing");
			parse_advance(r);
			continue;
		}
		*last = parse_statement(r);
		last = &(*last)->next;
	}
}

static void parse_single(struct reader *r)
{
	if (r->t.kind == TOKEN_END)
		return;
	r->code->body = parse_node(r, STMT_EXPR, r->t.where.at);
	r->code->body->kid[0] = parse_expression(r);
	parse_skip_extra(r);
	parse_accept(r, ";");
	if (r->t.kind != TOKEN_END)
		parse_complain(r, "syntax", r->t.where, NULL,
		               spec_printf(r->s, "expected one expression, found %s behind it", parse_token_text(r)));
	parse_done(r, r->code->body);
}

static struct reader reader_of(struct weft_spec *s, struct spec_code *c)
{
	struct reader r = {.s = s, .code = c, .end = c->where.at + c->where.n, .last_end = c->where.at};
	r.t = expr_token(s->text, c->where.at, r.end);
	return r;
}

/* -- performance functions -- */

/* C++ is refused, with the word that shows it. */
static bool refuse_cpp(struct weft_spec *s, const struct spec_code *c)
{
	static const char *const words[] = {"class", "template", "namespace", "new",      "delete", "try",
	                                    "catch", "throw",    "using",     "virtual",  "public", "private",
	                                    "cout",  "cin",      "std",       "operator", "nullptr"};
	uint32_t end = c->where.at + c->where.n;
	for (struct token t = expr_token(s->text, c->where.at, end); t.kind != TOKEN_END;
	     t = expr_token(s->text, t.where.at + t.where.n, end)) {
		bool is = t.kind == TOKEN_OP && token_is(s->text, t, "::");
		for (size_t i = 0; t.kind == TOKEN_NAME && i < sizeof words / sizeof words[0]; i++)
			is |= token_is(s->text, t, words[i]);
		if (!is)
			continue;
		spec_say(s, WEFT_ERROR, "cpp", t.where, "write it in C",
		         "'%s' is C++: performance functions are C, so that they run in a small process without its runtime",
		         expr_text(s, t.where));
		return true;
	}
	return false;
}

/* Brackets must be in balance, whatever the rest is. */
static bool check_balance(struct weft_spec *s, const struct spec_code *c)
{
	struct token open[DEPTH_MAX];
	unsigned n = 0;
	uint32_t end = c->where.at + c->where.n;
	for (struct token t = expr_token(s->text, c->where.at, end); t.kind != TOKEN_END;
	     t = expr_token(s->text, t.where.at + t.where.n, end)) {
		static const char pairs[] = "([{)]}";
		const char *at = t.kind == TOKEN_OP && t.where.n == 1 ? strchr(pairs, s->text[t.where.at]) : NULL;
		long which = at ? (long)(at - pairs) : -1;
		if (which < 0)
			continue;
		if (which < 3 && n < DEPTH_MAX) {
			open[n++] = t;
		} else if (which >= 3 && n > 0 && s->text[open[n - 1].where.at] == pairs[which - 3]) {
			n--;
		} else {
			spec_say(s, WEFT_ERROR, "unbalanced", t.where, NULL, "'%c' matches no bracket before it",
			         s->text[t.where.at]);
			return false;
		}
	}
	if (n)
		spec_say(s, WEFT_ERROR, "unbalanced", open[n - 1].where, NULL, "'%c' is not closed",
		         s->text[open[n - 1].where.at]);
	return n == 0;
}

static bool parse_parameters(struct reader *r, struct spec_function *f)
{
	struct expr **last = &f->params;
	enum spec_type t;
	if (!parse_accept(r, "("))
		return false;
	while (!parse_at_op(r, ")")) {
		if (!parse_at_type(r, &t))
			return false;
		parse_advance(r);
		if (t == TYPE_VOID && parse_at_op(r, ")"))
			break;
		struct expr *p = parse_node(r, STMT_DECL, r->t.where.at);
		p->type = t;
		p->name = r->t.kind == TOKEN_NAME ? parse_token_name(r) : NULL;
		if (!p->name)
			return false;
		parse_advance(r);
		*last = parse_done(r, p);
		last = &p->next;
		f->n_params++;
		if (!parse_accept(r, ",") && !parse_at_op(r, ")"))
			return false;
	}
	return parse_accept(r, ")");
}

static void parse_function(struct weft_spec *s, struct spec_function *f)
{
	struct spec_code *c = &s->code.at[f->code];
	struct reader r = reader_of(s, c);
	r.is_function = true;
	f->where = c->where;
	if (refuse_cpp(s, c) || !check_balance(s, c)) {
		c->broken = true;
		return;
	}
	if (!parse_at_type(&r, &f->t)) {
		spec_say(s, WEFT_ERROR, "function", c->where, "int name() { … }",
		         "expected the definition of a function: a type first");
		c->broken = true;
		return;
	}
	parse_advance(&r);
	f->id = (struct word){parse_token_name(&r), r.t.where};
	if (r.t.kind != TOKEN_NAME) {
		spec_say(s, WEFT_ERROR, "function", c->where, "int name() { … }",
		         "expected the name of a function behind its type");
		f->id.z = NULL;
		c->broken = true;
		return;
	}
	parse_advance(&r);
	c->opaque = true;
	if (setjmp(r.give_up))
		return;
	if (parse_parameters(&r, f) && parse_at_op(&r, "{")) {
		struct expr *body = parse_block(&r);
		c->opaque = r.t.kind != TOKEN_END;
		c->body = c->opaque ? NULL : body;
	}
}

void expr_parse_all(struct weft_spec *s)
{
	for (size_t i = 0; i < s->function.n; i++)
		if (s->function.at[i].code != SPEC_NONE)
			parse_function(s, &s->function.at[i]);
	for (uint32_t i = 1; i < s->function.n; i++)
		if (spec_find_function(s, s->function.at[i].id.z) < i)
			spec_say(s, WEFT_ERROR, "declared-twice", s->function.at[i].id.where, NULL,
			         "function '%s' is defined twice", s->function.at[i].id.z);
	for (size_t i = 0; i < s->code.n; i++) {
		struct spec_code *c = &s->code.at[i];
		struct reader r = reader_of(s, c);
		if (c->role == ROLE_INIC || c->role == ROLE_VALUE)
			parse_statements(&r);
		else if (c->role != ROLE_FUNCTION)
			parse_single(&r);
	}
}
