/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recording because the environment says so, with nobody's help: the layer that begins first and ends last. Where the program is recorded
 * already (weft record), nothing is taken away: what was asked for is switched on there, and no file is made.
 *
 * Between starpu_fxt_stop_profiling() and starpu_fxt_start_profiling() the categories of the runtime are off, but for what must be known
 * all the same (starpu_meta): which workers, memory and data there are.
 */
#include "fxt.h"
#include "base/fs.h"
#include "runtime/core/life_trace.h"
#include "runtime/task/complain.h"
#include <errno.h>
#include <limits.h>
#include <starpu_fxt.h>
#include <starpu_profiling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	struct weft_atomic_bool is_on, ours; /* ours: into a file that this layer began */
	struct weft_atomic_bool waits;       /* the program begins it, not starpu_init */
	struct weft_atomic_i32 id;           /* -1: not set */
	char folder[PATH_MAX];               /* of the file, or empty */
} fxt = {.id = {-1}};

void starpu_profiling_set_id(int new_id)
{
	weft_store_i32(&fxt.id, new_id);
}

static void name_process(void)
{
	char name[32];
	int id = weft_load_i32(&fxt.id);
	snprintf(name, sizeof name, "profile %d", id);
	if (id >= 0)
		weft_name_process(name);
}

static void switch_categories(int on)
{
	weft_switch(weft_define_category("starpu", 1), on);
	weft_switch(weft_define_category("starpu_detail", 0), on);
}

static int make_folder(const char *file)
{
	struct weft_err err = {0};
	const char *name = strrchr(file, '/');
	size_t n = name ? (size_t)(name - file) : 0;
	fxt.folder[0] = 0;
	if (!n || n >= sizeof fxt.folder)
		return 0;
	memcpy(fxt.folder, file, n);
	fxt.folder[n] = 0;
	int rc = weft_make_dirs(fxt.folder, &err);
	if (rc)
		rt_say("STARPU_FXT_TRACE: %s", err.text);
	return rc;
}

/* 0: recorded, into a file of ours or where it was before. */
static int open_trace(void)
{
	char file[PATH_MAX];
	int n, rank = weft_load_i32(&fxt.id);
	if (weft_load_bool(&fxt.ours) && weft_trace())
		return weft_start(NULL); /* it has its file: that of an earlier starpu_init, of this very process */
	if (!weft_start(NULL)) {
		rt_say("STARPU_FXT_TRACE: recorded into '%s' already; no other file is made", weft_trace());
		return 0;
	}
	int rc = rt_fxt_file_name(file, sizeof file, rank >= 0 ? rank : rt_fxt_rank(&n));
	if (rc)
		rt_say("STARPU_FXT_TRACE: the name of the file is too long");
	rc = rc ? rc : make_folder(file);
	if (rc)
		return rc;
	rc = weft_start_file(file);
	if (rc)
		rt_say("STARPU_FXT_TRACE: cannot record into '%s': %s", file, strerror(-rc));
	else if (strcmp(weft_trace(), file) != 0 && file[0] == '/')
		rt_say("STARPU_FXT_TRACE: another process records into '%s'; this one into '%s'", file, weft_trace());
	weft_store_bool(&fxt.ours, !rc);
	return rc;
}

static int begin(struct rt_machine *m, struct weft_err *err)
{
	(void)m, (void)err;
	bool wanted = starpu_get_env_number_default("STARPU_FXT_TRACE", 0) > 0;
	/* Where each page of data lies is asked of the kernel: only for those who say so, or record everything by hand. */
	uint32_t groups = RT_GROUP_DEFAULT | (wanted ? 0 : RT_GROUP_TASK_EXTRA);
	rt_trace_groups = rt_fxt_groups(getenv("STARPU_FXT_EVENTS"), groups);
	weft_store_bool(&fxt.is_on, wanted && !open_trace());
	if (weft_load_bool(&fxt.is_on))
		switch_categories(!weft_load_bool(&fxt.waits));
	rt_trace_keeps_meta(weft_load_bool(&fxt.is_on));
	name_process();
	return 0;
}

static void end(struct rt_machine *m)
{
	(void)m;
	if (!weft_load_bool(&fxt.is_on))
		return;
	switch_categories(0);
	rt_trace_keeps_meta(false);
	if (weft_load_bool(&fxt.ours))
		weft_stop();
	weft_store_bool(&fxt.is_on, false);
	rt_fxt_generate(weft_trace());
}

const struct rt_layer rt_layer_fxt = {.name = "fxt", .begin = begin, .end = end};

/* ---- what the program says ---- */

void starpu_fxt_autostart_profiling(int autostart)
{
	weft_store_bool(&fxt.waits, !autostart);
}

void starpu_fxt_start_profiling(void)
{
	if (weft_load_bool(&fxt.is_on))
		switch_categories(1);
}

void starpu_fxt_stop_profiling(void)
{
	if (weft_load_bool(&fxt.is_on))
		switch_categories(0);
}

int starpu_fxt_is_enabled(void)
{
	return weft_load_bool(&fxt.is_on);
}
