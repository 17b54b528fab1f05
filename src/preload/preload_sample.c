/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When samples begin: a process that lives a millisecond is left alone but for a timer. Once the process has taken some CPU time the timer's
 * signal comes, and a thread of ours loads the library that takes samples (src/sample), and libweft with it.
 *
 * That thread can only be made in the signal's handler, and pthread_create takes locks and memory of the C library, which the interrupted
 * code may be in the middle of. So its whole stack is looked at: when no function of the C library, of the dynamic linker, of the one
 * who bears malloc, or of ours is between the program's code and the thread's begin, this thread holds none of their locks, and other threads
 * give theirs back in time. Else the next tick is waited for. In a program that bears malloc itself any function might be one that holds
 * its locks: there the library is loaded before main, by the thread that will run it.
 */
#include "link/link_sample.h"
#include "preload_libc.h"
#include "unwind/unwind.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FIRST_MS = 10, FRAMES = 4000, BEGIN_FRAMES = 4, STACK_BYTES = 256 << 10, FORK_PAUSES = 10000 };

typedef int pthread_maker(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

struct range {
	uint64_t from, to;
};
static struct {
	int signal;
	timer_t timer;
	bool loading, loaded;           /* loading stays */
	bool eager;                     /* not only when some CPU time has been taken */
	bool (*is_timer)(const void *); /* whether it is a thread's, once there are any */
	/* Most processes end before the first tick, so it is that which finds out about: */
	bool known;
	pthread_maker *make; /* NULL: nothing can be done */
	struct range libc, linker, memory, own;
} waits;

static bool lies_in(const struct range *r, uint64_t at)
{
	return at - 1 >= r->from && at - 1 < r->to;
}

static bool find_range(const void *at, struct range *out)
{
	return at && unwind_object(at, &out->from, &out->to);
}

/* ---- in the handler ---- */

/* Two threads may be here at a time, and come to the same. */
static void know(void)
{
	pthread_maker *make = (pthread_maker *)preload_libc_next("pthread_create");
	bool all = find_range((void *)make, &waits.libc) && find_range((void *)know, &waits.own) &&
	           find_range(preload_libc_has("_dl_find_object"), &waits.linker) &&
	           find_range(preload_libc_has("malloc"), &waits.memory);
	/* We bear its name, too; who bears it behind us is meant, unless the program does. */
	if (all && waits.memory.from == waits.own.from)
		all = find_range(preload_libc_next("malloc"), &waits.memory);
	waits.make = all ? make : NULL;
	__atomic_store_n(&waits.known, true, __ATOMIC_RELEASE);
}

static bool is_begin(uint64_t at)
{
	return lies_in(&waits.libc, at) || lies_in(&waits.own, at);
}

/* In the kernel for one of the C library's functions that only asks it: no lock is held where that was called by the program. */
static bool is_system_call(uint64_t at)
{
	return lies_in(&waits.libc, at) && memcmp((const void *)(uintptr_t)(at - 2), "\x0f\x05", 2) == 0;
}

/*
 * Whether what was interrupted holds no lock that making a thread needs. Outwards: the program's functions, then at most BEGIN_FRAMES of the
 * thread's begin, of the C library and ours, of which the last may be the program's. Of a stack that is very deep the innermost part counts.
 */
static bool is_free(const void *context)
{
	struct unwind_regs regs;
	struct unwind_stack stack;
	bool exact = true;
	unsigned begins = 0;
	int rc = 1;
	unwind_from_signal(&regs, context);
	(void)unwind_main_stack(regs.r[UNWIND_SP], &stack);
	if (is_system_call(regs.r[UNWIND_IP]))
		rc = unwind_step(&regs, &stack, &exact);
	for (unsigned n = 0; n < FRAMES && rc > 0; n++) {
		uint64_t at = regs.r[UNWIND_IP] + exact; /* like return addresses */
		bool held = is_begin(at) || lies_in(&waits.linker, at) || lies_in(&waits.memory, at);
		if ((held && (n == 0 || !is_begin(at))) || begins == BEGIN_FRAMES)
			return false;
		rc = unwind_step(&regs, &stack, &exact);
		if (begins && !held && rc != 0)
			return false;
		begins += held || begins;
	}
	return rc >= 0;
}

/* The timers' signals: of the first one, which may come late, and of threads' ones. */
static bool is_ours(const siginfo_t *info)
{
	const void *of = info->si_value.sival_ptr;
	bool (*is_timer)(const void *) = __atomic_load_n(&waits.is_timer, __ATOMIC_ACQUIRE);
	return info->si_code == SI_TIMER && (of == &waits || (is_timer && is_timer(of)));
}

static void know_timers(bool (*is_timer)(const void *))
{
	__atomic_store_n(&waits.is_timer, is_timer, __ATOMIC_RELEASE);
}

static void load_library(bool here)
{
	const struct link_sample with = {.version = LINK_SAMPLE_VERSION,
	                                 .signal = waits.signal,
	                                 .on_thread = preload_on_thread,
	                                 .action = preload_signal_action,
	                                 .foreign = preload_signal_foreign,
	                                 .know_timers = know_timers,
	                                 .first_timer = &waits,
	                                 .here = here};
	timer_delete(waits.timer);
	link_sample_begin *begin = (link_sample_begin *)preload_symbol(LINK_SAMPLE_LIBRARY, LINK_SAMPLE_BEGIN);
	if (begin)
		(void)begin(&with);
	__atomic_store_n(&waits.loaded, true, __ATOMIC_RELEASE);
}

static void *load(void *none)
{
	load_library(false);
	return none;
}

void preload_sample_now(void)
{
	if (waits.eager && !__atomic_exchange_n(&waits.loading, true, __ATOMIC_ACQ_REL))
		load_library(true);
}

/* The caller holds no lock of the C library. */
static void make_thread(void)
{
	pthread_t thread;
	pthread_attr_t attr;
	if (pthread_attr_init(&attr) == 0 && pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED) == 0 &&
	    pthread_attr_setstacksize(&attr, STACK_BYTES) == 0)
		(void)waits.make(&thread, &attr, load, NULL);
}

static void first_tick(int signal, siginfo_t *info, void *context)
{
	int error = errno;
	if (!is_ours(info)) {
		preload_signal_foreign(signal, info, context);
	} else if (!__atomic_load_n(&waits.loading, __ATOMIC_ACQUIRE)) {
		if (!__atomic_load_n(&waits.known, __ATOMIC_ACQUIRE))
			know();
		if (waits.make && is_free(context) && !__atomic_exchange_n(&waits.loading, true, __ATOMIC_ACQ_REL))
			make_thread();
	}
	errno = error;
}

/* ---- before main, and in children ---- */

static bool arm(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = waits.signal, .sigev_value.sival_ptr = &waits};
	const struct timespec first = {0, FIRST_MS * 1000000};
	const struct itimerspec each = {first, first};
	return timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &waits.timer) == 0 &&
	       timer_settime(waits.timer, 0, &each, NULL) == 0;
}

/* A child would find the dynamic linker in the middle of its work, and locks that nobody gives back. */
static void before_fork(void)
{
	const struct timespec pause = {0, 100000};
	int error = errno;
	for (unsigned i = 0; i < FORK_PAUSES && waits.loading && !__atomic_load_n(&waits.loaded, __ATOMIC_ACQUIRE); i++)
		(void)nanosleep(&pause, NULL);
	errno = error;
}

/* Timers are not inherited. What has been loaded goes on by itself. */
static void in_child(void)
{
	int error = errno;
	preload_signal_child();
	if (!waits.loading)
		(void)arm();
	errno = error;
}

/* One that nobody uses so far; from the end, where programs seldom look for theirs. */
static int find_signal(void)
{
	struct sigaction now;
	for (int s = SIGRTMAX - 4; s > SIGRTMIN + 4; s--)
		if (preload_signal_action(s, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
			return s;
	return 0;
}

static bool prepare(void)
{
	struct sigaction tick = {.sa_sigaction = first_tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	sigset_t mine;
	waits.signal = find_signal();
	sigfillset(&tick.sa_mask);
	if (!waits.signal || preload_signal_action(waits.signal, &tick, NULL))
		return false;
	preload_signal_keep(waits.signal, is_ours);
	/* Whoever started us may have had it blocked. */
	sigemptyset(&mine);
	sigaddset(&mine, waits.signal);
	return pthread_sigmask(SIG_UNBLOCK, &mine, NULL) == 0;
}

static bool wanted(void)
{
	static const char *const samples[] = {"samples", NULL}, *const counters[] = {"counters", NULL};
	const char *rate = secure_getenv("WEFT_SAMPLE"), *named = secure_getenv("WEFT_COUNTERS");
	bool none = rate && strcmp(rate, "0") == 0;
	return (!none && preload_asked(samples, false)) || (named && *named && preload_asked(counters, false));
}

__attribute__((constructor)) static void sample_wait(void)
{
	const char *dir = secure_getenv("WEFT_DIR");
	int error = errno;
	if (dir && *dir && wanted() && prepare() && arm()) {
		static const char *const counters[] = {"counters", NULL};
		(void)pthread_atfork(before_fork, NULL, in_child);
		waits.eager = secure_getenv("WEFT_COUNTERS") && preload_asked(counters, false);
		/* A program of libweft's has regions from its begin on. */
		bool bears_malloc = preload_program_has("malloc") && !preload_is_sanitized();
		waits.eager |= bears_malloc;
		if (bears_malloc || (waits.eager && dlsym(RTLD_DEFAULT, "weft_record_slow")))
			preload_sample_now();
	}
	errno = error;
}
