/* SPDX-License-Identifier: Apache-2.0 */
#include "phases_cut.h"
#include "tool/tool.h"
#include "trace/paraver/prv_header.h"
#include "trace/paraver/prv_names.h"
#include "trace/write/export.h"
#include "trace/write/origin.h"
#include "trace/write/write.h"
#include <string.h>
#include <unistd.h>

static uint64_t unit_of(const struct weft_trace *t)
{
	const char *suffix = weft_trace_note(t, PRV_NOTE_UNIT);
	for (unsigned u = 0; suffix && u < PRV_UNITS; u++)
		if (!strcmp(prv_unit_suffix[u], suffix))
			return prv_unit_ns[u];
	return 1;
}

static int cut_prv(const struct cli_common *c, const struct weft_trace *t, const char *path, const char *output, uint64_t from,
                   uint64_t to, struct weft_err *err)
{
	uint64_t unit = unit_of(t);
	struct weft_tool_cut how = {.by_time = true,
	                            .from = from / unit,
	                            .to = to / unit,
	                            .to_percent = 100,
	                            .break_states = true,
	                            .threads = (unsigned)c->threads};
	struct weft_tool_report report = {0};
	return weft_tool_cut(path, output, &how, &report, err);
}

static int cut_weft(const struct cli_common *c, const struct weft_trace *t, const char *output, uint64_t from, uint64_t to,
                    bool force, struct weft_err *err)
{
	struct weft_write_how how = {.from = from, .to = to, .memory = c->memory, .progress = !c->quiet};
	struct weft_buf origin = {0};
	const struct weft_trace *traces[] = {t};
	int rc = weft_origin_note(&origin, t, from, to, false);
	how.origin = origin.at;
	rc = rc ? weft_err_set(err, rc, "out of memory") : weft_trace_write(traces, 1, output, &how, false, force, err);
	weft_buf_fini(&origin);
	return rc;
}

int phases_cut(const struct cli_common *c, const struct weft_trace *t, const char *path, const char *output, uint64_t from,
               uint64_t to, bool force)
{
	struct weft_err err = {0};
	const struct weft_exporter *e = weft_exporter_find(NULL, output);
	bool to_prv = e && e->write == weft_export_prv;
	if (to_prv && strcmp(t->format, "prv") != 0)
		return cli_fail_text("'%s' is no .prv: write it as OUT.weft, then convert that ('weft convert OUT.weft -o %s')",
		                     path, output);
	if (!force && access(output, F_OK) == 0)
		return cli_fail_text("'%s' is there already (--force replaces it)", output);
	int rc = to_prv ? cut_prv(c, t, path, output, from, to, &err) : cut_weft(c, t, output, from, to, force, &err);
	return rc ? cli_fail(&err) : CLI_OK;
}
