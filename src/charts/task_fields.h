/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be asked of a task: a row of a table for each field, which gives columns, sorting, grouping, the filter's fields and the words that
 * completion offers.
 */
#ifndef WEFT_CHARTS_TASK_FIELDS_H
#define WEFT_CHARTS_TASK_FIELDS_H

#include "base/table.h"
#include "graph/graph.h"
#include "tasks/task_table.h"
#include "trace/filter/filter_rows.h"

struct task_view {
	struct weft_tasks tasks;
	/* Only where something asks for the graph: its paths, and the columns that they were computed from (owned). */
	struct weft_graph_paths paths;
	uint64_t *first, *duration;
	uint32_t *before;
	bool has_paths;
	char text[128]; /* of the value that was asked for last */
};
/* 0, or negative with err->code set. The view stays where it is: rows point to it. -ENOENT: the trace has no tasks. */
int task_view_load(struct task_view *v, const struct weft_trace *t, struct weft_err *err) WEFT_MUST_CHECK;
int task_view_paths(struct task_view *v, struct weft_err *err) WEFT_MUST_CHECK;
void task_view_fini(struct task_view *v);

struct task_row { /* what a getter gets */
	struct task_view *view;
	uint32_t task;
};

typedef void task_get(struct task_view *v, const struct weft_tasks_task *t, uint32_t i, struct weft_row_value *out);
struct task_field {
	const char *name, *title; /* key of JSON, heading; title NULL: the name */
	enum weft_cell_kind cell;
	enum weft_row_kind kind;
	enum { TASK_PLAIN, TASK_OF_GRAPH, TASK_SPAN } needs; /* TASK_SPAN: for filters only */
	unsigned has;                                        /* of weft_tasks: what must be recorded for it to be there */
	task_get *get;
	const char *help;
};
extern const struct task_field task_fields[];
extern const unsigned n_task_fields;

const struct task_field *task_field_find(struct weft_str name);
struct weft_row_value task_value(const struct task_field *f, struct task_view *v, uint32_t task);
struct weft_cell task_cell(const struct task_field *f, struct task_view *v, uint32_t task);
/* Less than 0, 0, more: of two tasks by this field; what is not there comes last. */
int task_compare(const struct task_field *f, struct task_view *v, uint32_t a, uint32_t b);

/* The filter over tasks, or NULL in *f where `text` is NULL. `graph`: it asks for something that needs the paths. */
int task_filter(const char *text, const struct task_view *v, struct weft_filter **f, bool *graph,
                struct weft_err *err) WEFT_MUST_CHECK;
bool task_passes(struct weft_filter *f, struct task_view *v, uint32_t task);

#endif
