/* SPDX-License-Identifier: Apache-2.0 */
/* task/task: all that is known of one task; task/path: the critical path, and how late each of its tasks began. */
#include "server/core/server_tasks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS_MOST = 200, PATH_MOST = 5000 };

static void put_cell(struct weft_json *j, const struct weft_cell *c)
{
	switch (c->kind) {
	case WEFT_CELL_TEXT:
		weft_json_string(j, c->text);
		break;
	case WEFT_CELL_DOUBLE:
	case WEFT_CELL_PERCENT:
		weft_json_double(j, c->f64);
		break;
	case WEFT_CELL_NONE:
		weft_json_null(j);
		break;
	case WEFT_CELL_I64:
		weft_json_i64(j, c->i64);
		break;
	default:
		weft_json_u64(j, c->u64);
	}
}

/* Of what kind a field is, for whoever prints it. */
static const char *const cell_kinds[] = {
	[WEFT_CELL_TEXT] = "text", [WEFT_CELL_U64] = "number",  [WEFT_CELL_I64] = "number",      [WEFT_CELL_DOUBLE] = "number",
	[WEFT_CELL_NS] = "ns",     [WEFT_CELL_BYTES] = "bytes", [WEFT_CELL_PERCENT] = "percent", [WEFT_CELL_NONE] = "text",
};

const char *server_cell_kind(enum weft_cell_kind kind)
{
	return cell_kinds[kind];
}

static void put_fields(struct weft_json *j, struct task_view *v, uint32_t task)
{
	weft_json_key(j, "fields");
	weft_json_array(j);
	for (unsigned k = 0; k < n_task_fields; k++) {
		const struct task_field *f = &task_fields[k];
		if (f->needs == TASK_SPAN || (f->needs == TASK_OF_GRAPH && !v->has_paths))
			continue;
		struct weft_cell c = task_cell(f, v, task);
		if (c.kind == WEFT_CELL_NONE)
			continue;
		weft_json_object(j);
		server_put_string(j, "name", f->name);
		server_put_string(j, "title", f->title ? f->title : f->name);
		server_put_string(j, "kind", cell_kinds[f->cell]);
		server_put_string(j, "help", f->help);
		weft_json_key(j, "value");
		put_cell(j, &c);
		weft_json_end(j);
	}
	weft_json_end(j);
}

/* [task, name, start, end, slack] */
static void put_brief(struct weft_json *j, const struct task_view *v, uint32_t i)
{
	const struct weft_tasks_task *t = &v->tasks.task[i];
	weft_json_array(j);
	weft_json_u64(j, i);
	weft_json_string(j, weft_tasks_called(&v->tasks, t));
	weft_json_i64(j, t->start == WEFT_NEVER ? -1 : (int64_t)t->start);
	weft_json_i64(j, t->end == WEFT_NEVER ? -1 : (int64_t)t->end);
	weft_json_i64(j, v->has_paths ? (int64_t)v->paths.slack[i] : -1);
	weft_json_end(j);
}

static void put_neighbours(struct weft_json *j, const struct task_view *v, uint32_t task)
{
	const struct weft_tasks *t = &v->tasks;
	const struct weft_tasks_task *of = &t->task[task];
	uint32_t n = 0;
	weft_json_key(j, "before");
	weft_json_array(j);
	for (uint32_t e = 0; e < of->n_before && e < NEIGHBOURS_MOST; e++)
		put_brief(j, v, t->edge[of->before + e]);
	weft_json_end(j);
	weft_json_key(j, "after");
	weft_json_array(j);
	for (uint32_t i = 0; i < t->n && n < NEIGHBOURS_MOST; i++)
		for (uint32_t e = 0; e < t->task[i].n_before; e++)
			if (t->edge[t->task[i].before + e] == task) {
				put_brief(j, v, i);
				n++;
				break;
			}
	weft_json_end(j);
}

static void put_data(struct weft_json *j, const struct weft_tasks *t, const struct weft_tasks_task *task)
{
	weft_json_key(j, "data");
	weft_json_array(j);
	for (uint32_t k = 0; k < task->n_accesses && t->has & WEFT_TASKS_HAS_DATA; k++) {
		const struct weft_tasks_access *x = &t->access[task->accesses + k];
		const struct weft_tasks_data *d = x->data < t->n_data ? &t->data[x->data] : NULL;
		weft_json_object(j);
		server_put_string(j, "mode", weft_tasks_text(t, x->mode));
		server_put_string(j, "name", d ? weft_tasks_text(t, d->name) : "");
		server_put_u64(j, "handle", d ? d->handle : 0);
		server_put_u64(j, "bytes", d ? d->bytes : 0);
		weft_json_key(j, "at");
		weft_json_array(j);
		for (uint32_t c = 0; d && c < d->n_coordinates; c++)
			weft_json_i64(j, t->coordinate[d->coordinates + c]);
		weft_json_end(j);
		weft_json_end(j);
	}
	weft_json_end(j);
}

static void put_place(struct weft_json *j, const struct weft_tasks *t, const struct weft_tasks_task *task)
{
	const char *editor = getenv("VISUAL") ? getenv("VISUAL") : getenv("EDITOR");
	struct graph_how how = {.editor = graph_editor_of(editor), .source = "."};
	struct weft_buf path = {0}, link = {0};
	if (!task->file)
		return;
	graph_path(&path, &how, weft_tasks_text(t, task->file));
	graph_link(&link, &how, weft_tasks_text(t, task->file), task->line);
	server_put_string(j, "path", path.failed || !path.at ? "" : path.at);
	server_put_string(j, "link", link.failed || !link.at ? "" : link.at);
	weft_buf_fini(&path);
	weft_buf_fini(&link);
}

int server_task_one(const struct server_request *r, struct server_answer *a)
{
	struct task_view v;
	struct server_trace *trace;
	struct server_json j;
	uint64_t i = 0;
	int rc = server_tasks_get(r, &v, &trace);
	if (!rc)
		rc = server_arg_u64(r, "task", 0, v.tasks.n - 1, 0, &i);
	if (rc)
		return rc;
	const struct weft_tasks_task *t = &v.tasks.task[i];
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	server_put_u64(w, "task", i);
	server_put_string(w, "name", weft_tasks_called(&v.tasks, t));
	if (t->worker < v.tasks.n_workers)
		server_put_u64(w, "thread", v.tasks.worker[t->worker].thread);
	put_fields(w, &v, (uint32_t)i);
	put_neighbours(w, &v, (uint32_t)i);
	put_data(w, &v.tasks, t);
	put_place(w, &v.tasks, t);
	weft_json_end(w);
	return server_json_end(&j, a);
}

/* ---- the critical path ---- */

int server_task_path(const struct server_request *r, struct server_answer *a)
{
	struct task_view v;
	struct server_trace *trace;
	struct server_json j;
	int rc = server_tasks_get(r, &v, &trace);
	if (rc)
		return rc;
	if (!v.has_paths)
		return weft_err_set(r->err, -ENOENT,
		                    "the trace has no dependencies (weft record --on starpu_detail records them)");
	const struct weft_graph_paths *p = &v.paths;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	server_put_u64(w, "tasks", v.tasks.n);
	server_put_u64(w, "dependencies", v.first[v.tasks.n]);
	server_put_u64(w, "levels", p->depth);
	server_put_u64(w, "widest", p->widest);
	server_put_u64(w, "work_ns", p->work);
	server_put_u64(w, "critical_ns", p->length);
	server_put_u64(w, "n_path", p->n_path);
	weft_json_key(w, "path"); /* as put_brief */
	weft_json_array(w);
	for (uint32_t k = 0; k < p->n_path && k < PATH_MOST; k++)
		put_brief(w, &v, p->path[k]);
	weft_json_end(w);
	weft_json_end(w);
	return server_json_end(&j, a);
}
