/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables: statistics of one metric (data) over the values of another (control), a row for each
 * object of the control; a third metric, when there is one, makes planes of them.
 *
 *   control's intervals × extra's × data's, cut to what they have in common ─> (plane, row, column) ─> sums ─> statistic
 *
 * Cells are kept where something fell; a table may have very many columns.
 */
#ifndef WEFT_METRIC_HIST_H
#define WEFT_METRIC_HIST_H

#include "metric/view/view.h"

struct weft_stat;
const struct weft_stat *weft_stat_find(const char *name);
const struct weft_stat *weft_stat_at(unsigned i); /* NULL behind the last */
const char *weft_stat_name(const struct weft_stat *s);
bool weft_stat_of_comms(const struct weft_stat *s); /* its columns are partners */

struct weft_result_cell {
	uint32_t column;
	double value;
};
struct weft_plane {
	struct weft_result_cell *cell; /* row after row, each by column; owned */
	uint64_t *first;               /* of each row, and behind the last; owned */
	bool any;                      /* something fell into it */
};
struct weft_axis { /* a scale, as it was computed */
	double min, max, delta;
	uint32_t n;
};

struct weft_result {
	const struct weft_view *view;
	const struct weft_hist *hist;
	const struct weft_space *space;
	double begin, end; /* the range that was analysed */
	uint32_t *row;     /* objects of the control's level; owned */
	uint32_t n_rows;
	struct weft_axis column, depth; /* depth.n 1 for two dimensions */
	bool wide;                      /* private: the columns are all that there could be, and not yet those that there are */
	struct weft_plane *plane;       /* owned */
};
/* threads: 0 for all. Then fini all the same. */
int weft_hist_compute(struct weft_result *r, const struct weft_view *v, const struct weft_hist *h, const struct weft_space *s,
                      unsigned threads) WEFT_MUST_CHECK;
void weft_result_fini(struct weft_result *r);
/* The cell, or NULL when nothing fell into it. */
const struct weft_result_cell *weft_result_at(const struct weft_result *r, uint32_t plane, uint32_t row, uint32_t column);

/* The six totals, of the values that there are: n of them. */
enum { WEFT_TOTAL, WEFT_AVERAGE, WEFT_MAXIMUM, WEFT_MINIMUM, WEFT_STDEV, WEFT_AVG_MAX, WEFT_TOTALS };
extern const char *const weft_total_names[WEFT_TOTALS];
struct weft_totals {
	double sum, squares, max, min;
	uint64_t n;
};
void weft_totals_add(struct weft_totals *t, double v);
void weft_totals_get(const struct weft_totals *t, double total[WEFT_TOTALS]);

#endif
