/* SPDX-License-Identifier: Apache-2.0 */
/* From the options of `weft cut` and `weft filter` to the line tools. */
#include "tool_edit.h"
#include "base/log.h"
#include "tool_files.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool cli_edit_is_line(const struct cli_edit *e, const char *out)
{
	return cli_is_prv(out) || e->xml || e->tasks || e->max_size || e->whole_states || e->remove_first_states ||
	       e->remove_last_states || e->keep_events || e->keep_types || e->drop_types || e->states || e->discard ||
	       e->min_state_time || e->min_bytes;
}

int cli_tool_xml(const char *path, struct weft_tool_options *o, unsigned section, const char *name)
{
	struct weft_err err = {0};
	int rc = weft_tool_options_read(o, path, &err);
	for (size_t i = 0; i < o->warning.n; i++)
		weft_log(WEFT_LOG_WARN, "%s", o->warning.at[i]);
	if (!rc && !(o->has & section))
		weft_err_set(&err, WEFT_E_SYNTAX, "%s: expected <%s>, which says what to do", path, name);
	return err.code ? cli_fail(&err) : rc ? cli_fail_code(rc) : CLI_OK;
}

/* -- cut -- */

/* The range in the trace's units; the file is read for its end. */
static int set_range(const char *prv, const char *time, struct weft_tool_cut *cut, struct weft_err *err)
{
	uint64_t end, unit, from = 0, to = WEFT_NEVER;
	int rc = weft_tool_trace_end(prv, &end, &unit, err);
	if (!rc && time)
		rc = weft_time_range(time, end > UINT64_MAX / unit ? UINT64_MAX : end * unit, &from, &to, err);
	cut->by_time = true;
	cut->from = from / unit;
	cut->to = to == WEFT_NEVER ? INT64_MAX : to / unit;
	return rc;
}

static int set_cut(const struct weft_command *cmd, const struct cli_edit *e, bool keep_times, struct weft_tool_cut *cut)
{
	cut->original_time = keep_times;
	cut->break_states = !e->whole_states;
	cut->remove_first_states = e->remove_first_states;
	cut->remove_last_states = e->remove_last_states;
	cut->keep_events = e->keep_events ? WEFT_TOOL_KEEP_BOUNDARY : WEFT_TOOL_KEEP_INSIDE;
	cut->max_bytes = e->max_size;
	int rc = e->tasks ? weft_tool_tasks_parse(cut, e->tasks, strlen(e->tasks)) : 0;
	if (rc == WEFT_E_SYNTAX)
		return cli_usage(cmd, "option '--tasks': expected numbers of tasks like 1,3-5, found '%s'", e->tasks);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

int cli_edit_cut(const struct weft_command *cmd, const struct cli_common *c, const struct cli_edit *e, const char *in,
                 const char *out, const char *time, bool keep_times, bool force)
{
	struct weft_tool_options o = {.has = 0};
	struct cli_tool_files f = {0};
	struct weft_tool_report report = {0};
	struct weft_err err = {0};
	if (e->xml && time)
		return cli_usage(cmd, "both --time and --xml say what to keep");
	int status = e->xml ? cli_tool_xml(e->xml, &o, WEFT_TOOL_HAS_CUT, "cutter") : set_cut(cmd, e, keep_times, &o.cut);
	if (!status) {
		status = cli_tool_begin(&f, c, in, out, force);
		int rc = 0;
		if (!status && !e->xml)
			rc = set_range(f.from, time, &o.cut, &err);
		o.cut.threads = (unsigned)c->threads;
		if (!status && !rc)
			rc = weft_tool_cut(f.from, f.to, &o.cut, &report, &err);
		status = cli_tool_end(&f, status, rc, &report, &err);
	}
	weft_tool_options_fini(&o);
	return status;
}

/* -- filter -- */

static int set_discard(const struct weft_command *cmd, const char *kinds, struct weft_tool_filter *f)
{
	struct weft_str rest = weft_str(kinds), part;
	struct {
		const char *name;
		bool *at;
	} known[] = {{"states", &f->discard_states}, {"events", &f->discard_events}, {"messages", &f->discard_comms}};
	while (weft_str_cut(&rest, ',', &part)) {
		size_t i = 0;
		while (i < 3 && !weft_str_eq(part, known[i].name))
			i++;
		if (i == 3)
			return cli_usage(cmd, "option '--discard': expected states, events or messages, found '%.*s'",
			                 (int)part.n, part.at);
		*known[i].at = true;
	}
	return CLI_OK;
}

static int set_states(const char *names, struct weft_tool_options *o)
{
	struct weft_str rest = weft_str(names), part;
	while (weft_str_cut(&rest, ',', &part)) {
		char *name = weft_arena_strndup(&o->arena, part.at, part.n);
		if (!name || weft_vec_push(&o->filter.state, name))
			return cli_fail_code(-ENOMEM);
	}
	o->filter.some_states = true;
	return CLI_OK;
}

int cli_tool_types(const struct weft_command *cmd, const char *option, const char *text, struct weft_tool_type_list *l)
{
	int rc = text ? weft_tool_types_parse(l, text, strlen(text)) : 0;
	if (rc == WEFT_E_SYNTAX)
		return cli_usage(cmd, "option '--%s': expected event types like '50000001-50000003;7:1,2', found '%s'", option,
		                 text);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

static int set_filter(const struct weft_command *cmd, const struct cli_edit *e, struct weft_tool_options *o)
{
	if (e->keep_types && e->drop_types)
		return cli_usage(cmd, "both --keep-types and --drop-types say which events stay");
	o->filter.types_discarded = e->drop_types != NULL;
	o->filter.min_bytes = e->min_bytes > INT64_MAX ? INT64_MAX : (int64_t)e->min_bytes;
	int status = cli_tool_types(cmd, "keep-types", e->keep_types, &o->filter.type);
	if (!status)
		status = cli_tool_types(cmd, "drop-types", e->drop_types, &o->filter.type);
	if (!status && e->discard)
		status = set_discard(cmd, e->discard, &o->filter);
	if (!status && e->states)
		status = set_states(e->states, o);
	return status;
}

static void say_kind(const struct weft_tool_kept *k, const char *what, const char **between)
{
	if (!k->read)
		return;
	fprintf(stderr, "%s%llu of %llu %s", *between, (unsigned long long)(k->read - k->kept), (unsigned long long)k->read,
	        what);
	*between = ", ";
}

static void say_dropped(const struct weft_tool_report *report)
{
	const char *between = "dropped ";
	say_kind(&report->states, "states", &between);
	say_kind(&report->events, "lines of events", &between);
	say_kind(&report->comms, "messages", &between);
	if (report->pairs_dropped)
		fprintf(stderr, "; %llu events of types that were not wanted", (unsigned long long)report->pairs_dropped);
	fputs(*between == 'd' ? "dropped nothing: there are no records\n" : "\n", stderr);
}

int cli_edit_filter(const struct weft_command *cmd, const struct cli_common *c, const struct cli_edit *e, const char *in,
                    const char *out, bool force)
{
	struct weft_tool_options o = {.has = 0};
	struct cli_tool_files f = {0};
	struct weft_tool_report report = {0};
	struct weft_err err = {0};
	uint64_t end, unit;
	int status = e->xml ? cli_tool_xml(e->xml, &o, WEFT_TOOL_HAS_FILTER, "filter") : set_filter(cmd, e, &o);
	if (!status) {
		status = cli_tool_begin(&f, c, in, out, force);
		int rc = status ? 0 : weft_tool_trace_end(f.from, &end, &unit, &err);
		if (!status && !rc && !e->xml)
			o.filter.min_state_time = e->min_state_time / unit;
		if (!status && !rc)
			rc = weft_tool_filter(f.from, f.to, &o.filter, (unsigned)c->threads, &report, &err);
		status = cli_tool_end(&f, status, rc, &report, &err);
		if (!status && !c->quiet)
			say_dropped(&report);
	}
	weft_tool_options_fini(&o);
	return status;
}
