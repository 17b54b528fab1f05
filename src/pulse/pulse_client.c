/* SPDX-License-Identifier: Apache-2.0 */
/* The user's side: who is there, and a connection. */
#include "pulse.h"
#include "base/fs.h"
#include "base/visible.h"
#include "link/link_folder.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(int folder, const char *name)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	pid_t pid;
	uid_t uid;
	snprintf(to.sun_path, sizeof to.sun_path, "/proc/self/fd/%d/%s", folder, name);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	int rc = connect(fd, (struct sockaddr *)&to, sizeof to) ? -errno : link_peer(fd, &pid, &uid);
	if (rc == 0 && uid != geteuid() && uid != 0 && geteuid() != 0)
		rc = -EPERM;
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}

void pulse_read_program(struct pulse_peer *p)
{
	char path[64], *name;
	size_t n;
	snprintf(path, sizeof path, "/proc/%ld/comm", (long)p->pid);
	snprintf(p->program, sizeof p->program, "?");
	if (weft_read_file(path, &name, &n, NULL))
		return;
	snprintf(p->program, sizeof p->program, "%.*s", (int)strcspn(name, "\n"), name);
	free(name);
}

/* Whether the name is one of ours and somebody listens; a dead one's is taken away. */
static bool is_peer(int folder, const char *name, struct pulse_peer *p)
{
	char *end;
	long pid = strtol(name, &end, 10);
	if (end == name || pid <= 0 || *end != '-' || strlen(end + 1) >= sizeof p->kind)
		return false;
	int fd = connect_to(folder, name);
	if (fd == -ECONNREFUSED)
		unlinkat(folder, name, 0);
	if (fd < 0)
		return false;
	close(fd);
	*p = (struct pulse_peer){.pid = (pid_t)pid};
	snprintf(p->kind, sizeof p->kind, "%s", end + 1);
	pulse_read_program(p);
	return true;
}

static int by_pid(const void *a, const void *b)
{
	const struct pulse_peer *x = a, *y = b;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Adds to a list that is full at each power of two. */
static int add_peer(struct pulse_peer **list, int n, const struct pulse_peer *p)
{
	if ((n & (n - 1)) == 0) {
		struct pulse_peer *more = realloc(*list, (n ? 2 * (size_t)n : 1) * sizeof *more);
		if (!more)
			return -ENOMEM;
		*list = more;
	}
	(*list)[n] = *p;
	return n + 1;
}

int pulse_list(struct pulse_peer **peers, struct weft_err *err)
{
	*peers = NULL;
	int folder = pulse_folder(false, err), n = 0;
	if (folder == -ENOENT) { /* nobody has ever been there */
		*err = (struct weft_err){0};
		return 0;
	}
	if (folder < 0)
		return folder;
	int readable = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = readable < 0 ? NULL : fdopendir(readable);
	for (struct dirent *e; dir && n >= 0 && (e = readdir(dir));) {
		struct pulse_peer p;
		if (is_peer(folder, e->d_name, &p))
			n = add_peer(peers, n, &p);
	}
	if (dir)
		closedir(dir);
	close(folder);
	if (!dir || n < 0) {
		free(*peers);
		*peers = NULL;
		return weft_err_sys(err, dir ? ENOMEM : errno, "cannot list the programs that can be looked at");
	}
	if (n)
		qsort(*peers, (size_t)n, sizeof **peers, by_pid);
	return n;
}

int pulse_connect(const struct pulse_peer *peer, struct weft_err *err)
{
	char name[PULSE_KIND + 24];
	int folder = pulse_folder(false, err);
	if (folder < 0)
		return folder;
	snprintf(name, sizeof name, "%ld-%s", (long)peer->pid, peer->kind);
	int fd = connect_to(folder, name);
	close(folder);
	return fd < 0 ? weft_err_sys(err, -fd, "cannot look at process %ld", (long)peer->pid) : fd;
}
