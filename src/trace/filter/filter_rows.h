/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter grammar over rows of a table: the fields are the table's, and who asks gives a row's values. Errors, lists, ranges, patterns and
 * units are those of filters over events (docs/filters.md); a test on a field that a row has not is false, also with `!=`.
 *
 *     static const struct weft_row_field fields[] = {{"codelet", WEFT_ROW_TEXT, n_names}, {"duration", WEFT_ROW_NS, 0}};
 *     weft_row_filter_new(&f, "codelet=g* duration>1ms", fields, 2, trace->end, &err);
 *     weft_row_filter_passes(f, value_of, row)
 */
#ifndef WEFT_TRACE_FILTER_ROWS_H
#define WEFT_TRACE_FILTER_ROWS_H

#include "filter.h"

enum weft_row_kind {
	WEFT_ROW_TEXT,    /* a name: compared with = and != only */
	WEFT_ROW_ANY,     /* a number, whole or not, or a name, or both: `worker=2`, `worker="CPU 2"` */
	WEFT_ROW_INTEGER, /* whole, without a unit */
	WEFT_ROW_NS,
	WEFT_ROW_BYTES,
	WEFT_ROW_TIME, /* ns or a percentage of the trace */
};
struct weft_row_field {
	const char *name;
	enum weft_row_kind kind;
	uint32_t n_ids; /* of its texts: those with an id below are matched once */
};

enum { WEFT_ROW_HAS_WHOLE = 1, WEFT_ROW_HAS_REAL = 2, WEFT_ROW_HAS_TEXT = 4 };
struct weft_row_value {
	unsigned has;         /* 0: the row has no such field */
	int64_t whole, until; /* a span passes a range when one instant of it does; a number: both alike */
	double real;
	const char *text;
	uint32_t id;
};
typedef struct weft_row_value weft_row_get(const void *row, unsigned field);

/* end: what percentages are of. The fields are copied, their names borrowed. Freed by weft_filter_free(). */
int weft_row_filter_new(struct weft_filter **out, const char *text, const struct weft_row_field *field, unsigned n, uint64_t end,
                        struct weft_err *err) WEFT_MUST_CHECK;
/* Remembers what texts have matched: one thread at a time. */
bool weft_row_filter_passes(struct weft_filter *f, weft_row_get *get, const void *row);
/* Whether the filter asks for the field at all. */
bool weft_row_filter_uses(const struct weft_filter *f, unsigned field);

#endif
