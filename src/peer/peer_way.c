/* SPDX-License-Identifier: Apache-2.0 */
/* Lines to and from a program: through its channel, or through a `weft top --relay` that ssh has started. */
#include "peer.h"
#include "peer_recorded.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE_MOST = 16 << 20 };

static bool is_meant(const struct pulse_peer *p, const char *who)
{
	char *end;
	long pid = who ? strtol(who, &end, 10) : 0;
	if (!who)
		return strcmp(p->kind, "tune") != 0; /* the program is meant, not who tunes it */
	return (end != who && !*end ? pid == p->pid : strcmp(who, p->program) == 0);
}

/* A program with the runtime that is recorded, too, speaks for itself. */
static bool speaks_itself(const struct pulse_peer *peers, int n, int which)
{
	for (int i = 0; i < n && strcmp(peers[which].kind, PEER_RECORDED) == 0; i++)
		if (i != which && peers[i].pid == peers[which].pid)
			return true;
	return false;
}

static int choose(const struct pulse_peer *peers, int n, const char *who, struct weft_err *err)
{
	int found = -1, count = 0;
	for (int i = 0; i < n; i++) {
		if (is_meant(&peers[i], who) && !speaks_itself(peers, n, i)) {
			found = i;
			count++;
		}
	}
	if (count == 1)
		return found;
	if (count > 1)
		return weft_err_set(err, -EINVAL, "%d programs can be looked at: say which ('weft top --list' lists them)",
		                    count);
	if (who)
		return weft_err_set(err, -ESRCH, "no program '%s' can be looked at ('weft top --list' lists those that can)",
		                    who);
	return weft_err_set(err, -ESRCH,
	                    "no program can be looked at: it needs Weft's runtime or records, and its user must be you");
}

/* Without channels (WEFT_LIVE=off) there are still those that record. */
int weft_peer_list(struct pulse_peer **peers, struct weft_err *err)
{
	int n = pulse_list(peers, err);
	if (n == -ENOTSUP) {
		*err = (struct weft_err){0};
		*peers = NULL;
		n = 0;
	}
	return n < 0 ? n : peer_recorded_list(peers, n);
}

int weft_peer_find(const char *who, struct pulse_peer *out, struct weft_err *err)
{
	struct pulse_peer *peers;
	int n = weft_peer_list(&peers, err);
	int which = n < 0 ? n : choose(peers, n, who, err);
	if (which >= 0 && out)
		*out = peers[which];
	free(n < 0 ? NULL : peers);
	return which < 0 ? which : 0;
}

int weft_peer_open_as(struct weft_peer_way *w, const char *who, struct pulse_peer *out, struct weft_err *err)
{
	*w = (struct weft_peer_way){.from = -1, .to = -1};
	int rc = weft_peer_find(who, out, err);
	if (rc)
		return rc;
	bool records = strcmp(out->kind, PEER_RECORDED) == 0;
	w->from = w->to = records ? peer_recorded_connect(out, &w->child, err) : pulse_connect(out, err);
	return w->from < 0 ? w->from : 0;
}

int weft_peer_open(struct weft_peer_way *w, const char *who, struct weft_err *err)
{
	struct pulse_peer peer;
	return weft_peer_open_as(w, who, &peer, err);
}

static _Noreturn void run_ssh(const int *in, const int *out, const char *ssh, const char *host, const char *who)
{
	const char *const argv[] = {"sh", "-c", "exec $0 \"$@\"", ssh, host, "weft", "top", "--relay", who, NULL};
	dup2(in[0], STDIN_FILENO);
	dup2(out[1], STDOUT_FILENO);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

int weft_peer_open_remote(struct weft_peer_way *w, const char *ssh, const char *host, const char *who, struct weft_err *err)
{
	int in[2], out[2];
	*w = (struct weft_peer_way){.from = -1, .to = -1};
	for (const char *c = who; c && *c; c++)
		if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-", *c))
			return weft_err_set(err, -EINVAL, "'%s' is no name of a program over there", who);
	if (host[0] == '-')
		return weft_err_set(err, -EINVAL, "'%s' is no host", host);
	if (pipe2(in, O_CLOEXEC))
		return weft_err_sys(err, errno, "cannot make a pipe");
	if (pipe2(out, O_CLOEXEC)) {
		int rc = weft_err_sys(err, errno, "cannot make a pipe");
		close(in[0]);
		close(in[1]);
		return rc;
	}
	w->child = fork();
	if (w->child == 0)
		run_ssh(in, out, ssh, host, who);
	close(in[0]);
	close(out[1]);
	w->to = in[1];
	w->from = out[0];
	signal(SIGPIPE, SIG_IGN);
	return w->child < 0 ? weft_err_sys(err, errno, "cannot start '%s'", ssh) : 0;
}

void weft_peer_close(struct weft_peer_way *w)
{
	if (w->from >= 0)
		close(w->from);
	if (w->to >= 0 && w->to != w->from)
		close(w->to);
	if (w->child > 0)
		waitpid(w->child, NULL, 0);
	free(w->buffer);
	*w = (struct weft_peer_way){.from = -1, .to = -1};
}

static int write_whole(int fd, const char *at, size_t n)
{
	while (n) {
		ssize_t done = write(fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -errno;
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

int weft_peer_say(struct weft_peer_way *w, const char *fmt, ...)
{
	char line[PULSE_LINE];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(line, sizeof line - 1, fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof line - 1 || memchr(line, '\n', (size_t)n))
		return -EINVAL;
	line[n] = '\n';
	return write_whole(w->to, line, (size_t)n + 1);
}

static int read_more(struct weft_peer_way *w)
{
	if (w->room - w->n < 65536) {
		size_t room = w->room ? 2 * w->room : 131072;
		char *more = room > LINE_MOST ? NULL : realloc(w->buffer, room);
		if (!more)
			return -ENOMEM;
		w->buffer = more;
		w->room = room;
	}
	ssize_t n = read(w->from, w->buffer + w->n, w->room - w->n - 1);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : errno == ECONNRESET ? -EPIPE : -errno;
	if (n == 0)
		return -EPIPE;
	w->n += (size_t)n;
	return 0;
}

int weft_peer_line(struct weft_peer_way *w, bool readable, char **line, size_t *n)
{
	w->n -= w->given;
	if (w->given)
		memmove(w->buffer, w->buffer + w->given, w->n);
	w->given = 0;
	int rc = readable ? read_more(w) : 0;
	char *end = rc == 0 && w->n ? memchr(w->buffer, '\n', w->n) : NULL;
	if (!end)
		return rc;
	*end = '\0';
	*line = w->buffer;
	*n = (size_t)(end - w->buffer);
	w->given = *n + 1;
	return 1;
}

static int copy_some(int from, int to)
{
	char some[65536];
	ssize_t n = read(from, some, sizeof some);
	if (n <= 0)
		return n < 0 && errno == EINTR ? 0 : -EPIPE;
	return write_whole(to, some, (size_t)n);
}

int weft_peer_relay(struct weft_peer_way *w)
{
	signal(SIGPIPE, SIG_IGN);
	for (int rc = 0; rc == 0;) {
		struct pollfd ready[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = w->from, .events = POLLIN}};
		if (poll(ready, 2, -1) < 0)
			continue;
		if (ready[0].revents)
			rc = copy_some(STDIN_FILENO, w->to);
		if (rc == 0 && ready[1].revents)
			rc = copy_some(w->from, STDOUT_FILENO);
	}
	return 0;
}
