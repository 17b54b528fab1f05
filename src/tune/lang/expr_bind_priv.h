/* SPDX-License-Identifier: Apache-2.0 */
/* Binding of names and types, shared by its files. */
#ifndef WEFT_TUNE_EXPR_BIND_PRIV_H
#define WEFT_TUNE_EXPR_BIND_PRIV_H

#include "expr.h"

enum { LOCALS_MAX = 256 };

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

/* ---- expr_bind.c ---- */

enum spec_type bind_expr(struct binder *b, struct expr *e);

/* ---- expr_names.c: all return the expression's type ---- */

enum spec_type bind_name(struct binder *b, struct expr *e);
enum spec_type bind_member(struct binder *b, struct expr *e);
enum spec_type bind_become(struct expr *e, enum ref_kind ref, uint32_t id, enum spec_type t);
/* `what` goes before the name in the diagnosis; call: a function is sought. */
enum spec_type bind_undeclared(struct binder *b, struct expr *e, const char *what, const char *z, bool call);

#endif
