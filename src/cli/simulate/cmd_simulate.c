/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft simulate`: a program of tasks as it would run on another machine. The runtime does it (src/runtime/simulate); here the machine
 * is found, the environment says it, and what the runtime wrote becomes a trace. Of a trace the program is starpu_replay.
 */
#include "cli/common/cli.h"
#include "simulate_machine.h"
#include "simulate_trace.h"
#include "base/log.h"
#include "trace/write/export.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS_MOST = 128 };
struct args {
	struct cli_common common;
	const char *machine, *models, *output, *scheduler;
	double unknown;
	uint64_t workers;
	bool list, force, recorded;
};

static const struct weft_opt options[] = {
	{'m', "machine", "NAME", WEFT_OPT_STRING, offsetof(struct args, machine),
         "the machine to simulate (default: STARPU_HOSTNAME)"},
	{0, "models", "DIR", WEFT_OPT_STRING, offsetof(struct args, models),
         "its bus files and models (default: where they are found)"},
	{'s', "scheduler", "NAME", WEFT_OPT_STRING, offsetof(struct args, scheduler), "the scheduling policy (STARPU_SCHED)"},
	{0, "workers", "N", WEFT_OPT_U64, offsetof(struct args, workers),
         "of a trace: on a machine of N processors (default: as many as it has)"},
	{0, "recorded", NULL, WEFT_OPT_FLAG, offsetof(struct args, recorded),
         "of a trace: tasks take what they took, whatever models say"},
	{0, "unknown", "US", WEFT_OPT_DOUBLE, offsetof(struct args, unknown),
         "what tasks take that no model knows, in microseconds (default: they end the program)"},
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "write a trace with simulated times: a .weft, or what weft convert writes"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	{0, "list", NULL, WEFT_OPT_FLAG, offsetof(struct args, list), "only list the machines that there are"},
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, quiet), "no warnings"},
	CLI_TABLE_OPTIONS,
	{0},
};

/* ---- the list ---- */

static int add_row(void *table, const struct simulate_machine *m)
{
	return weft_table_row(table, (struct weft_cell[]){{WEFT_CELL_TEXT, .text = m->name},
	                                                  {WEFT_CELL_I64, .i64 = m->cpus},
	                                                  {WEFT_CELL_I64, .i64 = m->numa},
	                                                  {WEFT_CELL_I64, .i64 = m->cuda},
	                                                  {WEFT_CELL_I64, .i64 = m->opencl},
	                                                  {WEFT_CELL_TEXT, .text = m->about}});
}

static int list_machines(const struct args *a)
{
	static const struct weft_column columns[] = {{"machine", "machine", WEFT_CELL_TEXT}, {"cpus", "cpus", WEFT_CELL_I64},
	                                             {"numa", "numa", WEFT_CELL_I64},        {"cuda", "cuda", WEFT_CELL_I64},
	                                             {"opencl", "opencl", WEFT_CELL_I64},    {"about", "about", WEFT_CELL_TEXT}};
	struct weft_table t;
	weft_table_init(&t, columns, 6);
	int rc = simulate_each_machine(add_row, &t);
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	return cli_table(&t, &a->common);
}

/* ---- the program ---- */

/* Sets what the runtime reads. 0, or the exit status. */
static int choose_machine(const struct args *a)
{
	char folder[PATH_MAX];
	const char *name = a->machine ? a->machine : getenv("STARPU_HOSTNAME");
	if (a->models)
		setenv("STARPU_PERF_MODEL_DIR", a->models, 1);
	if (!name || !*name)
		return cli_usage(&weft_command_simulate, "say which machine, with --machine NAME (--list lists them)");
	if (!simulate_find_machine(name, folder, sizeof folder)) {
		weft_log(WEFT_LOG_ERROR, "there is no machine '%s' (weft simulate --list lists those that there are)", name);
		return CLI_USAGE;
	}
	setenv("STARPU_PERF_MODEL_DIR", folder, 1);
	setenv("STARPU_HOSTNAME", name, 1);
	setenv("STARPU_SIMULATED", "1", 1);
	if (a->scheduler)
		setenv("STARPU_SCHED", a->scheduler, 1);
	return 0;
}

/* Runs it; its status, as shells have it. */
static int run_program(char **argv)
{
	int status;
	pid_t child = fork();
	if (!child) {
		execvp(argv[0], argv);
		weft_log(WEFT_LOG_ERROR, "cannot start '%s': %s", argv[0], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	/* A signal from the terminal is the program's; what it has done is ours to report. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	if (child < 0) {
		weft_log(WEFT_LOG_ERROR, "cannot start '%s': %s", argv[0], strerror(errno));
		return CLI_USAGE;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- its trace ---- */

static int convert(const struct args *a, const char *paje, const struct weft_exporter *e)
{
	struct cli_common common = {.quiet = true};
	struct weft_trace *t;
	struct weft_filter *f;
	struct weft_err err = {0};
	int status = cli_open(&common, paje, &t, &f);
	if (status)
		return status;
	struct weft_export_how how = {.filter = f, .force = a->force};
	int rc = e->write(t, a->output, &how, &err);
	weft_filter_free(f);
	weft_trace_close(t);
	return rc ? cli_fail(&err) : CLI_OK;
}

static int run_traced(const struct args *a, char **argv, const struct weft_exporter *e)
{
	char folder[PATH_MAX], paje[PATH_MAX + 16];
	const char *tmp = getenv("TMPDIR");
	struct weft_err err = {0};
	snprintf(folder, sizeof folder, "%s/weft-simulate-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(folder)) {
		weft_log(WEFT_LOG_ERROR, "cannot make a folder '%s': %s", folder, strerror(errno));
		return CLI_USAGE;
	}
	snprintf(paje, sizeof paje, "%s/run.trace", folder);
	setenv("STARPU_SIMULATED_TRACE", paje, 1);
	int status = run_program(argv);
	if (access(paje, F_OK) == 0) {
		int rc = convert(a, paje, e);
		status = status ? status : rc;
	} else if (!status) {
		weft_log(WEFT_LOG_ERROR, "'%s' has simulated nothing: it does not use Weft's runtime, or did not end it",
		         argv[0]);
		status = CLI_USAGE;
	}
	if (weft_remove_tree(folder, &err))
		weft_log(WEFT_LOG_WARN, "%s", err.text);
	return status;
}

static int run_with_output(const struct args *a, char **argv, const struct weft_exporter *e)
{
	return a->output ? run_traced(a, argv, e) : run_program(argv);
}

/* Without a machine: processors, as many as the trace has workers or is asked for, and what was recorded. */
static int choose_workers(const struct args *a, const struct simulate_trace *t)
{
	static const char name[] = "recorded";
	const uint64_t workers = a->workers ? a->workers : t->workers;
	int status = simulate_make_machine(t->folder, name, (uint32_t)workers);
	if (status)
		return status;
	struct args of = *a;
	of.models = t->folder;
	of.machine = name;
	return choose_machine(&of);
}

static int replay(const struct args *a, const char *path, const struct weft_exporter *e)
{
	struct simulate_trace t;
	const char *machine = a->machine ? a->machine : getenv("STARPU_HOSTNAME");
	int status = simulate_trace_begin(&t, path);
	if (!status)
		status = machine && *machine && !a->workers ? choose_machine(a) : choose_workers(a, &t);
	if (!status) {
		char *with[] = {t.program, "--recorded", t.tasks, NULL}, *without[] = {t.program, t.tasks, NULL};
		status = run_with_output(a, a->recorded ? with : without, e);
	}
	simulate_trace_end(&t);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {.unknown = -1};
	const struct weft_exporter *e = NULL;
	char text[64];
	int n;
	if (!cli_parse(&weft_command_simulate, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (a.list)
		return list_machines(&a);
	if (n < 1)
		return cli_usage(&weft_command_simulate, "say which program");
	if (a.output && !(e = weft_exporter_find(NULL, a.output)))
		return cli_usage(&weft_command_simulate, "no format is known by the name of '%s'", a.output);
	if (a.output && !a.force && access(a.output, F_OK) == 0) {
		weft_log(WEFT_LOG_ERROR, "'%s' is there already (--force replaces it)", a.output);
		return CLI_USAGE;
	}
	const bool trace = simulate_is_trace(argv[1]);
	if (!trace && (a.workers || a.recorded))
		return cli_usage(&weft_command_simulate, "option '--%s' is for a trace, not for a program",
		                 a.workers ? "workers" : "recorded");
	if (trace && n > 1)
		return cli_usage(&weft_command_simulate, "a trace has no arguments");
	if (a.workers && a.machine)
		return cli_usage(&weft_command_simulate, "option '--workers' makes a machine, '--machine' names one");
	if (a.workers > WORKERS_MOST)
		return cli_usage(&weft_command_simulate, "option '--workers': the runtime has %d at most", WORKERS_MOST);
	if (a.unknown >= 0) {
		snprintf(text, sizeof text, "%.9g", a.unknown);
		setenv("STARPU_SIMULATED_UNKNOWN", text, 1);
	}
	if (trace)
		return replay(&a, argv[1], e);
	int status = choose_machine(&a);
	return status ? status : run_with_output(&a, argv + 1, e);
}

const struct weft_command weft_command_simulate = {
	.name = "simulate",
	.operands = "TRACE | [--] PROGRAM [ARGUMENTS]",
	.summary = "run a program of tasks as on another machine, in simulated time",
	.about = "Runs PROGRAM, which uses Weft's runtime (any program with StarPU's interface), as it\n"
		 "would run on another machine: with the workers and memories of its bus files, tasks\n"
		 "as long as its performance models expect, transfers over its bus. Functions of\n"
		 "codelets are not called. What the program and the runtime print of times is simulated,\n"
		 "and the same each time. A sampling folder that StarPU measured will do.\n"
		 "Of TRACE, a .weft with details of tasks, the recorded tasks are submitted again, with\n"
		 "their dependencies, data and priorities; what no model knows takes what it took.\n"
		 "\n"
		 "Examples:\n"
		 "    weft simulate --list\n"
		 "    weft simulate -m weft-1gpu -s dmda -- cholesky_implicit -size 9600 -nblocks 10\n"
		 "    weft simulate -m weft-3gpus -s dmdas -o run.weft -- lu_implicit -size 9600 -nblocks 10\n"
		 "    weft simulate --workers 8 -s lws cholesky.weft\n"
		 "    weft simulate --models sampling -m suite -- cholesky_implicit -size 160 -nblocks 1",
	.options = options,
	.option_flags = WEFT_OPT_STOP_AT_OPERAND,
	.run = run,
};
