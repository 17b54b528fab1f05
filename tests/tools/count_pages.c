/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Touches fresh pages in a parallel region, argument 1 of them in each of two threads, and says how many faults its threads had there; then
 * computes for argument 2 milliseconds of CPU time.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

static long faults(void)
{
	struct rusage u;
	getrusage(RUSAGE_THREAD, &u);
	return u.ru_minflt + u.ru_majflt;
}

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	long pages = argc > 1 ? atol(argv[1]) : 0, ms = argc > 2 ? atol(argv[2]) : 0, sum = 0;
	volatile double x = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
		size_t bytes = (size_t)pages * 4096;
		char *at = mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(at, bytes + 1, MADV_NOHUGEPAGE);
		long before = faults();
		for (size_t i = 0; i < bytes; i += 4096)
			at[i] = 1;
		sum += faults() - before;
	}
	for (double end = cpu_ms() + (double)ms; cpu_ms() < end;)
		for (long i = 0; i < 1000000; i++)
			x += 1;
	printf("%ld\n", sum);
	return 0;
}
