/* SPDX-License-Identifier: Apache-2.0 */
/* The area `table`: its routes, and what they share. */
#include "server_table.h"
#include "metric/library/library.h"
#include "metric/table/table_choose.h"
#include "metric/text/text_view.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 50000 };

const struct server_route server_table_routes[] = {
	{"table/view", SERVER_FIXED | SERVER_STOPS, table_answer_view, NULL},
	{"table/cell", SERVER_STOPS, table_answer_cell, NULL},
	{"table/profile", SERVER_FIXED | SERVER_STOPS, table_answer_profile, NULL},
	{"table/groups", SERVER_FIXED | SERVER_STOPS, table_answer_groups, NULL},
	{"table/runs", SERVER_FIXED | SERVER_STOPS, table_answer_runs, NULL},
	{"table/messages", SERVER_FIXED | SERVER_STOPS, table_answer_messages, NULL},
	{"table/calls", SERVER_FIXED | SERVER_STOPS, table_answer_calls, NULL},
	{"table/flame", SERVER_FIXED | SERVER_STOPS, table_answer_flame, NULL},
	{"table/efficiency", SERVER_FIXED | SERVER_STOPS, table_answer_efficiency, NULL},
	{"table/views", 0, table_answer_views, NULL},
	{"table/hints", SERVER_FIXED, table_answer_hints, NULL},
	{"table/metric", 0, table_answer_metric, NULL},
	{"table/words", SERVER_FIXED, table_answer_words, NULL},
	{NULL, 0, NULL, NULL},
};

int table_range(const struct server_request *r, struct table_range *out)
{
	int rc = server_arg_trace(r, &out->trace);
	if (rc)
		return rc;
	out->own = server_trace_own(out->trace);
	return server_arg_range(r, out->trace, &out->from, &out->to);
}

/* ---- what a request changes of a view ---- */

static int set_statistic(struct table_work *w, const struct server_request *r)
{
	const char *name = server_arg(r, "statistic");
	char near[64];
	if (!name || !*name)
		return 0;
	w->hist->stat = weft_stat_named(name, near);
	if (w->hist->stat)
		return 0;
	return weft_err_set(r->err, -EINVAL, "unknown statistic '%.80s'%s%s%s", name, *near ? " (did you mean '" : "", near,
	                    *near ? "'?)" : "");
}

static int set_scale(struct table_work *w, const struct server_request *r)
{
	struct weft_table_scale scale = {.has_min = server_arg(r, "min"),
	                                 .has_max = server_arg(r, "max"),
	                                 .has_delta = server_arg(r, "delta")};
	uint64_t columns = 0;
	int rc = server_arg_double(r, "min", 0, &scale.min);
	if (!rc)
		rc = server_arg_double(r, "max", 0, &scale.max);
	if (!rc)
		rc = server_arg_double(r, "delta", 1, &scale.delta);
	if (!rc)
		rc = server_arg_u64(r, "columns", 1, COLUMNS_MOST, 0, &columns);
	if (rc)
		return rc;
	scale.columns = (uint32_t)columns;
	if (scale.has_delta && !(scale.delta > 0))
		return weft_err_set(r->err, -EINVAL, "'delta': expected a width greater than 0");
	if (scale.has_delta && columns)
		return weft_err_set(r->err, -EINVAL, "'delta' and 'columns' exclude each other");
	if (scale.has_min && scale.has_max && scale.max < scale.min)
		return weft_err_set(r->err, -EINVAL, "'max' is less than 'min'");
	return weft_table_scale_set(&scale, w->hist, r->err);
}

/* `window`: time by its values, none of the view's tables; `table`: by name or number; neither: the view's last. */
static int choose(struct table_work *w, const struct server_request *r)
{
	const char *window = server_arg(r, "window"), *table = server_arg(r, "table");
	if (!window || !*window)
		return weft_table_choose(&w->view, table && *table ? table : NULL, &w->hist, r->err);
	int64_t at = weft_window_choose(&w->view, window, r->err);
	if (at < 0)
		return -EINVAL;
	return weft_table_of_window(&w->view, (uint32_t)at, &w->hist)
	               ? weft_err_set(r->err, -ENOMEM, "%s", weft_err_name(-ENOMEM))
	               : 0;
}

static int change(struct table_work *w, const struct server_request *r)
{
	const char *rows = server_arg(r, "rows");
	const struct weft_space *s = &w->trace->space;
	int rc = choose(w, r);
	if (rc)
		return rc;
	if (server_arg(r, "from") || server_arg(r, "to"))
		weft_table_limit(&w->view, w->hist, s, w->from, w->to);
	if (rows && *rows)
		rc = weft_window_keep_rows(&w->view, &w->view.window[w->hist->control], s, rows, r->err);
	if (!rc)
		rc = set_statistic(w, r);
	return rc ? rc : set_scale(w, r);
}

static int compute(struct table_work *w, const struct server_request *r)
{
	const char *plane = server_arg(r, "plane");
	int rc = weft_hist_compute(&w->result, &w->view, w->hist, &w->trace->space, server_session_threads(r->session));
	if (rc)
		return weft_err_set(r->err, rc, "cannot compute the table: %s", weft_err_name(rc));
	int64_t at = weft_plane_choose(&w->result, plane && *plane ? plane : NULL);
	if (at < 0)
		return weft_err_set(r->err, -EINVAL, "the table has no plane '%.80s'", plane);
	w->plane = (uint32_t)at;
	rc = weft_sheet_make(&w->sheet, &w->result, w->trace->name, w->plane);
	if (!rc && w->sheet.n_columns > COLUMNS_MOST)
		return weft_err_set(r->err, -E2BIG,
		                    "%u columns are more than a page can show: choose ranges of values, or fewer of them",
		                    w->sheet.n_columns);
	return rc ? weft_err_set(r->err, rc, "%s", weft_err_name(rc)) : 0;
}

/* `view`, by name, which others use, too; or `text`, one that is being written. */
static int take_view(struct table_work *w, const struct server_request *r)
{
	const char *text = server_arg(r, "text"), *name = server_arg(r, "view");
	struct weft_view_lack lack;
	if (text) {
		int rc = weft_view_read_any(&w->view, text, strlen(text), "view", r->err);
		return rc ? rc : weft_view_bind(&w->view, &w->trace->space, &lack, r->err);
	}
	if (!name || !*name)
		return weft_err_set(r->err, -EINVAL, "'view': expected the name of a view");
	int rc = server_view_get(r->session, w->trace, name, &w->bound, r->err);
	if (rc)
		return rc;
	rc = weft_view_borrow(&w->view, &w->bound->view);
	return rc ? weft_err_set(r->err, rc, "%s", weft_err_name(rc)) : 0;
}

int table_work_begin(struct table_work *w, const struct server_request *r)
{
	*w = (struct table_work){.trace = NULL};
	int rc = server_arg_trace(r, &w->trace);
	if (!rc)
		rc = server_arg_range(r, w->trace, &w->from, &w->to);
	if (!rc)
		rc = take_view(w, r);
	if (!rc)
		rc = change(w, r);
	return rc ? rc : compute(w, r);
}

void table_work_end(struct server_session *s, struct table_work *w)
{
	weft_sheet_fini(&w->sheet);
	weft_result_fini(&w->result);
	weft_view_fini(&w->view);
	server_view_drop(s, w->bound);
}

/* ---- tables of named columns ---- */

const char *table_kind_name(enum weft_cell_kind kind)
{
	static const char *const names[] =
		{[WEFT_CELL_TEXT] = "text",       [WEFT_CELL_U64] = "count",     [WEFT_CELL_I64] = "count",
	         [WEFT_CELL_NS] = "ns",           [WEFT_CELL_DOUBLE] = "number", [WEFT_CELL_BYTES] = "bytes",
	         [WEFT_CELL_PERCENT] = "percent", [WEFT_CELL_NONE] = "none"};
	return names[kind];
}

static void put_cell(struct weft_json *j, const struct weft_cell *c)
{
	switch (c->kind) {
	case WEFT_CELL_TEXT:
		weft_json_string(j, c->text);
		break;
	case WEFT_CELL_U64:
	case WEFT_CELL_NS:
	case WEFT_CELL_BYTES:
		weft_json_u64(j, c->u64);
		break;
	case WEFT_CELL_I64:
		weft_json_i64(j, c->i64);
		break;
	case WEFT_CELL_NONE:
		weft_json_null(j);
		break;
	default:
		weft_json_double(j, c->f64);
		break;
	}
}

void table_put(struct weft_json *j, const struct weft_table *t)
{
	size_t n = weft_table_rows(t);
	weft_json_key(j, "columns");
	weft_json_array(j);
	for (unsigned i = 0; i < t->n_columns; i++) {
		weft_json_object(j);
		server_put_string(j, "key", t->column[i].key);
		server_put_string(j, "title", t->column[i].title);
		server_put_string(j, "kind", table_kind_name(t->column[i].kind));
		weft_json_end(j);
	}
	weft_json_end(j);
	weft_json_key(j, "rows");
	weft_json_array(j);
	for (size_t row = 0; row < n; row++) {
		weft_json_array(j);
		for (unsigned i = 0; i < t->n_columns; i++)
			put_cell(j, &t->cell.at[row * t->n_columns + i]);
		weft_json_end(j);
	}
	weft_json_end(j);
}
