/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading the agent into a process that runs: one of its threads is stopped and made to call dlopen, then the agent's own begin.
 *
 * The thread must not be in the middle of what dlopen needs: the allocator, or the dynamic linker. So one is looked for that is in a system
 * call that waits, or in code of the program itself; when there is none, it runs on a little and is looked at again. The calls return to
 * an address where nothing is: the fault stops the thread for us. Its registers, and the signal it was stopped with, are given back.
 */
#include "probe_priv.h"
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOWHERE = 0x10, STACK_SKIP = 512, CALL_MS = 5000, LOOK_US = 500 };

struct inject {
	pid_t pid, tid;
	struct probe_session s; /* its map and images only */
	struct user_regs_struct kept;
	struct weft_err *err;
};

/* Waits for a stop of the thread; its status, or < 0. */
static int wait_stop(pid_t tid, int timeout_ms)
{
	int status;
	for (uint64_t end = probe_now_ms() + (uint64_t)timeout_ms;;) {
		pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
		if (got == tid)
			return WIFSTOPPED(status) ? status : -ESRCH;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (probe_now_ms() > end)
			return -ETIMEDOUT;
		probe_sleep_us(50);
	}
}

/* System calls in which a thread that waits holds no lock of libc. */
static bool waits_in(uint64_t number)
{
	static const int calls[] = {SYS_read,       SYS_poll,        SYS_ppoll,           SYS_select,        SYS_pselect6,
	                            SYS_epoll_wait, SYS_epoll_pwait, SYS_accept,          SYS_accept4,       SYS_recvmsg,
	                            SYS_recvfrom,   SYS_nanosleep,   SYS_clock_nanosleep, SYS_wait4,         SYS_waitid,
	                            SYS_pause,      SYS_futex,       SYS_rt_sigtimedwait, SYS_rt_sigsuspend, SYS_sched_yield};
	for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
		if ((uint64_t)calls[k] == number)
			return true;
	return false;
}

/* In code of the executable, which never runs inside the allocator's or the loader's locks but from constructors. */
static bool safe(struct inject *x, const struct user_regs_struct *r)
{
	if ((int64_t)r->orig_rax >= 0)
		return waits_in(r->orig_rax);
	struct probe_module *exe = x->s.modules.n ? &x->s.modules.at[0] : NULL;
	uint64_t end;
	return exe && process_image(&x->s, exe) && r->rip > exe->bias &&
	       probe_image_executes(exe->image, r->rip - exe->bias, &end);
}

static int stop_one(struct inject *x, pid_t tid)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return -errno;
	for (int round = 0; round < 40; round++) {
		if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) || wait_stop(tid, 1000) < 0)
			break;
		if (ptrace(PTRACE_GETREGS, tid, NULL, &x->kept) == 0 && safe(x, &x->kept)) {
			x->tid = tid;
			return 0;
		}
		ptrace(PTRACE_CONT, tid, NULL, NULL);
		probe_sleep_us(LOOK_US);
	}
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	int status = wait_stop(tid, 100);
	(void)status;
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	return -EAGAIN;
}

static int stop_thread(struct inject *x, int timeout_ms)
{
	int rc = -EAGAIN;
	for (uint64_t end = probe_now_ms() + (uint64_t)timeout_ms; rc == -EAGAIN && probe_now_ms() < end;) {
		char path[64];
		snprintf(path, sizeof path, "/proc/%d/task", (int)x->pid);
		DIR *d = opendir(path);
		if (!d)
			return -ESRCH;
		for (struct dirent *e; rc && (e = readdir(d));)
			if (e->d_name[0] != '.')
				rc = stop_one(x, (pid_t)atoi(e->d_name));
		closedir(d);
		rc = rc == -EPERM || rc == 0 ? rc : -EAGAIN;
	}
	return rc;
}

/* function(text, b) on the stopped thread. */
static int remote_call(struct inject *x, uint64_t function, const char *text, uint64_t b, uint64_t *result)
{
	struct user_regs_struct r = x->kept;
	size_t n = strlen(text) + 1;
	uint64_t at = (r.rsp - STACK_SKIP - n) & ~15ull, nowhere = NOWHERE, stack = at - 8;
	struct iovec here[2] = {{(void *)text, n}, {&nowhere, 8}}, there[2] = {{(void *)at, n}, {(void *)stack, 8}};
	if (process_vm_writev(x->pid, here, 2, there, 2, 0) != (ssize_t)(n + 8))
		return -EFAULT;
	r.rip = function;
	r.rdi = at;
	r.rsi = b;
	r.rsp = stack;
	r.rax = 0;
	r.orig_rax = (unsigned long long)-1; /* no system call is to be begun again here */
	if (ptrace(PTRACE_SETREGS, x->tid, NULL, &r) || ptrace(PTRACE_CONT, x->tid, NULL, NULL))
		return -errno;
	for (;;) {
		int status = wait_stop(x->tid, CALL_MS);
		if (status < 0)
			return status;
		int sig = WSTOPSIG(status), event = status >> 16;
		if (ptrace(PTRACE_GETREGS, x->tid, NULL, &r))
			return -errno;
		if (sig == SIGSEGV && !event) {
			*result = r.rax;
			return r.rip == NOWHERE ? 0 : -EFAULT;
		}
		/* The program's own signals: their handlers run now, as they would have. */
		if (ptrace(PTRACE_CONT, x->tid, NULL, event ? 0 : sig))
			return -errno;
	}
}

static uint64_t function_at(struct inject *x, const char *module, const char *name)
{
	for (size_t k = 0; k < x->s.modules.n; k++) {
		struct probe_module *m = &x->s.modules.at[k];
		struct probe_symbols all = {0};
		uint64_t addr = 0;
		if (!strstr(m->path, module) || !process_image(&x->s, m))
			continue;
		if (probe_image_find(m->image, name, false, &all) == 0 && all.n)
			addr = all.at[0].addr + m->bias;
		free(all.at);
		if (addr)
			return addr;
	}
	return 0;
}

static int inject_stopped(struct inject *x, const char *agent_path, const char *name)
{
	enum { NOW_GLOBAL = 2 };
	uint64_t handle = 0, result = 0, function = function_at(x, "/libc.so", "dlopen");
	function = function ? function : function_at(x, "/libc.so", "__libc_dlopen_mode");
	if (!function)
		return weft_err_set(x->err, -ENOTSUP, "cannot attach: the process has no dynamic linker");
	int rc = remote_call(x, function, agent_path, NOW_GLOBAL, &handle);
	if (rc || !handle)
		return weft_err_set(x->err, rc ? rc : -ELIBACC, "cannot attach: the process cannot load '%s'", agent_path);
	rc = process_read_map(&x->s);
	function = rc ? 0 : function_at(x, "libweft-agent", "weft_agent_attach");
	if (!function)
		return weft_err_set(x->err, -ELIBBAD, "cannot attach: '%s' is no agent", agent_path);
	rc = remote_call(x, function, name, 0, &result);
	rc = rc ? rc : (int)(int32_t)result;
	return rc ? weft_err_sys(x->err, -rc, "cannot attach: the agent cannot begin") : 0;
}

int probe_inject(pid_t pid, const char *agent_path, const char *name, int timeout_ms, struct weft_err *err)
{
	struct inject x = {.pid = pid, .err = err};
	char link[64];
	x.s.agent.pid = (uint32_t)pid;
	snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
	ssize_t n = readlink(link, x.s.agent.exe, sizeof x.s.agent.exe - 1);
	int rc = n < 0 ? -errno : process_read_map(&x.s);
	if (rc)
		return weft_err_sys(err, -rc, "cannot attach to process %d", (int)pid);
	rc = stop_thread(&x, timeout_ms);
	if (rc) {
		weft_err_set(err, rc, "cannot attach to process %d: %s", (int)pid,
		             rc == -EPERM ? "it may not be traced" : "no thread of it comes to a safe point");
	} else {
		rc = inject_stopped(&x, agent_path, name);
		if (ptrace(PTRACE_SETREGS, x.tid, NULL, &x.kept) || ptrace(PTRACE_DETACH, x.tid, NULL, NULL))
			rc = rc ? rc : weft_err_sys(err, errno, "cannot let thread %d go on", (int)x.tid);
	}
	session_forget(&x.s);
	return rc;
}
