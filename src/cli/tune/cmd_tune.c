/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft tune`: runs a command under tunlets, or attaches to one that runs. This file has the options and their checks; tune_run.c is the run,
 * tune_files.c finds what it needs.
 */
#include "tune_run.h"
#include "base/fs.h"
#include "base/log.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct weft_opt options[] = {
	{'t', "tunlet", "SPEC", WEFT_OPT_LIST, offsetof(struct tune_args, tunlet),
         "a specification, or the name of one that comes with Weft; may be repeated"},
	{0, "attach", "PID", WEFT_OPT_LIST, offsetof(struct tune_args, attach),
         "tune a process that runs already, instead of a command; may be repeated"},
	{0, "replay", "TRACE", WEFT_OPT_STRING, offsetof(struct tune_args, replay),
         "run tunlets on a recorded trace: what would they have decided, and when"},
	{0, "handlers", "[TUNLET=]FILE", WEFT_OPT_LIST, offsetof(struct tune_args, handlers),
         "a shared object with handlers written by hand, for a tunlet"},
	{'n', "dry-run", NULL, WEFT_OPT_FLAG, offsetof(struct tune_args, dry_run), "decide, but change nothing in the program"},
	{0, NULL, NULL, WEFT_OPT_GROUP, 0, "Which processes are which actors (instead of what SPEC says):"},
	{0, "exe", "[ACTOR=]PATH", WEFT_OPT_LIST, offsetof(struct tune_args, exe), "by executable; a name may have * and ?"},
	{0, "rank", "[ACTOR=]RANKS", WEFT_OPT_LIST, offsetof(struct tune_args, rank),
         "by rank in a parallel program: 0, 1-, '!= 0', '2-4, > 8'"},
	{0, "host", "[ACTOR=]NAME", WEFT_OPT_LIST, offsetof(struct tune_args, host), "by the machine that they run on"},
	{0, "enters", "[ACTOR=]FUNCTION", WEFT_OPT_LIST, offsetof(struct tune_args, enters), "whichever process enters FUNCTION"},
	{0, NULL, NULL, WEFT_OPT_GROUP, 0, "Many processes, and other hosts:"},
	{0, "collectors", "auto|N", WEFT_OPT_STRING, offsetof(struct tune_args, collectors),
         "put N collectors between processes and analyzer, or as many as the load asks for, while it runs"},
	{0, "busy", "SHARE", WEFT_OPT_DOUBLE, offsetof(struct tune_args, busy),
         "without --collectors: begin one when the analyzer is busy for this share of its time (default: 0.5)"},
	{0, "place", "HOST=COMMAND", WEFT_OPT_LIST, offsetof(struct tune_args, place),
         "also tune processes on HOST, where COMMAND runs what is put behind it (ssh, ip netns exec); may be repeated"},
	{0, "listen", "ADDRESS", WEFT_OPT_STRING, offsetof(struct tune_args, listen),
         "where collectors of other hosts connect to (default: 127.0.0.1)"},
	{0, NULL, NULL, WEFT_OPT_GROUP, 0, "What is said:"},
	{'o', "output", "DIR", WEFT_OPT_STRING, offsetof(struct tune_args, output),
         "record a trace into DIR: what was measured, computed, decided, done"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct tune_args, force), "replace the trace that is in DIR"},
	{0, "report", "FILE", WEFT_OPT_STRING, offsetof(struct tune_args, report), "write the whole report to FILE"},
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, quiet), "no display and no report on stderr"},
	{'v', "verbose", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, verbose), "display the values of every iteration"},
	{0, NULL, NULL, WEFT_OPT_GROUP, 0, "Details:"},
	{0, "undo", NULL, WEFT_OPT_FLAG, offsetof(struct tune_args, undo), "at the end, undo actions in processes that run on"},
	{0, "when-full", "wait|drop", WEFT_OPT_STRING, offsetof(struct tune_args, when_full),
         "events come faster than they are read: the program waits, or they are lost and said to be (default: drop)"},
	{0, "window", "TIME", WEFT_OPT_NS, offsetof(struct tune_args, window_ns),
         "how long events wait for earlier ones of other processes (default: 5ms)"},
	{0, "limit", "TIME", WEFT_OPT_NS, offsetof(struct tune_args, limit_ns),
         "end an evaluation that takes longer (default: 1s)"},
	{0, "sync-limit", "TIME", WEFT_OPT_NS, offsetof(struct tune_args, sync_ns),
         "how long a synchronised action waits for its function (default: 10s)"},
	{0},
};

static void fill_how(const struct tune_args *a, struct analyze_how *how, char **command)
{
	how->dry_run = a->dry_run;
	how->quiet = a->common.quiet;
	how->verbose = a->common.verbose;
	how->terminal = isatty(STDERR_FILENO);
	how->undo = a->undo;
	how->report = a->report;
	how->replay = a->replay;
	how->command = a->replay ? a->replay : a->attach.n ? "attached" : command[0];
	how->window_ns = a->window_ns;
	how->limit_ns = a->limit_ns;
	how->busy = a->busy;
	how->sync_ms = (uint32_t)(a->sync_ns / 1000000);
}

/* Without processes: a tunlet on a trace. */
static int replay(struct analyze_how *how)
{
	struct weft_err err = {0};
	how->life = how->ready = -1;
	return analyze_run(how, &err) ? cli_fail(&err) : CLI_OK;
}

static int check(struct tune_args *a, char **operand, int n)
{
	if (n < 2 || n > 3)
		return cli_usage(&weft_command_tune,
		                 "expected a program and a specification: weft tune check PROGRAM SPEC [ACTOR]");
	struct analyze_how *how = calloc(1, sizeof *how);
	if (!how)
		return cli_fail_code(-ENOMEM);
	a->tunlet.at[a->tunlet.n++] = operand[1];
	int status = tune_open(a, how);
	status = status == CLI_OK ? tune_check_command(a, how, operand, n) : status;
	tune_close(how);
	free(how);
	return status;
}

static int tune_main(struct tune_args *a, char **command, int n)
{
	if (n && !a->tunlet.n && !a->attach.n && !a->replay && strcmp(command[0], "check") == 0)
		return check(a, command + 1, n - 1);
	if (a->replay && (n || a->attach.n || a->output))
		return cli_usage(&weft_command_tune, "--replay takes a trace alone: no command, no --attach, no --output");
	if (a->attach.n && n)
		return cli_usage(&weft_command_tune, "--attach takes no command");
	if (!a->attach.n && !a->replay && n == 0)
		return cli_usage(&weft_command_tune, "say which command to run");
	if (a->tunlet.n == 0)
		return cli_usage(&weft_command_tune, "say which tunlet: --tunlet SPEC");
	if (!tune_when_full(a->when_full, &a->waits))
		return cli_usage(&weft_command_tune, "--when-full: expected wait or drop, found '%s'", a->when_full);
	struct analyze_how *how = calloc(1, sizeof *how);
	if (!how)
		return cli_fail_code(-ENOMEM);
	int status = tune_open(a, how);
	if (status == CLI_OK) {
		fill_how(a, how, command);
		status = a->replay ? replay(how) : tune_run(a, how, command);
	}
	tune_close(how);
	free(how);
	return status;
}

static int run(int argc, char **argv)
{
	struct tune_args a = {0};
	int n;
	if (!cli_parse(&weft_command_tune, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	return tune_main(&a, argv + 1, n);
}

/* ---- MATE APP ARGS ---- */

static int add_tunlet(struct tune_args *a, const char *path)
{
	if (a->tunlet.n == WEFT_OPT_LIST_MAX)
		return -E2BIG;
	a->tunlet.at[a->tunlet.n++] = path;
	return 0;
}

/* Its tunlets are those that $WEFT_TUNLETS lists, else all in this folder. */
static int find_tunlets(struct tune_args *a, char *listed, char **names, int n_names)
{
	char *rest = NULL;
	for (char *p = listed ? strtok_r(listed, ":", &rest) : NULL; p; p = strtok_r(NULL, ":", &rest))
		if (add_tunlet(a, p))
			return -E2BIG;
	for (int i = 0; !listed && i < n_names; i++)
		if (weft_glob("*.tsl", names[i]) && add_tunlet(a, names[i]))
			return -E2BIG;
	return 0;
}

int cli_mate(int argc, char **argv)
{
	struct tune_args a = {0};
	struct weft_err err = {0};
	char **names = NULL, *listed = getenv("WEFT_TUNLETS");
	if (argc < 2 || argv[1][0] == '-') {
		weft_log(WEFT_LOG_ERROR, "expected a program: MATE APP [ARGS]; tunlets are *.tsl here, or $WEFT_TUNLETS");
		return CLI_USAGE;
	}
	listed = listed && *listed ? strdup(listed) : NULL;
	int n = weft_list_dir(".", &names, &err), status;
	if (n < 0 || find_tunlets(&a, listed, names, n))
		status = n < 0 ? cli_fail(&err) : cli_fail_code(-E2BIG);
	else
		status = tune_main(&a, argv + 1, argc - 1);
	weft_list_free(names, n > 0 ? n : 0);
	free(listed);
	return status;
}

const struct weft_command weft_command_tune = {
	.name = "tune",
	.operands = "-- COMMAND [ARGUMENT]...",
	.summary = "run a command under tunlets, which measure and tune it",
	.about = "Runs COMMAND, measures in its processes what tunlets want (see weft-tunlet-language(7)),\n"
		 "evaluates their models, and changes the program as they decide, while it runs. What the\n"
		 "command prints, reads and returns is its own; all talk is on stderr. It needs no\n"
		 "preparation, but debug information (-g) where variables are measured.\n"
		 "\n"
		 "  weft tune check PROGRAM SPEC [ACTOR]  says what of SPEC can be measured and tuned in\n"
		 "                                        PROGRAM, and what that would cost, before a run\n"
		 "\n"
		 "Examples:\n"
		 "    weft tune -t nworkers --exe ./nbody -- mpirun -np 8 ./nbody\n"
		 "    weft tune -t mine.tsl --dry-run --report report.txt -- ./solver input.dat\n"
		 "    weft tune -t mine.tsl --attach 4711",
	.options = options,
	.option_flags = WEFT_OPT_STOP_AT_OPERAND,
	.run = run,
};
