/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program whose rate of events rises and falls, for tests of collectors: a master and workers, which are processes that execute the program
 * `waves_worker` beside it.
 *
 *     waves_master WORKERS FILE FILE      many events until the first file is there, then few until the second one is
 *     waves_master WORKERS HIGH LOW       for so many iterations
 *     waves_master WORKERS HIGH LOW N     with N events of a worker in the high ones, not waiting for anybody; says how far behind the tunlet is
 *
 * WAVES=MANY,FEW,AHEAD, if it is set, has the pauses behind iterations of either kind in us, and how many it is ahead at most. It prints how many iterations of each kind there were. What a worker says depends on its number and the iteration only. With `active` set below
 * WORKERS (by a tunlet) the others rest from the next fiftieth iteration on. It is never more than a few iterations ahead of the tunlet, which
 * sets `seen`: so however slow the machine is, no event is lost because there was no time for it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone))
enum { MANY = 60, FEW = 1, DEADLINE_S = 120, STEADY = 50, PATIENCE_MS = 20000, MOST = 64 };

struct shared {
	atomic_int iteration, pieces, over, active, done[MOST];
};

int active = MOST;
volatile int seen;
static bool goes_on; /* whatever was seen */
static long many_us = 10000, few_us = 20000;
static int ahead = 4;

FUNCTION void wave_begin(int iteration)
{
	__asm__ volatile("" ::"r"(iteration) : "memory");
}

FUNCTION void wave_end(int iteration)
{
	__asm__ volatile("" ::"r"(iteration) : "memory");
}

FUNCTION void work_begin(int iterationB)
{
	__asm__ volatile("" ::"r"(iterationB) : "memory");
}

FUNCTION void work_piece(int iterationP, double value)
{
	__asm__ volatile("" ::"r"(iterationP), "x"(value) : "memory");
}

FUNCTION void work_end(int iterationE, int pieces)
{
	__asm__ volatile("" ::"r"(iterationE), "r"(pieces) : "memory");
}

static void pause_us(long us)
{
	nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

static int worker(struct shared *s, int number)
{
	for (int at = 0; !atomic_load(&s->over);) {
		int i = atomic_load(&s->iteration);
		if (i == at) {
			pause_us(200);
			continue;
		}
		at = i;
		int pieces = number < atomic_load(&s->active) ? atomic_load(&s->pieces) : 0;
		work_begin(i);
		for (int k = 0; k < pieces; k++)
			work_piece(i, (number + 1) * 0.1 + i * 0.001 + k);
		work_end(i, pieces);
		atomic_store(&s->done[number], i);
	}
	return 0;
}

/* Once nobody has said anything for long, nobody will. */
static void wait_until_seen(int i)
{
	static int waited;
	for (; seen < i && waited < PATIENCE_MS; waited++)
		pause_us(1000);
	waited = waited < PATIENCE_MS ? 0 : waited;
}

static void one(struct shared *s, int workers, int pieces, long us)
{
	int i = atomic_load(&s->iteration) + 1;
	wave_begin(i);
	if (i % STEADY == 0)
		atomic_store(&s->active, active);
	atomic_store(&s->pieces, pieces);
	atomic_store(&s->iteration, i);
	for (int w = 0; w < workers; w++)
		while (atomic_load(&s->done[w]) != i)
			pause_us(200);
	wave_end(i);
	if (goes_on)
		printf("iteration %d: %d behind\n", i, i - seen);
	else
		wait_until_seen(i - ahead);
	pause_us(atomic_load(&s->active) ? us : few_us);
}

/* Until the file is there, or for so many iterations. */
static int wave(struct shared *s, int workers, const char *until, int pieces, long us)
{
	int n = 0, most = atoi(until);
	time_t late = time(NULL) + DEADLINE_S;
	while (most ? n < most : access(until, F_OK) != 0 && time(NULL) < late) {
		one(s, workers, pieces, us);
		n++;
	}
	return n;
}

/* Without a copy of the master in between. */
static bool begin_worker(char *path, int w, int fd)
{
	char number[12], inherited[12];
	pid_t pid;
	snprintf(number, sizeof number, "%d", w);
	snprintf(inherited, sizeof inherited, "%d", fd);
	return posix_spawn(&pid, path, NULL, NULL, (char *[]){path, number, inherited, NULL}, environ) == 0;
}

int main(int argc, char **argv)
{
	int inherited = argc == 3 ? atoi(argv[2]) : memfd_create("waves", 0);
	struct shared *s = NULL;
	char path[4096];
	if (inherited < 0 || ftruncate(inherited, sizeof *s))
		return 2;
	s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, inherited, 0);
	if (s == MAP_FAILED)
		return 2;
	if (argc != 3)
		atomic_store(&s->active, MOST);
	if (argc == 3)
		return worker(s, atoi(argv[1]));
	int workers = argc > 3 ? atoi(argv[1]) : 0, many = argc > 4 ? atoi(argv[4]) : MANY;
	goes_on = argc > 4;
	if (getenv("WAVES") && sscanf(getenv("WAVES"), "%ld,%ld,%d", &many_us, &few_us, &ahead) != 3)
		return 2;
	if (workers < 1 || workers > MOST)
		return 2;
	snprintf(path, sizeof path, "%s/waves_worker", dirname(strdup(argv[0])));
	for (int w = 0; w < workers; w++)
		if (!begin_worker(path, w, inherited))
			return 2;
	int high = wave(s, workers, argv[2], many, many_us);
	int low = wave(s, workers, argv[3], FEW, few_us);
	atomic_store(&s->over, 1);
	while (wait(NULL) > 0)
		;
	printf("%d %d\n", high, low);
	return 0;
}
