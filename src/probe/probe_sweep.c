/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders of runs whose controllers have died without removing them (SIGKILL): swept when the next
 * run makes its own beside them.
 *
 * A controller holds a shared lock on its folder for as long as it lives, so who gets the exclusive
 * one knows that there is none. Only folders with a name as we give it, that are this user's, no
 * links, and some time old; in them only files of the names that a run has, by descriptors, never
 * by a path that somebody could turn elsewhere. What else is in a folder keeps it.
 */
#include "probe_priv.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { LOOKED_AT_MOST = 100000, SWEPT_MOST = 1000, ENTRIES_MOST = 100000 };

static bool is_name_of_folder(const char *name)
{
	if (strncmp(name, PROBE_FOLDER_PREFIX, strlen(PROBE_FOLDER_PREFIX)) != 0)
		return false;
	name += strlen(PROBE_FOLDER_PREFIX);
	return strlen(name) == PROBE_FOLDER_DIGITS && strspn(name, "0123456789abcdef") == PROBE_FOLDER_DIGITS;
}

static bool is_name_of_file(const char *name)
{
	static const char *const known[] = {"socket-", "secret-", "unwatched-"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strncmp(name, known[i], strlen(known[i])) == 0)
			return true;
	return false;
}

/* A stream of a folder's entries, by a descriptor of its own. */
static DIR *entries_of(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (!d && fd >= 0)
		close(fd);
	return d;
}

/* A controller of a version without locks. */
static bool is_listened(int folder, const char *name)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return true;
	snprintf(to.sun_path, sizeof to.sun_path, "/proc/self/fd/%d/%.40s", folder, name);
	bool refused = connect(fd, (struct sockaddr *)&to, sizeof to) && errno == ECONNREFUSED;
	close(fd);
	return !refused;
}

static bool somebody_listens(int folder)
{
	DIR *d = entries_of(folder);
	struct dirent *e;
	struct stat st;
	bool any = !d;
	for (int i = 0; d && !any && i < ENTRIES_MOST && (e = readdir(d)); i++)
		any = strncmp(e->d_name, "socket-", 7) == 0 && fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		      S_ISSOCK(st.st_mode) && is_listened(folder, e->d_name);
	if (d)
		closedir(d);
	return any;
}

static void empty(int folder)
{
	DIR *d = entries_of(folder);
	struct dirent *e;
	for (int i = 0; d && i < ENTRIES_MOST && (e = readdir(d)); i++)
		if (is_name_of_file(e->d_name))
			(void)unlinkat(folder, e->d_name, 0);
	if (d)
		closedir(d);
}

static bool sweep_one(int place, const char *name, int old_s)
{
	struct stat st;
	int fd = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool dead = fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 066) && time(NULL) - st.st_mtime >= old_s &&
	            flock(fd, LOCK_EX | LOCK_NB) == 0 && !somebody_listens(fd);
	bool gone = false;
	if (dead) {
		empty(fd);
		gone = unlinkat(place, name, AT_REMOVEDIR) == 0;
	}
	close(fd);
	return gone;
}

unsigned probe_sweep(const char *path, int old_s)
{
	unsigned swept = 0;
	struct dirent *e;
	int place = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = place < 0 ? NULL : entries_of(place);
	for (int i = 0; d && i < LOOKED_AT_MOST && swept < SWEPT_MOST && (e = readdir(d)); i++)
		if (is_name_of_folder(e->d_name))
			swept += sweep_one(place, e->d_name, old_s);
	if (d)
		closedir(d);
	if (place >= 0)
		close(place);
	return swept;
}
