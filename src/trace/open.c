/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening: from the index when there is one that was made from just these files, else by building it. An index that is damaged
 * or older is made again; where none can be left (a folder that cannot be written, a full disk, streams that are still being
 * written), the trace lives in unnamed files.
 */
#include "base/fs.h"
#include "index_priv.h"
#include "pack_priv.h"
#include "stream_priv.h"
#include "trace.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOREIGN_LEAST (32u << 20) /* files smaller than this are read faster than anyone would miss an index */

static bool stream_claims(const char *path, const char *first, size_t n)
{
	return weft_is_dir(path) || (n >= 8 && memcmp(first, WEFT_STREAM_MAGIC, 8) == 0);
}

static const struct weft_reader stream_reader = {.format = "weft", .claims = stream_claims, .load = stream_load};

static const struct weft_reader *find_reader(const char *path, struct weft_err *err)
{
	char first[4096];
	ssize_t n = 0;
	if (!weft_is_dir(path)) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? -1 : read(fd, first, sizeof first);
		int e = errno;
		if (fd >= 0)
			close(fd);
		if (n < 0) {
			weft_err_sys(err, e, "cannot open '%s'", path);
			return NULL;
		}
	}
	const struct weft_reader *const reader[] = {&stream_reader, &weft_prv_reader, &weft_paje_reader};
	for (unsigned i = 0; i < sizeof reader / sizeof *reader; i++)
		if (reader[i]->claims(path, first, (size_t)n))
			return reader[i];
	weft_err_set(err, WEFT_E_SYNTAX, n ? "cannot read '%s': no format that is known" : "cannot read '%s': an empty file",
	             path);
	return NULL;
}

/* Whether an index should be left: not for what takes no time to read, unless it was asked for. */
static bool wants_index(const char *path, const struct weft_open_how *how, const struct index_stamps *stamps)
{
	if (how && how->no_index)
		return false;
	return weft_is_dir(path) || stamps->bytes >= FOREIGN_LEAST || (how && how->rebuild);
}

/* One try, with an index folder or (dir NULL) without. */
static int build(struct weft_trace **out, const struct weft_reader *reader, const char *path, const char *dir,
                 const struct index_stamps *stamps, const struct weft_open_how *how, struct weft_err *err)
{
	struct weft_builder *b;
	int rc = weft_builder_new(&b, path, reader->format, how, err);
	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < stamps->at.n; i++)
		rc = builder_add_file(b, stamps->at.at[i].name, stamps->at.at[i].bytes, stamps->at.at[i].mtime_ns);
	if (!rc && dir)
		rc = builder_set_dir(b, dir, err);
	if (!rc)
		rc = reader->load(b, path, how, err);
	if (rc) {
		weft_builder_free(b);
		return err && err->code ? rc : weft_err_set(err, rc, "cannot read '%s': %s", path, weft_err_name(rc));
	}
	return weft_build_finish(b, b->live ? NULL : dir, out, err);
}

static bool is_about_writing(int rc)
{
	return rc == -ENOSPC || rc == -EDQUOT || rc == -EROFS || rc == -EACCES || rc == -EPERM || rc == -EFBIG;
}

int weft_trace_open(struct weft_trace **out, const char *path, const struct weft_open_how *how, struct weft_err *err)
{
	struct index_stamps stamps = {0};
	char *dir = NULL;
	*out = NULL;
	const struct weft_reader *reader = find_reader(path, err);
	if (!reader)
		return err && err->code ? err->code : WEFT_E_SYNTAX;
	uint64_t memory = how && how->memory ? how->memory
	                                     : (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 4;
	int rc = index_stamps_take(&stamps, path, err);
	if (!rc && !(how && (how->rebuild || how->no_index)) && index_open(out, path, &stamps, memory, NULL) == 0)
		goto out;
	if (!rc && wants_index(path, how, &stamps) && (dir = index_dir_of(path)) && index_dir_make(dir)) {
		free(dir);
		dir = NULL;
	}
	if (!rc) {
		struct weft_err why = {0};
		rc = build(out, reader, path, dir, &stamps, how, &why);
		if (rc && dir && is_about_writing(rc)) {
			why = (struct weft_err){0};
			rc = build(out, reader, path, NULL, &stamps, how, &why);
		}
		if (rc)
			weft_err_set(err, rc, "%s", why.text);
	}
out:
	index_stamps_fini(&stamps);
	free(dir);
	return rc;
}

void weft_trace_close(struct weft_trace *t)
{
	store_close(t);
}
