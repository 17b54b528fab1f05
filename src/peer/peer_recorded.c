/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording program is found by the stream that it has mapped, and speaks through a child of ours, which reads that stream: so all else
 * (pictures, JSON, CSV, Prometheus, ssh) is as with a program that has a channel of its own.
 */
#include "peer_recorded.h"
#include "peer.h"
#include "peer_stream.h"
#include "base/clock.h"
#include "base/fs.h"
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* ---- which there are ---- */

/* "…/HOST-PID-N.stream" in a line of its maps; the last one: a process that has executed another program has several files. */
static bool find_stream(pid_t pid, char *path)
{
	char name[64], ours[32], *maps;
	size_t n;
	bool found = false;
	snprintf(name, sizeof name, "/proc/%ld/maps", (long)pid);
	snprintf(ours, sizeof ours, "-%ld-", (long)pid);
	if (weft_read_file(name, &maps, &n, NULL))
		return false;
	char *rest = NULL;
	for (char *line = strtok_r(maps, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *slash = strchr(line, '/'), *last = slash ? strrchr(slash, '/') : NULL;
		size_t length = last ? strlen(last) : 0;
		if (length < 8 || strcmp(last + length - 7, ".stream") != 0 || !strstr(last, ours))
			continue;
		snprintf(path, PATH_BYTES, "%s", slash);
		found = true;
	}
	free(maps);
	return found;
}

/* Looking is arranged as for channels: where WEFT_LIVE is the same here and there, and not "off". */
static bool lets_look(pid_t pid)
{
	const char *ours = getenv("WEFT_LIVE"), *theirs = "";
	char path[64], *block;
	size_t n;
	snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
	if (weft_read_file(path, &block, &n, NULL))
		return false;
	for (size_t at = 0; at < n; at += strlen(block + at) + 1)
		if (strncmp(block + at, "WEFT_LIVE=", 10) == 0)
			theirs = block + at + 10;
	bool is_same = strcmp(ours ? ours : "", theirs) == 0 && strcmp(theirs, "off") != 0;
	free(block);
	return is_same;
}

/* Of this user, and not a `weft record`, which writes a stream about others. */
static bool is_ours(pid_t pid)
{
	char path[64];
	struct stat st, exe, own;
	snprintf(path, sizeof path, "/proc/%ld", (long)pid);
	if (stat(path, &st) || st.st_uid != geteuid())
		return false;
	snprintf(path, sizeof path, "/proc/%ld/exe", (long)pid);
	return stat(path, &exe) == 0 && stat("/proc/self/exe", &own) == 0 &&
	       !(exe.st_dev == own.st_dev && exe.st_ino == own.st_ino);
}

pid_t weft_peer_of_folder(const char *folder)
{
	char wanted[PATH_BYTES], path[PATH_BYTES], held[PATH_BYTES];
	DIR *dir = realpath(folder, wanted) ? opendir("/proc") : NULL;
	pid_t found = 0;
	for (struct dirent *e; dir && !found && (e = readdir(dir));) {
		char *end;
		pid_t pid = (pid_t)strtol(e->d_name, &end, 10);
		if (*end || pid <= 0 || !find_stream(pid, path) || !is_ours(pid) || !lets_look(pid))
			continue;
		char *slash = strrchr(path, '/');
		*slash = '\0';
		if (realpath(path, held) && !strcmp(held, wanted))
			found = pid;
	}
	if (dir)
		closedir(dir);
	return found;
}

int peer_recorded_list(struct pulse_peer **peers, int n)
{
	DIR *dir = opendir("/proc");
	char path[PATH_BYTES];
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char *end;
		struct pulse_peer p = {.pid = (pid_t)strtol(e->d_name, &end, 10), .kind = PEER_RECORDED};
		if (*end || p.pid <= 0 || !is_ours(p.pid) || !find_stream(p.pid, path) || !lets_look(p.pid))
			continue;
		pulse_read_program(&p);
		struct pulse_peer *more = realloc(*peers, ((size_t)n + 1) * sizeof *more);
		if (!more)
			break;
		*peers = more;
		more[n++] = p;
	}
	if (dir)
		closedir(dir);
	return n;
}

/* ---- speaking for one ---- */

struct speaker {
	const struct pulse_peer *peer;
	struct peer_stream *stream;
	FILE *to;
	double hz;
	uint64_t due_ns, samples;
	char line[PULSE_LINE];
	size_t n;
};

static void say_sample(struct speaker *s, uint64_t now)
{
	struct weft_json j;
	weft_json_init(&j, s->to, false);
	weft_json_object(&j);
	weft_json_key(&j, "sample");
	weft_json_u64(&j, s->samples++);
	weft_json_key(&j, "time_s");
	weft_json_double(&j, peer_stream_seconds(s->stream));
	weft_json_key(&j, "at_ns");
	weft_json_u64(&j, now);
	weft_json_key(&j, "left_out");
	weft_json_u64(&j, 0);
	weft_json_key(&j, "pid");
	weft_json_i64(&j, s->peer->pid);
	weft_json_key(&j, "program");
	weft_json_string(&j, s->peer->program);
	peer_stream_sample(s->stream, &j);
	weft_json_end(&j);
	fflush(s->to);
}

static void obey(struct speaker *s, const char *line)
{
	char *end;
	double hz = strncmp(line, "watch ", 6) == 0 ? strtod(line + 6, &end) : -1;
	if (!(hz >= 0 && hz <= PULSE_HZ_MOST) || *end) {
		fputs("{\"done\":false,\"error\":\"a program that merely records can be looked at, and nothing of it be turned\"}\n",
		      s->to);
	} else {
		s->hz = hz;
		s->due_ns = weft_monotonic_ns();
		fputs("{\"done\":true}\n", s->to);
	}
	fflush(s->to);
}

/* False: nobody listens any more. */
static bool hear_lines(struct speaker *s, int fd)
{
	ssize_t got = read(fd, s->line + s->n, sizeof s->line - s->n);
	if (got <= 0)
		return false;
	s->n += (size_t)got;
	for (char *end; (end = memchr(s->line, '\n', s->n));) {
		*end = '\0';
		obey(s, s->line);
		s->n -= (size_t)(end + 1 - s->line);
		memmove(s->line, end + 1, s->n);
	}
	return s->n < sizeof s->line;
}

static _Noreturn void speak(const struct pulse_peer *peer, struct peer_stream *stream, int fd)
{
	struct speaker s = {.peer = peer, .stream = stream, .to = fdopen(dup(fd), "w")};
	signal(SIGPIPE, SIG_DFL);
	for (bool listens = s.to != NULL; listens;) {
		uint64_t now = weft_monotonic_ns();
		bool due = s.hz > 0 && s.due_ns <= now;
		int rc = due ? peer_stream_look(stream) : 0;
		if (due) {
			say_sample(&s, now);
			s.due_ns += (uint64_t)(1e9 / s.hz);
			s.due_ns = s.due_ns < now ? now : s.due_ns;
		}
		if (rc || (due && kill(peer->pid, 0) && errno == ESRCH))
			break;
		struct pollfd p = {fd, POLLIN, 0};
		uint64_t left = s.due_ns > now ? (s.due_ns - now + 999999) / 1000000 : 0;
		if (poll(&p, 1, s.hz > 0 ? (int)left : -1) > 0)
			listens = hear_lines(&s, fd);
	}
	_exit(0);
}

/* Of a server the rest are connections, which would not end while the child has them. */
static void keep_only(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);
	if (low > 3)
		close_range(3, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0u, 0);
}

int peer_recorded_connect(const struct pulse_peer *peer, pid_t *child, struct weft_err *err)
{
	char path[PATH_BYTES];
	struct peer_stream *stream;
	int ends[2];
	if (!find_stream(peer->pid, path))
		return weft_err_set(err, -ESRCH, "process %ld does not record any more", (long)peer->pid);
	int rc = peer_stream_open(path, &stream, err);
	if (rc)
		return rc;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		rc = weft_err_sys(err, errno, "cannot make a socket");
	*child = rc ? 0 : fork();
	if (!rc && *child == 0) {
		keep_only(peer_stream_fd(stream), ends[1]);
		speak(peer, stream, ends[1]);
	}
	if (!rc && *child < 0)
		rc = weft_err_sys(err, errno, "cannot start a process");
	if (!rc || *child < 0)
		close(ends[1]);
	peer_stream_close(stream);
	return rc ? rc : ends[0];
}
