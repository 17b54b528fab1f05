/* SPDX-License-Identifier: Apache-2.0 */
/* `weft export`: a trace as one page that needs no server. */
#include "base/log.h"
#include "base/str.h"
#include "cli/common/cli.h"
#include "metric/library/library.h"
#include "saved/server_export.h"
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *output, *time, *title;
	struct weft_opt_list view;
	uint64_t limit;
	bool html, force;
};

static const struct weft_opt options[] = {
	{0, "html", NULL, WEFT_OPT_FLAG, offsetof(struct args, html),
         "as a page for a browser: one file (the only form that there is)"},
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output), "write OUT, an .html file; '-' is stdout"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	{0, "limit", "SIZE", WEFT_OPT_BYTES, offsetof(struct args, limit),
         "make it no larger than SIZE: short intervals are merged until it fits (default: 5M)"},
	{0, "view", "VIEW", WEFT_OPT_LIST, offsetof(struct args, view),
         "also the timeline and the table of this view: a name of the library; may be repeated"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time), "from A up to B only: like 10ms..1.5s, 25%..50%"},
	{0, "title", "TEXT", WEFT_OPT_STRING, offsetof(struct args, title), "title of the page (default: the trace's name)"},
	CLI_OWN_THREADS_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

static const struct server_library library = {weft_views_each, weft_view_text_named};

static int check(const struct args *a)
{
	if (!a->html)
		return cli_usage(&weft_command_export, "say as what: --html (other formats: weft convert)");
	if (!a->output)
		return cli_usage(&weft_command_export, "say where to write, with -o OUT");
	if (a->limit < SERVER_EXPORT_LEAST)
		return cli_usage(&weft_command_export,
		                 "option '--limit': expected 1M at least, as the page itself takes a quarter of that");
	if (cli_check_ending(&weft_command_export, a->output, ".html .htm", NULL))
		return CLI_USAGE;
	if (strcmp(a->output, "-") != 0 && !a->force && access(a->output, F_OK) == 0)
		return cli_usage(&weft_command_export, "'%s' is there already (--force replaces it)", a->output);
	return CLI_OK;
}

static int write_page(const struct args *a, const struct weft_buf *page)
{
	struct weft_err err = {0};
	struct weft_out out;
	if (weft_out_open(&out, a->output, &err))
		return cli_fail(&err);
	fwrite(page->at, 1, page->n, out.to);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

static void say_result(const struct args *a, const struct server_export_result *r, size_t bytes)
{
	char size[32], step[32];
	if (r->step_ns > 1)
		weft_log(WEFT_LOG_WARN, "intervals shorter than %s are merged, so that the page fits into the limit (--limit)",
		         weft_human_ns(step, r->step_ns));
	weft_log(WEFT_LOG_INFO, "'%s': %s, %" PRIu64 " intervals, tables of %u parts", a->output, weft_human_bytes(size, bytes),
	         r->intervals, r->parts);
}

static int export_trace(const struct args *a, struct server_session *s)
{
	struct weft_err err = {0};
	struct server_export_result result;
	struct weft_buf page = {0};
	struct server_export_how how = {.session = s,
	                                .title = a->title ? a->title : s->trace[0].name,
	                                .view = a->view.at,
	                                .n_views = a->view.n,
	                                .from = 0,
	                                .to = s->trace[0].trace->end,
	                                .limit = a->limit};
	char state[96];
	if (a->time && weft_time_range(a->time, how.to, &how.from, &how.to, &err))
		return cli_usage(&weft_command_export, "option '--time': %s", err.text);
	how.to = how.to > s->trace[0].trace->end ? s->trace[0].trace->end : how.to;
	if (how.to <= how.from)
		return cli_fail_text("'%s' has nothing from %" PRIu64 " ns on", s->trace[0].path, how.from);
	snprintf(state, sizeof state, "{\"from\":%" PRIu64 ",\"to\":%" PRIu64 "}", how.from, how.to);
	how.state = a->time ? state : NULL;
	int rc = server_export_page(&page, &how, &result, &err);
	int status = rc ? cli_fail(&err) : write_page(a, &page);
	if (!status)
		say_result(a, &result, page.n);
	weft_buf_fini(&page);
	return status;
}

/* Reads the trace as the server of pages does. */
static int read_trace(struct server_session *s, const char *path)
{
	struct weft_err err = {0};
	const struct timespec soon = {0, 2000000};
	uint32_t state;
	if (cli_check_input(path))
		return CLI_USAGE;
	if (server_session_add(s, path, &err) || server_session_begin(s, &err))
		return cli_fail(&err);
	while ((state = weft_load_u32(&s->trace[0].state)) != SERVER_READY && state != SERVER_FAILED)
		nanosleep(&soon, NULL);
	return state == SERVER_FAILED ? cli_fail(&s->trace[0].err) : CLI_OK;
}

static int export_run(int argc, char **argv)
{
	struct args a = {.limit = 5 << 20};
	int n;
	if (!cli_parse(&weft_command_export, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_export, argv, n, 1, 1) || check(&a))
		return CLI_USAGE;
	struct server_session *s = calloc(1, sizeof *s);
	if (!s || server_session_init(s)) {
		free(s);
		return cli_fail_code(-ENOMEM);
	}
	s->version = WEFT_VERSION;
	s->library = &library;
	s->memory = a.common.memory;
	s->threads = a.common.threads < 4096 ? (unsigned)a.common.threads : 4096;
	s->own_threads = a.common.own_threads;
	int status = read_trace(s, argv[1]);
	if (!status)
		status = export_trace(&a, s);
	server_session_fini(s);
	free(s);
	return cli_finish(status);
}

const struct weft_command weft_command_export = {
	.name = "export",
	.operands = "TRACE",
	.summary = "a trace as one page, to mail and to attach",
	.about = "Writes a page that opens without a server, in any browser: the timeline of what every\n"
		 "thread was in, messages, tables and summaries. All of it is in the one file; nothing\n"
		 "is loaded from elsewhere, and the path of TRACE is not in it. What is shorter than\n"
		 "fits into --limit is merged: it says so.\n"
		 "\n"
		 "Examples:\n"
		 "    weft export --html run.weft -o run.html\n"
		 "    weft export --html run.prv -o mpi.html --view mpi-calls --time 25%..50%\n"
		 "    weft export --html long.weft -o long.html --limit 20M",
	.options = options,
	.run = export_run,
};
