/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a tuned run costs a program when there is nothing to tune: the CPU time of the same work under `weft tune` and without, in alternating
 * pairs. One thread smooths an array in cache, in blocks that are calls of a measured function: RATE events a second. The time is that of the
 * whole process, with the agent's thread, from the begin of the work. What the events themselves cost (calls x the cost of one: `make bench
 * ONLY=probe`) is in it, and taken off in the second figure. Runs are as long as lets all pairs be done in two to three minutes, on a
 * busy machine too; how far it is stands on standard error.
 *
 *     bench tune overhead 0.51 % median -0.20 1.10        of the program's CPU time
 *     bench tune beside-hits 0.16 % …                     without calls x 35 ns
 *     interval tune overhead 0.31 0.70                    95 %, of the median (by ranks)
 *     bench tune of-least 0.40 % …                        the least time of each against the other's
 *
 *     bench_tune [PAIRS [RATE]]
 */
#include "bench.h"
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { POINTS = 64, PAIRS = 31, PAIRS_MOST = 500, STEP = 1000 };
static const double trial_seconds = 0.1, least_seconds = 0.1, most_seconds = 1.5, all_seconds = 140, hit_ns = 35;

/* -- the work, in a process of its own -- */

int iteration;

__attribute__((noinline, noclone)) static void step_begin(int i)
{
	iteration = i;
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline, noclone)) static void step_end(int i)
{
	__asm__ volatile("" ::"r"(i) : "memory");
}

__attribute__((noinline, noclone)) static void block(double *at, uint64_t sweeps)
{
	for (uint64_t s = 0; s < sweeps; s++)
		for (unsigned i = 1; i + 1 < POINTS; i++)
			at[i] = 0.5 * at[i] + 0.25 * (at[i - 1] + at[i + 1]);
}

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double work(uint64_t blocks, uint64_t sweeps)
{
	static double at[POINTS];
	at[7] = 1;
	block(at, sweeps * 100);
	double from = cpu_seconds();
	for (uint64_t i = 0; i < blocks; i++) {
		if (i % STEP == 0)
			step_begin((int)(i / STEP));
		block(at, sweeps);
		if (i % STEP == STEP - 1)
			step_end((int)(i / STEP));
	}
	double took = cpu_seconds() - from;
	bench_keep((uint64_t)(at[3] * 1e9));
	return took;
}

/* -- pairs -- */

static const char spec[] =
	"TUNLET\nname: overhead\ncomment: /* counts events, and has nothing to tune */\ninclude: math.h\nunit: ms\nMEASURE POINTS\n"
	"VARIABLES AND VALUES\nvariable\n  id: iteration\n  comment: /* number */\n  source: asVarValue\n  type: int\n  actorId: p\nendvariable\n"
	"variable\n  id: i\n  comment: /* number */\n  source: asFuncParamValue\n  type: int\n  actorId: p\nendvariable\nEVENTS\n"
	"event\n  id: B\n  actorId: p\n  controliter: begin\n  utility: always\n  method: step_begin\n  class: none\n  place: exit\nATTRS\n  id: iteration\nendevent\n"
	"event\n  id: W\n  actorId: p\n  controliter: no\n  utility: always\n  method: block\n  class: none\n  place: entry\nendevent\n"
	"event\n  id: E\n  actorId: p\n  controliter: end\n  utility: always\n  method: step_end\n  class: none\n  place: entry\nATTRS\n  id: i\nendevent\n"
	"ACTORS\nactor\n  id: p\n  min: 1\n  max: 1\n  completion: /# t1 > 0 #/\n  class: none\n  exe: bench_tune\nATTRS\n"
	"  id: t1\n  comment: /* end */\n  type: double\n  inic: /# t1 = 0.0; #/\n  depinic: none\n  value: /# p[E.id].t1 = E.timestamp; #/\n  cum: false\n  dependency: E\n"
	"  id: n\n  comment: /* events */\n  type: int\n  inic: /# n = 0; #/\n  depinic: none\n  value: /# p[W.id].n = p[W.id].n + 1; #/\n  cum: true\n  dependency: W\nendactor\n"
	"ITERATION INFORMATION\nMODEL PARAMETERS\n  id: events\n  comment: /* of the iteration */\n  type: int\n  inic: /# events = 0; #/\n  depinic: none\n"
	"  value: /# events = p[0].n; #/\n  cum: false\n  dependency: none\nPERFORMANCE FUNCTIONS\nTUNING POINTS\nENDTUNLET\n";

static char self[PATH_MAX], build[PATH_MAX], folder[] = "/tmp/weft-bench-tune-XXXXXX";

static double run(bool tuned, uint64_t blocks, uint64_t sweeps)
{
	char command[3 * PATH_MAX];
	double seconds = -1;
	if (tuned)
		snprintf(command, sizeof command, "%s/weft tune -q -t %s/overhead.tsl -- %s --work %llu %llu", build, folder,
		         self, (unsigned long long)blocks, (unsigned long long)sweeps);
	else
		snprintf(command, sizeof command, "%s --work %llu %llu", self, (unsigned long long)blocks,
		         (unsigned long long)sweeps);
	FILE *f = popen(command, "r");
	if (f && fscanf(f, "%lf", &seconds) != 1)
		seconds = -1;
	if (!f || pclose(f))
		seconds = -1;
	return seconds;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void print_figure(const char *name, const double *sorted, unsigned n)
{
	/* Of the median: ranks by the binomial distribution, normal from here on. */
	unsigned half = 1, middle = n / 2;
	while (half * half < n)
		half++; /* 0.98 times the root */
	unsigned low = middle > half ? middle - half : 0, high = middle + half < n ? middle + half : n - 1;
	printf("bench tune %s %.3f %% median %.3f %.3f\n", name, sorted[middle], sorted[0], sorted[n - 1]);
	printf("interval tune %s %.3f %.3f\n", name, sorted[low], sorted[high]);
}

struct size {
	uint64_t blocks, sweeps;
};

/* Work of so many seconds of CPU, as this process does it. */
static struct size size_of(double seconds, double rate)
{
	struct size z = {(uint64_t)(seconds * rate / STEP) * STEP, 100};
	z.blocks = z.blocks ? z.blocks : STEP;
	double once = work(z.blocks, z.sweeps);
	z.sweeps = (uint64_t)((double)z.sweeps * seconds / once);
	z.sweeps = z.sweeps ? z.sweeps : 1;
	return z;
}

/* Which is first alternates, too. False: the command failed. */
static bool pair(bool first, struct size z, double *tuned, double *bare)
{
	double a = run(first, z.blocks, z.sweeps), b = run(!first, z.blocks, z.sweeps);
	*tuned = first ? a : b;
	*bare = first ? b : a;
	return a > 0 && b > 0;
}

/* As long as lets n pairs be done in time; a pair of trial runs says how long one takes here. */
static bool choose_size(unsigned n, double rate, struct size *z)
{
	double tuned, bare;
	*z = size_of(trial_seconds, rate);
	uint64_t from = bench_now_ns();
	if (!pair(true, *z, &tuned, &bare))
		return false;
	double took = (double)(bench_now_ns() - from) / 1e9, start = fmax(0, took - 2 * trial_seconds);
	double seconds = (all_seconds / n - start) / 2 * (2 * trial_seconds / fmax(took - start, 2 * trial_seconds));
	seconds = fmax(least_seconds, fmin(most_seconds, seconds));
	*z = size_of(seconds, rate);
	fprintf(stderr, "bench_tune: %u pairs, each run %.2f s of work\n", n, seconds);
	return true;
}

static int failed(void)
{
	printf("skip tune overhead the command failed\n");
	return 1;
}

static int pairs(unsigned n, double rate)
{
	double overhead[PAIRS_MOST], beside[PAIRS_MOST], least[2] = {INFINITY, INFINITY}, tuned, bare;
	struct size z;
	if (!choose_size(n, rate, &z))
		return failed();
	for (unsigned i = 0; i < n; i++) {
		if (!pair(i & 1, z, &tuned, &bare))
			return failed();
		least[0] = bare < least[0] ? bare : least[0];
		least[1] = tuned < least[1] ? tuned : least[1];
		overhead[i] = 100 * (tuned - bare) / bare;
		beside[i] = 100 * (tuned - bare - (double)z.blocks * hit_ns / 1e9) / bare;
		fprintf(stderr, "bench_tune: pair %u of %u: %+.2f %%\n", i + 1, n, overhead[i]);
	}
	qsort(overhead, n, sizeof *overhead, by_size);
	qsort(beside, n, sizeof *beside, by_size);
	print_figure("overhead", overhead, n);
	print_figure("beside-hits", beside, n);
	/* On a busy machine the least of each says more than any median. */
	printf("bench tune of-least %.3f %% of the least times, %.1f ns an event\n", 100 * (least[1] - least[0]) / least[0],
	       (least[1] - least[0]) / (double)z.blocks * 1e9);
	return 0;
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	if (argc > 3 && strcmp(argv[1], "--work") == 0) {
		printf("%.9f\n", work(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10)));
		return 0;
	}
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
	if (length <= 0 || !mkdtemp(folder))
		return 1;
	/* The programs of a build lie beside the folder of benchmarks. */
	snprintf(build, sizeof build, "%.*s", (int)(strrchr(self, '/') - self), self);
	*strrchr(build, '/') = '\0';
	snprintf(path, sizeof path, "%s/overhead.tsl", folder);
	FILE *f = fopen(path, "w");
	if (!f || fputs(spec, f) < 0 || fclose(f))
		return 1;
	unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : PAIRS;
	int status = pairs(n && n <= PAIRS_MOST ? n : PAIRS, argc > 2 ? strtod(argv[2], NULL) : 1e5);
	remove(path);
	rmdir(folder);
	return status;
}
