/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing JSON, and checking that a text is JSON. The writer puts the commas; strings are escaped, invalid UTF-8 becomes
 * U+FFFD; numbers that JSON cannot say (nan, inf) and a NULL string become null. A newline follows each complete value, so
 * that a line holds one. Depth is limited to 64 when writing (more is a WEFT_BUG), to 512 when checking. Errors of writing
 * stay in the stream: ferror(to).
 */
#ifndef WEFT_BASE_JSON_H
#define WEFT_BASE_JSON_H

#include "err.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct weft_json {
	FILE *to; /* borrowed */
	unsigned depth;
	bool first[64];  /* nothing written yet at this depth */
	bool object[64]; /* the level is an object, else an array */
	bool after_key;
	bool pretty; /* newlines and two blanks a level */
};

void weft_json_init(struct weft_json *j, FILE *to, bool pretty);
void weft_json_object(struct weft_json *j);
void weft_json_array(struct weft_json *j);
void weft_json_end(struct weft_json *j); /* closes the innermost object or array */
void weft_json_key(struct weft_json *j, const char *key);
void weft_json_string(struct weft_json *j, const char *z);
void weft_json_string_n(struct weft_json *j, const char *at, size_t n);
void weft_json_u64(struct weft_json *j, uint64_t v);
void weft_json_i64(struct weft_json *j, int64_t v);
void weft_json_double(struct weft_json *j, double v);
void weft_json_bool(struct weft_json *j, bool v);
void weft_json_null(struct weft_json *j);
void weft_json_text(struct weft_json *j, const char *at, size_t n); /* a value that is JSON already, as it is */

/* Whether `at[0..n)` is one JSON value: 0, or WEFT_E_SYNTAX with the byte offset in the text. */
int weft_json_check(const char *at, size_t n, struct weft_err *err) WEFT_MUST_CHECK;

#endif
