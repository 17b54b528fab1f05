/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a wrapped function by ways that are known: callers [TIMES]. With a number it says what each call cost, in ns. */
#include <weft/record.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void wrapped(long wait_ns);

__attribute__((noinline, aligned(64))) void inner(long ns)
{
	wrapped(ns);
	__asm__ volatile("");
}
__attribute__((noinline, aligned(64))) void middle(long ns)
{
	inner(ns);
	__asm__ volatile("");
}
__attribute__((noinline, aligned(64))) void outer(long ns)
{
	middle(ns);
	__asm__ volatile("");
}
__attribute__((noinline, aligned(64))) void direct(void)
{
	weft_callstack(NULL, 1);
	__asm__ volatile("");
}

static void *in_thread(void *none)
{
	outer(0);
	return none;
}

static int cost(long times)
{
	struct timespec from, to;
	for (int round = 0; round < 5; round++) {
		clock_gettime(CLOCK_MONOTONIC, &from);
		for (long i = 0; i < times; i++)
			outer(0);
		clock_gettime(CLOCK_MONOTONIC, &to);
		printf("%.1f\n", ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / (double)times);
	}
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t t;
	if (argc > 1)
		return cost(atol(argv[1]));
	outer(0);
	middle(2000000);
	direct();
	if (pthread_create(&t, NULL, in_thread, NULL) || pthread_join(t, NULL))
		return 1;
	return 0;
}
