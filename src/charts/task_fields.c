/* SPDX-License-Identifier: Apache-2.0 */
/* The table of fields, and what is made of it. Each getter leaves `out` as it is (has: 0) where the trace does not say. */
#include "task_fields.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void field_whole(struct weft_row_value *out, int64_t v)
{
	out->has |= WEFT_ROW_HAS_WHOLE;
	out->whole = out->until = v;
}

static void field_real(struct weft_row_value *out, double v)
{
	out->has |= WEFT_ROW_HAS_REAL;
	out->real = v;
}

static void field_text(struct weft_row_value *out, const char *z, uint32_t id)
{
	if (!z || !*z)
		return;
	out->has |= WEFT_ROW_HAS_TEXT;
	out->text = z;
	out->id = id;
}

static void field_between(struct weft_row_value *out, uint64_t from, uint64_t to)
{
	if (from != WEFT_NEVER && to != WEFT_NEVER)
		field_whole(out, to > from ? (int64_t)(to - from) : 0);
}

#define GET(field, ...) \
	static void get_##field(struct task_view *v, const struct weft_tasks_task *t, uint32_t i, struct weft_row_value *out) \
	{ \
		(void)v, (void)t, (void)i; \
		__VA_ARGS__; \
	}
#define GET_TIME(field) GET(field, if (t->field != WEFT_NEVER) field_whole(out, (int64_t)t->field))
#define GET_STRING(field) GET(field, field_text(out, weft_tasks_text(&v->tasks, t->field), t->field))

GET(job, field_whole(out, (int64_t)t->job))
GET(number, field_whole(out, t->number))
GET(name, field_text(out, weft_tasks_called(&v->tasks, t), UINT32_MAX))
GET(codelet, field_text(out, weft_tasks_codelet(&v->tasks, t), t->region))
GET_STRING(model)
GET(process, field_whole(out, v->tasks.trace->process[t->process].pid);
    field_text(out, v->tasks.trace->process[t->process].name, t->process))
GET_TIME(submit)
GET_TIME(ready)
GET_TIME(push)
GET_TIME(pop)
GET_TIME(start)
GET_TIME(end)
GET(duration, field_between(out, t->start, t->end))
GET(wait, field_between(out, t->ready != WEFT_NEVER ? t->ready : t->submit, t->start))
GET(blocked, field_between(out, t->submit, t->ready))
GET(
	time, if (t->start != WEFT_NEVER) {
		field_whole(out, (int64_t)t->start);
		out->until = t->end != WEFT_NEVER ? (int64_t)t->end : INT64_MAX;
	})
GET(iteration, if (t->iteration != WEFT_TASKS_NO_ITERATION) field_whole(out, t->iteration))
GET(sub_iteration, if (t->sub_iteration != WEFT_TASKS_NO_ITERATION) field_whole(out, t->sub_iteration))
GET(priority, field_whole(out, t->priority))
GET(tag, if (t->has_tag) field_whole(out, (int64_t)t->tag))
GET(size, if (t->bytes || t->n_accesses) field_whole(out, (int64_t)t->bytes))
GET(flops, if (t->flops >= 0) field_real(out, t->flops))
GET(gflops, if (t->flops >= 0 && t->start != WEFT_NEVER && t->end != WEFT_NEVER && t->end > t->start)
                    field_real(out, t->flops / (double)(t->end - t->start)))
GET(submit_order, field_whole(out, t->order))
GET_STRING(parameters)
GET_STRING(file)
GET(line, if (t->line) field_whole(out, t->line))
GET(context, field_whole(out, t->context))
GET(data, field_whole(out, t->n_accesses))
GET(depends, field_whole(out, t->n_before))
GET(level, if (v->has_paths) field_whole(out, v->paths.level[i]))
GET(earliest, if (v->has_paths) field_whole(out, (int64_t)v->paths.earliest[i]))
GET(slack, if (v->has_paths) field_whole(out, (int64_t)v->paths.slack[i]))

static void get_worker(struct task_view *v, const struct weft_tasks_task *t, uint32_t i, struct weft_row_value *out)
{
	(void)i;
	if (t->worker >= v->tasks.n_workers)
		return;
	const struct weft_tasks_worker *w = &v->tasks.worker[t->worker];
	field_whole(out, w->number);
	field_text(out, w->name, t->worker);
}

/* "CPU", "OpenCL": what stands before the number. */
static void get_resource(struct task_view *v, const struct weft_tasks_task *t, uint32_t i, struct weft_row_value *out)
{
	(void)i;
	if (t->worker >= v->tasks.n_workers)
		return;
	const char *name = v->tasks.worker[t->worker].name;
	snprintf(v->text, sizeof v->text, "%.*s", (int)strcspn(name, " 0123456789"), name);
	field_text(out, v->text, t->worker);
}

static void get_submitter(struct task_view *v, const struct weft_tasks_task *t, uint32_t i, struct weft_row_value *out)
{
	(void)i;
	if (t->submitter < v->tasks.trace->n_threads)
		field_text(out, weft_thread_label(v->tasks.trace, t->submitter, v->text), t->submitter);
}

static void get_hex(struct task_view *v, bool there, const char *form, uint32_t number, struct weft_row_value *out)
{
	if (!there)
		return;
	snprintf(v->text, sizeof v->text, form, number);
	field_whole(out, number);
	field_text(out, v->text, UINT32_MAX);
}

GET(footprint, get_hex(v, t->has_footprint, "%08x", t->footprint, out))
GET(color, get_hex(v, t->has_color, "#%06x", t->color, out))

static void get_place(struct task_view *v, const struct weft_tasks_task *t, uint32_t i, struct weft_row_value *out)
{
	(void)i;
	const char *file = weft_tasks_text(&v->tasks, t->file), *slash = strrchr(file, '/');
	if (!*file)
		return;
	snprintf(v->text, sizeof v->text, "%s:%u", slash ? slash + 1 : file, t->line);
	field_text(out, v->text, UINT32_MAX);
}

static void get_critical(struct task_view *v, const struct weft_tasks_task *t, uint32_t i, struct weft_row_value *out)
{
	(void)t;
	if (v->has_paths)
		field_whole(out, v->paths.slack[i] == 0);
}

const struct task_field task_fields[] = {
#define FIELD(name, title, cell, kind, needs, has, help) \
	{ \
#name, title, WEFT_CELL_##cell, WEFT_ROW_##kind, needs, has, get_##name, help \
	}
	FIELD(job, NULL, U64, ANY, TASK_PLAIN, 0, "the runtime's number of it, one of its process"),
	FIELD(number, NULL, U64, INTEGER, TASK_PLAIN, 0, "from 1 in the order of submission, in its process"),
	FIELD(name, NULL, TEXT, TEXT, TASK_PLAIN, 0, "of the task, else its model's, else its codelet's"),
	FIELD(codelet, NULL, TEXT, TEXT, TASK_PLAIN, 0, "its name"),
	FIELD(model, NULL, TEXT, TEXT, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "its performance model's"),
	FIELD(worker, NULL, TEXT, ANY, TASK_PLAIN, 0, "name, in filters also the number"),
	FIELD(resource, NULL, TEXT, TEXT, TASK_PLAIN, 0, "the kind of worker: CPU, OpenCL"),
	FIELD(process, NULL, TEXT, ANY, TASK_PLAIN, 0, "name, in filters also the pid"),
	FIELD(submitter, NULL, TEXT, TEXT, TASK_PLAIN, 0, "the thread that submitted it"),
	FIELD(submit, "submitted", NS, TIME, TASK_PLAIN, 0, "when it was submitted"),
	FIELD(ready, NULL, NS, TIME, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "when all that it waited for was done"),
	FIELD(push, NULL, NS, TIME, TASK_PLAIN, WEFT_TASKS_HAS_POLICY, "when it was given to the policy"),
	FIELD(pop, NULL, NS, TIME, TASK_PLAIN, WEFT_TASKS_HAS_POLICY, "when it was taken from the policy"),
	FIELD(start, NULL, NS, TIME, TASK_PLAIN, 0, "when it began"),
	FIELD(end, NULL, NS, TIME, TASK_PLAIN, 0, "when it was done"),
	FIELD(duration, NULL, NS, NS, TASK_PLAIN, 0, "end - start"),
	FIELD(wait, NULL, NS, NS, TASK_PLAIN, 0, "start - ready, or start - submit where ready is not recorded"),
	FIELD(blocked, NULL, NS, NS, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "ready - submit"),
	FIELD(time, NULL, NS, TIME, TASK_SPAN, 0, "in filters: some instant of it lies in the range"),
	FIELD(iteration, NULL, I64, INTEGER, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "as pushed by the program"),
	FIELD(sub_iteration, NULL, I64, INTEGER, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "as pushed within it"),
	FIELD(priority, NULL, I64, INTEGER, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "0 unless said"),
	FIELD(tag, NULL, U64, ANY, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "of the task"),
	FIELD(size, NULL, BYTES, BYTES, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "of all its data"),
	FIELD(flops, NULL, DOUBLE, ANY, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "floating point operations, as said by the program"),
	FIELD(gflops, "GFlop/s", DOUBLE, ANY, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "of them in a second, in 10^9"),
	FIELD(footprint, NULL, TEXT, ANY, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "of its data, in hexadecimal"),
	FIELD(submit_order, NULL, U64, INTEGER, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "among its submitter's"),
	FIELD(parameters, NULL, TEXT, TEXT, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "its data as their interfaces describe them"),
	FIELD(file, NULL, TEXT, TEXT, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "where it was submitted"),
	FIELD(line, NULL, U64, INTEGER, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "of it"),
	FIELD(place, NULL, TEXT, TEXT, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "both, without the folder"),
	FIELD(color, NULL, TEXT, ANY, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "as said by the program"),
	FIELD(context, NULL, U64, INTEGER, TASK_PLAIN, WEFT_TASKS_HAS_DETAIL, "of scheduling, 0 is the initial one"),
	FIELD(data, NULL, U64, INTEGER, TASK_PLAIN, WEFT_TASKS_HAS_DATA, "how many it accesses"),
	FIELD(depends, NULL, U64, INTEGER, TASK_PLAIN, WEFT_TASKS_HAS_EDGES, "on how many tasks"),
	FIELD(level, NULL, U64, INTEGER, TASK_OF_GRAPH, WEFT_TASKS_HAS_EDGES, "the most tasks before it in a row"),
	FIELD(earliest, NULL, NS, NS, TASK_OF_GRAPH, WEFT_TASKS_HAS_EDGES,
              "begin with as many workers as wanted, from the graph's begin"),
	FIELD(slack, NULL, NS, NS, TASK_OF_GRAPH, WEFT_TASKS_HAS_EDGES,
              "how much later it could end then without the whole ending later"),
	FIELD(critical, NULL, U64, INTEGER, TASK_OF_GRAPH, WEFT_TASKS_HAS_EDGES, "1: it has no slack"),
#undef FIELD
};
const unsigned n_task_fields = sizeof task_fields / sizeof *task_fields;

/* ---- the view ---- */

int task_view_load(struct task_view *v, const struct weft_trace *t, struct weft_err *err)
{
	*v = (struct task_view){0};
	int rc = weft_tasks_load(t, &v->tasks);
	if (!rc && !v->tasks.n)
		return weft_err_set(err, -ENOENT, "'%s' has no tasks: it is not of a program of the task runtime", t->path);
	err->code = rc;
	return rc;
}

int task_view_paths(struct task_view *v, struct weft_err *err)
{
	const struct weft_tasks *t = &v->tasks;
	uint32_t cycle = 0;
	if (v->has_paths)
		return 0;
	v->first = malloc(((size_t)t->n + 1) * sizeof *v->first);
	v->duration = malloc(((size_t)t->n + 1) * sizeof *v->duration);
	uint32_t *before = malloc(((size_t)t->n_edges + 1) * sizeof *before);
	int rc = v->first && v->duration && before ? 0 : -ENOMEM;
	uint64_t n = 0;
	for (uint32_t i = 0; !rc && i < t->n; i++) {
		const struct weft_tasks_task *task = &t->task[i];
		v->first[i] = n;
		v->duration[i] = task->end != WEFT_NEVER && task->start < task->end ? task->end - task->start : 0;
		for (uint32_t e = 0; e < task->n_before; e++)
			before[n++] = t->edge[task->before + e];
	}
	if (!rc) {
		v->first[t->n] = n;
		rc = weft_graph_paths(&(struct weft_graph){t->n, v->first, before, v->duration}, &v->paths, &cycle);
	}
	v->before = before;
	v->has_paths = !rc;
	if (rc == -ELOOP)
		return weft_err_set(err, rc, "'%s': task %" PRIu64 " waits for itself", t->trace->path, t->task[cycle].job);
	err->code = rc;
	return rc;
}

void task_view_fini(struct task_view *v)
{
	weft_tasks_free(&v->tasks);
	weft_graph_paths_fini(&v->paths);
	free(v->first);
	free(v->before);
	free(v->duration);
}

/* ---- fields by name ---- */

const struct task_field *task_field_find(struct weft_str name)
{
	for (unsigned i = 0; i < n_task_fields; i++)
		if (weft_str_eq(name, task_fields[i].name))
			return &task_fields[i];
	return NULL;
}

struct weft_row_value task_value(const struct task_field *f, struct task_view *v, uint32_t task)
{
	struct weft_row_value out = {0};
	f->get(v, &v->tasks.task[task], task, &out);
	return out;
}

struct weft_cell task_cell(const struct task_field *f, struct task_view *v, uint32_t task)
{
	struct weft_row_value value = task_value(f, v, task);
	struct weft_cell c = {.kind = f->cell};
	if (!value.has || (f->cell == WEFT_CELL_TEXT && !(value.has & WEFT_ROW_HAS_TEXT)))
		c.kind = WEFT_CELL_NONE;
	else if (f->cell == WEFT_CELL_TEXT)
		c.text = value.text;
	else if (f->cell == WEFT_CELL_DOUBLE)
		c.f64 = value.real;
	else
		c.i64 = value.whole;
	return c;
}

int task_compare(const struct task_field *f, struct task_view *v, uint32_t a, uint32_t b)
{
	char kept[sizeof v->text];
	struct weft_row_value x = task_value(f, v, a);
	if (x.text == v->text)
		x.text = strcpy(kept, v->text);
	struct weft_row_value y = task_value(f, v, b);
	if (!x.has || !y.has)
		return !x.has - !y.has;
	if (x.has & WEFT_ROW_HAS_WHOLE)
		return x.whole < y.whole ? -1 : x.whole > y.whole;
	if (x.has & WEFT_ROW_HAS_REAL)
		return x.real < y.real ? -1 : x.real > y.real;
	return strcmp(x.text, y.text);
}

/* ---- filters ---- */

int task_filter(const char *text_of, const struct task_view *v, struct weft_filter **f, bool *graph, struct weft_err *err)
{
	struct weft_row_field field[64];
	const struct weft_trace *t = v->tasks.trace;
	*f = NULL;
	*graph = false;
	if (!text_of)
		return 0;
	for (unsigned i = 0; i < n_task_fields; i++) {
		task_get *get = task_fields[i].get;
		uint32_t ids = get == get_codelet                         ? t->def[WEFT_CLASS_REGION].n
		               : get == get_worker || get == get_resource ? v->tasks.n_workers
		                                                          : 0;
		if (get == get_model || get == get_file || get == get_parameters)
			ids = t->def[WEFT_CLASS_STRING].n;
		field[i] = (struct weft_row_field){task_fields[i].name, task_fields[i].kind, ids};
	}
	int rc = weft_row_filter_new(f, text_of, field, n_task_fields, t->end, err);
	if (rc)
		return rc;
	for (unsigned i = 0; i < n_task_fields; i++)
		*graph = *graph || (task_fields[i].needs == TASK_OF_GRAPH && weft_row_filter_uses(*f, i));
	return 0;
}

static struct weft_row_value row_value(const void *at, unsigned field)
{
	const struct task_row *row = at;
	return task_value(&task_fields[field], row->view, row->task);
}

bool task_passes(struct weft_filter *f, struct task_view *v, uint32_t task)
{
	return !f || weft_row_filter_passes(f, row_value, &(struct task_row){v, task});
}
