/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the translation: the state of one, and its two halves. */
#ifndef WEFT_TUNE_GEN_PRIV_H
#define WEFT_TUNE_GEN_PRIV_H

#include "expr_priv.h"
#include "gen.h"

struct gen {
	struct weft_spec *s;
	struct tune_source *out;
	enum spec_type returns; /* of the function that is being written */
};

/* What follows comes from there; `exact`: letter by letter. */
void gen_origin(struct gen *g, uint32_t at, bool exact);
void gen_statements(struct gen *g, const struct expr *list);
void gen_result(struct gen *g, const struct expr *e); /* into w_g.result */

#endif
