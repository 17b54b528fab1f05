/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace tools of paramedir, each on the trace that the one before it made. What lies between is removed; only the last
 * has the name that the user gave. Without one, names tell what was done: t.filter1.chop1.prv.
 */
#include "trace/open.h"
#include "base/log.h"
#include "cli/common/cli.h"
#include "paramedir.h"
#include "tool_files.h"
#include "trace/write/export.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct run {
	const struct paramedir_args *a;
	struct weft_tool_options xml;
	struct weft_tool_report report;
	struct weft_err err;
};

static int lacks(struct run *r, const char *section)
{
	return weft_err_set(&r->err, WEFT_E_SYNTAX, "%s: expected <%s>, which the tool needs", r->a->xml, section);
}

static int run_cut(struct run *r, const char *in, const char *out, const char *argument)
{
	(void)argument;
	return r->xml.has & WEFT_TOOL_HAS_CUT ? weft_tool_cut(in, out, &r->xml.cut, &r->report, &r->err) : lacks(r, "cutter");
}

static int run_filter(struct run *r, const char *in, const char *out, const char *argument)
{
	(void)argument;
	return r->xml.has & WEFT_TOOL_HAS_FILTER ? weft_tool_filter(in, out, &r->xml.filter, 0, &r->report, &r->err)
	                                         : lacks(r, "filter");
}

static int run_counters(struct run *r, const char *in, const char *out, const char *argument)
{
	(void)argument;
	return r->xml.has & WEFT_TOOL_HAS_COUNTERS ? weft_tool_counters(in, out, &r->xml.counters, &r->report, &r->err)
	                                           : lacks(r, "software_counters");
}

static int run_translate(struct run *r, const char *in, const char *out, const char *argument)
{
	return weft_tool_translate(in, out, argument, 0, &r->report, &r->err);
}

static int run_split(struct run *r, const char *in, const char *out, const char *argument)
{
	uint64_t type;
	if (weft_parse_u64(weft_str(argument), &type) || type > UINT32_MAX)
		return weft_err_set(&r->err, WEFT_E_SYNTAX, "expected an event type, found '%.40s'", argument);
	return weft_tool_split(in, out, (uint32_t)type, &r->report, &r->err);
}

static int run_shift_thread(struct run *r, const char *in, const char *out, const char *argument)
{
	return weft_tool_shift(in, out, argument, WEFT_TOOL_THREAD, 0, &r->report, &r->err);
}

static int run_shift_task(struct run *r, const char *in, const char *out, const char *argument)
{
	return weft_tool_shift(in, out, argument, WEFT_TOOL_TASK, 0, &r->report, &r->err);
}

static int run_shift_app(struct run *r, const char *in, const char *out, const char *argument)
{
	return weft_tool_shift(in, out, argument, WEFT_TOOL_APP, 0, &r->report, &r->err);
}

static int run_shift_workload(struct run *r, const char *in, const char *out, const char *argument)
{
	return weft_tool_shift(in, out, argument, WEFT_TOOL_WORKLOAD, 0, &r->report, &r->err);
}

static const struct {
	const char *word; /* in names */
	int (*run)(struct run *r, const char *in, const char *out, const char *argument);
	bool xml, parts;
} tools[] = {
	[PARAMEDIR_CUT] = {"chop", run_cut, true, false},
	[PARAMEDIR_FILTER] = {"filter", run_filter, true, false},
	[PARAMEDIR_COUNTERS] = {"sc", run_counters, true, false},
	[PARAMEDIR_TRANSLATE] = {"event_translator", run_translate, false, false},
	[PARAMEDIR_SPLIT] = {"event_cutter", run_split, false, true},
	[PARAMEDIR_SHIFT_THREAD] = {"shift", run_shift_thread, false, false},
	[PARAMEDIR_SHIFT_TASK] = {"shift", run_shift_task, false, false},
	[PARAMEDIR_SHIFT_APP] = {"shift", run_shift_app, false, false},
	[PARAMEDIR_SHIFT_WORKLOAD] = {"shift", run_shift_workload, false, false},
};

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;
	return !strcmp(a, b) || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

/* Whether the tools can begin; else says why not. */
static bool check_usage(const struct paramedir_args *a)
{
	bool xml = false;
	for (size_t i = 0; i < a->step.n; i++)
		xml = xml || tools[a->step.at[i].tool].xml;
	if (a->output && same_file(a->trace, a->output)) {
		fprintf(stderr, "Source trace and output trace are the same.\n");
		return false;
	}
	if (xml && !a->xml) {
		fprintf(stderr, "Unable to find XML options file.\n");
		return false;
	}
	return true;
}

static int read_xml(struct run *r)
{
	if (!r->a->xml)
		return 0;
	int rc = weft_tool_options_read(&r->xml, r->a->xml, &r->err);
	for (size_t i = 0; i < r->xml.warning.n; i++)
		fprintf(stderr, "%s\n", r->xml.warning.at[i]);
	return rc;
}

/* The steps from *current on, which becomes the last trace. made: it is removed when a step has read it, as those between. */
static int run_steps(struct run *r, char **current, bool made)
{
	const struct paramedir_args *a = r->a;
	for (size_t i = 0; i < a->step.n; i++) {
		const struct paramedir_step *s = &a->step.at[i];
		bool last = i + 1 == a->step.n;
		char *out = last && a->output ? strdup(a->output) : weft_tool_name(*current, tools[s->tool].word);
		if (!out)
			return -ENOMEM;
		int rc = tools[s->tool].run(r, *current, out, s->argument);
		if (!rc && tools[s->tool].parts) { /* what follows works on the first of them */
			char *first = weft_tool_part_name(out, 1);
			free(out);
			out = first;
		}
		if (made)
			weft_tool_remove(*current);
		free(*current);
		*current = out;
		if (!out || rc)
			return rc ? rc : -ENOMEM;
		made = true;
	}
	return 0;
}

/* A trace of ours as a .prv beside it, which is removed when a tool has read it. */
static char *convert(struct run *r, const char *path)
{
	size_t n = strlen(path);
	struct weft_trace *t;
	char *plain = NULL, *name = NULL;
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (asprintf(&plain, "%.*s.prv", (int)(n > 5 && !memcmp(path + n - 5, ".weft", 5) ? n - 5 : n), path) < 0)
		return NULL;
	name = weft_tool_name(plain, "conv");
	free(plain);
	if (!name || weft_trace_open(&t, path, NULL, &r->err)) {
		free(name);
		return NULL;
	}
	struct weft_export_how how = {.filter = NULL};
	int rc = weft_export_prv(t, name, &how, &r->err);
	weft_trace_close(t);
	if (rc) {
		free(name);
		return NULL;
	}
	return name;
}

static int dump(struct run *r, const char *trace)
{
	char *out;
	if (asprintf(&out, "%s.new.global", trace) < 0)
		return -ENOMEM;
	int rc = weft_tool_dump(trace, out, &r->err);
	free(out);
	return rc;
}

int paramedir_run_tools(const struct paramedir_args *a, char **result)
{
	struct run r = {.a = a};
	bool ours = !cli_is_prv(a->trace);
	*result = NULL;
	if (!check_usage(a))
		return PARAMEDIR_OK;
	int rc = read_xml(&r);
	char *current = rc ? NULL : ours ? convert(&r, a->trace) : strdup(a->trace);
	if (!rc && !current)
		rc = r.err.code ? r.err.code : -ENOMEM;
	if (!rc)
		rc = run_steps(&r, &current, ours);
	if (!rc && a->dump)
		rc = dump(&r, current);
	if (rc) {
		fprintf(stderr, "%s\n", r.err.code ? r.err.text : weft_err_name(rc));
	} else {
		cli_tool_say(a->trace, &r.report);
		*result = current;
		current = NULL;
	}
	free(current);
	weft_tool_options_fini(&r.xml);
	return rc ? PARAMEDIR_FAILED : PARAMEDIR_OK;
}
