/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `table/view`: a view's table of a range of time. Cells are sent where something fell, row after row as pairs of the shown column's
 * number and the value; labels once. `table/cell`: back to time: the intervals of chosen cells, and a view of them for the timeline.
 */
#include "metric/table/sheet_cells.h"
#include "metric/text/text_view.h"
#include "server_table.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MOST = 400000, INTERVALS_MOST = 20000 };

static const char *text_of(const struct weft_buf *b)
{
	return b->n && !b->failed ? b->at : "";
}

static void put_columns(struct weft_json *j, const struct weft_sheet *p)
{
	const struct weft_axis *a = &p->result->column;
	struct weft_buf z = {0};
	weft_json_key(j, "columns");
	weft_json_array(j);
	for (uint32_t i = 0; i < p->n_columns; i++) {
		z.n = 0;
		weft_sheet_column_label(p, i, &z);
		weft_json_object(j);
		server_put_string(j, "label", text_of(&z));
		server_put_double(j, "from", a->min + p->column[i] * a->delta);
		weft_json_end(j);
	}
	weft_json_end(j);
	weft_buf_fini(&z);
}

static void put_totals(struct weft_json *j, const struct weft_sheet *p)
{
	weft_json_key(j, "totals");
	weft_json_object(j);
	for (unsigned k = 0; k < WEFT_TOTALS; k++) {
		weft_json_key(j, weft_total_names[k]);
		weft_json_array(j);
		for (uint32_t i = 0; i < p->n_columns; i++)
			weft_json_double(j, p->total[i][k]);
		weft_json_end(j);
	}
	weft_json_end(j);
}

/* Rows as [label, object, column, value, column, value…]; as many as fit. */
static uint32_t put_rows(struct weft_json *j, const struct weft_sheet *p)
{
	uint64_t left = CELLS_MOST;
	uint32_t row = 0;
	weft_json_key(j, "rows");
	weft_json_array(j);
	for (; row < p->result->n_rows && left >= p->n_columns; row++) {
		weft_json_array(j);
		weft_json_string(j, p->row[row]);
		weft_json_u64(j, p->result->row[row]);
		for (uint32_t i = 0; i < p->n_columns; i++) {
			const struct weft_result_cell *c = weft_sheet_cell(p, row, i);
			if (!c)
				continue;
			weft_json_u64(j, i);
			weft_json_double(j, c->value);
			left--;
		}
		weft_json_end(j);
	}
	weft_json_end(j);
	return row;
}

static void put_planes(struct weft_json *j, const struct table_work *w)
{
	struct weft_buf z = {0};
	if (w->hist->extra == WEFT_NONE)
		return;
	server_put_u64(j, "plane", w->plane);
	server_put_string(j, "planes_of", w->view.window[w->hist->extra].metric.name);
	weft_json_key(j, "planes");
	weft_json_array(j);
	for (uint32_t i = 0; i < w->result.depth.n; i++) {
		if (!w->result.plane[i].any)
			continue;
		z.n = 0;
		weft_plane_label(&w->result, i, &z);
		weft_json_object(j);
		server_put_u64(j, "number", i);
		server_put_string(j, "label", text_of(&z));
		weft_json_end(j);
	}
	weft_json_end(j);
	weft_buf_fini(&z);
}

/* What else the view could show. */
static void put_choices(struct weft_json *j, const struct weft_view *v)
{
	char name[64];
	weft_json_key(j, "tables");
	weft_json_array(j);
	for (uint32_t i = 0; i < v->n_hists; i++)
		weft_json_string(j, v->hist[i].name);
	weft_json_end(j);
	weft_json_key(j, "windows");
	weft_json_array(j);
	for (uint32_t i = 0; i < v->n_windows; i++)
		weft_json_string(j, v->window[i].metric.name);
	weft_json_end(j);
	weft_json_key(j, "statistics");
	weft_json_array(j);
	for (unsigned i = 0; weft_stat_known(i, name); i++) {
		weft_json_object(j);
		server_put_string(j, "name", name);
		server_put_string(j, "title", weft_stat_name(weft_stat_at(i)));
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void put_head(struct weft_json *j, const struct table_work *w, const struct server_request *r)
{
	const struct weft_hist *h = w->hist;
	const struct weft_metric *control = &w->view.window[h->control].metric;
	struct weft_value_form form = weft_value_form(&w->result);
	const char *view = server_arg(r, "view");
	server_put_string(j, "view", view ? view : "");
	server_put_string(j, "table", h->name);
	server_put_string(j, "statistic", weft_stat_name(h->stat));
	server_put_string(j, "of", h->data != h->control ? w->view.window[h->data].metric.name : "");
	server_put_string(j, "by", weft_stat_of_comms(h->stat) ? "partner" : control->name);
	server_put_bool(j, "partners", weft_stat_of_comms(h->stat));
	server_put_string(j, "level", server_level_names[control->level]);
	server_put_string(j, "kind", table_kind_name(form.kind));
	server_put_double(j, "factor", form.factor);
	server_put_string(j, "unit", form.unit);
	server_put_string(j, "lack", w->bound ? w->bound->lack : "");
	server_put_u64(j, "from", server_ns(w->trace, w->result.begin));
	server_put_u64(j, "to", server_ns(w->trace, w->result.end));
	server_put_double(j, "step", w->result.column.delta);
}

int table_answer_view(const struct server_request *r, struct server_answer *a)
{
	struct table_work w;
	struct server_json out;
	int rc = table_work_begin(&w, r);
	if (!rc) {
		struct weft_json *j = server_json_begin(&out);
		weft_json_object(j);
		put_head(j, &w, r);
		put_choices(j, &w.view);
		put_planes(j, &w);
		put_columns(j, &w.sheet);
		put_totals(j, &w.sheet);
		uint32_t shown = put_rows(j, &w.sheet);
		server_put_u64(j, "rows_left_out", w.result.n_rows - shown);
		weft_json_end(j);
		rc = server_json_end(&out, a);
	}
	table_work_end(r->session, &w);
	return rc;
}

/* ---- cells ---- */

struct cell_walk {
	const struct table_work *w;
	const struct weft_window *window;
	struct weft_json *j;
	uint64_t n, most, time_ns;
	double lo, hi;
};

/* Intervals of one row that are not 0: [begin, length, value]. */
static int put_intervals(struct cell_walk *c, uint32_t object, uint64_t *n)
{
	const struct weft_space *s = &c->w->trace->space;
	struct weft_intervals *b = malloc(sizeof *b);
	struct weft_row *row = NULL;
	int rc = b ? weft_row_open(&row, s, &c->window->metric, object, c->window->begin, c->window->end) : -ENOMEM;
	while (!rc && (rc = weft_row_next(row, b)) > 0) {
		double begin = b->begin;
		rc = 0;
		for (uint32_t i = 0; i < b->n; begin = b->end[i++]) {
			if (b->value[i] == 0 || b->end[i] <= begin)
				continue;
			double first = begin < c->window->begin ? c->window->begin : begin;
			double end = b->end[i] > c->window->end ? c->window->end : b->end[i];
			if (end <= first)
				continue;
			uint64_t from = server_ns(c->w->trace, first), to = server_ns(c->w->trace, end);
			c->time_ns += to - from;
			++*n;
			if (c->n + *n > c->most)
				continue;
			weft_json_u64(c->j, from);
			weft_json_u64(c->j, to - from);
			weft_json_double(c->j, b->value[i]);
		}
	}
	if (row)
		weft_row_close(row);
	free(b);
	return rc;
}

static int put_cell_rows(struct cell_walk *c)
{
	const struct weft_space *s = &c->w->trace->space;
	uint32_t n = weft_level_size(s, c->window->metric.level);
	int rc = 0;
	weft_json_key(c->j, "rows");
	weft_json_array(c->j);
	for (uint32_t i = 0; i < n && !rc; i++) {
		struct weft_buf name = {0};
		uint64_t here = 0;
		if (c->window->selected && !c->window->selected[i])
			continue;
		weft_object_label(s, c->window->metric.level, i, &name);
		weft_json_object(c->j);
		server_put_u64(c->j, "object", i);
		server_put_string(c->j, "label", text_of(&name));
		weft_json_key(c->j, "intervals");
		weft_json_array(c->j);
		rc = put_intervals(c, i, &here);
		weft_json_end(c->j);
		weft_json_end(c->j);
		c->n += here;
		weft_buf_fini(&name);
	}
	weft_json_end(c->j);
	return rc;
}

/* The view of the cells, whole trace, for the timeline: its name in the session, or "" when it cannot be one. */
static void keep_view(const struct server_request *r, struct table_work *w, struct weft_window *window, char *name)
{
	struct weft_buf text = {0};
	struct weft_err none = {0};
	double begin = window->begin, end = window->end;
	*name = 0;
	for (uint32_t i = 0; i < w->view.n_windows; i++) {
		w->view.window[i].begin_is_part = w->view.window[i].end_is_part = true;
		w->view.window[i].begin_part = 0;
		w->view.window[i].end_part = 1;
	}
	weft_view_print(&w->view, &(struct weft_print_how){.plain = true}, &text);
	if (text.failed || server_view_add(r->session, window->metric.name, text.at, text.n, name, &none))
		*name = 0;
	window->begin = begin;
	window->end = end;
	weft_buf_fini(&text);
}

static int answer_intervals(const struct server_request *r, struct table_work *w, struct weft_window *window, uint64_t most,
                            struct server_answer *a)
{
	struct server_json out;
	char name[16] = "";
	const char *keep = server_arg(r, "keep");
	struct cell_walk c = {.w = w, .window = window, .most = most};
	if (keep && !strcmp(keep, "1"))
		keep_view(r, w, window, name);
	c.j = server_json_begin(&out);
	weft_json_object(c.j);
	server_put_string(c.j, "name", window->metric.name);
	server_put_string(c.j, "level", server_level_names[window->metric.level]);
	server_put_string(c.j, "view", name);
	int rc = put_cell_rows(&c);
	server_put_u64(c.j, "n", c.n);
	server_put_u64(c.j, "left_out", c.n > most ? c.n - most : 0);
	server_put_u64(c.j, "time", c.time_ns);
	weft_json_end(c.j);
	int ended = server_json_end(&out, a);
	return rc ? rc : ended;
}

int table_answer_cell(const struct server_request *r, struct server_answer *a)
{
	struct table_work w;
	struct weft_window *window;
	uint32_t *row = NULL, *column = NULL;
	struct weft_cell_choice cells = {.n_rows = 0};
	uint64_t most = 0;
	int rc = table_work_begin(&w, r);
	if (!rc)
		rc = server_arg_list(r, "row", w.result.n_rows, w.result.n_rows, &row, &cells.n_rows);
	if (!rc)
		rc = server_arg_list(r, "column", w.sheet.n_columns, w.sheet.n_columns, &column, &cells.n_columns);
	if (!rc)
		rc = server_arg_u64(r, "most", 0, INTERVALS_MOST, 2000, &most);
	cells.row = row;
	cells.column = column;
	if (!rc)
		rc = weft_cells_chosen(&w.view, &w.sheet, &cells, &window, r->err);
	if (!rc)
		rc = answer_intervals(r, &w, window, most, a);
	free(row);
	free(column);
	table_work_end(r->session, &w);
	return rc;
}
