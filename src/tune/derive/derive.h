/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading specifications: diagnosed, and with what follows from their expressions: when and in
 * which order values are computed, which are sums and the like, what collectors compute.
 */
#ifndef WEFT_TUNE_DERIVE_H
#define WEFT_TUNE_DERIVE_H

#include "tune/lang/expr.h"
#include "tune/lang/spec.h"

/*
 * Reads `text` (copied); `name` is what diagnoses call it. 0, -ENOMEM, or WEFT_E_LIMIT when it is
 * longer than 1 MiB; *out is NULL on failure. Not thread-safe for one specification, as all
 * functions here.
 */
int weft_spec_new(struct weft_spec **out, const char *name, const char *text, size_t n, struct weft_err *err) WEFT_MUST_CHECK;
int weft_spec_open(struct weft_spec **out, const char *path, struct weft_err *err) WEFT_MUST_CHECK;
/* Prints which values are computed when and where, and which travel; as text or JSON. */
void weft_spec_explain(const struct weft_spec *s, FILE *to);
void weft_spec_explain_json(const struct weft_spec *s, FILE *to);

/* The template that `weft tunlet new` prints. */
void weft_spec_template(const char *name, FILE *to);

/* -- derive_deps.c -- */
void derive_order(struct weft_spec *s);
/* -- derive_sums.c: before derive_reduce -- */
void derive_sums(struct weft_spec *s);
/* -- derive_reduce.c, derive_check.c -- */
void derive_reduce(struct weft_spec *s);
extern const char *const derive_reduction_name[];
/*
 * The operand that a statement adds to, multiplies with or compares with `attr`; NULL: it is no
 * such step.
 */
const struct expr *derive_assigned(const struct expr *x, uint32_t attr, enum reduction *how);
const struct expr *derive_compared(const struct expr *st, uint32_t attr, enum reduction *how);
/* -- derive_place.c -- */
void derive_places(struct weft_spec *s);
void derive_check(struct weft_spec *s);
/*
 * The attributes computed on an event, in order; the first *n_first see what was before it. Their
 * number.
 */
uint32_t derive_event_order(struct weft_spec *s, uint32_t event, uint32_t **out, uint32_t *n_first);

#endif
