/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs whose samples are known: samples MODE. What each prints is the same with and without a recording; amounts of work are counted
 * in CPU time or calls, never in time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;

__attribute__((noinline, aligned(64))) void turns(long n)
{
	for (long i = 0; i < n; i++)
		sink = sink * 0.9999 + (double)i;
}
/* As much work a turn, three times as many turns. */
__attribute__((noinline, aligned(64))) void heavy(long n)
{
	for (long i = 0; i < 3 * n; i++)
		sink = sink * 0.9999 + (double)i;
}

static double cpu(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void burn(double seconds)
{
	double end = cpu(CLOCK_THREAD_CPUTIME_ID) + seconds;
	while (cpu(CLOCK_THREAD_CPUTIME_ID) < end)
		turns(100000);
}

static int shares(void)
{
	double end = cpu(CLOCK_THREAD_CPUTIME_ID) + 3;
	while (cpu(CLOCK_THREAD_CPUTIME_ID) < end) {
		heavy(50000);
		turns(50000);
	}
	return 0;
}

__attribute__((noinline, aligned(256))) int nested(int n)
{
	int r = 0;
	if (n > 1)
		r = nested(n - 1);
	else
		burn(1);
	__asm__ volatile("" : "+r"(r)::"memory");
	return r + 1;
}

static int shape(void)
{
	return nested(37) != 37;
}

static void *in_big_thread(void *depth)
{
	static int r;
	r = nested(*(int *)depth);
	return &r;
}

/* A million frames deep. */
static int deep(void)
{
	pthread_attr_t attr;
	pthread_t t;
	int depth = 1000000;
	void *r;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)512 << 20);
	if (pthread_create(&t, &attr, in_big_thread, &depth))
		return 77;
	pthread_join(t, &r);
	printf("%d\n", *(int *)r);
	return 0;
}

static void *in_thread(void *seconds)
{
	burn(*(double *)seconds);
	return NULL;
}

static int threads(void)
{
	pthread_t t[3];
	double s = 0.6;
	burn(0.1);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, in_thread, &s);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}

static int many_threads(void)
{
	burn(0.1);
	double s = 0;
	for (int i = 0; i < 3000; i++) {
		pthread_t t;
		if (pthread_create(&t, NULL, in_thread, &s))
			return 1;
		pthread_join(t, NULL);
	}
	puts("3000");
	return 0;
}

/* ---- what must not change ---- */

static long interrupted;
static void count(long rc)
{
	interrupted += rc < 0 && errno == EINTR;
}

/* No handlers: no wait is ever interrupted. */
static int waits(void)
{
	struct timespec ns = {0, 100};
	struct epoll_event e;
	int ep = epoll_create1(0);
	burn(0.1);
	prctl(PR_SET_TIMERSLACK, 1);
	double end = cpu(CLOCK_THREAD_CPUTIME_ID) + 2.5;
	while (cpu(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 50; i++) {
			struct timeval us = {0, 1};
			count(nanosleep(&ns, NULL));
			count(ppoll(NULL, 0, &ns, NULL));
			count(select(0, NULL, NULL, NULL, &us));
			int rc = clock_nanosleep(CLOCK_MONOTONIC, 0, &ns, NULL);
			interrupted += rc == EINTR;
			if (i == 0) {
				count(epoll_wait(ep, &e, 1, 1));
				count(poll(NULL, 0, 1));
			}
		}
	printf("interrupted %ld\n", interrupted);
	return 0;
}

static volatile sig_atomic_t profiled, alarmed;
static void on_prof(int s)
{
	profiled += s == SIGPROF;
}
static void on_alarm(int s)
{
	alarmed += s == SIGALRM;
}

/* Its own profiler, and waits that its own handler ends. */
static int handlers(void)
{
	struct itimerval each = {{0, 20000}, {0, 20000}}, off = {{0, 0}, {0, 0}};
	struct sigaction on = {.sa_handler = on_alarm};
	sigset_t none;
	signal(SIGPROF, on_prof);
	sigaction(SIGALRM, &on, NULL);
	setitimer(ITIMER_PROF, &each, NULL);
	burn(1);
	setitimer(ITIMER_PROF, &off, NULL);
	struct itimerval soon = {{0, 0}, {0, 3000}};
	sigemptyset(&none);
	for (int i = 0; i < 50; i++) {
		sigset_t block, old;
		sigemptyset(&block);
		sigaddset(&block, SIGALRM);
		sigprocmask(SIG_BLOCK, &block, &old);
		int before = alarmed;
		setitimer(ITIMER_REAL, &soon, NULL);
		while (alarmed == before)
			sigsuspend(&none);
		sigprocmask(SIG_SETMASK, &old, NULL);
	}
	printf("%s %d\n", profiled > 0 && profiled <= 60 ? "profiled" : "not profiled", alarmed);
	return 0;
}

static int blocks(void)
{
	sigset_t all, pending;
	int n = 0;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	burn(0.5);
	int fd = dup(0);
	sigpending(&pending);
	for (int s = 1; s <= 31; s++)
		n += sigismember(&pending, s);
	printf("descriptor %d, %d pending\n", fd, n);
	return 0;
}

static int forks(void)
{
	int sum = 0;
	burn(0.2);
	for (int i = 0; i < 3; i++) {
		pid_t child = fork();
		if (child == 0) {
			burn(0.3);
			_exit(i + 1);
		}
		int status;
		waitpid(child, &status, 0);
		sum += WEXITSTATUS(status);
	}
	printf("children %d\n", sum);
	return 0;
}

static int execs(const char *self)
{
	burn(0.3);
	for (int i = 0; i < 40; i++) {
		pid_t child = fork();
		if (child == 0) {
			burn(0.02);
			execl("/bin/true", "true", (char *)NULL);
			_exit(9);
		}
		int status;
		waitpid(child, &status, 0);
		if (status) {
			printf("status %d\n", status);
			return 1;
		}
	}
	execl(self, self, "shape", (char *)NULL);
	return 1;
}

/* Out of handlers and deep calls, again and again. */
static jmp_buf back;
#pragma GCC diagnostic ignored "-Winfinite-recursion"
__attribute__((noinline)) static void leaves(volatile int n)
{
	volatile char room[64];
	room[0] = (char)n;
	if (n == 0)
		longjmp(back, 1);
	leaves(n - 1);
	sink = room[0];
}

static int jumps(void)
{
	volatile long n = 0;
	double end = cpu(CLOCK_THREAD_CPUTIME_ID) + 1;
	while (cpu(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 1000; i++)
			if (setjmp(back) == 0)
				leaves(i % 50);
			else
				n++;
	puts(n % 1000 == 0 ? "jumped" : "lost");
	return 0;
}

/* 20,000 pages, 300 waits, and a second of CPU time; then some, so that all of it has been read. */
static int counted(void)
{
	struct timespec ns = {0, 200000};
	burn(0.2);
	char *p = mmap(NULL, 20000 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || madvise(p, 20000 * 4096, MADV_NOHUGEPAGE))
		return 1;
	for (int i = 0; i < 20000; i++)
		p[i * 4096L] = 1;
	for (int i = 0; i < 300; i++)
		nanosleep(&ns, NULL);
	burn(1);
	return 0;
}

static int by_int(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Memory, text and sorting: the locks of the C library are held most of the time. */
static int library(void)
{
	double end = cpu(CLOCK_THREAD_CPUTIME_ID) + 1;
	int v[500];
	while (cpu(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 100; i++) {
			char text[100];
			void *p = malloc((size_t)i * 100 + 1), *q = calloc((size_t)i + 1, 40);
			snprintf(text, sizeof text, "%d %g %p", i, (double)i / 3, p);
			for (int k = 0; k < 500; k++)
				v[k] = (k * 7919 + i) % 501;
			qsort(v, 500, sizeof *v, by_int);
			free(p);
			free(q);
		}
	puts("sorted");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {{"shares", shares},     {"shape", shape}, {"deep", deep},         {"threads", threads},
	             {"many", many_threads}, {"waits", waits}, {"handlers", handlers}, {"blocks", blocks},
	             {"forks", forks},       {"jumps", jumps}, {"library", library},   {"counted", counted}};
	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "execs") == 0)
		return execs(argv[0]);
	for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			return modes[i].run();
	return 2;
}
