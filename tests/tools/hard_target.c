/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that are hard on who instruments them. It does what the letters of its input say, checks what comes of it, and answers
 * each with a line: "ok" and a number, or what was wrong.
 *
 *     o PATH   loads a library       c   unloads it           r   calls its library_work 100 times
 *     t N      N threads, all alive at once, each with 10 calls of work     s N   the same, one after the other
 *     h        handlers of its own for SIGSEGV, SIGTRAP and SIGBUS are used; the number: how often
 *     b        a thread that blocks all signals calls work until B          B   ends it: how often it did
 *     a N      N short threads under a timer that calls `handler_work` in each
 *     e PATH   execs PATH with the same arguments
 *     v        a child of vfork calls work, then its parent does
 *     f        forks, and its child execs /bin/true: milliseconds until that has ended
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUT __attribute__((noinline, noclone))

static volatile int wrong;
volatile long handled;

OUT int work(int x)
{
	volatile int y = x * 3;
	return y + 1;
}

/* Too short for a jump, with a branch to its second instruction: only a trap can watch it. */
__asm__(".pushsection .text\n.globl tiny_loop\n.type tiny_loop, @function\ntiny_loop:\n"
        "	xorl %eax, %eax\n1:	incl %eax\n	cmpl %edi, %eax\n	jl 1b\n	ret\n.size tiny_loop, .-tiny_loop\n.popsection\n");
extern int tiny_loop(int n);

OUT void handler_work(int n)
{
	handled += n;
}

static void check(int ok)
{
	if (!ok)
		wrong = 1;
}

/* ---- libraries ---- */

static void *library;

static long run_library(void)
{
	int (*f)(int) = library ? (int (*)(int))dlsym(library, "library_work") : NULL;
	long n = 0;
	for (int i = 0; f && i < 100; i++, n++)
		check(f(i) == i * 5 + 2);
	return n;
}

/* ---- threads ---- */

static pthread_barrier_t all_there;

static void *ten_calls(void *arg)
{
	for (int i = 0; i < 10; i++)
		check(work(i) == i * 3 + 1);
	if (arg)
		pthread_barrier_wait(&all_there);
	return NULL;
}

static long threads(int n, int at_once)
{
	pthread_t *t = malloc(sizeof *t * (size_t)n);
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	pthread_barrier_init(&all_there, NULL, (unsigned)n);
	int made = 0;
	for (int i = 0; i < n; i++) {
		made += pthread_create(&t[i], &attr, ten_calls, at_once ? t : NULL) == 0;
		if (!at_once)
			pthread_join(t[i], NULL);
	}
	for (int i = 0; at_once && i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
	return made;
}

/* ---- handlers ---- */

static sigjmp_buf back;
static volatile int traps, faults, plain;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	sigset_t now;
	sigprocmask(SIG_BLOCK, NULL, &now);
	check(info->si_addr == (void *)16 && sigismember(&now, SIGSEGV) && sigismember(&now, SIGUSR2));
	faults += work(2) == 7;
	siglongjmp(back, 1);
}

static void on_trap(int sig)
{
	check(sig == SIGTRAP);
	traps += work(1) == 4;
}

static void on_bus(int sig)
{
	plain += sig == SIGBUS;
}

static long handlers(void)
{
	struct sigaction act = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, old;
	traps = faults = plain = 0;
	sigaddset(&act.sa_mask, SIGUSR2);
	check(sigaction(SIGSEGV, &act, &old) == 0);
	check(sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_sigaction == on_fault && sigismember(&old.sa_mask, SIGUSR2));
	signal(SIGTRAP, on_trap);
	check(signal(SIGTRAP, on_trap) == on_trap);
	signal(SIGBUS, on_bus);
	pid_t child = vfork();
	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_IGN);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	check(sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_sigaction == on_fault);
	act = (struct sigaction){.sa_handler = on_bus};
	sigfillset(&act.sa_mask);
	check(sigaction(SIGUSR1, &act, NULL) == 0 && sigaction(SIGUSR1, NULL, &old) == 0 && sigismember(&old.sa_mask, SIGTRAP));
	for (int i = 0; i < 50; i++) {
		if (sigsetjmp(back, 1) == 0)
			*(volatile int *)16 = 1;
		__asm__ volatile("int3");
		raise(SIGTRAP);
		raise(SIGBUS);
		check(work(i) == i * 3 + 1 && tiny_loop(i) == (i ? i : 1));
	}
	check(traps == 100 && faults == 50 && plain == 50);
	signal(SIGBUS, SIG_IGN);
	raise(SIGBUS);
	check(signal(SIGBUS, SIG_DFL) == SIG_IGN);
	return traps + faults + plain;
}

/* ---- a thread that blocks everything ---- */

static volatile int blocked_goes_on;
static pthread_t blocked;
static volatile long blocked_calls;

static void *block_all(void *arg)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (blocked_goes_on) {
		check(work(4) == 13);
		blocked_calls++;
	}
	return arg;
}

/* ---- short threads under a fast timer ---- */

static void on_alarm(int sig)
{
	int kept = errno;
	(void)sig;
	handler_work(1);
	errno = kept;
}

static void *short_one(void *arg)
{
	for (int i = 0; i < 30; i++)
		check(work(i) == i * 3 + 1);
	return arg;
}

static long alarms(int n)
{
	struct sigaction act = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	sigaction(SIGALRM, &act, NULL);
	handled = 0;
	for (int i = 0; i < n; i++) {
		struct itimerval soon = {{0, 23}, {0, 11}}, never = {{0, 0}, {0, 0}};
		pthread_t t;
		sigset_t alarm;
		sigemptyset(&alarm);
		sigaddset(&alarm, SIGALRM);
		/* Only the short thread takes the alarms. */
		pthread_create(&t, NULL, short_one, NULL);
		pthread_sigmask(SIG_BLOCK, &alarm, NULL);
		setitimer(ITIMER_REAL, &soon, NULL);
		pthread_join(t, NULL);
		setitimer(ITIMER_REAL, &never, NULL);
		pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	}
	return handled;
}

static long forks(void)
{
	struct timespec begin, end;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	pid_t pid = fork();
	if (pid == 0) {
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	check(status == 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000;
}

static long act(char what, const char *text, char **argv)
{
	switch (what) {
	case 'o':
		library = dlopen(text, RTLD_NOW);
		check(library != NULL);
		return (long)(library ? dlsym(library, "library_work") : NULL);
	case 'c':
		check(library && dlclose(library) == 0);
		library = NULL;
		return 0;
	case 'r':
		return run_library();
	case 't':
		return threads(atoi(text), 1);
	case 's':
		return threads(atoi(text), 0);
	case 'h':
		return handlers();
	case 'b':
		blocked_goes_on = 1;
		return pthread_create(&blocked, NULL, block_all, NULL);
	case 'B':
		blocked_goes_on = 0;
		pthread_join(blocked, NULL);
		return blocked_calls;
	case 'a':
		return alarms(atoi(text));
	case 'e':
		execv(text, argv);
		return -1;
	case 'v': {
		pid_t child = vfork();
		if (child == 0) {
			work(1);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		return work(2);
	}
	case 'f':
		return forks();
	default:
		return work(1) + tiny_loop(3);
	}
}

int main(int argc, char **argv)
{
	char line[4200];
	(void)argc;
	printf("ok 0\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		long n = act(line[0], line[0] && line[1] ? line + 2 : "", argv);
		if (wrong)
			printf("wrong %c\n", line[0]);
		else
			printf("ok %ld\n", n);
		fflush(stdout);
	}
	return wrong;
}
