/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process at the other end of a session, held so that nothing reaches another one: a folder of
 * /proc, which is that process's and empty when it is gone, whoever has its number then; and its
 * memory, which is that of the program with which it connected. What it becomes by exec, be that
 * setuid, cannot be read or written through either.
 */
#include "probe_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

/*
 * The process that connected is still there: looked at when its folder has been opened, so that
 * this is not the next one's.
 */
static bool is_there(int socket)
{
	int pidfd = -1;
	socklen_t n = sizeof pidfd;
	bool has = getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &n) == 0;
	/* An older kernel: the other end of the socket is open, at least. */
	struct pollfd at = {has ? pidfd : socket, has ? POLLIN : POLLRDHUP, 0};
	bool there = poll(&at, 1, 0) == 0 || (!has && !(at.revents & (POLLHUP | POLLERR)));
	if (has)
		close(pidfd);
	return there;
}

int peer_open(struct probe_peer **out, int socket, pid_t pid, uid_t uid)
{
	char path[64];
	struct probe_peer *p = malloc(sizeof *p);
	*out = p;
	if (!p)
		return -ENOMEM;
	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	*p = (struct probe_peer){open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), -1, uid};
	int rc = p->dir < 0 ? -errno : is_there(socket) ? 0 : -ESRCH;
	/* First its memory, then who it is: what it has become since has another one. */
	if (rc == 0)
		p->memory = openat(p->dir, "mem", O_RDWR | O_CLOEXEC);
	rc = rc ? rc : peer_check(p);
	if (rc == 0)
		return 0;
	peer_close(p);
	*out = NULL;
	return rc;
}

void peer_close(struct probe_peer *p)
{
	if (!p)
		return;
	if (p->dir >= 0)
		close(p->dir);
	if (p->memory >= 0)
		close(p->memory);
	free(p);
}

/* The one user of a process: real, effective, saved and of files. -EPERM: it has several. */
static int user_of(int dir, uid_t *uid)
{
	char text[4096];
	unsigned id[4];
	int fd = openat(dir, "status", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -ESRCH;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *line = strstr(text, "\nUid:");
	if (!line || sscanf(line + 5, "%u %u %u %u", &id[0], &id[1], &id[2], &id[3]) != 4)
		return -ESRCH;
	*uid = id[0];
	return id[1] == id[0] && id[2] == id[0] && id[3] == id[0] ? 0 : -EPERM;
}

int peer_check(const struct probe_peer *p)
{
	uid_t uid;
	int rc = p ? user_of(p->dir, &uid) : 0;
	return p && rc == 0 && uid != p->uid ? -EPERM : rc;
}

int peer_of(struct probe_peer **out, pid_t pid)
{
	char path[64];
	struct probe_peer *p = malloc(sizeof *p);
	*out = p;
	if (!p)
		return -ENOMEM;
	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	*p = (struct probe_peer){open(path, O_PATH | O_DIRECTORY | O_CLOEXEC), -1, 0};
	int rc = p->dir < 0 ? -ESRCH : user_of(p->dir, &p->uid);
	if (rc == 0 && (p->memory = openat(p->dir, "mem", O_RDWR | O_CLOEXEC)) < 0)
		rc = -errno;
	if (rc == 0)
		return 0;
	peer_close(p);
	*out = NULL;
	return rc;
}

int probe_may_attach(pid_t pid, uid_t *uid, struct weft_err *err)
{
	struct probe_peer *p;
	int rc = peer_of(&p, pid);
	if (rc)
		return weft_err_sys(err, -rc, "cannot attach to process %d", (int)pid);
	*uid = p->uid;
	peer_close(p);
	return 0;
}

int peer_exe(const struct probe_peer *p, char *out, size_t room)
{
	ssize_t n = readlinkat(p->dir, "exe", out, room - 1);
	int rc = n < 0 ? -errno : 0;
	out[n > 0 ? n : 0] = '\0';
	return rc;
}
