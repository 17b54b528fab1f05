/* SPDX-License-Identifier: Apache-2.0 */
/* `weft files`: what StarPU's small tools do with the files of a trace. The first operand says what to do; each of those is a row of a table. */
#include "files_cli.h"
#include <inttypes.h>
#include <string.h>

static const struct weft_opt options[] = {
	{'o', "output", "FILE", WEFT_OPT_STRING, offsetof(struct files_args, output),
         "write FILE: a picture (.svg, .png, .eps, .pdf), summary's page, sort's trace, estimate's records; distribution: which of the four"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct files_args, force), "replace FILE if it is there"},
	{'n', "names", "NAMES", WEFT_OPT_STRING, offsetof(struct files_args, names),
         "states, histogram, summary: only these states, with commas between"},
	{'r', "range", "FROM:TO", WEFT_OPT_STRING, offsetof(struct files_args, range),
         "states, histogram, summary: only states that lie within, in the trace's unit (-1: no end)"},
	{0, "bins", "N", WEFT_OPT_U64, offsetof(struct files_args, bins),
         "histogram, distribution: N bars (1 to 400; default: 30)"},
	{'s', "sequential", "MS", WEFT_OPT_STRING, offsetof(struct files_args, sequential),
         "efficiency: how long the tasks take one after the other, without anything beside them"},
	CLI_TABLE_OPTIONS,
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, quiet), "no warnings"},
	{'v', "verbose", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, verbose), "say what is being done"},
	{0},
};

static const struct {
	const char *name, *operands;
	int least, most;
	files_action *run;
} actions[] = {
	{"sort", "traces", 1, -1, files_sort},
	{"states", "traces", 1, -1, files_states},
	{"histogram", "traces", 1, -1, files_histogram},
	{"summary", "traces", 1, -1, files_summary},
	{"efficiency", "one trace.rec", 1, 1, files_efficiency},
	{"activity", "one activity.data", 1, 1, files_activity},
	{"profile", "one distrib.data, and codelets", 1, -1, files_profile},
	{"distribution", "one distrib.data", 1, 1, files_distribution},
	{"sizes", "one distrib.data, tasks.rec or trace, and codelets", 1, -1, files_sizes},
	{"estimate", "at most one tasks.rec", 0, 1, files_estimate},
	{"events", "one number_events.data", 1, 1, files_events},
	{"count", "one trace", 1, 1, files_count},
	{"use", "a folder, or comms.rec and tasks.rec", 0, 2, files_use},
	{"matrix", "one comms.rec, or a program's output", 1, 1, files_matrix},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static int run(int argc, char **argv)
{
	struct files_args a = {.common = {0}};
	const char *known[ACTIONS];
	int n;
	if (!cli_parse(&weft_command_files, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_files, argv, n, 1, -1))
		return CLI_USAGE;
	if (a.bins > 400)
		return cli_usage(&weft_command_files, "option '--bins': expected 1 to 400, found '%" PRIu64 "'", a.bins);
	for (int i = 0; i < ACTIONS; i++) {
		known[i] = actions[i].name;
		if (strcmp(argv[1], actions[i].name) != 0)
			continue;
		if (n - 1 < actions[i].least || (actions[i].most >= 0 && n - 1 > actions[i].most))
			return cli_usage(&weft_command_files, "'%s' takes %s", argv[1], actions[i].operands);
		return actions[i].run(&a, argv + 2, n - 1);
	}
	return cli_unknown(&weft_command_files, "action", argv[1], known, ACTIONS);
}

const struct weft_command weft_command_files = {
	.name = "files",
	.operands = "ACTION FILE...",
	.summary = "StarPU's paje.trace, *.rec and *.data: sort, sums, pictures",
	.about = "Works on the files that starpu_fxt_tool writes, StarPU's or ours. ACTION is\n"
		 "    sort TRACE...            puts paje.trace in the order of its times, in place\n"
		 "    states TRACE...          how often and how long each state was there, traces\n"
		 "                             beside each other (paje.trace or trace.rec)\n"
		 "    histogram TRACE...       lengths of states, traces beside each other\n"
		 "    summary TRACE...         a page: Gantt diagrams, states, histograms\n"
		 "    efficiency FILE          of trace.rec: runtime, scheduling, pipeline\n"
		 "    activity FILE            a picture of activity.data: workers and tasks over time\n"
		 "    profile FILE [CODELET]   of distrib.data: time by size of data, for each worker\n"
		 "    distribution FILE        of distrib.data: a histogram for each codelet, worker\n"
		 "                             and size\n"
		 "    sizes FILE [CODELET...]  of distrib.data, tasks.rec or a trace: time by size of\n"
		 "                             data, for each codelet\n"
		 "    estimate [FILE]          tasks.rec with what performance models say of each task\n"
		 "    events FILE              number_events.data with names for keys\n"
		 "    count FILE               how many events of each kind a paje.trace has\n"
		 "    use [FOLDER]             of comms.rec and tasks.rec: how long data waited for\n"
		 "                             the task that used them\n"
		 "    matrix FILE              of comms.rec: what each program sent to each\n"
		 "\n"
		 "Examples:\n"
		 "    weft files sort paje.trace\n"
		 "    weft files states paje.trace --json\n"
		 "    weft files histogram -n potrf,gemm paje.trace -o lengths.svg\n"
		 "    weft files efficiency trace.rec\n"
		 "    weft files activity activity.data -o activity.pdf",
	.options = options,
	.run = run,
};
