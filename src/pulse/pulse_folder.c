/* SPDX-License-Identifier: Apache-2.0 */
/* Where channels lie. What is not the user's own, or open to others, is not used, whoever put it there. */
#include "pulse.h"
#include "base/fs.h"
#include "link/link_folder.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int folder_name(char *path, size_t size, struct weft_err *err)
{
	const char *asked = secure_getenv("WEFT_LIVE"), *runtime = secure_getenv("XDG_RUNTIME_DIR");
	int n;
	if (asked && *asked && strcmp(asked, "off") == 0)
		return weft_err_set(err, -ENOTSUP, "live channels are switched off (WEFT_LIVE=off)");
	if (asked && *asked && *asked != '/')
		return weft_err_set(err, -EINVAL, "WEFT_LIVE is neither 'off' nor an absolute path: '%s'", asked);
	if (asked && *asked)
		n = snprintf(path, size, "%s", asked);
	else if (runtime && *runtime == '/' && access(runtime, W_OK | X_OK) == 0)
		n = snprintf(path, size, "%s/weft", runtime);
	else
		n = snprintf(path, size, "/tmp/weft-%u", (unsigned)geteuid());
	return n > 0 && (size_t)n < size ? 0 : weft_err_set(err, -ENAMETOOLONG, "the path of live channels is too long");
}

int pulse_folder(bool make, struct weft_err *err)
{
	char path[256];
	struct stat st;
	int rc = folder_name(path, sizeof path, err);
	if (rc)
		return rc;
	if (make && mkdir(path, 0700) && errno != EEXIST)
		return weft_err_sys(err, errno, "cannot make '%s'", path);
	int fd = weft_fd_high(link_folder_open(path));
	if (fd == -EPERM)
		return weft_err_set(err, -EPERM, "'%s' belongs to somebody else, or others may write into it", path);
	if (fd < 0)
		return weft_err_sys(err, -fd, "cannot open '%s'", path);
	if (fstat(fd, &st) || (st.st_mode & 077) || (st.st_uid != geteuid() && geteuid() != 0)) {
		close(fd);
		return weft_err_set(err, -EPERM, "'%s' is not its user's alone (it needs mode 700)", path);
	}
	return fd;
}
