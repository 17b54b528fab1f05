/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of a saved page (web/export/tasks.js unpacks them):
 *
 *   charts      rows of the Gantt chart, once in each way of colouring: paints of runs of pixels, as many pixels as fit
 *   list        of each task its row, begin, length, name
 *   details     a column for each field, dependencies, data; where they fit
 *   answers     the critical path, the graph, memory nodes, copies, the schedule, as the routes give them; where they fit
 */
#include "server/core/server_tasks.h"
#include "server_export_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDTH = 8192,
	WIDTH_LEAST = 512,
	CURVE_WIDTH = 1024,
	LIST_BYTES = 12 /* of a task, about */,
	DETAIL_LEAST = 100,
	JSON_PER_BYTE_MOST = 50
};

struct tasking {
	const struct server_export_how *how;
	struct server_trace *trace;
	struct task_view view;
	struct server_request request;
	struct server_arg arg[8];
	char number[16], from[24], to[24], width[16];
	struct weft_json *j;
	uint64_t room; /* bytes of the page that are left */
	struct weft_buf *bytes;
	struct weft_err err;
};

static void set_request(struct tasking *t, unsigned width, const char *show, const char *colors)
{
	snprintf(t->number, sizeof t->number, "%u", (unsigned)t->how->trace);
	snprintf(t->from, sizeof t->from, "%llu", (unsigned long long)t->how->from);
	snprintf(t->to, sizeof t->to, "%llu", (unsigned long long)t->how->to);
	snprintf(t->width, sizeof t->width, "%u", width);
	const struct server_arg arg[] = {{"trace", t->number}, {"from", t->from}, {"to", t->to},
	                                 {"width", t->width},  {"show", show},    {"colors", colors}};
	memcpy(t->arg, arg, sizeof arg);
	t->request = (struct server_request){.session = t->how->session,
	                                     .arg = t->arg,
	                                     .n_args = sizeof arg / sizeof *arg,
	                                     .body = "",
	                                     .err = &t->err};
}

/* ---- the chart ---- */

/* Runs of a row: pixels, paint; until its width is full. Of `by` pixels one is taken. */
static void pack_row(struct weft_buf *b, const struct gantt_row *row, unsigned width, unsigned by)
{
	for (unsigned x = 0, end; x < width; x = end) {
		for (end = x + by; end < width && row->cell[end] == row->cell[x];)
			end += by;
		end = end < width ? end : width;
		export_put_number(b, (end - x + by - 1) / by);
		export_put_number(b, row->cell[x]);
	}
}

/* As many pixels as fit into the room. */
static unsigned pack_rows(struct weft_buf *b, const struct gantt *g, uint64_t room)
{
	size_t at = b->n;
	for (unsigned by = 1;; by *= 2) {
		b->n = at;
		for (size_t k = 0; k < g->row.n; k++)
			pack_row(b, &g->row.at[k], g->width, by);
		if (b->n - at <= room || g->width / by <= WIDTH_LEAST)
			return (g->width + by - 1) / by;
	}
}

static void put_paints(struct weft_json *j, const struct gantt *g)
{
	weft_json_key(j, "paints");
	weft_json_array(j);
	for (size_t k = 0; k < g->paint.n; k++) {
		weft_json_object(j);
		server_put_string(j, "name", g->paint.at[k].name);
		server_put_colour(j, "color", g->paint.at[k].colour);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static int put_chart(struct tasking *t, const char *colors, struct gantt *g)
{
	set_request(t, WIDTH, "nodes", colors);
	int rc = server_task_chart(&t->request, &t->view, t->trace, g);
	if (rc)
		return rc;
	size_t at = t->bytes->n;
	unsigned width = pack_rows(t->bytes, g, t->room / 4);
	weft_json_key(t->j, colors);
	weft_json_object(t->j);
	server_put_u64(t->j, "at", at);
	server_put_u64(t->j, "n", t->bytes->n - at);
	server_put_u64(t->j, "width", width);
	put_paints(t->j, g);
	weft_json_end(t->j);
	return 0;
}

static void put_rows(struct tasking *t, const struct gantt *g)
{
	static const char *const kinds[] = {"node", "worker", "thread"};
	server_put_u64(t->j, "first_worker", g->first_worker);
	weft_json_key(t->j, "rows");
	weft_json_array(t->j);
	for (size_t k = 0; k < g->row.n; k++) {
		const struct gantt_row *row = &g->row.at[k];
		weft_json_object(t->j);
		server_put_string(t->j, "label", row->label);
		server_put_string(t->j, "kind", kinds[row->kind]);
		if (row->kind != GANTT_NODE)
			server_put_u64(t->j, "thread",
			               row->kind == GANTT_WORKER ? t->view.tasks.worker[row->of].thread : row->of);
		server_put_double(t->j, "busy", (double)row->task_ns / (double)(g->to - g->from));
		weft_json_end(t->j);
	}
	weft_json_end(t->j);
}

/* Values as whole thousandths of the greatest. */
static int put_curves(struct tasking *t)
{
	struct gantt g = {0};
	set_request(t, CURVE_WIDTH, "curves,nodes", "states");
	int rc = server_task_chart(&t->request, &t->view, t->trace, &g);
	server_put_u64(t->j, "curve_width", CURVE_WIDTH);
	weft_json_key(t->j, "curves");
	weft_json_array(t->j);
	for (size_t k = 0; k < g.curve.n && !rc; k++) {
		const struct gantt_curve *c = &g.curve.at[k];
		weft_json_object(t->j);
		server_put_string(t->j, "label", c->label);
		server_put_string(t->j, "unit", c->unit);
		server_put_colour(t->j, "color", c->colour);
		server_put_double(t->j, "most", c->most);
		weft_json_key(t->j, "row");
		weft_json_i64(t->j, c->row);
		server_put_u64(t->j, "at", t->bytes->n);
		for (unsigned x = 0; x < g.width; x++)
			export_put_number(t->bytes,
			                  c->most > 0 && c->value[x] > 0 ? (uint64_t)(1000 * c->value[x] / c->most + 0.5) : 0);
		weft_json_end(t->j);
	}
	weft_json_end(t->j);
	gantt_fini(&g);
	return rc;
}

static int put_charts(struct tasking *t)
{
	struct gantt states = {0}, codelets = {0};
	weft_json_key(t->j, "charts");
	weft_json_object(t->j);
	int rc = put_chart(t, "states", &states);
	if (!rc)
		rc = put_chart(t, "codelets", &codelets);
	weft_json_end(t->j);
	if (!rc) {
		put_rows(t, &states);
		rc = put_curves(t);
	}
	gantt_fini(&states);
	gantt_fini(&codelets);
	return rc;
}

/* ---- tasks ---- */

static bool is_seen(const struct tasking *t, const struct weft_tasks_task *task)
{
	return task->worker < t->view.tasks.n_workers && task->start < t->how->to && task->end > t->how->from;
}

/* Names are numbered in the order in which they are met. */
struct names {
	struct weft_map place;
	WEFT_VEC(const char *) name;
};

static int name_place(struct names *n, const char *name, uint64_t *place)
{
	if (weft_map_get(&n->place, (uintptr_t)name, place))
		return 0;
	*place = n->name.n;
	return weft_map_put(&n->place, (uintptr_t)name, *place) || weft_vec_push(&n->name, name) ? -ENOMEM : 0;
}

static int pack_list(struct tasking *t, struct names *names, uint64_t *count)
{
	const struct weft_tasks *of = &t->view.tasks;
	uint64_t last = 0, place = 0;
	int rc = 0;
	for (uint32_t i = 0, before = 0; i < of->n && !rc; i++) {
		const struct weft_tasks_task *task = &of->task[i];
		if (!is_seen(t, task))
			continue;
		uint64_t end = task->end == WEFT_NEVER ? t->how->to : task->end;
		int64_t later = (int64_t)(task->start - last);
		rc = name_place(names, weft_tasks_called(of, task), &place);
		export_put_number(t->bytes, i - before);
		export_put_number(t->bytes, task->worker);
		export_put_number(t->bytes, later < 0 ? 2 * (uint64_t)-later - 1 : 2 * (uint64_t)later);
		export_put_number(t->bytes, end - task->start);
		export_put_number(t->bytes, place);
		last = task->start;
		before = i;
		++*count;
	}
	return rc;
}

/* All of them, or none. */
static int put_list(struct tasking *t)
{
	struct names names = {0};
	uint64_t n = 0, count = 0;
	size_t at = t->bytes->n;
	for (uint32_t i = 0; i < t->view.tasks.n; i++)
		n += is_seen(t, &t->view.tasks.task[i]);
	server_put_u64(t->j, "seen", n);
	int rc = n * LIST_BYTES <= t->room / 2 ? pack_list(t, &names, &count) : 0;
	weft_json_key(t->j, "list");
	weft_json_object(t->j);
	server_put_u64(t->j, "at", at);
	server_put_u64(t->j, "n", t->bytes->n - at);
	server_put_u64(t->j, "count", count);
	weft_json_key(t->j, "names");
	weft_json_array(t->j);
	for (size_t i = 0; i < names.name.n; i++)
		weft_json_string(t->j, names.name.at[i]);
	weft_json_end(t->j);
	weft_json_end(t->j);
	free(names.name.at);
	weft_map_fini(&names.place);
	return rc;
}

/* ---- what is known of each ---- */

static void put_cell(struct weft_json *j, const struct weft_cell *c)
{
	if (c->kind == WEFT_CELL_NONE)
		weft_json_null(j);
	else if (c->kind == WEFT_CELL_TEXT)
		weft_json_string(j, c->text);
	else if (c->kind == WEFT_CELL_DOUBLE || c->kind == WEFT_CELL_PERCENT)
		weft_json_double(j, c->f64);
	else if (c->kind == WEFT_CELL_I64)
		weft_json_i64(j, c->i64);
	else
		weft_json_u64(j, c->u64);
}

static void put_field(struct tasking *t, struct weft_json *j, const struct task_field *f)
{
	weft_json_object(j);
	server_put_string(j, "name", f->name);
	server_put_string(j, "title", f->title ? f->title : f->name);
	server_put_string(j, "kind", server_cell_kind(f->cell));
	server_put_string(j, "help", f->help);
	weft_json_key(j, "values");
	weft_json_array(j);
	for (uint32_t i = 0; i < t->view.tasks.n; i++) {
		struct weft_cell c = task_cell(f, &t->view, i);
		put_cell(j, &c);
	}
	weft_json_end(j);
	weft_json_end(j);
}

/* Of each task the tasks that it waited for, and its data: [datum, mode, datum, mode…]. */
static void put_edges(struct tasking *t, struct weft_json *j)
{
	const struct weft_tasks *of = &t->view.tasks;
	weft_json_key(j, "before");
	weft_json_array(j);
	for (uint32_t i = 0; i < of->n; i++) {
		weft_json_array(j);
		for (uint32_t e = 0; e < of->task[i].n_before; e++)
			weft_json_u64(j, of->edge[of->task[i].before + e]);
		weft_json_end(j);
	}
	weft_json_end(j);
	weft_json_key(j, "accesses");
	weft_json_array(j);
	for (uint32_t i = 0; i < of->n && of->has & WEFT_TASKS_HAS_DATA; i++) {
		weft_json_array(j);
		for (uint32_t k = 0; k < of->task[i].n_accesses; k++) {
			weft_json_u64(j, of->access[of->task[i].accesses + k].data);
			weft_json_string(j, weft_tasks_text(of, of->access[of->task[i].accesses + k].mode));
		}
		weft_json_end(j);
	}
	weft_json_end(j);
}

/* [name, handle, bytes, coordinates…] */
static void put_data(struct tasking *t, struct weft_json *j)
{
	const struct weft_tasks *of = &t->view.tasks;
	weft_json_key(j, "data");
	weft_json_array(j);
	for (uint32_t i = 0; i < of->n_data; i++) {
		const struct weft_tasks_data *d = &of->data[i];
		weft_json_array(j);
		weft_json_string(j, weft_tasks_text(of, d->name));
		weft_json_u64(j, d->handle);
		weft_json_u64(j, d->bytes);
		for (uint32_t c = 0; c < d->n_coordinates; c++)
			weft_json_i64(j, of->coordinate[d->coordinates + c]);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void put_details(struct tasking *t, struct weft_json *j)
{
	weft_json_object(j);
	weft_json_key(j, "fields");
	weft_json_array(j);
	for (unsigned k = 0; k < n_task_fields; k++)
		if (task_fields[k].needs != TASK_SPAN && (task_fields[k].needs != TASK_OF_GRAPH || t->view.has_paths))
			put_field(t, j, &task_fields[k]);
	weft_json_end(j);
	put_edges(t, j);
	put_data(t, j);
	weft_json_end(j);
}

/* JSON, if there is room for it. */
static void put_fitting(struct tasking *t, const char *key, const char *at, size_t n)
{
	const uint64_t bytes = n / JSON_PER_BYTE_MOST > t->room ? UINT64_MAX : export_packed(at, n);
	if (bytes > t->room)
		return;
	while (n && at[n - 1] == '\n')
		n--;
	weft_json_key(t->j, key);
	weft_json_text(t->j, at, n);
	t->room -= bytes;
}

static int put_all_details(struct tasking *t)
{
	char *at = NULL;
	size_t n = 0;
	struct weft_json j;
	if (t->view.tasks.n * (uint64_t)DETAIL_LEAST / JSON_PER_BYTE_MOST > t->room)
		return 0;
	FILE *to = open_memstream(&at, &n);
	if (!to)
		return -ENOMEM;
	weft_json_init(&j, to, false);
	put_details(t, &j);
	int rc = ferror(to) | fclose(to) ? -ENOMEM : 0;
	if (!rc)
		put_fitting(t, "details", at, n);
	free(at);
	return rc;
}

/* Keys as the page asks. What a route has no answer for is left out. */
static int put_answers(struct tasking *t)
{
	static const struct {
		const char *key, *path, *arg[2];
	} asked[] = {
		{"task/path", "task/path", {0}},
		{"task/nodes", "task/nodes", {0}},
		{"task/graph?by=auto", "task/graph", {"by", "auto"}},
		{"task/copies", "task/copies", {0}},
		{"task/schedule", "task/schedule", {0}},
		{"task/graph?by=codelet", "task/graph", {"by", "codelet"}},
		{"task/graph?by=iteration", "task/graph", {"by", "iteration"}},
		{"task/graph?by=level", "task/graph", {"by", "level"}},
	};
	int rc = 0;
	weft_json_key(t->j, "answers");
	weft_json_object(t->j);
	for (unsigned i = 0; i < sizeof asked / sizeof *asked && !rc; i++) {
		const char *const args[] = {"from", t->from, "to", t->to, asked[i].arg[0], asked[i].arg[1], NULL};
		struct server_answer a = {0};
		struct weft_err none = {0};
		rc = export_ask(t->how, asked[i].path, args, &a, &none);
		if (!rc)
			put_fitting(t, asked[i].key, a.body.at, a.body.n);
		rc = rc == -ENOMEM || rc == -ECANCELED ? rc : 0;
		weft_buf_fini(&a.body);
	}
	weft_json_end(t->j);
	return rc;
}

int export_tasks_put(struct weft_json *j, const struct server_export_how *how, uint64_t room, struct weft_buf *bytes)
{
	struct tasking *t = calloc(1, sizeof *t);
	if (!t)
		return -ENOMEM;
	*t = (struct tasking){.how = how, .j = j, .room = room, .bytes = bytes};
	size_t at = bytes->n;
	set_request(t, WIDTH, "", "states");
	int rc = server_tasks_get(&t->request, &t->view, &t->trace);
	if (!rc) {
		weft_json_key(j, "tasks");
		weft_json_object(j);
		rc = put_charts(t);
		if (!rc)
			rc = put_list(t);
		uint64_t used = bytes->n > at ? export_packed(bytes->at + at, bytes->n - at) : 0;
		t->room -= used < t->room ? used : t->room;
		if (!rc)
			rc = put_all_details(t);
		if (!rc)
			rc = put_answers(t);
		weft_json_end(j);
	} else if (rc == -ENOENT) {
		rc = 0; /* it has none */
	}
	free(t);
	return rc ? rc : bytes->failed ? -ENOMEM : 0;
}
