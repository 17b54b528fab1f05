/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A verb is a file, a row of the table in main.c, a man page. Only this folder prints to the user and exits.
 * Exit status: 0 ok (also with recovered damage, after a warning); 1 the answer is no; 2 usage or unreadable input; 70 our fault.
 */
#ifndef WEFT_CLI_CLI_H
#define WEFT_CLI_CLI_H

#include "base/opt.h"
#include "base/table.h"
#include "trace/filter.h"
#include "trace/trace.h"

struct weft_command {
	const char *name;     /* "dump" */
	const char *operands; /* "TRACE" */
	const char *summary;  /* one line, for `weft help` */
	const char *about;    /* a paragraph and examples, for `weft dump --help` */
	const struct weft_opt *options;
	unsigned option_flags;             /* of weft_opt_parse */
	int (*run)(int argc, char **argv); /* argv[0] is "weft dump"; returns the exit status */
};
extern const struct weft_command weft_command_record, weft_command_info, weft_command_dump, weft_command_stat,
	weft_command_convert, weft_command_cut, weft_command_filter, weft_command_merge, weft_command_check, weft_command_index,
	weft_command_pack, weft_command_doctor;

/* Options that every command that reads traces has; `struct cli_common` is the first member of its arguments. */
struct cli_common {
	bool quiet, verbose, json, csv, rebuild;
	uint64_t memory, threads;
	const char *filter;
};
/* clang-format off */
#define CLI_READ_OPTIONS \
	{0, "memory", "SIZE", WEFT_OPT_BYTES, offsetof(struct cli_common, memory), "use at most SIZE of memory (default: a quarter of the machine's)"}, \
	{0, "threads", "N", WEFT_OPT_U64, offsetof(struct cli_common, threads), "use N threads (default: all CPUs)"}, \
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, quiet), "no progress, no warnings"}, \
	{'v', "verbose", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, verbose), "say what is being done"}
#define CLI_FILTER_OPTION \
	{'f', "filter", "FILTER", WEFT_OPT_STRING, offsetof(struct cli_common, filter), "only what FILTER matches (see weft-filter-grammar(7))"}
#define CLI_TABLE_OPTIONS \
	{0, "json", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, json), "print JSON"}, \
	{0, "csv", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, csv), "print CSV"}
/* clang-format on */

/* Parses; prints the error and a hint and returns false on bad usage. */
bool cli_parse(const struct weft_command *cmd, void *into, int argc, char **argv, int *n_operands);
/* Opens a trace and its filter (NULL when none); prints problems as warnings. 0 or the exit status. */
int cli_open(const struct cli_common *c, const char *path, struct weft_trace **t, struct weft_filter **f);
int cli_fail(const struct weft_err *err); /* prints; returns 2, or 70 for faults of ours */
enum weft_table_form cli_form(const struct cli_common *c);

#endif
