/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that calls a function more often in a moment than a controller takes events: tune_bursts ITERATIONS CALLS. Every second iteration has that
 * many calls, the others 50; behind the calls, and between iterations, it sleeps. What tests/golden/tunlets/bursts.tsl counts, it says itself, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone))

int iteration;

FUNCTION void begin(int i)
{
	iteration = i;
	__asm__ volatile("" ::: "memory");
}

FUNCTION void hot(int k)
{
	__asm__ volatile("" ::"r"(k) : "memory");
}

FUNCTION void end(int i, int calls)
{
	__asm__ volatile("" ::"r"(i), "r"(calls) : "memory");
}

int main(int argc, char **argv)
{
	int iterations = argc > 1 ? atoi(argv[1]) : 20, most = argc > 2 ? atoi(argv[2]) : 8000;
	for (int i = 1; i <= iterations; i++) {
		int calls = i % 2 ? 50 : most;
		begin(i);
		for (int k = 0; k < calls; k++)
			hot(k);
		usleep(15000);
		end(i, calls);
		usleep(120000);
	}
	return 0;
}
