/* SPDX-License-Identifier: Apache-2.0 */
/* `weft cut` and `weft filter`: a smaller trace out of a trace. Cut is by time, filter by anything; both take a filter. */
#include "cli/common/cli.h"
#include "base/log.h"
#include "tool_edit.h"
#include "trace/write/origin.h"
#include "trace/write/write.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_common common;
	const char *output, *time, *like, *range;
	bool force, keep_times;
	struct cli_edit edit;
};

static const struct weft_opt cut_options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output), "the new trace, a folder OUT.weft, or OUT.prv"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time),
         "from A up to B: like 10ms..1.5s, 25%..50%, 2s.. or ..90%"},
	{0, "like", "SEEN", WEFT_OPT_STRING, offsetof(struct args, like),
         "the times of --range are those of SEEN, which was filtered or cut from TRACE"},
	{0, "range", "A..B", WEFT_OPT_STRING, offsetof(struct args, range), "with --like: from A up to B, as seen there"},
	{0, "keep-times", NULL, WEFT_OPT_FLAG, offsetof(struct args, keep_times), "keep the times of TRACE; else A becomes 0"},
	CLI_FILTER_OPTION,
	CLI_READ_OPTIONS,
	CLI_EDIT_CUT_OPTIONS(struct args, edit),
	{0},
};
static const struct weft_opt filter_options[] = {
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output), "the new trace, a folder OUT.weft, or OUT.prv"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	CLI_FILTER_OPTION,
	CLI_READ_OPTIONS,
	CLI_EDIT_FILTER_OPTIONS(struct args, edit),
	{0},
};

static void say_dropped(const struct weft_trace *t, const struct weft_write_count *kept)
{
	char a[32], b[32];
	uint64_t events = t->n_events > kept->events ? t->n_events - kept->events : 0;
	fprintf(stderr, "dropped %s of %s events", weft_human_count(a, events), weft_human_count(b, t->n_events));
	if (t->n_threads > kept->threads)
		fprintf(stderr, ", %s of %s threads", weft_human_count(a, t->n_threads - kept->threads),
		        weft_human_count(b, t->n_threads));
	fputc('\n', stderr);
}

static int write_part(const struct args *a, const char *path, bool say)
{
	struct weft_trace *t;
	struct weft_filter *f;
	struct weft_err err = {0};
	int status = cli_open(&a->common, path, &t, &f);
	if (status)
		return status;
	struct weft_write_how how = {.filter = f,
	                             .to = WEFT_NEVER,
	                             .keep_times = a->keep_times,
	                             .memory = a->common.memory,
	                             .progress = !a->common.quiet};
	struct weft_write_count kept = {0};
	how.count = say ? &kept : NULL;
	const struct weft_trace *traces[] = {t};
	struct weft_buf origin = {0};
	int rc = a->time ? weft_time_range(a->time, t->end, &how.from, &how.to, &err) : 0;
	if (!rc && how.from > t->end) {
		char end[32];
		rc = weft_err_set(&err, -ERANGE, "'%s' ends at %s, before the range '%s'", path, weft_human_ns(end, t->end),
		                  a->time);
	}
	if (!rc && (rc = weft_origin_note(&origin, t, how.from, how.to, a->keep_times)))
		weft_err_set(&err, rc, "out of memory");
	how.origin = origin.at;
	if (!rc)
		rc = weft_trace_write(traces, 1, a->output, &how, false, a->force, &err);
	if (!rc && say)
		say_dropped(t, &kept);
	weft_buf_fini(&origin);
	weft_filter_free(f);
	weft_trace_close(t);
	return rc ? cli_fail(&err) : CLI_OK;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The range that was seen in another trace, as one of TRACE; text: 64 bytes. 0 or the exit status. */
static int range_like(const struct args *a, const char *path, char *text)
{
	struct weft_trace *seen;
	struct weft_origin o = {.path = weft_str(path)};
	struct weft_err err = {0};
	struct cli_common common = a->common;
	uint64_t from, to;
	common.filter = NULL;
	int status = cli_open(&common, a->like, &seen, NULL);
	if (status)
		return status;
	int rc = weft_time_range(a->range, seen->end, &from, &to, &err);
	if (!rc && weft_trace_origin(seen, &o)) {
		const char *original = base_name(path);
		size_t n = strlen(original);
		if (o.path.n < n || memcmp(o.path.at + o.path.n - n, original, n) != 0)
			weft_log(WEFT_LOG_WARN, "'%s' was made from '%.*s', not from '%s'", a->like, (int)o.path.n, o.path.at,
			         path);
	}
	/* The end of what was seen is that of TRACE only when nothing says where it was cut. */
	uint64_t last = to < seen->end || !o.end ? to : seen->end + 1;
	if (!rc && last > UINT64_MAX - o.offset)
		snprintf(text, 64, "%" PRIu64 "ns..", from + o.offset);
	else if (!rc)
		snprintf(text, 64, "%" PRIu64 "ns..%" PRIu64 "ns", from + o.offset, last + o.offset);
	weft_trace_close(seen);
	return rc ? cli_fail(&err) : CLI_OK;
}

static int run_cut(int argc, char **argv)
{
	struct args a = {0};
	struct weft_err err = {0};
	uint64_t from, to;
	int status = cli_begin_writing(&weft_command_cut, &a, &a.common, &a.output, argc, argv);
	if (status)
		return status;
	char seen[64];
	if (!a.like != !a.range)
		return cli_usage(&weft_command_cut, "--like SEEN and --range A..B go together");
	if (a.like && a.time)
		return cli_usage(&weft_command_cut, "say the range once, with --time or with --like and --range");
	if (a.like && weft_time_range(a.range, INT64_MAX, &from, &to, &err))
		return cli_usage(&weft_command_cut, "option '--range': %s", err.text);
	if (a.like && (status = range_like(&a, argv[1], seen)))
		return status;
	a.time = a.like ? seen : a.time;
	bool line = cli_edit_is_line(&a.edit, a.output);
	if (!a.time && !a.common.filter && !(line && (a.edit.xml || a.edit.tasks || a.edit.max_size)))
		return cli_usage(&weft_command_cut, "say what to keep, with --time A..B or -f FILTER");
	if (a.time && weft_time_range(a.time, INT64_MAX, &from, &to, &err))
		return cli_usage(&weft_command_cut, "option '--time': %s", err.text);
	if (line)
		return cli_edit_cut(&weft_command_cut, &a.common, &a.edit, argv[1], a.output, a.time, a.keep_times, a.force);
	status = cli_check_folder(&weft_command_cut, a.output);
	return status ? status : write_part(&a, argv[1], false);
}

static int run_filter(int argc, char **argv)
{
	struct args a = {.keep_times = true};
	int status = cli_begin_writing(&weft_command_filter, &a, &a.common, &a.output, argc, argv);
	if (status)
		return status;
	if (cli_edit_is_line(&a.edit, a.output))
		return cli_edit_filter(&weft_command_filter, &a.common, &a.edit, argv[1], a.output, a.force);
	if (!a.common.filter)
		return cli_usage(&weft_command_filter, "say what to keep, with -f FILTER");
	status = cli_check_folder(&weft_command_filter, a.output);
	return status ? status : write_part(&a, argv[1], !a.common.quiet);
}

const struct weft_command weft_command_cut = {
	.name = "cut",
	.operands = "TRACE",
	.summary = "keep a range of time of a trace",
	.about = "Writes what happens in TRACE from A up to (and without) B as a new trace.\n"
		 "Regions that are open at A begin there, and those that are open at B end there.\n"
		 "Times are from the begin of TRACE, with a unit (ns, us, ms, s, min, h), or\n"
		 "percentages of its length. With -f only what the filter matches is kept: some\n"
		 "threads, some kinds of event. An OUT.prv is made line by line, as Paraver's cutter\n"
		 "does: what is kept is not changed, and the earliest kept time becomes 0.\n"
		 "The new trace knows where it comes from: with --like, times that were seen in\n"
		 "it (or in a filtered trace) cut the original.\n"
		 "\n"
		 "Examples:\n"
		 "    weft cut run.weft -o middle.weft --time 25%..75%\n"
		 "    weft cut run.weft -o start.weft --time ..10ms -f 'thread=1.1.*'\n"
		 "    weft cut run.prv -o middle.prv --time 25%..75% --tasks 1,3\n"
		 "    weft cut run.weft -o part.weft --like seen.weft --range 40ms..60ms",
	.options = cut_options,
	.run = run_cut,
};

const struct weft_command weft_command_filter = {
	.name = "filter",
	.operands = "TRACE",
	.summary = "keep what a filter matches of a trace",
	.about = "Writes what FILTER matches of TRACE as a new trace, at the same times. An enter\n"
		 "and its leave are kept together. Filters are the same for all commands, and\n"
		 "weft-filter-grammar(7) explains them. An OUT.prv is made line by line, as\n"
		 "Paraver's filter does: what is kept is not changed.\n"
		 "\n"
		 "Examples:\n"
		 "    weft filter run.weft -o long.weft -f 'duration>1ms or kind=message'\n"
		 "    weft filter run.weft -o solve.weft -f 'region=solve*,exchange and thread=1.1.*'\n"
		 "    weft filter run.prv -o mpi.prv --keep-types 50000001-50000003 --min-bytes 1K",
	.options = filter_options,
	.run = run_filter,
};
