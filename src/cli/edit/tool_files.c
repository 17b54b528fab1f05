/* SPDX-License-Identifier: Apache-2.0 */
/* Files for the trace tools: .prv as it stands, ours by way of a temporary one. */
#include "trace/open.h"
#include "tool_files.h"
#include "base/log.h"
#include "trace/write/export.h"
#include "trace/write/write.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_is_prv(const char *path)
{
	static const char *const endings[] = {".prv", ".prv.gz", ".prv.zst"};
	size_t n = strlen(path);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (n >= strlen(endings[i]) && !strcmp(path + n - strlen(endings[i]), endings[i]))
			return true;
	return false;
}

static int make_folder(struct cli_tool_files *f)
{
	if (f->folder)
		return CLI_OK;
	if (asprintf(&f->folder, "%s.tool.XXXXXX", f->out) < 0) {
		f->folder = NULL;
		return cli_fail_code(-ENOMEM);
	}
	if (mkdtemp(f->folder))
		return CLI_OK;
	struct weft_err err = {0};
	weft_err_sys(&err, errno, "cannot write '%s'", f->out);
	free(f->folder);
	f->folder = NULL;
	return cli_fail(&err);
}

/* NAME in the temporary folder; malloc'd. */
static int in_folder(struct cli_tool_files *f, const char *name, char **out)
{
	int status = make_folder(f);
	if (!status && asprintf(out, "%s/%s", f->folder, name) < 0) {
		*out = NULL;
		status = cli_fail_code(-ENOMEM);
	}
	return status;
}

static int convert_input(struct cli_tool_files *f, const char *in)
{
	struct weft_trace *t;
	struct weft_filter *filter;
	struct weft_err err = {0};
	int status = in_folder(f, "in.prv", &f->from);
	if (!status)
		status = cli_open(f->common, in, &t, &filter);
	if (status)
		return status;
	struct weft_export_how how = {.filter = filter, .progress = !f->common->quiet, .memory = f->common->memory};
	int rc = weft_export_prv(t, f->from, &how, &err);
	weft_filter_free(filter);
	weft_trace_close(t);
	return rc ? cli_fail(&err) : CLI_OK;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int cli_tool_begin(struct cli_tool_files *f, const struct cli_common *common, const char *in, const char *out, bool force)
{
	*f = (struct cli_tool_files){.common = common, .out = out, .force = force, .to_weft = !cli_is_prv(out)};
	int status = cli_check_input(in);
	if (status)
		return status;
	if (same_file(in, out)) {
		weft_log(WEFT_LOG_ERROR, "'%s' is the trace itself: the new one needs another name", out);
		return CLI_USAGE;
	}
	if (!force && access(out, F_OK) == 0) {
		weft_log(WEFT_LOG_ERROR, "'%s' is there already (--force replaces it)", out);
		return CLI_USAGE;
	}
	if (!cli_is_prv(in) || common->filter)
		status = convert_input(f, in);
	else if (!(f->from = strdup(in)))
		status = cli_fail_code(-ENOMEM);
	if (status)
		return status;
	if (f->to_weft)
		return in_folder(f, "out.prv", &f->to);
	f->to = strdup(out);
	return f->to ? CLI_OK : cli_fail_code(-ENOMEM);
}

static int convert_output(struct cli_tool_files *f, struct weft_err *err)
{
	struct weft_trace *t;
	struct weft_open_how how = cli_open_how(f->common);
	int rc = weft_trace_open(&t, f->to, &how, err);
	if (rc)
		return rc;
	struct weft_write_how write = {.to = WEFT_NEVER,
	                               .keep_times = true,
	                               .memory = f->common->memory,
	                               .progress = !f->common->quiet};
	const struct weft_trace *traces[] = {t};
	rc = weft_trace_write(traces, 1, f->out, &write, false, f->force, err);
	weft_trace_close(t);
	return rc;
}

void cli_tool_say(const char *in, const struct weft_tool_report *report)
{
	char first[64] = "";
	if (report->first_odd)
		snprintf(first, sizeof first, " (the first: line %llu)", (unsigned long long)report->first_odd);
	if (report->odd_lines)
		weft_log(WEFT_LOG_WARN, "%s: left out what is no record of this trace: %llu %s%s", in,
		         (unsigned long long)report->odd_lines, report->odd_lines == 1 ? "line" : "lines", first);
	if (report->first_strange)
		snprintf(first, sizeof first, " (the first: line %llu)", (unsigned long long)report->first_strange);
	if (report->strange_lines)
		weft_log(WEFT_LOG_WARN, "%s: kept what names threads that the header does not have: %llu %s%s", in,
		         (unsigned long long)report->strange_lines, report->strange_lines == 1 ? "line" : "lines", first);
	if (report->unknown_task)
		weft_log(WEFT_LOG_WARN, "%s: there is no task %llu: tasks are numbered from 1 to %llu", in,
		         (unsigned long long)report->unknown_task, (unsigned long long)report->greatest_task);
	if (report->unknown_state[0])
		weft_log(WEFT_LOG_WARN, "%s: no state is called '%s'%s%s%s", in, report->unknown_state,
		         report->nearest_state[0] ? " (did you mean '" : "", report->nearest_state,
		         report->nearest_state[0] ? "'?)" : "");
}

int cli_tool_end(struct cli_tool_files *f, int status, int rc, const struct weft_tool_report *report, const struct weft_err *err)
{
	struct weft_err own = *err;
	if (!status && !rc && f->to_weft)
		rc = convert_output(f, &own);
	if (!status && !rc)
		cli_tool_say(f->from, report);
	if (!status && rc)
		status = cli_fail(&own);
	if (f->folder && weft_remove_tree(f->folder, NULL))
		weft_log(WEFT_LOG_WARN, "cannot remove '%s'", f->folder);
	free(f->folder);
	free(f->from);
	free(f->to);
	return status;
}
