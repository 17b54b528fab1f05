/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A verb is a file, a row of the table in main.c, a man page. Only this folder prints to the user and exits.
 * Exit status: 0 ok (also with recovered damage, after a warning); 1 the answer is no; 2 usage or unreadable input; 70 our fault.
 */
#ifndef WEFT_CLI_CLI_H
#define WEFT_CLI_CLI_H

#include "base/fs.h"
#include "base/opt.h"
#include "base/table.h"
#include "trace/filter/filter.h"
#include "trace/filter/need.h"
#include "trace/store/trace.h"

enum { CLI_OK = 0, CLI_NO = 1, CLI_USAGE = 2 };

struct weft_command {
	const char *name;     /* "dump" */
	const char *operands; /* "TRACE" */
	const char *summary;  /* one line, for `weft help` */
	const char *about;    /* a paragraph and examples, for `weft dump --help` */
	const struct weft_opt *options;
	unsigned option_flags;             /* of weft_opt_parse */
	int (*run)(int argc, char **argv); /* argv[0] is "weft dump"; returns the exit status */
};
extern const struct weft_command weft_command_ctl;
extern const struct weft_command weft_command_record, weft_command_info, weft_command_dump, weft_command_stat,
	weft_command_convert, weft_command_cut, weft_command_filter, weft_command_merge, weft_command_check, weft_command_index,
	weft_command_pack, weft_command_doctor, weft_command_completion, weft_command_timeline, weft_command_paramedir,
	weft_command_view, weft_command_table, weft_command_diff, weft_command_shift, weft_command_counters, weft_command_split,
	weft_command_translate;
extern const struct weft_command weft_command_tunlet;
extern const struct weft_command weft_command_tune, weft_command_top, weft_command_simulate;
extern const struct weft_command weft_command_model, weft_command_files, weft_command_bound;
extern const struct weft_command weft_command_machine, weft_command_bus, weft_command_sched, weft_command_bench;
extern const struct weft_command weft_command_products;
extern const struct weft_command weft_command_tasks;
extern const struct weft_command weft_command_graph;
extern const struct weft_command weft_command_efficiency, weft_command_scale, weft_command_regress;
extern const struct weft_command weft_command_gantt;
extern const struct weft_command weft_command_panels;
extern const struct weft_command weft_command_data;
extern const struct weft_command weft_command_calls;
extern const struct weft_command weft_command_replay, weft_command_dimemas, weft_command_prv2dim;
extern const struct weft_command weft_command_cluster;
extern const struct weft_command weft_command_fold;
extern const struct weft_command weft_command_phases;
extern const struct weft_command weft_command_track;
extern const struct weft_command weft_command_critical, weft_command_what_if, weft_command_waits;
extern const struct weft_command weft_command_open;
extern const struct weft_command weft_command_export;

/* The table of main.c, as others see it; ends with NULL. */
const struct weft_command *cli_command(unsigned i);

/* Options that every command that reads traces has; `struct cli_common` is the first member of its arguments. */
struct cli_common {
	bool quiet, verbose, json, csv, rebuild, own_threads;
	uint64_t memory, threads;
	const char *filter;
};
/* clang-format off */
#define CLI_READ_OPTIONS \
	{0, "memory", "SIZE", WEFT_OPT_BYTES, offsetof(struct cli_common, memory), \
	 "use at most SIZE of memory (default: a quarter of the machine's)"}, \
	{0, "threads", "N", WEFT_OPT_U64, offsetof(struct cli_common, threads), "use N threads (default: all CPUs)"}, \
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, quiet), "no progress, no warnings"}, \
	{'v', "verbose", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, verbose), "say what is being done"}
#define CLI_FILTER_OPTION \
	{'f', "filter", "FILTER", WEFT_OPT_STRING, offsetof(struct cli_common, filter), \
	 "only what FILTER matches (see weft-filter-grammar(7))"}
#define CLI_OWN_THREADS_OPTION \
	{0, "own-threads", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, own_threads), \
	 "also show the threads that Weft itself has in the program"}
#define CLI_TABLE_OPTIONS \
	{0, "json", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, json), "print JSON"}, \
	{0, "csv", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, csv), "print CSV"}
/* clang-format on */

/* Parses; prints the error and a hint and returns false on bad usage. */
bool cli_parse(const struct weft_command *cmd, void *into, int argc, char **argv, int *n_operands);
/* Whether the count of operands is right (most < 0: any number); prints what is wrong. */
bool cli_operands(const struct weft_command *cmd, char **argv, int n, int least, int most);
/* Sets what weft_log shows, from --quiet and --verbose. */
void cli_talk(const struct cli_common *c, const char *argv0);
/* All of this, for a command of one operand that writes where -o says (`common` and `output` lie in `into`). 0 or the exit status. */
int cli_begin_writing(const struct weft_command *cmd, void *into, const struct cli_common *common, const char *const *output,
                      int argc, char **argv);
/* Prints one line about bad usage and a hint at --help; returns 2. */
int cli_usage(const struct weft_command *cmd, const char *fmt, ...) WEFT_PRINTF(2, 3);
/* The same for a name that is none of those known: with the one that was perhaps meant, else with all. */
int cli_unknown(const struct weft_command *cmd, const char *what, const char *name, const char *const *known, size_t n_known);

/*
 * A list of names with commas between, as bits: 1 << place in `known` (at most 32 of them); "all" and "none" are names, too. 0, or the exit status
 * after a message; what: "option '--show': unknown name".
 */
int cli_bits(const struct weft_command *cmd, const char *what, const char *list, const char *const *known, unsigned n_known,
             unsigned *bits);

/* How to open a trace, and a trace with its filter (NULL when none); prints problems as warnings. 0 or the exit status. */
struct weft_open_how cli_open_how(const struct cli_common *c);
int cli_open(const struct cli_common *c, const char *path, struct weft_trace **t, struct weft_filter **f);
/* A .prv without its .pcf: a warning that what a view shows has numbers for names. */
void cli_say_no_labels(const struct weft_trace *t);
/* For what is read more than once: a file or a folder, no pipe. 0, or the exit status after a message. */
int cli_check_input(const char *path);
/*
 * Where the trace is larger than the memory limit: says so, and the `weft filter` command that makes a smaller trace with what is
 * needed. Else nothing. For commands that compute a view.
 */
void cli_say_large(const struct cli_common *c, const struct weft_trace *t, const struct weft_need *n);
/* For what writes a folder of streams: that `output` is not called as files of another format are. 0, or the exit status. */
int cli_check_folder(const struct weft_command *cmd, const char *output);
/*
 * That `output` ends with one of the `known` endings (".svg .png"), or has none: the part behind the last dot of its last name, when
 * that begins with a letter. `instead`: what else would say the format, or NULL. 0, or the exit status after a message.
 */
int cli_check_ending(const struct weft_command *cmd, const char *output, const char *known, const char *instead);
/* Prints one line of its own; returns 2. */
int cli_fail_text(const char *fmt, ...) WEFT_PRINTF(1, 2);
int cli_fail(const struct weft_err *err); /* prints; returns 2 (what is our fault goes through WEFT_BUG, and ends with 70) */
int cli_write_whole(const char *path, const struct weft_buf *text); /* a file of its own; the exit status */
enum weft_table_form cli_form(const struct cli_common *c);
/* Prints and frees the table; the exit status. */
int cli_table(struct weft_table *t, const struct cli_common *c);
/* For a failed call that filled no weft_err: "out of memory" and the like. */
int cli_fail_code(int code);
/* Flushes stdout; an error of writing is printed. `status`, or 2 when it failed. */
int cli_finish(int status);

/*
 * What came with Weft: the first of `relative` (to the folder of this program) that is there. 0, or -ENOENT.
 */
int cli_find_own(const char *const *relative, unsigned n, char *out, size_t room);

void cli_print_help(const struct weft_command *cmd, FILE *to);
int cli_fxt_tool(int argc, char **argv);
int cli_fxt_print(int argc, char **argv);
int cli_paramedir(int argc, char **argv);
int cli_tg(int argc, char **argv);
int cli_mate(int argc, char **argv);
int cli_perfmodel_display(int argc, char **argv);
int cli_perfmodel_plot(int argc, char **argv);
int cli_perfmodel_recdump(int argc, char **argv);
int cli_starpu_files(int argc, char **argv);
int cli_starpu_top(int argc, char **argv);
int cli_mlr_analysis(int argc, char **argv);
int cli_lp2paje(int argc, char **argv);
int cli_mpi2prv(int argc, char **argv);
int cli_dimemas(int argc, char **argv);
int cli_prv2dim(int argc, char **argv);
int cli_burst_clustering(int argc, char **argv);

#endif
