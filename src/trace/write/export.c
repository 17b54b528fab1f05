/* SPDX-License-Identifier: Apache-2.0 */
/* The formats that a trace can be written in, one row each, and how one is found: by its name, or by what the output is called. */
#include "export.h"
#include "base/fs.h"
#include "base/str.h"
#include "export_otf2.h"
#include "write.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

const struct weft_exporter weft_exporters[] = {
	{"prv", ".prv .prv.gz .prv.zst", "Paraver: .prv, .pcf and .row", false, weft_export_prv},
	{"paje", ".paje .trace", "Paje, for ViTE, pajeng and PajeNG-based R scripts", true, weft_export_paje},
	{"chrome", ".json", "Trace Event Format (JSON), for chrome://tracing, Perfetto, speedscope", true, weft_export_chrome},
	{"perfetto", ".pftrace .perfetto-trace", "Perfetto's protobuf format, for ui.perfetto.dev", true, weft_export_perfetto},
	{"csv", ".csv", "one row for each region, state, message, flow and event", true, weft_export_csv},
	{"otf2", ".otf2", "Open Trace Format 2, for Vampir, Scalasca, Cube: an archive, a folder", false, weft_export_otf2},
	{"weft", ".weft", "Weft's own streams, a folder", false, weft_export_weft},
	{0},
};

static bool has_suffix(const char *path, size_t n, const char *suffixes)
{
	struct weft_str rest = weft_str(suffixes), one;
	while (weft_str_cut(&rest, ' ', &one))
		if (n > one.n && memcmp(path + n - one.n, one.at, one.n) == 0)
			return true;
	return false;
}

/* By its own name or a suffix; whether it is packed, as in ".prv.gz", is for the output's name to say. */
static bool is_called(const struct weft_exporter *e, const char *name)
{
	struct weft_str rest = weft_str(e->suffix), one;
	bool called = strcmp(name, e->name) == 0;
	while (!called && !strchr(name, '.') && weft_str_cut(&rest, ' ', &one))
		called = weft_str_eq(weft_str_n(one.at + 1, one.n - 1), name);
	return called;
}

const struct weft_exporter *weft_exporter_find(const char *name, const char *path)
{
	size_t n = path ? strlen(path) : 0;
	while (n > 1 && path[n - 1] == '/')
		n--;
	for (const struct weft_exporter *e = weft_exporters; e->name; e++)
		if (name ? is_called(e, name) : has_suffix(path, n, e->suffix))
			return e;
	return NULL;
}

int weft_export_weft(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err)
{
	struct weft_write_how as = {.filter = how->filter, .to = WEFT_NEVER, .memory = how->memory, .progress = how->progress};
	return weft_trace_write(&t, 1, path, &as, false, how->force, err);
}

/* Beside its place, under another name, and put there when it is complete. */
int weft_export_otf2(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err)
{
	struct weft_buf made = {0};
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	weft_buf_printf(&made, "%.*s", (int)n, path);
	if (made.failed || (!how->force && access(made.at, F_OK) == 0)) {
		int rc = weft_err_set(err, made.failed ? -ENOMEM : -EEXIST, "cannot write '%s': %s", path,
		                      made.failed ? "no memory" : "it is there already (--force replaces it)");
		weft_buf_fini(&made);
		return rc;
	}
	weft_buf_printf(&made, ".%ld.new", (long)getpid());
	int rc = made.failed ? weft_err_set(err, -ENOMEM, "cannot write '%s': no memory", path)
	                     : export_otf2(t, made.at, how, err);
	rc = rc ? rc : weft_remove_tree(path, err);
	if (!rc && rename(made.at, path))
		rc = weft_err_sys(err, errno, "cannot write '%s'", path);
	if (rc && !made.failed)
		(void)!weft_remove_tree(made.at, NULL);
	weft_buf_fini(&made);
	return rc;
}
