/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much recording disturbs a program, with all that `weft record` does: the time that the same work takes with it and without.
 *
 *     rate-N     a thread on each cpu smooths an array in cache, in blocks that are regions; N events a second and thread.
 *                Measured inside, so without the start of processes
 *     cpu-N      the CPU time of the same, with that of libweft's helper: what remains of the figure on a busy machine
 *     heat       examples/heat as a whole: processes, threads, messages
 *     start      `true`: what weft record itself costs (topology, setting up the watch)
 *     processes  a shell that starts 300 programs: each fork, exec and exit is seen
 *     threads    2000 short-lived threads, one after the other
 */
#include "bench.h"

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <weft/record.h>

enum { POINTS = 64, THREADS_MADE = 2000, CPUS_MOST = 256 };
static const double work_seconds = 0.2;

WEFT_REGION(region_block, "block", WEFT_STATE_RUNNING);

/* ---- the work, in a process of its own ---- */

struct work {
	uint64_t blocks, sweeps; /* sweeps of the array in each block */
};

static void smooth(double *at, uint64_t sweeps)
{
	for (uint64_t s = 0; s < sweeps; s++)
		for (unsigned i = 1; i + 1 < POINTS; i++)
			at[i] = 0.5 * at[i] + 0.25 * (at[i - 1] + at[i + 1]);
}

static void *work_thread(void *arg)
{
	const struct work *w = arg;
	double *at = calloc(POINTS, sizeof *at);
	if (!at)
		return NULL;
	at[7] = 1;
	for (uint64_t i = 0; i < w->blocks; i++) {
		weft_enter(region_block);
		smooth(at, w->sweeps);
		weft_leave(region_block);
	}
	bench_keep((uint64_t)(at[3] * 1e9));
	free(at);
	return at;
}

static void *nothing(void *arg)
{
	return arg;
}

static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int work_main(const char *blocks, const char *sweeps)
{
	struct work w = {strtoull(blocks, NULL, 10), strtoull(sweeps, NULL, 10)};
	pthread_t thread[CPUS_MOST];
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpus = cpus < CPUS_MOST ? cpus : CPUS_MOST;
	weft_enter(region_block); /* the first event sets up what the others use */
	weft_leave(region_block);
	uint64_t from = bench_now_ns();
	for (long i = 0; i < cpus; i++)
		if (pthread_create(&thread[i], NULL, work_thread, &w))
			return 1;
	for (long i = 0; i < cpus; i++)
		pthread_join(thread[i], NULL);
	double wall = (double)(bench_now_ns() - from) / 1e9;
	printf("%.9f %.9f\n", wall, cpu_seconds());
	return 0;
}

static int threads_main(void)
{
	uint64_t from = bench_now_ns();
	for (unsigned i = 0; i < THREADS_MADE; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, nothing, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	printf("%.9f\n", (double)(bench_now_ns() - from) / 1e9);
	return 0;
}

/* ---- running it ---- */

static char self[PATH_MAX], build[PATH_MAX], trace[PATH_MAX];

static const char *const how[] = {
	[0] = "", /* bare */
	[1] = "--force -o",
	[2] = "--watch ptrace --force -o",
	[3] = "--watch none --force -o",
};
enum { BARE, RECORDED, TRACED, UNWATCHED };

struct run {
	unsigned how;
	const char *command;
	double rate; /* events a second; 0: not the work of this program */
	bool inside; /* the command prints the seconds */
	bool cpu;    /* and behind them the CPU time, which is wanted */
};

/* Sweeps that take a second of CPU time, measured once. */
static double sweeps_a_second(void)
{
	static double known, at[POINTS];
	if (known > 0)
		return known;
	smooth(at, 100000);
	double from = cpu_seconds();
	smooth(at, 500000);
	known = 500000 / (cpu_seconds() - from);
	bench_keep((uint64_t)at[3]);
	return known;
}

static double read_seconds(const char *command, bool cpu)
{
	double seconds = -1;
	FILE *f = popen(command, "r");
	if (f && fscanf(f, cpu ? "%*f %lf" : "%lf", &seconds) != 1)
		seconds = -1;
	if (!f || pclose(f))
		return bench_skip("the command failed");
	return seconds;
}

static double run(void *arg)
{
	const struct run *r = arg;
	char record[2 * PATH_MAX + 64] = "", command[4 * PATH_MAX];
	if (r->how != BARE)
		snprintf(record, sizeof record, "%s/weft record -q %s %s --", build, how[r->how], trace);
	if (r->rate > 0) {
		double blocks = work_seconds * r->rate / 2;
		snprintf(command, sizeof command, "%s %s --work %.0f %.0f", record, self, blocks,
		         sweeps_a_second() * work_seconds / blocks);
	} else {
		snprintf(command, sizeof command, r->command, record, r->inside ? self : build);
	}
	return r->inside ? read_seconds(command, r->cpu) : bench_command("%s", command);
}

#define RATE(n, cpu) \
	{ \
		{"recorded", run, &(struct run){RECORDED, NULL, n, true, cpu}}, \
			{"bare", run, &(struct run){BARE, NULL, n, true, cpu}}, \
		{ \
			0 \
		} \
	}
#define HEAT "%s %s/examples/heat -n 1000 -s 100"
#define SHELL "%s sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i+1)); done' # %s"
#define THREADS "%s %s --threads"
#define TRUE "%s true # %s"
#define WATCHED(command, inside) \
	{ \
		{"recorded", run, &(struct run){RECORDED, command, 0, inside, false}}, \
			{"bare", run, &(struct run){BARE, command, 0, inside, false}}, \
			{"ptrace", run, &(struct run){TRACED, command, 0, inside, false}}, \
			{"unwatched", run, &(struct run){UNWATCHED, command, 0, inside, false}}, \
		{ \
			0 \
		} \
	}
static const struct bench_variant rate_1e4[] = RATE(1e4, false), rate_1e5[] = RATE(1e5, false), rate_1e6[] = RATE(1e6, false);
static const struct bench_variant cpu_1e4[] = RATE(1e4, true), cpu_1e5[] = RATE(1e5, true), cpu_1e6[] = RATE(1e6, true);
static const struct bench_variant heat[] = WATCHED(HEAT, false), start[] = WATCHED(TRUE, false);
static const struct bench_variant processes[] = WATCHED(SHELL, false), threads[] = WATCHED(THREADS, true);
static const struct bench benches[] = {
	{"rate-1e4", "s", 0, rate_1e4},
	{"rate-1e5", "s", 0, rate_1e5},
	{"rate-1e6", "s", 0, rate_1e6},
	{"cpu-1e4", "s", 0, cpu_1e4},
	{"cpu-1e5", "s", 0, cpu_1e5},
	{"cpu-1e6", "s", 0, cpu_1e6},
	{"heat", "s", 0, heat},
	{"start", "s", 0, start},
	{"processes", "s", 0, processes},
	{"threads", "s", 0, threads},
	{0},
};

static int find_build(void)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n <= 0)
		return -1;
	memcpy(build, self, sizeof build);
	for (unsigned i = 0; i < 2; i++) /* BUILD/bench/bench_disturb */
		*strrchr(build, '/') = '\0';
	snprintf(trace, sizeof trace, "/tmp/bench-disturb-%d.weft", (int)getpid());
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--work") == 0)
		return work_main(argv[2], argv[3]);
	if (argc == 2 && strcmp(argv[1], "--threads") == 0)
		return threads_main();
	if (find_build())
		return 1;
	int status = bench_main(argc, argv, benches);
	bench_command("rm -rf %s", trace);
	return status;
}
