/* SPDX-License-Identifier: Apache-2.0 */
/* `weft timeline`: a picture of a trace along time, as SVG. */
#include "cli.h"
#include "base/str.h"
#include "render/timeline.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *output, *title, *time;
	uint64_t width, rows, messages;
	bool force;
};

static const struct weft_opt options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output), "write OUT, an .svg file; '-' is stdout"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time),
         "from A up to B: like 10ms..1.5s, 25%..50%, 2s.. or ..90% (default: all)"},
	{0, "width", "PIXELS", WEFT_OPT_U64, offsetof(struct args, width), "width of the picture (default: 1200)"},
	{0, "rows", "N", WEFT_OPT_U64, offsetof(struct args, rows), "show at most N threads (default: 512)"},
	{0, "messages", "N", WEFT_OPT_U64, offsetof(struct args, messages),
         "draw messages when there are at most N (default: 200)"},
	{0, "title", "TEXT", WEFT_OPT_STRING, offsetof(struct args, title), "the picture's title (default: the trace's name)"},
	CLI_READ_OPTIONS,
	{0},
};

static int write_picture(const struct args *a, const struct weft_buf *svg)
{
	struct weft_err err = {0};
	struct weft_out out;
	if (weft_out_open(&out, a->output, &err))
		return cli_fail(&err);
	fwrite(svg->at, 1, svg->n, out.to);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

static int draw(const struct args *a, const char *path)
{
	struct weft_trace *t;
	struct weft_buf svg = {0};
	struct weft_err err = {0};
	int status = cli_open(&a->common, path, &t, NULL);
	if (status)
		return status;
	struct weft_timeline_how how = {
		.title = a->title,
		.to = WEFT_NEVER,
		.width = (unsigned)a->width,
		.most_rows = a->rows < UINT32_MAX ? (unsigned)a->rows : UINT32_MAX,
		.most_messages = a->messages < UINT32_MAX ? (unsigned)a->messages : UINT32_MAX,
		.threads = a->common.threads < 4096 ? (unsigned)a->common.threads : 4096,
	};
	if (a->time && weft_time_range(a->time, t->end, &how.from, &how.to, &err)) {
		status = cli_usage(&weft_command_timeline, "option '--time': %s", err.text);
	} else if (how.from > t->end) {
		char end[32];
		status = cli_usage(&weft_command_timeline, "option '--time': the trace ends at %s", weft_human_ns(end, t->end));
	} else {
		int rc = weft_timeline_svg(&svg, t, &how);
		status = rc ? cli_fail_code(rc) : write_picture(a, &svg);
	}
	weft_buf_fini(&svg);
	weft_trace_close(t);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {.width = 1200, .rows = 512, .messages = 200};
	int n;
	if (!cli_parse(&weft_command_timeline, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_timeline, argv, n, 1, 1))
		return CLI_USAGE;
	if (!a.output)
		return cli_usage(&weft_command_timeline, "say where to write, with -o OUT");
	if (a.width < WEFT_TIMELINE_WIDTH_LEAST || a.width > WEFT_TIMELINE_WIDTH_MOST)
		return cli_usage(&weft_command_timeline, "option '--width': expected %u to %u, found '%" PRIu64 "'",
		                 WEFT_TIMELINE_WIDTH_LEAST, WEFT_TIMELINE_WIDTH_MOST, a.width);
	if (a.rows == 0)
		return cli_usage(&weft_command_timeline, "option '--rows': expected at least 1");
	if (strcmp(a.output, "-") != 0 && !a.force && access(a.output, F_OK) == 0)
		return cli_usage(&weft_command_timeline, "'%s' is there already (--force replaces it)", a.output);
	return draw(&a, argv[1]);
}

const struct weft_command weft_command_timeline = {
	.name = "timeline",
	.operands = "TRACE",
	.summary = "draw a trace along time, as SVG",
	.about = "Draws a row for each thread, coloured by the region that it is in (of nested ones the\n"
		 "innermost), with the messages between them when there are few. Of a long trace each pixel\n"
		 "shows the region that had most of its time: the picture's size is bounded.\n"
		 "\n"
		 "Examples:\n"
		 "    weft timeline run.weft -o run.svg\n"
		 "    weft timeline run.weft -o zoom.svg --time 120ms..160ms",
	.options = options,
	.run = run,
};
