/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paramedir's command line. Arguments are told apart by what they are (a trace, a file of options, a view), not by where they
 * stand; what follows a view is the name of its output, and whatever else there is means nothing.
 */
#include "cli/common/cli.h"
#include "paramedir.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct weft_opt paramedir_options[] = {
	{0, "", NULL, WEFT_OPT_GROUP, 0, "Views"},
	{'m', "many-files", NULL, WEFT_OPT_FLAG, 0, "write each row of a timeline to a file of its own"},
	{'e', "empty-columns", NULL, WEFT_OPT_FLAG, 0, "leave out columns without values"},
	{'p', "print-plane", NULL, WEFT_OPT_FLAG, 0, "of a 3D table print only the plane that the view looks at"},
	{0, "trace-units", NULL, WEFT_OPT_FLAG, 0, "print times in the trace's units (also -tu)"},
	{0, "no-preferences-precision", NULL, WEFT_OPT_FLAG, 0, "print tables with 10 decimals (also -npr)"},
	{'n', "no-load", NULL, WEFT_OPT_FLAG, 0, "do not load the trace"},
	{0, "", NULL, WEFT_OPT_GROUP, 0, "Trace tools, in the order in which they are given"},
	{'c', "cutter", NULL, WEFT_OPT_FLAG, 0, "cut, as <cutter> of the XML file says"},
	{'f', "filter", NULL, WEFT_OPT_FLAG, 0, "filter, as <filter> says"},
	{'s', "software-counters", NULL, WEFT_OPT_FLAG, 0, "make counters of events, as <software_counters> says"},
	{0, "event-translator", "TRACE", WEFT_OPT_STRING, 0, "number values as TRACE does where both name them (also -et)"},
	{'g', "event-cutter", "TYPE", WEFT_OPT_STRING, 0, "a new trace from each event of TYPE on"},
	{'t', "thread-shifter", "FILE", WEFT_OPT_STRING, 0, "move threads by the times in FILE, one a line"},
	{0, "task-shifter", "FILE", WEFT_OPT_STRING, 0, "move tasks (also -tt)"},
	{0, "app-shifter", "FILE", WEFT_OPT_STRING, 0, "move applications (also -ta)"},
	{0, "workload-shifter", "FILE", WEFT_OPT_STRING, 0, "move everything (also -tw)"},
	{'o', "output-name", "TRACE", WEFT_OPT_STRING, 0, "the name of the last tool's trace"},
	{'d', "dump-trace", NULL, WEFT_OPT_FLAG, 0, "write the trace as it was read, to TRACE.new.global"},
	{0, "", NULL, WEFT_OPT_GROUP, 0, "Others"},
	{'v', "version", NULL, WEFT_OPT_FLAG, 0, "print the version"},
	{0},
};

enum flag { MANY, EMPTY, PLANE, UNITS, PRECISION, NO_LOAD, HELP, VERSION, DUMP, OUTPUT, TOOL };
static const struct {
	const char *at_short, *at_long;
	enum flag flag;
	enum paramedir_tool tool;
	bool argument;
} flags[] = {
	{"-m", "--many-files", MANY, 0, false},
	{"-e", "--empty-columns", EMPTY, 0, false},
	{"-p", "--print-plane", PLANE, 0, false},
	{"-tu", "--trace-units", UNITS, 0, false},
	{"-npr", "--no-preferences-precision", PRECISION, 0, false},
	{"-n", "--no-load", NO_LOAD, 0, false},
	{"-h", "--help", HELP, 0, false},
	{"-v", "--version", VERSION, 0, false},
	{"-d", "--dump-trace", DUMP, 0, false},
	{"-o", "--output-name", OUTPUT, 0, true},
	{"-c", "--cutter", TOOL, PARAMEDIR_CUT, false},
	{"-f", "--filter", TOOL, PARAMEDIR_FILTER, false},
	{"-s", "--software-counters", TOOL, PARAMEDIR_COUNTERS, false},
	{"-et", "--event-translator", TOOL, PARAMEDIR_TRANSLATE, true},
	{"-g", "--event-cutter", TOOL, PARAMEDIR_SPLIT, true},
	{"-t", "--thread-shifter", TOOL, PARAMEDIR_SHIFT_THREAD, true},
	{"-tt", "--task-shifter", TOOL, PARAMEDIR_SHIFT_TASK, true},
	{"-ta", "--app-shifter", TOOL, PARAMEDIR_SHIFT_APP, true},
	{"-tw", "--workload-shifter", TOOL, PARAMEDIR_SHIFT_WORKLOAD, true},
};

static bool ends_with(const char *z, const char *end)
{
	size_t n = strlen(z), k = strlen(end);
	return n >= k && !strcmp(z + n - k, end);
}

static bool is_called_trace(const char *path)
{
	return ends_with(path, ".prv") || ends_with(path, ".prv.gz") || ends_with(path, ".prv.zst") || ends_with(path, ".weft") ||
	       weft_is_dir(path);
}

static bool is_trace(const char *path)
{
	return access(path, R_OK) == 0 && is_called_trace(path);
}

static bool set_flag(struct paramedir_args *a, size_t i, const char *argument)
{
	bool *switches[] = {
		[MANY] = &a->how.many_files, [EMPTY] = &a->how.hide_empty,
		[PLANE] = &a->how.one_plane, [UNITS] = &a->how.trace_units,
		[NO_LOAD] = &a->no_load,     [HELP] = &a->help,
		[VERSION] = &a->version,     [DUMP] = &a->dump,
	};
	enum flag flag = flags[i].flag;
	if (flag == PRECISION)
		a->how.decimals = 10;
	else if (flag == OUTPUT)
		a->output = argument;
	else if (flag == TOOL)
		return weft_vec_push(&a->step, (struct paramedir_step){flags[i].tool, argument}) == 0;
	else
		*switches[flag] = true;
	return true;
}

/* How many arguments it took; 0: it is no option; negative: an unknown one, one without its argument, or no memory. */
static int take_flag(struct paramedir_args *a, char **argv)
{
	size_t i = 0, n = sizeof flags / sizeof *flags;
	if (argv[0][0] != '-')
		return 0;
	while (i < n && strcmp(argv[0], flags[i].at_short) != 0 && strcmp(argv[0], flags[i].at_long) != 0)
		i++;
	if (i == n) {
		fprintf(stderr, "Unknown option %s\n", argv[0]);
		return -EINVAL;
	}
	if (flags[i].argument && !argv[1]) {
		fprintf(stderr, "Missing argument of option %s\n", argv[0]);
		return -EINVAL;
	}
	if (!set_flag(a, i, argv[1]))
		return -ENOMEM;
	return flags[i].argument ? 2 : 1;
}

static int add_view(struct paramedir_args *a, const char *path)
{
	for (size_t i = 0; i < a->job.n; i++)
		if (!strcmp(a->job.at[i].cfg, path))
			return 0;
	return weft_vec_push(&a->job, (struct paramedir_job){path, NULL});
}

bool paramedir_parse(struct paramedir_args *a, int argc, char **argv, int *status)
{
	struct paramedir_job *last = NULL;
	*status = PARAMEDIR_OK;
	for (int i = 1; i < argc && !a->help && !a->version; i++) {
		int took = take_flag(a, argv + i);
		if (took < 0) {
			*status = took == -ENOMEM ? cli_fail_code(took) : PARAMEDIR_OK;
			return false;
		}
		if (took) {
			i += took - 1;
		} else if (ends_with(argv[i], ".cfg")) {
			if (add_view(a, argv[i])) {
				*status = cli_fail_code(-ENOMEM);
				return false;
			}
			last = &a->job.at[a->job.n - 1];
		} else if (is_trace(argv[i])) {
			a->trace = argv[i];
			last = NULL;
		} else if (ends_with(argv[i], ".xml")) {
			a->xml = access(argv[i], R_OK) == 0 ? argv[i] : a->xml;
		} else if (last) {
			last->out = argv[i];
			last = NULL;
		} else if (is_called_trace(argv[i])) {
			a->unread = argv[i];
		}
	}
	return true;
}

void paramedir_args_fini(struct paramedir_args *a)
{
	free(a->job.at);
	free(a->step.at);
}
