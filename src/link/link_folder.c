/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See link_folder.h. Everything goes through a descriptor of the folder that was checked, never again by its name: what somebody puts
 * into its place meanwhile is not looked at. Nothing here allocates: it runs within observed programs, too.
 */
#include "link_folder.h"
#include "base/clock.h"
#include "base/fs.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

void link_file_name(enum link_file file, char out[LINK_FILE_ROOM])
{
	static const char *const names[] = {"socket", "secret", "unwatched"};
	struct stat net = {0};
	unsigned long long number = (unsigned long long)getpid();
	if (file != LINK_FILE_UNWATCHED)
		number = stat("/proc/self/ns/net", &net) ? 0 : (unsigned long long)net.st_ino;
	snprintf(out, LINK_FILE_ROOM, "%s-%llu", names[file], number);
}

bool link_token_equal(const unsigned char *a, const unsigned char *b)
{
	volatile unsigned char differs = 0;
	for (unsigned k = 0; k < LINK_TOKEN_BYTES; k++)
		differs = (unsigned char)(differs | (a[k] ^ b[k]));
	return differs == 0;
}

int link_peer(int socket, pid_t *pid, uid_t *uid)
{
	struct ucred peer;
	socklen_t n = sizeof peer;
	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &n))
		return -errno;
	*pid = peer.pid;
	*uid = peer.uid;
	return 0;
}

static bool is_trusted(uid_t uid)
{
	return uid == geteuid() || uid == 0;
}

int link_folder_open(const char *path)
{
	struct stat st;
	if (path[0] != '/')
		return -EINVAL;
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int rc = fstat(fd, &st) ? -errno : 0;
	if (rc == 0 && (!is_trusted(st.st_uid) || (st.st_mode & 022)))
		rc = -EPERM;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

int link_secret_read(int folder, struct link_secret *out)
{
	char name[LINK_FILE_ROOM];
	struct stat st;
	link_file_name(LINK_FILE_SECRET, name);
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int rc = fstat(fd, &st) ? -errno : 0;
	if (rc == 0 && (!S_ISREG(st.st_mode) || !is_trusted(st.st_uid) || (st.st_mode & 077)))
		rc = -EPERM;
	rc = rc ? rc : weft_read_all(fd, out, sizeof *out, 0);
	close(fd);
	return rc;
}

/* Who listens there must be the user or root: whatever the folder's name has become. */
static int connect_in(int folder, int timeout_ms)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	struct timeval most = {timeout_ms / 1000, timeout_ms % 1000 * 1000}, none = {0};
	char name[LINK_FILE_ROOM];
	pid_t pid;
	uid_t uid = 0;
	link_file_name(LINK_FILE_SOCKET, name);
	snprintf(to.sun_path, sizeof to.sun_path, "/proc/self/fd/%d/%s", folder, name);
	int fd = weft_fd_high(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	if (fd < 0)
		return -errno;
	int rc = setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) ? -errno : 0;
	uint64_t until = weft_monotonic_ns() + (uint64_t)timeout_ms * 1000000u;
	while (rc == 0 && connect(fd, (struct sockaddr *)&to, sizeof to)) {
		if (errno != EINTR)
			rc = -errno;
		else if (weft_monotonic_ns() > until)
			rc = -EAGAIN;
	}
	rc = rc ? rc : link_peer(fd, &pid, &uid);
	if (rc == 0 && !is_trusted(uid))
		rc = -EPERM;
	if (rc == 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none))
		rc = -errno;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

static void leave_mark(int folder)
{
	char name[LINK_FILE_ROOM];
	link_file_name(LINK_FILE_UNWATCHED, name);
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}

int link_connect(const char *path, int timeout_ms, struct link_secret *secret)
{
	int folder = weft_fd_high(link_folder_open(path));
	if (folder < 0)
		return folder;
	int rc = link_secret_read(folder, secret);
	rc = rc ? rc : connect_in(folder, timeout_ms);
	if (rc == -EAGAIN)
		leave_mark(folder);
	close(folder);
	return rc;
}
