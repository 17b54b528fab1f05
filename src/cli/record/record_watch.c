/* SPDX-License-Identifier: Apache-2.0 */
/* What the ways of watching share: choosing one, the queue that puts events in order, and the one that only waits. */
#include "record_watch.h"
#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Rings of different cpus are read one after the other: an event may come this much later than a younger one. */
#define LATE_NS UINT64_C(20000000)
#define COMMAND_BYTES_MOST 3000 /* a text of the stream fits a page */

static const struct record_watch_backend *const backends[] = {&record_watch_perf, &record_watch_ptrace, &record_watch_none};
enum { N_BACKENDS = sizeof backends / sizeof *backends };

int record_watch_start(struct record_watch *w, const char *name, pid_t command, char *why, size_t why_bytes, struct weft_err *err)
{
	size_t said = 0;
	*why = '\0';
	for (unsigned i = 0; i < N_BACKENDS; i++) {
		struct weft_err no = {0};
		if (name && strcmp(name, backends[i]->name) != 0)
			continue;
		*w = (struct record_watch){.backend = backends[i], .command = command};
		int rc = backends[i]->start(w, &no);
		if (rc == 0)
			return 0;
		if (name)
			return weft_err_set(err, rc, "%s", no.text);
		int n = snprintf(why + said, why_bytes - said, "%s%s", said ? "; " : "", no.text);
		said += n > 0 && (size_t)n < why_bytes - said ? (size_t)n : 0;
	}
	char known[64] = "";
	for (unsigned i = 0; i < N_BACKENDS; i++)
		snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", backends[i]->name);
	return weft_err_set(err, -EINVAL, "no way of watching is called '%s' (it can be: %s)", name ? name : "", known);
}

void record_queue_add(struct record_queue *q, const struct record_seen_event *e)
{
	if (weft_vec_push(&q->event, *e) == 0)
		return;
	q->lost++;
	free(e->command);
	free(e->exe);
}

static int by_time(const void *a, const void *b)
{
	const struct record_seen_event *x = a, *y = b;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* Whether the event is about a process of the command. Events must come in order of time. */
static bool is_ours(struct record_watch *w, const struct record_seen_event *e)
{
	uint64_t threads = 0;
	bool known = weft_map_get(&w->ours, (uint64_t)e->pid, &threads);
	if (e->what == RECORD_SEEN_PROCESS && weft_map_get(&w->ours, (uint64_t)e->parent_pid, &threads)) {
		known = true;
		threads = 1;
	} else if (known && e->what == RECORD_SEEN_THREAD) {
		threads++;
	} else if (known && e->what == RECORD_SEEN_EXIT) {
		threads--;
	} else {
		return known;
	}
	if (threads == 0)
		weft_map_del(&w->ours, (uint64_t)e->pid);
	else if (weft_map_put(&w->ours, (uint64_t)e->pid, threads))
		w->queue.lost++;
	return known;
}

static void event_fini(struct record_seen_event *e)
{
	free(e->command);
	free(e->exe);
}

static void hand_on(struct record_watch *w, struct record_seen_event *e,
                    void (*take)(void *arg, const struct record_seen_event *e), void *arg)
{
	if (!w->sees_others || is_ours(w, e)) {
		/* At once after its exec a process may not have its arguments yet. */
		if (e->what == RECORD_SEEN_EXEC && !e->command)
			record_seen_read_program(e);
		take(arg, e);
	}
	event_fini(e);
}

bool record_watch_take(struct record_watch *w, bool all, void (*take)(void *arg, const struct record_seen_event *e), void *arg)
{
	uint64_t until = all ? UINT64_MAX : weft_monotonic_ns() - LATE_NS;
	w->backend->fetch(w);
	struct record_queue *q = &w->queue;
	if (q->event.n == 0)
		return false;
	qsort(q->event.at, q->event.n, sizeof *q->event.at, by_time);
	size_t n = 0;
	while (n < q->event.n && q->event.at[n].time <= until) {
		hand_on(w, &q->event.at[n], take, arg);
		n++;
	}
	q->event.n -= n;
	memmove(q->event.at, q->event.at + n, q->event.n * sizeof *q->event.at);
	return true;
}

void record_watch_stop(struct record_watch *w)
{
	if (!w->backend)
		return;
	w->backend->stop(w);
	for (size_t i = 0; i < w->queue.event.n; i++)
		event_fini(&w->queue.event.at[i]);
	free(w->queue.event.at);
	weft_map_fini(&w->ours);
	*w = (struct record_watch){0};
}

long record_read_proc(pid_t pid, const char *file, char *at, size_t n)
{
	char path[64];
	size_t got = 0;
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (got < n - 1) {
		ssize_t rc = read(fd, at + got, n - 1 - got);
		if (rc <= 0)
			break;
		got += (size_t)rc;
	}
	close(fd);
	at[got] = '\0';
	return (long)got;
}

void record_seen_read_program(struct record_seen_event *e)
{
	char name[32], path[64], text[COMMAND_BYTES_MOST];
	long n = record_read_proc(e->pid, "comm", name, sizeof name);
	if (n <= 1)
		return;
	name[n - 1] = '\0'; /* the newline */
	if (e->name[0] && strcmp(name, e->name) != 0)
		return;
	snprintf(e->name, sizeof e->name, "%.15s", name);
	n = record_read_proc(e->pid, "cmdline", text, sizeof text);
	if (n > 0 && !e->command && (e->command = malloc((size_t)n))) {
		memcpy(e->command, text, (size_t)n);
		e->command_bytes = (uint32_t)n;
	}
	snprintf(path, sizeof path, "/proc/%d/exe", (int)e->pid);
	ssize_t got = readlink(path, text, sizeof text - 1);
	if (got > 0 && !e->exe)
		e->exe = strndup(text, (size_t)got);
}

void record_read_cpu(pid_t pid, struct record_cpu *out)
{
	struct weft_cpu_time t;
	if (weft_process_cpu_time(pid, &t))
		*out = (struct record_cpu){RECORD_CPU_OF_PROCESS, true, t.total_ns, t.user_ns, t.total_ns - t.user_ns};
}

/* It is looked at before it is waited for: then it is gone, and with it its clocks. */
bool record_wait_command(struct record_watch *w, int *status)
{
	siginfo_t info = {0};
	if (waitid(P_PID, (id_t)w->command, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid != w->command)
		return false;
	if (info.si_code != CLD_EXITED && info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED)
		return false; /* probes stop threads for a moment */
	record_read_cpu(w->command, &w->command_cpu);
	return waitpid(w->command, status, WNOHANG) == w->command;
}

/* ---- the one that only waits ---- */

static int none_start(struct record_watch *w, struct weft_err *err)
{
	(void)w, (void)err;
	return 0;
}

static void none_add(struct record_watch *w, enum record_seen what, int status)
{
	struct record_seen_event e = {.time = weft_monotonic_ns(),
	                              .what = what,
	                              .pid = w->command,
	                              .tid = w->command,
	                              .status = status,
	                              .cpu = w->command_cpu};
	if (what == RECORD_SEEN_EXEC)
		record_seen_read_program(&e);
	record_queue_add(&w->queue, &e);
}

static void none_execed(struct record_watch *w)
{
	none_add(w, RECORD_SEEN_EXEC, -1);
}

static unsigned none_descriptors(const struct record_watch *w, struct pollfd *at, unsigned n)
{
	(void)w, (void)at, (void)n;
	return 0;
}

static void none_fetch(struct record_watch *w)
{
	(void)w;
}

static bool none_reap(struct record_watch *w, int *status)
{
	if (!record_wait_command(w, status))
		return false;
	none_add(w, RECORD_SEEN_EXIT, *status);
	return true;
}

static void none_stop(struct record_watch *w)
{
	(void)w;
}

const struct record_watch_backend record_watch_none = {
	.name = "none",
	.start = none_start,
	.execed = none_execed,
	.descriptors = none_descriptors,
	.fetch = none_fetch,
	.reap = none_reap,
	.stop = none_stop,
};
