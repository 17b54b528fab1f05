/* SPDX-License-Identifier: Apache-2.0 */
/* `weft prv2dim`, also by the name prv2dim: a trace of Paraver as a program of Dimemas. */
#include "base/log.h"
#include "replay_cli.h"
#include "replay/dimemas/prv2dim.h"
#include <stdlib.h>
#include <string.h>

struct args {
	uint64_t burst;
	double factor;
	const char *iprobe, *test;
	bool no_initial, no_init, statistics, verbose;
};

static const struct weft_opt options[] = {
	{'b', "burst-counter", "TYPE", WEFT_OPT_U64, offsetof(struct args, burst),
         "bursts are values of this counter, times FACTOR"},
	{'f', "factor", "FACTOR", WEFT_OPT_DOUBLE, offsetof(struct args, factor),
         "seconds for each that a counter counts (default: 1e-9)"},
	{'n', "no-initial-idle", NULL, WEFT_OPT_FLAG, offsetof(struct args, no_initial),
         "what is before the first event takes no time"},
	{'s', "no-init-sync", NULL, WEFT_OPT_FLAG, offsetof(struct args, no_init),
         "tasks do not wait for each other in MPI_Init"},
	{'i', "iprobe-rate", "RATE", WEFT_OPT_STRING, offsetof(struct args, iprobe), "not used: polling stays as it was"},
	{'t', "test-rate", "RATE", WEFT_OPT_STRING, offsetof(struct args, test), "not used: polling stays as it was"},
	{'e', "statistics", NULL, WEFT_OPT_FLAG, offsetof(struct args, statistics), "not used: weft stat prints more"},
	{'v', "verbose", NULL, WEFT_OPT_FLAG, offsetof(struct args, verbose), "say how many records there were"},
	{0},
};

static void say(uint64_t n, const char *what)
{
	if (n)
		weft_log(WEFT_LOG_WARN, "%llu %s", (unsigned long long)n, what);
}

static char *beside(const char *path, const char *suffix)
{
	const size_t n = strlen(path), cut = n > 4 && path[n - 4] == '.' ? n - 4 : n;
	char *out = malloc(n + 8);
	if (out)
		snprintf(out, n + 8, "%.*s%s", (int)cut, path, suffix);
	return out;
}

/* Copies IN.pcf to OUT.pcf; none: nothing. */
static int copy_beside(const char *in, const char *out, const char *suffix)
{
	struct weft_err err = {0};
	struct weft_out to;
	char *from_path = beside(in, suffix), *to_path = beside(out, suffix), *at = NULL;
	size_t n;
	int status = from_path && to_path ? CLI_OK : cli_fail_code(-12);
	if (!status && strcmp(from_path, to_path) != 0 && !weft_read_file(from_path, &at, &n, &err)) {
		if (weft_out_open(&to, to_path, &err))
			status = cli_fail(&err);
		else {
			fwrite(at, 1, n, to.to);
			if (weft_out_commit(&to, &err))
				status = cli_fail(&err);
		}
	}
	free(at);
	free(from_path);
	free(to_path);
	return status;
}

static int translate(const struct args *a, const char *prv, const char *dim)
{
	const struct weft_prv2dim_how how = {.burst_type = a->burst,
	                                     .factor = a->factor,
	                                     .no_initial = a->no_initial,
	                                     .no_init = a->no_init,
	                                     .memory = weft_open_memory(NULL)};
	struct weft_prv2dim_count c;
	struct weft_err err = {0};
	if (weft_prv2dim(prv, dim, &how, &c, &err))
		return cli_fail(&err);
	if (a->verbose)
		printf("%llu records, %llu communications\n", (unsigned long long)c.records,
		       (unsigned long long)c.communications);
	say(c.outside, "communications stand outside of all calls");
	say(c.misfits, "communications stand in calls that do not fit");
	say(c.wrong, "records are wrong, or of another application, and were left out");
	say(c.tasks_any,
	    "tasks call what may complete in any order (MPI_Waitall, Waitany, Waitsome, Test): the order is the recorded one");
	int status = copy_beside(prv, dim, ".pcf");
	return status ? status : copy_beside(prv, dim, ".row");
}

static void say_unused(const struct args *a)
{
	if (a->iprobe || a->test)
		weft_log(WEFT_LOG_WARN, "option '-%c' would drop stretches of polling; here they are kept: it has no effect",
		         a->iprobe ? 'i' : 't');
	if (a->statistics)
		weft_log(WEFT_LOG_WARN, "option '-e' prints statistics; 'weft stat' does: it has no effect");
}

static int run(int argc, char **argv)
{
	struct args a = {.factor = 1e-9};
	int n;
	if (!cli_parse(&weft_command_prv2dim, &a, argc, argv, &n))
		return CLI_USAGE;
	weft_log_set(a.verbose ? WEFT_LOG_INFO : WEFT_LOG_WARN, argv[0]);
	if (!cli_operands(&weft_command_prv2dim, argv, n, 2, 2))
		return CLI_USAGE;
	say_unused(&a);
	return cli_finish(translate(&a, argv[1], argv[2]));
}

int cli_prv2dim(int argc, char **argv)
{
	if (cli_replay_help(&weft_command_prv2dim, argc, argv))
		return 0;
	return run(argc, argv) ? 1 : 0;
}

const struct weft_command weft_command_prv2dim = {
	.name = "prv2dim",
	.operands = "IN.prv OUT.dim",
	.summary = "turn a trace of Paraver into a program for Dimemas",
	.about = "Writes what the tasks of a trace do as a program for Dimemas, and copies the files\n"
		 "that lie beside the trace. `weft replay` needs no such step.\n"
		 "\n"
		 "Examples:\n"
		 "    weft prv2dim run.prv run.dim\n"
		 "    weft prv2dim -b 42000050 -f 5e-10 run.prv run.dim",
	.options = options,
	.run = run,
};
