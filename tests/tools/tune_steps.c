/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that computes in steps, for tests of `weft tune`: tune_steps STEPS [MICROSECONDS [chunk|all|FILE [fork|exec]]]. It prints at the end what
 * was changed in it. With `chunk` it makes more steps until that was changed, with `all` until all that actions.tsl changes was, with
 * anything else until there is a file of that name: however late a busy machine lets that be. Its functions are what tests/golden/tunlets/steps.tsl and actions.tsl name.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone))

enum { STEPS_MOST = 10000 };

int iteration;
int chunk = 1;
double load = 1.5;
static int called, inserted, noted, replaced;

FUNCTION void step_begin(int i)
{
	iteration = i;
	__asm__ volatile("" ::: "memory");
}

FUNCTION int step_end(int i, double took)
{
	__asm__ volatile("" ::"r"(i), "x"(took) : "memory");
	return i * 2;
}

FUNCTION void note(int value)
{
	noted += value > 0;
	__asm__ volatile("" ::: "memory");
}

FUNCTION int pick(int value)
{
	__asm__ volatile("" : "+r"(value)::"memory");
	return value;
}

FUNCTION int pick_other(int value)
{
	replaced++;
	return -value;
}

FUNCTION void call_me(int value)
{
	called += value;
	__asm__ volatile("" ::: "memory");
}

FUNCTION void insert_me(void)
{
	inserted++;
	__asm__ volatile("" ::: "memory");
}

FUNCTION int scaled(int value)
{
	__asm__ volatile("" : "+r"(value)::"memory");
	return value;
}

static int other_program(const char *how, char **argv)
{
	if (strcmp(how, "exec") == 0) {
		argv[4] = NULL;
		execv("/proc/self/exe", argv);
		return 127;
	}
	pid_t child = fork();
	int status;
	if (child == 0)
		return -1; /* both go on */
	waitpid(child, &status, 0);
	return WEXITSTATUS(status) == 3 ? -1 : 4;
}

/* Whether what it waits for has come; i: steps so far. */
static int is_over(const char *what, int i)
{
	if (strcmp(what, "chunk") == 0)
		return chunk != 1;
	if (strcmp(what, "all") == 0)
		return chunk != 1 && called && inserted && replaced && noted < i - 1 && scaled(1) != 1;
	return !*what || access(what, F_OK) == 0;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10, wrong = 0, i = 0;
	long us = argc > 2 ? atol(argv[2]) : 2000;
	const char *until = argc > 3 ? argv[3] : "";
	int status = argc > 4 ? other_program(argv[4], argv) : -1;
	if (status >= 0)
		return status;
	for (; i < steps || (i < STEPS_MOST && !is_over(until, i)); i++) {
		step_begin(i);
		nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
		note(i);
		int picked = pick(5), s = scaled(1);
		wrong += (picked != 5 && picked != -5) + (s != 1 && s != 9);
		wrong += step_end(i, (double)us) != 2 * i;
	}
	printf("chunk %d, called %d, inserted %s, noted %s, replaced %s, scaled %d, wrong %d\n", chunk, called,
	       inserted ? "yes" : "no", noted == i - 1 ? "all" : "some", replaced ? "yes" : "no", scaled(1), wrong);
	return 3;
}
