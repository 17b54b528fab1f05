/* SPDX-License-Identifier: Apache-2.0 */
/* `weft panels`: StarVZ's panels of a run of tasks, as a picture, a page, or numbers. */
#include "panels.h"
#include "cli/graph/task_list.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *output, *panels, *time, *by, *outliers, *chain, *table, *title;
	uint64_t width, bins;
	bool force;
};

static const struct weft_opt options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output), "write to OUT: .svg, .png or .html"},
	{'p', "panel", "NAMES", WEFT_OPT_STRING, offsetof(struct args, panels),
         "these panels only, with commas between; list: print their names, all: all of them"},
	{0, "table", "NAME", WEFT_OPT_STRING, offsetof(struct args, table),
         "print numbers: bounds, workers, codelets, iterations, outliers, chain, curves or links"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time),
         "from A up to B only (default: from the first submission to the last task's end)"},
	{'b', "by", "FIELD", WEFT_OPT_STRING, offsetof(struct args, by),
         "what iterations are: iteration, sub_iteration, tag, priority or another number of a task (iteration)"},
	{0, "outliers", "RULE", WEFT_OPT_STRING, offsetof(struct args, outliers),
         "tasks that took too long for their footprint, or for their flops; none (footprint)"},
	{0, "chain", "TASK", WEFT_OPT_STRING, offsetof(struct args, chain),
         "draw what this task waited for, by its number; last: that of the last one; none (last)"},
	{0, "bins", "N", WEFT_OPT_U64, offsetof(struct args, bins), "parts of the time in the table of curves (100)"},
	{0, "width", "PIXELS", WEFT_OPT_U64, offsetof(struct args, width), "of the picture (1200)"},
	{0, "title", "TEXT", WEFT_OPT_STRING, offsetof(struct args, title), "what stands above (default: the trace's name)"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT when it is there already"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

/* ---- what is asked for ---- */

struct wish {
	struct panels_how how;
	struct panels_look look;
	unsigned tables; /* bits, where no picture is asked for */
};

static int list_panels(const struct args *a)
{
	static const struct weft_column column[] = {{"panel", "panel", WEFT_CELL_TEXT},
	                                            {"usual", "usual", WEFT_CELL_TEXT},
	                                            {"shows", "shows", WEFT_CELL_TEXT}};
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, column, 3);
	for (unsigned k = 0; k < PANELS_MOST && !rc; k++) {
		const struct weft_cell cell[] = {{WEFT_CELL_TEXT, {.text = panels_list[k].name}},
		                                 {WEFT_CELL_TEXT, {.text = panels_list[k].usual ? "yes" : "no"}},
		                                 {WEFT_CELL_TEXT, {.text = panels_list[k].about}}};
		rc = weft_table_row(&t, cell);
	}
	if (!rc)
		return cli_table(&t, &a->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

static int read_panels(const char *list, unsigned *bits)
{
	const char *known[PANELS_MOST];
	*bits = 0;
	for (unsigned k = 0; k < PANELS_MOST; k++) {
		known[k] = panels_list[k].name;
		*bits |= panels_list[k].usual ? 1u << k : 0;
	}
	return list ? cli_bits(&weft_command_panels, "option '--panel': unknown panel", list, known, PANELS_MOST, bits) : CLI_OK;
}

static int read_rules(const struct args *a, struct panels_how *how)
{
	static const char *const rules[] = {"footprint", "flops", "none"};
	const struct task_field *by[1];
	unsigned n = 0;
	int status = task_fields_parse(&weft_command_panels, "--by", a->by, by, &n, 1);
	if (status)
		return status;
	if (n != 1 || by[0]->kind == WEFT_ROW_TEXT || by[0]->needs != TASK_PLAIN)
		return cli_usage(&weft_command_panels, "option '--by': one field of a task that is a whole number");
	how->by = by[0];
	for (n = 0; n < 3; n++)
		if (strcmp(a->outliers, rules[n]) == 0)
			how->outliers = (enum panels_outlier_rule)n;
	for (n = 0; n < 3 && strcmp(a->outliers, rules[n]) != 0; n++)
		;
	return n < 3 ? CLI_OK : cli_unknown(&weft_command_panels, "option '--outliers': unknown rule", a->outliers, rules, 3);
}

static int read_tables(const struct args *a, unsigned *bits)
{
	*bits = 1 | 2 | 4; /* for people: bounds, workers, codelets */
	if (a->table)
		return cli_bits(&weft_command_panels, "option '--table': unknown table", a->table, panels_tables, n_panels_tables,
		                bits);
	if (a->common.json || a->common.csv)
		return cli_usage(&weft_command_panels, "say which numbers, with --table NAME");
	return CLI_OK;
}

static int read_output(const struct args *a)
{
	if (a->output && a->table)
		return cli_usage(&weft_command_panels, "options '--output' and '--table' do not go together");
	int status = a->output ? cli_check_ending(&weft_command_panels, a->output, ".svg .png .html", NULL) : CLI_OK;
	if (!status && a->output && !a->force && access(a->output, F_OK) == 0)
		status = cli_usage(&weft_command_panels, "'%s' is there already (--force replaces it)", a->output);
	return status;
}

static int read_wish(const struct args *a, struct wish *w)
{
	if (a->width < 400 || a->width > 20000)
		return cli_usage(&weft_command_panels, "option '--width': from 400 to 20000 pixels");
	if (a->bins < 1 || a->bins > 100000)
		return cli_usage(&weft_command_panels, "option '--bins': from 1 to 100000");
	int status = read_panels(a->panels, &w->look.panels);
	status = status ? status : read_rules(a, &w->how);
	status = status ? status : read_tables(a, &w->tables);
	status = status ? status : read_output(a);
	w->look.title = a->title;
	w->how.range = a->time;
	w->how.chain = a->chain;
	w->how.width = a->output ? panels_plot_width((unsigned)a->width) : (unsigned)a->bins;
	if (!status && a->table && (!w->tables || w->tables & (w->tables - 1)))
		return cli_usage(&weft_command_panels, "option '--table': one table");
	return status;
}

/* ---- what comes out ---- */

static int draw(const struct args *a, const struct wish *w, const struct panels *p)
{
	struct weft_buf out = {0};
	const char *ending = strrchr(a->output, '.');
	int rc = ending && strcmp(ending, ".html") == 0 ? panels_page(p, &w->look, &out)
	                                                : panels_draw(p, &w->look, &out, ending && strcmp(ending, ".png") == 0);
	int status = rc ? cli_fail_code(rc) : cli_write_whole(a->output, &out);
	weft_buf_fini(&out);
	return status;
}

static int print(const struct args *a, const struct wish *w, const struct panels *p)
{
	int status = CLI_OK;
	for (unsigned k = 0, n = 0; k < n_panels_tables && !status; k++) {
		struct weft_table t;
		if (!(w->tables & 1u << k))
			continue;
		int rc = panels_table(p, k, &t);
		if (n++ && !rc)
			printf("\n");
		status = rc ? cli_fail_code(rc) : cli_table(&t, &a->common);
		if (rc)
			weft_table_fini(&t);
	}
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {.width = 1200, .bins = 100, .by = "iteration", .outliers = "footprint", .chain = "last"};
	struct wish w = {0};
	struct panels p;
	struct weft_trace *t;
	int n;
	if (!cli_parse(&weft_command_panels, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (a.panels && strcmp(a.panels, "list") == 0)
		return list_panels(&a);
	if (!cli_operands(&weft_command_panels, argv, n, 1, 1))
		return CLI_USAGE;
	int status = read_wish(&a, &w);
	status = status ? status : cli_open(&a.common, argv[1], &t, NULL);
	if (status)
		return status;
	status = panels_init(&p, t, &w.how, &weft_command_panels);
	status = status ? status : a.output ? draw(&a, &w, &p) : print(&a, &w, &p);
	panels_fini(&p);
	weft_trace_close(t);
	return status;
}

const struct weft_command weft_command_panels = {
	.name = "panels",
	.operands = "TRACE",
	.summary = "draw a run of tasks in panels over one axis of time, as StarVZ does",
	.about = "Draws panels below each other over one axis of time: tasks on workers, with how long\n"
		 "each was idle, the area bound and the critical path bound as lines, what the last\n"
		 "task waited for as a chain, and tasks that took too long marked; when iterations\n"
		 "ran, and their tasks; workers by codelet; tasks submitted and ready; GFlop/s, memory\n"
		 "in use, transfers by link. Without -o it prints the bounds, the workers and the\n"
		 "codelets; --table prints one of the panels as numbers, as CSV and JSON, too.\n"
		 "\n"
		 "Examples:\n"
		 "    weft panels run.weft -o panels.svg\n"
		 "    weft panels run.weft -o part.png --panel workers,runtime,ready --time 25%..75%\n"
		 "    weft panels run.weft\n"
		 "    weft panels run.weft --table outliers --csv",
	.options = options,
	.run = run,
};
