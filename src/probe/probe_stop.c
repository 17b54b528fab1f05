/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that block SIGTRAP. While a patch is made, a thread that comes to it traps and is sent to
 * a copy of its instruction; one that blocks the signal would be ended by the kernel instead, and
 * the process with it. So such threads are stopped for that time, outside of what changes, by
 * ptrace. Who cannot be stopped (somebody else traces it already) is a reason not to patch.
 *
 * Looking for them costs a file a thread, so it is done only where the agent has seen the program
 * block the signal; or, where the agent came later than the program's habits, every tenth of a
 * second. libc blocks all signals while it makes a thread: such ones are stopped like the others,
 * those that end are forgotten, and after each pass another one looks for those that were made
 * meanwhile.
 */
#include "probe_priv.h"
#include "base/vec.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_AGAIN_MS = 100, STOP_MS = 1000, OUT_OF_IT_ROUNDS = 200, QUIET_ROUNDS = 100, PASSES = 5, REFUSED_ROUNDS = 100 };

struct stop {
	pid_t pid;
	const struct link_patch *patch; /* borrowed until stop_begin returns */
	unsigned n_patches;
	struct {
		pid_t *at;
		size_t n, cap;
	} stopped;
	int rc;
	struct tracer tracer;
	sem_t all_stopped, over;
};

unsigned stop_blocks(const struct probe_session *s)
{
	return weft_load_u32(&((struct link_ring *)(void *)s->rings)->blocks);
}

static bool blocks_trap(pid_t pid, pid_t tid)
{
	char path[64], text[4096];
	unsigned long long blocked = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)pid, (int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	const char *line = strstr(text, "\nSigBlk:");
	return line && sscanf(line + 8, "%llx", &blocked) == 1 && blocked >> (SIGTRAP - 1) & 1;
}

/* Inside a patch: behind its first byte. */
static bool is_inside(const struct link_patch *p, unsigned n, uint64_t at)
{
	for (unsigned k = 0; k < n; k++)
		if (at >= p[k].addr && at - p[k].addr < p[k].n)
			return true;
	return false;
}

/*
 * Somebody else may trace it for a moment (who we were a moment ago); or it ends, or blocks nothing
 * any more.
 */
static int seize(pid_t pid, pid_t tid)
{
	for (int round = 0;; round++) {
		int rc = tracee_seize(pid, tid);
		if (rc != -EPERM || round == REFUSED_ROUNDS)
			return rc;
		if (!blocks_trap(pid, tid))
			return -ESRCH;
		probe_sleep_us(1000);
	}
}

/*
 * It goes on until it is in no patch. A thread that a system call holds stops before it comes back
 * to code.
 */
static int stop_outside(const struct stop *x, pid_t tid)
{
	for (int round = 0;; round++) {
		struct user_regs_struct regs;
		int state = tracee_stop(x->pid, tid, STOP_MS);
		if (state < 0 || state == TRACEE_RUNS)
			return state < 0 ? state : 0;
		if (ptrace(PTRACE_GETREGS, tid, NULL, &regs))
			return -errno;
		if (!is_inside(x->patch, x->n_patches, regs.rip))
			return 0;
		if (round == OUT_OF_IT_ROUNDS || state == TRACEE_SUSPENDED)
			return -EBUSY;
		if (ptrace(PTRACE_CONT, tid, NULL, NULL))
			return -errno;
		probe_sleep_us(50);
	}
}

static int stop_thread(struct stop *x, pid_t tid)
{
	for (size_t k = 0; k < x->stopped.n; k++)
		if (x->stopped.at[k] == tid)
			return 0;
	if (!blocks_trap(x->pid, tid))
		return 0;
	int rc = seize(x->pid, tid);
	if (rc == 0) {
		rc = stop_outside(x, tid);
		if (rc == 0 && weft_vec_push(&x->stopped, tid))
			rc = -ENOMEM;
		if (rc)
			tracee_detach(tid);
	}
	return rc == -ESRCH ? 0 : rc;
}

static void stop_all(void *ctx)
{
	struct stop *x = ctx;
	char path[64];
	size_t before = 0;
	snprintf(path, sizeof path, "/proc/%d/task", (int)x->pid);
	for (int pass = 0; pass < PASSES && x->rc == 0 && (pass == 0 || x->stopped.n > before); pass++) {
		before = x->stopped.n;
		DIR *d = opendir(path);
		for (struct dirent *e; d && x->rc == 0 && (e = readdir(d));)
			if (e->d_name[0] != '.')
				x->rc = stop_thread(x, (pid_t)atoi(e->d_name));
		if (d)
			closedir(d);
	}
	sem_post(&x->all_stopped);
	while (sem_wait(&x->over))
		;
	for (size_t k = 0; k < x->stopped.n; k++)
		tracee_detach(x->stopped.at[k]);
}

/* No thread is just about to block it: it would not be found. */
static void rings_quiet(struct probe_session *s)
{
	struct link_ring *first = (void *)s->rings;
	for (int round = 0; round < QUIET_ROUNDS; round++) {
		s->entered = weft_load_u32(&first->entered);
		if (weft_load_u32(&first->entering) == s->entered)
			return;
		probe_sleep_us(50);
	}
}

/* Nothing at all is stopped where nobody blocks it, which is what most looks find. */
static bool somebody_blocks(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *d = opendir(path);
	bool found = false;
	for (struct dirent *e; d && !found && (e = readdir(d));)
		found = e->d_name[0] != '.' && blocks_trap(pid, (pid_t)atoi(e->d_name));
	if (d)
		closedir(d);
	return found;
}

int stop_begin(struct probe_session *s, const struct link_patch *p, unsigned n, struct stop **out, struct weft_err *err)
{
	*out = NULL;
	rings_quiet(s);
	bool late = s->agent.attached && probe_now_ms() - s->looked_ms >= LOOK_AGAIN_MS;
	if (!(stop_blocks(s) & LINK_BLOCKS_THREADS) && !late)
		return 0;
	if (!somebody_blocks(probe_pid(s))) {
		s->looked_ms = probe_now_ms();
		return 0;
	}
	struct stop *x = calloc(1, sizeof *x);
	if (!x)
		return weft_err_set(err, -ENOMEM, "out of memory");
	*x = (struct stop){.pid = probe_pid(s), .patch = p, .n_patches = n, .tracer = {.call = stop_all, .ctx = x}};
	sem_init(&x->all_stopped, 0, 0);
	sem_init(&x->over, 0, 0);
	int rc = tracer_start(&x->tracer);
	if (rc) {
		free(x);
		return weft_err_sys(err, -rc, "cannot stop threads that block SIGTRAP");
	}
	while (sem_wait(&x->all_stopped))
		;
	rc = x->rc;
	*out = x;
	if (rc) {
		stop_end(x);
		*out = NULL;
		return weft_err_set(err, rc, "a thread blocks SIGTRAP, and could not be stopped while code changes: %s",
		                    rc == -EPERM ? "it may not be traced, or somebody traces it already" : weft_err_name(rc));
	}
	return 0;
}

void stop_end(struct stop *stop)
{
	if (!stop)
		return;
	sem_post(&stop->over);
	tracer_join(&stop->tracer);
	sem_destroy(&stop->all_stopped);
	sem_destroy(&stop->over);
	free(stop->stopped.at);
	free(stop);
}
