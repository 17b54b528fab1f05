/* SPDX-License-Identifier: Apache-2.0 */
/* What `weft table` shows of a computed table: a plane's columns in their order, and how it is printed. */
#ifndef WEFT_CLI_TABLE_PAGE_H
#define WEFT_CLI_TABLE_PAGE_H

#include "base/arena.h"
#include "base/json.h"
#include "base/table.h"
#include "metric/hist/hist.h"
#include "metric/paraver/paraver_out.h"

struct cli_page {
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
int cli_page_make(struct cli_page *p, const struct weft_result *r, const char *trace, uint32_t plane) WEFT_MUST_CHECK;
void cli_page_fini(struct cli_page *p);
/* NULL: nothing fell there. */
const struct weft_result_cell *cli_page_cell(const struct cli_page *p, uint32_t row, uint32_t shown);
/* What the table's rows are called, each other than all others: where names repeat, their numbers stand behind them. */
int cli_row_names(const struct weft_result *r, struct weft_arena *a, const char ***out, bool *numbered) WEFT_MUST_CHECK;
/* "1.2.1" of a thread, the number from 1 of other objects, into out (40 bytes). */
char *cli_row_number(const struct weft_result *r, uint32_t row, char *out);
void cli_page_column_label(const struct cli_page *p, uint32_t shown, struct weft_buf *out);

/* A statistic's value as a person sees it. */
struct cli_value_form {
	enum weft_cell_kind kind; /* PERCENT, NS, BYTES, U64, DOUBLE */
	double factor;            /* to ns, of times */
	const char *unit;         /* of the plain number: "%", "us", "bytes", ""; for programs */
};
struct cli_value_form cli_value_form(const struct weft_result *r);
struct weft_cell cli_value_cell(const struct cli_value_form *f, double v);

/* Aligned text, at most `width` characters wide where that is possible. */
int cli_page_text(const struct cli_page *p, unsigned width, FILE *to) WEFT_MUST_CHECK;

/* What is common to the tables that are printed together. */
struct cli_table_set {
	FILE *to;
	bool long_form;        /* CSV: a line a cell, as there are several traces or planes */
	bool begun;            /* a heading has been printed */
	struct weft_json json; /* of JSON */
};
int cli_page_csv(const struct cli_page *p, struct cli_table_set *s) WEFT_MUST_CHECK;
/* An object of the array that is open. */
int cli_page_json(const struct cli_page *p, struct cli_table_set *s) WEFT_MUST_CHECK;

#endif
