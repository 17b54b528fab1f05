/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where agents connect: the folder of a run (link_folder.h) with a socket in it, and the handshake
 * of all who come.
 *
 * Nobody is waited for: who has connected and is the right user stands in a list until its HELLO is
 * there, for HELLO_MS at most, and when the list is full the oldest goes. Others are closed before
 * a byte of theirs is read. One descriptor (epoll) is ready whenever there is something to do, for
 * callers that wait for other things, too.
 */
#include "probe_priv.h"
#include "base/fs.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { HELLO_MS = 5000, SILENT_MOST = 128, BACKLOG = 512, ACCEPTS_IN_A_ROW = 64, WAKE_MS = 100, SWEEP_OLD_S = 60 };

struct silent {
	int socket;
	uint64_t since_ms;
};

struct probe_listener {
	char path[PROBE_LISTEN_ROOM]; /* of the folder; "": there is none any more */
	int folder, socket, epoll;
	uid_t uid; /* of agents, and of nobody else */
	struct link_secret secret;
	struct silent silent[SILENT_MOST];
	unsigned n_silent;
	struct probe_refused refused;
};

/* ---- the folder ---- */

/* A place for a folder of ours: nobody else can remove or rename what we put there. */
static bool is_place(const char *path, bool shared)
{
	struct stat st;
	if (!path || path[0] != '/' || strlen(path) > PROBE_LISTEN_ROOM / 2 || lstat(path, &st) || !S_ISDIR(st.st_mode))
		return false;
	if (!shared)
		return st.st_uid == geteuid() && !(st.st_mode & 077);
	return (st.st_uid == 0 || st.st_uid == geteuid()) && (!(st.st_mode & 022) || (st.st_mode & S_ISVTX));
}

static int random_bytes(void *to, size_t n)
{
	return getrandom(to, n, 0) == (ssize_t)n ? 0 : -EIO;
}

static int name_folder(struct probe_listener *l, bool everywhere, struct weft_err *err)
{
	const char *own = getenv("XDG_RUNTIME_DIR"), *place = !everywhere && is_place(own, false) ? own : "/tmp";
	uint64_t r[2];
	if (place != own && !is_place(place, true))
		return weft_err_set(err, -EPERM, "'/tmp' is not safe: other users may remove what is there");
	(void)probe_sweep(place, SWEEP_OLD_S);
	if (random_bytes(r, sizeof r))
		return weft_err_sys(err, EIO, "cannot name a folder");
	snprintf(l->path, sizeof l->path, "%s/" PROBE_FOLDER_PREFIX "%016llx%08x", place, (unsigned long long)r[0],
	         (unsigned)r[1]);
	return 0;
}

/* Made, or, where another host of the run has the same file system, found. */
static int make_folder(struct probe_listener *l, bool found, struct weft_err *err)
{
	struct stat st;
	bool other = l->uid != geteuid();
	int rc = mkdir(l->path, 0700) ? -errno : 0;
	if (rc && !(found && rc == -EEXIST))
		goto fail;
	l->folder = open(l->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	rc = l->folder < 0 || fstat(l->folder, &st) ? -errno : 0;
	if (rc == 0 && (st.st_uid != geteuid() || (st.st_mode & 077)))
		rc = -EPERM;
	/*
	 * As long as it is held nobody sweeps the folder. A file system without locks has nobody
	 * who could.
	 */
	if (rc == 0)
		(void)flock(l->folder, LOCK_SH | LOCK_NB);
	if (rc == 0 && other && fchmod(l->folder, 0711))
		rc = -errno;
	if (rc == 0)
		return 0;
fail:
	weft_err_sys(err, -rc, "cannot make the folder '%s'", l->path);
	l->path[0] = '\0';
	return rc;
}

static int write_secret(struct probe_listener *l, struct weft_err *err)
{
	char name[LINK_FILE_ROOM];
	link_file_name(LINK_FILE_SECRET, name);
	int rc = random_bytes(&l->secret, sizeof l->secret);
	int fd = rc ? -1 : openat(l->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (rc == 0 && fd < 0)
		rc = -errno;
	rc = rc ? rc : weft_write_all(fd, &l->secret, sizeof l->secret, 0);
	if (rc == 0 && l->uid != geteuid() && fchown(fd, l->uid, (gid_t)-1))
		rc = -errno;
	if (fd >= 0)
		close(fd);
	return rc ? weft_err_sys(err, -rc, "cannot write the secret of a run") : 0;
}

static int make_socket(struct probe_listener *l, struct weft_err *err)
{
	char name[LINK_FILE_ROOM];
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct epoll_event e = {.events = EPOLLIN, .data.fd = -1};
	link_file_name(LINK_FILE_SOCKET, name);
	snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/%s", l->folder, name);
	l->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	bool ok = l->socket >= 0 && l->epoll >= 0 && bind(l->socket, (struct sockaddr *)&at, sizeof at) == 0 &&
	          fchmodat(l->folder, name, 0600, 0) == 0;
	ok = ok && (l->uid == geteuid() || fchownat(l->folder, name, l->uid, (gid_t)-1, AT_SYMLINK_NOFOLLOW) == 0);
	ok = ok && listen(l->socket, BACKLOG) == 0 && epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->socket, &e) == 0;
	return ok ? 0 : weft_err_sys(err, errno, "cannot make a socket");
}

int probe_listen(struct probe_listener **out, const struct probe_listen_how *how, struct weft_err *err)
{
	struct probe_listener *l = calloc(1, sizeof *l);
	*out = NULL;
	if (!l)
		return weft_err_set(err, -ENOMEM, "out of memory");
	l->folder = l->socket = l->epoll = -1;
	l->uid = how && how->other ? how->uid : geteuid();
	int rc = 0;
	if (how && how->folder) {
		if (how->folder[0] != '/' || (size_t)snprintf(l->path, sizeof l->path, "%s", how->folder) >= sizeof l->path)
			rc = weft_err_set(err, WEFT_E_SYNTAX, "'%s' is no folder of a run", how->folder);
	} else {
		rc = name_folder(l, how && (how->everywhere || how->other), err);
	}
	if (rc)
		l->path[0] = '\0';
	rc = rc ? rc : make_folder(l, how && how->folder, err);
	rc = rc ? rc : write_secret(l, err);
	rc = rc ? rc : make_socket(l, err);
	if (rc)
		probe_listener_free(l);
	else
		*out = l;
	return rc;
}

const char *probe_listener_name(const struct probe_listener *l)
{
	return l->path;
}

int probe_listener_fd(const struct probe_listener *l)
{
	return l->epoll;
}

const struct probe_refused *probe_refused(struct probe_listener *l)
{
	int fd = l->folder < 0 ? -1 : openat(l->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (!d && fd >= 0)
		close(fd);
	l->refused.unwatched = 0;
	for (struct dirent *e; d && (e = readdir(d));)
		l->refused.unwatched += strncmp(e->d_name, "unwatched-", 10) == 0;
	if (d)
		closedir(d);
	return &l->refused;
}

/* ---- the end ---- */

void probe_listener_leave(struct probe_listener *l)
{
	int *fds[] = {&l->socket, &l->epoll};
	for (size_t k = 0; k < sizeof fds / sizeof *fds; k++) {
		if (*fds[k] >= 0)
			close(*fds[k]);
		*fds[k] = -1;
	}
	while (l->n_silent)
		close(l->silent[--l->n_silent].socket);
}

/* What is left of a folder is of another controller of the same run, which removes it. */
static void remove_folder(struct probe_listener *l)
{
	char name[LINK_FILE_ROOM];
	int fd = l->folder < 0 ? -1 : openat(l->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (!d && fd >= 0)
		close(fd);
	for (struct dirent *e; d && (e = readdir(d));)
		if (strncmp(e->d_name, "unwatched-", 10) == 0)
			unlinkat(l->folder, e->d_name, 0);
	if (d)
		closedir(d);
	for (enum link_file file = LINK_FILE_SOCKET; l->folder >= 0 && file <= LINK_FILE_SECRET; file++) {
		link_file_name(file, name);
		unlinkat(l->folder, name, 0);
	}
	if (l->path[0])
		rmdir(l->path);
}

void probe_listener_free(struct probe_listener *l)
{
	if (!l)
		return;
	probe_listener_leave(l);
	remove_folder(l);
	if (l->folder >= 0)
		close(l->folder);
	explicit_bzero(&l->secret, sizeof l->secret);
	free(l);
}

/* ---- who comes ---- */

static void listen_forget(struct probe_listener *l, unsigned k)
{
	for (; k + 1 < l->n_silent; k++)
		l->silent[k] = l->silent[k + 1]; /* in the order in which they came */
	l->n_silent--;
}

static void refuse_silent(struct probe_listener *l, unsigned k)
{
	close(l->silent[k].socket);
	l->refused.silent++;
	listen_forget(l, k);
}

/* Its user first; nothing is read of anybody else. */
static void take_on(struct probe_listener *l, int socket)
{
	pid_t pid;
	uid_t uid;
	if (link_peer(socket, &pid, &uid) || uid != l->uid) {
		l->refused.foreign++;
		close(socket);
		return;
	}
	if (l->n_silent == SILENT_MOST)
		refuse_silent(l, 0);
	struct epoll_event e = {.events = EPOLLIN, .data.fd = socket};
	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, socket, &e)) {
		close(socket);
		return;
	}
	l->silent[l->n_silent++] = (struct silent){socket, probe_now_ms()};
}

static int accept_waiting(struct probe_listener *l)
{
	for (unsigned n = 0; n < ACCEPTS_IN_A_ROW; n++) {
		int socket = accept4(l->socket, NULL, NULL, SOCK_CLOEXEC);
		if (socket < 0)
			return errno == EAGAIN || errno == ECONNABORTED || errno == EINTR ? 0 : -errno;
		take_on(l, socket);
	}
	return 0;
}

static void drop_late(struct probe_listener *l)
{
	uint64_t now = probe_now_ms();
	while (l->n_silent && now - l->silent[0].since_ms > HELLO_MS)
		refuse_silent(l, 0);
}

/* Still in the list: accepting may have closed the oldest. */
static bool is_silent(const struct probe_listener *l, int socket)
{
	for (unsigned k = 0; k < l->n_silent; k++)
		if (l->silent[k].socket == socket)
			return true;
	return false;
}

/* A session with the one who has said something: 0 or why not. */
static int listen_hear(struct probe_listener *l, int socket, struct probe_session **out, struct weft_err *err)
{
	unsigned k = 0;
	while (k < l->n_silent && l->silent[k].socket != socket)
		k++;
	if (k < l->n_silent)
		listen_forget(l, k);
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, socket, NULL);
	struct session_terms terms = {l->uid, &l->secret};
	int rc = session_begin(socket, &terms, out, err);
	l->refused.unfit += rc != 0;
	return rc;
}

int probe_accept(struct probe_listener *l, int timeout_ms, struct probe_session **out, struct weft_err *err)
{
	*out = NULL;
	for (uint64_t until = probe_now_ms() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0);;) {
		struct epoll_event e[ACCEPTS_IN_A_ROW];
		uint64_t now = probe_now_ms();
		int left = until > now ? (int)(until - now) : 0, rc = 0;
		int n = epoll_wait(l->epoll, e, ACCEPTS_IN_A_ROW, left < WAKE_MS ? left : WAKE_MS), ready = -1;
		for (int k = 0; k < n; k++) {
			if (e[k].data.fd >= 0)
				ready = e[k].data.fd; /* one of them; the others are still ready the next time */
			else
				rc = accept_waiting(l);
		}
		if (ready >= 0 && is_silent(l, ready))
			return listen_hear(l, ready, out, err);
		drop_late(l);
		if (rc) /* no descriptors: it is still ready */
			probe_sleep_us(10000);
		if (rc || (n < 0 && errno != EINTR))
			return weft_err_sys(err, rc ? -rc : errno, "cannot accept a process");
		if (probe_now_ms() >= until)
			return weft_err_set(err, -ETIMEDOUT, "no process has connected");
	}
}
