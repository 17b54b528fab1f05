/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft efficiency`: of programs of processes and threads the factors of POP's models, for one run or several beside each other; of programs of
 * the task runtime how well its workers were used (cli/graph/efficiency_tasks.h).
 */
#include "cli/graph/efficiency_tasks.h"
#include "base/log.h"
#include "factor_series.h"
#include "factor_table.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { RUNS_MOST = 64 };

struct args {
	struct cli_common common;
	const char *time, *scaling, *iterations, *by, *output;
	uint64_t window;
	bool states, all, no_ideal, force;
};

static const struct weft_opt options[] = {
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time),
         "from A up to B only (default: all; of tasks from the first submission to the last task's end)"},
	{0, NULL, NULL, WEFT_OPT_GROUP, 0, "Processes and threads"},
	{'a', "all", NULL, WEFT_OPT_FLAG, offsetof(struct args, all),
         "also the hybrid and additive models, balances, messages, times"},
	{0, "scaling", "HOW", WEFT_OPT_STRING, offsetof(struct args, scaling),
         "how the work grows with the processes: strong, weak or auto (default: auto)"},
	{0, "by", "WHAT", WEFT_OPT_STRING, offsetof(struct args, by),
         "over time: a row for each phase or iteration as weft phases finds them, or each window (a hundredth, or --window)"},
	{0, "window", "TIME", WEFT_OPT_NS, offsetof(struct args, window), "over time: a row for each TIME of the run"},
	{0, "iterations", "REGION", WEFT_OPT_STRING, offsetof(struct args, iterations),
         "over time: a row from each begin of REGION to its next"},
	{0, "no-ideal", NULL, WEFT_OPT_FLAG, offsetof(struct args, no_ideal),
         "no replay on an ideal network: communication is not divided"},
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "write OUT: .csv as basic analysis' modelfactors.csv, .svg or .png a coloured table"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	{0, NULL, NULL, WEFT_OPT_GROUP, 0, "Tasks of the runtime"},
	{0, "states", NULL, WEFT_OPT_FLAG, offsetof(struct args, states),
         "each state of the workers: how often, how long; of two traces both and how they differ"},
	{0, NULL, NULL, WEFT_OPT_GROUP, 0, "Output"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

static bool has_runtime(const struct weft_trace *t)
{
	const struct weft_def_table *d = &t->def[WEFT_CLASS_CATEGORY];
	for (uint32_t i = 1; i < d->n; i++)
		if (!strcmp(d->at[i].name, "starpu"))
			return true;
	return false;
}

/* ---- tasks ---- */

static int run_tasks(const struct args *a, char **argv, int n, struct weft_trace *first)
{
	struct weft_trace *t[2] = {first, NULL};
	if (!cli_operands(&weft_command_efficiency, argv, n, 1, 2))
		return CLI_USAGE;
	if (a->window || a->iterations || a->by || a->output || a->scaling || a->all)
		return cli_usage(&weft_command_efficiency,
		                 "'%s' is of the task runtime, which has factors of its own: no --all, "
		                 "--by, --window, --iterations, --scaling, --output",
		                 argv[1]);
	int status = n == 2 ? cli_open(&a->common, argv[2], &t[1], NULL) : CLI_OK;
	const struct cli_efficiency_tasks how = {.common = &a->common, .time = a->time, .states = a->states};
	if (!status)
		status = cli_efficiency_tasks(&how, t);
	weft_trace_close(t[1]);
	return status;
}

/* ---- processes and threads ---- */

static void say_no_ideal(const struct factor_run *run, uint32_t n)
{
	for (uint32_t k = 0; k < n; k++)
		if (run[k].no_ideal[0])
			weft_log(WEFT_LOG_WARN, "'%s': %s", run[k].path, run[k].no_ideal);
}

static int read_scaling(const struct args *a, enum weft_scaling *how)
{
	*how = WEFT_SCALING_AUTO;
	for (unsigned i = 0; a->scaling && weft_scaling_names[i]; i++)
		if (!strcmp(a->scaling, weft_scaling_names[i])) {
			*how = (enum weft_scaling)i;
			return CLI_OK;
		}
	return a->scaling
	               ? cli_unknown(&weft_command_efficiency, "option '--scaling': unknown", a->scaling, weft_scaling_names, 3)
	               : CLI_OK;
}

static int check_output(const struct args *a)
{
	if (!a->output)
		return CLI_OK;
	const bool series = a->window || a->iterations || a->by;
	int status = cli_check_ending(&weft_command_efficiency, a->output, series ? ".svg .png" : ".csv .svg .png", NULL);
	if (!status && strcmp(a->output, "-") != 0 && !a->force && access(a->output, F_OK) == 0)
		status = cli_usage(&weft_command_efficiency, "'%s' is there already (--force replaces it)", a->output);
	return status;
}

static bool ends_with(const char *name, const char *end)
{
	const size_t n = strlen(name), m = strlen(end);
	return n >= m && !strcmp(name + n - m, end);
}

static int write_output(const struct args *a, const struct factor_run *run, uint32_t n, bool hybrid, bool series)
{
	struct weft_buf text = {0};
	struct weft_out out;
	struct weft_err err = {0};
	int rc = 0;
	const enum weft_picture_form form = ends_with(a->output, ".svg") ? WEFT_PICTURE_SVG : WEFT_PICTURE_PNG;
	if (series)
		rc = factor_series_picture(run, form, &text);
	else if (ends_with(a->output, ".svg") || ends_with(a->output, ".png"))
		rc = factor_table_picture(run, n, hybrid, form, &text);
	else
		factor_table_csv(run, n, &text);
	rc = rc ? rc : text.failed ? -ENOMEM : weft_out_open(&out, a->output, &err);
	if (!rc) {
		fwrite(text.at, 1, text.n, out.to);
		rc = weft_out_commit(&out, &err);
	}
	weft_buf_fini(&text);
	return !rc ? CLI_OK : err.code ? cli_fail(&err) : cli_fail_code(rc);
}

static int print_runs(const struct args *a, struct factor_run *run, uint32_t n, enum weft_scaling scaling)
{
	struct weft_factors first[RUNS_MOST];
	bool hybrid = a->all;
	for (uint32_t i = 0; i < n; i++) {
		first[i] = run[i].f[0];
		hybrid = hybrid || (first[i].n_processes > 1 && first[i].n_threads > first[i].n_processes);
	}
	if (n > 1) {
		scaling = weft_factors_scale(first, n, scaling);
		for (uint32_t i = 0; i < n; i++)
			run[i].f[0] = first[i];
	}
	say_no_ideal(run, n);
	if (a->output)
		return write_output(a, run, n, hybrid, false);
	const int status = factor_table_print(run, n, hybrid, a->all, &a->common);
	if (!status && n > 1 && cli_form(&a->common) == WEFT_TABLE_TEXT)
		printf("\nScaling: %s%s.\n", weft_scaling_names[scaling], a->scaling ? "" : ", as the work grows (--scaling)");
	return cli_finish(status);
}

static int read_by(const struct args *a, unsigned *by)
{
	static const char *const names[] = {"phase", "iteration", "window", NULL};
	*by = FACTOR_BY_NONE;
	for (unsigned i = 0; a->by && names[i]; i++)
		if (!strcmp(a->by, names[i]))
			*by = FACTOR_BY_PHASE + i;
	if (a->by && !*by)
		return cli_unknown(&weft_command_efficiency, "option '--by': unknown", a->by, names, 3);
	if (*by && ((a->window && *by != FACTOR_BY_WINDOW) || (a->iterations && *by != FACTOR_BY_ITERATION)))
		return cli_usage(&weft_command_efficiency, "options '--by %s' and '--%s' do not go together", a->by,
		                 a->window ? "window" : "iterations");
	return CLI_OK;
}

static int run_factors(const struct args *a, char **argv, int n, struct weft_trace *first)
{
	struct factor_run run[RUNS_MOST] = {{.path = NULL}};
	struct factor_run_how how = {.common = &a->common,
	                             .time = a->time,
	                             .window_ns = a->window,
	                             .iterations = a->iterations,
	                             .ideal = !a->no_ideal};
	const bool series = a->window || a->iterations || a->by;
	enum weft_scaling scaling;
	if (series && n > 1)
		return cli_usage(&weft_command_efficiency, "options '--by', '--window' and '--iterations' take one trace");
	if (a->window && a->iterations)
		return cli_usage(&weft_command_efficiency, "options '--window' and '--iterations' do not go together");
	int status = read_scaling(a, &scaling);
	status = status ? status : read_by(a, &how.by);
	status = status ? status : check_output(a);
	if (!status && n == 1)
		status = factor_run_of(&run[0], first, argv[1], &how);
	else if (!status)
		status = factor_runs_open(run, (uint32_t)n, argv + 1, &how);
	if (!status && series) {
		say_no_ideal(run, 1);
		status = a->output ? write_output(a, run, 1, false, true) : factor_series_print(&run[0], &a->common);
	} else if (!status)
		status = print_runs(a, run, (uint32_t)n, scaling);
	factor_runs_fini(run, (uint32_t)n);
	return status;
}

static int efficiency_run(int argc, char **argv)
{
	struct args a = {.time = NULL};
	struct weft_trace *first = NULL;
	int n;
	if (!cli_parse(&weft_command_efficiency, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_efficiency, argv, n, 1, RUNS_MOST))
		return CLI_USAGE;
	int status = cli_open(&a.common, argv[1], &first, NULL);
	if (!status)
		status = has_runtime(first) || a.states ? run_tasks(&a, argv, n, first) : run_factors(&a, argv, n, first);
	weft_trace_close(first);
	return status;
}

const struct weft_command weft_command_efficiency = {
	.name = "efficiency",
	.operands = "TRACE...",
	.summary = "how well cores were used, as factors: what was lost, and to what",
	.about = "Divides the time of all cores. Of programs of processes and threads by POP's model:\n"
		 "parallel = load balance x communication, communication = serialization (waits that\n"
		 "an ideal network leaves) x transfer (what the network takes); of several runs also\n"
		 "how the computation itself scales. With threads in processes, or --all, also what\n"
		 "MPI and OpenMP lose each, and the additive model. --by, --window and\n"
		 "--iterations show the factors over time.\n"
		 "\n"
		 "Of a program of the task runtime: how long workers were in tasks, in the runtime,\n"
		 "in scheduling, waiting for data, idle. First StarPU's four factors (parallel = task\n"
		 "x runtime x scheduling x pipeline), then six that tell transfers, late starts and\n"
		 "missing parallelism apart. A second trace is a reference, a run whose tasks were\n"
		 "not disturbed: task is how much longer tasks took than there. --states compares two\n"
		 "runs state by state. Record with weft record --on starpu_detail.\n"
		 "\n"
		 "Examples:\n"
		 "    weft efficiency run.weft\n"
		 "    weft efficiency run2.prv run4.prv run8.prv -o modelfactors.csv\n"
		 "    weft efficiency run.weft --by iteration -o iterations.svg\n"
		 "    weft efficiency run.weft --iterations step --csv\n"
		 "    weft efficiency tasks.weft alone.weft\n"
		 "    weft efficiency --states tasks.weft alone.weft --csv",
	.options = options,
	.run = efficiency_run,
};
