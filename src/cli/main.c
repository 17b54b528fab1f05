/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command `weft`: a table of verbs, and what is said about all of them. A verb's file has its options, its help and its
 * work; this one finds it.
 */
#include "cli/common/cli.h"
#include "cli/tune/tune_tree.h"
#include "base/log.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { GROUP_MOST = 16, NAMES_MAX = 128 };
struct group {
	const char *title;
	const struct weft_command *command[GROUP_MOST];
};
static const struct group groups[] = {
	{"Record", {&weft_command_record, &weft_command_ctl, &weft_command_simulate}},
	{"Look",
         {&weft_command_open, &weft_command_info, &weft_command_stat, &weft_command_calls, &weft_command_timeline,
          &weft_command_dump, &weft_command_check, &weft_command_top, &weft_command_files}},
	{"Tasks",
         {&weft_command_tasks, &weft_command_graph, &weft_command_efficiency, &weft_command_gantt, &weft_command_panels,
          &weft_command_data, &weft_command_products}},
	{"Explain",
         {&weft_command_critical, &weft_command_waits, &weft_command_what_if, &weft_command_scale, &weft_command_regress}},
	{"Compute", {&weft_command_table, &weft_command_diff, &weft_command_view, &weft_command_paramedir, &weft_command_bound}},
	{"Predict", {&weft_command_replay, &weft_command_dimemas, &weft_command_prv2dim}},
	{"Structure", {&weft_command_cluster, &weft_command_fold, &weft_command_phases, &weft_command_track}},
	{"Change",
         {&weft_command_cut, &weft_command_filter, &weft_command_merge, &weft_command_convert, &weft_command_export,
          &weft_command_shift, &weft_command_counters, &weft_command_split, &weft_command_translate}},
	{"Tune", {&weft_command_tune, &weft_command_tunlet, &weft_command_model}},
	{"Keep", {&weft_command_index, &weft_command_pack}},
	{"This machine",
         {&weft_command_doctor, &weft_command_machine, &weft_command_bus, &weft_command_sched, &weft_command_bench,
          &weft_command_completion}},
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

static const struct weft_opt own_options[] = {
	{'h', "help", NULL, WEFT_OPT_FLAG, 0, "print this, or with a command its help"},
	{0, "version", NULL, WEFT_OPT_FLAG, 0, "print the version"},
	{0, "list-options", NULL, WEFT_OPT_FLAG, 0, "print every option of every command: COMMAND LETTER NAME ARGUMENT"},
	{0},
};
static const struct weft_opt help_option = {'h', "help", NULL, WEFT_OPT_FLAG, 0, "print this help"};

static const struct {
	const char *program;
	int (*run)(int argc, char **argv);
} compat_names[] = {{"fxt_print", cli_fxt_print},
                    {"starpu_fxt_tool", cli_fxt_tool},
                    {"paramedir", cli_paramedir},
                    {"mpi2prv", cli_mpi2prv},
                    {"Dimemas", cli_dimemas},
                    {"prv2dim", cli_prv2dim},
                    {"BurstClustering", cli_burst_clustering},
                    {"TG", cli_tg},
                    {"MATE", cli_mate},
                    {"starpu_perfmodel_display", cli_perfmodel_display},
                    {"starpu_perfmodel_plot", cli_perfmodel_plot},
                    {"starpu_perfmodel_recdump", cli_perfmodel_recdump},
                    {"starpu_top", cli_starpu_top},
                    {"starpu_lp2paje", cli_lp2paje},
                    {"starpu_tasks_rec_complete", cli_starpu_files},
                    {"starpu_workers_activity", cli_starpu_files},
                    {"starpu_codelet_profile", cli_starpu_files},
                    {"starpu_codelet_histo_profile", cli_starpu_files},
                    {"starpu_fxt_data_trace", cli_starpu_files},
                    {"starpu_paje_sort", cli_starpu_files},
                    {"starpu_paje_state_stats", cli_starpu_files},
                    {"starpu_paje_draw_histogram", cli_starpu_files},
                    {"starpu_paje_summary", cli_starpu_files},
                    {"starpu_trace_state_stats.py", cli_starpu_files},
                    {"starpu_fxt_number_events_to_names.py", cli_starpu_files},
                    {"starpu_fxt_stats", cli_starpu_files},
                    {"starpu_send_recv_data_use.py", cli_starpu_files},
                    {"starpu_mpi_comm_matrix.py", cli_starpu_files},
                    {"starpu_mlr_analysis", cli_mlr_analysis}};

const struct weft_command *cli_command(unsigned i)
{
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned k = 0; k < GROUP_MOST && groups[g].command[k]; k++)
			if (i-- == 0)
				return groups[g].command[k];
	return NULL;
}

static const struct weft_command *find_command(const char *name)
{
	const struct weft_command *c;
	for (unsigned i = 0; (c = cli_command(i)); i++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *known[NAMES_MAX] = {"help"};
	const struct weft_command *c;
	unsigned n = 1;
	for (unsigned i = 0; (c = cli_command(i)) && n < NAMES_MAX; i++)
		known[n++] = c->name;
	const char *nearest = weft_nearest(name, known, n);
	if (nearest)
		weft_log(WEFT_LOG_ERROR, "unknown command '%s' (did you mean '%s'?)", name, nearest);
	else
		weft_log(WEFT_LOG_ERROR, "unknown command '%s'", name);
	fprintf(stderr, "Try 'weft help'.\n");
	return CLI_USAGE;
}

/* -- help -- */

/* The options of a command with --help behind them; malloc'd. */
static struct weft_opt *with_help(const struct weft_opt *options)
{
	size_t n = 0;
	while (options[n].kind)
		n++;
	struct weft_opt *all = calloc(n + 2, sizeof *all);
	if (!all)
		return NULL;
	memcpy(all, options, n * sizeof *all);
	all[n] = help_option;
	return all;
}

void cli_print_help(const struct weft_command *cmd, FILE *to)
{
	const char *blank = cmd->operands[0] ? " " : "";
	struct weft_opt *all = with_help(cmd->options);
	fprintf(to, "usage: weft %s [options]%s%s\n\n%s\n\nOptions:\n", cmd->name, blank, cmd->operands, cmd->about);
	weft_opt_help(all ? all : cmd->options, to);
	free(all);
}

static void print_overview(FILE *to)
{
	fprintf(to, "usage: weft COMMAND [options] [operands]\n\nweft records, explains and tunes parallel programs.\n");
	for (unsigned g = 0; g < GROUPS; g++) {
		fprintf(to, "\n%s\n", groups[g].title);
		for (unsigned k = 0; k < GROUP_MOST && groups[g].command[k]; k++)
			fprintf(to, "  %-12s%s\n", groups[g].command[k]->name, groups[g].command[k]->summary);
	}
	fprintf(to, "\nOptions:\n");
	weft_opt_help(own_options, to);
	fprintf(to,
	        "\n'weft help COMMAND' explains a command. A first try:\n    weft record -- ./program\n    weft stat program.weft\n");
}

static int run_help(int argc, char **argv)
{
	if (argc < 2) {
		print_overview(stdout);
		return CLI_OK;
	}
	const struct weft_command *c = find_command(argv[1]);
	if (!c)
		return unknown_command(argv[1]);
	cli_print_help(c, stdout);
	return CLI_OK;
}

static void list_options(const char *command, const struct weft_opt *o)
{
	for (; o->kind; o++)
		if (o->kind != WEFT_OPT_GROUP)
			printf("%s %c %s %s\n", command, o->letter ? o->letter : '-', o->name ? o->name : "-",
			       o->arg ? o->arg : "-");
}

static int run_list_options(int argc, char **argv)
{
	const struct weft_command *c;
	(void)argc, (void)argv;
	list_options("-", own_options);
	for (unsigned i = 0; (c = cli_command(i)); i++) {
		list_options(c->name, c->options);
		list_options(c->name, (const struct weft_opt[]){help_option, {0}});
	}
	return CLI_OK;
}

static int run_version(int argc, char **argv)
{
	(void)argc, (void)argv;
	printf("weft " WEFT_VERSION "\n");
	return CLI_OK;
}

/* -- which one -- */

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} own_verbs[] = {
	{"help", run_help},
	{"--help", run_help},
	{"-h", run_help},
	{"--version", run_version},
	{"version", run_version},
	{"--list-options", run_list_options},
	{"tune-collector", cli_tune_collector},
};

/* Before "--", and before the command that a verb runs. */
static bool asks_for_help(const struct weft_command *c, int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
		if ((c->option_flags & WEFT_OPT_STOP_AT_OPERAND) && argv[i][0] != '-')
			return false;
	}
	return false;
}

/* Folders in WEFT_VIEWS, for commands that read views. */
static int check_views(const struct weft_command *c)
{
	struct weft_str rest = weft_str(getenv("WEFT_VIEWS")), part;
	char folder[4096];
	struct stat st;
	if (!strstr(c->operands, "VIEW"))
		return CLI_OK;
	while (rest.n && weft_str_cut(&rest, ':', &part)) {
		snprintf(folder, sizeof folder, "%.*s", (int)part.n, part.at);
		if (part.n && (stat(folder, &st) || !S_ISDIR(st.st_mode)))
			return cli_usage(c, "WEFT_VIEWS: '%s' is no folder", folder);
	}
	return CLI_OK;
}

/* WEFT_THREADS stands for an option, and is held to as much where the command has that. */
static int check_environment(const struct weft_command *c)
{
	const char *threads = getenv("WEFT_THREADS");
	uint64_t n;
	if (check_views(c))
		return CLI_USAGE;
	if (!threads || !*threads || (weft_parse_u64(weft_str(threads), &n) == 0 && n > 0))
		return CLI_OK;
	for (const struct weft_opt *o = c->options; o->kind; o++)
		if (o->name && strcmp(o->name, "threads") == 0)
			return cli_usage(c, "WEFT_THREADS: expected a number of threads, found '%s'", threads);
	return CLI_OK;
}

static int run_command(const struct weft_command *c, int argc, char **argv)
{
	static char name[40];
	snprintf(name, sizeof name, "weft %s", c->name);
	argv[0] = name;
	weft_log_set(WEFT_LOG_WARN, name);
	if (asks_for_help(c, argc, argv)) {
		cli_print_help(c, stdout);
		return CLI_OK;
	}
	int status = check_environment(c);
	return status ? status : c->run(argc, argv);
}

static int run_weft(int argc, char **argv)
{
	if (argc < 2) {
		print_overview(stdout);
		return CLI_OK;
	}
	for (size_t i = 0; i < sizeof own_verbs / sizeof own_verbs[0]; i++)
		if (strcmp(argv[1], own_verbs[i].name) == 0)
			return own_verbs[i].run(argc - 1, argv + 1);
	const struct weft_command *c = find_command(argv[1]);
	if (c)
		return run_command(c, argc - 1, argv + 1);
	if (argv[1][0] != '-')
		return unknown_command(argv[1]);
	weft_log(WEFT_LOG_ERROR, "unknown option '%s'", argv[1]);
	fprintf(stderr, "Try 'weft help'.\n");
	return CLI_USAGE;
}

int main(int argc, char **argv)
{
	/* A reader of our output that has seen enough ends us quietly, whatever our parent ignores. */
	signal(SIGPIPE, SIG_DFL);
	weft_log_set(WEFT_LOG_WARN, "weft");
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *program = slash ? slash + 1 : argc > 0 ? argv[0] : "weft";
	for (size_t i = 0; i < sizeof compat_names / sizeof compat_names[0]; i++)
		if (strcmp(program, compat_names[i].program) == 0)
			return cli_finish(compat_names[i].run(argc, argv));
	return cli_finish(run_weft(argc, argv));
}
