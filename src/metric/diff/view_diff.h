/* SPDX-License-Identifier: Apache-2.0 */
/* Two traces through the same view: each column, row or cell of its table with the values of both. */
#ifndef WEFT_METRIC_VIEW_DIFF_H
#define WEFT_METRIC_VIEW_DIFF_H

#include "metric/table/table_sheet.h"

enum weft_diff_by { WEFT_DIFF_COLUMN, WEFT_DIFF_ROW, WEFT_DIFF_CELL };
struct weft_diff_how {
	enum weft_diff_by by;
	const struct weft_stat *stat; /* NULL: the view's; times in place of their shares */
	const char *table;            /* NULL: the view's last */
	unsigned threads;
	/* Of which time of each, ns; to 0: all of it. */
	uint64_t from[2], to[2];
	/* How a view comes by its name; NULL: weft_view_load. */
	int (*load)(void *arg, struct weft_view *v, const char *name, struct weft_err *err);
	void *arg;
};
struct weft_diff_item {
	const char *row, *column; /* in the arena; "" where it is of all */
	double value[2];
	bool there[2];
};
struct weft_diff {
	struct weft_arena arena;
	const char *view, *table, *stat; /* view borrowed */
	struct weft_value_form form;
	WEFT_VEC(struct weft_diff_item) item; /* by how much they changed, most first */
};
/*
 * Then fini all the same. 0; -ENOENT: neither trace has any of the events that the view asks for (err says which); or another
 * negative code.
 */
int weft_diff_compute(struct weft_diff *d, const char *view, const struct weft_space *const space[2],
                      const struct weft_diff_how *how, struct weft_err *err) WEFT_MUST_CHECK;
void weft_diff_fini(struct weft_diff *d);

#endif
