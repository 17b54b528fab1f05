/* SPDX-License-Identifier: Apache-2.0 */
/* Models of counters: curves that are computed from others, as the parts of a stack of cycles per instruction. Files of BSC's Folding. */
#ifndef WEFT_ANALYZE_COUNTER_MODEL_H
#define WEFT_ANALYZE_COUNTER_MODEL_H

#include "base/arena.h"
#include "base/err.h"
#include <stdbool.h>

struct weft_counter_term {   /* a counter, a number, or an operation on terms */
	const char *counter; /* NULL: no counter */
	double number;
	char operation;                         /* 0: none */
	struct weft_counter_term *first, *next; /* operands; the next of them */
};
struct weft_counter_component {
	const char *name, *title, *where, *color; /* where, color: may be NULL */
	bool hidden;
	struct weft_counter_term *value;
};
struct weft_counter_model {
	struct weft_arena arena; /* all that follows */
	const char *name, *title, *y1, *y2;
	bool stacked;
	struct weft_counter_component *component;
	unsigned n_components;
};
/* file: for messages. 0, WEFT_E_SYNTAX with the line, or -ENOMEM; then fini all the same. */
int weft_counter_model_parse(struct weft_counter_model *m, const char *file, const char *text, size_t n,
                             struct weft_err *err) WEFT_MUST_CHECK;
void weft_counter_model_fini(struct weft_counter_model *m);
/* The term, with `of` for the value of a counter (NAN: there is none). */
double weft_counter_model_value(const struct weft_counter_term *t, double (*of)(void *arg, const char *counter), void *arg);

#endif
