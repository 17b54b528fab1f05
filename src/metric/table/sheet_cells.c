/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window of chosen cells is made of others:
 *
 *   in the columns = max(control, control) | in_range(each column's values)      1 where the control falls into one of them
 *   in the plane   = the same of a third metric, and both together: in the cells
 *   NAME in …      = data × in the columns (or cells)                            in the rows of the cells
 *
 * Where the table counts the control itself, and one of the columns is that of 0, the product is left out: with 0 it would show
 * nothing.
 */
#include "sheet_cells.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MOST = 100000000 };

struct choosing {
	const struct weft_sheet *page;
	bool *row, *column, *pair; /* by row of the table, by shown column, by both; owned */
	uint32_t n_rows, n_columns;
};

static char *cells_label(const struct weft_sheet *p, bool row, uint32_t i)
{
	struct weft_buf b = {0};
	if (row)
		weft_buf_puts(&b, p->row[i]);
	else
		weft_sheet_column_label(p, i, &b);
	if (!b.failed && !b.n)
		weft_buf_add(&b, "", 0);
	return b.failed ? NULL : b.at ? b.at : strdup("");
}

/* Also "1.2.1" for "THREAD 1.2.1". */
static bool is_called(const char *name, struct weft_str text)
{
	const char *blank = strrchr(name, ' ');
	return weft_str_eq(text, "*") || weft_str_eq(text, name) || (blank && weft_str_eq(text, blank + 1));
}

static int cells_mark(const struct choosing *c, bool rows, struct weft_str text, bool *on, bool *any)
{
	uint32_t n = rows ? c->n_rows : c->n_columns;
	*any = false;
	for (uint32_t i = 0; i < n; i++) {
		char *z = cells_label(c->page, rows, i);
		if (!z)
			return -ENOMEM;
		on[i] = is_called(z, text);
		*any |= on[i];
		free(z);
	}
	return 0;
}

/* Says what there is not, and what is called nearly so. */
static int cells_unknown(const struct choosing *c, bool rows, struct weft_str name, const char *cell, struct weft_err *err)
{
	const uint32_t n = rows ? c->n_rows : c->n_columns;
	const char **known = calloc((size_t)n + 1, sizeof *known), *near;
	char *typed = strndup(name.at, name.n);
	bool failed = !known || !typed;
	for (uint32_t i = 0; i < n && !failed; i++)
		failed = !(known[i] = cells_label(c->page, rows, i));
	near = failed ? NULL : weft_nearest(typed, known, n);
	int rc = weft_err_set(err, failed ? -ENOMEM : -EINVAL, "no cell '%s': no %s is called '%.*s'%s%s%s", cell,
	                      rows ? "row" : "column", (int)name.n, name.at, near ? " (did you mean '" : "", near ? near : "",
	                      near ? "'?)" : "");
	for (uint32_t i = 0; known && i < n; i++)
		free((char *)(uintptr_t)known[i]);
	free(known);
	free(typed);
	return rc;
}

/* "ROW,COLUMN": labels may have commas in them, so each comma is tried. */
static int choose_cell(struct choosing *c, const char *text, struct weft_err *err)
{
	bool *row = calloc((size_t)c->n_rows + 1, sizeof *row), *column = calloc((size_t)c->n_columns + 1, sizeof *column);
	int rc = row && column ? 0 : -ENOMEM;
	bool found = false, row_found = false;
	struct weft_str name = {NULL, 0}; /* that is not known, of the row or, where that is known, the column */
	for (const char *comma = strchr(text, ','); comma && !rc && !found; comma = strchr(comma + 1, ',')) {
		struct weft_str of_row = weft_str_trim(weft_str_n(text, (size_t)(comma - text)));
		struct weft_str of_column = weft_str_trim(weft_str(comma + 1));
		bool any_row, any_column = false;
		rc = cells_mark(c, true, of_row, row, &any_row);
		if (!rc && any_row)
			rc = cells_mark(c, false, of_column, column, &any_column);
		found = any_row && any_column;
		if (!name.at || (any_row && !row_found))
			name = any_row ? of_column : of_row;
		row_found |= any_row;
	}
	for (uint32_t r = 0; r < c->n_rows && !rc && found; r++)
		for (uint32_t k = 0; k < c->n_columns && row[r]; k++)
			if (column[k])
				c->pair[(size_t)r * c->n_columns + k] = c->row[r] = c->column[k] = true;
	free(row);
	free(column);
	if (rc)
		return weft_err_set(err, rc, "%s", weft_err_name(rc));
	if (!found && name.at)
		return cells_unknown(c, !row_found, name, text, err);
	return found ? 0 : weft_err_set(err, -EINVAL, "no cell '%s': expected ROW,COLUMN as the table names them, or *", text);
}

static int check_rectangle(const struct choosing *c, struct weft_err *err)
{
	for (uint32_t r = 0; r < c->n_rows; r++)
		for (uint32_t k = 0; k < c->n_columns; k++)
			if (c->row[r] && c->column[k] && !c->pair[(size_t)r * c->n_columns + k])
				return weft_err_set(
					err, -EINVAL,
					"the cells are not all combinations of some rows and some columns: choose one after "
					"the other");
	return 0;
}

/* ---- windows ---- */

static struct weft_window cells_derived(const struct weft_view *v, uint32_t a, uint32_t b, const char *operation)
{
	struct weft_window w = v->window[a];
	struct weft_window fresh = {.id = v->n_windows + 1,
	                            .derived = true,
	                            .has_level = true,
	                            .parents = {a, b},
	                            .color = WEFT_COLOR_NOT_NULL,
	                            .draw_time = WEFT_DRAW_MAXIMUM,
	                            .draw_rows = WEFT_DRAW_MAXIMUM,
	                            .compute_y_max = true,
	                            .end_part = 1,
	                            .begin_is_part = true,
	                            .end_is_part = true,
	                            .zoom_last = WEFT_NONE,
	                            .begin = w.begin,
	                            .end = w.end};
	weft_metric_init(&fresh.metric);
	fresh.metric.of_level[WEFT_THREAD].func = fresh.metric.of_level[WEFT_CPU].func = NULL;
	fresh.metric.unit = w.metric.unit;
	enum weft_level x = w.metric.level, y = v->window[b].metric.level;
	fresh.metric.level = x > y ? x : y;
	fresh.metric.operation.func = weft_func_find(WEFT_FUNC_DERIVED, operation);
	return fresh;
}

/* Room for four windows more: parents point into the array. */
static int make_room(struct weft_view *v)
{
	struct weft_window *w = weft_arena_alloc(&v->arena, ((size_t)v->n_windows + 4) * sizeof *w);
	if (!w)
		return -ENOMEM;
	memcpy(w, v->window, v->n_windows * sizeof *w);
	v->window = w;
	return 0;
}

static void point_at_parents(struct weft_view *v)
{
	for (uint32_t i = 0; i < v->n_windows; i++)
		for (unsigned k = 0; k < 2 && v->window[i].derived; k++)
			v->window[i].metric.parent[k] = &v->window[v->window[i].parents[k]].metric;
}

/* The window's values that fall into columns `first` and on of the axis: [low, high), the last one with its end. */
static int set_ranges(struct weft_view *v, struct weft_window *w, const struct weft_axis *a, const uint32_t *column, uint32_t n)
{
	double *most = weft_arena_alloc(&v->arena, 2 * ((size_t)n + 1) * sizeof *most), *least = most + n + 1;
	if (!most)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		least[i] = a->min + column[i] * a->delta;
		most[i] = column[i] + 1 == a->n ? a->max : nextafter(least[i] + a->delta, -HUGE_VAL);
		if (most[i] < least[i]) /* of one value */
			most[i] = least[i];
	}
	struct weft_call *call = &w->metric.compose[w->metric.level];
	call->func = weft_func_find(WEFT_FUNC_COMPOSE, "Is In Range");
	call->param[0] = (struct weft_list){most, n};
	call->param[1] = (struct weft_list){least, n};
	return 0;
}

/* The numbers of the chosen columns; *zero: one of them has 0 in it. */
static int chosen_columns(struct weft_view *v, const struct choosing *c, uint32_t **column, uint32_t *n, bool *zero)
{
	const struct weft_axis *a = &c->page->result->column;
	*n = 0;
	*zero = false;
	*column = weft_arena_alloc(&v->arena, ((size_t)c->n_columns + 1) * sizeof **column);
	for (uint32_t i = 0; i < c->n_columns && *column; i++) {
		if (!c->column[i])
			continue;
		double low = a->min + c->page->column[i] * a->delta;
		*zero |= low <= 0 && (low + a->delta > 0 || low == 0);
		(*column)[(*n)++] = c->page->column[i];
	}
	return *column ? 0 : -ENOMEM;
}

/* A line for each parent, as Paraver wants rows of threads and processes. */
static int set_rows(struct weft_view *v, struct weft_window *w, const struct choosing *c)
{
	const struct weft_result *r = c->page->result;
	const struct weft_trace *t = r->space->trace;
	enum weft_level level = v->window[r->hist->control].metric.level;
	uint32_t n = weft_level_size(r->space, level), parents = 1;
	uint8_t *on = weft_arena_alloc(&v->arena, 2 * (size_t)n + 2);
	bool *selected = weft_arena_alloc(&v->arena, (size_t)n + 1);
	if (level == WEFT_THREAD || level == WEFT_TASK)
		parents = level == WEFT_THREAD ? t->n_processes : t->n_apps;
	struct weft_chosen *chosen = weft_arena_alloc(&v->arena, ((size_t)parents + 1) * sizeof *chosen);
	if (!on || !selected || !chosen)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->n_rows; i++)
		if (c->row[i])
			on[r->row[i]] = selected[r->row[i]] = 1;
	for (uint32_t i = 0; i < parents; i++) {
		struct weft_chosen *o = &chosen[i];
		uint32_t first = 0;
		*o = (struct weft_chosen){.level = level, .n = n};
		if (level == WEFT_THREAD) {
			const struct weft_process *p = &t->process[i];
			first = p->first_thread;
			o->n = p->n_threads;
			o->n_parents = 2;
			o->parent[0] = p->app;
			o->parent[1] = i - t->app[p->app].first_process;
		} else if (level == WEFT_TASK) {
			first = t->app[i].first_process;
			o->n = t->app[i].n_processes;
			o->n_parents = 1;
			o->parent[0] = i;
		}
		o->on = on + first;
		o->some = on + n + 1; /* zeros */
	}
	w->chosen = chosen;
	w->n_chosen = parents;
	w->selected = selected;
	return 0;
}

static const char *name_of(struct weft_view *v, const struct choosing *c, const char *data)
{
	struct weft_buf b = {0};
	weft_buf_printf(&b, "%s in", data);
	for (uint32_t i = 0, n = 0; i < c->n_columns && n < 3; i++)
		if (c->column[i]) {
			weft_buf_putc(&b, n++ ? ',' : ' ');
			weft_sheet_column_label(c->page, i, &b);
		}
	const char *name = b.failed ? NULL : weft_arena_strdup(&v->arena, b.at);
	weft_buf_fini(&b);
	return name;
}

/* The next window, derived of two; its number is that of the last one then. */
static struct weft_window *cells_add(struct weft_view *v, uint32_t a, uint32_t b, const char *operation, const char *name)
{
	struct weft_window *w = &v->window[v->n_windows];
	*w = cells_derived(v, a, b, operation);
	w->metric.name = name;
	v->n_windows++;
	return w;
}

static int add_windows(struct weft_view *v, const struct choosing *c, struct weft_window **out)
{
	const struct weft_result *r = c->page->result;
	const struct weft_hist *h = r->hist;
	uint32_t *column, n, in = v->n_windows;
	bool zero;
	int rc = make_room(v);
	if (!rc)
		rc = chosen_columns(v, c, &column, &n, &zero);
	const char *shown = rc ? NULL : name_of(v, c, v->window[h->data].metric.name);
	if (!shown)
		return -ENOMEM;
	struct weft_window *w = cells_add(v, h->control, h->control, "maximum", "in the columns");
	rc = set_ranges(v, w, &r->column, column, n);
	if (!rc && h->extra != WEFT_NONE) {
		w = cells_add(v, h->extra, h->extra, "maximum", "in the plane");
		rc = set_ranges(v, w, &r->depth, &c->page->plane, 1);
		w = cells_add(v, in, in + 1, "product", "in the cells");
		in += 2;
	}
	if (!rc && zero && h->data == h->control)
		w->metric.name = shown;
	else if (!rc)
		w = cells_add(v, h->data, in, "product", shown);
	if (!rc)
		rc = set_rows(v, w, c);
	point_at_parents(v);
	v->n_hists = 0;
	*out = w;
	return rc;
}

static int choosing_init(struct choosing *c, const struct weft_sheet *p, struct weft_err *err)
{
	*c = (struct choosing){.page = p, .n_rows = p->result->n_rows, .n_columns = p->n_columns};
	size_t pairs = (size_t)c->n_rows * c->n_columns;
	if (weft_stat_of_comms(p->result->hist->stat))
		return weft_err_set(err, -EINVAL, "columns of '%s' are partners, which have no place in time",
		                    weft_stat_name(p->result->hist->stat));
	if (pairs > CELLS_MOST)
		return weft_err_set(err, -EINVAL, "the table has more cells than can be chosen from: take fewer with --rows");
	c->row = calloc((size_t)c->n_rows + 1, sizeof *c->row);
	c->column = calloc((size_t)c->n_columns + 1, sizeof *c->column);
	c->pair = calloc(pairs + 1, sizeof *c->pair);
	return c->row && c->column && c->pair ? 0 : weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
}

static int choosing_end(struct choosing *c, struct weft_view *v, int rc, struct weft_window **out, struct weft_err *err)
{
	if (!rc && add_windows(v, c, out))
		rc = weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	free(c->row);
	free(c->column);
	free(c->pair);
	return rc;
}

int weft_cells_window(struct weft_view *v, const struct weft_sheet *p, const char *const *cell, unsigned n,
                      struct weft_window **out, struct weft_err *err)
{
	struct choosing c;
	int rc = choosing_init(&c, p, err);
	for (unsigned i = 0; i < n && !rc; i++)
		rc = choose_cell(&c, cell[i], err);
	if (!rc)
		rc = check_rectangle(&c, err);
	return choosing_end(&c, v, rc, out, err);
}

/* n 0: all. */
static int mark_numbers(bool *on, uint32_t size, const uint32_t *at, uint32_t n, const char *what, struct weft_err *err)
{
	if (!n)
		memset(on, true, size);
	for (uint32_t i = 0; i < n; i++) {
		if (at[i] >= size)
			return weft_err_set(err, -EINVAL, "no %s %u: the table has %u", what, at[i], size);
		on[at[i]] = true;
	}
	return 0;
}

int weft_cells_chosen(struct weft_view *v, const struct weft_sheet *p, const struct weft_cell_choice *cells,
                      struct weft_window **out, struct weft_err *err)
{
	struct choosing c;
	int rc = choosing_init(&c, p, err);
	if (!rc)
		rc = mark_numbers(c.row, c.n_rows, cells->row, cells->n_rows, "row", err);
	if (!rc)
		rc = mark_numbers(c.column, c.n_columns, cells->column, cells->n_columns, "column", err);
	return choosing_end(&c, v, rc, out, err);
}

/* ---- intervals ---- */

static int put_row(const struct weft_space *s, const struct weft_window *w, uint32_t object, struct weft_table *t)
{
	struct weft_row *row;
	struct weft_buf name = {0};
	struct weft_intervals *b = malloc(sizeof *b);
	int rc = b ? weft_row_open(&row, s, &w->metric, object, w->begin, w->end) : -ENOMEM;
	if (rc) {
		free(b);
		return rc;
	}
	weft_object_label(s, w->metric.level, object, &name);
	while (!name.failed && (rc = weft_row_next(row, b)) > 0) {
		double begin = b->begin;
		rc = 0;
		for (uint32_t i = 0; i < b->n && !rc; begin = b->end[i++]) {
			if (b->value[i] == 0 || b->end[i] <= begin)
				continue;
			uint64_t from = (uint64_t)(begin * (double)s->unit_ns), to = (uint64_t)(b->end[i] * (double)s->unit_ns);
			rc = weft_table_row(t, (struct weft_cell[]){{WEFT_CELL_TEXT, .text = name.at},
			                                            {WEFT_CELL_NS, .u64 = from},
			                                            {WEFT_CELL_NS, .u64 = to - from},
			                                            {WEFT_CELL_DOUBLE, .f64 = b->value[i]}});
		}
		if (rc)
			break;
	}
	weft_row_close(row);
	free(b);
	rc = name.failed ? -ENOMEM : rc;
	weft_buf_fini(&name);
	return rc;
}

int weft_cells_intervals(const struct weft_space *s, const struct weft_window *w, enum weft_table_form form, FILE *to)
{
	static const struct weft_column columns[] = {
		{"row", "row", WEFT_CELL_TEXT},
		{"begin_ns", "begin", WEFT_CELL_NS},
		{"duration_ns", "duration", WEFT_CELL_NS},
		{"value", "value", WEFT_CELL_DOUBLE},
	};
	struct weft_table t;
	uint32_t n = weft_level_size(s, w->metric.level);
	int rc = 0;
	weft_table_init(&t, columns, 4);
	for (uint32_t i = 0; i < n && !rc; i++)
		if (!w->selected || w->selected[i])
			rc = put_row(s, w, i, &t);
	if (!rc)
		rc = weft_table_print(&t, form, to);
	weft_table_fini(&t);
	return rc;
}
