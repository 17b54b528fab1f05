/* SPDX-License-Identifier: Apache-2.0 */
/* `weft diff`: what changed from one trace to another, by the same views, and by how much. */
#include "base/log.h"
#include "base/visible.h"
#include "cli/common/cli.h"
#include "metric/diff/view_diff.h"
#include "view_load.h"
#include "metric/text/text_view.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 16 };

struct args {
	struct cli_common common;
	const char *by, *statistic, *table;
	uint64_t top;
	double threshold;
	bool check;
	struct weft_diff_how how;
};

static const struct weft_opt options[] = {
	{'b', "by", "WHAT", WEFT_OPT_STRING, offsetof(struct args, by),
         "a line for each column, row or cell of the views' tables (default: column)"},
	{'n', "top", "N", WEFT_OPT_U64, offsetof(struct args, top),
         "of each view only the N that changed most, 0 for all (default: 20)"},
	{0, "threshold", "PERCENT", WEFT_OPT_DOUBLE, offsetof(struct args, threshold),
         "leave out what changed by less than PERCENT of what it was"},
	{0, "check", NULL, WEFT_OPT_FLAG, offsetof(struct args, check), "exit with 1 when a change is left"},
	{0, "statistic", "NAME", WEFT_OPT_STRING, offsetof(struct args, statistic),
         "compare this statistic (default: as the view says, and times in place of their shares)"},
	{0, "table", "NAME", WEFT_OPT_STRING, offsetof(struct args, table), "the views' table of this name (default: the last)"},
	CLI_TABLE_OPTIONS,
	CLI_OWN_THREADS_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

/* What is compared when no view is named: those of them that a trace has the events for. */
static const char *const usual_views[] = {"states",           "regions",      "mpi-time", "mpi-matrix",
                                          "openmp-functions", "instructions", "mips",     NULL};

static int read_by(struct args *a)
{
	static const char *const known[] = {"column", "row", "cell"};
	for (unsigned i = 0; i < 3; i++)
		if (!a->by || !strcmp(a->by, known[i])) {
			a->how.by = (enum weft_diff_by)i;
			return CLI_OK;
		}
	return cli_usage(&weft_command_diff, "option '--by': expected column, row or cell, found '%s'", a->by);
}

static int read_statistic(struct args *a)
{
	char near[64];
	if (!a->statistic)
		return CLI_OK;
	a->how.stat = weft_stat_named(a->statistic, near);
	if (a->how.stat)
		return CLI_OK;
	return cli_usage(&weft_command_diff, "option '--statistic': unknown statistic '%s'%s%s%s", a->statistic,
	                 *near ? " (did you mean '" : "", near, *near ? "'?)" : "");
}

/* ---- printing ---- */

/* The change in percent of what it was; nan when it was nothing. */
static double diff_percent(const struct weft_diff_item *i)
{
	return i->value[0] != 0 ? 100 * (i->value[1] - i->value[0]) / fabs(i->value[0]) : NAN;
}

static bool is_shown(const struct args *a, const struct weft_diff_item *i)
{
	if (i->value[0] == i->value[1])
		return false;
	double p = diff_percent(i);
	return isnan(p) || fabs(p) >= a->threshold;
}

static const char *signed_text(const struct weft_value_form *f, double v, char *out)
{
	char z[40];
	double whole = fabs(v) * f->factor;
	*out = v < 0 ? '-' : '+';
	if (f->kind == WEFT_CELL_NS && whole < 1.8e19)
		weft_human_ns(z, (uint64_t)(whole + 0.5));
	else if (f->kind == WEFT_CELL_BYTES && whole < 1.8e19)
		weft_human_bytes(z, (uint64_t)(whole + 0.5));
	else
		snprintf(z, sizeof z, "%.6g", fabs(v));
	snprintf(out + 1, 46, "%s", z);
	return out;
}

static const char *percent_text(const struct weft_diff_item *i, char *out)
{
	double p = diff_percent(i);
	if (!i->there[0] || isnan(p))
		snprintf(out, 32, "new");
	else if (!i->there[1])
		snprintf(out, 32, "gone");
	else
		snprintf(out, 32, "%+.1f %%", p);
	return out;
}

static const char *diff_bar(double change, double most, char *out)
{
	unsigned n = most > 0 ? (unsigned)(fabs(change) / most * BAR + 0.5) : 0;
	memset(out, change < 0 ? '-' : '+', n);
	out[n] = 0;
	return out;
}

static struct weft_cell text_cell(const char *z)
{
	return (struct weft_cell){WEFT_CELL_TEXT, .text = z};
}

static struct weft_cell value_cell(const struct weft_diff *d, const struct weft_diff_item *i, int which)
{
	return i->there[which] ? weft_value_cell(&d->form, i->value[which]) : (struct weft_cell){WEFT_CELL_NONE, .u64 = 0};
}

static int print_text(const struct args *a, const struct weft_diff *d, uint64_t n_shown)
{
	enum weft_cell_kind kind = d->form.kind;
	struct weft_column all[] = {{"row", "row", WEFT_CELL_TEXT},
	                            {"column", "", WEFT_CELL_TEXT},
	                            {"a", "A", kind},
	                            {"b", "B", kind},
	                            {"change", "change", WEFT_CELL_I64},
	                            {"percent", "percent", WEFT_CELL_I64},
	                            {"bar", "", WEFT_CELL_TEXT}};
	unsigned first = a->how.by == WEFT_DIFF_COLUMN ? 1 : 0;
	uint64_t left = n_shown;
	double most = 0;
	struct weft_table t;
	int rc = 0;
	if (a->how.by == WEFT_DIFF_ROW)
		all[1] = all[0];
	first = a->how.by == WEFT_DIFF_ROW ? 1 : first;
	weft_table_init(&t, all + first, 7 - first);
	for (size_t i = 0; i < d->item.n && left && !rc; i++) {
		const struct weft_diff_item *item = &d->item.at[i];
		double change = item->value[1] - item->value[0];
		char signed_z[48], percent_z[32], bar_z[BAR + 1];
		if (!is_shown(a, item))
			continue;
		most = most > 0 ? most : fabs(change);
		struct weft_cell cell[] = {text_cell(item->row),
		                           text_cell(a->how.by == WEFT_DIFF_ROW ? item->row : item->column),
		                           value_cell(d, item, 0),
		                           value_cell(d, item, 1),
		                           text_cell(signed_text(&d->form, change, signed_z)),
		                           text_cell(percent_text(item, percent_z)),
		                           text_cell(diff_bar(change, most, bar_z))};
		rc = weft_table_row(&t, cell + first);
		left--;
	}
	weft_print_visible(stdout, "\n%s: %s (%s)\n", d->table, d->stat, d->view);
	if (!rc && weft_table_rows(&t))
		rc = weft_table_print(&t, WEFT_TABLE_TEXT, stdout);
	else
		printf("no change\n");
	weft_table_fini(&t);
	return rc;
}

static int add_data(const struct args *a, const struct weft_diff *d, struct weft_table *t, uint64_t n_shown)
{
	int rc = 0;
	for (size_t i = 0; i < d->item.n && n_shown && !rc; i++) {
		const struct weft_diff_item *item = &d->item.at[i];
		if (!is_shown(a, item))
			continue;
		struct weft_cell cell[] = {text_cell(d->view),
		                           text_cell(d->table),
		                           text_cell(d->stat),
		                           text_cell(d->form.unit),
		                           text_cell(item->row),
		                           text_cell(item->column),
		                           {item->there[0] ? WEFT_CELL_DOUBLE : WEFT_CELL_NONE, .f64 = item->value[0]},
		                           {item->there[1] ? WEFT_CELL_DOUBLE : WEFT_CELL_NONE, .f64 = item->value[1]},
		                           {WEFT_CELL_DOUBLE, .f64 = item->value[1] - item->value[0]}};
		rc = weft_table_row(t, cell);
		n_shown--;
	}
	return rc;
}

static uint64_t count_changes(const struct args *a, const struct weft_diff *d)
{
	uint64_t n = 0;
	for (size_t i = 0; i < d->item.n; i++)
		n += is_shown(a, &d->item.at[i]);
	return n;
}

/* ---- the command ---- */

static const struct weft_column data_columns[] = {
	{"view", "view", WEFT_CELL_TEXT}, {"table", "table", WEFT_CELL_TEXT}, {"statistic", "statistic", WEFT_CELL_TEXT},
	{"unit", "unit", WEFT_CELL_TEXT}, {"row", "row", WEFT_CELL_TEXT},     {"column", "column", WEFT_CELL_TEXT},
	{"a", "a", WEFT_CELL_DOUBLE},     {"b", "b", WEFT_CELL_DOUBLE},       {"change", "change", WEFT_CELL_DOUBLE},
};

struct comparison {
	const struct args *args;
	const struct weft_space *space[2];
	struct weft_table data;
	uint64_t changes, compared;
};

static int diff_compare(struct comparison *c, const char *view, bool named)
{
	struct weft_diff d;
	struct weft_err err = {0};
	const struct args *a = c->args;
	int status = CLI_OK, rc = weft_diff_compute(&d, view, c->space, &a->how, &err);
	uint64_t shown = a->top ? a->top : UINT64_MAX;
	if (rc == -ENOENT && !named) {
		rc = 0;
	} else if (rc) {
		status = cli_fail(&err);
	} else {
		c->compared++;
		c->changes += count_changes(a, &d);
		rc = cli_form(&a->common) == WEFT_TABLE_TEXT ? print_text(a, &d, shown) : add_data(a, &d, &c->data, shown);
		status = rc ? cli_fail_code(rc) : CLI_OK;
	}
	weft_diff_fini(&d);
	return status;
}

static void print_head(struct weft_trace *const t[2])
{
	char length[32];
	for (int i = 0; i < 2; i++) {
		weft_print_visible(stdout, "%c  %s  %u processes, %u threads, %s", 'A' + i, t[i]->path, t[i]->n_processes,
		                   t[i]->n_threads, weft_human_ns(length, t[i]->end));
		if (i && t[0]->end)
			printf(" (%+.1f %%)", 100 * ((double)t[1]->end - (double)t[0]->end) / (double)t[0]->end);
		printf("\n");
	}
}

static int compare_all(struct comparison *c, char **view, int n_views)
{
	int status = CLI_OK;
	weft_table_init(&c->data, data_columns, sizeof data_columns / sizeof *data_columns);
	for (int i = 0; i < n_views && !status; i++)
		status = diff_compare(c, view[i], true);
	for (int i = 0; !n_views && usual_views[i] && !status; i++)
		status = diff_compare(c, usual_views[i], false);
	if (!status && !c->compared)
		weft_log(WEFT_LOG_WARN, "the traces have nothing that the usual views show; name a view");
	if (!status && cli_form(&c->args->common) != WEFT_TABLE_TEXT)
		return cli_table(&c->data, &c->args->common);
	weft_table_fini(&c->data);
	return status;
}

static int compare_traces(const struct args *a, char **argv, int n)
{
	struct weft_trace *t[2] = {NULL, NULL};
	struct weft_space space[2] = {{.trace = NULL}, {.trace = NULL}};
	struct comparison c = {.args = a, .space = {&space[0], &space[1]}};
	int status = CLI_OK;
	for (int i = 0; i < 2 && !status; i++) {
		status = cli_open(&a->common, argv[i], &t[i], NULL);
		if (!status && cli_space_init(&space[i], t[i], &a->common))
			status = cli_fail_code(-ENOMEM);
	}
	if (!status) {
		if (cli_form(&a->common) == WEFT_TABLE_TEXT)
			print_head(t);
		status = compare_all(&c, argv + 2, n - 2);
	}
	for (int i = 0; i < 2; i++)
		if (t[i]) {
			weft_space_fini(&space[i]);
			weft_trace_close(t[i]);
		}
	return !status && a->check && c.changes ? CLI_NO : status;
}

static int diff_run(int argc, char **argv)
{
	struct args a = {.top = 20};
	int n;
	if (!cli_parse(&weft_command_diff, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_diff, argv, n, 2, -1))
		return CLI_USAGE;
	int status = read_by(&a);
	if (!status)
		status = read_statistic(&a);
	a.how.table = a.table;
	a.how.threads = cli_open_how(&a.common).threads;
	return status ? status : compare_traces(&a, argv + 1, n);
}

const struct weft_command weft_command_diff = {
	.name = "diff",
	.operands = "A B [VIEW...]",
	.summary = "what changed from one trace to another, by the same views",
	.about = "Computes the same views of two traces and prints what changed and by how much, the\n"
		 "greatest change first. Without VIEW those of a usual set that the traces have the events\n"
		 "for: time by state and region, MPI calls, messages, counters. Columns meet by their\n"
		 "labels; rows by their names, or else by their numbers.\n"
		 "\n"
		 "Examples:\n"
		 "    weft diff run.prv run.prv\n"
		 "    weft diff run.prv run.prv states --by cell --top 10\n"
		 "    weft diff run.prv run.prv states --threshold 5 --check",
	.options = options,
	.run = diff_run,
};
