/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading libraries for the controller. It sends the file itself, as a descriptor: what is checked
 * is what is loaded, whatever becomes of the path. The file must be root's or the user's, and
 * writable by no others.
 *
 * Where nobody else can change any folder above it, it is loaded by its path, as a library that
 * looks for others beside itself, and debuggers, want it. Else by the descriptor, which then stays
 * open: its number is the library's name for the dynamic linker, and may never name another one. A
 * name without a slash is looked for as the program itself would.
 */
#include "agent_priv.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_ours(const struct stat *st)
{
	return st->st_uid == 0 || st->st_uid == geteuid();
}

static const char *refuse(int fd)
{
	struct stat st;
	if (fstat(fd, &st))
		return "it cannot be looked at";
	if (!S_ISREG(st.st_mode))
		return "it is no regular file";
	if (!is_ours(&st))
		return "it belongs to another user";
	return st.st_mode & S_IWOTH ? "others may write to it" : NULL;
}

/*
 * No other user can put anything else there: every folder above it is root's or the user's, and
 * writable by nobody else, or sticky.
 */
static bool is_fixed(const char *path)
{
	char part[PATH_MAX];
	struct stat st;
	for (size_t n = 1; path[n - 1]; n++) {
		if (path[n - 1] != '/')
			continue;
		memcpy(part, path, n);
		part[n] = '\0';
		if (lstat(part, &st) || !S_ISDIR(st.st_mode) || !is_ours(&st))
			return false;
		if ((st.st_mode & 022) && !(st.st_mode & S_ISVTX))
			return false;
	}
	return true;
}

/* The path of the open file, when it still leads to it and always will. */
static bool path_of(int fd, char path[PATH_MAX])
{
	char link[64];
	struct stat here, there;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	return path[0] == '/' && is_fixed(path) && fstat(fd, &here) == 0 && lstat(path, &there) == 0 && S_ISREG(there.st_mode) &&
	       here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

static void *load_descriptor(int fd)
{
	char path[64];
	int kept = weft_fd_high(fcntl(fd, F_DUPFD_CLOEXEC, 0));
	if (kept < 0)
		return NULL;
	snprintf(path, sizeof path, "/proc/self/fd/%d", kept);
	void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!handle)
		close(kept);
	return handle;
}

void *agent_load(const char *name, int fd, const char **why)
{
	char path[PATH_MAX];
	void *handle = NULL;
	if (fd < 0 && strchr(name, '/')) {
		*why = "it must be sent as a file";
		return NULL;
	}
	*why = fd < 0 ? NULL : refuse(fd);
	if (*why)
		return NULL;
	if (fd < 0)
		handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
	else if (path_of(fd, path))
		handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	else
		handle = load_descriptor(fd);
	if (handle)
		return handle;
	const char *text = dlerror();
	*why = text ? text : "the dynamic linker says nothing";
	return NULL;
}
