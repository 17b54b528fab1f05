/* SPDX-License-Identifier: Apache-2.0 */
/*
 * StarPU's commands on the files of a trace, under their names and with their options; each is an action of `weft files` that writes files of
 * fixed names into the current folder. They end with 0, or with 1 where anything fails, as theirs do.
 */
#include "files_cli.h"
#include "base/log.h"
#include <stdlib.h>
#include <string.h>

enum kind { FLAG, TEXT, HELP, VERSION };
struct option {
	const char *word, *long_word, *argument, *help;
	enum kind kind;
	size_t offset; /* in struct files_args */
};
struct tool {
	const char *name, *operands, *about;
	const struct option *option;
	files_action *run;
	int least, most;
};

#define ASKS \
	{ \
		"-h", "--help", NULL, "this text", HELP, 0 \
	}
#define USUAL \
	ASKS, {"-v", "--version", NULL, "the version", VERSION, 0}, \
	{ \
		NULL, NULL, NULL, NULL, HELP, 0 \
	}
#define AT(member) offsetof(struct files_args, member)

static const struct option usual[] = {USUAL};
static const struct option state_options[] = {
	{"-r", NULL, "FROM:TO", "only states that lie within (-1: no end)", TEXT, AT(range)},
	{"-n", NULL, "NAMES", "only these states, with commas between", TEXT, AT(names)},
	{"-v", NULL, NULL, "print the table instead of writing statistics.csv", FLAG, AT(print)},
	ASKS,
	{NULL, NULL, NULL, NULL, HELP, 0},
};
static const struct option histogram_options[] = {
	{"-r", NULL, "FROM:TO", "only states that lie within (-1: no end)", TEXT, AT(range)},
	{"-n", NULL, "NAMES", "these states, with commas between", TEXT, AT(names)},
	{"-v", NULL, NULL, "also print the table of states", FLAG, AT(print)},
	ASKS,
	{NULL, NULL, NULL, NULL, HELP, 0},
};
static const struct option efficiency_options[] = {
	{"-t", "--time", NULL, "write where the time went to times.csv", FLAG, AT(times)},
	{"-e", "--efficiency", NULL, "write efficiencies to efficiencies.csv", FLAG, AT(efficiencies)},
	{"-s", "--seq_task_time", "MS", "how long the tasks take one after the other, for the task efficiency", TEXT,
         AT(sequential)},
	ASKS,
	{NULL, NULL, NULL, NULL, HELP, 0},
};
static const struct option input_options[] = {
	{"-i", NULL, "FILE", "the trace", TEXT, AT(output)},
	USUAL,
};
static const struct option folder_options[] = {
	{"-d", NULL, "DIR", "where the files go (default: here)", TEXT, AT(output)},
	USUAL,
};
static const struct option png_options[] = {
	{"-png", "--png", NULL, "write .png instead of .pdf", FLAG, AT(png)},
	USUAL,
};

/* Also prints the table where that is asked for. */
static int run_histogram(const struct files_args *a, char **operand, int n)
{
	int status = a->print ? files_states_starpu(a, operand, n) : CLI_OK;
	return status ? status : files_histogram(a, operand, n);
}

static int run_stats(const struct files_args *a, char **operand, int n)
{
	struct files_args how = *a;
	char *input[] = {(char *)a->output, NULL};
	how.output = NULL;
	return a->output || n ? files_count(&how, a->output ? input : operand, 1)
	                      : cli_usage(&weft_command_files, "starpu_fxt_stats wants -i FILE");
}

static const struct tool tools[] = {
	{"starpu_tasks_rec_complete", " [INPUT [OUTPUT]]",
         "Adds to each task of tasks.rec what performance models say it takes on each worker (microseconds).", usual,
         files_estimate, 0, 2},
	{"starpu_workers_activity", " activity.data", "Draws what workers did, and how many tasks there were: activity.eps.",
         usual, files_activity, 1, 1},
	{"starpu_codelet_profile", " distrib.data CODELET",
         "Writes what the codelet's tasks took by size of data: a file for each worker, and distrib.data.gp for gnuplot.", usual,
         files_profile_starpu, 2, 2},
	{"starpu_codelet_histo_profile", " distrib.data",
         "Draws a histogram of what tasks took for each codelet, worker and size: distrib.data.CODELET.WORKER.FOOTPRINT.SIZE.pdf.",
         usual, files_distribution, 1, 1},
	{"starpu_fxt_data_trace", " FILE [CODELET...]",
         "Writes what tasks took by size of data, of a trace, distrib.data or tasks.rec: a file for each codelet, and data_trace.gp for gnuplot.",
         folder_options, files_sizes_starpu, 1, -1},
	{"starpu_paje_sort", " paje.trace...", "Puts traces in the order of their times, in place.", usual, files_sort, 1, -1},
	{"starpu_paje_state_stats", " paje.trace...", "How often and how long each state was there, traces beside each other.",
         state_options, files_states_starpu, 1, 16},
	{"starpu_paje_draw_histogram", " paje.trace...", "Draws lengths of states, traces beside each other: histogram.pdf.",
         histogram_options, run_histogram, 1, 8},
	{"starpu_paje_summary", " paje.trace...", "Writes a page about traces: summary.html.", usual, files_summary, 1, 8},
	{"starpu_trace_state_stats.py", " trace.rec", "How often and how long each state was there, and efficiencies.",
         efficiency_options, files_efficiency_starpu, 1, 1},
	{"starpu_fxt_number_events_to_names.py", " number_events.data", "Prints the events' names for their keys.", usual,
         files_events, 1, 1},
	{"starpu_fxt_stats", " [FILE]", "How many events of each kind a trace has (paje.trace or trace.rec).", input_options,
         run_stats, 0, 1},
	{"starpu_send_recv_data_use.py", " [FOLDER | comms.rec tasks.rec]",
         "Draws how long data waited between messages and tasks: recv_use.pdf, send_use.pdf.", png_options, files_use, 0, 2},
	{"starpu_mpi_comm_matrix.py", " FILE",
         "Draws what programs sent to each other: FILE_volume.pdf, FILE_bandwidth.pdf. FILE: comms.rec, or a program's output.",
         png_options, files_matrix, 1, 1},
};

static void print_usage(const struct tool *t, FILE *to)
{
	fprintf(to, "usage: %s [options]%s\n%s\n", t->name, t->operands, t->about);
	for (const struct option *o = t->option; o->word; o++) {
		char left[80];
		snprintf(left, sizeof left, "%s%s%s%s%s", o->word, o->long_word ? ", " : "", o->long_word ? o->long_word : "",
		         o->argument ? " " : "", o->argument ? o->argument : "");
		fprintf(to, "  %-36s%s\n", left, o->help);
	}
}

/* "--seq_task_time=60.5", "-s=60.5" (as the script's help has it) and "-s 60.5"; "-te" is "-t -e". */
static const struct option *find_option(const struct tool *t, const char *word, const char **value)
{
	*value = NULL;
	for (const struct option *o = t->option; o->word; o++)
		for (int i = 0; i < 2; i++) {
			const char *known = i ? o->long_word : o->word;
			size_t n = known ? strlen(known) : 0;
			if (!known || strncmp(word, known, n) != 0 || (word[n] && !(word[n] == '=' && o->argument)))
				continue;
			*value = word[n] ? word + n + 1 : NULL;
			return o;
		}
	return NULL;
}

static bool set_flags(const struct tool *t, const char *letters, struct files_args *a)
{
	for (; *letters; letters++) {
		const char *unused, word[] = {'-', *letters, '\0'};
		const struct option *o = find_option(t, word, &unused);
		if (!o || o->kind != FLAG)
			return false;
		*(bool *)((char *)a + o->offset) = true;
	}
	return true;
}

static int refuse(const struct tool *t, const char *what, const char *word)
{
	weft_log(WEFT_LOG_ERROR, what, word);
	print_usage(t, stderr);
	return EXIT_FAILURE;
}

static int answer(const struct tool *t, enum kind asked)
{
	if (asked == HELP)
		print_usage(t, stdout);
	else
		printf("%s (StarPU 1.4 by Weft " WEFT_VERSION ")\n", t->name);
	return EXIT_SUCCESS;
}

/* -1: go on; else the exit status. Operands are moved to the front. */
static int read_arguments(const struct tool *t, struct files_args *a, int argc, char **argv, int *n)
{
	*n = 0;
	for (int i = 1; i < argc; i++) {
		const char *value;
		const struct option *o = find_option(t, argv[i], &value);
		if (!o && (argv[i][0] != '-' || !argv[i][1])) {
			argv[(*n)++] = argv[i];
			continue;
		}
		if (!o && argv[i][1] != '-' && set_flags(t, argv[i] + 1, a))
			continue;
		if (!o || (o->argument && !value && i + 1 >= argc))
			return refuse(t, o ? "option '%s' wants an argument" : "unknown option '%s'", argv[i]);
		if (o->kind == HELP || o->kind == VERSION)
			return answer(t, o->kind);
		if (o->kind == FLAG)
			*(bool *)((char *)a + o->offset) = true;
		else
			*(const char **)((char *)a + o->offset) = value ? value : argv[++i];
	}
	if (*n < t->least)
		return refuse(t, "expected%s", t->operands);
	return t->most >= 0 && *n > t->most ? refuse(t, "unexpected '%s'", argv[t->most]) : -1;
}

int cli_starpu_files(int argc, char **argv)
{
	struct files_args a = {.foreign = true, .force = true};
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];
	const struct tool *t = tools;
	int n, rc;
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		if (!strcmp(name, tools[i].name))
			t = &tools[i];
	weft_log_set(WEFT_LOG_WARN, t->name);
	rc = read_arguments(t, &a, argc, argv, &n);
	if (rc >= 0)
		return rc;
	return t->run(&a, argv, n) ? EXIT_FAILURE : EXIT_SUCCESS;
}
