/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions: recursive descent with one token of lookahead; statements (expr_statement.c) and
 * functions (expr_function.c) stand on it. In the properties of a specification it goes on after a mistake, with the missing or superfluous bracket as it probably
 * was, so that later mistakes are found too. The body of a performance function may be any C: where
 * it leaves the subset, the function is left to the compiler (`opaque`).
 */
#include "expr_parse_priv.h"
#include <string.h>

enum { CHAIN_MAX = 400 };

void parse_advance(struct reader *r)
{
	r->last_end = r->t.where.at + r->t.where.n;
	r->t = expr_token(r->s->text, r->last_end, r->end);
}

bool parse_at_op(const struct reader *r, const char *z)
{
	return (r->t.kind == TOKEN_OP || r->t.kind == TOKEN_NAME) && token_is(r->s->text, r->t, z);
}

bool parse_accept(struct reader *r, const char *z)
{
	bool is = parse_at_op(r, z);
	if (is)
		parse_advance(r);
	return is;
}

const char *parse_token_text(struct reader *r)
{
	return r->t.kind == TOKEN_END ? "the end" : spec_printf(r->s, "'%s'", expr_text(r->s, r->t.where));
}

void parse_complain(struct reader *r, const char *rule, struct span where, const char *fix, const char *text)
{
	if (r->is_function)
		longjmp(r->give_up, 1);
	r->code->broken = true;
	if (r->cut)
		return;
	if (where.n == 0)
		where.n = 1;
	spec_say(r->s, WEFT_ERROR, rule, where, fix, "%s", text);
}

struct expr *parse_node(struct reader *r, enum expr_kind kind, uint32_t at)
{
	struct expr *e = spec_alloc(r->s, sizeof *e);
	e->kind = kind;
	e->where.at = at;
	e->id = e->sub = SPEC_NONE;
	return e;
}

struct expr *parse_done(struct reader *r, struct expr *e)
{
	e->where.n = r->last_end > e->where.at ? r->last_end - e->where.at : 0;
	return e;
}

static void set_op(struct reader *r, struct expr *e)
{
	memcpy(e->op, r->s->text + r->t.where.at, r->t.where.n < 4 ? r->t.where.n : 3);
}

/* An expression that is too long is reported once, and no more of it is read. */
static bool parse_cut(struct reader *r, const char *why)
{
	parse_complain(r, "depth", r->t.where, NULL, why);
	r->cut = true;
	r->t = (struct token){TOKEN_END, {r->end, 0}};
	return false;
}

bool parse_deeper(struct reader *r)
{
	return ++r->depth <= DEPTH_MAX || parse_cut(r, "nested more than 100 deep");
}

/* Whether one more operator may lean on the others of a statement; ends the reading when not. */
bool parse_longer(struct reader *r)
{
	return ++r->chain <= CHAIN_MAX || parse_cut(r, "more than 400 operators in one statement");
}

/* Behind the last token: where something is missing. */
struct span parse_behind(const struct reader *r)
{
	return (struct span){r->last_end, 0};
}

void parse_close(struct reader *r, const char *close)
{
	if (parse_accept(r, close))
		return;
	parse_complain(r, "unbalanced", parse_behind(r), spec_printf(r->s, "add '%s' here", close),
	               spec_printf(r->s, "'%s' is missing before %s", close, parse_token_text(r)));
}

/* -- types -- */

static const struct {
	const char *z;
	enum spec_type t;
} type_words[] = {{"char", TYPE_CHAR},     {"short", TYPE_SHORT},  {"int", TYPE_INT},
                  {"long", TYPE_LONG},     {"unsigned", TYPE_INT}, {"float", TYPE_FLOAT},
                  {"double", TYPE_DOUBLE}, {"void", TYPE_VOID},    {"bool", TYPE_INT}};

bool parse_at_type(const struct reader *r, enum spec_type *t)
{
	for (size_t i = 0; i < sizeof type_words / sizeof type_words[0]; i++)
		if (r->t.kind == TOKEN_NAME && token_is(r->s->text, r->t, type_words[i].z)) {
			*t = type_words[i].t;
			return true;
		}
	return false;
}

/* -- expressions -- */

static struct expr *parse_arguments(struct reader *r)
{
	struct expr *first = NULL, **last = &first;
	if (parse_at_op(r, ")"))
		return NULL;
	do {
		*last = parse_assignment(r);
		last = &(*last)->next;
	} while (parse_accept(r, ","));
	return first;
}

const char *parse_token_name(struct reader *r)
{
	char *z = spec_alloc(r->s, r->t.where.n + 1);
	memcpy(z, r->s->text + r->t.where.at, r->t.where.n);
	return z;
}

static struct expr *parse_primary(struct reader *r)
{
	struct expr *e = parse_node(r, EXPR_NUMBER, r->t.where.at);
	switch (r->t.kind) {
	case TOKEN_NAME:
		e->kind = EXPR_NAME;
		e->name = parse_token_name(r);
		parse_advance(r);
		return parse_done(r, e);
	case TOKEN_NUMBER:
	case TOKEN_STRING:
		e->kind = r->t.kind == TOKEN_NUMBER ? EXPR_NUMBER : EXPR_STRING;
		e->name = parse_token_name(r);
		parse_advance(r);
		return parse_done(r, e);
	default:
		break;
	}
	if (parse_accept(r, "(")) {
		e = parse_expression(r);
		parse_close(r, ")");
		return e;
	}
	e->name = "0";
	parse_complain(r, "syntax", r->t.where.n ? r->t.where : parse_behind(r), NULL,
	               spec_printf(r->s, "expected an expression, found %s", parse_token_text(r)));
	/* A closing bracket or the end is somebody else's. */
	if (r->t.kind != TOKEN_END && !parse_at_op(r, ")") && !parse_at_op(r, "}") && !parse_at_op(r, ";") &&
	    !parse_at_op(r, "]"))
		parse_advance(r);
	return parse_done(r, e);
}

static struct expr *parse_postfix(struct reader *r)
{
	struct expr *e = parse_primary(r);
	while (parse_longer(r)) {
		struct expr *outer = parse_node(r, EXPR_POSTFIX, e->where.at);
		outer->kid[0] = e;
		if (parse_accept(r, "[")) {
			outer->kind = EXPR_INDEX;
			outer->kid[1] = parse_expression(r);
			parse_close(r, "]");
		} else if (parse_accept(r, "(")) {
			outer->kind = EXPR_CALL;
			outer->kid[1] = parse_arguments(r);
			parse_close(r, ")");
		} else if (parse_accept(r, ".")) {
			outer->kind = EXPR_MEMBER;
			outer->name = r->t.kind == TOKEN_NAME ? parse_token_name(r) : "";
			if (r->t.kind != TOKEN_NAME)
				parse_complain(r, "syntax", parse_behind(r), NULL, "expected a name behind '.'");
			else
				parse_advance(r);
		} else if (parse_at_op(r, "++") || parse_at_op(r, "--")) {
			set_op(r, outer);
			parse_advance(r);
		} else {
			return e;
		}
		e = parse_done(r, outer);
	}
	return e;
}

static struct expr *parse_cast(struct reader *r)
{
	struct reader saved = *r;
	struct expr *e = parse_node(r, EXPR_CAST, r->t.where.at);
	enum spec_type t, more;
	if (!parse_accept(r, "(") || !parse_at_type(r, &t)) {
		r->t = saved.t;
		r->last_end = saved.last_end;
		return NULL;
	}
	parse_advance(r);
	while (parse_at_type(r, &more)) {
		t = more == TYPE_DOUBLE ? more : t;
		parse_advance(r);
	}
	e->type = t;
	parse_close(r, ")");
	return e;
}

static struct expr *parse_unary(struct reader *r)
{
	static const char *const ops[] = {"-", "+", "!", "~", "++", "--"};
	struct expr *e;
	if (!parse_deeper(r))
		return parse_primary(r);
	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
		if (parse_at_op(r, ops[i])) {
			e = parse_node(r, EXPR_UNARY, r->t.where.at);
			set_op(r, e);
			parse_advance(r);
			e->kid[0] = parse_unary(r);
			r->depth--;
			return parse_done(r, e);
		}
	e = parse_cast(r);
	if (e) {
		e->kid[0] = parse_unary(r);
		parse_done(r, e);
	} else {
		e = parse_postfix(r);
	}
	r->depth--;
	return e;
}

static const struct {
	const char *op;
	int level;
} binary_ops[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
                  {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static int binary_level(const struct reader *r)
{
	for (size_t i = 0; r->t.kind == TOKEN_OP && i < sizeof binary_ops / sizeof binary_ops[0]; i++)
		if (token_is(r->s->text, r->t, binary_ops[i].op))
			return binary_ops[i].level;
	return 0;
}

static struct expr *parse_binary(struct reader *r, int level)
{
	struct expr *left = parse_unary(r);
	for (int op; (op = binary_level(r)) >= level && op > 0 && parse_longer(r);) {
		struct expr *e = parse_node(r, EXPR_BINARY, left->where.at);
		set_op(r, e);
		parse_advance(r);
		e->kid[0] = left;
		e->kid[1] = parse_binary(r, op + 1);
		left = parse_done(r, e);
	}
	return left;
}

struct expr *parse_assignment(struct reader *r)
{
	static const char *const ops[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
	struct expr *e = NULL, *left;
	if (!parse_deeper(r))
		return parse_primary(r);
	left = parse_binary(r, 1);
	if (parse_at_op(r, "?")) {
		e = parse_node(r, EXPR_CHOICE, left->where.at);
		parse_advance(r);
		e->kid[0] = left;
		e->kid[1] = parse_expression(r);
		parse_close(r, ":");
		e->kid[2] = parse_assignment(r);
	}
	for (size_t i = 0; !e && i < sizeof ops / sizeof ops[0]; i++)
		if (parse_at_op(r, ops[i])) {
			e = parse_node(r, EXPR_ASSIGN, left->where.at);
			set_op(r, e);
			parse_advance(r);
			e->kid[0] = left;
			e->kid[1] = parse_assignment(r);
		}
	r->depth--;
	return e ? parse_done(r, e) : left;
}

struct expr *parse_expression(struct reader *r)
{
	struct expr *e = parse_assignment(r);
	while (parse_at_op(r, ",") && parse_longer(r)) {
		struct expr *both = parse_node(r, EXPR_BINARY, e->where.at);
		set_op(r, both);
		parse_advance(r);
		both->kid[0] = e;
		both->kid[1] = parse_assignment(r);
		e = parse_done(r, both);
	}
	return e;
}

/* -- walking -- */

void expr_walk(struct expr *list, void (*visit)(void *ctx, struct expr *e), void *ctx)
{
	for (struct expr *e = list; e; e = e->next) {
		visit(ctx, e);
		for (int i = 0; i < 4; i++)
			expr_walk(e->kid[i], visit, ctx);
	}
}
