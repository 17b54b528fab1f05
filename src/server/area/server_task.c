/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task/…: programs of tasks. The chart comes as a head of JSON and columns behind it, so that its size is that of its pixels:
 *
 *     u32 bytes of JSON | JSON, with blanks to a multiple of 4 | u16 cells, row after row | f32 values, curve after curve
 */
#include "charts/graph_out.h"
#include "server/core/server_tasks.h"
#include "tasks/tasks_roles.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_MOST = 4000 };

/* ---- the chart ---- */

static void put_paints(struct weft_json *j, const struct gantt *g)
{
	weft_json_key(j, "paints");
	weft_json_array(j);
	for (size_t k = 0; k < g->paint.n; k++) {
		weft_json_object(j);
		server_put_string(j, "name", g->paint.at[k].name);
		server_put_colour(j, "color", g->paint.at[k].colour);
		server_put_u64(j, "ns", g->paint.at[k].ns);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void put_rows(struct weft_json *j, const struct gantt *g)
{
	static const char *const kinds[] = {"node", "worker", "thread"};
	const struct weft_tasks *t = &g->tasks->tasks;
	weft_json_key(j, "rows");
	weft_json_array(j);
	for (size_t k = 0; k < g->row.n; k++) {
		const struct gantt_row *row = &g->row.at[k];
		weft_json_object(j);
		server_put_string(j, "label", row->label);
		server_put_string(j, "kind", kinds[row->kind]);
		if (row->kind != GANTT_NODE)
			server_put_u64(j, "thread", row->kind == GANTT_WORKER ? t->worker[row->of].thread : row->of);
		server_put_double(j, "busy", g->to > g->from ? (double)row->task_ns / (double)(g->to - g->from) : 0);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void put_curves(struct weft_json *j, const struct gantt *g)
{
	weft_json_key(j, "curves");
	weft_json_array(j);
	for (size_t k = 0; k < g->curve.n; k++) {
		const struct gantt_curve *c = &g->curve.at[k];
		weft_json_object(j);
		server_put_string(j, "label", c->label);
		server_put_string(j, "unit", c->unit);
		server_put_colour(j, "color", c->colour);
		server_put_double(j, "most", c->most);
		weft_json_key(j, "row");
		weft_json_i64(j, c->row);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static const char *mark_name(unsigned kind)
{
	return kind == GANTT_EVENTS      ? "event"
	       : kind == GANTT_PUSH      ? "push"
	       : kind == GANTT_POP       ? "pop"
	       : kind == GANTT_TRANSFERS ? "transfer"
	                                 : "dependency";
}

static void put_marks(struct weft_json *j, const struct gantt *g)
{
	weft_json_key(j, "points");
	weft_json_array(j);
	for (size_t k = 0; k < g->point.n; k++) {
		const struct gantt_point *p = &g->point.at[k];
		weft_json_array(j);
		weft_json_u64(j, p->row);
		weft_json_u64(j, p->pixel);
		weft_json_string(j, mark_name(p->kind));
		weft_json_string(j, p->text);
		weft_json_end(j);
	}
	weft_json_end(j);
	weft_json_key(j, "arrows");
	weft_json_array(j);
	for (size_t k = 0; k < g->arrow.n; k++) {
		const struct gantt_arrow *x = &g->arrow.at[k];
		weft_json_array(j);
		weft_json_u64(j, x->from_row);
		weft_json_u64(j, x->to_row);
		weft_json_double(j, x->from);
		weft_json_double(j, x->to);
		weft_json_string(j, mark_name(x->kind));
		weft_json_end(j);
	}
	weft_json_end(j);
	server_put_u64(j, "left_out", g->left_out);
}

/* Where they are few, the tasks themselves, for labels and what is under the pointer: [task, row, start, end]. */
static void put_exact(struct weft_json *j, const struct gantt *g)
{
	const struct weft_tasks *t = &g->tasks->tasks;
	uint32_t n = 0;
	for (uint32_t i = 0; i < t->n && n <= EXACT_MOST; i++)
		n += t->task[i].worker < t->n_workers && t->task[i].start < g->to && t->task[i].end > g->from;
	server_put_bool(j, "exact", n <= EXACT_MOST);
	weft_json_key(j, "tasks");
	weft_json_array(j);
	for (uint32_t i = 0; i < t->n && n <= EXACT_MOST; i++) {
		const struct weft_tasks_task *task = &t->task[i];
		if (task->worker >= t->n_workers || task->start >= g->to || task->end <= g->from)
			continue;
		weft_json_array(j);
		weft_json_u64(j, i);
		weft_json_u64(j, g->first_worker + task->worker);
		weft_json_u64(j, task->start);
		weft_json_u64(j, task->end == WEFT_NEVER ? g->to : task->end);
		weft_json_string(j, weft_tasks_called(t, task));
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void add_u32(struct weft_buf *b, uint32_t v)
{
	const unsigned char bytes[4] = {(unsigned char)v, (unsigned char)(v >> 8), (unsigned char)(v >> 16),
	                                (unsigned char)(v >> 24)};
	weft_buf_add(b, (const char *)bytes, 4);
}

static int chart_answer(const struct gantt *g, struct server_answer *a)
{
	struct server_answer head = {0};
	struct server_json j;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	server_put_u64(w, "from", g->from);
	server_put_u64(w, "to", g->to);
	server_put_u64(w, "width", g->width);
	server_put_u64(w, "first_worker", g->first_worker);
	put_paints(w, g);
	put_rows(w, g);
	put_curves(w, g);
	put_marks(w, g);
	put_exact(w, g);
	weft_json_end(w);
	int rc = server_json_end(&j, &head);
	while (!rc && head.body.n % 4 && !head.body.failed)
		weft_buf_putc(&head.body, ' ');
	if (!rc) {
		add_u32(&a->body, (uint32_t)head.body.n);
		weft_buf_add(&a->body, head.body.at, head.body.n);
	}
	for (size_t k = 0; !rc && k < g->row.n; k++)
		weft_buf_add(&a->body, (const char *)g->row.at[k].cell, g->width * sizeof *g->row.at[k].cell);
	while (a->body.n % 4 && !a->body.failed)
		weft_buf_putc(&a->body, 0);
	for (size_t k = 0; !rc && k < g->curve.n; k++)
		for (unsigned x = 0; x < g->width; x++) {
			float v = (float)g->curve.at[k].value[x];
			weft_buf_add(&a->body, (const char *)&v, sizeof v);
		}
	weft_buf_fini(&head.body);
	a->type = "application/octet-stream";
	return rc ? rc : a->body.failed ? -ENOMEM : 0;
}

int server_task_gantt(const struct server_request *r, struct server_answer *a)
{
	struct task_view v;
	struct server_trace *t;
	struct gantt g = {0};
	int rc = server_tasks_get(r, &v, &t);
	if (!rc)
		rc = server_task_chart(r, &v, t, &g);
	if (!rc)
		rc = chart_answer(&g, a);
	gantt_fini(&g);
	return rc;
}

/* ---- the graph ---- */

static int task_graph(const struct server_request *r, struct server_answer *a)
{
	struct task_view v;
	struct server_trace *t;
	struct graph_view g = {0};
	struct graph_how how;
	struct server_json j;
	int rc = server_tasks_get(r, &v, &t);
	if (!rc)
		rc = server_task_graph(r, &v, &g, &how);
	if (rc) {
		graph_view_fini(&g);
		return rc;
	}
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	server_put_bool(w, "edges", v.tasks.has & WEFT_TASKS_HAS_EDGES);
	weft_json_key(w, "graph");
	rc = graph_data(w, &g, &how);
	weft_json_key(w, "index"); /* of the tasks in the graph's order, among all of the trace */
	weft_json_array(w);
	for (uint32_t k = 0; !rc && k < g.n; k++)
		weft_json_u64(w, g.task[g.fold.member[k]]);
	weft_json_end(w);
	weft_json_end(w);
	int end = server_json_end(&j, a);
	graph_view_fini(&g);
	return rc ? rc : end;
}

const struct server_route server_task_routes[] = {
	{.path = "task/gantt", .answer = server_task_gantt},       {.path = "task/graph", .answer = task_graph},
	{.path = "task/task", .answer = server_task_one},          {.path = "task/path", .answer = server_task_path},
	{.path = "task/schedule", .answer = server_task_schedule}, {.path = "task/nodes", .answer = server_task_nodes},
	{.path = "task/copies", .answer = server_task_copies},     {0},
};
