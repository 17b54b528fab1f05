/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a table that are shown; what its values are. */
#include "table_sheet.h"
#include "base/map.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 1000000 }; /* that are shown though they are empty */

struct full { /* a column with its totals */
	uint32_t column;
	double by;
	double total[WEFT_TOTALS];
};

static int by_number(const void *a, const void *b)
{
	const struct full *x = a, *y = b;
	return x->column < y->column ? -1 : x->column > y->column;
}

static int by_value(const void *a, const void *b)
{
	const struct full *x = a, *y = b;
	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	return by_number(a, b);
}

static int by_value_down(const void *a, const void *b)
{
	const struct full *x = a, *y = b;
	if (x->by != y->by)
		return x->by > y->by ? -1 : 1;
	return by_number(a, b);
}

/* Columns into which something fell, with their totals; malloc'd. */
static int find_full(const struct weft_result *r, uint32_t plane, struct full **out, uint32_t *n)
{
	const struct weft_plane *p = &r->plane[plane];
	uint64_t cells = p->any ? p->first[r->n_rows] : 0, at;
	struct weft_totals *t = calloc(cells + 1, sizeof *t);
	struct full *f = calloc(cells + 1, sizeof *f);
	struct weft_map place = {0};
	int rc = t && f ? 0 : -ENOMEM;
	*n = 0;
	for (uint64_t i = 0; i < cells && !rc; i++) {
		if (!weft_map_get(&place, p->cell[i].column, &at)) {
			at = (*n)++;
			f[at].column = p->cell[i].column;
			rc = weft_map_put(&place, p->cell[i].column, at);
		}
		weft_totals_add(&t[at], p->cell[i].value);
	}
	for (uint32_t i = 0; i < *n && !rc; i++)
		weft_totals_get(&t[i], f[i].total);
	if (!rc)
		qsort(f, *n, sizeof *f, by_number);
	weft_map_fini(&place);
	free(t);
	*out = f;
	return rc;
}

/* All columns, the empty ones between the others. */
static int add_empty(const struct weft_result *r, struct full **f, uint32_t *n)
{
	struct weft_totals none = {0};
	uint32_t most = r->column.n;
	struct full *all = calloc((size_t)most + 1, sizeof *all);
	if (!all)
		return -ENOMEM;
	for (uint32_t c = 0, k = 0; c < most; c++) {
		if (k < *n && (*f)[k].column == c) {
			all[c] = (*f)[k++];
		} else {
			all[c].column = c;
			weft_totals_get(&none, all[c].total);
		}
	}
	free(*f);
	*f = all;
	*n = most;
	return 0;
}

static uint32_t drop_zeros(struct full *f, uint32_t n)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < n; i++)
		if (f[i].total[WEFT_TOTAL] != 0)
			f[left++] = f[i];
	return left;
}

static void sort(const struct weft_hist *h, struct full *f, uint32_t n)
{
	static const int total[WEFT_SORTS] = {WEFT_AVERAGE, WEFT_TOTAL,   WEFT_MAXIMUM, WEFT_MINIMUM,
	                                      WEFT_STDEV,   WEFT_AVG_MAX, WEFT_TOTAL};
	for (uint32_t i = 0; i < n; i++)
		f[i].by = f[i].total[total[h->sort]];
	qsort(f, n, sizeof *f, h->reverse ? by_value : by_value_down);
}

/* ---- rows ---- */

static char *object_number(const struct weft_result *r, uint32_t object, char *out)
{
	if (r->view->window[r->hist->control].metric.level == WEFT_THREAD)
		return weft_thread_label(r->space->trace, object, out);
	out[weft_fmt_u64(out, object + 1)] = 0;
	return out;
}

char *weft_sheet_row_number(const struct weft_result *r, uint32_t row, char *out)
{
	return object_number(r, r->row[row], out);
}

static bool repeats(const char *const *name, uint32_t n)
{
	struct weft_intern t = {.n = 0};
	uint32_t id, i = 0;
	while (i < n && !weft_intern_find(&t, weft_str(name[i]), &id) && !weft_intern_add(&t, weft_str(name[i]), &id))
		i++;
	weft_intern_fini(&t);
	return i < n;
}

int weft_sheet_row_names(const struct weft_result *r, struct weft_arena *a, const char ***out, bool *numbered)
{
	enum weft_level level = r->view->window[r->hist->control].metric.level;
	const char **name = weft_arena_alloc(a, ((size_t)r->n_rows + 1) * sizeof *name);
	*out = name;
	if (!name)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->n_rows; i++) {
		struct weft_buf b = {0};
		weft_object_label(r->space, level, r->row[i], &b);
		name[i] = b.failed ? NULL : weft_arena_strdup(a, b.n ? b.at : "");
		weft_buf_fini(&b);
		if (!name[i])
			return -ENOMEM;
	}
	*numbered = repeats(name, r->n_rows);
	for (uint32_t i = 0; i < r->n_rows && *numbered; i++) {
		char z[40];
		name[i] = weft_arena_printf(a, "%s %s", name[i], weft_sheet_row_number(r, i, z));
		if (!name[i])
			return -ENOMEM;
	}
	return 0;
}

/* ---- pages ---- */

int weft_sheet_make(struct weft_sheet *p, const struct weft_result *r, const char *trace, uint32_t plane)
{
	struct full *f = NULL;
	uint32_t n = 0;
	*p = (struct weft_sheet){.result = r, .trace = trace, .plane = plane};
	int rc = weft_sheet_row_names(r, &p->arena, &p->row, &p->numbered);
	if (!rc)
		rc = find_full(r, plane, &f, &n);
	if (!rc && !r->hist->hide_empty && r->column.n <= COLUMNS_MOST)
		rc = add_empty(r, &f, &n);
	else if (!rc)
		n = drop_zeros(f, n);
	if (!rc && r->hist->sorted)
		sort(r->hist, f, n);
	p->column = rc ? NULL : malloc(((size_t)n + 1) * sizeof *p->column);
	p->total = rc ? NULL : malloc(((size_t)n + 1) * sizeof *p->total);
	if (!p->column || !p->total)
		rc = -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++) {
		p->column[i] = f[i].column;
		memcpy(p->total[i], f[i].total, sizeof f[i].total);
	}
	p->n_columns = rc ? 0 : n;
	free(f);
	return rc;
}

void weft_sheet_fini(struct weft_sheet *p)
{
	free(p->column);
	free(p->total);
	weft_arena_fini(&p->arena);
	*p = (struct weft_sheet){.column = NULL};
}

const struct weft_result_cell *weft_sheet_cell(const struct weft_sheet *p, uint32_t row, uint32_t shown)
{
	return weft_result_at(p->result, p->plane, row, p->column[shown]);
}

void weft_sheet_column_label(const struct weft_sheet *p, uint32_t shown, struct weft_buf *out)
{
	char z[40];
	weft_column_label(p->result, p->column[shown], out);
	if (p->numbered && weft_stat_of_comms(p->result->hist->stat))
		weft_buf_printf(out, " %s", object_number(p->result, p->column[shown], z));
}

/* ---- values ---- */

enum stat_form { OF_TIME, OF_SHARE, OF_COUNT, OF_BYTES, OF_DATA };

static enum stat_form form_of(const struct weft_stat *s)
{
	static const struct {
		const char *name;
		enum stat_form form;
	} forms[] = {
		{"Time", OF_TIME},       {"Average Burst Time", OF_TIME}, {"Stdev Burst Time", OF_TIME},
		{"# Bursts", OF_COUNT},  {"# Bursts != 0", OF_COUNT},     {"#Sends", OF_COUNT},
		{"#Receives", OF_COUNT},
	};
	const char *name = weft_stat_name(s);
	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(name, forms[i].name))
			return forms[i].form;
	return *name == '%' ? OF_SHARE : weft_stat_of_comms(s) ? OF_BYTES : OF_DATA;
}

struct weft_value_form weft_value_form(const struct weft_result *r)
{
	static const char *const units[WEFT_UNITS] = {"ns", "us", "ms", "s", "min", "hours", "days"};
	enum weft_unit unit = r->view->window[r->hist->control].metric.unit;
	switch (form_of(r->hist->stat)) {
	case OF_TIME:
		return (struct weft_value_form){WEFT_CELL_NS, weft_unit_convert(1, unit, WEFT_NS), units[unit]};
	case OF_SHARE:
		return (struct weft_value_form){WEFT_CELL_PERCENT, 1, "%"};
	case OF_COUNT:
		return (struct weft_value_form){WEFT_CELL_U64, 1, ""};
	case OF_BYTES:
		return (struct weft_value_form){WEFT_CELL_BYTES, 1, "bytes"};
	default:
		return (struct weft_value_form){WEFT_CELL_DOUBLE, 1, ""};
	}
}

struct weft_cell weft_value_cell(const struct weft_value_form *f, double v)
{
	double whole = v * f->factor;
	bool integer = f->kind != WEFT_CELL_PERCENT && f->kind != WEFT_CELL_DOUBLE;
	if (!integer)
		return (struct weft_cell){f->kind, .f64 = v};
	if (!(whole >= 0 && whole < 1.8e19) || (f->kind == WEFT_CELL_U64 && whole != floor(whole)))
		return (struct weft_cell){WEFT_CELL_DOUBLE, .f64 = v};
	return (struct weft_cell){f->kind, .u64 = (uint64_t)(whole + 0.5)};
}
