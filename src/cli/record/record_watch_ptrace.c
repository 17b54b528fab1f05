/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watching as the command's tracer, where perf_event_open is not allowed (kernel.perf_event_paranoid of 3, containers). Every
 * fork, exec and exit stops the thread until we let it go on; nothing else does but signals, which we pass on as they are.
 * Descendants are traced from their first instruction (PTRACE_O_TRACE*), and set free by the kernel should we die.
 *
 *     start: PTRACE_SEIZE        reap: for each stopped thread: what it is (table below), then PTRACE_CONT
 *
 * A program that wants to trace others of the command (a debugger, strace) cannot: --watch none is for it.
 */
#include "record_watch.h"
#include "base/clock.h"
#include "base/map.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define OPTIONS (PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT)

struct ptrace_watch {
	struct weft_map process_of; /* tid -> pid, of the threads that are traced and have not ended */
	struct weft_map early;      /* tids that stopped, a first time, before their maker said that it had made them */
	bool ended;
	int status; /* of the command */
};

static int ptrace_start(struct record_watch *w, struct weft_err *err)
{
	struct ptrace_watch *p = calloc(1, sizeof *p);
	if (!p || weft_map_put(&p->process_of, (uint64_t)w->command, (uint64_t)w->command)) {
		free(p);
		return weft_err_sys(err, ENOMEM, "cannot watch through ptrace");
	}
	if (ptrace(PTRACE_SEIZE, w->command, NULL, OPTIONS)) {
		int error = errno;
		weft_map_fini(&p->process_of);
		free(p);
		return weft_err_sys(err, error, "cannot watch through ptrace");
	}
	w->priv = p;
	return 0;
}

static unsigned ptrace_descriptors(const struct record_watch *w, struct pollfd *at, unsigned n)
{
	(void)w, (void)at, (void)n;
	return 0; /* SIGCHLD tells */
}

static void ptrace_fetch(struct record_watch *w)
{
	(void)w; /* reap has put all into the queue */
}

static pid_t process_of(const struct ptrace_watch *p, pid_t tid)
{
	uint64_t pid;
	return weft_map_get(&p->process_of, (uint64_t)tid, &pid) ? (pid_t)pid : tid;
}

/* A number of /proc/TID/status, or `otherwise` when the thread is gone already. */
static pid_t read_status(pid_t tid, const char *field, pid_t otherwise)
{
	char text[2048];
	const char *line = record_read_proc(tid, "status", text, sizeof text) > 0 ? strstr(text, field) : NULL;
	return line ? (pid_t)strtol(line + strlen(field), NULL, 10) : otherwise;
}

static void add_new(struct record_watch *w, pid_t new_tid, pid_t parent_tid)
{
	struct ptrace_watch *p = w->priv;
	pid_t pid = read_status(new_tid, "\nTgid:", new_tid);
	if (parent_tid == 0)
		parent_tid = pid == new_tid ? read_status(new_tid, "\nPPid:", 0) : pid;
	pid_t parent = process_of(p, parent_tid);
	struct record_seen_event e = {
		.time = weft_monotonic_ns(),
		.what = pid == parent ? RECORD_SEEN_THREAD : RECORD_SEEN_PROCESS,
		.pid = pid,
		.tid = new_tid,
		.parent_pid = parent,
		.parent_tid = parent_tid,
	};
	if (weft_map_put(&p->process_of, (uint64_t)new_tid, (uint64_t)pid))
		w->queue.lost++;
	record_queue_add(&w->queue, &e);
}

static void seen_new(struct record_watch *w, pid_t tid, unsigned long message)
{
	struct ptrace_watch *p = w->priv;
	if (!weft_map_del(&p->early, message))
		add_new(w, (pid_t)message, tid);
}

/* The first stop of a new thread may be seen before that of its maker; it could even end before. */
static void seen_first(struct record_watch *w, pid_t tid)
{
	struct ptrace_watch *p = w->priv;
	uint64_t pid;
	if (weft_map_get(&p->process_of, (uint64_t)tid, &pid))
		return;
	if (weft_map_put(&p->early, (uint64_t)tid, 0))
		w->queue.lost++;
	add_new(w, tid, 0);
}

static void seen_exec(struct record_watch *w, pid_t tid, unsigned long message)
{
	struct ptrace_watch *p = w->priv;
	struct record_seen_event e = {.time = weft_monotonic_ns(), .what = RECORD_SEEN_EXEC, .pid = tid, .tid = tid};
	/* An exec of another thread than the first: it goes on under the process's number, all others have ended. */
	if ((pid_t)message != tid)
		weft_map_del(&p->process_of, message);
	if (weft_map_put(&p->process_of, (uint64_t)tid, (uint64_t)tid))
		w->queue.lost++;
	record_seen_read_program(&e);
	record_queue_add(&w->queue, &e);
}

static void add_name(struct record_watch *w, const struct record_seen_event *exit)
{
	char name[32];
	struct record_seen_event e = *exit;
	long n = record_read_proc(e.tid, "comm", name, sizeof name);
	if (n <= 1)
		return;
	name[n - 1] = '\0';
	e.what = RECORD_SEEN_NAME;
	snprintf(e.name, sizeof e.name, "%.15s", name);
	record_queue_add(&w->queue, &e);
}

/*
 * At the end of a thread. A process's first one stays until all others have ended, and it is waited for: then all is known of the
 * process, and nothing of it is there any more behind the wait.
 */
static void seen_exit(struct record_watch *w, pid_t tid, unsigned long message)
{
	struct ptrace_watch *p = w->priv;
	struct record_seen_event e = {.time = weft_monotonic_ns(), .pid = process_of(p, tid), .tid = tid, .status = (int)message};
	uint64_t pid;
	if (!weft_map_get(&p->process_of, (uint64_t)tid, &pid))
		return;
	add_name(w, &e);
	if (e.pid == tid || !weft_map_del(&p->process_of, (uint64_t)tid))
		return;
	e.what = RECORD_SEEN_EXIT;
	record_queue_add(&w->queue, &e);
}

/* Has been waited for: a process, or a thread that SIGKILL has left no time for its stop. */
static void seen_end(struct record_watch *w, pid_t tid, int status, const struct record_cpu *cpu)
{
	struct ptrace_watch *p = w->priv;
	struct record_seen_event e = {.time = weft_monotonic_ns(),
	                              .what = RECORD_SEEN_EXIT,
	                              .pid = process_of(p, tid),
	                              .tid = tid,
	                              .status = status,
	                              .cpu = *cpu};
	if (weft_map_del(&p->process_of, (uint64_t)tid))
		record_queue_add(&w->queue, &e);
}

static const struct {
	int event;
	void (*seen)(struct record_watch *w, pid_t tid, unsigned long message);
} stops[] = {
	{PTRACE_EVENT_FORK, seen_new},  {PTRACE_EVENT_VFORK, seen_new}, {PTRACE_EVENT_CLONE, seen_new},
	{PTRACE_EVENT_EXEC, seen_exec}, {PTRACE_EVENT_EXIT, seen_exit},
};

/* Looks at why the thread stopped, and lets it go on. */
static void on_stop(struct record_watch *w, pid_t tid, int status)
{
	int event = status >> 16, sig = WSTOPSIG(status);
	unsigned long message = 0;
	for (unsigned i = 0; i < sizeof stops / sizeof *stops; i++)
		if (stops[i].event == event) {
			if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &message) == 0)
				stops[i].seen(w, tid, message);
			ptrace(PTRACE_CONT, tid, NULL, 0);
			return;
		}
	if (event != PTRACE_EVENT_STOP) {
		ptrace(PTRACE_CONT, tid, NULL, (unsigned long)sig);
	} else if (sig != SIGTRAP) {
		ptrace(PTRACE_LISTEN, tid, NULL, 0); /* Ctrl-Z, SIGSTOP: the process stays stopped until SIGCONT */
	} else {
		seen_first(w, tid);
		ptrace(PTRACE_CONT, tid, NULL, 0);
	}
}

/*
 * The next thread that has stopped or ended, or 0. A stop is looked at only: a signal that wait has taken would be lost if we were killed
 * before the thread goes on. Threads that others of ours trace are theirs.
 */
static pid_t next_change(int *status, struct record_cpu *cpu)
{
	siginfo_t info = {0};
	if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) || info.si_pid == 0)
		return 0;
	*cpu = (struct record_cpu){.of = RECORD_CPU_UNKNOWN};
	if (info.si_code == CLD_EXITED || info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED) {
		record_read_cpu(info.si_pid, cpu);
		return waitpid(info.si_pid, status, __WALL | WNOHANG | __WNOTHREAD);
	}
	*status = W_STOPCODE(info.si_status);
	return info.si_pid;
}

static bool ptrace_reap(struct record_watch *w, int *status)
{
	struct ptrace_watch *p = w->priv;
	int st;
	pid_t tid;
	struct record_cpu cpu;
	while ((tid = next_change(&st, &cpu)) > 0) {
		if (WIFSTOPPED(st)) {
			on_stop(w, tid, st);
			continue;
		}
		seen_end(w, tid, st, &cpu);
		if (tid == w->command) {
			p->ended = true;
			p->status = st;
		}
	}
	*status = p->status;
	return p->ended;
}

static void ptrace_stop(struct record_watch *w)
{
	struct ptrace_watch *p = w->priv;
	weft_map_fini(&p->process_of);
	weft_map_fini(&p->early);
	free(p);
}

const struct record_watch_backend record_watch_ptrace = {
	.name = "ptrace",
	.start = ptrace_start,
	.descriptors = ptrace_descriptors,
	.fetch = ptrace_fetch,
	.reap = ptrace_reap,
	.stop = ptrace_stop,
};
