/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the programs of bench_tasks have in common: the patterns of tasks, and their timing. Each program is one runtime:
 *
 *     PROGRAM PATTERN WORKERS      prints one number: ns a task (of wall time; the least of some repetitions), or what
 *                                  the pattern measures
 *
 *     indep       no data                          wave       (i, j) reads (i-1, j), (i, j-1), writes (i, j)
 *     indepd      RW on one of 1024 data in turn   handles-K  RW on K of 1024 data
 *     chain       RW on one datum                  fib        fork and join: a task a call
 *     stencil     reads x-1, x, x+1 of the last    ends       a tree of tasks by dependencies of ends
 *                 row, writes x of this one        memory     bytes that a pending task of a chain takes
 *     own         no data; made by the program, which waits for each and destroys it
 *     modelled    RW on one of 1024 data in turn, with a performance model
 *     metg        the smallest task, in ns, with which a stencil of width 8 keeps both cores half busy
 *     wake        from a submission to the begin of the task, in ns, when the workers have slept: the median of some
 *
 * A runtime brings the functions of struct runtime; what it lacks stays NULL and is skipped (status 77).
 */
#ifndef WEFT_BENCH_TASKS_H
#define WEFT_BENCH_TASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DATA = 1024, WIDTH = 64, METG_WIDTH = 8, REPETITIONS = 5, MOST_HANDLES = 8, CORES = 2 };
enum { STATUS_WRONG = 1, STATUS_SKIPPED = 77 };

struct runtime {
	int (*begin)(unsigned workers);
	void (*end)(void);
	/* Around the submissions of a pattern: wait returns when all tasks have run. */
	void (*open)(void);
	void (*wait)(void);
	void (*none)(void);                                          /* a task without data */
	void (*writes)(const unsigned *data, unsigned n);            /* RW on each */
	void (*reads)(const unsigned *read, unsigned n, unsigned w); /* R on 1 to 3, W on one */
	/* Instead of these: a whole pattern, as a graph that is built and run. */
	int (*graph)(const char *pattern, unsigned tasks);
	uint64_t (*fib)(unsigned n); /* how many tasks it made */
	uint64_t (*ends)(unsigned depth);
	void (*hold)(void);              /* what comes next on datum 0 waits ... */
	void (*let)(void);               /* ... for this */
	void (*noted)(void);             /* a task that calls tasks_note */
	void (*modelled)(unsigned data); /* RW on one, with a performance model */
	void (*own)(unsigned tasks);     /* all of them */
};

static unsigned tasks_spins;  /* what each task works */
static unsigned tasks_counts; /* outside of what is timed, tasks count themselves: a runtime that loses some is no fast one */
static unsigned tasks_counted;

static inline void tasks_count(void)
{
	if (__builtin_expect(tasks_counts != 0, 0))
		__atomic_fetch_add(&tasks_counted, 1, __ATOMIC_RELAXED);
}

static inline void tasks_body(void)
{
	tasks_count();
	for (unsigned i = 0; i < tasks_spins; i++)
		__asm__ volatile("" : : : "memory");
}

static double tasks_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static volatile double tasks_noted_ns;

static inline void tasks_note(void)
{
	tasks_noted_ns = tasks_now_ns();
}

/* ---- patterns: submit `tasks` of them ---- */

static void submit_indep(const struct runtime *r, unsigned tasks)
{
	for (unsigned i = 0; i < tasks; i++)
		r->none();
}

static void submit_writes(const struct runtime *r, unsigned tasks, unsigned n, unsigned data)
{
	for (unsigned i = 0, at = 0; i < tasks; i++) {
		unsigned d[MOST_HANDLES];
		for (unsigned k = 0; k < n; k++, at++)
			d[k] = at % data;
		r->writes(d, n);
	}
}

static void submit_modelled(const struct runtime *r, unsigned tasks)
{
	for (unsigned i = 0; i < tasks; i++)
		r->modelled(i % DATA);
}

static void submit_stencil(const struct runtime *r, unsigned tasks, unsigned width)
{
	for (unsigned i = 0; i < tasks; i++) {
		unsigned x = i % width, row = i / width % 2, read[3], n = 0;
		for (unsigned k = x ? x - 1 : 0; k <= x + 1 && k < width; k++)
			read[n++] = (1 - row) * width + k;
		r->reads(read, n, row * width + x);
	}
}

static void submit_wave(const struct runtime *r, unsigned tasks)
{
	for (unsigned i = 0; i < tasks; i++) {
		unsigned x = i % WIDTH, y = i / WIDTH % (DATA / WIDTH), read[3], n = 0, me = y * WIDTH + x;
		if (x)
			read[n++] = me - 1;
		if (y)
			read[n++] = me - WIDTH;
		if (n)
			r->reads(read, n, me);
		else
			r->writes(&me, 1);
	}
}

static int submit_pattern(const struct runtime *r, const char *pattern, unsigned tasks)
{
	unsigned k = 0;
	if (r->graph)
		return r->graph(pattern, tasks);
	if (!r->none || !r->writes || !r->reads)
		return -1;
	r->open();
	if (!strcmp(pattern, "indep"))
		submit_indep(r, tasks);
	else if (!strcmp(pattern, "indepd"))
		submit_writes(r, tasks, 1, DATA);
	else if (!strcmp(pattern, "own") && r->own)
		r->own(tasks);
	else if (!strcmp(pattern, "modelled") && r->modelled)
		submit_modelled(r, tasks);
	else if (!strcmp(pattern, "chain"))
		submit_writes(r, tasks, 1, 1);
	else if (!strcmp(pattern, "stencil"))
		submit_stencil(r, tasks, WIDTH);
	else if (!strcmp(pattern, "stencil-8"))
		submit_stencil(r, tasks, METG_WIDTH);
	else if (!strcmp(pattern, "wave"))
		submit_wave(r, tasks);
	else if (sscanf(pattern, "handles-%u", &k) == 1 && k >= 1 && k <= MOST_HANDLES)
		submit_writes(r, tasks, k, DATA);
	else
		return -1;
	r->wait();
	return 0;
}

/* ---- whether all ran ---- */

static void count_begin(void)
{
	tasks_counted = 0;
	tasks_counts = 1;
}

/* Ends the program when it were others than `expected`. */
static void count_end(const char *pattern, uint64_t expected)
{
	tasks_counts = 0;
	if (tasks_counted == expected)
		return;
	fprintf(stderr, "%s: %u tasks ran, and not %llu\n", pattern, tasks_counted, (unsigned long long)expected);
	exit(STATUS_WRONG);
}

/* How many calls fib(n) makes. */
static uint64_t fib_calls(unsigned n)
{
	return n < 2 ? 1 : fib_calls(n - 1) + fib_calls(n - 2) + 1;
}

/* ---- measuring ---- */

/* The least ns a task of some repetitions; negative: this runtime has no such pattern. */
static double time_pattern(const struct runtime *r, const char *pattern, unsigned tasks, unsigned repetitions)
{
	double least = -1;
	count_begin();
	if (submit_pattern(r, pattern, tasks)) /* warms up */
		return -1;
	count_end(pattern, tasks);
	for (unsigned i = 0; i < repetitions; i++) {
		double from = tasks_now_ns();
		if (submit_pattern(r, pattern, tasks))
			return -1;
		double ns = (tasks_now_ns() - from) / tasks;
		least = least < 0 || ns < least ? ns : least;
	}
	return least;
}

/* counts: the tasks count themselves; else what comes back is made of what they found. */
static double time_calls(uint64_t (*work)(unsigned), unsigned n, const char *pattern, bool counts)
{
	double least = -1;
	if (!work)
		return -1;
	count_begin();
	uint64_t said = work(n);
	if (!counts)
		tasks_counted = (unsigned)said;
	count_end(pattern, counts ? said : fib_calls(n));
	for (unsigned i = 0; i < REPETITIONS; i++) {
		double from = tasks_now_ns();
		uint64_t made = work(n);
		double ns = (tasks_now_ns() - from) / (double)made;
		least = least < 0 || ns < least ? ns : least;
	}
	return least;
}

static double resident_bytes(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");
	if (!f || fscanf(f, "%*u %lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static double measure_memory(const struct runtime *r, unsigned tasks)
{
	unsigned zero = 0;
	if (!r->hold)
		return -1;
	r->open();
	count_begin();
	r->writes(&zero, 1);
	r->hold();
	double before = resident_bytes();
	for (unsigned i = 0; i < tasks; i++)
		r->writes(&zero, 1);
	double bytes = (resident_bytes() - before) / tasks;
	r->let();
	r->wait();
	count_end("memory", tasks + 1);
	return bytes;
}

static double spin_ns(unsigned spins)
{
	double least = 1e18;
	tasks_spins = spins;
	for (unsigned i = 0; i < 20; i++) {
		double from = tasks_now_ns();
		for (unsigned k = 0; k < 100; k++)
			tasks_body();
		double ns = (tasks_now_ns() - from) / 100;
		least = ns < least ? ns : least;
	}
	return least;
}

/*
 * The smallest task for which the work is half of wall x cores, from large tasks to small ones in steps of 2^(1/3). A disturbance
 * only makes a run look worse: a size counts when one of many short runs is good enough, and the search ends when several sizes in
 * a row have none. Returned is the ns of the task with what it costs, wall x cores / tasks.
 */
enum { METG_RUNS = 100, METG_MISSES = 4, METG_RUN_NS = 4000000, METG_ROWS = 16, METG_SECONDS = 90 };

/* Of tasks that work so long; 0: in no run are the cores half busy; negative: there is no such pattern. */
static double metg_of_size(const struct runtime *r, double work_ns)
{
	unsigned tasks = (unsigned)(METG_RUN_NS / work_ns);
	if (tasks < METG_ROWS * METG_WIDTH)
		tasks = METG_ROWS * METG_WIDTH;
	for (unsigned i = 0; i < METG_RUNS; i++) {
		double from = tasks_now_ns();
		if (submit_pattern(r, "stencil-8", tasks))
			return -1;
		double core_ns = (tasks_now_ns() - from) / tasks * CORES;
		if (work_ns >= core_ns / 2)
			return core_ns;
	}
	return 0;
}

static double measure_metg(const struct runtime *r)
{
	double spin = spin_ns(100000) / 100000, found = -1, until = tasks_now_ns() + METG_SECONDS * 1e9;
	unsigned missed = 0;
	count_begin();
	if (submit_pattern(r, "stencil-8", METG_ROWS * METG_WIDTH))
		return -1;
	count_end("metg", METG_ROWS * METG_WIDTH);
	for (double work = 64e3; work >= 50 && missed < METG_MISSES; work /= 1.26) {
		tasks_spins = (unsigned)(work / spin);
		double ns = metg_of_size(r, tasks_spins * spin);
		if (ns < 0 || tasks_now_ns() > until)
			return -1;
		found = ns > 0 ? ns : found;
		missed = ns > 0 ? 0 : missed + (found > 0);
	}
	return found;
}

enum { WAKES = 201, ASLEEP_AFTER_US = 2000 };

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double measure_wake(const struct runtime *r)
{
	double took[WAKES];
	if (!r->noted)
		return -1;
	for (unsigned i = 0; i < WAKES; i++) {
		usleep(ASLEEP_AFTER_US);
		double from = tasks_now_ns();
		tasks_noted_ns = 0;
		r->noted();
		r->wait();
		took[i] = tasks_noted_ns - from;
		if (took[i] < 0) {
			fprintf(stderr, "wake: the task has not run\n");
			exit(STATUS_WRONG);
		}
	}
	qsort(took, WAKES, sizeof *took, by_size);
	return took[WAKES / 2];
}

static double measure(const struct runtime *r, const char *pattern, unsigned tasks)
{
	if (!strcmp(pattern, "memory"))
		return measure_memory(r, tasks);
	if (!strcmp(pattern, "metg"))
		return measure_metg(r);
	if (!strcmp(pattern, "wake"))
		return measure_wake(r);
	if (!strcmp(pattern, "fib"))
		return time_calls(r->fib, 20, pattern, false);
	if (!strcmp(pattern, "ends"))
		return time_calls(r->ends, 12, pattern, true);
	return time_pattern(r, pattern, tasks, REPETITIONS);
}

static int tasks_main(const struct runtime *r, int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: %s PATTERN WORKERS [TASKS]\n", argv[0]);
		return 2;
	}
	if (r->begin((unsigned)atoi(argv[2])))
		return STATUS_SKIPPED;
	double figure = measure(r, argv[1], argc > 3 ? (unsigned)atoi(argv[3]) : 32768);
	r->end();
	if (figure < 0)
		return STATUS_SKIPPED;
	printf("%.2f\n", figure);
	return 0;
}

#endif
