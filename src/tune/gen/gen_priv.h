/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the translation: the state of one, and its two halves. */
#ifndef WEFT_TUNE_GEN_PRIV_H
#define WEFT_TUNE_GEN_PRIV_H

#include "tune/lang/expr.h"
#include "gen.h"

struct gen {
	struct weft_spec *s;
	struct tune_source *out;
	enum spec_type returns;     /* of the function that is being written */
	const struct expr *counter; /* worker[counter] is the instance that is worked on; NULL: none is */
	enum tune_part_of of;
};

/* The text that follows comes from that place; `exact`: letter by letter. */
void gen_origin(struct gen *g, uint32_t at, bool exact);
void gen_statements(struct gen *g, const struct expr *list);
void gen_result(struct gen *g, const struct expr *e); /* into w_g.result */
void gen_expr(struct gen *g, const struct expr *e);
void gen_place(struct gen *g, const struct expr *e); /* an expression that can be assigned to */
const char *gen_store(enum spec_type t);             /* the function or cast that makes a value fit */
/* -- gen_fold.c: partial results of instances, and loops that take them instead of instances -- */
void gen_parts(struct gen *g);
void gen_splits(struct gen *g);

/* -- gen_tcc.c: TinyCC's library; gen_tcc_none.c: -ENOSYS -- */
int tune_tcc(struct weft_spec *s, const struct tune_source *t, const char *path, struct weft_err *err) WEFT_MUST_CHECK;

/* -- gen_object.c: refuses an object of which something would run by being loaded -- */
int tune_object_check(int fd, const char *name, struct weft_err *err) WEFT_MUST_CHECK;

#endif
