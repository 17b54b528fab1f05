/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces that were not made for Paraver, as its functions see them: regions become events, one type for each category, and
 * states; counters and attributes become events; with the numbers and labels that `weft convert --to prv` gives them. They are what
 * the conversion says by definition, because this is the conversion, into a folder that is gone when the trace is open. What was
 * read from it stays in the trace's index.
 */
#include "metric_priv.h"
#include "derived.h"
#include "trace/write/export.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096 };
static const char derived_name[] = "prv";

/* A folder for the files; "" when there is none. */
static void make_folder(char *folder)
{
	const char *parent[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
	for (size_t i = 0; i < sizeof parent / sizeof *parent; i++) {
		if (!parent[i] || strlen(parent[i]) > PATH_ROOM - 64)
			continue;
		snprintf(folder, PATH_ROOM, "%s/weft-metric-XXXXXX", parent[i]);
		if (mkdtemp(folder))
			return;
	}
	*folder = 0;
}

static void remove_folder(const char *folder)
{
	static const char *const file[] = {"t.prv", "t.pcf", "t.row"};
	char path[PATH_ROOM + 8];
	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, file[i]);
		unlink(path);
	}
	rmdir(folder);
}

bool metric_own_needed(const struct weft_trace *t)
{
	return strcmp(t->format, "prv") != 0 && t->n_threads > 0;
}

int metric_own_open(struct weft_trace **out, const struct weft_trace *t)
{
	char folder[PATH_ROOM], path[PATH_ROOM + 8];
	struct weft_err err = {0};
	*out = NULL;
	if (weft_derived_open(out, t, derived_name) == 0)
		return 0;
	make_folder(folder);
	if (!*folder)
		return -ENOSPC;
	snprintf(path, sizeof path, "%s/t.prv", folder);
	int rc = weft_export_prv(t, path, &(struct weft_export_how){.filter = NULL}, &err);
	if (!rc)
		rc = weft_derived_build(out, t, derived_name, path, &err);
	remove_folder(folder);
	return rc;
}
