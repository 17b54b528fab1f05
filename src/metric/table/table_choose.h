/* SPDX-License-Identifier: Apache-2.0 */
/* Which table of a view, of which time and rows, and which of its planes: what people say beside the view itself. */
#ifndef WEFT_METRIC_TABLE_CHOOSE_H
#define WEFT_METRIC_TABLE_CHOOSE_H

#include "base/str.h"
#include "metric/hist/hist.h"

/*
 * The table with this name or number from 1; NULL: the last, or where the view has none that of its last window. -EINVAL: there is none, and err says
 * what there is.
 */
int weft_table_choose(struct weft_view *v, const char *name, struct weft_hist **out, struct weft_err *err) WEFT_MUST_CHECK;
/* A window by its name or number, -1: none, and err says what there is. NULL: the last. */
int64_t weft_window_choose(const struct weft_view *v, const char *name, struct weft_err *err);
/* Time by the values of a window, none of the view's tables; in the view's arena. 0 or -ENOMEM. */
int weft_table_of_window(struct weft_view *v, uint32_t window, struct weft_hist **out) WEFT_MUST_CHECK;

/* Of a bound view: from..to (ns) only, of all its windows. */
void weft_table_limit(struct weft_view *v, struct weft_hist *h, const struct weft_space *s, uint64_t from, uint64_t to);
/*
 * Only rows with one of these names or numbers, separated by commas; * and ? match. -EINVAL: none is called so. Of the bound view's window.
 */
int weft_window_keep_rows(struct weft_view *v, struct weft_window *w, const struct weft_space *s, const char *list,
                          struct weft_err *err) WEFT_MUST_CHECK;

/* Columns in place of what the view says of them; what was not said stays. */
struct weft_table_scale {
	bool has_min, has_max, has_delta;
	double min, max, delta;
	uint32_t columns; /* 0: not said */
};
/* -EINVAL: they mean nothing, and err says why. */
int weft_table_scale_set(const struct weft_table_scale *o, struct weft_hist *h, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * A copy of a bound view whose windows and tables may be changed while others use the view; all that they point to stays the
 * view's, which must outlive it. 0 or -ENOMEM; then weft_view_fini all the same.
 */
int weft_view_borrow(struct weft_view *out, const struct weft_view *of) WEFT_MUST_CHECK;

/* What a plane is called. */
bool weft_plane_is_called(const struct weft_result *r, uint32_t plane, const char *name);
/*
 * The plane with this label; NULL: the one that the view looks at, else the first that has something. -1: none is called so.
 */
int64_t weft_plane_choose(const struct weft_result *r, const char *name);

#endif
