/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces in, a folder of streams out: one stream a process, written whole into a folder with a temporary name that takes its own
 * at the end. Only the process that is being written takes memory; threads are read one after another.
 */
#include "trace/weft/recording.h"
#include "write_priv.h"
#include "base/fs.h"
#include "format/format.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a trace's folder may hold: only such a folder is replaced. */
static const char *const ours[] = {"*.stream", "*" WEFT_STREAM_MISSING, "topology-*.xml", "index", "index.*", ".*.tmp"};

struct write_run {
	const struct weft_trace *const *trace;
	unsigned n_traces;
	const struct weft_write_how *how;
	bool align;
	char *path, *temp; /* owned */
	uint64_t realtime; /* of the new axis' begin */
	uint64_t end;      /* of the new axis */
	uint32_t n_streams, n_apps;
	uint64_t n_messages;
	struct weft_progress progress;
};

/* ---- the folder ---- */

static int is_trace_folder(const char *path, struct weft_err *err)
{
	char **names;
	int n = weft_list_dir(path, &names, err);
	if (n < 0)
		return n;
	int rc = 0;
	for (int i = 0; i < n && rc == 0; i++) {
		bool known = false;
		for (size_t k = 0; k < sizeof ours / sizeof *ours; k++)
			known = known || weft_glob(ours[k], names[i]);
		if (!known)
			rc = weft_err_set(err, -ENOTEMPTY, "will not replace '%s': it is no trace, it holds '%s'", path,
			                  names[i]);
	}
	weft_list_free(names, n);
	return rc;
}

static int check_target(const char *path, bool force, struct weft_err *err)
{
	struct stat st;
	if (lstat(path, &st))
		return errno == ENOENT ? 0 : weft_err_sys(err, errno, "cannot write '%s'", path);
	if (!force)
		return weft_err_set(err, -EEXIST, "'%s' is there already (--force replaces it)", path);
	if (!S_ISDIR(st.st_mode))
		return weft_err_set(err, -ENOTDIR, "will not replace '%s': it is no folder", path);
	int rc = is_trace_folder(path, err);
	return rc ? rc : weft_trace_check_idle(path, err);
}

/* The path without slashes at its end, and beside it a name for the time of writing. */
static int make_names(struct write_run *r, const char *path, struct weft_err *err)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n == 0)
		return weft_err_set(err, -EINVAL, "cannot write a trace without a name");
	r->path = strndup(path, n);
	char *for_dir = strndup(path, n), *for_base = strndup(path, n);
	if (!r->path || !for_dir || !for_base ||
	    asprintf(&r->temp, "%s/.%s.%d.tmp", dirname(for_dir), basename(for_base), (int)getpid()) < 0)
		r->temp = NULL;
	free(for_dir);
	free(for_base);
	return r->temp ? 0 : weft_err_set(err, -ENOMEM, "cannot write '%s': out of memory", path);
}

static int sync_one(const char *path, struct weft_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 || fsync(fd) ? weft_err_sys(err, errno, "cannot write '%s'", path) : 0;
	if (fd >= 0)
		close(fd);
	return rc;
}

/*
 * Makes the folder and its files safe. After all are written, not one by one: then the first sync takes most of the work for
 * all (3000 streams: a third of the time).
 */
static int sync_folder(const char *path, struct weft_err *err)
{
	char **names;
	int n = weft_list_dir(path, &names, err);
	if (n < 0)
		return n;
	int rc = 0;
	for (int i = 0; i < n && rc == 0; i++) {
		char *file;
		if (asprintf(&file, "%s/%s", path, names[i]) < 0) {
			rc = weft_err_set(err, -ENOMEM, "cannot write '%s': out of memory", path);
			break;
		}
		rc = sync_one(file, err);
		free(file);
	}
	weft_list_free(names, n);
	return rc ? rc : sync_one(path, err);
}

/* Old and new change places in one step where the file system can, and the old one, which now has the temporary name, goes. */
static int appear(struct write_run *r, bool force, struct weft_err *err)
{
	int rc = sync_folder(r->temp, err);
	if (rc)
		return rc;
	if (renameat2(AT_FDCWD, r->temp, AT_FDCWD, r->path, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno == EINVAL && access(r->path, F_OK) != 0 && rename(r->temp, r->path) == 0)
		return 0;
	if (!force || errno != EEXIST)
		return weft_err_sys(err, errno, "cannot write '%s'", r->path);
	if (renameat2(AT_FDCWD, r->temp, AT_FDCWD, r->path, RENAME_EXCHANGE) == 0)
		return weft_remove_tree(r->temp, err);
	rc = weft_remove_tree(r->path, err);
	if (rc == 0 && rename(r->temp, r->path))
		rc = weft_err_sys(err, errno, "cannot write '%s'", r->path);
	return rc;
}

/* ---- the new axis ---- */

static uint64_t bound(const struct weft_trace *t, uint64_t to)
{
	return to < t->end ? to : t->end;
}

static bool aligns(const struct write_run *r, const struct weft_trace *t)
{
	return r->align && t->begin_realtime;
}

/* Where a trace's own 0 comes to stand. Negative for a cut that is moved to the begin. */
static int64_t trace_shift(const struct write_run *r, const struct weft_trace *t)
{
	int64_t shift = r->how->keep_times ? 0 : -(int64_t)r->how->from;
	if (aligns(r, t))
		shift += (int64_t)(t->begin_realtime - r->realtime);
	return shift;
}

static void find_axis(struct write_run *r)
{
	r->realtime = 0;
	for (unsigned i = 0; i < r->n_traces; i++) {
		uint64_t at = r->trace[i]->begin_realtime;
		if (at && (r->realtime == 0 || (r->align && at < r->realtime)))
			r->realtime = at;
	}
	for (unsigned i = 0; i < r->n_traces; i++) {
		uint64_t end = bound(r->trace[i], r->how->to) + (uint64_t)trace_shift(r, r->trace[i]);
		if (end > r->end && bound(r->trace[i], r->how->to) >= r->how->from)
			r->end = end;
	}
}

/* ---- processes ---- */

static bool process_stays(const struct write_stream *s)
{
	const struct weft_process *p = &s->t->process[s->process];
	bool stays = p->n_threads == 0;
	for (uint32_t i = 0; i < p->n_threads && !stays; i++)
		stays = pick_thread(s->how->filter, p->first_thread + i);
	return stays;
}

static int write_process(struct write_run *r, struct write_stream *s, struct weft_err *err)
{
	const struct weft_process *p = &s->t->process[s->process];
	int rc = write_stream_open(s, r->temp, ++r->n_streams, err);
	if (rc)
		return rc;
	for (uint32_t i = p->first_thread; i < p->first_thread + p->n_threads && rc == 0; i++)
		if (write_thread_stays(s, i)) {
			rc = write_thread(s, i);
			if (s->how->count)
				s->how->count->threads++;
		}
	if (rc && !s->failed) {
		write_stream_abandon(s);
		return weft_err_set(err, rc, "cannot read '%s': %s", s->t->path, weft_err_name(rc));
	}
	write_dictionary(s);
	return write_stream_close(s, err);
}

static int write_one(struct write_run *r, unsigned number, struct weft_err *err)
{
	const struct weft_trace *t = r->trace[number];
	int rc = r->how->filter ? weft_filter_bind(r->how->filter, t, err) : 0;
	bool first = true;
	for (uint32_t p = 0; p < t->n_processes && rc == 0; p++) {
		struct write_stream s = {
			.t = t,
			.how = r->how,
			.progress = r->how->progress ? &r->progress : NULL,
			.process = p,
			.app_base = r->n_apps,
			.from = r->how->from,
			.to = r->how->to,
			.shift = trace_shift(r, t),
			.end = r->end,
			.realtime = r->realtime && !r->how->keep_times ? r->realtime + r->how->from : r->realtime,
			.salt = number ? weft_hash_u64(number) : 0,
			.message_base = r->n_messages,
			.first = first,
		};
		if (!process_stays(&s))
			continue;
		first = false;
		rc = write_process(r, &s, err);
	}
	r->n_apps += t->n_apps;
	r->n_messages += t->message.n;
	return rc;
}

static int write_all(struct write_run *r, struct weft_err *err)
{
	uint64_t events = 0;
	int rc = 0;
	find_axis(r);
	for (unsigned i = 0; i < r->n_traces; i++)
		events += r->trace[i]->n_events;
	if (r->how->progress)
		weft_progress_begin(&r->progress, "writing", events);
	for (unsigned i = 0; i < r->n_traces && rc == 0; i++)
		rc = write_one(r, i, err);
	if (r->how->progress)
		weft_progress_end(&r->progress);
	if (rc == 0 && r->n_streams == 0)
		rc = weft_err_set(err, -ENODATA, "nothing to write to '%s': no thread is left", r->path);
	return rc;
}

int weft_trace_write(const struct weft_trace *const *traces, unsigned n_traces, const char *path,
                     const struct weft_write_how *how, bool align, bool force, struct weft_err *err)
{
	struct write_run r = {.trace = traces, .n_traces = n_traces, .how = how, .align = align};
	struct weft_err ignored = {0};
	int rc = make_names(&r, path, err);
	if (rc == 0)
		rc = check_target(r.path, force, err);
	if (rc)
		goto out;
	rc = weft_remove_tree(r.temp, err); /* of an earlier process that had this pid */
	if (rc == 0 && mkdir(r.temp, 0777))
		rc = weft_err_sys(err, errno, "cannot create '%s'", r.path);
	if (rc)
		goto out;
	rc = write_all(&r, err);
	if (rc == 0)
		rc = appear(&r, force, err);
	if (rc && weft_remove_tree(r.temp, &ignored))
		weft_err_prefix(err, "left '%s' behind", r.temp);
out:
	free(r.path);
	free(r.temp);
	return rc;
}
