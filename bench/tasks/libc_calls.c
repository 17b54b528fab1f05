/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls of the C library cost: ns a round, the least of some repetitions.
 *
 *     PROGRAM WHAT     lock     pthread_mutex_lock and _unlock, free           read    read of one byte of /dev/zero
 *                      malloc   malloc of 64 bytes and free                    write   write of one byte to /dev/null
 *                      rwlock   pthread_rwlock_rdlock and _unlock              fputs   three bytes into a stream's buffer
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 2000, REPETITIONS = 300 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int in, out;
static FILE *stream;
static void *volatile kept;

static void one_lock(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}
static void one_rwlock(void)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
}
static void one_malloc(void)
{
	kept = malloc(64);
	free(kept);
}
static void one_read(void)
{
	char c;
	if (read(in, &c, 1) != 1)
		abort();
}
static void one_write(void)
{
	if (write(out, "x", 1) != 1)
		abort();
}
static void one_fputs(void)
{
	fputs("abc", stream);
}

/* Threads make a process worth recording. */
static void *nothing(void *arg)
{
	return arg;
}

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*one)(void);
	} what[] = {{"lock", one_lock}, {"rwlock", one_rwlock}, {"malloc", one_malloc},
	            {"read", one_read}, {"write", one_write},   {"fputs", one_fputs}};
	pthread_t t;
	double least = 1e18;
	if (pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL))
		return 1;
	in = open("/dev/zero", O_RDONLY);
	out = open("/dev/null", O_WRONLY);
	stream = fopen("/dev/null", "w");
	for (unsigned i = 0; i < sizeof what / sizeof *what; i++) {
		if (argc < 2 || strcmp(argv[1], what[i].name))
			continue;
		for (int k = 0; k < REPETITIONS; k++) {
			double began = now_ns();
			for (int n = 0; n < ROUNDS; n++)
				what[i].one();
			double each = (now_ns() - began) / ROUNDS;
			least = each < least ? each : least;
		}
		printf("%.2f\n", least);
		return 0;
	}
	return 2;
}
