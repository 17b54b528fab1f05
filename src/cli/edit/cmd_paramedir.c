/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft paramedir`, also as `paramedir`: takes the command line of Paraver's own tool, and writes what it writes. First the trace
 * tools (paramedir_tools.c), then the views on the trace that is left, in the order of their names.
 */
#include "trace/open.h"
#include "base/log.h"
#include "base/vec.h"
#include "cli/common/cli.h"
#include "metric/view/view_lack.h"
#include "paramedir.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int compare_jobs(const void *a, const void *b)
{
	const struct paramedir_job *x = a, *y = b;
	return strcmp(x->cfg, y->cfg);
}

static bool ends_with(const char *z, const char *end)
{
	size_t n = strlen(z), k = strlen(end);
	return n >= k && !strcmp(z + n - k, end);
}

/* The name of the output; malloc'd. */
static char *output_name(const struct paramedir_job *j, bool rows)
{
	const char *base = strrchr(j->cfg, '/');
	struct weft_buf z = {0};
	base = base ? base + 1 : j->cfg;
	if (j->out)
		weft_buf_puts(&z, j->out);
	else
		weft_buf_add(&z, base, strlen(base) - strlen(".cfg"));
	if (rows && (!z.at || !ends_with(z.at, ".csv")))
		weft_buf_puts(&z, ".csv");
	if (z.failed)
		weft_buf_fini(&z);
	return z.at;
}

static int compute(const struct paramedir_args *a, const struct weft_space *s, const struct weft_view *v,
                   const struct paramedir_job *j, struct weft_err *err)
{
	bool rows = !v->n_hists;
	char *name = output_name(j, rows);
	if (!name)
		return weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	int rc;
	if (rows) {
		rc = weft_paraver_rows(s, &v->window[v->n_windows - 1], name, &a->how, err);
	} else {
		struct weft_result r;
		rc = weft_hist_compute(&r, v, &v->hist[v->n_hists - 1], s, a->how.threads);
		rc = rc ? weft_err_set(err, rc, "%s: %s", j->cfg, weft_err_name(rc)) : weft_paraver_table(&r, name, &a->how, err);
		weft_result_fini(&r);
	}
	free(name);
	return rc;
}

/* Says what the trace lacks, in the tool's words and with names; can the view be computed all the same? */
static bool say_lack(const struct weft_view *v, const struct weft_space *s, const struct weft_view_lack *lack, const char *cfg)
{
	struct weft_buf missing = {0};
	weft_view_missing(v, s, &missing);
	const char *names = missing.n ? missing.at : "";
	if (!lack->found)
		fprintf(stderr,
		        "%s: None of the events specified in the filter appear in the trace. File creation aborted. Missing: %s\n",
		        cfg, names);
	else if (lack->nothing_selected)
		fprintf(stderr, "%s: Some timeline has 0 objects selected at some level. File creation aborted.\n", cfg);
	else if (missing.n)
		fprintf(stderr, "%s: Some of the events specified in the filter do not appear in the trace. Missing: %s\n", cfg,
		        names);
	weft_buf_fini(&missing);
	return lack->found && !lack->nothing_selected;
}

/* One view: a warning when it cannot stand on this trace, and nothing is written. */
static int run_view(const struct paramedir_args *a, const struct weft_space *s, const struct paramedir_job *j)
{
	struct weft_view v;
	struct weft_view_lack lack = {0};
	struct weft_err err = {0};
	char *text;
	size_t n;
	int rc = weft_read_input(j->cfg, &text, &n, &err);
	if (rc) {
		weft_log(WEFT_LOG_WARN, "%s", err.text);
		return PARAMEDIR_OK;
	}
	rc = weft_view_read(&v, text, n, j->cfg, &err);
	if (!rc && v.old_name) /* as there: weft view and weft table take it */
		rc = weft_err_set(&err, WEFT_E_SYNTAX, "unknown function '%s'", v.old_name);
	if (!rc)
		rc = weft_view_bind(&v, s, &lack, &err);
	if (!rc && v.dropped)
		fprintf(stderr, "%s\n", v.dropped);
	if (rc)
		fprintf(stderr, "Cannot load '%s' file: %s\n", j->cfg, err.text);
	else if (say_lack(&v, s, &lack, j->cfg))
		rc = compute(a, s, &v, j, &err);
	weft_view_fini(&v);
	free(text);
	if (rc && rc != WEFT_E_SYNTAX)
		return cli_fail(&err);
	return PARAMEDIR_OK;
}

/* The first records that are wrong, and how many more there are. */
static void say_problems(const struct weft_trace *t)
{
	enum { SHOWN = 10 };
	for (uint64_t i = 0; i < t->n_problems && i < SHOWN; i++) {
		const struct weft_problem *p = &t->problem[i];
		if (p->line)
			fprintf(stderr, "%s:%llu: %s\n", p->file, (unsigned long long)p->line, p->text);
		else
			fprintf(stderr, "%s: %s\n", p->file, p->text);
	}
	if (t->n_problems > SHOWN)
		fprintf(stderr, "%s: and %llu problems more (see 'weft check %s')\n", t->path,
		        (unsigned long long)(t->n_problems - SHOWN), t->path);
}

static int run_views(const struct paramedir_args *a, const char *trace)
{
	struct weft_trace *t;
	struct weft_space s;
	struct weft_err err = {0};
	if (weft_trace_open(&t, trace, NULL, &err)) {
		fprintf(stderr, "%s\n[ERROR] Cannot load '%s' file.\n", err.text, trace);
		return PARAMEDIR_FAILED;
	}
	say_problems(t);
	cli_say_no_labels(t);
	if (!t->n_events && !t->message.n) {
		fprintf(stderr, "Undefined error: no record in it\n[ERROR] Cannot load '%s' file.\n", trace);
		weft_trace_close(t);
		return PARAMEDIR_FAILED;
	}
	int status = weft_space_init(&s, t) ? cli_fail_code(-ENOMEM) : PARAMEDIR_OK;
	for (size_t i = 0; i < a->job.n && !status; i++)
		status = run_view(a, &s, &a->job.at[i]);
	weft_space_fini(&s);
	weft_trace_close(t);
	return status;
}

/* Views that are none are left out; PARAMEDIR_FAILED when none is left. */
static int check_views(struct paramedir_args *a)
{
	size_t left = 0;
	for (size_t i = 0; i < a->job.n; i++) {
		struct weft_err err = {0};
		char *text;
		size_t n;
		if (weft_read_input(a->job.at[i].cfg, &text, &n, &err)) {
			fprintf(stderr, "%s\n", err.text);
			continue;
		}
		if (weft_view_is_cfg(text, n))
			a->job.at[left++] = a->job.at[i];
		else
			fprintf(stderr, "'%s' is not a Paraver configuration file.\n", a->job.at[i].cfg);
		free(text);
	}
	a->job.n = left;
	return left ? PARAMEDIR_OK : PARAMEDIR_FAILED;
}

/* What was asked for, when it can be done at all. */
static int work(struct paramedir_args *a)
{
	char *made = NULL; /* by the tools */
	int status = PARAMEDIR_OK;
	if (a->step.n || a->dump) {
		status = paramedir_run_tools(a, &made);
		if (status || !made)
			return status;
	}
	if (a->job.n && !a->no_load) {
		qsort(a->job.at, a->job.n, sizeof *a->job.at, compare_jobs);
		status = check_views(a);
		if (!status)
			status = run_views(a, made ? made : a->trace);
	}
	free(made);
	return status;
}

static void say_no_trace(const char *unread)
{
	struct weft_err err = {0};
	struct stat st;
	int fd = unread ? weft_open_input(unread, &st, &err) : -1;
	if (fd >= 0)
		close(fd);
	fprintf(stderr, "Missing tracefile or unrecognized tracefile format%s%s.\n", err.code ? ": " : "",
	        err.code ? err.text : "");
}

static int run(int argc, char **argv)
{
	struct paramedir_args a = {.how = {.decimals = 2}};
	int status;
	if (paramedir_parse(&a, argc, argv, &status)) {
		if (a.help)
			cli_print_help(&weft_command_paramedir, stdout);
		else if (a.version)
			printf("weft " WEFT_VERSION " (paramedir)\n");
		else if (!a.trace && !a.no_load)
			say_no_trace(a.unread);
		else if (!a.job.n && !a.step.n && !a.dump)
			fprintf(stderr, "Missing arguments.\n");
		else if (a.trace)
			status = work(&a);
	}
	paramedir_args_fini(&a);
	return status;
}

int cli_paramedir(int argc, char **argv)
{
	return run(argc, argv);
}

const struct weft_command weft_command_paramedir = {
	.name = "paramedir",
	.operands = "TRACE [OPTIONS.xml] [VIEW.cfg [OUTPUT]]...",
	.summary = "Paraver's views and trace tools, as paramedir",
	.about = "Takes the command line of Paraver's paramedir, also when called by that name, and writes\n"
		 "byte for byte what it writes: a timeline as CSV, a histogram as a table. The output is\n"
		 "named after the view, in the current folder, or as the argument behind the view says.\n"
		 "Trace tools come before: each makes a trace of the one before it, the views are\n"
		 "computed on the last. Their options stand in an XML file.\n\n"
		 "Examples:\n"
		 "    weft paramedir trace.prv mpi_stats.cfg stats.txt\n"
		 "    weft paramedir -f -c trace.prv tools.xml\n"
		 "    weft paramedir -c -o part.prv trace.prv tools.xml useful.cfg",
	.options = paramedir_options,
	.run = run,
};
