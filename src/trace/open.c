/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening: from the index when there is one that was made from just these files, else by building it. An index that is damaged
 * or older is made again; where none can be left (a folder that cannot be written), the trace lives in unnamed files.
 */
#include "base/fs.h"
#include "stream_priv.h"
#include "trace.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
	const struct weft_reader *const reader[] = {&stream_reader, &weft_prv_reader};
	for (unsigned i = 0; i < sizeof reader / sizeof *reader; i++)
		if (reader[i]->claims(path, first, (size_t)n))
			return reader[i];
	weft_err_set(err, WEFT_E_SYNTAX, n ? "cannot read '%s': no format that is known" : "cannot read '%s': an empty file",
	             path);
	return NULL;
}

int weft_trace_open(struct weft_trace **out, const char *path, const struct weft_open_how *how, struct weft_err *err)
{
	*out = NULL;
	const struct weft_reader *reader = find_reader(path, err);
	struct weft_builder *b;
	if (!reader)
		return err && err->code ? err->code : WEFT_E_SYNTAX;
	int rc = weft_builder_new(&b, path, reader->format, how, err);
	if (rc)
		return rc;
	rc = reader->load(b, path, how, err);
	if (rc) {
		weft_builder_free(b);
		return rc;
	}
	return weft_build_finish(b, NULL, out, err);
}

void weft_trace_close(struct weft_trace *t)
{
	store_close(t);
}
