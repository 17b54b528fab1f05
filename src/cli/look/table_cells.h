/* SPDX-License-Identifier: Apache-2.0 */
/* From a table back to the timeline: the view of where in time, and in which rows, the values of chosen cells occur. */
#ifndef WEFT_CLI_TABLE_CELLS_H
#define WEFT_CLI_TABLE_CELLS_H

#include "table_page.h"

/*
 * `cell`: n texts "ROW,COLUMN", labels as the table shows them, or "*" for all of them. Adds to the view, which the page is of,
 * windows of which the last is the data's value where the control's falls into one of the columns, in those rows, and 0
 * elsewhere; *out is it. Cells must be all combinations of some rows and some columns. The page's view is bound to its space.
 */
int cli_cells_window(struct weft_view *v, const struct cli_page *p, const char *const *cell, unsigned n, struct weft_window **out,
                     struct weft_err *err) WEFT_MUST_CHECK;
/* Its intervals that are not 0, of the chosen rows: a table of row, begin, end, value. */
int cli_cells_intervals(const struct weft_space *s, const struct weft_window *w, enum weft_table_form form,
                        FILE *to) WEFT_MUST_CHECK;

#endif
