/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The view is bound to each trace, and both tables computed; columns that are ranges are first given one scale for both. Columns
 * meet by their labels. Rows meet by their names, and those whose names only one trace has, by their numbers (application,
 * process, thread), so that runs on other hosts or of renamed threads meet, too.
 */
#include "view_diff.h"
#include "base/map.h"
#include "metric/library/library.h"
#include "metric/table/table_choose.h"
#include "metric/view/view_lack.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANGES = 20 };

struct side {
	const struct weft_space *space;
	struct weft_view view;
	struct weft_hist *hist;
	struct weft_result result;
	const char **row; /* labels, in the diff's arena */
	const char **number;
	bool has_events;
};

/* ---- one side ---- */

static int choose_table(struct side *s, const struct weft_diff_how *how, const char *view, struct weft_err *err)
{
	struct weft_view *v = &s->view;
	if (!v->n_hists)
		return weft_err_set(err, -EINVAL, "%s: it has no table", view);
	s->hist = &v->hist[v->n_hists - 1];
	for (uint32_t i = 0; how->table && i < v->n_hists; i++)
		if (!strcmp(v->hist[i].name, how->table)) {
			s->hist = &v->hist[i];
			return 0;
		}
	return how->table ? weft_err_set(err, -EINVAL, "%s: it has no table '%s'", view, how->table) : 0;
}

/* A share says nothing of how long it was. */
static const struct weft_stat *stat_of(const struct weft_hist *h, const struct weft_diff_how *how)
{
	static const char *const shares[][2] = {{"% Time", "Time"},
	                                        {"% Time Not Zero", "Time"},
	                                        {"% Window Time", "Time"},
	                                        {"% # Bursts", "# Bursts"}};
	if (how->stat)
		return how->stat;
	for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++)
		if (!strcmp(weft_stat_name(h->stat), shares[i][0]))
			return weft_stat_find(shares[i][1]);
	return h->stat;
}

static int diff_prepare(struct side *s, int which, const char *view, const struct weft_diff_how *how, struct weft_err *err)
{
	struct weft_view_lack lack;
	struct weft_buf missing = {0};
	int rc = how->load ? how->load(how->arg, &s->view, view, err) : weft_view_load(&s->view, view, err);
	if (!rc)
		rc = weft_view_bind(&s->view, s->space, &lack, err);
	if (!rc)
		rc = choose_table(s, how, view, err);
	if (rc)
		return rc;
	if (how->to[which])
		weft_table_limit(&s->view, s->hist, s->space, how->from[which], how->to[which]);
	weft_view_missing(&s->view, s->space, &missing);
	s->has_events = !missing.n;
	rc = missing.failed ? -ENOMEM : 0;
	weft_buf_fini(&missing);
	s->hist->stat = stat_of(s->hist, how);
	return rc;
}

static int diff_compute(struct side *s, const struct weft_diff_how *how)
{
	return weft_hist_compute(&s->result, &s->view, s->hist, s->space, how->threads);
}

/* Ranges of values must be the same ones. */
static int compute_both(struct side *side, const struct weft_diff_how *how)
{
	int rc = diff_compute(&side[0], how);
	if (!rc)
		rc = diff_compute(&side[1], how);
	const struct weft_axis *a = &side[0].result.column, *b = &side[1].result.column;
	if (rc || (a->delta == 1 && b->delta == 1) || (a->min == b->min && a->max == b->max && a->delta == b->delta))
		return rc;
	double least = fmin(a->min, b->min), most = fmax(a->max, b->max);
	for (int i = 0; i < 2 && !rc; i++) {
		struct weft_scale *scale = &side[i].hist->scale;
		*scale = (struct weft_scale){.min = least, .max = most, .n = RANGES, .delta = 1};
		weft_result_fini(&side[i].result);
		rc = diff_compute(&side[i], how);
	}
	return rc;
}

/* ---- rows ---- */

static int name_rows(struct weft_diff *d, struct side *s)
{
	const struct weft_result *r = &s->result;
	s->number = weft_arena_alloc(&d->arena, ((size_t)r->n_rows + 1) * sizeof *s->number);
	bool numbered;
	int rc = s->number ? weft_sheet_row_names(r, &d->arena, &s->row, &numbered) : -ENOMEM;
	for (uint32_t i = 0; i < r->n_rows && !rc; i++) {
		char z[40];
		s->number[i] = weft_arena_strdup(&d->arena, weft_sheet_row_number(r, i, z));
		rc = s->number[i] ? 0 : -ENOMEM;
	}
	return rc;
}

static int add_names(struct weft_intern *t, const char *const *name, uint32_t n)
{
	uint32_t id;
	int rc = 0;
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = weft_intern_add(t, weft_str(name[i]), &id);
	return rc;
}

/* Rows of B whose names A does not have take the name of A's row with their number, if B does not have that one. */
static int match_rows(struct side *a, struct side *b)
{
	struct weft_intern of_a = {.n = 0}, of_b = {.n = 0};
	struct weft_map by_number = {0};
	struct weft_intern numbers = {.n = 0};
	uint32_t id;
	uint64_t row;
	int rc = add_names(&of_a, a->row, a->result.n_rows);
	if (!rc)
		rc = add_names(&of_b, b->row, b->result.n_rows);
	for (uint32_t i = 0; i < a->result.n_rows && !rc; i++) {
		rc = weft_intern_add(&numbers, weft_str(a->number[i]), &id);
		if (!rc)
			rc = weft_map_put(&by_number, id, i);
	}
	for (uint32_t i = 0; i < b->result.n_rows && !rc; i++) {
		if (weft_intern_find(&of_a, weft_str(b->row[i]), &id) ||
		    !weft_intern_find(&numbers, weft_str(b->number[i]), &id) || !weft_map_get(&by_number, id, &row) ||
		    weft_intern_find(&of_b, weft_str(a->row[row]), &id))
			continue;
		b->row[i] = a->row[row];
	}
	weft_intern_fini(&of_a);
	weft_intern_fini(&of_b);
	weft_intern_fini(&numbers);
	weft_map_fini(&by_number);
	return rc;
}

/* ---- items ---- */

struct gathering {
	struct weft_diff *d;
	const struct weft_diff_how *how;
	struct weft_intern key;      /* number of the item */
	WEFT_VEC(uint32_t) count[2]; /* of cells in it, by item */
	bool mean;                   /* values are no amounts: their mean */
};

static int find_item(struct gathering *g, const char *row, const char *column, uint32_t *id)
{
	struct weft_buf key = {0};
	weft_buf_printf(&key, "%s\n%s", row, column);
	size_t before = g->key.n;
	int rc = key.failed ? -ENOMEM : weft_intern_add(&g->key, weft_str_n(key.at, key.n), id);
	weft_buf_fini(&key);
	if (rc || g->key.n == before)
		return rc;
	struct weft_diff_item item = {weft_arena_strdup(&g->d->arena, row),
	                              weft_arena_strdup(&g->d->arena, column),
	                              {0, 0},
	                              {false, false}};
	if (!item.row || !item.column || weft_vec_push(&g->d->item, item) || weft_vec_push(&g->count[0], 0) ||
	    weft_vec_push(&g->count[1], 0))
		return -ENOMEM;
	return 0;
}

static int gather_plane(struct gathering *g, const struct side *s, int which, uint32_t plane)
{
	struct weft_sheet page;
	int rc = weft_sheet_make(&page, &s->result, NULL, plane);
	for (uint32_t c = 0; c < page.n_columns && !rc; c++) {
		struct weft_buf label = {0};
		if (g->how->by != WEFT_DIFF_ROW)
			weft_sheet_column_label(&page, c, &label);
		rc = label.failed ? -ENOMEM : 0;
		for (uint32_t r = 0; r < s->result.n_rows && !rc; r++) {
			const struct weft_result_cell *cell = weft_sheet_cell(&page, r, c);
			uint32_t id;
			if (!cell || !isfinite(cell->value))
				continue;
			rc = find_item(g, g->how->by == WEFT_DIFF_COLUMN ? "" : s->row[r], label.n ? label.at : "", &id);
			if (rc)
				break;
			g->d->item.at[id].value[which] += cell->value;
			g->d->item.at[id].there[which] = true;
			g->count[which].at[id]++;
		}
		weft_buf_fini(&label);
	}
	weft_sheet_fini(&page);
	return rc;
}

static bool is_amount(const struct weft_stat *s)
{
	static const char *const means[] = {"Average value",
	                                    "Maximum",
	                                    "Minimum",
	                                    "Average Burst Time",
	                                    "Stdev Burst Time",
	                                    "Average per Burst",
	                                    "Average value != 0",
	                                    "Average per Burst != 0",
	                                    "Average bytes sent",
	                                    "Average bytes received",
	                                    "Minimum bytes sent",
	                                    "Minimum bytes received",
	                                    "Maximum bytes sent",
	                                    "Maximum bytes received"};
	for (unsigned i = 0; i < sizeof means / sizeof *means; i++)
		if (!strcmp(weft_stat_name(s), means[i]))
			return false;
	return *weft_stat_name(s) != '%';
}

static int by_change(const void *a, const void *b)
{
	const struct weft_diff_item *x = a, *y = b;
	double dx = fabs(x->value[1] - x->value[0]), dy = fabs(y->value[1] - y->value[0]);
	if (dx != dy)
		return dx > dy ? -1 : 1;
	int rc = strcmp(x->column, y->column);
	return rc ? rc : strcmp(x->row, y->row);
}

static int diff_gather(struct weft_diff *d, struct side *side, const struct weft_diff_how *how)
{
	struct gathering g = {.d = d, .how = how, .mean = !is_amount(side[0].hist->stat)};
	int rc = 0;
	for (int which = 0; which < 2 && !rc; which++)
		for (uint32_t p = 0; p < side[which].result.depth.n && !rc; p++)
			rc = gather_plane(&g, &side[which], which, p);
	for (size_t i = 0; i < d->item.n && g.mean && !rc; i++)
		for (int k = 0; k < 2; k++)
			if (g.count[k].at[i])
				d->item.at[i].value[k] /= g.count[k].at[i];
	if (!rc && d->item.n)
		qsort(d->item.at, d->item.n, sizeof *d->item.at, by_change);
	weft_intern_fini(&g.key);
	free(g.count[0].at);
	free(g.count[1].at);
	return rc;
}

/* ---- the whole ---- */

static int keep_names(struct weft_diff *d, const struct side *s, const char *view)
{
	d->view = view;
	d->table = weft_arena_strdup(&d->arena, s->hist->name);
	d->stat = weft_stat_name(s->hist->stat);
	d->form = weft_value_form(&s->result);
	return d->table ? 0 : -ENOMEM;
}

int weft_diff_compute(struct weft_diff *d, const char *view, const struct weft_space *const space[2],
                      const struct weft_diff_how *how, struct weft_err *err)
{
	struct side side[2] = {{.space = space[0]}, {.space = space[1]}};
	*d = (struct weft_diff){.view = view};
	int rc = diff_prepare(&side[0], 0, view, how, err);
	if (!rc)
		rc = diff_prepare(&side[1], 1, view, how, err);
	if (!rc && !side[0].has_events && !side[1].has_events)
		rc = weft_err_set(err, -ENOENT, "%s: neither trace has the events that it asks for", view);
	if (!rc)
		rc = compute_both(side, how);
	for (int i = 0; i < 2 && !rc; i++)
		rc = name_rows(d, &side[i]);
	if (!rc)
		rc = match_rows(&side[0], &side[1]);
	if (!rc)
		rc = keep_names(d, &side[0], view);
	if (!rc)
		rc = diff_gather(d, side, how);
	for (int i = 0; i < 2; i++) {
		weft_result_fini(&side[i].result);
		weft_view_fini(&side[i].view);
	}
	if (rc && !(err && err->code))
		return weft_err_set(err, rc, "%s: %s", view, weft_err_name(rc));
	return rc;
}

void weft_diff_fini(struct weft_diff *d)
{
	weft_arena_fini(&d->arena);
	free(d->item.at);
	*d = (struct weft_diff){.view = NULL};
}
