/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of other processes, stopped by ptrace and released, such that nothing of theirs is
 * changed.
 *
 *     PTRACE_SEIZE -> runs --PTRACE_INTERRUPT--> trapped: our stop             -> PTRACE_CONT, PTRACE_DETACH
 *                        \-- a signal comes ---> signal: delivered at once, with its siginfo, by PTRACE_CONT
 *                        \-- SIGSTOP, Ctrl-Z --> suspended: stays so (PTRACE_LISTEN, PTRACE_DETACH)
 *                        \-- it ends ----------> reaped here: a zombie that we trace could never be traced again
 *
 * The state is asked of ptrace (PTRACE_GETSIGINFO), not of wait: a wait consumes the signal of a
 * stop, which would be lost if we were killed before the thread goes on; and another thread of ours
 * may have waited for anybody.
 *
 * A thread that does not come to a stop (in vfork, on a dead disk) cannot be detached. So all
 * tracing is done on a thread of ours of its own, at whose end the kernel releases what it still
 * traces, in whatever state. PTRACE_O_EXITKILL is never set.
 */
#include "probe_priv.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_US = 20, STATE_POLLS = 50, KERNEL_ERESTARTNOHAND = 514 };

/* A file of /proc/PID/task/TID; an empty text where it cannot be read. */
static void read_file(pid_t pid, pid_t tid, const char *name, char *text, size_t room)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
}

long tracee_call(pid_t pid, pid_t tid)
{
	char text[256];
	read_file(pid, tid, "syscall", text, sizeof text);
	if (text[0] == '\0' || text[0] == 'r')
		return TRACEE_ELSEWHERE;
	long number = strtol(text, NULL, 10);
	return number < 0 ? TRACEE_IN_KERNEL : number;
}

char tracee_proc_state(pid_t pid, pid_t tid)
{
	char text[512];
	read_file(pid, tid, "stat", text, sizeof text);
	const char *name_end = strrchr(text, ')');
	return name_end && name_end[1] ? name_end[2] : '\0';
}

int tracee_seize(pid_t pid, pid_t tid)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) == 0)
		return 0;
	int rc = -errno;
	char state = rc == -EPERM ? tracee_proc_state(pid, tid) : 'R';
	return state == '\0' || state == 'Z' || state == 'X' ? -ESRCH : rc; /* the kernel says EPERM of threads that have ended */
}

/*
 * Reaps a thread that has ended; false: it has not. An exec on another thread than the first takes
 * the first one's number: that is let go, too. The kernel also reports a stop that was not asked
 * for, which must not be consumed.
 */
static bool reap(pid_t pid, pid_t tid)
{
	siginfo_t info = {0};
	if (waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0) {
		if (info.si_pid == tid && info.si_code != CLD_EXITED && info.si_code != CLD_KILLED && info.si_code != CLD_DUMPED)
			return false;
		/*
		 * The end of a whole process is its parent's to see; it may be us. The kernel tells
		 * it at the end of our thread.
		 */
		if (info.si_pid == tid)
			return tid == pid || waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | __WALL) == 0;
		/* A first thread that ended before the others cannot be reaped yet. */
		char state = tracee_proc_state(pid, tid);
		return state == '\0' || state == 'Z' || state == 'X';
	}
	if (errno != ECHILD)
		return false;
	if (tid != pid && ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) == 0 && tracee_stop(pid, pid, 100) > 0)
		tracee_detach(pid);
	return true;
}

enum tracee_state tracee_state(pid_t pid, pid_t tid, int *sig)
{
	siginfo_t info;
	*sig = 0;
	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &info))
		return errno == EINVAL ? TRACEE_SUSPENDED : reap(pid, tid) ? TRACEE_ENDED : TRACEE_RUNS;
	if (info.si_code >> 8 == PTRACE_EVENT_STOP)
		return info.si_signo == SIGTRAP ? TRACEE_TRAPPED : TRACEE_SUSPENDED;
	*sig = info.si_signo;
	return TRACEE_SIGNAL;
}

/*
 * System calls that fail with EINTR at any interruption, also where no handler runs. They get the
 * kernel's own error that begins the call again unless a handler runs.
 */
static void restart_interrupted(pid_t tid)
{
	static const int calls[] = {SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_rt_sigtimedwait,
	                            SYS_semop,      SYS_semtimedop,  SYS_io_getevents, SYS_read};
	struct user_regs_struct r;
	if (ptrace(PTRACE_GETREGS, tid, NULL, &r) || (int64_t)r.rax != -EINTR)
		return;
	for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
		if (r.orig_rax == (uint64_t)calls[k]) {
			r.rax = (uint64_t)(int64_t)-KERNEL_ERESTARTNOHAND;
			ptrace(PTRACE_SETREGS, tid, NULL, &r);
		}
}

/*
 * It stops before its next instruction; also when that is the first one of a handler. Any stop uses
 * an earlier request up.
 */
static int deliver(pid_t tid, int sig)
{
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || ptrace(PTRACE_CONT, tid, NULL, (void *)(uintptr_t)sig))
		return -errno;
	return 0;
}

int tracee_stop(pid_t pid, pid_t tid, int timeout_ms)
{
	int sig, rc = ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) ? -errno : 0;
	uint64_t end = probe_now_ms() + (uint64_t)timeout_ms;
	for (unsigned polls = 1;; polls++) {
		enum tracee_state state = tracee_state(pid, tid, &sig);
		if (state == TRACEE_TRAPPED)
			restart_interrupted(tid);
		if (state == TRACEE_TRAPPED || state == TRACEE_SUSPENDED)
			return state;
		if (state == TRACEE_ENDED)
			return -ESRCH;
		if (rc && rc != -ESRCH)
			return rc;
		if (state == TRACEE_RUNS && polls % STATE_POLLS == 0 && tracee_proc_state(pid, tid) == 'D' &&
		    tracee_call(pid, tid) >= 0)
			return TRACEE_RUNS;
		if (probe_now_ms() > end)
			return -ETIMEDOUT;
		if (state == TRACEE_RUNS)
			probe_sleep_us(POLL_US);
		else
			deliver(tid, sig);
	}
}

void tracee_detach(pid_t tid)
{
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

static void *tracer_main(void *arg)
{
	struct tracer *t = arg;
	t->call(t->ctx);
	return NULL;
}

int tracer_start(struct tracer *t)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int rc = pthread_create(&t->thread, NULL, tracer_main, t);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

void tracer_join(struct tracer *t)
{
	pthread_join(t->thread, NULL);
}
