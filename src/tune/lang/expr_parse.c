/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions and statements: recursive descent with one token of lookahead. In the properties of a
 * specification it goes on after a mistake, with the missing or superfluous bracket as it probably
 * was, so that later mistakes are found too. The body of a performance function may be any C: where
 * it leaves the subset, the function is left to the compiler (`opaque`).
 */
#include "expr.h"
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 100, CHAIN_MAX = 400 };

struct reader {
	struct weft_spec *s;
	struct spec_code *code;
	uint32_t end;      /* of the code */
	uint32_t last_end; /* of the token before this */
	struct token t;
	unsigned depth, chain; /* chain: operators in one statement, which trees lean on */
	bool is_function;
	bool cut;        /* the rest is not read: what is missing now is no mistake */
	jmp_buf give_up; /* a function that leaves the subset */
};

static void parse_advance(struct reader *r)
{
	r->last_end = r->t.where.at + r->t.where.n;
	r->t = expr_token(r->s->text, r->last_end, r->end);
}

static bool at_op(const struct reader *r, const char *z)
{
	return (r->t.kind == TOKEN_OP || r->t.kind == TOKEN_NAME) && token_is(r->s->text, r->t, z);
}

static bool parse_accept(struct reader *r, const char *z)
{
	bool is = at_op(r, z);
	if (is)
		parse_advance(r);
	return is;
}

static const char *token_text(struct reader *r)
{
	return r->t.kind == TOKEN_END ? "the end" : spec_printf(r->s, "'%s'", expr_text(r->s, r->t.where));
}

static void parse_complain(struct reader *r, const char *rule, struct span where, const char *fix, const char *text)
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

static struct expr *parse_node(struct reader *r, enum expr_kind kind, uint32_t at)
{
	struct expr *e = spec_alloc(r->s, sizeof *e);
	e->kind = kind;
	e->where.at = at;
	e->id = e->sub = SPEC_NONE;
	return e;
}

static struct expr *parse_done(struct reader *r, struct expr *e)
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

static bool parse_deeper(struct reader *r)
{
	return ++r->depth <= DEPTH_MAX || parse_cut(r, "nested more than 100 deep");
}

/* Whether one more operator may lean on the others of a statement; ends the reading when not. */
static bool parse_longer(struct reader *r)
{
	return ++r->chain <= CHAIN_MAX || parse_cut(r, "more than 400 operators in one statement");
}

/* Behind the last token: where something is missing. */
static struct span parse_behind(const struct reader *r)
{
	return (struct span){r->last_end, 0};
}

static void expect_close(struct reader *r, const char *close)
{
	if (parse_accept(r, close))
		return;
	parse_complain(r, "unbalanced", parse_behind(r), spec_printf(r->s, "add '%s' here", close),
	               spec_printf(r->s, "'%s' is missing before %s", close, token_text(r)));
}

static struct expr *parse_expression(struct reader *r);
static struct expr *parse_assignment(struct reader *r);
static struct expr *parse_statement(struct reader *r);

/* -- types -- */

static const struct {
	const char *z;
	enum spec_type t;
} type_words[] = {{"char", TYPE_CHAR},     {"short", TYPE_SHORT},  {"int", TYPE_INT},
                  {"long", TYPE_LONG},     {"unsigned", TYPE_INT}, {"float", TYPE_FLOAT},
                  {"double", TYPE_DOUBLE}, {"void", TYPE_VOID},    {"bool", TYPE_INT}};

static bool at_type(const struct reader *r, enum spec_type *t)
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
	if (at_op(r, ")"))
		return NULL;
	do {
		*last = parse_assignment(r);
		last = &(*last)->next;
	} while (parse_accept(r, ","));
	return first;
}

static const char *token_name(struct reader *r)
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
		e->name = token_name(r);
		parse_advance(r);
		return parse_done(r, e);
	case TOKEN_NUMBER:
	case TOKEN_STRING:
		e->kind = r->t.kind == TOKEN_NUMBER ? EXPR_NUMBER : EXPR_STRING;
		e->name = token_name(r);
		parse_advance(r);
		return parse_done(r, e);
	default:
		break;
	}
	if (parse_accept(r, "(")) {
		e = parse_expression(r);
		expect_close(r, ")");
		return e;
	}
	e->name = "0";
	parse_complain(r, "syntax", r->t.where.n ? r->t.where : parse_behind(r), NULL,
	               spec_printf(r->s, "expected an expression, found %s", token_text(r)));
	/* A closing bracket or the end is somebody else's. */
	if (r->t.kind != TOKEN_END && !at_op(r, ")") && !at_op(r, "}") && !at_op(r, ";") && !at_op(r, "]"))
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
			expect_close(r, "]");
		} else if (parse_accept(r, "(")) {
			outer->kind = EXPR_CALL;
			outer->kid[1] = parse_arguments(r);
			expect_close(r, ")");
		} else if (parse_accept(r, ".")) {
			outer->kind = EXPR_MEMBER;
			outer->name = r->t.kind == TOKEN_NAME ? token_name(r) : "";
			if (r->t.kind != TOKEN_NAME)
				parse_complain(r, "syntax", parse_behind(r), NULL, "expected a name behind '.'");
			else
				parse_advance(r);
		} else if (at_op(r, "++") || at_op(r, "--")) {
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
	if (!parse_accept(r, "(") || !at_type(r, &t)) {
		r->t = saved.t;
		r->last_end = saved.last_end;
		return NULL;
	}
	parse_advance(r);
	while (at_type(r, &more)) {
		t = more == TYPE_DOUBLE ? more : t;
		parse_advance(r);
	}
	e->type = t;
	expect_close(r, ")");
	return e;
}

static struct expr *parse_unary(struct reader *r)
{
	static const char *const ops[] = {"-", "+", "!", "~", "++", "--"};
	struct expr *e;
	if (!parse_deeper(r))
		return parse_primary(r);
	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
		if (at_op(r, ops[i])) {
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

static struct expr *parse_assignment(struct reader *r)
{
	static const char *const ops[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
	struct expr *e = NULL, *left;
	if (!parse_deeper(r))
		return parse_primary(r);
	left = parse_binary(r, 1);
	if (at_op(r, "?")) {
		e = parse_node(r, EXPR_CHOICE, left->where.at);
		parse_advance(r);
		e->kid[0] = left;
		e->kid[1] = parse_expression(r);
		expect_close(r, ":");
		e->kid[2] = parse_assignment(r);
	}
	for (size_t i = 0; !e && i < sizeof ops / sizeof ops[0]; i++)
		if (at_op(r, ops[i])) {
			e = parse_node(r, EXPR_ASSIGN, left->where.at);
			set_op(r, e);
			parse_advance(r);
			e->kid[0] = left;
			e->kid[1] = parse_assignment(r);
		}
	r->depth--;
	return e ? parse_done(r, e) : left;
}

static struct expr *parse_expression(struct reader *r)
{
	struct expr *e = parse_assignment(r);
	while (at_op(r, ",") && parse_longer(r)) {
		struct expr *both = parse_node(r, EXPR_BINARY, e->where.at);
		set_op(r, both);
		parse_advance(r);
		both->kid[0] = e;
		both->kid[1] = parse_assignment(r);
		e = parse_done(r, both);
	}
	return e;
}

/* -- statements -- */

static void skip_extra(struct reader *r)
{
	while (at_op(r, ")") || at_op(r, "]")) {
		parse_complain(r, "unbalanced", r->t.where, "remove it", spec_printf(r->s, "%s closes nothing", token_text(r)));
		parse_advance(r);
	}
}

static void end_statement(struct reader *r)
{
	skip_extra(r);
	if (parse_accept(r, ";"))
		return;
	struct span here = parse_behind(r);
	here.n = 1;
	if ((r->t.kind == TOKEN_END || at_op(r, "}")) && !r->is_function) {
		if (r->cut)
			return;
		spec_say(r->s, WEFT_WARNING, "semicolon", here, "add ';' here", "';' is missing before %s", token_text(r));
		return;
	}
	parse_complain(r, "syntax", here, "add ';' here", spec_printf(r->s, "expected ';' before %s", token_text(r)));
	while (r->t.kind != TOKEN_END && !at_op(r, ";") && !at_op(r, "}"))
		parse_advance(r);
	parse_accept(r, ";");
}

static struct expr *parse_declaration(struct reader *r, enum spec_type t)
{
	struct expr *first = NULL, **last = &first;
	do {
		struct expr *e = parse_node(r, STMT_DECL, r->t.where.at);
		e->type = t;
		e->name = r->t.kind == TOKEN_NAME ? token_name(r) : "?";
		if (r->t.kind != TOKEN_NAME)
			parse_complain(r, "syntax", r->t.where, NULL,
			               spec_printf(r->s, "expected a name, found %s", token_text(r)));
		else
			parse_advance(r);
		if (parse_accept(r, "[")) {
			uint64_t len;
			if (r->t.kind != TOKEN_NUMBER ||
			    weft_parse_u64(weft_str_n(r->s->text + r->t.where.at, r->t.where.n), &len) || len == 0 ||
			    len > 100000) {
				parse_complain(r, "syntax", r->t.where, NULL, "expected a length up to 100000");
				len = 1;
			}
			e->len = (uint32_t)len;
			if (r->t.kind == TOKEN_NUMBER)
				parse_advance(r);
			expect_close(r, "]");
		} else if (parse_accept(r, "=")) {
			e->kid[0] = parse_assignment(r);
		}
		*last = parse_done(r, e);
		last = &e->kid[1];
	} while (parse_accept(r, ",") && parse_longer(r));
	return first;
}

/*
 * The diagnosis of a '{' that is not closed: two in a row are more often one too many than one '}'
 * too few.
 */
static const char *missing_brace(struct reader *r)
{
	uint32_t line, col;
	for (uint32_t i = r->code->where.at; i + 1 < r->end; i++)
		if (r->s->text[i] == '{' && r->s->text[i + 1] == '{') {
			spec_place(r->s, i, &line, &col);
			return spec_printf(r->s, "write one '{' for '{{' in line %u", line);
		}
	return "add '}' where it ends";
}

static struct expr *parse_block(struct reader *r)
{
	struct expr *e = parse_node(r, STMT_BLOCK, r->t.where.at), **last = &e->kid[0];
	struct span open = r->t.where;
	parse_advance(r);
	while (r->t.kind != TOKEN_END && !at_op(r, "}")) {
		*last = parse_statement(r);
		while (*last)
			last = &(*last)->next;
	}
	if (!parse_accept(r, "}") && !r->cut)
		parse_complain(r, "unbalanced", open, missing_brace(r), "'{' is not closed");
	return parse_done(r, e);
}

static struct expr *parse_simple(struct reader *r)
{
	enum spec_type t, more;
	uint32_t at = r->t.where.at;
	struct expr *e;
	if (at_type(r, &t)) {
		parse_advance(r);
		while (at_type(r, &more)) {
			t = more == TYPE_DOUBLE ? more : t;
			parse_advance(r);
		}
		return parse_declaration(r, t);
	}
	e = parse_node(r, STMT_EXPR, at);
	e->kid[0] = parse_expression(r);
	return parse_done(r, e);
}

static struct expr *parse_condition(struct reader *r)
{
	if (!parse_accept(r, "("))
		parse_complain(r, "syntax", parse_behind(r), "add '(' here",
		               spec_printf(r->s, "expected '(' before %s", token_text(r)));
	struct expr *e = parse_expression(r);
	expect_close(r, ")");
	return e;
}

static struct expr *for_loop(struct reader *r, struct expr *e)
{
	if (!parse_accept(r, "("))
		parse_complain(r, "syntax", parse_behind(r), "add '(' here", "expected '(' behind 'for'");
	e->kid[0] = at_op(r, ";") ? NULL : parse_simple(r);
	if (!parse_accept(r, ";"))
		parse_complain(r, "syntax", parse_behind(r), "add ';' here", "expected ';' in 'for'");
	e->kid[1] = at_op(r, ";") ? NULL : parse_expression(r);
	if (!parse_accept(r, ";"))
		parse_complain(r, "syntax", parse_behind(r), "add ';' here", "expected ';' in 'for'");
	e->kid[2] = at_op(r, ")") ? NULL : parse_expression(r);
	expect_close(r, ")");
	e->kid[3] = parse_statement(r);
	return e;
}

/* The statements that begin with a word; NULL: another. */
static struct expr *parse_worded(struct reader *r)
{
	static const struct {
		const char *z;
		enum expr_kind kind;
	} words[] = {{"if", STMT_IF},         {"for", STMT_FOR},     {"while", STMT_WHILE},      {"do", STMT_DO},
	             {"return", STMT_RETURN}, {"break", STMT_BREAK}, {"continue", STMT_CONTINUE}};
	struct expr *e = parse_node(r, STMT_EMPTY, r->t.where.at);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (r->t.kind == TOKEN_NAME && token_is(r->s->text, r->t, words[i].z))
			e->kind = words[i].kind;
	if (e->kind == STMT_EMPTY)
		return NULL;
	parse_advance(r);
	switch (e->kind) {
	case STMT_IF:
		e->kid[0] = parse_condition(r);
		e->kid[1] = parse_statement(r);
		e->kid[2] = parse_accept(r, "else") ? parse_statement(r) : NULL;
		return parse_done(r, e);
	case STMT_FOR:
		return parse_done(r, for_loop(r, e));
	case STMT_WHILE:
		e->kid[0] = parse_condition(r);
		e->kid[1] = parse_statement(r);
		return parse_done(r, e);
	case STMT_DO:
		e->kid[1] = parse_statement(r);
		if (!parse_accept(r, "while"))
			parse_complain(r, "syntax", parse_behind(r), "add 'while' here",
			               "expected 'while' behind the body of 'do'");
		e->kid[0] = parse_condition(r);
		break;
	case STMT_RETURN:
		e->kid[0] = at_op(r, ";") ? NULL : parse_expression(r);
		break;
	default:
		break;
	}
	end_statement(r);
	return parse_done(r, e);
}

/* A value alone, in place of an assignment, needs no semicolon. */
static bool is_plain_value(const struct reader *r, const struct expr *e)
{
	return r->t.kind == TOKEN_END && !r->code->body && r->depth == 1 && e->kind == STMT_EXPR &&
	       e->kid[0]->kind != EXPR_ASSIGN && e->kid[0]->kind != EXPR_CALL;
}

static struct expr *parse_statement(struct reader *r)
{
	struct expr *e;
	r->chain = 0;
	if (!parse_deeper(r))
		return parse_node(r, STMT_EMPTY, r->t.where.at);
	if (at_op(r, "{")) {
		e = parse_block(r);
	} else if (at_op(r, ";")) {
		e = parse_node(r, STMT_EMPTY, r->t.where.at);
		parse_advance(r);
	} else if (!(e = parse_worded(r))) {
		uint32_t before = r->t.where.at;
		e = parse_simple(r);
		if (!is_plain_value(r, e))
			end_statement(r);
		/* Nothing was taken: an operator that begins nothing. */
		if (r->t.where.at == before && r->t.kind != TOKEN_END)
			parse_advance(r);
	}
	r->depth--;
	return e;
}

/* -- what a code is, by its role -- */

static void parse_statements(struct reader *r)
{
	struct expr **last = &r->code->body;
	while (r->t.kind != TOKEN_END) {
		if (at_op(r, "}")) {
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
	skip_extra(r);
	parse_accept(r, ";");
	if (r->t.kind != TOKEN_END)
		parse_complain(r, "syntax", r->t.where, NULL,
		               spec_printf(r->s, "expected one expression, found %s behind it", token_text(r)));
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
	while (!at_op(r, ")")) {
		if (!at_type(r, &t))
			return false;
		parse_advance(r);
		if (t == TYPE_VOID && at_op(r, ")"))
			break;
		struct expr *p = parse_node(r, STMT_DECL, r->t.where.at);
		p->type = t;
		p->name = r->t.kind == TOKEN_NAME ? token_name(r) : NULL;
		if (!p->name)
			return false;
		parse_advance(r);
		*last = parse_done(r, p);
		last = &p->next;
		f->n_params++;
		if (!parse_accept(r, ",") && !at_op(r, ")"))
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
	if (!at_type(&r, &f->t)) {
		spec_say(s, WEFT_ERROR, "function", c->where, "int name() { … }",
		         "expected the definition of a function: a type first");
		c->broken = true;
		return;
	}
	parse_advance(&r);
	f->id = (struct word){token_name(&r), r.t.where};
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
	if (parse_parameters(&r, f) && at_op(&r, "{")) {
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

/* -- walking -- */

void expr_walk(struct expr *list, void (*visit)(void *ctx, struct expr *e), void *ctx)
{
	for (struct expr *e = list; e; e = e->next) {
		visit(ctx, e);
		for (int i = 0; i < 4; i++)
			expr_walk(e->kid[i], visit, ctx);
	}
}
