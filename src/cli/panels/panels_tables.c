/* SPDX-License-Identifier: Apache-2.0 */
/* What panels show, as tables. */
#include "panels.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct weft_cell cell_text(const char *text)
{
	return (struct weft_cell){WEFT_CELL_TEXT, {.text = text}};
}

static struct weft_cell cell_u64(enum weft_cell_kind kind, uint64_t v)
{
	return (struct weft_cell){v == WEFT_NEVER ? WEFT_CELL_NONE : kind, {.u64 = v}};
}

static struct weft_cell cell_double(enum weft_cell_kind kind, double v)
{
	return (struct weft_cell){kind, {.f64 = v}};
}

/* ---- bounds ---- */

static int bounds(const struct panels *p, struct weft_table *t)
{
	const uint64_t took = p->last - p->first, bound = p->has_path && p->path > p->area ? p->path : p->area;
	const struct {
		const char *what, *meaning;
		uint64_t ns;
	} row[] = {
		{"time taken", "from the first submission to the last task's end", took},
		{"area bound (ABE)", "all workers busy to the end, tasks shared out as is best", p->area},
		{"critical path bound (CPB)", "as many workers as wanted, each task where it is fast",
	         p->has_path ? p->path : WEFT_NEVER},
		{"bound", "the greater of both", bound},
	};
	int rc = 0;
	for (unsigned k = 0; k < sizeof row / sizeof *row && !rc; k++) {
		const struct weft_cell cell[] = {cell_text(row[k].what), cell_u64(WEFT_CELL_NS, row[k].ns),
		                                 row[k].ns == WEFT_NEVER
		                                         ? (struct weft_cell){.kind = WEFT_CELL_NONE}
		                                         : cell_double(WEFT_CELL_PERCENT,
		                                                       took ? 100 * (double)row[k].ns / (double)took : 0),
		                                 cell_text(row[k].meaning)};
		rc = weft_table_row(t, cell);
	}
	return rc;
}

/* ---- workers ---- */

static int workers(const struct panels *p, struct weft_table *t)
{
	const struct weft_tasks *tasks = &p->view.tasks;
	uint64_t *n = calloc((size_t)tasks->n_workers + 1, sizeof *n);
	int rc = n ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < tasks->n && !rc; i++)
		if (panels_done(p, i) && tasks->task[i].start < p->g.to && tasks->task[i].end > p->g.from)
			n[tasks->task[i].worker]++;
	for (size_t r = p->g.first_worker; r < p->g.row.n && !rc; r++) {
		const struct gantt_row *row = &p->g.row.at[r];
		if (row->kind != GANTT_WORKER)
			continue;
		const struct weft_cell cell[] = {cell_text(row->label), cell_text(p->kind[p->kind_of[row->of]]),
		                                 cell_u64(WEFT_CELL_U64, n[row->of]), cell_u64(WEFT_CELL_NS, row->task_ns),
		                                 cell_double(WEFT_CELL_PERCENT, panels_idle(p, row))};
		rc = weft_table_row(t, cell);
	}
	free(n);
	return rc;
}

/* ---- tasks ---- */

static int codelets(const struct panels *p, struct weft_table *t)
{
	int rc = 0;
	for (size_t k = 0; k < p->codelet.n && !rc; k++) {
		const struct panels_codelet *c = &p->codelet.at[k];
		const struct weft_cell cell[] = {cell_text(c->name),
		                                 cell_text(p->kind[c->kind]),
		                                 cell_u64(WEFT_CELL_U64, c->n),
		                                 cell_u64(WEFT_CELL_NS, c->total),
		                                 cell_u64(WEFT_CELL_NS, c->total / c->n),
		                                 cell_u64(WEFT_CELL_NS, c->least),
		                                 cell_u64(WEFT_CELL_NS, c->most),
		                                 cell_u64(WEFT_CELL_U64, c->outliers)};
		rc = weft_table_row(t, cell);
	}
	return rc;
}

static int iterations(const struct panels *p, struct weft_table *t)
{
	int rc = 0;
	for (size_t k = 0; k < p->iteration.n && !rc; k++) {
		const struct panels_iteration *i = &p->iteration.at[k];
		const bool ran = i->start != WEFT_NEVER;
		const struct weft_cell cell[] = {{WEFT_CELL_I64, {.i64 = i->value}},
		                                 cell_u64(WEFT_CELL_U64, i->n),
		                                 cell_u64(WEFT_CELL_NS, i->submit),
		                                 cell_u64(WEFT_CELL_NS, i->start),
		                                 cell_u64(WEFT_CELL_NS, ran ? i->end : WEFT_NEVER),
		                                 cell_u64(WEFT_CELL_NS, ran ? i->end - i->start : WEFT_NEVER),
		                                 cell_u64(WEFT_CELL_NS, i->work)};
		rc = weft_table_row(t, cell);
	}
	return rc;
}

static int outliers(const struct panels *p, struct weft_table *t)
{
	int rc = 0;
	for (size_t k = 0; k < p->outlier.n && !rc; k++) {
		const struct panels_outlier *o = &p->outlier.at[k];
		const struct weft_tasks_task *task = &p->view.tasks.task[o->task];
		const struct panels_type *type = &p->type.at[p->type_of[o->task]];
		const struct weft_cell cell[] = {cell_u64(WEFT_CELL_U64, task->number),
		                                 cell_text(type->name),
		                                 cell_u64(WEFT_CELL_U64, type->has_footprint ? type->footprint : WEFT_NEVER),
		                                 cell_text(p->view.tasks.worker[task->worker].name),
		                                 cell_u64(WEFT_CELL_NS, task->start),
		                                 cell_u64(WEFT_CELL_NS, task->end - task->start),
		                                 cell_u64(WEFT_CELL_NS, (uint64_t)(o->expected + 0.5)),
		                                 cell_u64(WEFT_CELL_NS, (uint64_t)(o->limit + 0.5))};
		rc = weft_table_row(t, cell);
	}
	return rc;
}

static int chain(const struct panels *p, struct weft_table *t)
{
	uint64_t before = p->first;
	int rc = 0;
	for (size_t k = 0; k < p->chain.n && !rc; k++) {
		const struct weft_tasks_task *task = &p->view.tasks.task[p->chain.at[k]];
		const struct weft_cell cell[] = {cell_u64(WEFT_CELL_U64, task->number),
		                                 cell_text(weft_tasks_called(&p->view.tasks, task)),
		                                 cell_text(p->view.tasks.worker[task->worker].name),
		                                 cell_u64(WEFT_CELL_NS, task->start),
		                                 cell_u64(WEFT_CELL_NS, task->end),
		                                 cell_u64(WEFT_CELL_NS, task->end - task->start),
		                                 cell_u64(WEFT_CELL_NS, task->start > before ? task->start - before : 0)};
		rc = weft_table_row(t, cell);
		before = task->end;
	}
	return rc;
}

/* ---- over time ---- */

/* A row for each part of the range and each curve that is not 0 there all the time. */
static int curves(const struct panels *p, struct weft_table *t)
{
	int rc = 0;
	for (unsigned x = 0; x < p->g.width && !rc; x++) {
		uint64_t at = p->g.from + (uint64_t)((unsigned __int128)(p->g.to - p->g.from) * x / p->g.width);
		for (size_t k = 0; k < p->g.curve.n && !rc; k++) {
			const struct gantt_curve *c = &p->g.curve.at[k];
			if (c->of == GANTT_BANDWIDTH || c->of == GANTT_WORKER_FLOPS)
				continue;
			const struct weft_cell cell[] = {cell_u64(WEFT_CELL_NS, at),
			                                 cell_text(c->of == GANTT_FLOPS ? "gflops" : c->label),
			                                 cell_double(WEFT_CELL_DOUBLE, c->value[x]), cell_text(c->unit)};
			rc = weft_table_row(t, cell);
		}
		for (size_t k = 0; k < p->link.n && !rc; k++) {
			const struct weft_cell cell[] = {cell_u64(WEFT_CELL_NS, at), cell_text(p->link.at[k].label),
			                                 cell_double(WEFT_CELL_DOUBLE, p->link.at[k].value[x]),
			                                 cell_text("MB/s")};
			rc = weft_table_row(t, cell);
		}
	}
	return rc;
}

static int links(const struct panels *p, struct weft_table *t)
{
	int rc = 0;
	for (size_t k = 0; k < p->link.n && !rc; k++) {
		const struct panels_curve *l = &p->link.at[k];
		const struct weft_cell cell[] = {cell_text(l->label), cell_u64(WEFT_CELL_U64, l->copies),
		                                 cell_u64(WEFT_CELL_BYTES, l->bytes), cell_u64(WEFT_CELL_NS, l->ns),
		                                 l->ns ? cell_double(WEFT_CELL_DOUBLE, (double)l->bytes * 1e3 / (double)l->ns)
		                                       : (struct weft_cell){.kind = WEFT_CELL_NONE}};
		rc = weft_table_row(t, cell);
	}
	return rc;
}

/* ---- all of them ---- */

enum { COLUMNS = 8, TABLES = 8 };
const char *const panels_tables[TABLES] = {"bounds", "workers", "codelets", "iterations", "outliers", "chain", "curves", "links"};
const unsigned n_panels_tables = TABLES;

static const struct {
	int (*fill)(const struct panels *p, struct weft_table *t);
	struct weft_column column[COLUMNS + 1]; /* ends with a NULL */
} tables[TABLES] = {
	{bounds,
         {{"what", "", WEFT_CELL_TEXT},
          {"ns", "time", WEFT_CELL_NS},
          {"percent", "of the time taken", WEFT_CELL_PERCENT},
          {"meaning", "meaning", WEFT_CELL_TEXT}}},
	{workers,
         {{"worker", "worker", WEFT_CELL_TEXT},
          {"kind", "kind", WEFT_CELL_TEXT},
          {"tasks", "tasks", WEFT_CELL_U64},
          {"tasks_ns", "in tasks", WEFT_CELL_NS},
          {"idle_percent", "idle", WEFT_CELL_PERCENT}}},
	{codelets,
         {{"codelet", "codelet", WEFT_CELL_TEXT},
          {"kind", "workers", WEFT_CELL_TEXT},
          {"tasks", "tasks", WEFT_CELL_U64},
          {"total_ns", "total", WEFT_CELL_NS},
          {"mean_ns", "mean", WEFT_CELL_NS},
          {"least_ns", "least", WEFT_CELL_NS},
          {"most_ns", "most", WEFT_CELL_NS},
          {"outliers", "outliers", WEFT_CELL_U64}}},
	{iterations,
         {{"iteration", "iteration", WEFT_CELL_I64},
          {"tasks", "tasks", WEFT_CELL_U64},
          {"submit_ns", "submitted", WEFT_CELL_NS},
          {"start_ns", "start", WEFT_CELL_NS},
          {"end_ns", "end", WEFT_CELL_NS},
          {"lasts_ns", "lasts", WEFT_CELL_NS},
          {"tasks_ns", "in tasks", WEFT_CELL_NS}}},
	{outliers,
         {{"task", "task", WEFT_CELL_U64},
          {"model", "model", WEFT_CELL_TEXT},
          {"footprint", "footprint", WEFT_CELL_U64},
          {"worker", "worker", WEFT_CELL_TEXT},
          {"start_ns", "start", WEFT_CELL_NS},
          {"duration_ns", "took", WEFT_CELL_NS},
          {"expected_ns", "its like", WEFT_CELL_NS},
          {"limit_ns", "limit", WEFT_CELL_NS}}},
	{chain,
         {{"task", "task", WEFT_CELL_U64},
          {"name", "name", WEFT_CELL_TEXT},
          {"worker", "worker", WEFT_CELL_TEXT},
          {"start_ns", "start", WEFT_CELL_NS},
          {"end_ns", "end", WEFT_CELL_NS},
          {"duration_ns", "took", WEFT_CELL_NS},
          {"late_ns", "late", WEFT_CELL_NS}}},
	{curves,
         {{"from_ns", "from", WEFT_CELL_NS},
          {"curve", "curve", WEFT_CELL_TEXT},
          {"value", "value", WEFT_CELL_DOUBLE},
          {"unit", "unit", WEFT_CELL_TEXT}}},
	{links,
         {{"link", "nodes", WEFT_CELL_TEXT},
          {"copies", "copies", WEFT_CELL_U64},
          {"bytes", "bytes", WEFT_CELL_BYTES},
          {"copying_ns", "copying", WEFT_CELL_NS},
          {"mbs", "MB/s", WEFT_CELL_DOUBLE}}},
};

int panels_table(const struct panels *p, unsigned table, struct weft_table *out)
{
	unsigned n = 0;
	while (n < COLUMNS && tables[table].column[n].key)
		n++;
	weft_table_init(out, tables[table].column, n);
	return tables[table].fill(p, out);
}
