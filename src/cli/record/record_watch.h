/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watching a command from outside: which processes and threads it makes, what they become, when they end. Several ways behind
 * one table of functions; `weft record` takes the first that works, or the one that --watch names.
 *
 *     perf     the kernel writes a record of each fork, exec and exit into a ring that we read: no stop, no slow-down
 *     ptrace   we are the command's tracer: every fork, exec and exit stops for some microseconds
 *     none     only the command itself: when it began, how it ended
 *
 * One thread calls all of these functions: the one that forked the command.
 */
#ifndef WEFT_CLI_RECORD_WATCH_H
#define WEFT_CLI_RECORD_WATCH_H

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum record_seen {
	RECORD_SEEN_PROCESS, /* a new process, with its first thread */
	RECORD_SEEN_THREAD,
	RECORD_SEEN_EXEC,
	RECORD_SEEN_NAME, /* a thread gave itself a name */
	RECORD_SEEN_EXIT, /* of a thread; its process ends with its last thread */
};

/* CPU time. User and system time may be counted by ticks: their ratio counts (weft_cpu_user_ns). */
struct record_cpu {
	enum {
		RECORD_CPU_UNKNOWN,
		RECORD_CPU_OF_THREAD,
		RECORD_CPU_OF_PROCESS
	} of; /* a process's: of all its threads, to its end */
	bool has_user;
	uint64_t total_ns, user_ns, system_ns;
};

struct record_seen_event {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	enum record_seen what;
	pid_t pid, tid;
	pid_t parent_pid, parent_tid; /* PROCESS, THREAD: who made it */
	int status;                   /* EXIT: wait status, -1: not known */
	struct record_cpu cpu;        /* EXIT */
	char name[16];                /* EXEC, NAME: the kernel's name of the thread */
	char *command;                /* EXEC: arguments, each ended by a zero byte; NULL: not known. Owned by the queue */
	uint32_t command_bytes;
	char *exe; /* EXEC: path of the program; NULL: not known. Owned by the queue */
};

/* What a backend has seen and not yet handed on. */
struct record_queue {
	WEFT_VEC(struct record_seen_event) event;
	uint64_t lost; /* events that never came */
};

struct record_watch {
	const struct record_watch_backend *backend;
	pid_t command;
	struct record_cpu command_cpu; /* when it has ended */
	struct record_queue queue;
	void *priv;           /* of the backend, from start to stop */
	bool sees_others;     /* events of processes that are none of the command's come, too, and are dropped */
	struct weft_map ours; /* then: pid -> how many threads it has, of the command's processes */
};

struct record_watch_backend {
	const char *name;
	bool must_look; /* events come without waking us: fetch now and then */
	/* The command's process waits in front of its exec. 0 or negative, with err saying why it cannot be watched so. */
	int (*start)(struct record_watch *w, struct weft_err *err);
	/* The command's exec has succeeded; NULL where that is seen anyway. */
	void (*execed)(struct record_watch *w);
	/* Descriptors that become readable when there is something to fetch at once; at most n. Their count. */
	unsigned (*descriptors)(const struct record_watch *w, struct pollfd *at, unsigned n);
	/* Fetches what was seen into the queue. */
	void (*fetch)(struct record_watch *w);
	/* After SIGCHLD: true when the command has ended, with its wait status. */
	bool (*reap)(struct record_watch *w, int *status);
	void (*stop)(struct record_watch *w);
};
extern const struct record_watch_backend record_watch_perf, record_watch_ptrace, record_watch_none;

/*
 * Starts the named backend, or with NULL the first that works; what did not work, and why, goes to `why` as lines (may be
 * empty). 0, or negative with err set when the named one does not work.
 */
int record_watch_start(struct record_watch *w, const char *name, pid_t command, char *why, size_t why_bytes,
                       struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Hands what was seen to `take`, in order of time: all of it, or what is so old that nothing before it can still come. Whether
 * something waits or was handed on.
 */
bool record_watch_take(struct record_watch *w, bool all, void (*take)(void *arg, const struct record_seen_event *e), void *arg);
void record_watch_stop(struct record_watch *w);

/* For backends. A full memory counts as lost. Takes command and exe of *e. */
void record_queue_add(struct record_queue *q, const struct record_seen_event *e);
/* The CPU time of a process that is a zombie, waited for by nobody yet. */
void record_read_cpu(pid_t pid, struct record_cpu *out);
/* For reap: whether the command has ended, its wait status, its CPU time into command_cpu. */
bool record_wait_command(struct record_watch *w, int *status);
/* Fills in what /proc says about the program that e->pid runs, if it still runs the one that the event is about. */
void record_seen_read_program(struct record_seen_event *e);
/* Reads a small file of /proc; bytes, or negative. Terminated. */
long record_read_proc(pid_t pid, const char *file, char *at, size_t n);

#endif
