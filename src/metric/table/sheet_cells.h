/* SPDX-License-Identifier: Apache-2.0 */
/* From a table back to the timeline: the view of where in time, and in which rows, the values of chosen cells occur. */
#ifndef WEFT_METRIC_SHEET_CELLS_H
#define WEFT_METRIC_SHEET_CELLS_H

#include "table_sheet.h"

/*
 * `cell`: n texts "ROW,COLUMN", labels as the table shows them, or "*" for all of them. Adds to the view, which the page is of,
 * windows of which the last is the data's value where the control's falls into one of the columns, in those rows, and 0
 * elsewhere; *out is it. Cells must be all combinations of some rows and some columns. The page's view is bound to its space.
 */
int weft_cells_window(struct weft_view *v, const struct weft_sheet *p, const char *const *cell, unsigned n,
                      struct weft_window **out, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * The same of cells by number: rows of the result, columns as the sheet shows them; n 0: all of them.
 */
struct weft_cell_choice {
	const uint32_t *row, *column;
	uint32_t n_rows, n_columns;
};
int weft_cells_chosen(struct weft_view *v, const struct weft_sheet *p, const struct weft_cell_choice *cells,
                      struct weft_window **out, struct weft_err *err) WEFT_MUST_CHECK;
/* Its intervals that are not 0, of the chosen rows: a table of row, begin, end, value. */
int weft_cells_intervals(const struct weft_space *s, const struct weft_window *w, enum weft_table_form form,
                         FILE *to) WEFT_MUST_CHECK;

#endif
