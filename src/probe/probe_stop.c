/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that block SIGTRAP. While a patch is made, a thread that comes to it traps and is sent to a copy of its instruction; one that
 * blocks the signal would be ended by the kernel instead, and the process with it. So such threads are stopped for that time, outside
 * of what changes, by ptrace. Who cannot be stopped (somebody else traces it already) is a reason not to patch.
 *
 * Looking for them costs a file a thread, so it is done only where the agent has seen the program block the signal; or, where the agent
 * came later than the program's habits, every tenth of a second.
 */
#include "probe_priv.h"
#include "base/vec.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_AGAIN_MS = 100, STOP_MS = 1000, OUT_OF_IT_ROUNDS = 200, QUIET_ROUNDS = 100 };

unsigned stop_blocks(const struct probe_session *s)
{
	return weft_load_u32(&((struct link_ring *)(void *)s->rings)->blocks);
}

static bool blocks_trap(pid_t pid, const char *tid)
{
	char path[300], text[4096];
	unsigned long long blocked = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)pid, tid);
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
 * Whether it is stopped now; *sig: the signal that it was about to get, to be given back. Asked of ptrace and not of wait, whose
 * answer another thread of ours may have taken.
 */
static bool is_stopped(pid_t tid, int *sig)
{
	siginfo_t info;
	*sig = 0;
	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info))
		return errno == EINVAL; /* a stop of the group: no signal */
	if (info.si_code >> 8 != PTRACE_EVENT_STOP)
		*sig = info.si_signo;
	return true;
}

static int interrupt(pid_t tid, int *sig)
{
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL))
		return -errno;
	for (uint64_t end = probe_now_ms() + STOP_MS; !is_stopped(tid, sig); probe_sleep_us(20))
		if (probe_now_ms() > end)
			return -ETIMEDOUT;
	return 0;
}

static int stop_thread(struct stop_list *list, pid_t tid, const struct link_patch *p, unsigned n)
{
	struct stopped x = {.tid = tid};
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return errno == ESRCH ? 0 : -errno; /* it has ended */
	int rc = interrupt(tid, &x.sig);
	for (int round = 0; rc == 0; round++) {
		struct user_regs_struct regs;
		if (ptrace(PTRACE_GETREGS, tid, NULL, &regs))
			rc = -errno;
		else if (!is_inside(p, n, regs.rip))
			break;
		else if (round == OUT_OF_IT_ROUNDS)
			rc = -EBUSY;
		if (rc == 0 && ptrace(PTRACE_CONT, tid, NULL, (void *)(uintptr_t)x.sig))
			rc = -errno;
		probe_sleep_us(50);
		rc = rc ? rc : interrupt(tid, &x.sig);
	}
	if (rc == 0 && weft_vec_push(list, x))
		rc = -ENOMEM;
	if (rc)
		ptrace(PTRACE_DETACH, tid, NULL, (void *)(uintptr_t)x.sig);
	return rc == -ESRCH ? 0 : rc;
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

int stop_begin(struct probe_session *s, const struct link_patch *p, unsigned n, struct stop_list *list, struct weft_err *err)
{
	char path[64];
	*list = (struct stop_list){0};
	rings_quiet(s);
	bool late = s->agent.attached && probe_now_ms() - s->looked_ms >= LOOK_AGAIN_MS;
	if (!(stop_blocks(s) & LINK_BLOCKS_THREADS) && !late)
		return 0;
	snprintf(path, sizeof path, "/proc/%d/task", (int)probe_pid(s));
	DIR *d = opendir(path);
	int rc = 0;
	for (struct dirent *e; d && rc == 0 && (e = readdir(d));)
		if (e->d_name[0] != '.' && blocks_trap(probe_pid(s), e->d_name))
			rc = stop_thread(list, (pid_t)atoi(e->d_name), p, n);
	if (d)
		closedir(d);
	if (list->n == 0 && rc == 0)
		s->looked_ms = probe_now_ms();
	if (rc) {
		stop_end(list);
		return weft_err_set(err, rc, "a thread blocks SIGTRAP, and could not be stopped while code changes: %s",
		                    rc == -EPERM ? "it may not be traced, or somebody traces it already" : weft_err_name(rc));
	}
	return 0;
}

void stop_end(struct stop_list *list)
{
	for (size_t k = 0; k < list->n; k++)
		ptrace(PTRACE_DETACH, list->at[k].tid, NULL, (void *)(uintptr_t)list->at[k].sig);
	free(list->at);
	*list = (struct stop_list){0};
}
