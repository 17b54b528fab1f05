/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as a tree, for lines that programs send: whatever they hold, reading them is bounded in depth and linear in time. */
#ifndef WEFT_PULSE_PULSE_READ_H
#define WEFT_PULSE_PULSE_READ_H

#include "base/arena.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>

enum pulse_kind { PULSE_NULL, PULSE_BOOL, PULSE_NUMBER, PULSE_TEXT, PULSE_ARRAY, PULSE_OBJECT };

struct pulse_value {
	enum pulse_kind kind;
	bool truth;
	double number;
	const char *key;  /* within an object; else NULL */
	const char *text; /* UTF-8 as it was sent; with \u escapes below 0x80 only resolved, others are '?' */
	struct pulse_value *first, *next;
};

/* All of the tree is the arena's. 0, WEFT_E_SYNTAX or -ENOMEM. */
int pulse_read(const char *text, size_t n, struct weft_arena *arena, struct pulse_value **out,
               struct weft_err *err) WEFT_MUST_CHECK;

/* A member of an object, NULL when there is none (or `v` is NULL or no object). */
const struct pulse_value *pulse_get(const struct pulse_value *v, const char *key);
double pulse_number(const struct pulse_value *v, const char *key, double otherwise);
const char *pulse_text(const struct pulse_value *v, const char *key, const char *otherwise);

#endif
