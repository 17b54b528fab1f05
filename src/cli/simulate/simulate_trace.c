/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace's tasks become a tasks.rec in a temporary folder, with which starpu_replay is run: the policies, models and transfers are the
 * runtime's own.
 */
#include "simulate_trace.h"
#include "cli/common/cli.h"
#include "base/fs.h"
#include "base/log.h"
#include "products/products.h"
#include "tasks/task_table.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool simulate_is_trace(const char *operand)
{
	const size_t n = strlen(operand);
	return n > 5 && !strcmp(operand + n - 5, ".weft");
}

static int make_folder(struct simulate_trace *t)
{
	const char *tmp = getenv("TMPDIR");
	if (snprintf(t->folder, sizeof t->folder, "%s/weft-simulate-XXXXXX", tmp && *tmp ? tmp : "/tmp") <
	            (int)sizeof t->folder &&
	    mkdtemp(t->folder))
		return CLI_OK;
	t->folder[0] = '\0';
	return cli_fail_text("cannot make a temporary folder: %s", strerror(errno));
}

/* What is there to be submitted again: tasks, of one program, and what they depend on. */
static int check(struct simulate_trace *t, const struct weft_trace *trace, const char *path)
{
	struct weft_tasks of;
	int rc = weft_tasks_load(trace, &of), status = CLI_OK;
	if (rc)
		return cli_fail_code(rc);
	t->workers = of.n_workers ? of.n_workers : 1;
	if (!of.n)
		status = cli_fail_text("'%s' has no tasks: it is not of a program of the task runtime", path);
	else if (!(of.has & (WEFT_TASKS_HAS_EDGES | WEFT_TASKS_HAS_DATA)))
		status = cli_fail_text(
			"'%s': its tasks say their times only: record with '--on starpu_detail', or STARPU_FXT_TRACE=1", path);
	for (uint32_t i = 1; i < of.n && !status; i++)
		if (of.task[i].process != of.task[0].process)
			status = cli_fail_text("'%s' has tasks of several programs: keep those of one, with weft filter", path);
	weft_tasks_free(&of);
	return status;
}

static int write_tasks(struct simulate_trace *t, struct weft_trace *trace)
{
	const struct weft_products_how how = {.folder = t->folder, .no_events = true, .no_counter = true, .no_bus = true};
	struct weft_products_made made;
	struct weft_err err = {0};
	snprintf(t->tasks, sizeof t->tasks, "%s/tasks.rec", t->folder);
	return weft_products_write(&trace, 1, &how, &made, &err) ? cli_fail(&err) : CLI_OK;
}

int simulate_trace_begin(struct simulate_trace *t, const char *path)
{
	struct cli_common common = {.quiet = true};
	struct weft_trace *trace;
	struct weft_filter *f;
	memset(t, 0, sizeof *t);
	if (cli_find_own((const char *const[]){"starpu_replay", "src/runtime/tools/starpu_replay"}, 2, t->program,
	                 sizeof t->program))
		return cli_fail_text("'starpu_replay', which came with Weft, is not beside it");
	int status = cli_open(&common, path, &trace, &f);
	if (status)
		return status;
	status = check(t, trace, path);
	if (!status)
		status = make_folder(t);
	if (!status)
		status = write_tasks(t, trace);
	weft_filter_free(f);
	weft_trace_close(trace);
	return status;
}

void simulate_trace_end(struct simulate_trace *t)
{
	struct weft_err err = {0};
	if (t->folder[0] && weft_remove_tree(t->folder, &err))
		weft_log(WEFT_LOG_WARN, "%s", err.text);
}

/* ---- a machine ---- */

/* One memory node: there is no other to go to. */
static void put_nodes(FILE *to)
{
	enum { NODES = 16 };
	fputs("# to ...\n", to);
	for (unsigned i = 0; i < NODES; i++)
		for (unsigned k = 0; k < NODES; k++)
			fprintf(to, "%s%s", i || k ? "nan" : "0.000000e+00", k + 1 < NODES ? "\t" : "\n");
}

static void put_config(FILE *to, uint32_t cpus)
{
	fprintf(to,
	        "# Current configuration\n%u # Number of CPUs\n1 # Number of NUMA nodes\n0 # Number of CUDA devices\n"
	        "0 # Number of OpenCL devices\n0 # Number of MIC devices\n0 # Number of MPI devices\n",
	        cpus);
}

int simulate_make_machine(const char *folder, const char *name, uint32_t cpus)
{
	static const char *const files[] = {"config", "bandwidth", "latency", "affinity"};
	struct weft_err err = {0};
	char path[PATH_MAX + 64];
	snprintf(path, sizeof path, "%s/bus", folder);
	if (weft_make_dirs(path, &err))
		return cli_fail(&err);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		snprintf(path, sizeof path, "%s/bus/%s.%s", folder, name, files[i]);
		FILE *to = fopen(path, "we");
		if (!to)
			return cli_fail_text("cannot write '%s': %s", path, strerror(errno));
		if (i == 0)
			put_config(to, cpus);
		else if (i < 3)
			put_nodes(to);
		else
			fputs("# GPU\tNUMA0\t\n", to);
		if (fclose(to))
			return cli_fail_text("cannot write '%s': %s", path, strerror(errno));
	}
	return CLI_OK;
}
