/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of the C subset: declarations, blocks, branches and loops, with missing semicolons and braces. */
#include "expr_parse_priv.h"

void parse_skip_extra(struct reader *r)
{
	while (parse_at_op(r, ")") || parse_at_op(r, "]")) {
		parse_complain(r, "unbalanced", r->t.where, "remove it",
		               spec_printf(r->s, "%s closes nothing", parse_token_text(r)));
		parse_advance(r);
	}
}

static void end_statement(struct reader *r)
{
	parse_skip_extra(r);
	if (parse_accept(r, ";"))
		return;
	struct span here = parse_behind(r);
	here.n = 1;
	if ((r->t.kind == TOKEN_END || parse_at_op(r, "}")) && !r->is_function) {
		if (r->cut)
			return;
		spec_say(r->s, WEFT_WARNING, "semicolon", here, "add ';' here", "';' is missing before %s", parse_token_text(r));
		return;
	}
	parse_complain(r, "syntax", here, "add ';' here", spec_printf(r->s, "expected ';' before %s", parse_token_text(r)));
	while (r->t.kind != TOKEN_END && !parse_at_op(r, ";") && !parse_at_op(r, "}"))
		parse_advance(r);
	parse_accept(r, ";");
}

static struct expr *parse_declaration(struct reader *r, enum spec_type t)
{
	struct expr *first = NULL, **last = &first;
	do {
		struct expr *e = parse_node(r, STMT_DECL, r->t.where.at);
		e->type = t;
		e->name = r->t.kind == TOKEN_NAME ? parse_token_name(r) : "?";
		if (r->t.kind != TOKEN_NAME)
			parse_complain(r, "syntax", r->t.where, NULL,
			               spec_printf(r->s, "expected a name, found %s", parse_token_text(r)));
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
			parse_close(r, "]");
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

struct expr *parse_block(struct reader *r)
{
	struct expr *e = parse_node(r, STMT_BLOCK, r->t.where.at), **last = &e->kid[0];
	struct span open = r->t.where;
	parse_advance(r);
	while (r->t.kind != TOKEN_END && !parse_at_op(r, "}")) {
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
	if (parse_at_type(r, &t)) {
		parse_advance(r);
		while (parse_at_type(r, &more)) {
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
		               spec_printf(r->s, "expected '(' before %s", parse_token_text(r)));
	struct expr *e = parse_expression(r);
	parse_close(r, ")");
	return e;
}

static struct expr *for_loop(struct reader *r, struct expr *e)
{
	if (!parse_accept(r, "("))
		parse_complain(r, "syntax", parse_behind(r), "add '(' here", "expected '(' behind 'for'");
	e->kid[0] = parse_at_op(r, ";") ? NULL : parse_simple(r);
	if (!parse_accept(r, ";"))
		parse_complain(r, "syntax", parse_behind(r), "add ';' here", "expected ';' in 'for'");
	e->kid[1] = parse_at_op(r, ";") ? NULL : parse_expression(r);
	if (!parse_accept(r, ";"))
		parse_complain(r, "syntax", parse_behind(r), "add ';' here", "expected ';' in 'for'");
	e->kid[2] = parse_at_op(r, ")") ? NULL : parse_expression(r);
	parse_close(r, ")");
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
		e->kid[0] = parse_at_op(r, ";") ? NULL : parse_expression(r);
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

struct expr *parse_statement(struct reader *r)
{
	struct expr *e;
	r->chain = 0;
	if (!parse_deeper(r))
		return parse_node(r, STMT_EMPTY, r->t.where.at);
	if (parse_at_op(r, "{")) {
		e = parse_block(r);
	} else if (parse_at_op(r, ";")) {
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
