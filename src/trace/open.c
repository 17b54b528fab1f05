/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening: from the index when there is one that was made from just these files, else by building it. An index that is damaged
 * or older is made again; where none can be left (a folder that cannot be written, a full disk, streams that are still being
 * written), the trace lives in unnamed files.
 */
#include "open.h"
#include "base/fs.h"
#include "trace/store/index_files.h"
#include "trace/weft/pack_frame.h"
#include "trace/weft/stream.h"
#include "trace/text/text_unpack.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOREIGN_LEAST (32u << 20) /* files smaller than this are read faster than anyone would miss an index */

static bool stream_claims(const char *path, const char *first, size_t n)
{
	return weft_is_dir(path) || (n >= 8 && memcmp(first, WEFT_STREAM_MAGIC, 8) == 0);
}

static const struct weft_reader stream_reader = {.format = "weft", .claims = stream_claims, .load = stream_load};

/* ---- what it is ---- */

/* The first bytes of what can be read once only, with the descriptor to read on; fd -1: it is a file or a folder. */
static int open_stream(const char *path, struct text_stream *s, struct weft_err *err)
{
	struct stat st;
	ssize_t got = 1;
	*s = (struct text_stream){.fd = -1};
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		s->fd = weft_open_input(path, &st, err);
	else
		return 0;
	if (s->fd < 0)
		return s->fd;
	while (got > 0 && s->n_first < sizeof s->first) {
		got = read(s->fd, s->first + s->n_first, sizeof s->first - s->n_first);
		s->n_first += got > 0 ? (size_t)got : 0;
		got = got < 0 && errno == EINTR ? 1 : got;
	}
	if (got >= 0)
		return 0;
	int e = errno;
	close(s->fd);
	s->fd = -1;
	return weft_err_sys(err, e, "cannot open '%s'", path);
}

/* Count, or negative. */
static ssize_t read_first(const char *path, char *to, size_t room, struct weft_err *err)
{
	struct stat st;
	int fd = weft_open_regular(path, &st, err);
	if (fd < 0)
		return fd;
	ssize_t n = read(fd, to, room);
	if (n < 0)
		weft_err_sys(err, errno, "cannot read '%s'", path);
	close(fd);
	return n;
}

static const struct weft_reader *find_reader(const char *path, const struct text_stream *stream, struct weft_err *err)
{
	char first[4096], plain[4096];
	const char *at = first;
	ssize_t n = 0;
	if (stream->fd >= 0) {
		at = (const char *)stream->first;
		n = (ssize_t)stream->n_first;
	} else if (!weft_is_dir(path) && (n = read_first(path, first, sizeof first, err)) < 0) {
		return NULL;
	}
	if (text_unpack_knows((const uint8_t *)at, (size_t)n)) {
		n = (ssize_t)text_unpack_peek((const uint8_t *)at, (size_t)n, plain, sizeof plain);
		at = plain;
	}
	const struct weft_reader *const reader[] = {&stream_reader, &weft_prv_reader, &weft_paje_reader};
	for (unsigned i = 0; i < sizeof reader / sizeof *reader; i++)
		if (reader[i]->claims(path, at, (size_t)n))
			return reader[i];
	weft_err_set(err, WEFT_E_SYNTAX, n ? "cannot read '%s': no format that is known" : "cannot read '%s': an empty file",
	             path);
	return NULL;
}

bool weft_trace_is_ours(const char *path)
{
	char first[sizeof WEFT_STREAM_MAGIC];
	ssize_t n = weft_is_dir(path) ? 0 : read_first(path, first, sizeof first, NULL);
	return n >= 0 && stream_claims(path, first, (size_t)n);
}

/* Whether an index should be left: not for what takes no time to read, unless it was asked for. */
static bool wants_index(const char *path, const struct weft_open_how *how, const struct index_stamps *stamps)
{
	if (how && how->no_index)
		return false;
	return weft_is_dir(path) || stamps->bytes >= FOREIGN_LEAST || (how && how->rebuild);
}

/* ---- building ---- */

/* A copy of the stream, for readers that need a file: its name in `path`. Lives as long as the descriptor, which the builder keeps. */
static int copy_stream(struct weft_builder *b, char path[32], struct weft_err *err)
{
	struct text_stream *s = &b->stream;
	enum { STEP = 1 << 16 };
	char *step = malloc(STEP);
	int fd = spill_file(), from = s->fd, rc = step ? fd < 0 ? fd : 0 : -ENOMEM;
	ssize_t n = (ssize_t)s->n_first;
	const char *at = (const char *)s->first;
	uint64_t written = 0;
	while (!rc && n > 0) {
		rc = weft_write_all(fd, at, (size_t)n, written);
		written += (uint64_t)n;
		at = step;
		while (!rc && (n = read(from, step, STEP)) < 0 && errno == EINTR)
			;
		rc = !rc && n < 0 ? -errno : rc;
	}
	free(step);
	if (fd >= 0) {
		s->fd = fd;
		close(from);
	}
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return rc ? weft_err_sys(err, -rc, "cannot keep what '%s' gives", b->path) : 0;
}

static int build_once(struct weft_trace **out, const struct weft_reader *reader, const char *name, const char *path,
                      const char *dir, const struct index_stamps *stamps, struct text_stream *stream, bool skim,
                      const struct weft_open_how *how, struct weft_err *err)
{
	struct weft_builder *b;
	char copy[32];
	int rc = weft_builder_new(&b, name, reader->format, how, err);
	if (rc)
		return rc;
	b->skim = skim;
	b->stream = *stream;
	stream->fd = -1;
	for (size_t i = 0; !rc && i < stamps->at.n; i++) {
		const struct index_stamp *s = &stamps->at.at[i];
		rc = builder_add_file(b, &(struct build_file){s->name, s->bytes, s->mtime_ns, s->ctime_ns, s->inode, s->sum});
	}
	if (!rc && dir)
		rc = builder_set_dir(b, dir, err);
	if (!rc && b->stream.fd >= 0 && !reader->once) {
		rc = copy_stream(b, copy, err);
		path = copy;
	}
	if (!rc)
		rc = reader->load(b, path, how, err);
	if (rc) {
		if (!err || !err->code)
			weft_err_set(err, rc, "cannot read '%s': %s", b->path, weft_err_name(rc));
		weft_builder_free(b);
		return rc;
	}
	return weft_build_finish(b, b->live ? NULL : dir, out, err);
}

/* A stream's pages are skimmed first, then looked at one by one where that turns out to be wrong (see stream_scan.c). */
int open_build(struct weft_trace **out, const struct weft_reader *reader, const char *name, const char *path, const char *dir,
               const struct index_stamps *stamps, struct text_stream *stream, const struct weft_open_how *how,
               struct weft_err *err)
{
	struct weft_err why = {0};
	bool skim = stream->fd < 0;
	int rc = build_once(out, reader, name, path, dir, stamps, stream, skim, how, &why);
	if (rc == -EAGAIN && skim) {
		why = (struct weft_err){0};
		rc = build_once(out, reader, name, path, dir, stamps, stream, false, how, &why);
	}
	return rc ? weft_err_set(err, rc, "%s", why.text) : 0;
}

static bool is_about_writing(int rc)
{
	return rc == -ENOSPC || rc == -EDQUOT || rc == -EROFS || rc == -EACCES || rc == -EPERM || rc == -EFBIG;
}

static int open_or_build(struct weft_trace **out, const struct weft_reader *reader, const char *path, struct text_stream *stream,
                         const struct weft_open_how *how, struct weft_err *err)
{
	struct index_stamps stamps = {0};
	char *dir = NULL;
	uint64_t memory = weft_open_memory(how);
	bool once = stream->fd >= 0;
	int rc = once ? 0 : index_stamps_take(&stamps, path, err);
	if (!rc && !once && !(how && (how->rebuild || how->no_index)) && index_open(out, path, &stamps, memory, NULL) == 0)
		goto out;
	if (!rc && !once && wants_index(path, how, &stamps) && (dir = index_dir_of(path)) && index_dir_make(dir)) {
		free(dir);
		dir = NULL;
	}
	if (!rc && dir && (rc = index_stamps_sum(&stamps, path)))
		weft_err_sys(err, -rc, "cannot read '%s'", path);
	if (!rc) {
		struct weft_err why = {0};
		rc = open_build(out, reader, path, path, dir, &stamps, stream, how, &why);
		if (rc && dir && is_about_writing(rc)) {
			why = (struct weft_err){0};
			rc = open_build(out, reader, path, path, NULL, &stamps, stream, how, &why);
		}
		if (rc)
			weft_err_set(err, rc, "%s", why.text);
	}
out:
	index_stamps_fini(&stamps);
	free(dir);
	return rc;
}

int weft_trace_open(struct weft_trace **out, const char *path, const struct weft_open_how *how, struct weft_err *err)
{
	struct text_stream stream;
	*out = NULL;
	if (strcmp(path, "-") == 0)
		path = "/dev/stdin";
	int rc = open_stream(path, &stream, err);
	if (rc)
		return rc;
	const struct weft_reader *reader = find_reader(path, &stream, err);
	if (reader)
		rc = open_or_build(out, reader, path, &stream, how, err);
	else
		rc = err && err->code ? err->code : WEFT_E_SYNTAX;
	if (stream.fd >= 0)
		close(stream.fd);
	return rc;
}
