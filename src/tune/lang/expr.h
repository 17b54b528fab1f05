/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of expressions and statements. The parser makes names, members and indices of what it sees;
 * binding turns those that stand for entities of the specification into EXPR_REF, in place, and
 * gives every expression a type.
 */
#ifndef WEFT_TUNE_EXPR_PRIV_H
#define WEFT_TUNE_EXPR_PRIV_H

#include "spec_model.h"

enum expr_kind {
	EXPR_NUMBER,
	EXPR_STRING,
	EXPR_NAME,
	EXPR_MEMBER,  /* kid[0] . name */
	EXPR_INDEX,   /* kid[0] [ kid[1] ] */
	EXPR_CALL,    /* kid[0] ( list at kid[1] ) */
	EXPR_UNARY,   /* op kid[0], also ++ -- before */
	EXPR_POSTFIX, /* kid[0] op */
	EXPR_BINARY,  /* kid[0] op kid[1] */
	EXPR_ASSIGN,  /* kid[0] op kid[1] */
	EXPR_CHOICE,  /* kid[0] ? kid[1] : kid[2] */
	EXPR_CAST,    /* (type) kid[0] */
	EXPR_REF,     /* bound */
	STMT_EXPR,    /* kid[0] */
	STMT_DECL,    /* type name [len] = kid[0]; the next declarator of the same at kid[1] */
	STMT_IF,      /* kid[0] then kid[1] else kid[2] */
	STMT_FOR,     /* kid[0] (a statement) ; kid[1] ; kid[2] ; body kid[3] */
	STMT_WHILE,   /* kid[0] body kid[1] */
	STMT_DO,      /* body kid[1] while kid[0] */
	STMT_RETURN,  /* kid[0] or NULL */
	STMT_BREAK,
	STMT_CONTINUE,
	STMT_BLOCK, /* list at kid[0] */
	STMT_EMPTY,
};

enum ref_kind {
	REF_LOCAL,
	REF_ATTR,
	REF_FIELD,
	REF_COUNT,
	REF_POINT,
	REF_MATH,
	REF_FUNCTION,
	REF_TUNE,
	REF_ADD,
	REF_REM,
	REF_ASSUMED
};
/* How the instance of an actor is chosen. */
enum access { ACCESS_PLAIN, ACCESS_SELF, ACCESS_FIRST, ACCESS_NTH, ACCESS_ID };

struct expr {
	enum expr_kind kind;
	char op[4];
	enum spec_type type;
	struct span where;
	const char *name; /* as written; the text of a number */
	uint32_t len;     /* STMT_DECL: of an array */
	struct expr *kid[4], *next;
	enum ref_kind ref;
	enum access access; /* REF_ATTR: the index is kid[0] where it has one */
	uint32_t id, sub;   /* attr; event and field; actor; point; function */
	bool write, read;   /* REF_ATTR and REF_LOCAL */
	struct expr *decl;  /* REF_LOCAL */
	uint32_t number;    /* STMT_DECL: of the local, for its name in C */
};

static inline bool expr_is_op(const struct expr *e, const char *op)
{
	for (int i = 0; i < 4; i++)
		if (e->op[i] != op[i] || !op[i])
			return e->op[i] == op[i];
	return true;
}
static inline bool type_is_real(enum spec_type t)
{
	return t == TYPE_FLOAT || t == TYPE_DOUBLE;
}

/* The statement in a block around a single one. */
static inline const struct expr *expr_bare(const struct expr *st)
{
	while (st && st->kind == STMT_BLOCK && st->kid[0] && !st->kid[0]->next)
		st = st->kid[0];
	return st;
}

/* Calls visit for every node of a list and below it, parents first. */
void expr_walk(struct expr *list, void (*visit)(void *ctx, struct expr *e), void *ctx);

/* -- expr_lex.c -- */
enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_OP, TOKEN_BAD };
struct token {
	enum token_kind kind;
	struct span where;
};
struct token expr_token(const char *text, uint32_t at, uint32_t end);
bool token_is(const char *text, struct token t, const char *z);

const char *expr_math_function(const char *name, unsigned *n_args); /* its C name, or NULL */
/* The text of an expression of the specification, on one line, shortened. */
const char *expr_text(struct weft_spec *s, struct span where);

#endif
