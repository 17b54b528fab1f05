/* SPDX-License-Identifier: Apache-2.0 */
/* Tables as text: a row a line, columns divided by tabs, or by blanks where a line has no tab. Empty lines and those that begin with '#' count for nothing. */
#ifndef WEFT_TASKFILES_DATA_ROWS_H
#define WEFT_TASKFILES_DATA_ROWS_H

#include "text_lines.h"

enum { COLUMNS_MOST = 16 };
struct columns {
	struct weft_str at[COLUMNS_MOST]; /* valid until the next row */
	unsigned n;
};
/* The next row: 1, 0 at the end, negative. */
int columns_next(struct columns *c, struct text_lines *from, struct weft_err *err) WEFT_MUST_CHECK;
/* Column i as a number; what: its name, for the error. */
int columns_double(const struct columns *c, const struct text_lines *from, unsigned i, const char *what, double *out,
                   struct weft_err *err) WEFT_MUST_CHECK;

/* A row of distrib.data: what a task took. */
struct task_row {
	struct weft_str codelet; /* valid until the next row */
	char worker[40];         /* "3", or "0_3" of rank 0 */
	uint64_t size;
	char footprint[24];
	double ms;
};
int task_row_next(struct task_row *r, struct text_lines *from, struct weft_err *err) WEFT_MUST_CHECK;

#endif
