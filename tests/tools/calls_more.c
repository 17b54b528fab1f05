/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Like calls_counts.c, of calls of the C library that it does not make: PROGRAM threads|io; at the end "calls NAME N" and "bytes NAME N". Waits are such
 * that come about in any case.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { NAMES = 64, ROUNDS = 10, BYTES = 300 };
static struct {
	const char *name;
	long n, bytes;
} called[NAMES];
static int n_called;
static mtx_t counting;

static long count(const char *name, long bytes)
{
	mtx_lock(&counting);
	int i = 0;
	while (i < n_called && strcmp(called[i].name, name))
		i++;
	called[i].name = name;
	n_called += i == n_called;
	called[i].n++;
	called[i].bytes += bytes > 0 ? bytes : 0;
	mtx_unlock(&counting);
	return bytes;
}

/* What it answers is no number of bytes, or is one. */
#define DONE(name, expected, ...) ((name(__VA_ARGS__) == (expected) || (abort(), 0)), count(#name, 0))
#define MOVED(name, expected, ...) (count(#name, (long)name(__VA_ARGS__)) == (expected) ? 0 : (abort(), 0))

static struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* ---- waits ---- */

static mtx_t lock, timed;
static cnd_t changed;
static int turn;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;

static int takes_turns(void *arg)
{
	int me = *(int *)arg;
	for (int i = 0; i < ROUNDS; i++) {
		mtx_lock(&lock);
		while (turn % 2 != me)
			DONE(cnd_wait, thrd_success, &changed, &lock);
		turn++;
		if (i % 2)
			cnd_signal(&changed);
		else
			cnd_broadcast(&changed);
		mtx_unlock(&lock);
	}
	return 0;
}

/* The other thread has all of them. */
static void *waits_in_vain(void *arg)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 5);
	DONE(mtx_timedlock, thrd_timedout, &timed, &t);
	t = in_ms(CLOCK_REALTIME, 5);
	DONE(pthread_rwlock_timedwrlock, ETIMEDOUT, &shared, &t);
	t = in_ms(CLOCK_REALTIME, 5);
	DONE(pthread_rwlock_timedrdlock, ETIMEDOUT, &shared, &t);
	t = in_ms(CLOCK_MONOTONIC, 5);
	DONE(pthread_rwlock_clockwrlock, ETIMEDOUT, &shared, CLOCK_MONOTONIC, &t);
	t = in_ms(CLOCK_MONOTONIC, 5);
	DONE(pthread_rwlock_clockrdlock, ETIMEDOUT, &shared, CLOCK_MONOTONIC, &t);
	return arg;
}

static void semaphores(void)
{
	sem_t none;
	sem_init(&none, 0, 0);
	struct timespec t = in_ms(CLOCK_REALTIME, 5);
	DONE(sem_timedwait, -1, &none, &t);
	t = in_ms(CLOCK_MONOTONIC, 5);
	DONE(sem_clockwait, -1, &none, CLOCK_MONOTONIC, &t);
	sem_destroy(&none);
}

static void *sleeps(void *arg)
{
	const struct timespec t = {0, 3000000};
	DONE(thrd_sleep, 0, &t, NULL);
	return arg;
}

static void once(void)
{
}

static int threads(void)
{
	static int number[] = {0, 1};
	static once_flag flag = ONCE_FLAG_INIT;
	thrd_t t[2];
	pthread_t p;
	mtx_init(&lock, mtx_plain);
	mtx_init(&timed, mtx_timed);
	cnd_init(&changed);
	for (int i = 0; i < 2; i++)
		thrd_create(&t[i], takes_turns, &number[i]);
	for (int i = 0; i < 2; i++)
		thrd_join(t[i], NULL);
	mtx_lock(&timed);
	pthread_rwlock_wrlock(&shared);
	pthread_create(&p, NULL, waits_in_vain, NULL);
	pthread_join(p, NULL);
	pthread_rwlock_unlock(&shared);
	mtx_unlock(&timed);
	semaphores();
	pthread_create(&p, NULL, sleeps, NULL);
	struct timespec late = in_ms(CLOCK_MONOTONIC, 10000);
	DONE(pthread_clockjoin_np, 0, p, NULL, CLOCK_MONOTONIC, &late);
	pthread_create(&p, NULL, sleeps, NULL);
	late = in_ms(CLOCK_REALTIME, 10000);
	DONE(pthread_timedjoin_np, 0, p, NULL, &late);
	for (int i = 0; i < 3; i++)
		call_once(&flag, once);
	count("call_once", 0); /* the others found it done */
	mtx_lock(&lock);
	struct timespec soon = in_ms(CLOCK_REALTIME, 5);
	DONE(cnd_timedwait, thrd_timedout, &changed, &lock, &soon);
	mtx_unlock(&lock);
	return 0;
}

/* ---- bytes ---- */

static char room[BYTES];

static void at_places(int fd)
{
	struct iovec part[] = {{room, 100}, {room + 100, 60}};
	MOVED(pwritev, 160, fd, part, 2, 10);
	MOVED(pwritev2, 160, fd, part, 2, 200, 0);
	MOVED(preadv, 160, fd, part, 2, 10);
	MOVED(preadv2, 160, fd, part, 2, 200, 0);
	DONE(fdatasync, 0, fd);
	DONE(posix_fallocate, 0, fd, 0, 4096);
	DONE(fallocate, 0, fd, 0, 0, 4096);
	DONE(flock, 0, fd, LOCK_EX);
	DONE(lockf, 0, fd, F_ULOCK, 0);
	DONE(syncfs, 0, fd);
}

static void from_file_to_file(int fd)
{
	int pipes[2], other = creat("other", 0600);
	count("creat", 0);
	off_t at = 0;
	MOVED(sendfile, 50, other, fd, &at, 50);
	MOVED(copy_file_range, 70, fd, &at, other, NULL, 70, 0);
	if (pipe(pipes))
		abort();
	MOVED(splice, 40, fd, &at, pipes[1], NULL, 40, 0);
	MOVED(splice, 40, pipes[0], NULL, other, NULL, 40, 0);
	close(other);
}

static void by_datagrams(void)
{
	int s[2];
	struct iovec part[] = {{room, 30}, {room + 30, 40}};
	struct msghdr m = {.msg_iov = part, .msg_iovlen = 2};
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, s))
		abort();
	MOVED(sendto, 25, s[0], room, 25, 0, NULL, 0);
	MOVED(recvfrom, 25, s[1], room, sizeof room, 0, NULL, NULL);
	MOVED(sendmsg, 70, s[0], &m, 0);
	MOVED(recvmsg, 70, s[1], &m, 0);
}

static int say(int fd, const char *form, ...)
{
	va_list va;
	va_start(va, form);
	int n = vdprintf(fd, form, va);
	va_end(va);
	return n;
}

static int io(void)
{
	int fd = open("data", O_CREAT | O_TRUNC | O_RDWR, 0600);
	at_places(fd);
	from_file_to_file(fd);
	by_datagrams();
	MOVED(dprintf, 8, fd, "%d bytes\n", 8 - 7);
	if (count("vdprintf", say(fd, "%s\n", "text")) != 5)
		abort();
	return 0;
}

int main(int argc, char **argv)
{
	mtx_init(&counting, mtx_plain);
	int rc = argc > 1 && !strcmp(argv[1], "threads") ? threads() : io();
	FILE *f = fopen("counted", "w");
	for (int i = 0; i < n_called; i++) {
		fprintf(f, "calls %s %ld\n", called[i].name, called[i].n);
		if (called[i].bytes)
			fprintf(f, "bytes %s %ld\n", called[i].name, called[i].bytes);
	}
	return fclose(f) || rc;
}
