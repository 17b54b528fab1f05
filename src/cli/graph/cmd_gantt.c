/* SPDX-License-Identifier: Apache-2.0 */
/* `weft gantt`: the handbook's chart, drawn by ourselves. gantt_rows.c and its like compute, gantt_draw.c draws. */
#include "charts/gantt_draw.h"
#include "cli/common/cli.h"
#include "render/draw/picture.h"
#include <string.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *output, *time, *title, *show;
	uint64_t width;
	bool colours, force;
};

static const struct weft_opt options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output), "write to OUT: .svg or .png"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time),
         "from A up to B only (default: from the first submission to the last task's end)"},
	{'c', "colors", NULL, WEFT_OPT_FLAG, offsetof(struct args, colours),
         "a colour for each codelet (default: green, or what the program gave the task)"},
	{'s', "show", "NAMES", WEFT_OPT_STRING, offsetof(struct args, show),
         "of curves, nodes, events, push, pop, transfers, dependencies; all, none (curves,nodes,events)"},
	{0, "width", "PIXELS", WEFT_OPT_U64, offsetof(struct args, width), "of the picture (1200)"},
	{0, "title", "TEXT", WEFT_OPT_STRING, offsetof(struct args, title), "what stands above (default: the trace's name)"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT when it is there already"},
	CLI_READ_OPTIONS,
	{0},
};

/* In the order of GANTT_CURVES… */
enum { SHOWN = 7 };
static const char *const shown[SHOWN] = {"curves", "nodes", "events", "push", "pop", "transfers", "dependencies"};

/* ---- the command ---- */

static int gantt_of(const struct args *a, const struct weft_trace *t, unsigned show)
{
	struct task_view view;
	struct gantt g = {.tasks = &view, .by_codelet = a->colours, .show = show, .width = gantt_plot_width((unsigned)a->width)};
	struct weft_buf out = {0};
	struct weft_err err = {0};
	int status = CLI_OK, rc = task_view_load(&view, t, &err);
	if (!rc)
		rc = gantt_range(&g, a->time, &err);
	if (rc) {
		status = cli_fail(&err);
	} else {
		rc = gantt_compute(&g);
		size_t n = strlen(a->output);
		enum weft_picture_form form = n > 4 && strcmp(a->output + n - 4, ".png") == 0 ? WEFT_PICTURE_PNG
		                                                                              : WEFT_PICTURE_SVG;
		if (!rc)
			rc = gantt_draw(&g, a->title, &out, form);
		status = rc ? cli_fail_code(rc) : cli_write_whole(a->output, &out);
	}
	weft_buf_fini(&out);
	gantt_fini(&g);
	task_view_fini(&view);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {.width = 1200, .show = "curves,nodes,events"};
	struct weft_trace *t;
	int n;
	if (!cli_parse(&weft_command_gantt, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_gantt, argv, n, 1, 1))
		return CLI_USAGE;
	if (!a.output)
		return cli_usage(&weft_command_gantt, "say where to write, with -o OUT");
	unsigned show;
	if (cli_bits(&weft_command_gantt, "option '--show': unknown name", a.show, shown, SHOWN, &show))
		return CLI_USAGE;
	if (a.width < 400 || a.width > 20000)
		return cli_usage(&weft_command_gantt, "option '--width': from 400 to 20000 pixels");
	int status = cli_check_ending(&weft_command_gantt, a.output, ".svg .png", NULL);
	if (!status && !a.force && access(a.output, F_OK) == 0)
		status = cli_usage(&weft_command_gantt, "'%s' is there already (--force replaces it)", a.output);
	if (!status)
		status = cli_open(&a.common, argv[1], &t, NULL);
	if (status)
		return status;
	status = gantt_of(&a, t, show);
	weft_trace_close(t);
	return status;
}

const struct weft_command weft_command_gantt = {
	.name = "gantt",
	.operands = "TRACE",
	.summary = "draw the workers of a program of tasks, with curves, as StarPU's handbook",
	.about = "Draws what the workers of a program of the task runtime did, in the colours of\n"
		 "StarPU's handbook: tasks green (or in the colour that the program gave them),\n"
		 "fetching of data magenta, sleeping red, scheduling brown, overhead chestnut,\n"
		 "callbacks dark blue; and above it how many tasks were submitted and ready, GFlop/s,\n"
		 "memory in use and bandwidths of memory nodes, as far as they were recorded\n"
		 "(weft record --on starpu_detail). Memory nodes have rows of allocations and copies.\n"
		 "--show says what else lies over the rows: tasks given to the policy and taken from\n"
		 "it, transfers and dependencies as arrows. weft timeline draws any trace.\n"
		 "\n"
		 "Examples:\n"
		 "    weft gantt run.weft -o gantt.svg\n"
		 "    weft gantt run.weft -o gantt.png --colors --time 25%..75%\n"
		 "    weft gantt run.weft -o arrows.svg --show all --time 1.2ms..1.6ms",
	.options = options,
	.run = run,
};
