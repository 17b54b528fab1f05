/* SPDX-License-Identifier: Apache-2.0 */
/* What people see of a computed table: a plane's columns in their order, names of rows, values with their units. */
#ifndef WEFT_METRIC_TABLE_SHEET_H
#define WEFT_METRIC_TABLE_SHEET_H

#include "base/arena.h"
#include "base/json.h"
#include "base/table.h"
#include "metric/hist/hist.h"
#include "metric/paraver/paraver_out.h"

struct weft_sheet {
	const struct weft_result *result;
	const char *trace; /* its path, as it was typed; borrowed */
	uint32_t plane;
	const char **row; /* names; in the arena */
	bool numbered;    /* as names repeat, numbers stand behind them */
	struct weft_arena arena;
	uint32_t *column; /* owned */
	uint32_t n_columns;
	double (*total)[WEFT_TOTALS]; /* by shown column; owned */
};
/* Those with values, or all when the view shows empty ones; sorted as the view says. Then fini all the same. */
int weft_sheet_make(struct weft_sheet *p, const struct weft_result *r, const char *trace, uint32_t plane) WEFT_MUST_CHECK;
void weft_sheet_fini(struct weft_sheet *p);
/* NULL: nothing fell there. */
const struct weft_result_cell *weft_sheet_cell(const struct weft_sheet *p, uint32_t row, uint32_t shown);
/* What the table's rows are called, each other than all others: where names repeat, their numbers stand behind them. */
int weft_sheet_row_names(const struct weft_result *r, struct weft_arena *a, const char ***out, bool *numbered) WEFT_MUST_CHECK;
/* "1.2.1" of a thread, the number from 1 of other objects, into out (40 bytes). */
char *weft_sheet_row_number(const struct weft_result *r, uint32_t row, char *out);
void weft_sheet_column_label(const struct weft_sheet *p, uint32_t shown, struct weft_buf *out);

/* A statistic's value as a person sees it. */
struct weft_value_form {
	enum weft_cell_kind kind; /* PERCENT, NS, BYTES, U64, DOUBLE */
	double factor;            /* to ns, of times */
	const char *unit;         /* of the plain number: "%", "us", "bytes", ""; for programs */
};
struct weft_value_form weft_value_form(const struct weft_result *r);
struct weft_cell weft_value_cell(const struct weft_value_form *f, double v);

/* What is common to the tables that are printed together. */
struct weft_sheet_set {
	FILE *to;
	bool long_form;        /* CSV: a line a cell, as there are several traces or planes */
	bool begun;            /* a heading has been printed */
	struct weft_json json; /* of JSON */
};
int weft_sheet_csv(const struct weft_sheet *p, struct weft_sheet_set *s) WEFT_MUST_CHECK;
/* An object of the array that is open. */
int weft_sheet_json(const struct weft_sheet *p, struct weft_sheet_set *s) WEFT_MUST_CHECK;

#endif
