/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The live channel of a process, as its controller speaks it: lines both ways. A program comes to the runtime when it likes, and may leave
 * and begin it anew; so whether somebody listens is looked at again and again, less often the longer nobody does.
 */
#include "point_runtime.h"
#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINE_MOST = 16 << 20, READ_BYTES = 65536, SOON_TRIES = 1000, SOON_NS = 2000000, LATER_NS = 50000000 };

bool runtime_connect(struct control_process *t, struct runtime_live *l)
{
	struct pulse_peer peer = {.pid = t->pid, .kind = "runtime"};
	struct weft_err err = {0};
	uint64_t now = weft_monotonic_ns();
	if (now < l->next_try_ns)
		return false;
	l->next_try_ns = now + (l->tries++ < SOON_TRIES ? SOON_NS : LATER_NS);
	int fd = pulse_connect(&peer, &err);
	if (fd < 0)
		return false;
	l->fd = fd;
	l->was_there = true;
	l->tries = 0;
	l->hz = 0;
	t->also = fd;
	return true;
}

void runtime_disconnect(struct control_process *t, struct runtime_live *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = t->also = -1;
	l->owed = 0;
	l->in.n = 0;
	l->sample = l->answer = NULL;
	runtime_bounds_lose(l);
}

void runtime_say(struct runtime_live *l, const char *fmt, ...)
{
	char line[PULSE_LINE];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(line, sizeof line - 1, fmt, args);
	va_end(args);
	if (l->fd < 0 || n < 0 || (size_t)n >= sizeof line - 1)
		return;
	line[n++] = '\n';
	/* It takes far more than we ever say at once; one that does not is about to end, which reading finds out. */
	if (send(l->fd, line, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT) == n)
		l->owed++;
}

/* 1: a sample; 0: something else. */
static int hear_line(struct runtime_live *l, const char *line, size_t n)
{
	struct weft_arena arena = {0};
	struct weft_err err = {0};
	struct pulse_value *v = NULL;
	int rc = pulse_read(line, n, &arena, &v, &err);
	bool is_answer = !rc && pulse_get(v, "done"), is_sample = !rc && pulse_get(v, "sample");
	if (!is_answer && !is_sample) {
		weft_arena_fini(&arena);
		return 0;
	}
	struct weft_arena *of = is_sample ? &l->of_sample : &l->of_answer;
	weft_arena_fini(of);
	*of = arena;
	*(is_sample ? &l->sample : &l->answer) = v;
	l->owed -= is_answer && l->owed;
	return is_sample;
}

static int read_more(struct runtime_live *l)
{
	char some[READ_BYTES];
	ssize_t n = recv(l->fd, some, sizeof some, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -EPIPE;
	if (n == 0 || l->in.n > LINE_MOST)
		return -EPIPE;
	weft_buf_add(&l->in, some, (size_t)n);
	return l->in.failed ? -EPIPE : 1;
}

int runtime_hear(struct runtime_live *l)
{
	for (int rc = 1; rc > 0;) {
		char *end;
		while (l->in.n && (end = memchr(l->in.at, '\n', l->in.n))) {
			size_t n = (size_t)(end - l->in.at);
			int is_sample = hear_line(l, l->in.at, n);
			l->in.n -= n + 1;
			memmove(l->in.at, end + 1, l->in.n);
			if (is_sample)
				return 1;
		}
		rc = l->fd < 0 ? -EPIPE : read_more(l);
		if (rc < 0)
			return rc;
	}
	return 0;
}
