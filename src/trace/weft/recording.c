/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording in progress is known by two things: `weft record` holds a lock of the folder, which ends with it however it ends, and
 * is seen from other machines; and each process that records has its stream mapped, also when `weft record` is gone.
 */
#include "recording.h"
#include "base/fs.h"
#include "base/str.h"
#include "format/format.h"
#include "pack_frame.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

int weft_trace_lock(const char *path, struct weft_err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return weft_err_sys(err, errno, "cannot open '%s'", path);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	int error = errno;
	close(fd);
	if (error == EWOULDBLOCK)
		return weft_err_set(err, -EBUSY, "'%s' is being recorded by another weft record", path);
	return weft_err_sys(err, EOPNOTSUPP, "cannot lock '%s'", path);
}

static int check_stream(const char *folder, const char *name, struct weft_err *err)
{
	struct stream_bytes b;
	struct weft_stream_head room;
	char *path;
	int rc = 0;
	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return weft_err_set(err, -ENOMEM, "out of memory");
	if (stream_bytes_open(&b, path, NULL) == 0) {
		const struct weft_stream_head *h = stream_bytes_at(&b, 0, sizeof room, &room);
		if (h && memcmp(h->magic, WEFT_STREAM_MAGIC, sizeof h->magic) == 0 && pack_is_live(&b, h))
			rc = weft_err_set(err, -EBUSY, "'%s' is being recorded by process %u", folder, h->pid);
	}
	stream_bytes_close(&b);
	free(path);
	return rc;
}

int weft_trace_check_idle(const char *path, struct weft_err *err)
{
	struct weft_err why = {0};
	int fd = weft_trace_lock(path, &why);
	if (fd == -EBUSY)
		return weft_err_set(err, fd, "%s", why.text);
	if (fd >= 0)
		close(fd);
	char **names;
	int n = weft_list_dir(path, &names, err), rc = n < 0 ? n : 0;
	for (int i = 0; i < n && rc == 0; i++)
		if (weft_glob("*.stream", names[i]))
			rc = check_stream(path, names[i], err);
	if (n >= 0)
		weft_list_free(names, n);
	return rc;
}
