/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a tuned run costs a program when there is nothing to tune. Two processes do the same work, one of them under `weft tune`: in slots
 * of SLOT_SECONDS, by turns, so that a machine that becomes faster or slower does so for both. One thread smooths an array in cache, in
 * blocks that are calls of a measured function: RATE events a second. What counts is the CPU time of a whole process, with the agent's thread,
 * also that between its slots. A pair is the sum of SLOTS slots of each. What the events themselves cost (calls x the cost of one: `make
 * bench ONLY=probe`) is in it, and taken off in the second figure. How far it is stands on standard error.
 *
 *     bench tune overhead 0.51 % median -0.20 1.10        of the program's CPU time
 *     bench tune beside-hits 0.16 % …                     without calls x 35 ns
 *     interval tune overhead 0.31 0.70                    95 %, of the median (by ranks)
 *     bench tune of-least 0.40 % …                        the least time of each against the other's
 *
 *     bench_tune [PAIRS [RATE]]
 */
#include "bench.h"
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { POINTS = 64, PAIRS = 31, PAIRS_MOST = 500, STEP = 1000, SLOTS = 75 };
static const double slot_seconds = 0.02, hit_ns = 35;

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

static void work(uint64_t blocks, uint64_t sweeps)
{
	static double at[POINTS];
	at[7] = 1;
	for (uint64_t i = 0; i < blocks; i++) {
		if (i % STEP == 0)
			step_begin((int)(i / STEP));
		block(at, sweeps);
		if (i % STEP == STEP - 1)
			step_end((int)(i / STEP));
	}
	bench_keep((uint64_t)(at[3] * 1e9));
}

/* A slot for each byte that comes; answers with the CPU time so far. */
static int work_in_slots(const char *orders, const char *answers, uint64_t blocks, uint64_t sweeps)
{
	int in = open(orders, O_RDONLY), out = open(answers, O_WRONLY);
	char byte;
	if (in < 0 || out < 0)
		return 1;
	while (read(in, &byte, 1) == 1) {
		work(blocks, sweeps);
		double so_far = cpu_seconds();
		if (write(out, &so_far, sizeof so_far) != sizeof so_far)
			return 1;
	}
	return 0;
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

/* A process that works, and the ends of its pipes. */
struct worker {
	FILE *command;
	int order, answer;
	double so_far;
};

static bool begin(struct worker *w, bool tuned, uint64_t blocks, uint64_t sweeps)
{
	char command[4 * PATH_MAX], path[2][PATH_MAX];
	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof path[i], "%s/%s-%d", folder, tuned ? "tuned" : "bare", i);
		if (mkfifo(path[i], 0600))
			return false;
	}
	int n = tuned ? snprintf(command, sizeof command, "%s/weft tune -q -t %s/overhead.tsl -- ", build, folder) : 0;
	snprintf(command + n, sizeof command - (size_t)n, "%s --work %s %s %llu %llu", self, path[0], path[1],
	         (unsigned long long)blocks, (unsigned long long)sweeps);
	w->command = popen(command, "r");
	w->order = open(path[0], O_WRONLY | O_CLOEXEC);
	w->answer = open(path[1], O_RDONLY | O_CLOEXEC);
	remove(path[0]);
	remove(path[1]);
	return w->command && w->order >= 0 && w->answer >= 0;
}

static bool end(struct worker *w)
{
	close(w->order);
	close(w->answer);
	return pclose(w->command) == 0;
}

/* CPU time since the slot before. < 0: it has ended. */
static double slot(struct worker *w)
{
	double so_far;
	if (write(w->order, "", 1) != 1 || read(w->answer, &so_far, sizeof so_far) != sizeof so_far)
		return -1;
	double took = so_far - w->so_far;
	w->so_far = so_far;
	return took;
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

/* How often a block sweeps, for so many events a second in this process. */
static uint64_t sweeps_for(uint64_t blocks)
{
	enum { TRIAL = 100 };
	work(blocks, TRIAL);
	double from = cpu_seconds();
	work(blocks, TRIAL);
	uint64_t sweeps = (uint64_t)(TRIAL * slot_seconds / (cpu_seconds() - from));
	return sweeps ? sweeps : 1;
}

/* Who is first alternates. False: one of them has ended. */
static bool pair(struct worker *tuned, struct worker *bare, double *with, double *without)
{
	*with = *without = 0;
	for (unsigned i = 0; i < SLOTS; i++) {
		double a = slot(i & 1 ? tuned : bare), b = slot(i & 1 ? bare : tuned);
		if (a < 0 || b < 0)
			return false;
		*with += i & 1 ? a : b;
		*without += i & 1 ? b : a;
	}
	return true;
}

static int failed(void)
{
	printf("skip tune overhead the command failed\n");
	return 1;
}

static int pairs(unsigned n, double rate)
{
	double overhead[PAIRS_MOST], beside[PAIRS_MOST], least[2] = {INFINITY, INFINITY}, with, without;
	uint64_t blocks = (uint64_t)fmax(1, slot_seconds * rate / STEP + 0.5) * STEP, sweeps = sweeps_for(blocks);
	double hits = (double)blocks * SLOTS;
	struct worker tuned = {.order = -1}, bare = {.order = -1};
	/* The first pair has what happens once: names are looked up, probes put in. */
	if (!begin(&tuned, true, blocks, sweeps) || !begin(&bare, false, blocks, sweeps) || !pair(&tuned, &bare, &with, &without))
		return failed();
	for (unsigned i = 0; i < n; i++) {
		if (!pair(&tuned, &bare, &with, &without))
			return failed();
		least[0] = fmin(least[0], without);
		least[1] = fmin(least[1], with);
		overhead[i] = 100 * (with - without) / without;
		beside[i] = 100 * (with - without - hits * hit_ns / 1e9) / without;
		fprintf(stderr, "bench_tune: pair %u of %u: %+.2f %%\n", i + 1, n, overhead[i]);
	}
	if (!end(&tuned) || !end(&bare))
		return failed();
	qsort(overhead, n, sizeof *overhead, by_size);
	qsort(beside, n, sizeof *beside, by_size);
	print_figure("overhead", overhead, n);
	print_figure("beside-hits", beside, n);
	/* On a busy machine the least of each says more than any median. */
	printf("bench tune of-least %.3f %% of the least times, %.1f ns an event\n", 100 * (least[1] - least[0]) / least[0],
	       (least[1] - least[0]) / hits * 1e9);
	return 0;
}

int main(int argc, char **argv)
{
	char path[PATH_MAX];
	if (argc > 5 && strcmp(argv[1], "--work") == 0)
		return work_in_slots(argv[2], argv[3], strtoull(argv[4], NULL, 10), strtoull(argv[5], NULL, 10));
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
