/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft shift`, `counters`, `split` and `translate`: the trace tools that have a verb of their own. Each takes any trace and
 * writes a .prv, or by way of one a trace of ours.
 */
#include "cli/common/cli.h"
#include "base/log.h"
#include "tool_files.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *output;
	bool force;
	const char *times, *by;                     /* shift */
	const char *xml, *sum, *count, *keep_types; /* counters */
	uint64_t every, bursts;
	bool together, in_bursts, no_states, summarize;
	uint64_t type;    /* split */
	const char *like; /* translate */
};

#define OUTPUT_OPTIONS(what) \
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output), what}, \
	{ \
		0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there" \
	}

/* -- shift -- */

static const struct weft_opt shift_options[] = {
	OUTPUT_OPTIONS("the new trace, OUT.prv or a folder OUT.weft"),
	{0, "times", "FILE", WEFT_OPT_STRING, offsetof(struct args, times), "a file of times in TRACE's units, one a line"},
	{0, "by", "LEVEL", WEFT_OPT_STRING, offsetof(struct args, by),
         "a time for each thread (default), process, application, or all"},
	CLI_FILTER_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

static bool find_level(const char *word, enum weft_tool_level *out)
{
	static const struct {
		const char *word;
		enum weft_tool_level level;
	} levels[] = {{"thread", WEFT_TOOL_THREAD},   {"process", WEFT_TOOL_TASK}, {"task", WEFT_TOOL_TASK},
	              {"application", WEFT_TOOL_APP}, {"all", WEFT_TOOL_WORKLOAD}, {"workload", WEFT_TOOL_WORKLOAD}};
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (!strcmp(word, levels[i].word)) {
			*out = levels[i].level;
			return true;
		}
	return false;
}

static int run_shift(int argc, char **argv)
{
	struct args a = {.by = "thread"};
	enum weft_tool_level level;
	int status = cli_begin_writing(&weft_command_shift, &a, &a.common, &a.output, argc, argv);
	if (status)
		return status;
	if (!a.times)
		return cli_usage(&weft_command_shift, "say how far, with --times FILE");
	if (!find_level(a.by, &level))
		return cli_usage(&weft_command_shift, "option '--by': expected thread, process, application or all, found '%s'",
		                 a.by);
	struct cli_tool_files f;
	struct weft_tool_report report = {0};
	struct weft_err err = {0};
	status = cli_tool_begin(&f, &a.common, argv[1], a.output, a.force);
	int rc = status ? 0 : weft_tool_shift(f.from, f.to, a.times, level, (unsigned)a.common.threads, &report, &err);
	return cli_tool_end(&f, status, rc, &report, &err);
}

const struct weft_command weft_command_shift = {
	.name = "shift",
	.operands = "TRACE",
	.summary = "move threads or processes in time",
	.about = "Adds a time to all records of each thread, process or application of TRACE, as\n"
		 "where clocks were apart. FILE has one time a line, in the trace's units (ns for\n"
		 "ours), in the order of the objects; lines that begin with # are comments. A message\n"
		 "moves with its sender.\n"
		 "\n"
		 "Examples:\n"
		 "    weft shift run.prv -o aligned.prv --times offsets.txt --by process",
	.options = shift_options,
	.run = run_shift,
};

/* -- counters -- */

static const struct weft_opt counter_options[] = {
	OUTPUT_OPTIONS("the new trace, OUT.prv or a folder OUT.weft"),
	{0, "xml", "FILE", WEFT_OPT_STRING, offsetof(struct args, xml), "as <software_counters> of Paraver's XML file says"},
	{0, "sum", "TYPES", WEFT_OPT_STRING, offsetof(struct args, sum), "add up the values of these event types"},
	{0, "count", "TYPES", WEFT_OPT_STRING, offsetof(struct args, count),
         "count the events of these types, each value apart; like '50000001:3,10;50000002'"},
	{0, "together", NULL, WEFT_OPT_FLAG, offsetof(struct args, together), "count all values of a type together"},
	{0, "every", "TIME", WEFT_OPT_NS, offsetof(struct args, every), "a sample at Running states at least TIME apart"},
	{0, "bursts", "TIME", WEFT_OPT_NS, offsetof(struct args, bursts), "samples around each Running state of at least TIME"},
	{0, "in-bursts", NULL, WEFT_OPT_FLAG, offsetof(struct args, in_bursts), "count only within these states"},
	{0, "keep-types", "TYPES", WEFT_OPT_STRING, offsetof(struct args, keep_types), "keep events of these types"},
	{0, "no-states", NULL, WEFT_OPT_FLAG, offsetof(struct args, no_states), "write no states"},
	{0, "summarize", NULL, WEFT_OPT_FLAG, offsetof(struct args, summarize),
         "with --every: an event of type 1 with the Running time since the last sample, no states"},
	CLI_FILTER_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

static int set_counters(const struct args *a, struct weft_tool_counters *c)
{
	const struct weft_command *cmd = &weft_command_counters;
	if (!a->sum && !a->count)
		return cli_usage(cmd, "say what to count, with --count TYPES or --sum TYPES");
	if (!a->every == !a->bursts)
		return cli_usage(cmd, "say when to write samples, with --every TIME or --bursts TIME");
	c->by_intervals = a->every != 0;
	c->remove_states = a->no_states;
	c->summarize = a->summarize;
	c->global = a->together;
	c->only_in_burst = a->in_bursts;
	int status = cli_tool_types(cmd, "sum", a->sum, &c->accumulate);
	if (!status)
		status = cli_tool_types(cmd, "count", a->count, &c->count);
	return status ? status : cli_tool_types(cmd, "keep-types", a->keep_types, &c->keep);
}

static int run_counters(int argc, char **argv)
{
	struct args a = {0};
	struct weft_tool_options o = {.has = 0};
	struct cli_tool_files f = {0};
	struct weft_tool_report report = {0};
	struct weft_err err = {0};
	uint64_t end, unit;
	int status = cli_begin_writing(&weft_command_counters, &a, &a.common, &a.output, argc, argv);
	if (status)
		return status;
	status = a.xml ? cli_tool_xml(a.xml, &o, WEFT_TOOL_HAS_COUNTERS, "software_counters") : set_counters(&a, &o.counters);
	if (!status) {
		status = cli_tool_begin(&f, &a.common, argv[1], a.output, a.force);
		int rc = status ? 0 : weft_tool_trace_end(f.from, &end, &unit, &err);
		if (!status && !rc && !a.xml) {
			o.counters.interval = a.every / unit;
			o.counters.min_burst_time = a.bursts / unit;
		}
		if (!status && !rc)
			rc = weft_tool_counters(f.from, f.to, &o.counters, &report, &err);
		status = cli_tool_end(&f, status, rc, &report, &err);
	}
	weft_tool_options_fini(&o);
	return status;
}

const struct weft_command weft_command_counters = {
	.name = "counters",
	.operands = "TRACE",
	.summary = "make a small trace: events become counters",
	.about = "Replaces events by samples that say how often they came, or what their values add\n"
		 "up to, in each thread since its last sample. The new trace is a small one, which shows\n"
		 "the whole run at once. Types are numbers as Paraver has them; each value is counted\n"
		 "apart unless --together. Messages, and events that are not kept, go.\n"
		 "\n"
		 "Examples:\n"
		 "    weft counters run.prv -o small.prv --count 50000001 --every 100ms\n"
		 "    weft counters run.prv -o ins.prv --sum 42000050 --bursts 1ms --in-bursts",
	.options = counter_options,
	.run = run_counters,
};

/* -- split -- */

static const struct weft_opt split_options[] = {
	OUTPUT_OPTIONS("names the parts: OUT.prv makes OUT-part1.prv, OUT-part2.prv, …"),
	{0, "type", "TYPE", WEFT_OPT_U64, offsetof(struct args, type), "the event type that begins a part"},
	CLI_FILTER_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

static int run_split(int argc, char **argv)
{
	struct args a = {.type = UINT64_MAX};
	int status = cli_begin_writing(&weft_command_split, &a, &a.common, &a.output, argc, argv);
	if (status)
		return status;
	if (a.type > UINT32_MAX)
		return cli_usage(&weft_command_split, "say which event type begins a part, with --type TYPE");
	if (!cli_is_prv(a.output))
		return cli_usage(&weft_command_split, "the parts are .prv files: say -o OUT.prv");
	struct cli_tool_files f;
	struct weft_tool_report report = {0};
	struct weft_err err = {0};
	char *first = weft_tool_part_name(a.output, 1);
	if (!first)
		return cli_fail_code(-ENOMEM);
	if (!a.force && access(first, F_OK) == 0) {
		weft_log(WEFT_LOG_ERROR, "'%s' is there already (--force replaces it)", first);
		free(first);
		return CLI_USAGE;
	}
	free(first);
	status = cli_tool_begin(&f, &a.common, argv[1], a.output, true);
	int rc = status ? 0 : weft_tool_split(f.from, f.to, (uint32_t)a.type, &report, &err);
	status = cli_tool_end(&f, status, rc, &report, &err);
	if (!status && !a.common.quiet)
		fprintf(stderr, "%llu %s\n", (unsigned long long)report.parts, report.parts == 1 ? "part" : "parts");
	return status;
}

const struct weft_command weft_command_split = {
	.name = "split",
	.operands = "TRACE",
	.summary = "a trace for each iteration, by an event",
	.about = "Writes TRACE as several traces: each process goes on in the next part with each\n"
		 "event of TYPE, such as one that begins an iteration. Times stay as they are.\n"
		 "\n"
		 "Examples:\n"
		 "    weft split run.prv -o iteration.prv --type 1000",
	.options = split_options,
	.run = run_split,
};

/* -- translate -- */

static const struct weft_opt translate_options[] = {
	OUTPUT_OPTIONS("the new trace, OUT.prv or a folder OUT.weft"),
	{0, "like", "TRACE2", WEFT_OPT_STRING, offsetof(struct args, like), "the .prv whose numbers are taken"},
	CLI_FILTER_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

static int run_translate(int argc, char **argv)
{
	struct args a = {0};
	int status = cli_begin_writing(&weft_command_translate, &a, &a.common, &a.output, argc, argv);
	if (status)
		return status;
	if (!a.like)
		return cli_usage(&weft_command_translate, "say whose numbers to take, with --like TRACE2");
	if (!cli_is_prv(a.like))
		return cli_usage(&weft_command_translate, "option '--like': expected a .prv, found '%s'", a.like);
	struct cli_tool_files f = {0};
	struct weft_tool_report report = {0};
	struct weft_err err = {0};
	status = cli_check_input(a.like);
	if (!status)
		status = cli_tool_begin(&f, &a.common, argv[1], a.output, a.force);
	int rc = status ? 0 : weft_tool_translate(f.from, f.to, a.like, (unsigned)a.common.threads, &report, &err);
	status = cli_tool_end(&f, status, rc, &report, &err);
	if (!status)
		weft_log(WEFT_LOG_INFO, "%llu values have other numbers", (unsigned long long)report.translated);
	return status;
}

const struct weft_command weft_command_translate = {
	.name = "translate",
	.operands = "TRACE",
	.summary = "number events as another trace does",
	.about = "Two runs may number the same function, line or call differently. Where the labels of\n"
		 "both name values of an event type, those of TRACE become TRACE2's, or new ones where\n"
		 "TRACE2 has other names for them; then one view shows both. The merged labels go with\n"
		 "the new trace.\n"
		 "\n"
		 "Examples:\n"
		 "    weft translate again.prv -o like-run.prv --like run.prv",
	.options = translate_options,
	.run = run_translate,
};
