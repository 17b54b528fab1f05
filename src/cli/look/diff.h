/* SPDX-License-Identifier: Apache-2.0 */
/* Two traces through the same view: each column, row or cell of its table with the values of both. */
#ifndef WEFT_CLI_DIFF_H
#define WEFT_CLI_DIFF_H

#include "table_page.h"

enum cli_diff_by { CLI_DIFF_COLUMN, CLI_DIFF_ROW, CLI_DIFF_CELL };
struct cli_diff_how {
	enum cli_diff_by by;
	const struct weft_stat *stat; /* NULL: the view's; times in place of their shares */
	const char *table;            /* NULL: the view's last */
	unsigned threads;
};
struct cli_diff_item {
	const char *row, *column; /* in the arena; "" where it is of all */
	double value[2];
	bool there[2];
};
struct cli_diff {
	struct weft_arena arena;
	const char *view, *table, *stat; /* view borrowed */
	struct cli_value_form form;
	WEFT_VEC(struct cli_diff_item) item; /* by how much they changed, most first */
};
/*
 * Then fini all the same. 0; -ENOENT: neither trace has any of the events that the view asks for (err says which); or another
 * negative code.
 */
int cli_diff_compute(struct cli_diff *d, const char *view, const struct weft_space *const space[2],
                     const struct cli_diff_how *how, struct weft_err *err) WEFT_MUST_CHECK;
void cli_diff_fini(struct cli_diff *d);

#endif
