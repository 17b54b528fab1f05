/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The signal of samples, and programs that use its number, too: they set actions for all signals there are, or wait for any. What a program
 * says of this one number is kept here, and ours stays in the kernel; what comes and is not ours is handled as the program said.
 * All other signals are passed on.
 */
#include "preload_libc.h"
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

typedef int action_setter(int, const struct sigaction *, struct sigaction *);

static struct {
	int number; /* 0: there is none, all is passed on */
	pid_t pid;  /* a child of vfork has this memory, and a table of its own in the kernel */
	bool (*is_ours)(const siginfo_t *);
	bool locked;
	struct sigaction program; /* what the program thinks it has */
} own;

static void *next(const char *name, void **found)
{
	void *at = __atomic_load_n(found, __ATOMIC_RELAXED);
	if (!at) {
		at = preload_libc_next(name);
		__atomic_store_n(found, at, __ATOMIC_RELAXED);
	}
	return at;
}

static action_setter *real_setter(void)
{
	static void *found;
	return (action_setter *)next("sigaction", &found);
}

int preload_signal_action(int number, const struct sigaction *action, struct sigaction *old)
{
	return real_setter()(number, action, old);
}

void preload_signal_keep(int number, bool (*is_ours)(const siginfo_t *))
{
	own.pid = (pid_t)syscall(SYS_getpid);
	__atomic_store_n(&own.is_ours, is_ours, __ATOMIC_RELEASE);
	__atomic_store_n(&own.number, number, __ATOMIC_RELEASE);
}

void preload_signal_child(void)
{
	own.pid = (pid_t)syscall(SYS_getpid);
	own.locked = false;
}

/* ---- what the program says of it ---- */

/* Under a lock of a few instructions, which no handler of this thread may find taken. */
static void exchange(const struct sigaction *action, struct sigaction *old)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (__atomic_exchange_n(&own.locked, true, __ATOMIC_ACQUIRE))
		;
	const struct sigaction was = own.program;
	if (action)
		own.program = *action;
	__atomic_store_n(&own.locked, false, __ATOMIC_RELEASE);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (old)
		*old = was;
}

static bool is_kept(int number)
{
	int kept = __atomic_load_n(&own.number, __ATOMIC_ACQUIRE);
	return kept && number == kept && own.pid == (pid_t)syscall(SYS_getpid);
}

PUBLIC int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	if (!is_kept(number))
		return real_setter()(number, action, old);
	exchange(action, old);
	return 0;
}

typedef void handler_of_signal(int);

/* As signal() and its like would set it. */
static handler_of_signal *set_handler(int number, handler_of_signal *handler, int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, old;
	if (!(flags & SA_NODEFER))
		sigaddset(&action.sa_mask, number);
	exchange(&action, &old);
	return old.sa_handler;
}

#define SETTER(name, flags) \
	PUBLIC handler_of_signal *name(int, handler_of_signal *); \
	PUBLIC handler_of_signal *name(int number, handler_of_signal *handler) \
	{ \
		static void *found; \
		return is_kept(number) \
		               ? set_handler(number, handler, flags) \
		               : ((handler_of_signal * (*)(int, handler_of_signal *)) next(#name, &found))(number, handler); \
	}
SETTER(signal, SA_RESTART)
SETTER(bsd_signal, SA_RESTART)
SETTER(ssignal, SA_RESTART)
SETTER(sysv_signal, (int)SA_RESETHAND | SA_NODEFER)
SETTER(__sysv_signal, (int)SA_RESETHAND | SA_NODEFER)
SETTER(sigset, 0)

/* ---- what comes and is not ours: in the handler ---- */

void preload_signal_foreign(int number, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;
	struct sigaction program;
	exchange(NULL, &program);
	if (program.sa_handler == SIG_IGN)
		return;
	if (program.sa_handler == SIG_DFL) {
		(void)real_setter()(number, &program, NULL);
		(void)raise(number);
		return;
	}
	if ((unsigned)program.sa_flags & SA_RESETHAND)
		exchange(&(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	sigset_t mask, before;
	sigorset(&mask, &interrupted->uc_sigmask, &program.sa_mask);
	if (!(program.sa_flags & SA_NODEFER))
		sigaddset(&mask, number);
	pthread_sigmask(SIG_SETMASK, &mask, &before);
	if (program.sa_flags & SA_SIGINFO)
		program.sa_sigaction(number, info, context);
	else
		program.sa_handler(number);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- who waits for any signal does not find ours ---- */

static bool is_ours(int number, const siginfo_t *info)
{
	bool (*asked)(const siginfo_t *) = __atomic_load_n(&own.is_ours, __ATOMIC_ACQUIRE);
	return number > 0 && number == own.number && asked && asked(info);
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Whether the time is not over yet, and how much is left. */
static const struct timespec *time_left(const struct timespec *limit, int64_t began_ns, struct timespec *room)
{
	if (!limit)
		return NULL;
	int64_t left = (int64_t)limit->tv_sec * 1000000000 + limit->tv_nsec - (now_ns() - began_ns);
	left = left > 0 ? left : 0;
	*room = (struct timespec){left / 1000000000, left % 1000000000};
	return room;
}

int preload_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
	static void *found;
	int (*real)(const sigset_t *, siginfo_t *, const struct timespec *) =
		(int (*)(const sigset_t *, siginfo_t *, const struct timespec *))next("sigtimedwait", &found);
	if (!own.number)
		return real(set, info, limit);
	siginfo_t got;
	struct timespec room;
	const struct timespec *wait = limit;
	int64_t began_ns = limit ? now_ns() : 0;
	int number;
	while (is_ours(number = real(set, &got, wait), &got))
		wait = time_left(limit, began_ns, &room);
	if (number > 0 && info)
		*info = got;
	return number;
}

int preload_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return preload_sigtimedwait(set, info, NULL);
}

int preload_sigwait(const sigset_t *set, int *number)
{
	int error = errno, got;
	while ((got = preload_sigtimedwait(set, NULL, NULL)) < 0 && errno == EINTR)
		;
	int rc = got < 0 ? errno : 0;
	if (got >= 0)
		*number = got;
	errno = error;
	return rc;
}

PUBLIC int signalfd(int fd, const sigset_t *set, int flags)
{
	static void *found;
	int (*real)(int, const sigset_t *, int) = (int (*)(int, const sigset_t *, int))next("signalfd", &found);
	sigset_t others = *set;
	if (own.number)
		sigdelset(&others, own.number);
	return real(fd, &others, flags);
}
