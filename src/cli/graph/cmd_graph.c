/* SPDX-License-Identifier: Apache-2.0 */
/* `weft graph`: the graph of a program's tasks, in numbers, as DOT, and drawn. graph_view.c makes it, the other files here write it. */
#include "graph_page.h"
#include "cli/common/cli.h"
#include "base/log.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *output, *to, *by, *editor, *source, *title;
	uint64_t most, edit;
	bool path, open, force;
};

static const struct weft_opt options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "draw it: .svg .png .html (a page to look around in), or write it as .dot; '-': to stdout"},
	{0, "to", "FORMAT", WEFT_OPT_STRING, offsetof(struct args, to), "svg, png, html or dot, whatever OUT ends with"},
	{0, "by", "FOLDING", WEFT_OPT_STRING, offsetof(struct args, by),
         "which equal tasks are one box: those of a level, an iteration, a codelet, none (auto: none while they are few)"},
	{0, "most", "N", WEFT_OPT_U64, offsetof(struct args, most),
         "at most N boxes: neighbouring steps are taken together (400; dot: any number)"},
	{0, "path", NULL, WEFT_OPT_FLAG, offsetof(struct args, path),
         "print the tasks of the critical path instead of a summary"},
	{0, "open", NULL, WEFT_OPT_FLAG, offsetof(struct args, open),
         "write the page (OUT, or beside the trace) and open it in a browser"},
	{0, "editor", "EDITOR", WEFT_OPT_STRING, offsetof(struct args, editor),
         "what links open a task's file and line with: vscode, vscodium, cursor, zed, idea, sublime, file; path: none, the path is shown (default: as $VISUAL says)"},
	{0, "edit", "NUMBER", WEFT_OPT_U64, offsetof(struct args, edit),
         "open $VISUAL (or $EDITOR) where this task was submitted, and end"},
	{0, "source", "DIR", WEFT_OPT_STRING, offsetof(struct args, source),
         "folder that relative names of source files begin in (default: this one)"},
	{0, "title", "TEXT", WEFT_OPT_STRING, offsetof(struct args, title), "what stands above the drawing"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT when it is there already"},
	{'f', "filter", "FILTER", WEFT_OPT_STRING, offsetof(struct args, common.filter),
         "only tasks that FILTER matches (fields: weft-tasks(1))"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

enum form { FORM_SVG, FORM_PNG, FORM_HTML, FORM_DOT, FORMS, FORM_NONE = FORMS };
static const char *const form_names[FORMS] = {"svg", "png", "html", "dot"};
enum { BOXES = 400 };

struct work {
	const struct args *args;
	struct graph_how how;
	enum form form;
	struct task_view tasks;
	struct graph_view view;
	char page[4096]; /* of --open without -o */
	const char *output;
};

/* ---- numbers ---- */

static int print_table(const struct args *a, const struct weft_column *column, unsigned n, const struct weft_cell *cell)
{
	struct weft_table t;
	weft_table_init(&t, column, n);
	int rc = weft_table_row(&t, cell);
	if (!rc)
		return cli_table(&t, &a->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

static int print_summary(const struct work *w)
{
	static const struct weft_column column[] = {
		{"tasks", "tasks", WEFT_CELL_U64},
		{"dependencies", "dependencies", WEFT_CELL_U64},
		{"levels", "levels", WEFT_CELL_U64},
		{"widest", "widest", WEFT_CELL_U64},
		{"work_ns", "work", WEFT_CELL_NS},
		{"critical_ns", "critical path", WEFT_CELL_NS},
		{"critical_tasks", "of tasks", WEFT_CELL_U64},
		{"parallelism", "parallelism", WEFT_CELL_DOUBLE},
		{"took_ns", "took", WEFT_CELL_NS},
		{"longer", "longer by", WEFT_CELL_DOUBLE},
	};
	const struct graph_view *v = &w->view;
	const struct weft_graph_paths *p = &v->paths;
	uint64_t took = v->end > v->begin ? v->end - v->begin : 0;
	double length = p->length ? (double)p->length : 1;
	const struct weft_cell cell[] = {
		{WEFT_CELL_U64, {.u64 = v->n}},      {WEFT_CELL_U64, {.u64 = v->first[v->n]}},
		{WEFT_CELL_U64, {.u64 = p->depth}},  {WEFT_CELL_U64, {.u64 = p->widest}},
		{WEFT_CELL_NS, {.u64 = p->work}},    {WEFT_CELL_NS, {.u64 = p->length}},
		{WEFT_CELL_U64, {.u64 = p->n_path}}, {WEFT_CELL_DOUBLE, {.f64 = (double)p->work / length}},
		{WEFT_CELL_NS, {.u64 = took}},       {WEFT_CELL_DOUBLE, {.f64 = (double)took / length}},
	};
	return print_table(w->args, column, sizeof column / sizeof *column, cell);
}

/* Of the critical path: what each codelet has of it. */
static int print_shares(const struct work *w)
{
	static const struct weft_column column[] = {{"codelet", "on the critical path", WEFT_CELL_TEXT},
	                                            {"tasks", "tasks", WEFT_CELL_U64},
	                                            {"total_ns", "total", WEFT_CELL_NS},
	                                            {"share_percent", "share", WEFT_CELL_PERCENT}};
	const struct graph_view *v = &w->view;
	const struct weft_tasks *t = &v->tasks->tasks;
	uint32_t kinds = t->trace->def[WEFT_CLASS_REGION].n;
	uint64_t *total = calloc((size_t)kinds + 1, sizeof *total), *count = calloc((size_t)kinds + 1, sizeof *count);
	struct weft_table table;
	int rc = total && count ? 0 : -ENOMEM;
	for (uint32_t k = 0; !rc && k < v->paths.n_path; k++) {
		uint32_t node = v->paths.path[k], kind = t->task[v->task[node]].region;
		total[kind] += v->duration[node];
		count[kind]++;
	}
	weft_table_init(&table, column, 4);
	for (uint32_t shown = 0; !rc && shown < kinds; shown++) {
		uint32_t best = 0;
		for (uint32_t k = 1; k < kinds; k++)
			if (count[k] && (!count[best] || total[k] > total[best]))
				best = k;
		if (!count[best])
			break;
		double share = v->paths.length ? 100 * (double)total[best] / (double)v->paths.length : 0;
		const struct weft_cell cell[] = {{WEFT_CELL_TEXT, {.text = graph_kind_name(v, best)}},
		                                 {WEFT_CELL_U64, {.u64 = count[best]}},
		                                 {WEFT_CELL_NS, {.u64 = total[best]}},
		                                 {WEFT_CELL_PERCENT, {.f64 = share}}};
		rc = weft_table_row(&table, cell);
		count[best] = 0;
	}
	free(total);
	free(count);
	printf("\n");
	if (!rc)
		return cli_table(&table, &w->args->common);
	weft_table_fini(&table);
	return cli_fail_code(rc);
}

/* The critical path, and how long after the one before each began: what was lost on it. */
static int print_path(struct work *w)
{
	static const char *const names[] = {"number", "name", "worker", "start", "duration"};
	struct weft_column column[7];
	struct weft_cell cell[7];
	const struct task_field *field[5], *place = task_field_find(weft_str("place"));
	struct graph_view *v = &w->view;
	struct weft_table t;
	int rc = 0;
	for (unsigned k = 0; k < 5; k++) {
		field[k] = task_field_find(weft_str(names[k]));
		column[k] = (struct weft_column){k == 3   ? "start_ns"
		                                 : k == 4 ? "duration_ns"
		                                          : names[k],
		                                 names[k], field[k]->cell};
	}
	column[5] = (struct weft_column){"late_ns", "late", WEFT_CELL_NS};
	column[6] = (struct weft_column){"place", "place", WEFT_CELL_TEXT};
	weft_table_init(&t, column, 7);
	uint64_t before = WEFT_NEVER;
	for (uint32_t k = 0; k < v->paths.n_path && !rc; k++) {
		uint32_t task = v->task[v->paths.path[k]];
		const struct weft_tasks_task *at = &v->tasks->tasks.task[task];
		bool known = before != WEFT_NEVER && at->start != WEFT_NEVER;
		for (unsigned f = 0; f < 5; f++)
			cell[f] = task_cell(field[f], v->tasks, task);
		cell[5] = (struct weft_cell){known ? WEFT_CELL_NS : WEFT_CELL_NONE,
		                             {.u64 = known && at->start > before ? at->start - before : 0}};
		cell[6] = task_cell(place, v->tasks, task);
		rc = weft_table_row(&t, cell);
		before = at->end;
	}
	if (!rc)
		return cli_table(&t, &w->args->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

static int print_numbers(struct work *w)
{
	if (w->args->path)
		return print_path(w);
	int status = print_summary(w);
	return status || cli_form(&w->args->common) != WEFT_TABLE_TEXT ? status : print_shares(w);
}

/* ---- files ---- */

static int write_out(const struct work *w, const struct weft_buf *text)
{
	struct weft_out out;
	struct weft_err err = {0};
	if (strcmp(w->output, "-") == 0) {
		fwrite(text->at, 1, text->n, stdout);
		return CLI_OK;
	}
	if (weft_out_open(&out, w->output, &err))
		return cli_fail(&err);
	fwrite(text->at, 1, text->n, out.to);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

static int write_graph(struct work *w)
{
	struct weft_buf text = {0};
	struct weft_err err = {0};
	int rc = graph_view_fold(&w->view, &w->how), status;
	if (!rc && w->form != FORM_DOT)
		rc = graph_view_place(&w->view);
	if (rc)
		return cli_fail_code(rc);
	if (w->form == FORM_DOT)
		rc = graph_dot(&text, &w->view, &w->how);
	else if (w->form == FORM_HTML)
		rc = graph_page(&text, &w->view, &w->how);
	else
		rc = graph_draw(&text, w->form == FORM_PNG ? WEFT_PICTURE_PNG : WEFT_PICTURE_SVG, &w->view, &w->how);
	if (rc == -E2BIG) {
		weft_err_set(&err, rc, "%u boxes are too many for a PNG: fold more (--by, --most), or write .svg or .html",
		             w->view.fold.n);
		status = cli_fail(&err);
	} else {
		status = rc ? cli_fail_code(rc) : write_out(w, &text);
	}
	weft_buf_fini(&text);
	return status;
}

/* ---- outside programs ---- */

/* What runs in our place: an editor, a browser. Returns only when there is none. */
static int graph_become(char *const *argv, const char *what)
{
	struct weft_err err = {0};
	fflush(stdout);
	execvp(argv[0], argv);
	weft_err_sys(&err, errno, "cannot start %s '%s'", what, argv[0]);
	return cli_fail(&err);
}

static int open_page(const struct work *w)
{
	const char *browser = getenv("BROWSER");
	const char *at = w->output;
	char *argv[] = {(char *)(browser && *browser ? browser : "xdg-open"), (char *)at, NULL};
	printf("%s\n", at);
	if (!browser && access("/usr/bin/xdg-open", X_OK) != 0)
		return CLI_OK; /* its path is what there is to say */
	return graph_become(argv, "the browser");
}

static int edit_task(struct work *w)
{
	const struct weft_tasks *t = &w->tasks.tasks;
	const char *editor = getenv("VISUAL") ? getenv("VISUAL") : getenv("EDITOR");
	struct weft_err err = {0};
	struct weft_buf path = {0}, command = {0};
	uint32_t i = 0;
	while (i < t->n && t->task[i].number != w->args->edit)
		i++;
	if (i == t->n || !t->task[i].file) {
		weft_err_set(&err, -ENOENT,
		             i == t->n ? "there is no task %" PRIu64 : "where task %" PRIu64 " was submitted is not recorded",
		             w->args->edit);
		return cli_fail(&err);
	}
	graph_path(&path, &w->how, weft_tasks_text(t, t->task[i].file));
	if (path.failed || path.at[0] != '/') { /* a name from a trace must not become an option of the editor */
		weft_err_set(&err, -ENOENT, "cannot find '%s' (--source says where relative names begin)",
		             path.failed ? "" : path.at);
		weft_buf_fini(&path);
		return cli_fail(&err);
	}
	if (!editor || !*editor) {
		printf("%s:%u\n", path.failed ? "" : path.at, t->task[i].line);
		weft_buf_fini(&path);
		return CLI_OK;
	}
	bool graphical = strcmp(graph_editor_of(editor), "path") != 0;
	weft_buf_printf(&command, graphical ? "exec %s -g \"$1:$2\"" : "exec %s \"+$2\" \"$1\"",
	                editor); /* $VISUAL is a command of its user's */
	char line[16];
	snprintf(line, sizeof line, "%u", t->task[i].line);
	if (path.failed || command.failed)
		return cli_fail_code(-ENOMEM);
	return graph_become((char *[]){"/bin/sh", "-c", command.at, "sh", path.at, line, NULL}, "the editor");
}

/* ---- the command ---- */

static int find_word(const char *option, const char *word, const char *const *known, unsigned n, unsigned *out)
{
	char what[64];
	for (unsigned i = 0; word && i < n; i++)
		if (strcmp(known[i], word) == 0) {
			*out = i;
			return CLI_OK;
		}
	snprintf(what, sizeof what, "option '%s': unknown", option);
	return word ? cli_unknown(&weft_command_graph, what, word, known, n) : CLI_OK;
}

static int read_form(struct work *w)
{
	const struct args *a = w->args;
	unsigned form = FORM_NONE;
	const char *dot = a->output ? strrchr(a->output, '.') : NULL;
	int status = find_word("--to", a->to, form_names, FORMS, &form);
	if (!status && form == FORM_NONE && dot)
		for (unsigned i = 0; i < FORMS; i++)
			form = strcmp(dot + 1, form_names[i]) == 0 ? i : form;
	if (!status && form == FORM_NONE && a->open && !a->output)
		form = FORM_HTML;
	if (!status && form == FORM_NONE && a->output && strcmp(a->output, "-") != 0)
		status = cli_check_ending(&weft_command_graph, a->output, ".svg .png .html .dot", "--to");
	if (!status && form == FORM_NONE && a->output)
		status = cli_usage(&weft_command_graph, "say the format, with --to (svg, png, html or dot)");
	if (!status && a->open && form != FORM_HTML)
		status = cli_usage(&weft_command_graph, "option '--open' is for a page: OUT ends with .html");
	w->form = (enum form)form;
	return status;
}

static int read_how(struct work *w)
{
	const struct args *a = w->args;
	unsigned by = GRAPH_AUTO, editor = 0, n_editors = 0;
	while (graph_editors[n_editors])
		n_editors++;
	int status = find_word("--by", a->by, graph_by_names, GRAPH_FOLDINGS, &by);
	if (!status)
		status = find_word("--editor", a->editor, graph_editors, n_editors, &editor);
	if (!status)
		status = read_form(w);
	const char *visual = getenv("VISUAL") ? getenv("VISUAL") : getenv("EDITOR");
	w->how = (struct graph_how){
		.by = w->form == FORM_DOT && !a->by ? GRAPH_NONE : (enum graph_by)by,
		.most = a->most               ? (uint32_t)(a->most < UINT32_MAX ? a->most : UINT32_MAX)
	                : w->form == FORM_DOT ? UINT32_MAX
	                                      : BOXES,
		.editor = a->editor ? graph_editors[editor] : graph_editor_of(visual),
		.source = a->source ? a->source : ".",
		.title = a->title,
	};
	return status;
}

/* OUT, or NAME.html beside where the trace lies. */
static int choose_output(struct work *w, const char *trace)
{
	const struct args *a = w->args;
	size_t n = strlen(trace);
	w->output = a->output;
	while (n > 1 && trace[n - 1] == '/')
		n--;
	if (!a->output && a->open) {
		if (n > 5 && memcmp(trace + n - 5, ".weft", 5) == 0)
			n -= 5;
		snprintf(w->page, sizeof w->page, "%.*s.html", (int)n, trace);
		w->output = w->page;
	}
	if (a->output && strcmp(a->output, "-") != 0 && !a->force && access(a->output, F_OK) == 0)
		return cli_usage(&weft_command_graph, "'%s' is there already (--force replaces it)", a->output);
	return CLI_OK;
}

static int graph_of(struct work *w, const struct weft_trace *t)
{
	struct weft_filter *f = NULL;
	struct weft_err err = {0};
	bool paths = false;
	int rc = task_view_load(&w->tasks, t, &err);
	if (!rc && w->args->edit)
		return edit_task(w);
	if (!rc)
		rc = task_filter(w->args->common.filter, &w->tasks, &f, &paths, &err);
	if (!rc && paths)
		rc = task_view_paths(&w->tasks, &err);
	if (!rc && !(w->tasks.tasks.has & WEFT_TASKS_HAS_EDGES))
		weft_log(WEFT_LOG_WARN, "'%s' has no dependencies (weft record --on starpu_detail records them)", t->path);
	if (!rc)
		rc = graph_view_init(&w->view, &w->tasks, f, &err);
	int status = rc ? cli_fail(&err) : w->form == FORM_NONE ? print_numbers(w) : write_graph(w);
	weft_filter_free(f);
	return status;
}

static int graph_run(int argc, char **argv)
{
	struct args a = {.by = NULL};
	struct work w = {.args = &a};
	struct weft_trace *t;
	int n;
	if (!cli_parse(&weft_command_graph, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_graph, argv, n, 1, 1))
		return CLI_USAGE;
	int status = read_how(&w);
	if (!status)
		status = choose_output(&w, argv[1]);
	if (!status)
		status = cli_open(&a.common, argv[1], &t, NULL);
	if (status)
		return status;
	status = graph_of(&w, t);
	graph_view_fini(&w.view);
	task_view_fini(&w.tasks);
	weft_trace_close(t);
	return status || !a.open ? status : open_page(&w);
}

const struct weft_command weft_command_graph = {
	.name = "graph",
	.operands = "TRACE",
	.summary = "the graph of a program's tasks: critical path, DOT, drawings, a page",
	.about = "Computes the graph of the tasks that a program of the task runtime submitted: how\n"
		 "deep and wide it is, its critical path (the tasks that make the shortest possible\n"
		 "time, with as many workers as wanted), and how much parallelism there is. With\n"
		 "-o draws it, without Graphviz: as SVG or PNG, as a page that opens in any browser,\n"
		 "with links to where tasks were submitted; or writes it in the DOT language. Of\n"
		 "large graphs equal tasks are one box. Dependencies are recorded with the category\n"
		 "starpu_detail (weft record --on starpu_detail). Each task's slack: weft-tasks(1).\n"
		 "\n"
		 "Examples:\n"
		 "    weft graph run.weft\n"
		 "    weft graph run.weft --path\n"
		 "    weft graph run.weft -o run.svg\n"
		 "    weft graph run.weft -o run.html --by iteration --editor vscode\n"
		 "    weft graph run.weft -o run.dot -f 'iteration=0..3'",
	.options = options,
	.run = graph_run,
};
