/* SPDX-License-Identifier: Apache-2.0 */
/*
 * starpu_fxt_generate_trace() and its options. The files are made by the command, in a folder beside where they go, under the names that
 * it gives them; then each takes the name that the options have for it, or goes.
 */
#include "base/fs.h"
#include "fxt.h"
#include "runtime/task/complain.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <starpu_fxt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The files, as the command calls them, and where the options say how the program does. */
static const struct {
	const char *name;
	size_t path;
} files[] = {
	{"paje.trace", offsetof(struct starpu_fxt_options, out_paje_path)},
	{"distrib.data", offsetof(struct starpu_fxt_options, distrib_time_path)},
	{"activity.data", offsetof(struct starpu_fxt_options, activity_path)},
	{"sched_tasks.rec", offsetof(struct starpu_fxt_options, sched_tasks_path)},
	{"dag.dot", offsetof(struct starpu_fxt_options, dag_path)},
	{"tasks.rec", offsetof(struct starpu_fxt_options, tasks_path)},
	{"data.rec", offsetof(struct starpu_fxt_options, data_path)},
	{"papi.rec", offsetof(struct starpu_fxt_options, papi_path)},
	{"comms.rec", offsetof(struct starpu_fxt_options, comms_path)},
	{"number_events.data", offsetof(struct starpu_fxt_options, number_events_path)},
	{"trace.html", offsetof(struct starpu_fxt_options, anim_path)},
	{"trace.rec", offsetof(struct starpu_fxt_options, states_path)},
};
enum { FILES = sizeof files / sizeof *files };

static const struct {
	const char *option;
	size_t flag; /* unsigned */
} flags[] = {
	{"-c", offsetof(struct starpu_fxt_options, per_task_colour)},
	{"-no-events", offsetof(struct starpu_fxt_options, no_events)},
	{"-no-counter", offsetof(struct starpu_fxt_options, no_counter)},
	{"-no-bus", offsetof(struct starpu_fxt_options, no_bus)},
	{"-no-flops", offsetof(struct starpu_fxt_options, no_flops)},
	{"-no-smooth", offsetof(struct starpu_fxt_options, no_smooth)},
	{"-no-acquire", offsetof(struct starpu_fxt_options, no_acquire)},
	{"-memory-states", offsetof(struct starpu_fxt_options, memory_states)},
	{"-internal", offsetof(struct starpu_fxt_options, internal)},
	{"-label-deps", offsetof(struct starpu_fxt_options, label_deps)},
	{"-use-task-color", offsetof(struct starpu_fxt_options, use_task_color)},
};
enum { FLAGS = sizeof flags / sizeof *flags };

static char **path_in(struct starpu_fxt_options *o, unsigned file)
{
	return (char **)(void *)((char *)o + files[file].path);
}

static unsigned flag_in(const struct starpu_fxt_options *o, unsigned flag)
{
	unsigned value;
	memcpy(&value, (const char *)o + flags[flag].flag, sizeof value);
	return value;
}

static bool counts_events(unsigned file)
{
	return files[file].path == offsetof(struct starpu_fxt_options, number_events_path);
}

void starpu_fxt_options_init(struct starpu_fxt_options *options)
{
	memset(options, 0, sizeof *options);
	for (unsigned i = 0; i < FILES; i++)
		if (!counts_events(i)) /* only for those who ask */
			*path_in(options, i) = strdup(files[i].name);
	options->file_prefix = strdup("");
	options->file_rank = -1;
}

void starpu_fxt_options_shutdown(struct starpu_fxt_options *options)
{
	for (unsigned i = 0; i < FILES; i++) {
		free(*path_in(options, i));
		*path_in(options, i) = NULL;
	}
	free(options->file_prefix);
	free(options->dir);
	options->file_prefix = options->dir = NULL;
}

static char *joined(const char *folder, const char *name)
{
	char *out = NULL;
	return asprintf(&out, "%s/%s", folder, name) < 0 ? NULL : out;
}

/* Its files go there, which it makes. */
void starpu_fxt_options_set_dir(struct starpu_fxt_options *options)
{
	struct weft_err err = {0};
	if (!options->dir || !*options->dir)
		return;
	if (weft_make_dirs(options->dir, &err)) {
		rt_say("starpu_fxt_options_set_dir: %s", err.text);
		return;
	}
	for (unsigned i = 0; i < FILES; i++) {
		char **path = path_in(options, i), *inside = *path ? joined(options->dir, *path) : NULL;
		if (inside) {
			free(*path);
			*path = inside;
		}
	}
}

/* From one file system to another it is copied. */
static int move_file(const char *from, const char *to)
{
	struct weft_err err = {0};
	char *at;
	size_t n;
	if (rename(from, to) == 0)
		return 0;
	if (errno != EXDEV)
		return -errno;
	int rc = weft_read_file(from, &at, &n, &err), fd = rc ? rc : open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (rc)
		return rc;
	rc = fd < 0 ? -errno : weft_write_all(fd, at, n, 0);
	if (fd >= 0)
		close(fd);
	free(at);
	return rc;
}

static void give_names(struct starpu_fxt_options *o, const char *folder)
{
	for (unsigned i = 0; i < FILES; i++) {
		char *made = joined(folder, files[i].name), *wanted = *path_in(o, i);
		int rc = made && wanted && access(made, F_OK) == 0 ? move_file(made, wanted) : 0;
		if (rc)
			rt_say("starpu_fxt_generate_trace: cannot write '%s': %s", wanted, strerror(-rc));
		free(made);
	}
}

/* Before the files go where the options say. */
static void tell_codelets(struct starpu_fxt_options *o, const char *folder)
{
	if (!o->dumped_codelets)
		return;
	char *distribution = joined(folder, "distrib.data"), *activity = joined(folder, "activity.data");
	int rc = distribution && activity ? rt_fxt_codelets(distribution, activity, o->dumped_codelets, &o->dumped_codelets_count)
	                                  : -ENOMEM;
	if (rc)
		rt_say("starpu_fxt_generate_trace: dumped_codelets: %s", strerror(-rc));
	free(distribution);
	free(activity);
}

void starpu_fxt_generate_trace(struct starpu_fxt_options *options)
{
	struct weft_err err = {0};
	enum { FIXED = 8 };
	const char *argv[FIXED + FLAGS + 2 * STARPU_FXT_MAX_FILES], *paje = options->out_paje_path;
	char folder[PATH_MAX];
	unsigned n = 0, inputs = options->ninputfiles < STARPU_FXT_MAX_FILES ? options->ninputfiles : STARPU_FXT_MAX_FILES;
	const char *slash = paje ? strrchr(paje, '/') : NULL;
	int at = slash ? (int)(slash - paje) + 1 : 0;
	if (snprintf(folder, sizeof folder, "%.*s.starpu_fxt_XXXXXX", at, at ? paje : "") >= (int)sizeof folder ||
	    !mkdtemp(folder)) {
		rt_say("starpu_fxt_generate_trace: cannot write where '%s' is to be: %s", paje ? paje : "it", strerror(errno));
		return;
	}
	for (unsigned i = 0; i < inputs; i++) {
		argv[n++] = "-i";
		argv[n++] = options->filenames[i];
	}
	argv[n++] = "-d";
	argv[n++] = folder;
	for (unsigned i = 0; i < FLAGS; i++)
		if (flag_in(options, i))
			argv[n++] = flags[i].option;
	if (options->number_events_path)
		argv[n++] = "-number-events";
	argv[n] = NULL;
	if (!rt_fxt_run("starpu_fxt_tool", argv)) {
		tell_codelets(options, folder);
		give_names(options, folder);
	}
	if (weft_remove_tree(folder, &err))
		rt_say("starpu_fxt_generate_trace: %s", err.text);
}

void starpu_fxt_write_data_trace_in_dir(char *filename_in, char *dir)
{
	const char *argv[4];
	unsigned n = 0;
	if (dir && *dir) {
		argv[n++] = "-d";
		argv[n++] = dir;
	}
	argv[n++] = filename_in;
	argv[n] = NULL;
	if (rt_fxt_run("starpu_fxt_data_trace", argv))
		rt_say("starpu_fxt_write_data_trace: nothing is made of '%s'", filename_in ? filename_in : "nothing");
}

void starpu_fxt_write_data_trace(char *filename_in)
{
	starpu_fxt_write_data_trace_in_dir(filename_in, NULL);
}
