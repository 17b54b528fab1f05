/* SPDX-License-Identifier: Apache-2.0 */
/* `weft index` and `weft pack`: the same trace, kept otherwise. */
#include "cli/common/cli.h"
#include "base/log.h"
#include "trace/weft/pack.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct index_args {
	struct cli_common common;
};
struct pack_args {
	struct cli_common common;
	uint64_t level;
	bool unpack;
};

static const struct weft_opt index_options[] = {
	{0, "rebuild", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, rebuild), "make it anew, also when it is there"},
	CLI_READ_OPTIONS,
	{0},
};

static int run_index(int argc, char **argv)
{
	struct index_args a = {0};
	int n, worst = CLI_OK;
	if (!cli_parse(&weft_command_index, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_index, argv, n, 1, -1))
		return CLI_USAGE;
	for (int i = 1; i <= n; i++) {
		struct weft_trace *t;
		int status = cli_check_input(argv[i]);
		if (!status && !(status = cli_open(&a.common, argv[i], &t, NULL)))
			weft_trace_close(t);
		worst = status > worst ? status : worst;
	}
	return worst;
}

const struct weft_command weft_command_index = {
	.name = "index",
	.operands = "TRACE...",
	.summary = "build the index of a trace",
	.about = "Builds the index that makes opening a trace immediate: columns of events sorted\n"
		 "by time, in the folder 'index' of the trace. Every command does so by itself\n"
		 "when it opens a trace that has none or that has changed since.\n"
		 "\n"
		 "Examples:\n"
		 "    weft index run.weft\n"
		 "    weft index --rebuild run.weft",
	.options = index_options,
	.run = run_index,
};

/* -- pack -- */

static const struct weft_opt pack_options[] = {
	{0, "unpack", NULL, WEFT_OPT_FLAG, offsetof(struct pack_args, unpack), "decompress"},
	{0, "level", "N", WEFT_OPT_U64, offsetof(struct pack_args, level), "of zstd, 1 (fast) to 19 (small); default 3"},
	CLI_TABLE_OPTIONS,
	{0, "threads", "N", WEFT_OPT_U64, offsetof(struct cli_common, threads), "use N threads (default: all CPUs)"},
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, quiet), "print nothing but errors"},
	{0},
};

static int pack_one(const struct pack_args *a, const char *path, struct weft_table *table)
{
	struct weft_pack_totals totals;
	struct weft_err err = {0};
	unsigned threads = cli_open_how(&a->common).threads;
	int status = cli_check_input(path);
	if (status)
		return status;
	int rc = a->unpack ? weft_trace_unpack(path, threads, &totals, &err)
	                   : weft_trace_pack(path, (int)a->level, threads, &totals, &err);
	if (!rc && totals.n_streams == 0)
		rc = weft_err_set(&err, -ENOENT, "cannot pack '%s': no stream in this folder", path);
	if (rc)
		return cli_fail(&err);
	struct weft_cell row[] = {
		{WEFT_CELL_TEXT, {.text = path}},
		{WEFT_CELL_U64, {.u64 = totals.n_streams}},
		{WEFT_CELL_U64, {.u64 = totals.n_changed}},
		{WEFT_CELL_BYTES, {.u64 = totals.bytes_before}},
		{WEFT_CELL_BYTES, {.u64 = totals.bytes_after}},
		{WEFT_CELL_PERCENT,
	         {.f64 = totals.bytes_before ? 100.0 * (double)totals.bytes_after / (double)totals.bytes_before : 100}},
	};
	rc = weft_table_row(table, row);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

static int run_pack(int argc, char **argv)
{
	static const struct weft_column columns[] = {
		{"trace", "trace", WEFT_CELL_TEXT},        {"streams", "streams", WEFT_CELL_U64},
		{"changed", "changed", WEFT_CELL_U64},     {"bytes_before", "before", WEFT_CELL_BYTES},
		{"bytes_after", "after", WEFT_CELL_BYTES}, {"percent", "of it", WEFT_CELL_PERCENT},
	};
	struct pack_args a = {0};
	struct weft_table table;
	int n, worst = CLI_OK;
	if (!cli_parse(&weft_command_pack, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_pack, argv, n, 1, -1))
		return CLI_USAGE;
	if (a.level > 19)
		return cli_usage(&weft_command_pack, "option '--level': expected 1 to 19, found '%" PRIu64 "'", a.level);
	weft_table_init(&table, columns, sizeof columns / sizeof columns[0]);
	for (int i = 1; i <= n; i++) {
		int status = pack_one(&a, argv[i], &table);
		worst = status > worst ? status : worst;
	}
	int status = CLI_OK;
	if (!a.common.quiet && weft_table_rows(&table))
		status = cli_table(&table, &a.common);
	else
		weft_table_fini(&table);
	return worst ? worst : status;
}

const struct weft_command weft_command_pack = {
	.name = "pack",
	.operands = "TRACE...",
	.summary = "compress a trace in place, or decompress it",
	.about = "Compresses the streams of each TRACE with zstd, in place. Every command reads\n"
		 "packed traces as they are. A stream is replaced when its packed form is\n"
		 "complete and on disk; one that is still being recorded is refused.\n"
		 "\n"
		 "Examples:\n"
		 "    weft pack run.weft\n"
		 "    weft pack --level 19 run.weft\n"
		 "    weft pack --unpack run.weft",
	.options = pack_options,
	.run = run_pack,
};
