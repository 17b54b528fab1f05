/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of expressions and statements: one token of lookahead, and what its files share. */
#ifndef WEFT_TUNE_EXPR_PARSE_PRIV_H
#define WEFT_TUNE_EXPR_PARSE_PRIV_H

#include "expr.h"

enum { DEPTH_MAX = 100 };

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

/* ---- expr_parse.c: tokens ---- */

void parse_advance(struct reader *r);
bool parse_at_op(const struct reader *r, const char *z);
bool parse_at_type(const struct reader *r, enum spec_type *t);
bool parse_accept(struct reader *r, const char *z);    /* advances over it, if it is there */
void parse_close(struct reader *r, const char *close); /* the same, and a diagnosis if it is not */
const char *parse_token_text(struct reader *r);        /* as diagnoses quote it */
const char *parse_token_name(struct reader *r);
struct span parse_behind(const struct reader *r); /* behind the last token: the place of a missing one */
void parse_complain(struct reader *r, const char *rule, struct span where, const char *fix, const char *text);

/* ---- expr_parse.c: nodes and expressions ---- */

struct expr *parse_node(struct reader *r, enum expr_kind kind, uint32_t at);
struct expr *parse_done(struct reader *r, struct expr *e); /* it ends here */
bool parse_deeper(struct reader *r);                       /* one level more may be nested; who calls it lowers `depth` */
bool parse_longer(struct reader *r);                       /* one more operator may lean on the others of a statement */
struct expr *parse_assignment(struct reader *r);
struct expr *parse_expression(struct reader *r);

/* ---- expr_statement.c ---- */

struct expr *parse_statement(struct reader *r);
struct expr *parse_block(struct reader *r);
void parse_skip_extra(struct reader *r); /* closing brackets too many, with a diagnosis each */

#endif
