/* SPDX-License-Identifier: Apache-2.0 */
/* `weft view`: what views there are, what one says, and views from one format into another. */
#include "cli/common/cli.h"
#include "base/log.h"
#include "metric/text/text_view.h"
#include "view_load.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *output;
	bool force, plain;
};

static const struct weft_opt options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "convert: write OUT; a .cfg becomes Paraver's format, a .view or .txt text; '-' is stdout"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	{0, "plain", NULL, WEFT_OPT_FLAG, offsetof(struct args, plain),
         "convert, show: leave out the keys that only Paraver's windows need"},
	CLI_TABLE_OPTIONS,
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct args, common.quiet), "no warnings"},
	{0},
};

static bool ends_with(const char *z, const char *end)
{
	size_t n = strlen(z), k = strlen(end);
	return n >= k && !strcmp(z + n - k, end);
}

static int convert(const struct args *a, char **operand, int n)
{
	struct weft_view v;
	struct weft_err err = {0};
	struct weft_buf text = {0};
	struct weft_print_how how = {.plain = a->plain};
	struct weft_out out;
	(void)n;
	if (!a->output)
		return cli_usage(&weft_command_view, "say where to write, with -o OUT");
	if (strcmp(a->output, "-") != 0 && !a->force && access(a->output, F_OK) == 0)
		return cli_usage(&weft_command_view, "'%s' is there already (--force replaces it)", a->output);
	if (cli_check_ending(&weft_command_view, a->output, ".cfg .view .txt", NULL))
		return CLI_USAGE;
	int rc = weft_view_load(&v, operand[0], &err);
	int status = rc ? cli_view_fail(&v, &err) : CLI_OK;
	if (!status && v.dropped)
		weft_log(WEFT_LOG_WARN, "%s", v.dropped);
	if (!status && ends_with(a->output, ".cfg"))
		weft_view_write(&v, &text);
	else if (!status)
		weft_view_print(&v, &how, &text);
	weft_view_fini(&v);
	if (!status && text.failed)
		status = cli_fail_code(-ENOMEM);
	if (!status && weft_out_open(&out, a->output, &err))
		status = cli_fail(&err);
	else if (!status) {
		fwrite(text.at, 1, text.n, out.to);
		if (weft_out_commit(&out, &err))
			status = cli_fail(&err);
	}
	weft_buf_fini(&text);
	return status;
}

/* As it was written, but what would steer the terminal: that is written as a view may have it in its strings, byte by byte. */
static void add_source(struct weft_buf *out, const char *at, size_t n)
{
	for (size_t i = 0, step; i < n; i += step) {
		unsigned hazard = at[i] == '\n' || at[i] == '\t' || at[i] == '\r' ? 0 : weft_text_hazard(at + i, n - i);
		step = hazard ? hazard : weft_utf8_len(at + i, n - i);
		step = step ? step : 1;
		if (!hazard)
			weft_buf_add(out, at + i, step);
		for (unsigned k = 0; k < hazard; k++)
			weft_buf_printf(out, "\\x%02x", (unsigned char)at[i + k]);
	}
}

/* A text as it was written, with its remarks; a .cfg as text. */
static int show(const struct args *a, char **operand, int n)
{
	struct weft_view v;
	struct weft_err err = {0};
	struct weft_buf text = {0};
	struct weft_print_how how = {.plain = a->plain};
	char *source = NULL;
	size_t length;
	(void)n;
	int status = weft_view_load(&v, operand[0], &err) ? cli_view_fail(&v, &err) : CLI_OK;
	if (!status && weft_view_text(operand[0], &source, &length, &err))
		status = cli_fail(&err);
	if (!status && weft_view_is_cfg(source, length))
		weft_view_print(&v, &how, &text);
	else if (!status)
		add_source(&text, source, length);
	weft_view_fini(&v);
	free(source);
	if (!status && text.failed)
		status = cli_fail_code(-ENOMEM);
	if (!status)
		fwrite(text.at, 1, text.n, stdout);
	weft_buf_fini(&text);
	return status;
}

/* ---- list ---- */

static const struct weft_column list_columns[] = {
	{"name", "view", WEFT_CELL_TEXT},
	{"about", "shows", WEFT_CELL_TEXT},
};

/* The first line of what the view says about itself, or what is wrong with it. */
static int list_one(void *arg, const char *name, const char *path)
{
	struct weft_table *t = arg;
	struct weft_view v;
	struct weft_err err = {0};
	struct weft_str rest, line = {NULL, 0};
	int rc = weft_view_load(&v, path ? path : name, &err);
	rest = weft_str(rc ? err.text : v.description);
	weft_str_cut(&rest, '\n', &line);
	char *about = strndup(line.n ? line.at : "", line.n);
	rc = about ? weft_table_row(t, (struct weft_cell[]){{WEFT_CELL_TEXT, .text = name}, {WEFT_CELL_TEXT, .text = about}})
	           : -ENOMEM;
	free(about);
	weft_view_fini(&v);
	return rc;
}

static int list(const struct args *a, char **operand, int n)
{
	struct weft_table t;
	(void)operand, (void)n;
	weft_table_init(&t, list_columns, 2);
	int rc = weft_views_each(list_one, &t);
	if (!rc)
		return cli_table(&t, &a->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

static const struct {
	const char *name;
	int operands;
	int (*run)(const struct args *a, char **operand, int n);
} verbs[] = {{"list", 0, list}, {"show", 1, show}, {"convert", 1, convert}};
enum { VERBS = sizeof verbs / sizeof *verbs };

static int run(int argc, char **argv)
{
	struct args a = {.output = NULL};
	const char *known[VERBS];
	int n;
	if (!cli_parse(&weft_command_view, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_view, argv, n, 1, 2))
		return CLI_USAGE;
	for (unsigned i = 0; i < VERBS; i++) {
		known[i] = verbs[i].name;
		if (strcmp(argv[1], known[i]) != 0)
			continue;
		if (n - 1 != verbs[i].operands)
			return cli_usage(&weft_command_view, "'%s' takes %s", known[i], verbs[i].operands ? "a VIEW" : "nothing");
		return verbs[i].run(&a, argv + 2, n - 1);
	}
	return cli_unknown(&weft_command_view, "unknown", argv[1], known, VERBS);
}

const struct weft_command weft_command_view = {
	.name = "view",
	.operands = "list | show VIEW | convert VIEW",
	.summary = "views: what there are, what one says, converting",
	.about = "A view is a metric along time, or a table of it. 'list' prints the views of the library,\n"
		 "'show' a view as text, 'convert' writes a view in the other format: a .cfg of Paraver\n"
		 "becomes text, text a .cfg that Paraver reads. A VIEW is the path of either, or a name\n"
		 "of the library; weft-views(7) has the language.\n"
		 "\n"
		 "Examples:\n"
		 "    weft view list\n"
		 "    weft view show mpi-profile\n"
		 "    weft view convert mpi-profile -o mpi-profile.cfg",
	.options = options,
	.run = run,
};
