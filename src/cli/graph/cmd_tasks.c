/* SPDX-License-Identifier: Apache-2.0 */
/* `weft tasks`: the tasks of a trace as a table, or groups of them. task_fields.c knows the fields, task_groups.c sums. */
#include "task_list.h"
#include "task_groups.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MOST = 64, ROWS_AT_ONCE = 4096, ROWS_FOR_PEOPLE = 50 };
#define UNSAID UINT64_MAX

struct args {
	struct cli_common common;
	const char *columns, *by, *sort;
	uint64_t top;
	bool reverse, fields;
};

static const struct weft_opt options[] = {
	{'c', "columns", "FIELDS", WEFT_OPT_STRING, offsetof(struct args, columns),
         "which fields to print, with commas between (see --fields)"},
	{'b', "by", "FIELDS", WEFT_OPT_STRING, offsetof(struct args, by),
         "one row for all tasks that are equal in these fields: how many, how long"},
	{'s', "sort", "FIELD", WEFT_OPT_STRING, offsetof(struct args, sort),
         "order by this field, numbers from the greatest on (default: as submitted; with --by: total)"},
	{'r', "reverse", NULL, WEFT_OPT_FLAG, offsetof(struct args, reverse), "the other way round"},
	{'n', "top", "N", WEFT_OPT_U64, offsetof(struct args, top),
         "print the first N rows only (default: 50 where people read it, else all)"},
	{0, "fields", NULL, WEFT_OPT_FLAG, offsetof(struct args, fields), "print the fields, and whether this trace has them"},
	{'f', "filter", "FILTER", WEFT_OPT_STRING, offsetof(struct args, common.filter),
         "only tasks that FILTER matches: a filter over these fields"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

struct work {
	const struct args *args;
	struct task_view view;
	struct weft_filter *filter;
	const struct task_field *column[COLUMNS_MOST], *key[TASK_KEYS_MOST], *sort;
	const struct task_sum *sum_sort;
	unsigned n_columns, n_keys;
	bool graph;
};

static bool for_people(const struct args *a)
{
	return cli_form(&a->common) == WEFT_TABLE_TEXT;
}

static uint64_t rows_shown(const struct args *a, uint64_t n)
{
	uint64_t most = a->top != UNSAID ? a->top : for_people(a) ? ROWS_FOR_PEOPLE : 0;
	return most && most < n ? most : n;
}

static int say_rest(const struct work *w, uint64_t shown, uint64_t n, const char *what)
{
	if (for_people(w->args) && shown < n)
		printf("\n%" PRIu64 " of %" PRIu64 " %s are shown ('-n 0': all).\n", shown, n, what);
	return CLI_OK;
}

/* ---- tasks ---- */

static int compare_tasks(const void *a, const void *b, void *arg)
{
	const struct work *w = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	struct task_view *v = (struct task_view *)&w->view;
	int c = task_compare(w->sort, v, x, y);
	bool there = task_value(w->sort, v, x).has && task_value(w->sort, v, y).has;
	if (c && there && (w->sort->cell != WEFT_CELL_TEXT) != w->args->reverse)
		c = -c;
	return c ? c : x < y ? -1 : x > y;
}

static int find_tasks(struct work *w, uint32_t **at, uint64_t *n)
{
	*n = 0;
	*at = malloc(((size_t)w->view.tasks.n + 1) * sizeof **at);
	for (uint32_t i = 0; *at && i < w->view.tasks.n; i++)
		if (task_passes(w->filter, &w->view, i))
			(*at)[(*n)++] = i;
	if (*at && w->sort)
		qsort_r(*at, *n, sizeof **at, compare_tasks, w);
	for (uint64_t i = 0; *at && !w->sort && w->args->reverse && i < *n / 2; i++) {
		uint32_t kept = (*at)[i];
		(*at)[i] = (*at)[*n - 1 - i];
		(*at)[*n - 1 - i] = kept;
	}
	return *at ? 0 : -ENOMEM;
}

/* A column's cells keep their texts until the row is in the table. */
static int add_task(struct weft_table *t, struct work *w, uint32_t task)
{
	struct weft_cell cell[COLUMNS_MOST];
	char kept[COLUMNS_MOST][sizeof w->view.text];
	for (unsigned k = 0; k < w->n_columns; k++) {
		cell[k] = task_cell(w->column[k], &w->view, task);
		if (cell[k].kind == WEFT_CELL_TEXT && cell[k].text == w->view.text)
			cell[k].text = strcpy(kept[k], w->view.text);
	}
	return weft_table_row(t, cell);
}

static void field_column(const struct task_field *f, bool people, struct weft_column *out, char key[48])
{
	bool time = f->cell == WEFT_CELL_NS;
	snprintf(key, 48, "%s%s", f->name, time ? "_ns" : f->cell == WEFT_CELL_BYTES ? "_bytes" : "");
	*out = (struct weft_column){key, people && f->title ? f->title : f->name, f->cell};
}

static int print_tasks(struct work *w)
{
	struct weft_column column[COLUMNS_MOST];
	char key[COLUMNS_MOST][48];
	struct weft_table t;
	uint32_t *at;
	uint64_t n;
	enum weft_table_form form = cli_form(&w->args->common);
	int rc = find_tasks(w, &at, &n);
	uint64_t shown = rows_shown(w->args, n);
	for (unsigned k = 0; k < w->n_columns; k++)
		field_column(w->column[k], true, &column[k], key[k]);
	weft_table_init(&t, column, w->n_columns);
	for (uint64_t i = 0; i < shown && !rc; i++) {
		rc = add_task(&t, w, at[i]);
		if (!rc && form != WEFT_TABLE_TEXT && (i + 1) % ROWS_AT_ONCE == 0)
			rc = weft_table_part(&t, form, stdout, false);
	}
	if (!rc)
		rc = weft_table_part(&t, form, stdout, true);
	weft_table_fini(&t);
	free(at);
	if (rc)
		return ferror(stdout) ? CLI_OK : cli_fail_code(rc);
	return say_rest(w, shown, n, "tasks");
}

/* ---- groups ---- */

struct keyed {
	double value;
	uint32_t group;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

static double number_of(const struct weft_cell *c)
{
	bool real = c->kind == WEFT_CELL_DOUBLE || c->kind == WEFT_CELL_PERCENT;
	return c->kind == WEFT_CELL_NONE ? -1 : real ? c->f64 : (double)c->u64;
}

static int add_group(struct weft_table *t, struct work *w, const struct task_groups *g, uint32_t group)
{
	struct weft_cell cell[TASK_KEYS_MOST + COLUMNS_MOST];
	char kept[TASK_KEYS_MOST][sizeof w->view.text];
	for (unsigned k = 0; k < w->n_keys; k++) {
		cell[k] = task_cell(w->key[k], &w->view, g->group[group].first);
		if (cell[k].kind == WEFT_CELL_TEXT && cell[k].text == w->view.text)
			cell[k].text = strcpy(kept[k], w->view.text);
	}
	for (unsigned k = 0; k < n_task_sums; k++)
		cell[w->n_keys + k] = task_sums[k].cell(g, &g->group[group]);
	return weft_table_row(t, cell);
}

static int print_ordered(struct work *w, const struct task_groups *g, struct keyed *order)
{
	struct weft_column column[TASK_KEYS_MOST + COLUMNS_MOST];
	char key[TASK_KEYS_MOST][48];
	struct weft_table t;
	uint64_t shown = rows_shown(w->args, g->n);
	int rc = 0;
	for (uint32_t i = 0; i < g->n; i++) {
		struct weft_cell c = w->sum_sort->cell(g, &g->group[i]);
		order[i] = (struct keyed){w->args->reverse ? -number_of(&c) : number_of(&c), i};
	}
	qsort(order, g->n, sizeof *order, compare_keyed);
	for (unsigned k = 0; k < w->n_keys; k++)
		field_column(w->key[k], true, &column[k], key[k]);
	for (unsigned k = 0; k < n_task_sums; k++)
		column[w->n_keys + k] = task_sums[k].column;
	weft_table_init(&t, column, w->n_keys + n_task_sums);
	for (uint64_t i = 0; i < shown && !rc; i++)
		rc = add_group(&t, w, g, order[i].group);
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	int status = cli_table(&t, &w->args->common);
	return status ? status : say_rest(w, shown, g->n, "groups");
}

static int print_groups(struct work *w)
{
	struct task_groups g;
	int rc = task_groups(&w->view, w->filter, w->key, w->n_keys, &g);
	struct keyed *order = rc ? NULL : malloc(((size_t)g.n + 1) * sizeof *order);
	int status = order ? print_ordered(w, &g, order) : cli_fail_code(-ENOMEM);
	free(order);
	task_groups_fini(&g);
	return status;
}

/* ---- fields ---- */

static int print_fields(const struct work *w)
{
	static const struct weft_column column[] = {{"field", "field", WEFT_CELL_TEXT},
	                                            {"recorded", "recorded", WEFT_CELL_TEXT},
	                                            {"meaning", "meaning", WEFT_CELL_TEXT}};
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, column, 3);
	for (unsigned i = 0; i < n_task_fields && !rc; i++) {
		const struct task_field *f = &task_fields[i];
		bool there = (w->view.tasks.has & f->has) == f->has;
		struct weft_cell cell[3] = {{WEFT_CELL_TEXT, {.text = f->name}},
		                            {WEFT_CELL_TEXT, {.text = there ? "yes" : "no"}},
		                            {WEFT_CELL_TEXT, {.text = f->help}}};
		rc = weft_table_row(&t, cell);
	}
	if (!rc)
		return cli_table(&t, &w->args->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

/* ---- the command ---- */

/* What people see without --columns, and what programs get: all that the trace has. */
static int choose_columns(struct work *w)
{
	static const char people[] = "number,name,worker,submit,start,duration,wait", detail[] = ",depends,place";
	char list[128];
	unsigned has = w->view.tasks.has;
	if (w->args->columns)
		return task_fields_parse(&weft_command_tasks, "--columns", w->args->columns, w->column, &w->n_columns,
		                         COLUMNS_MOST);
	if (for_people(w->args)) {
		bool more = (has & WEFT_TASKS_HAS_DETAIL) && (has & WEFT_TASKS_HAS_EDGES);
		snprintf(list, sizeof list, "%s%s", people, more ? detail : "");
		return task_fields_parse(&weft_command_tasks, "--columns", list, w->column, &w->n_columns, COLUMNS_MOST);
	}
	for (unsigned i = 0; i < n_task_fields; i++)
		if (task_fields[i].needs != TASK_SPAN && (has & task_fields[i].has) == task_fields[i].has)
			w->column[w->n_columns++] = &task_fields[i];
	return CLI_OK;
}

static int choose_sort(struct work *w)
{
	const char *known[COLUMNS_MOST], *name = w->args->sort;
	const struct task_field *one[1];
	unsigned n = 0;
	if (!w->args->by) {
		int status = name ? task_fields_parse(&weft_command_tasks, "--sort", name, one, &n, 1) : CLI_OK;
		w->sort = name && !status ? one[0] : NULL;
		return status;
	}
	for (unsigned i = 0; i < n_task_sums; i++) {
		known[i] = task_sums[i].name;
		if (strcmp(known[i], name ? name : "total") == 0)
			w->sum_sort = &task_sums[i];
	}
	return w->sum_sort
	               ? CLI_OK
	               : cli_unknown(&weft_command_tasks, "option '--sort': unknown column of groups", name, known, n_task_sums);
}

static bool asks_graph(const struct work *w)
{
	bool asked = w->graph || (w->sort && w->sort->needs == TASK_OF_GRAPH);
	for (unsigned k = 0; k < w->n_columns && !w->args->by; k++)
		asked = asked || w->column[k]->needs == TASK_OF_GRAPH;
	for (unsigned k = 0; k < w->n_keys; k++)
		asked = asked || w->key[k]->needs == TASK_OF_GRAPH;
	return asked;
}

static int tasks_of(struct work *w, const struct weft_trace *t)
{
	const struct args *a = w->args;
	struct weft_err err = {0};
	int rc = task_view_load(&w->view, t, &err);
	if (!rc && a->fields)
		return print_fields(w);
	if (!rc)
		rc = task_filter(a->common.filter, &w->view, &w->filter, &w->graph, &err);
	if (rc)
		return cli_fail(&err);
	int status = a->by ? CLI_OK : choose_columns(w);
	if (status)
		return status;
	if (asks_graph(w) && task_view_paths(&w->view, &err))
		return cli_fail(&err);
	return a->by ? print_groups(w) : print_tasks(w);
}

static int tasks_run(int argc, char **argv)
{
	struct args a = {.top = UNSAID};
	struct work w = {.args = &a};
	struct weft_trace *t;
	int n;
	if (!cli_parse(&weft_command_tasks, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_tasks, argv, n, 1, 1))
		return CLI_USAGE;
	int status = a.by ? task_fields_parse(&weft_command_tasks, "--by", a.by, w.key, &w.n_keys, TASK_KEYS_MOST) : CLI_OK;
	if (!status)
		status = choose_sort(&w);
	if (!status && a.by && a.columns)
		status = cli_usage(&weft_command_tasks, "option '--columns': groups have columns of their own");
	if (!status && a.columns) /* said before the trace is read */
		status = task_fields_parse(&weft_command_tasks, "--columns", a.columns, w.column, &w.n_columns, COLUMNS_MOST);
	if (!status)
		status = cli_open(&a.common, argv[1], &t, NULL);
	if (status)
		return status;
	status = tasks_of(&w, t);
	weft_filter_free(w.filter);
	task_view_fini(&w.view);
	weft_trace_close(t);
	return status;
}

const struct weft_command weft_command_tasks = {
	.name = "tasks",
	.operands = "TRACE",
	.summary = "the tasks of a program: any field, filtered, sorted, grouped",
	.about = "Prints the tasks that a program of the task runtime submitted, with what is\n"
		 "known of each: where it ran and when, how long it waited, what it depended on,\n"
		 "where in the source it was submitted. JSON and CSV have all fields that the\n"
		 "trace has. level, earliest, slack and critical are computed from the graph of\n"
		 "dependencies (see weft-graph(1)), which is recorded with the category\n"
		 "starpu_detail.\n"
		 "\n"
		 "Examples:\n"
		 "    weft tasks run.weft\n"
		 "    weft tasks run.weft --by codelet,resource\n"
		 "    weft tasks run.weft --sort duration --top 10\n"
		 "    weft tasks run.weft -f 'codelet=g* duration>1ms' -c name,worker,start,duration --csv\n"
		 "    weft tasks run.weft -f 'wait>5ms time=50%..' --json\n"
		 "    weft tasks run.weft --fields",
	.options = options,
	.run = tasks_run,
};
