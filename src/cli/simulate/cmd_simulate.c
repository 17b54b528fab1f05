/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft simulate`: a program of tasks as it would run on another machine. The runtime does it (src/runtime/simulate); here the machine
 * is found, the environment says it, and what the runtime wrote becomes a trace.
 */
#include "cli/common/cli.h"
#include "simulate_machine.h"
#include "base/log.h"
#include "trace/write/export.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *machine, *models, *output, *scheduler;
	double unknown;
	bool list, force;
};

static const struct weft_opt options[] = {
	{'m', "machine", "NAME", WEFT_OPT_STRING, offsetof(struct args, machine),
         "the machine to simulate (default: STARPU_HOSTNAME)"},
	{0, "models", "DIR", WEFT_OPT_STRING, offsetof(struct args, models),
         "its bus files and models (default: where they are found)"},
	{'s', "scheduler", "NAME", WEFT_OPT_STRING, offsetof(struct args, scheduler), "the scheduling policy (STARPU_SCHED)"},
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
	int status = choose_machine(&a);
	if (status)
		return status;
	if (a.unknown >= 0) {
		snprintf(text, sizeof text, "%.9g", a.unknown);
		setenv("STARPU_SIMULATED_UNKNOWN", text, 1);
	}
	return a.output ? run_traced(&a, argv + 1, e) : run_program(argv + 1);
}

const struct weft_command weft_command_simulate = {
	.name = "simulate",
	.operands = "[--] PROGRAM [ARGUMENTS]",
	.summary = "run a program of tasks as on another machine, in simulated time",
	.about = "Runs PROGRAM, which uses Weft's runtime (any program with StarPU's interface), as it\n"
		 "would run on another machine: with the workers and memories of its bus files, tasks\n"
		 "as long as its performance models expect, transfers over its bus. Functions of\n"
		 "codelets are not called. What the program and the runtime print of times is simulated,\n"
		 "and the same each time. A sampling folder that StarPU measured will do.\n"
		 "\n"
		 "Examples:\n"
		 "    weft simulate --list\n"
		 "    weft simulate -m weft-1gpu -s dmda -- cholesky_implicit -size 9600 -nblocks 10\n"
		 "    weft simulate -m weft-3gpus -s dmdas -o run.weft -- lu_implicit -size 9600 -nblocks 10\n"
		 "    weft simulate --models sampling -m suite -- cholesky_implicit -size 160 -nblocks 1",
	.options = options,
	.option_flags = WEFT_OPT_STOP_AT_OPERAND,
	.run = run,
};
