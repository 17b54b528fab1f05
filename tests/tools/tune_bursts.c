/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that calls a function more often in a moment than a controller takes events: tune_bursts BURSTS CALLS [ends|alone]. Each burst is an
 * iteration with so many calls; then come iterations of 50 calls until the tunlet (tests/golden/tunlets/bursts.tsl) has set `evaluated` to one
 * of them: by then the controller has read all, however late it was. With `ends` the end of a burst is told again until the tunlet
 * has evaluated it, as that is lost with the rest; with `alone` there
 * are bursts alone, and nobody is waited for. What the tunlet counts is said here, too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone))

int iteration;
volatile int evaluated;

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

enum { PATIENCE = 6000 }; /* of 10 ms */

static void iterate(int calls, int ends)
{
	static int i;
	begin(++i);
	for (int k = 0; k < calls; k++)
		hot(k);
	end(i, calls);
	for (int k = 0; ends && k < PATIENCE && evaluated < i; k++) {
		usleep(10000);
		end(i, calls);
	}
}

/* False: a minute went by. */
static int until_evaluated(void)
{
	int first = iteration + 1;
	for (int k = 0; k < PATIENCE; k++) {
		iterate(50, 0);
		usleep(10000);
		if (evaluated >= first)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int bursts = argc > 1 ? atoi(argv[1]) : 10, calls = argc > 2 ? atoi(argv[2]) : 8000;
	const char *mode = argc > 3 ? argv[3] : "";
	for (int k = 0; k < bursts; k++) {
		iterate(calls, strcmp(mode, "ends") == 0);
		if (strcmp(mode, "alone") == 0)
			usleep(120000);
		else if (!until_evaluated())
			return 1;
	}
	return 0;
}
