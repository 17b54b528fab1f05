/* SPDX-License-Identifier: Apache-2.0 */
/* Doctor: what may be done to other processes, and which namespaces can be made. */
#include "doctor.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t sleeping_child(void)
{
	pid_t child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* What the Yama module allows beyond one's own children. */
static void say_scope(struct doctor_report *r)
{
	char scope[16];
	if (!doctor_read_line("/proc/sys/kernel/yama/ptrace_scope", scope, sizeof scope) || scope[0] == '0')
		doctor_say(r, DOCTOR_YES, "own processes, also those that run already");
	else if (geteuid() == 0 && scope[0] != '3')
		doctor_say(r, DOCTOR_YES, "all processes, as root (for users kernel.yama.ptrace_scope=%s limits it)", scope);
	else if (scope[0] == '1')
		doctor_say(r, DOCTOR_PARTLY,
		           "programs that Weft starts; those that run already need kernel.yama.ptrace_scope=0, or root");
	else
		doctor_say(r, DOCTOR_PARTLY, "programs that Weft starts as root only: kernel.yama.ptrace_scope is %s", scope);
}

static void check_ptrace(struct doctor_report *r)
{
	pid_t child = sleeping_child();
	int status, error = 0;
	if (child < 0) {
		doctor_say(r, DOCTOR_NO, "no process can be made: %s", weft_err_name(-errno));
		return;
	}
	if (ptrace(PTRACE_SEIZE, child, NULL, NULL) || ptrace(PTRACE_INTERRUPT, child, NULL, NULL))
		error = errno;
	else if (waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status))
		error = ECHILD;
	end_child(child);
	if (error)
		doctor_say(r, DOCTOR_NO,
		           "not even for children: %s (a container's seccomp filter, or a debugger that is attached)",
		           weft_err_name(-error));
	else
		say_scope(r);
}

static void check_memory_access(struct doctor_report *r)
{
	static const char mark[] = "weft";
	char seen[sizeof mark] = "";
	struct iovec here = {seen, sizeof seen}, there = {(void *)(uintptr_t)mark, sizeof mark};
	pid_t child = sleeping_child();
	ssize_t n = child > 0 ? process_vm_readv(child, &here, 1, &there, 1, 0) : -1;
	int error = errno;
	if (child > 0)
		end_child(child);
	if (n == (ssize_t)sizeof mark && strcmp(seen, mark) == 0)
		doctor_say(r, DOCTOR_YES, "variables of running programs can be read without stopping them");
	else
		doctor_say(r, DOCTOR_NO, "process_vm_readv: %s", weft_err_name(n < 0 ? -error : -EIO));
}

/* unshare() may be allowed at once, or inside of a new user namespace, or not at all. */
static void try_namespace(struct doctor_report *r, int flag, const char *use)
{
	char limit[32];
	if (unshare(flag) == 0) {
		doctor_say(r, DOCTOR_YES, "%s", use);
		return;
	}
	int error = errno;
	if (unshare(CLONE_NEWUSER | flag) == 0)
		doctor_say(r, DOCTOR_YES, "%s (inside of a user namespace)", use);
	else if (doctor_read_line("/proc/sys/user/max_user_namespaces", limit, sizeof limit) && strcmp(limit, "0") == 0)
		doctor_say(r, DOCTOR_NO, "%s; user.max_user_namespaces is 0", weft_err_name(-error));
	else
		doctor_say(r, DOCTOR_NO, "%s; needs CAP_SYS_ADMIN, or user namespaces", weft_err_name(-error));
}

static void check_network(struct doctor_report *r)
{
	try_namespace(r, CLONE_NEWNET, "several machines can be played on one");
}

static void check_time(struct doctor_report *r)
{
#ifdef CLONE_NEWTIME
	try_namespace(r, CLONE_NEWTIME, "programs can be run under another clock");
#else
	doctor_say(r, DOCTOR_NO, "this build knows none");
#endif
}

const struct doctor_check doctor_process_checks[] = {
	{"ptrace", "attach to programs", check_ptrace},
	{"memory-access", "read their variables", check_memory_access},
	{"network-namespace", "tests of several machines", check_network},
	{"time-namespace", "tests of clocks that jump", check_time},
	{0},
};
