/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft products`, and starpu_fxt_tool under its name: the files that StarPU's trace tool makes. The verb has options as all verbs have
 * them, and replaces no file unless told; the other has StarPU's words, and replaces what is there.
 */
#include "cli/common/cli.h"
#include "base/log.h"
#include "products/products.h"
#include "trace/open.h"
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_MIB = 256 }; /* for reading: each trace is read twice, from front to back */
struct products_args {
	struct cli_common common;
	const char *folder, *paje;
	bool colors, no_events, no_counter, no_bus, no_flops, no_smooth, no_acquire, no_dependencies;
	bool memory_states, internal, label_dependencies, number_events, use_task_color, force;
};

static const struct weft_opt options[] = {
	{'d', "dir", "DIR", WEFT_OPT_STRING, offsetof(struct products_args, folder),
         "write into DIR, which is made (default: here)"},
	{'o', "output", "FILE", WEFT_OPT_STRING, offsetof(struct products_args, paje),
         "call the Gantt chart FILE (default: paje.trace)"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, force), "replace files that are there"},
	{'c', "colors", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, colors), "a colour for each kind of task"},
	{0, "no-events", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, no_events), "no events in the chart"},
	{0, "no-counter", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, no_counter), "no submitted and ready tasks"},
	{0, "no-bus", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, no_bus), "no transfers and bandwidths"},
	{0, "no-flops", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, no_flops), "no GFlop/s"},
	{0, "no-smooth", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, no_smooth),
         "show idle times of less than a microsecond between a worker's regions, too"},
	{0, "no-acquire", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, no_acquire), "no acquisitions of data"},
	{0, "no-deps", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, no_dependencies), "no arrows for dependencies"},
	{0, "memory-states", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, memory_states),
         "events for what becomes of each handle's copies"},
	{0, "internal", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, internal),
         "the runtime's own tasks in the task graph"},
	{0, "label-deps", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, label_dependencies), "say what each dependency is"},
	{0, "number-events", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, number_events),
         "write number_events.data: how many events of each kind"},
	{0, "use-task-color", NULL, WEFT_OPT_FLAG, offsetof(struct products_args, use_task_color),
         "tasks have their own colour in contexts, too"},
	CLI_READ_OPTIONS,
	{0},
};

/* ---- both ---- */

static void say_what_was_made(const struct products_args *a, const struct weft_products_made *made)
{
	char tasks[32], bytes[32];
	weft_log(WEFT_LOG_INFO, "%s tasks of %u program%s, %s in all", weft_human_count(tasks, made->n_tasks),
	         (unsigned)made->n_programs, made->n_programs == 1 ? "" : "s", weft_human_bytes(bytes, made->n_bytes));
	if (made->signal && !a->common.quiet)
		weft_log(WEFT_LOG_WARN, "the program was killed by signal %d: the files go up to there", made->signal);
	if (made->n_unfinished && !a->common.quiet)
		weft_log(WEFT_LOG_WARN, "%" PRIu64 " of %" PRIu64 " tasks have no end in the trace", made->n_unfinished,
		         made->n_tasks);
	if (!made->has_detail && made->n_tasks && !a->common.quiet)
		weft_log(WEFT_LOG_WARN,
		         "tasks say their times only: record with '--on starpu_detail', or STARPU_FXT_TRACE=1, for the rest");
}

static int write_products(const struct products_args *a, struct weft_trace **trace, uint32_t n, bool keep)
{
	const struct weft_products_how how = {.folder = a->folder,
	                                      .paje = a->paje,
	                                      .colors = a->colors,
	                                      .no_events = a->no_events,
	                                      .no_counter = a->no_counter,
	                                      .no_bus = a->no_bus,
	                                      .no_flops = a->no_flops,
	                                      .no_smooth = a->no_smooth,
	                                      .no_acquire = a->no_acquire,
	                                      .no_dependencies = a->no_dependencies,
	                                      .memory_states = a->memory_states,
	                                      .internal = a->internal,
	                                      .label_dependencies = a->label_dependencies,
	                                      .number_events = a->number_events,
	                                      .use_task_color = a->use_task_color,
	                                      .keep = keep};
	struct weft_products_made made;
	struct weft_err err = {0};
	if (weft_products_write(trace, n, &how, &made, &err))
		return cli_fail(&err);
	say_what_was_made(a, &made);
	return CLI_OK;
}

/* Each rank is recorded once, and each recording has one: then they are one run, whose processes can be told apart. */
static bool are_one_run(struct weft_trace *const *trace, uint32_t n)
{
	bool is = n > 1;
	for (uint32_t i = 0; i < n && is; i++) {
		bool has_rank = false;
		is = !strcmp(trace[i]->format, "weft");
		for (uint32_t p = 0; p < trace[i]->n_processes && is; p++) {
			int32_t rank = trace[i]->process[p].rank;
			has_rank |= rank >= 0;
			for (uint32_t k = 0; k < i && is && rank >= 0; k++)
				for (uint32_t q = 0; q < trace[k]->n_processes; q++)
					is &= trace[k]->process[q].rank != rank;
		}
		is &= has_rank;
	}
	return is;
}

/* In place of the first; the others are closed. Where that fails they stay, and are put side by side by the time of day. */
static uint32_t put_together(const struct cli_common *common, char **input, struct weft_trace **trace, uint32_t n)
{
	struct weft_open_how how = cli_open_how(common);
	struct weft_err err = {0};
	struct weft_trace *all;
	if (!are_one_run(trace, n))
		return n;
	if (weft_trace_open_together(&all, (const char *const *)input, n, &how, &err)) {
		weft_log(WEFT_LOG_WARN, "%s: the traces are put side by side by the time of day", err.text);
		return n;
	}
	for (uint32_t i = 0; i < n; i++) {
		weft_trace_close(trace[i]);
		trace[i] = NULL;
	}
	trace[0] = all;
	return 1;
}

/* What StarPU says nothing of: how far times of different nodes can be compared. */
static void say_clocks(const struct products_args *a, struct weft_trace *const *trace, uint32_t n)
{
	const char *text = n == 1 ? weft_trace_note(trace[0], WEFT_NOTE_CLOCKS) : NULL;
	unsigned clocks = 0, synced = 0;
	if (text && sscanf(text, "%u %u", &clocks, &synced) == 2 && synced + 1 < clocks && !a->common.quiet)
		weft_log(WEFT_LOG_WARN,
		         "clocks of %u of %u nodes are aligned by the time of day only: no barrier, no point that all processes passed "
		         "was recorded",
		         clocks - synced - 1, clocks);
	else if (clocks > 1)
		weft_log(WEFT_LOG_INFO, "clocks of %u nodes are aligned by points that their processes passed together", clocks);
}

static int make_products(const struct products_args *a, char **input, uint32_t n, bool keep)
{
	struct weft_trace **trace = calloc(n, sizeof *trace);
	struct cli_common common = a->common;
	common.memory = common.memory ? common.memory : (uint64_t)MEMORY_MIB << 20;
	int status = trace ? CLI_OK : cli_fail_code(-ENOMEM);
	for (uint32_t i = 0; i < n && !status; i++)
		status = cli_open(&common, input[i], &trace[i], NULL);
	if (!status) {
		n = put_together(&common, input, trace, n);
		say_clocks(a, trace, n);
		status = write_products(a, trace, n, keep);
	}
	for (uint32_t i = 0; trace && i < n; i++)
		weft_trace_close(trace[i]);
	free(trace);
	return status;
}

/* ---- the verb ---- */

static int run(int argc, char **argv)
{
	struct products_args a = {.common = {0}};
	int n;
	if (!cli_parse(&weft_command_products, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_products, argv, n, 1, -1))
		return CLI_USAGE;
	return make_products(&a, argv + 1, (uint32_t)n, !a.force);
}

const struct weft_command weft_command_products = {
	.name = "products",
	.operands = "TRACE...",
	.summary = "StarPU's files from a trace: paje.trace, dag.dot, tasks.rec, ...",
	.about = "Makes of traces of StarPU programs the files that StarPU's trace tool makes:\n"
		 "paje.trace (a Gantt chart with curves, for ViTE), dag.dot (the task graph, for\n"
		 "Graphviz), tasks.rec, sched_tasks.rec, data.rec, comms.rec, papi.rec and\n"
		 "trace.rec (for recutils), activity.data, distrib.data and trace.html. Several\n"
		 "traces are programs of one run. starpu_fxt_tool is this, with StarPU's options.\n"
		 "\n"
		 "Examples:\n"
		 "    weft record --on starpu_detail -- ./cholesky\n"
		 "    weft products cholesky.weft -d files\n"
		 "    weft products rank0.weft rank1.weft -d files -c",
	.options = options,
	.run = run,
};

/* ---- starpu_fxt_tool ---- */

static const struct {
	const char *word, *argument, *help;
	const char *option; /* of the verb; NULL: done here */
} foreign[] = {
	{"i", "FILE...", "traces to read; several are programs of one run", NULL},
	{"o", "FILE", "the name of the Gantt chart's file (default: paje.trace)", "output"},
	{"d", "DIR", "where the files go (default: here)", "dir"},
	{"c", NULL, "a colour for each kind of task", "colors"},
	{"no-events", NULL, "no events in the chart", "no-events"},
	{"no-counter", NULL, "no submitted and ready tasks", "no-counter"},
	{"no-bus", NULL, "no transfers and bandwidths", "no-bus"},
	{"no-flops", NULL, "no GFlop/s", "no-flops"},
	{"no-smooth", NULL, "idle times of less than a microsecond, too", "no-smooth"},
	{"no-acquire", NULL, "no acquisitions of data", "no-acquire"},
	{"no-deps", NULL, "no arrows for dependencies", "no-deps"},
	{"memory-states", NULL, "events for what becomes of each handle's copies", "memory-states"},
	{"internal", NULL, "the runtime's own tasks in the task graph", "internal"},
	{"label-deps", NULL, "say what each dependency is", "label-deps"},
	{"number-events", NULL, "write number_events.data", "number-events"},
	{"use-task-color", NULL, "tasks have their own colour in contexts, too", "use-task-color"},
	{"help", NULL, "print this", NULL},
	{"h", NULL, NULL, NULL},
	{"version", NULL, "print the version", NULL},
	{"v", NULL, NULL, NULL},
};
enum { FOREIGN = sizeof foreign / sizeof *foreign };

static int print_foreign_help(FILE *to)
{
	fprintf(to, "usage: starpu_fxt_tool [options] -i FILE...\n"
	            "Makes paje.trace, dag.dot, tasks.rec, data.rec, activity.data and others of traces.\n");
	for (int i = 0; i < FOREIGN; i++) {
		char left[40];
		if (!foreign[i].help)
			continue;
		snprintf(left, sizeof left, "-%s%s%s", foreign[i].word, foreign[i].argument ? " " : "",
		         foreign[i].argument ? foreign[i].argument : "");
		fprintf(to, "  %-22s%s\n", left, foreign[i].help);
	}
	return EXIT_SUCCESS;
}

static int find_foreign(const char *word)
{
	const char *name = word + 1 + (word[1] == '-');
	for (int i = 0; i < FOREIGN; i++)
		if (!strcmp(foreign[i].word, name))
			return i;
	return -1;
}

static void set_option(struct products_args *a, const char *name, const char *argument)
{
	for (const struct weft_opt *o = options; o->kind; o++) {
		if (!o->name || strcmp(o->name, name) != 0)
			continue;
		char *at = (char *)a + o->offset;
		if (o->kind == WEFT_OPT_FLAG)
			*(bool *)at = true;
		else
			*(const char **)(void *)at = argument;
	}
}

/* Inputs are moved to the front. -1: go on; else the exit status. */
static int read_foreign(struct products_args *a, int argc, char **argv, int *n)
{
	*n = 0;
	for (int i = 1; i < argc; i++) {
		int o = argv[i][0] == '-' && argv[i][1] ? find_foreign(argv[i]) : -1;
		if (argv[i][0] != '-' || !argv[i][1]) {
			argv[(*n)++] = argv[i];
			continue;
		}
		if (o < 0 || (foreign[o].argument && i + 1 >= argc)) {
			weft_log(WEFT_LOG_ERROR, o < 0 ? "unknown option '%s' (see -help)" : "option '%s' wants %s", argv[i],
			         o < 0 ? "" : foreign[o].argument);
			return EXIT_FAILURE;
		}
		if (foreign[o].option) {
			const char *argument = foreign[o].argument ? argv[++i] : NULL;
			set_option(a, foreign[o].option, argument);
		} else if (foreign[o].word[0] == 'h') {
			return print_foreign_help(stdout);
		} else if (foreign[o].word[0] == 'v') {
			printf("starpu_fxt_tool (StarPU 1.4 by Weft " WEFT_VERSION ")\n");
			return EXIT_SUCCESS;
		}
	}
	return -1;
}

int cli_fxt_tool(int argc, char **argv)
{
	struct products_args a = {.common = {0}};
	int n, status;
	weft_log_set(WEFT_LOG_WARN, "starpu_fxt_tool");
	status = read_foreign(&a, argc, argv, &n);
	if (status >= 0)
		return status;
	if (!n) {
		weft_log(WEFT_LOG_ERROR, "no trace is given: -i FILE (see -help)");
		return EXIT_FAILURE;
	}
	return make_products(&a, argv, (uint32_t)n, false) ? EXIT_FAILURE : EXIT_SUCCESS;
}
