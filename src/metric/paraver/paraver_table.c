/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table as paramedir writes it: for each plane its label, when there are planes; a line of column
 * labels; a line for each row; and, below an empty line, the totals. Cells into which nothing fell
 * are 0.
 */
#include "base/fs.h"
#include "base/map.h"
#include "paraver_out.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct page { /* a plane that is being written */
	const struct weft_result *r;
	const struct weft_paraver_how *how;
	struct weft_buf *out;
	uint32_t plane;
	uint32_t *column; /* those that are shown, in order; owned */
	uint32_t n_columns;
	double (*total)[WEFT_TOTALS]; /* of each shown column; owned */
};

static void put_cell(struct page *p, double v)
{
	char z[400];
	int n = snprintf(z, sizeof z, "%.*f", (int)p->how->decimals, v);
	weft_buf_add(p->out, z, (size_t)n);
	weft_buf_putc(p->out, '\t');
}

static void column_label(const struct weft_result *r, const struct weft_axis *a, uint32_t window, uint32_t i,
                         struct weft_buf *out)
{
	const struct weft_window *w = &r->view->window[window];
	if (a->delta == 1 && a->min == floor(a->min) && a->max >= a->min) {
		weft_value_name(r->space, w, r->view, a->min + i, r->hist->short_labels, out);
		return;
	}
	double low = a->min + i * a->delta;
	bool last = low + a->delta >= a->max;
	weft_buf_putc(out, '[');
	weft_grouped(low, 2, out);
	weft_buf_puts(out, "..");
	weft_grouped(last ? a->max : low + a->delta, 2, out);
	weft_buf_putc(out, last ? ']' : ')');
}

void weft_column_label(const struct weft_result *r, uint32_t column, struct weft_buf *out)
{
	if (weft_stat_of_comms(r->hist->stat))
		weft_object_label(r->space, r->view->window[r->hist->control].metric.level, column, out);
	else
		column_label(r, &r->column, r->hist->control, column, out);
}

void weft_plane_label(const struct weft_result *r, uint32_t plane, struct weft_buf *out)
{
	column_label(r, &r->depth, r->hist->extra, plane, out);
}

static void put_column_label(struct page *p, uint32_t column)
{
	weft_column_label(p->r, column, p->out);
}

static void put_row_label(struct page *p, uint32_t row)
{
	weft_object_label(p->r->space, p->r->view->window[p->r->hist->control].metric.level, p->r->row[row], p->out);
}

/* ---- which columns, in which order ---- */

struct sorting {
	double by;
	uint32_t column;
	double total[WEFT_TOTALS];
};

static int sorting_ascending(const void *a, const void *b)
{
	const struct sorting *x = a, *y = b;
	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	return x->column < y->column ? -1 : x->column > y->column;
}

static int sorting_descending(const void *a, const void *b)
{
	const struct sorting *x = a, *y = b;
	if (x->by != y->by)
		return x->by > y->by ? -1 : 1;
	return x->column > y->column ? -1 : x->column < y->column; /* equal keys: all is turned round, these as well */
}

static int by_column(const void *a, const void *b)
{
	const struct sorting *x = a, *y = b;
	return x->column < y->column ? -1 : x->column > y->column;
}

/* The totals of all columns into which something fell, by column. */
static int find_totals(const struct weft_result *r, uint32_t plane, struct sorting **out, uint32_t *n)
{
	const struct weft_plane *p = &r->plane[plane];
	uint64_t cells = p->any ? p->first[r->n_rows] : 0;
	struct weft_totals *t = NULL;
	struct weft_map place = {0};
	int rc = 0;
	*n = 0;
	*out = NULL;
	t = calloc(cells + 1, sizeof *t);
	uint32_t *column = malloc((cells + 1) * sizeof *column);
	if (!t || !column)
		rc = -ENOMEM;
	for (uint64_t i = 0; i < cells && !rc; i++) {
		uint64_t at;
		if (!weft_map_get(&place, p->cell[i].column, &at)) {
			at = (*n)++;
			column[at] = p->cell[i].column;
			rc = weft_map_put(&place, p->cell[i].column, at);
		}
		weft_totals_add(&t[at], p->cell[i].value);
	}
	struct sorting *s = rc ? NULL : malloc(((size_t)*n + 1) * sizeof *s);
	for (uint32_t i = 0; s && i < *n; i++) {
		s[i].column = column[i];
		weft_totals_get(&t[i], s[i].total);
	}
	if (s)
		qsort(s, *n, sizeof *s, by_column);
	weft_map_fini(&place);
	free(t);
	free(column);
	*out = s;
	return s ? 0 : -ENOMEM;
}

static int total_of_sort(enum weft_sort s)
{
	static const int of[WEFT_SORTS] = {WEFT_AVERAGE, WEFT_TOTAL,   WEFT_MAXIMUM, WEFT_MINIMUM,
	                                   WEFT_STDEV,   WEFT_AVG_MAX, WEFT_TOTAL};
	return of[s];
}

/* The plane that the view looks at. */
static uint32_t looked_at(const struct weft_result *r)
{
	const struct weft_axis *a = &r->depth;
	double at = (r->hist->plane - a->min) / a->delta;
	return !r->hist->has_plane || !(at >= 0) ? 0 : at >= a->n ? a->n - 1 : (uint32_t)at;
}

/* All columns of a plane with their totals, from those into which something fell; malloc'd. */
static struct sorting *sorting_spread(const struct weft_result *r, const struct sorting *full, uint32_t n)
{
	uint32_t most = r->column.n;
	struct sorting *all = malloc(((size_t)most + 1) * sizeof *all);
	struct weft_totals none = {0};
	for (uint32_t k = 0, c = 0; all && c < most; c++) {
		if (k < n && full[k].column == c)
			all[c] = full[k++];
		else
			weft_totals_get(&none, all[c].total);
		all[c].column = c;
	}
	return all;
}

/*
 * The order of columns is that of the first plane, for all planes; and where empty columns are
 * hidden, as many of them are shown from the front as are not empty in the plane that is written.
 * So does the tool.
 */
static int sort_columns(const struct page *p, struct sorting *all, uint32_t n_all, const struct sorting *own, uint32_t n_own)
{
	const struct weft_result *r = p->r;
	struct sorting *order;
	uint32_t n;
	int rc = find_totals(r, 0, &order, &n);
	if (rc)
		return rc;
	int total = total_of_sort(r->hist->sort);
	for (uint32_t i = 0, k = 0; i < n_all; i++) {
		while (k < n && order[k].column < all[i].column)
			k++;
		all[i].by = k < n && order[k].column == all[i].column ? order[k].total[total] : 0;
	}
	free(order);
	qsort(all, n_all, sizeof *all, r->hist->reverse ? sorting_ascending : sorting_descending);
	for (uint32_t i = 0; i < n_all; i++) { /* back to the totals of this plane */
		const struct sorting *own_one = bsearch(&all[i], own, n_own, sizeof *own, by_column);
		if (own_one)
			memcpy(all[i].total, own_one->total, sizeof own_one->total);
	}
	return 0;
}

static int choose_columns(struct page *p)
{
	const struct weft_result *r = p->r;
	bool hide = p->how->hide_empty || r->hist->hide_empty, sorted = r->hist->sorted;
	struct sorting *full, *all = NULL;
	uint32_t n, n_all, shown = 0;
	int rc = find_totals(r, p->plane, &full, &n);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < n; i++)
		shown += full[i].total[WEFT_TOTAL] != 0;
	if (hide && !sorted) {
		for (uint32_t i = 0, k = 0; i < n; i++)
			if (full[i].total[WEFT_TOTAL] != 0)
				full[k++] = full[i];
		all = full;
		full = NULL;
		n_all = shown;
	} else {
		all = sorting_spread(r, full, n);
		n_all = r->column.n;
		if (all && sorted)
			rc = sort_columns(p, all, n_all, full, n);
	}
	p->n_columns = hide ? shown : n_all;
	p->column = malloc(((size_t)p->n_columns + 1) * sizeof *p->column);
	p->total = malloc(((size_t)p->n_columns + 1) * sizeof *p->total);
	if (!rc && !(all && p->column && p->total))
		rc = -ENOMEM;
	for (uint32_t i = 0; i < p->n_columns && !rc; i++) {
		p->column[i] = all[i].column;
		memcpy(p->total[i], all[i].total, sizeof all[i].total);
	}
	free(all);
	free(full);
	return rc;
}

/* ---- pages ---- */

static double cell_value(const struct page *p, uint32_t row, uint32_t column)
{
	const struct weft_result_cell *c = weft_result_at(p->r, p->plane, row, column);
	return c ? c->value : 0;
}

static void put_horizontal(struct page *p)
{
	struct weft_buf *out = p->out;
	weft_buf_putc(out, '\t');
	for (uint32_t i = 0; i < p->n_columns; i++) {
		put_column_label(p, p->column[i]);
		weft_buf_putc(out, '\t');
	}
	weft_buf_putc(out, '\n');
	for (uint32_t row = 0; row < p->r->n_rows; row++) {
		put_row_label(p, row);
		weft_buf_putc(out, '\t');
		for (uint32_t i = 0; i < p->n_columns; i++)
			put_cell(p, cell_value(p, row, p->column[i]));
		weft_buf_putc(out, '\n');
	}
	weft_buf_putc(out, '\n');
	for (unsigned t = 0; t < WEFT_TOTALS; t++) {
		weft_buf_puts(out, weft_total_names[t]);
		weft_buf_putc(out, '\t');
		for (uint32_t i = 0; i < p->n_columns; i++)
			put_cell(p, p->total[i][t]);
		weft_buf_putc(out, '\n');
	}
	weft_buf_putc(out, '\n');
}

static void row_totals(const struct page *p, uint32_t row, double total[WEFT_TOTALS])
{
	const struct weft_plane *plane = &p->r->plane[p->plane];
	struct weft_totals t = {0};
	for (uint64_t i = plane->any ? plane->first[row] : 0; plane->any && i < plane->first[row + 1]; i++)
		weft_totals_add(&t, plane->cell[i].value);
	weft_totals_get(&t, total);
}

static void put_vertical(struct page *p)
{
	struct weft_buf *out = p->out;
	weft_buf_putc(out, '\t');
	for (uint32_t row = 0; row < p->r->n_rows; row++) {
		put_row_label(p, row);
		weft_buf_putc(out, '\t');
	}
	weft_buf_putc(out, '\n');
	for (uint32_t i = 0; i < p->n_columns; i++) {
		put_column_label(p, p->column[i]);
		weft_buf_putc(out, '\t');
		for (uint32_t row = 0; row < p->r->n_rows; row++)
			put_cell(p, cell_value(p, row, p->column[i]));
		weft_buf_putc(out, '\n');
	}
	weft_buf_putc(out, '\n');
	for (unsigned t = 0; t < WEFT_TOTALS; t++) {
		weft_buf_puts(out, weft_total_names[t]);
		weft_buf_putc(out, '\t');
		for (uint32_t row = 0; row < p->r->n_rows; row++) {
			double total[WEFT_TOTALS];
			row_totals(p, row, total);
			put_cell(p, total[t]);
		}
		weft_buf_putc(out, '\n');
	}
	weft_buf_putc(out, '\n');
}

static int put_page(const struct weft_result *r, uint32_t plane, const struct weft_paraver_how *how, struct weft_buf *out)
{
	struct page p = {.r = r, .how = how, .out = out, .plane = plane};
	int rc = choose_columns(&p);
	if (!rc && r->depth.n > 1) {
		weft_plane_label(r, plane, out);
		weft_buf_putc(out, '\n');
	}
	if (!rc && r->hist->vertical)
		put_vertical(&p);
	else if (!rc)
		put_horizontal(&p);
	free(p.column);
	free(p.total);
	return rc;
}

int weft_paraver_table(const struct weft_result *r, const char *path, const struct weft_paraver_how *how, struct weft_err *err)
{
	struct weft_out out;
	struct weft_buf text = {0};
	int rc = weft_out_open(&out, path, err);
	if (rc)
		return rc;
	bool three = r->hist->extra != WEFT_NONE;
	for (uint32_t p = 0; p < r->depth.n && !rc; p++) {
		if (three && (!r->plane[p].any || (how->one_plane && p != looked_at(r))))
			continue;
		rc = put_page(r, p, how, &text);
		if (!rc && text.failed)
			rc = -ENOMEM;
		if (!rc && text.n && fwrite(text.at, 1, text.n, out.to) != text.n)
			rc = weft_err_sys(err, errno, "cannot write '%s'", path);
		text.n = 0;
	}
	weft_buf_fini(&text);
	if (!rc)
		return weft_out_commit(&out, err);
	weft_out_abandon(&out);
	return weft_err_set(err, rc, "cannot write '%s': %s", path, weft_err_name(rc));
}
