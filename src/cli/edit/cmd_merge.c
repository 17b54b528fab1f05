/* SPDX-License-Identifier: Apache-2.0 */
/* `weft merge`: several traces side by side in one. */
#include "cli/common/cli.h"
#include "base/log.h"
#include "trace/write/write.h"
#include <errno.h>
#include <stdlib.h>

struct args {
	struct cli_common common;
	const char *output;
	bool force, align;
};

static const struct weft_opt options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output), "the new trace, a folder OUT.weft"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	{0, "align", NULL, WEFT_OPT_FLAG, offsetof(struct args, align), "align by the time of day; else every trace begins at 0"},
	CLI_READ_OPTIONS,
	{0},
};

static int merge(const struct args *a, char **path, unsigned n)
{
	struct weft_write_how how = {.to = WEFT_NEVER, .memory = a->common.memory, .progress = !a->common.quiet};
	struct weft_trace **t = calloc(n, sizeof *t);
	struct weft_err err = {0};
	unsigned opened = 0;
	int status = t ? 0 : cli_fail_code(-ENOMEM);
	for (; !status && opened < n; opened++)
		status = cli_open(&a->common, path[opened], &t[opened], NULL);
	for (unsigned i = 0; !status && a->align && i < n; i++)
		if (!t[i]->begin_realtime)
			weft_log(WEFT_LOG_WARN, "'%s' does not say when it was recorded, and begins at 0", t[i]->path);
	if (!status && weft_trace_write((const struct weft_trace *const *)t, n, a->output, &how, a->align, a->force, &err))
		status = cli_fail(&err);
	for (unsigned i = 0; i < opened; i++)
		if (t[i])
			weft_trace_close(t[i]);
	free(t);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	int n;
	if (!cli_parse(&weft_command_merge, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_merge, argv, n, 1, -1))
		return CLI_USAGE;
	if (!a.output)
		return cli_usage(&weft_command_merge, "say where to write, with -o OUT");
	int status = cli_check_folder(&weft_command_merge, a.output);
	return status ? status : merge(&a, argv + 1, (unsigned)n);
}

const struct weft_command weft_command_merge = {
	.name = "merge",
	.operands = "TRACE...",
	.summary = "put several traces into one",
	.about = "Writes all TRACEs as one, their processes side by side. With --align\n"
		 "they are shifted by the time of day at which each began; else all begin at 0, as\n"
		 "one wants to compare runs. The processes of one run need no merge: they are one\n"
		 "trace.\n"
		 "\n"
		 "Examples:\n"
		 "    weft merge run.weft again.weft -o both.weft\n"
		 "    weft merge --align run.weft again.weft -o day.weft",
	.options = options,
	.run = run,
};
