/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as recutils have them, one at a time: lines "Field: value", an empty line behind each record; a line that begins with '+' goes on
 * with the value before, and so does one behind a line that ends with '\'. '#' begins a comment. Records of fields that begin with
 * '%' say of which type those behind them are.
 */
#ifndef WEFT_TASKFILES_REC_FILE_H
#define WEFT_TASKFILES_REC_FILE_H

#include "text_lines.h"
#include "base/vec.h"

struct record_field {
	struct weft_str name, value; /* borrow from the record */
};
struct record {
	WEFT_VEC(struct record_field) field;
	uint64_t line; /* of its first */
	struct weft_buf text, type;
	WEFT_VEC(size_t) cut; /* where names and values begin and end in `text` */
};
void record_fini(struct record *r);

/* 1, 0 at the end, negative. The zeroed struct is a valid first argument; each call replaces what is in it. */
int record_next(struct record *r, struct text_lines *from, struct weft_err *err) WEFT_MUST_CHECK;
struct weft_str record_get(const struct record *r, const char *name); /* .at == NULL: there is none */
const char *record_type(const struct record *r);                      /* "": none was said */

/* A number that must be there: 0, or an error that names file, line and field. */
int record_double(const struct record *r, const struct text_lines *from, const char *name, double *out,
                  struct weft_err *err) WEFT_MUST_CHECK;
int record_u64(const struct record *r, const struct text_lines *from, const char *name, uint64_t *out,
               struct weft_err *err) WEFT_MUST_CHECK;
/* Its text, where it must be there. */
int record_text(const struct record *r, const struct text_lines *from, const char *name, struct weft_str *out,
                struct weft_err *err) WEFT_MUST_CHECK;

#endif
