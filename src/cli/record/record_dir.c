/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The directory of a new trace. Nothing that is there is ever overwritten unasked: without -o a free name is taken (NAME.weft,
 * NAME-2.weft, ...), with -o the directory must be new or empty. --force replaces only what is a trace that nobody records into,
 * which is moved aside until the command runs. The directory is locked as long as the recording lasts.
 */
#include "base/fs.h"
#include "base/str.h"
#include "format/format.h"
#include "trace/write/export.h"
#include "record_run.h"
#include "trace/weft/recording.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAMES_TRIED 10000

/* "prog" of "/usr/bin/prog"; never empty. */
static const char *program_name(const char *program)
{
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;
	return *name ? name : "command";
}

static int make_numbered(const char *program, char **shown, struct weft_err *err)
{
	const char *name = program_name(program);
	for (unsigned i = 1; i <= NAMES_TRIED; i++) {
		char *path;
		int n = i == 1 ? asprintf(&path, "%s.weft", name) : asprintf(&path, "%s-%u.weft", name, i);
		if (n < 0)
			return weft_err_sys(err, ENOMEM, "cannot name the trace");
		if (mkdir(path, 0777) == 0) {
			*shown = path;
			return 0;
		}
		int error = errno;
		if (error != EEXIST) {
			weft_err_sys(err, error, "cannot make '%s'", path);
			free(path);
			return -error;
		}
		free(path);
	}
	return weft_err_sys(err, EEXIST, "cannot find a free name like '%s.weft'", name);
}

/* Whether everything in the folder is what Weft puts into a trace. */
static bool is_trace(char **names, int n)
{
	static const char *const ours[] = {"*.stream", "*" WEFT_STREAM_MISSING, "topology-*.xml", "index", ".*.tmp"};
	for (int i = 0; i < n; i++) {
		bool known = false;
		for (unsigned k = 0; k < sizeof ours / sizeof *ours; k++)
			known = known || weft_glob(ours[k], names[i]);
		if (!known)
			return false;
	}
	return true;
}

static int move_aside(struct record_dir *d, struct weft_err *err)
{
	size_t n = strlen(d->shown);
	while (n > 1 && d->shown[n - 1] == '/')
		n--;
	if (asprintf(&d->aside, "%.*s.replaced-%d", (int)n, d->shown, (int)getpid()) < 0) {
		d->aside = NULL;
		return weft_err_sys(err, ENOMEM, "cannot replace '%s'", d->shown);
	}
	if (rename(d->shown, d->aside) == 0)
		return 0;
	int error = errno;
	free(d->aside);
	d->aside = NULL;
	return weft_err_sys(err, error, "cannot replace '%s'", d->shown);
}

static int make_named(struct record_dir *d, bool force, struct weft_err *err)
{
	d->made = mkdir(d->shown, 0777) == 0;
	if (d->made)
		return 0;
	if (errno != EEXIST)
		return weft_err_sys(err, errno, "cannot make '%s'", d->shown);
	char **names;
	int n = weft_list_dir(d->shown, &names, err);
	if (n < 0)
		return n;
	bool trace = is_trace(names, n);
	weft_list_free(names, n);
	if (n == 0)
		return 0;
	if (!trace)
		return weft_err_set(err, -EEXIST, "'%s' is there already, and holds more than a trace", d->shown);
	if (!force)
		return weft_err_set(err, -EEXIST, "'%s' is there already (--force replaces it)", d->shown);
	int rc = weft_trace_check_idle(d->shown, err);
	if (rc == 0)
		rc = move_aside(d, err);
	if (rc == 0 && mkdir(d->shown, 0777))
		rc = weft_err_sys(err, errno, "cannot make '%s'", d->shown);
	d->made = rc == 0;
	return rc;
}

/* Not everywhere there are locks: then without. */
static int lock_dir(struct record_dir *d, struct weft_err *err)
{
	struct weft_err why = {0};
	d->lock = weft_trace_lock(d->path, &why);
	return d->lock == -EBUSY ? weft_err_set(err, -EBUSY, "%s", why.text) : 0;
}

int record_dir_make(struct record_dir *d, const char *output, const char *program, bool force, struct weft_err *err)
{
	int rc = 0;
	*d = (struct record_dir){.lock = -1};
	const struct weft_exporter *e = output ? weft_exporter_find(NULL, output) : NULL;
	if (e && e->write != weft_export_weft)
		return weft_err_set(err, -EINVAL,
		                    "'%s' would be a folder of streams: call it NAME.weft ('weft convert' writes %s)", output,
		                    e->name);
	if (!output) {
		rc = make_numbered(program, &d->shown, err);
		d->made = rc == 0;
	} else if (!(d->shown = strdup(output))) {
		rc = weft_err_sys(err, ENOMEM, "cannot make '%s'", output);
	} else {
		rc = make_named(d, force, err);
	}
	if (rc == 0 && !(d->path = realpath(d->shown, NULL)))
		rc = weft_err_sys(err, errno, "cannot find '%s'", d->shown);
	if (rc == 0 && access(d->path, W_OK | X_OK))
		rc = weft_err_sys(err, errno, "cannot write to '%s'", d->shown);
	if (rc == 0 && (rc = lock_dir(d, err)) != 0) {
		free(d->path); /* what is in it now is the other's */
		d->path = NULL;
	}
	if (rc)
		record_dir_undo(d);
	return rc;
}

void record_dir_keep(struct record_dir *d)
{
	if (d->aside && weft_remove_tree(d->aside, NULL))
		return; /* stays, under its new name */
	free(d->aside);
	d->aside = NULL;
}

static void empty_out(const char *path)
{
	char **names;
	int n = weft_list_dir(path, &names, NULL);
	for (int i = 0; i < n; i++) {
		char *file;
		if (asprintf(&file, "%s/%s", path, names[i]) < 0)
			break;
		unlink(file);
		free(file);
	}
	if (n >= 0)
		weft_list_free(names, n);
}

void record_dir_undo(struct record_dir *d)
{
	if (d->path)
		empty_out(d->path);
	if (d->made)
		rmdir(d->shown);
	if (d->aside && rename(d->aside, d->shown) == 0) {
		free(d->aside);
		d->aside = NULL;
	}
	record_dir_fini(d);
}

void record_dir_fini(struct record_dir *d)
{
	free(d->path);
	free(d->shown);
	free(d->aside);
	if (d->lock >= 0)
		close(d->lock);
	*d = (struct record_dir){.lock = -1};
}
