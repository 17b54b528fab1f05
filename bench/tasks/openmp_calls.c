/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What constructs of OpenMP cost: ns a round, the least of some repetitions.
 *
 *     PROGRAM WHAT     region   a parallel region of one thread     task      a task, made and run (one thread; in batches)
 *                      team     a parallel region of two threads    lock      a lock that is free, set and unset
 *                      chunk    a chunk of a dynamic loop           critical  a critical section
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>

/* A repetition is short, so that one of them is not interrupted where others run, too. */
enum { ROUNDS = 1000, REPETITIONS = 200 };
static volatile long kept;
static omp_lock_t lock;

static void regions(int n, int threads)
{
	for (int i = 0; i < n; i++) {
#pragma omp parallel num_threads(threads)
		__asm__ volatile("");
	}
}

static void region(int n)
{
	regions(n, 1);
}

static void team(int n)
{
	regions(n, 2);
}

static void chunk(int n)
{
#pragma omp parallel num_threads(1)
#pragma omp for schedule(dynamic, 1)
	for (int i = 0; i < n; i++)
		__asm__ volatile("");
}

static void task(int n)
{
#pragma omp parallel num_threads(1)
	for (int i = 0; i < n; i++) {
#pragma omp task
		__asm__ volatile("");
		if (i % 32 == 31) {
#pragma omp taskwait
		}
	}
}

static void locks(int n)
{
	for (int i = 0; i < n; i++) {
		omp_set_lock(&lock);
		omp_unset_lock(&lock);
	}
}

static void critical(int n)
{
#pragma omp parallel num_threads(1)
	for (int i = 0; i < n; i++) {
#pragma omp critical
		kept++;
	}
}

static const struct {
	const char *name;
	void (*rounds)(int n);
} kinds[] = {{"region", region}, {"team", team}, {"chunk", chunk}, {"task", task}, {"lock", locks}, {"critical", critical}};

int main(int argc, char **argv)
{
	void (*rounds)(int) = NULL;
	double least = -1;
	for (unsigned i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
		rounds = strcmp(kinds[i].name, argv[1]) ? rounds : kinds[i].rounds;
	if (!rounds) {
		fprintf(stderr, "usage: %s region|team|chunk|task|lock|critical\n", argv[0]);
		return 2;
	}
	omp_init_lock(&lock);
	for (int k = 0; k < REPETITIONS; k++) {
		double from = omp_get_wtime();
		rounds(ROUNDS);
		double ns = (omp_get_wtime() - from) / ROUNDS * 1e9;
		least = least < 0 || ns < least ? ns : least;
	}
	printf("%.2f\n", least);
	return 0;
}
