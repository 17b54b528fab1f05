/* SPDX-License-Identifier: Apache-2.0 */
/* The scales of a table: as the view says, or from the values that the windows have. */
#include "base/pool.h"
#include "hist_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { AUTO_COLUMNS = 200, MOST_CODES = 10000 };
static const double most_columns = 4e9;

struct bounds {
	double min, max;
	bool zero, min_set, max_set;
};
struct search {
	const struct weft_result *r;
	const struct weft_window *window;
	const uint32_t *row;
	struct bounds *of_row;
};

static int search_row(void *arg, size_t i, unsigned worker)
{
	const struct search *s = arg;
	struct bounds *o = &s->of_row[i];
	struct weft_row *row;
	struct weft_intervals *b = malloc(sizeof *b);
	(void)worker;
	int rc = b ? weft_row_open(&row, s->r->space, &s->window->metric, s->row[i], s->r->begin, s->r->end) : -ENOMEM;
	if (rc) {
		free(b);
		return rc;
	}
	while ((rc = weft_row_next(row, b)) > 0)
		for (uint32_t k = 0; k < b->n; k++) {
			double v = b->value[k];
			if (!o->max_set || v > o->max)
				o->max = v;
			o->max_set = true;
			o->zero |= v == 0;
			if (v != 0 && (!o->min_set || v < o->min)) {
				o->min = v;
				o->min_set = true;
			}
		}
	weft_row_close(row);
	free(b);
	return rc;
}

/* Over the rows of a window; zeros count for the minimum only when they are asked for. */
static int find_bounds(const struct weft_result *r, const struct weft_window *w, const uint32_t *row, uint32_t n, bool zero,
                       unsigned threads, struct bounds *out)
{
	struct search s = {r, w, row, calloc((size_t)n + 1, sizeof *s.of_row)};
	*out = (struct bounds){.min = 0};
	if (!s.of_row)
		return -ENOMEM;
	int rc = weft_parallel(threads, n, search_row, &s);
	for (uint32_t i = 0; i < n && !rc; i++) {
		const struct bounds *o = &s.of_row[i];
		if (o->max_set && (!out->max_set || o->max > out->max))
			out->max = o->max;
		if (o->min_set && (!out->min_set || o->min < out->min))
			out->min = o->min;
		out->max_set |= o->max_set;
		out->min_set |= o->min_set;
		out->zero |= o->zero;
	}
	if (zero && (!out->min_set || out->min > 0))
		out->min = 0;
	free(s.of_row);
	return rc;
}

/* As many columns of this width as reach the maximum. */
static void count_columns(struct weft_axis *a)
{
	if (!(a->delta > 0))
		a->delta = 1;
	double n = ceil((a->max - a->min) / a->delta);
	if (a->delta == 1 && a->min + n * a->delta <= a->max)
		n++;
	a->n = n >= most_columns ? (uint32_t)most_columns : n >= 1 ? (uint32_t)n : 1;
}

static void divide(struct weft_axis *a, uint32_t n)
{
	a->n = n ? n : 1;
	a->delta = (a->max - a->min) / a->n;
	if (!(a->delta > 0))
		a->delta = 1;
}

static void given(struct weft_axis *a, const struct weft_scale *s)
{
	*a = (struct weft_axis){s->min, s->max, s->delta, 0};
	if (s->n && !s->fixed_delta)
		divide(a, s->n);
	else
		count_columns(a);
}

static bool is_code(const struct weft_window *w)
{
	return w->color == WEFT_COLOR_CODE;
}

static void scale_columns(struct weft_result *r, const struct weft_window *w, struct bounds b)
{
	const struct weft_scale *s = &r->hist->scale;
	struct weft_axis *a = &r->column;
	double range = b.max - b.min;
	*a = (struct weft_axis){b.min, b.max + range * 5 / 100, s->delta, 0};
	if (s->keep_min || s->keep_max) {
		a->min = s->keep_min ? s->min : a->min;
		a->max = s->keep_max ? s->max : a->max;
		a->max = a->max < a->min ? a->min : a->max;
		range = a->max - a->min;
	}
	if (s->keep_n) {
		divide(a, s->n);
	} else if (s->fixed_delta) {
		count_columns(a);
	} else if (range == 0) {
		a->delta = 1;
		count_columns(a);
	} else if (is_code(w) && range <= MOST_CODES) {
		a->max = floor(a->max);
		a->delta = 1;
		count_columns(a);
	} else {
		divide(a, AUTO_COLUMNS);
	}
}

/*
 * To know which values there are costs a walk over all rows, as much as the table itself. Where
 * only states can be, it is filled with a column for each, and those that stayed empty at the ends
 * go.
 */
static bool may_be_wide(const struct weft_result *r, const struct weft_window *w)
{
	const struct weft_hist *h = r->hist;
	return is_code(w) && !h->scale.fixed_delta && h->extra == WEFT_NONE && !h->stat->share && r->begin == 0 &&
	       r->end >= r->space->end && metric_has_states_alone(r->space, &w->metric);
}

void hist_narrow(struct weft_result *r, struct hist_row *row)
{
	struct bounds b = {.min = 0};
	for (uint32_t i = 0; i < r->n_rows; i++)
		for (size_t k = 0; k < row[i].sum.n; k++) {
			const struct hist_sum *sum = &row[i].sum.at[k];
			double v = (uint32_t)sum->key;
			if (sum->key >> 32 || v == 0) /* of no cell, or no state */
				continue;
			b.max = v > b.max ? v : b.max;
			b.min = !b.min_set || v < b.min ? v : b.min;
			b.min_set = true;
		}
	if (r->hist->scale.zero)
		b.min = 0;
	scale_columns(r, &r->view->window[r->hist->control], b);
	for (uint32_t i = 0; i < r->n_rows; i++)
		for (size_t k = 0; k < row[i].sum.n; k++) {
			struct hist_sum *sum = &row[i].sum.at[k];
			uint32_t column;
			bool inside = !(sum->key >> 32) && hist_place(&r->column, (uint32_t)sum->key, &column);
			sum->key = inside ? column : (uint64_t)UINT32_MAX << 32;
		}
	r->wide = false;
}

static int computed_columns(struct weft_result *r, const struct weft_window *w, unsigned threads)
{
	struct bounds b;
	r->wide = may_be_wide(r, w);
	if (r->wide) {
		r->column = (struct weft_axis){0, PRV_STATES - 1, 1, PRV_STATES};
		return 0;
	}
	int rc = find_bounds(r, w, r->row, r->n_rows, r->hist->scale.zero, threads, &b);
	if (!rc)
		scale_columns(r, w, b);
	return rc;
}

static int computed_planes(struct weft_result *r, const struct weft_window *w, unsigned threads)
{
	struct bounds b;
	uint32_t n = weft_level_size(r->space, w->metric.level), *row = malloc(((size_t)n + 1) * sizeof *row), on = 0;
	if (!row)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (!w->selected || w->selected[i])
			row[on++] = i;
	int rc = find_bounds(r, w, row, on, false, threads, &b);
	free(row);
	struct weft_axis *a = &r->depth;
	*a = (struct weft_axis){b.min, b.max, 1, 0};
	if (!rc && b.max != b.min && !is_code(w))
		divide(a, AUTO_COLUMNS);
	else
		count_columns(a);
	return rc;
}

int hist_scale(struct weft_result *r, unsigned threads)
{
	const struct weft_hist *h = r->hist;
	const struct weft_view *v = r->view;
	int rc = 0;
	if (weft_stat_of_comms(h->stat)) {
		uint32_t n = weft_level_size(r->space, v->window[h->control].metric.level);
		r->column = (struct weft_axis){0, n, 1, n};
	} else if (h->scale.compute) {
		rc = computed_columns(r, &v->window[h->control], threads);
	} else {
		given(&r->column, &h->scale);
	}
	r->depth = (struct weft_axis){0, 0, 1, 1};
	if (rc || h->extra == WEFT_NONE)
		return rc;
	if (h->planes.compute)
		return computed_planes(r, &v->window[h->extra], threads);
	given(&r->depth, &h->planes);
	return 0;
}
