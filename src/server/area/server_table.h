/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the routes of the area `table` share: a view's table that was asked for, computed; tables of named columns as JSON.
 *
 *     ?trace=0&view=states&table=…&statistic=…&from=…&to=…&rows=…&plane=…&min=…&max=…&delta=…&columns=…
 *        └─> a bound view, borrowed ─> what the request changes ─> computed ─> the sheet of a plane
 */
#ifndef WEFT_SERVER_TABLE_H
#define WEFT_SERVER_TABLE_H

#include "base/table.h"
#include "metric/table/table_sheet.h"
#include "server/core/server_route.h"
#include "server/core/server_session.h"

struct table_work {
	struct server_trace *trace;
	struct server_view *bound; /* NULL: of a text */
	struct weft_view view;     /* borrows of `bound` */
	struct weft_hist *hist;
	uint64_t from, to;
	struct weft_result result;
	uint32_t plane;
	struct weft_sheet sheet;
};
/* What the request asks for, computed. 0 or negative with the request's error; then end all the same. */
int table_work_begin(struct table_work *w, const struct server_request *r) WEFT_MUST_CHECK;
void table_work_end(struct server_session *s, struct table_work *w);

/* `trace`, `from` and `to`. */
struct table_range {
	struct server_trace *trace;
	const struct weft_trace *own; /* the trace itself, not as metrics see it */
	uint64_t from, to;
};
int table_range(const struct server_request *r, struct table_range *out) WEFT_MUST_CHECK;

/* "columns": [{key, title, kind}], "rows": [[…]…] of a table that is not printed; into the object that is open. */
void table_put(struct weft_json *j, const struct weft_table *t);
const char *table_kind_name(enum weft_cell_kind kind);

/* The routes' functions. */
typedef int server_answer_fn(const struct server_request *r, struct server_answer *a);
server_answer_fn table_answer_view, table_answer_cell, table_answer_profile, table_answer_groups, table_answer_runs,
	table_answer_messages, table_answer_calls, table_answer_flame, table_answer_efficiency, table_answer_views,
	table_answer_hints, table_answer_metric, table_answer_words;

#endif
