/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft paramedir`, also as `paramedir`: takes the command line of Paraver's own tool, and writes what it writes. Arguments are
 * told apart by what they are (a trace, a view, an options file), not by where they stand; what follows a view is the name of its
 * output.
 */
#include "base/log.h"
#include "base/vec.h"
#include "cli.h"
#include "metric/paraver_out.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PARAMEDIR_OK = 0, PARAMEDIR_FAILED = 1 };

struct job { /* a view and where its output goes */
	const char *cfg, *out;
};
struct args {
	struct weft_paraver_how how;
	const char *trace;
	bool no_load, help, version;
	const char *tool; /* an option of a trace tool that we do not have */
	WEFT_VEC(struct job) job;
};

/* What --help and completion show; parsing is the foreign tool's. */
static const struct weft_opt options[] = {
	{'m', "many-files", NULL, WEFT_OPT_FLAG, 0, "write each row of a timeline to a file of its own"},
	{'e', "empty-columns", NULL, WEFT_OPT_FLAG, 0, "leave out columns without values"},
	{'p', "print-plane", NULL, WEFT_OPT_FLAG, 0, "of a 3D table print only the plane that the view looks at"},
	{0, "trace-units", NULL, WEFT_OPT_FLAG, 0, "print times in the trace's units (also -tu)"},
	{0, "no-preferences-precision", NULL, WEFT_OPT_FLAG, 0, "print tables with 10 decimals (also -npr)"},
	{'n', "no-load", NULL, WEFT_OPT_FLAG, 0, "do not load the trace"},
	{'v', "version", NULL, WEFT_OPT_FLAG, 0, "print the version"},
	{0},
};

enum flag { MANY, EMPTY, PLANE, UNITS, PRECISION, NO_LOAD, HELP, VERSION, TOOL, TOOL_WITH_FILE };
static const struct {
	const char *at_short, *at_long;
	enum flag flag;
} flags[] = {
	{"-m", "--many-files", MANY},
	{"-e", "--empty-columns", EMPTY},
	{"-p", "--print-plane", PLANE},
	{"-tu", "--trace-units", UNITS},
	{"-npr", "--no-preferences-precision", PRECISION},
	{"-n", "--no-load", NO_LOAD},
	{"-h", "--help", HELP},
	{"-v", "--version", VERSION},
	{"-c", "--cutter", TOOL},
	{"-f", "--filter", TOOL},
	{"-s", "--software-counters", TOOL},
	{"-d", "--dump-trace", TOOL},
	{"-o", "--output-name", TOOL_WITH_FILE},
	{"-et", "--event-translator", TOOL_WITH_FILE},
	{"-g", "--event-cutter", TOOL_WITH_FILE},
	{"-t", "--thread-shifter", TOOL_WITH_FILE},
	{"-tt", "--task-shifter", TOOL_WITH_FILE},
	{"-ta", "--app-shifter", TOOL_WITH_FILE},
	{"-tw", "--workload-shifter", TOOL_WITH_FILE},
};

static bool ends_with(const char *z, const char *end)
{
	size_t n = strlen(z), k = strlen(end);
	return n >= k && !strcmp(z + n - k, end);
}

static bool is_trace(const char *path)
{
	if (access(path, R_OK) != 0)
		return false;
	return ends_with(path, ".prv") || ends_with(path, ".prv.gz") || ends_with(path, ".prv.zst") || ends_with(path, ".weft") ||
	       weft_is_dir(path);
}

/* 1: it was an option; 0: it was none; negative: an unknown one. */
static int take_flag(struct args *a, const char *z, int *skip)
{
	size_t i = 0, n = sizeof flags / sizeof *flags;
	if (z[0] != '-')
		return 0;
	while (i < n && strcmp(z, flags[i].at_short) != 0 && strcmp(z, flags[i].at_long) != 0)
		i++;
	if (i == n)
		return -EINVAL;
	switch (flags[i].flag) {
	case MANY:
		a->how.many_files = true;
		break;
	case EMPTY:
		a->how.hide_empty = true;
		break;
	case PLANE:
		a->how.one_plane = true;
		break;
	case UNITS:
		a->how.trace_units = true;
		break;
	case PRECISION:
		a->how.decimals = 10;
		break;
	case NO_LOAD:
		a->no_load = true;
		break;
	case HELP:
		a->help = true;
		break;
	case VERSION:
		a->version = true;
		break;
	case TOOL_WITH_FILE:
		*skip = 1;
		a->tool = z;
		break;
	default:
		a->tool = z;
	}
	return 1;
}

static int add_view(struct args *a, const char *path)
{
	for (size_t i = 0; i < a->job.n; i++)
		if (!strcmp(a->job.at[i].cfg, path))
			return 0;
	return weft_vec_push(&a->job, (struct job){path, NULL});
}

/* PARAMEDIR_OK and a->job, or the exit status in *status and false. */
static bool parse(struct args *a, int argc, char **argv, int *status)
{
	struct job *last = NULL;
	*status = PARAMEDIR_OK;
	for (int i = 1; i < argc && !a->help && !a->version; i++) {
		int skip = 0, rc = take_flag(a, argv[i], &skip);
		if (rc < 0) {
			fprintf(stderr, "Unknown option %s\n", argv[i]);
			return false;
		}
		i += skip;
		if (rc)
			continue;
		if (ends_with(argv[i], ".cfg")) {
			if (add_view(a, argv[i])) {
				*status = cli_fail_code(-ENOMEM);
				return false;
			}
			last = &a->job.at[a->job.n - 1];
		} else if (is_trace(argv[i])) {
			a->trace = argv[i];
			last = NULL;
		} else if (last && !ends_with(argv[i], ".xml")) {
			last->out = argv[i];
			last = NULL;
		}
	}
	return true;
}

static int compare_jobs(const void *a, const void *b)
{
	const struct job *x = a, *y = b;
	return strcmp(x->cfg, y->cfg);
}

/* The name of the output; malloc'd. */
static char *output_name(const struct job *j, bool rows)
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

static int compute(const struct args *a, const struct weft_space *s, const struct weft_view *v, const struct job *j,
                   struct weft_err *err)
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

/* One view: a warning when it cannot stand on this trace, and nothing is written. */
static int run_view(const struct args *a, const struct weft_space *s, const struct job *j)
{
	struct weft_view v;
	struct weft_view_lack lack = {0};
	struct weft_err err = {0};
	char *text;
	size_t n;
	int rc = weft_read_file(j->cfg, &text, &n, &err);
	if (rc) {
		weft_log(WEFT_LOG_WARN, "%s", err.text);
		return PARAMEDIR_OK;
	}
	rc = weft_view_read(&v, text, n, j->cfg, &err);
	if (!rc)
		rc = weft_view_bind(&v, s, &lack, &err);
	if (!rc && v.dropped)
		fprintf(stderr, "%s\n", v.dropped);
	if (rc)
		fprintf(stderr, "Cannot load '%s' file: %s\n", j->cfg, err.text);
	else if (!lack.found)
		fprintf(stderr, "%s: None of the events specified in the filter appear in the trace. File creation aborted.\n",
		        j->cfg);
	else if (lack.nothing_selected)
		fprintf(stderr, "%s: Some timeline has 0 objects selected at some level. File creation aborted.\n", j->cfg);
	else
		rc = compute(a, s, &v, j, &err);
	weft_view_fini(&v);
	free(text);
	if (rc && rc != WEFT_E_SYNTAX)
		return cli_fail(&err);
	return PARAMEDIR_OK;
}

static int run_views(const struct args *a)
{
	struct weft_trace *t;
	struct weft_space s;
	struct weft_err err = {0};
	if (weft_trace_open(&t, a->trace, NULL, &err)) {
		fprintf(stderr, "%s\n[ERROR] Cannot load '%s' file.\n", err.text, a->trace);
		return PARAMEDIR_FAILED;
	}
	if (!t->n_events && !t->message.n) {
		fprintf(stderr, "Undefined error: no record in it\n[ERROR] Cannot load '%s' file.\n", a->trace);
		weft_trace_close(t);
		return PARAMEDIR_FAILED;
	}
	for (uint64_t i = 0; i < t->n_problems && i < 1000; i++)
		fprintf(stderr, "%s:%llu: %s\n", t->problem[i].file, (unsigned long long)t->problem[i].line, t->problem[i].text);
	int status = weft_space_init(&s, t) ? cli_fail_code(-ENOMEM) : PARAMEDIR_OK;
	for (size_t i = 0; i < a->job.n && !status; i++)
		status = run_view(a, &s, &a->job.at[i]);
	weft_space_fini(&s);
	weft_trace_close(t);
	return status;
}

/* Views that are none are left out; PARAMEDIR_FAILED when none is left. */
static int check_views(struct args *a)
{
	size_t left = 0;
	for (size_t i = 0; i < a->job.n; i++) {
		struct weft_err err = {0};
		char *text;
		size_t n;
		if (weft_read_file(a->job.at[i].cfg, &text, &n, &err)) {
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

static int run(int argc, char **argv)
{
	struct args a = {.how = {.decimals = 2}};
	int status;
	bool parsed = parse(&a, argc, argv, &status);
	if (!parsed) {
		free(a.job.at);
		return status;
	}
	if (a.help) {
		cli_print_help(&weft_command_paramedir, stdout);
	} else if (a.version) {
		printf("weft " WEFT_VERSION " (paramedir)\n");
	} else if (a.tool) {
		fprintf(stderr, "%s: this build has no trace tools under paramedir's options (see 'weft cut', 'weft filter')\n",
		        a.tool);
		status = PARAMEDIR_FAILED;
	} else if (!a.trace && !a.no_load) {
		fprintf(stderr, "Missing tracefile or unrecognized tracefile format.\n");
	} else if (!a.job.n) {
		fprintf(stderr, "Missing arguments.\n");
	} else if (!a.no_load) {
		qsort(a.job.at, a.job.n, sizeof *a.job.at, compare_jobs);
		status = check_views(&a);
		if (!status)
			status = run_views(&a);
	}
	free(a.job.at);
	return status;
}

int cli_paramedir(int argc, char **argv)
{
	return run(argc, argv);
}

const struct weft_command weft_command_paramedir = {
	.name = "paramedir",
	.operands = "TRACE VIEW.cfg [OUTPUT]...",
	.summary = "compute Paraver's views, as paramedir does",
	.about = "Takes the command line of Paraver's paramedir, also when called by that name, and writes\n"
		 "byte for byte what it writes: a timeline as CSV, a histogram as a table. The output is\n"
		 "named after the view, in the current folder, or as the argument behind the view says.\n\n"
		 "    weft paramedir trace.prv mpi_stats.cfg stats.txt",
	.options = options,
	.run = run,
};
