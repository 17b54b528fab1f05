/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The new name has 64 random bits and is made with O_EXCL: who plants links has to guess it, and would only make the opening fail if he
 * did. A descriptor of 0 is none: the struct is valid when it is zeroed, and the numbers of the standard streams are never ours to
 * close.
 */
#include "replace.h"
#include "clock.h"
#include "fs.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static void replace_close(int *fd)
{
	if (*fd > 0)
		close(*fd);
	*fd = 0;
}

/* Out of the way of 0, 1 and 2 when the program has closed one of them. */
static int replace_above_standard(int fd)
{
	if (fd < 0 || fd > STDERR_FILENO)
		return fd < 0 ? -errno : fd;
	int high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int rc = high < 0 ? -errno : high;
	close(fd);
	return rc;
}

/* Without stdio: this runs in recorded programs. */
static void replace_make_temp(char *temp)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t random;
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) != (ssize_t)sizeof random)
		random = weft_monotonic_ns() * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)&random;
	char *at = stpcpy(temp, ".weft-");
	for (unsigned i = 0; i < 16; i++)
		*at++ = digits[random >> 4 * i & 15];
	strcpy(at, ".tmp");
}

static int replace_create(struct weft_replace *r, mode_t mode)
{
	for (int tries = 0; tries < 100; tries++) {
		replace_make_temp(r->temp);
		int fd = openat(r->folder, r->temp, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd < 0 && errno == EEXIST)
			continue;
		fd = replace_above_standard(fd);
		if (fd > 0)
			r->fd = fd;
		return fd < 0 ? fd : 0;
	}
	return -EEXIST;
}

int weft_replace_open_at(struct weft_replace *r, int folder, const char *name, mode_t mode)
{
	*r = (struct weft_replace){0};
	size_t n = strlen(name);
	if (!n || strchr(name, '/'))
		return n ? -EINVAL : -ENOENT;
	if (n >= sizeof r->name)
		return -ENAMETOOLONG;
	memcpy(r->name, name, n + 1);
	int own = fcntl(folder, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (own < 0)
		return -errno;
	r->folder = own;
	int rc = replace_create(r, mode);
	if (rc)
		weft_replace_abandon(r);
	return rc;
}

/* One that may be written into but not listed serves as well; only it cannot be synced. */
static int replace_open_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == EACCES)
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int replace_folder_of(const char *path)
{
	char folder[PATH_MAX] = ".";
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) + 1 : 0;
	if (n >= sizeof folder)
		return -ENAMETOOLONG;
	if (n) {
		memcpy(folder, path, n);
		folder[n] = '\0';
	}
	return replace_open_folder(folder);
}

int weft_replace_open(struct weft_replace *r, const char *path, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	*r = (struct weft_replace){0};
	int fd = replace_folder_of(path);
	if (fd < 0)
		return fd;
	int rc = weft_replace_open_at(r, fd, slash ? slash + 1 : path, mode);
	close(fd);
	return rc;
}

void weft_replace_pause(struct weft_replace *r)
{
	replace_close(&r->fd);
	replace_close(&r->folder);
}

int weft_replace_resume(struct weft_replace *r, const char *path)
{
	int folder = replace_folder_of(path);
	folder = folder < 0 ? folder : replace_above_standard(folder);
	if (folder < 0)
		return folder;
	int fd = replace_above_standard(openat(folder, r->temp, O_RDWR | O_NOFOLLOW | O_CLOEXEC));
	if (fd < 0) {
		close(folder);
		return fd;
	}
	r->folder = folder;
	r->fd = fd;
	return 0;
}

static int replace_rename(struct weft_replace *r, unsigned how)
{
	if ((how & WEFT_REPLACE_EXCHANGE) && renameat2(r->folder, r->temp, r->folder, r->name, RENAME_EXCHANGE) == 0) {
		/* A folder that stood there cannot go this way, and is not replaced in the other one either. */
		if (unlinkat(r->folder, r->temp, 0) == 0)
			return 0;
		int e = errno;
		return renameat2(r->folder, r->temp, r->folder, r->name, RENAME_EXCHANGE) ? -errno : -e;
	}
	return renameat(r->folder, r->temp, r->folder, r->name) ? -errno : 0;
}

/* Some file systems cannot sync a folder: they say EINVAL. One that may not be listed was not opened for that: EBADF. */
static int replace_sync_folder(const struct weft_replace *r)
{
	return fsync(r->folder) && errno != EINVAL && errno != EBADF ? -errno : 0;
}

int weft_replace_keep(struct weft_replace *r, unsigned how, int *fd)
{
	int rc = (how & WEFT_REPLACE_SYNC) && fsync(r->fd) ? -errno : 0;
	*fd = -1;
	if (!rc)
		rc = replace_rename(r, how);
	if (rc) {
		weft_replace_abandon(r);
		return rc;
	}
	r->temp[0] = '\0';
	rc = how & WEFT_REPLACE_SYNC ? replace_sync_folder(r) : 0;
	if (!rc) {
		*fd = r->fd;
		r->fd = 0;
	}
	weft_replace_abandon(r);
	return rc;
}

int weft_replace_commit(struct weft_replace *r, unsigned how)
{
	int fd, rc = weft_replace_keep(r, how, &fd);
	/* Some file systems say only now that there is no room. */
	if (!rc && close(fd))
		rc = -errno;
	return rc;
}

void weft_replace_abandon(struct weft_replace *r)
{
	if (r->temp[0] && r->fd > 0)
		unlinkat(r->folder, r->temp, 0);
	replace_close(&r->fd);
	replace_close(&r->folder);
	*r = (struct weft_replace){0};
}

int weft_open_folder(const char *path)
{
	char plain[PATH_MAX];
	size_t n = strlen(path);
	/* Without its last slashes: "link/" would mean the folder behind the link. */
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n >= sizeof plain)
		return -ENAMETOOLONG;
	memcpy(plain, path, n);
	plain[n] = '\0';
	int fd = open(plain, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
