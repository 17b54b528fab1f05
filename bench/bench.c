/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds in turn: in each, every variant runs once, and each round begins with the next variant, so that none always runs in
 * the same place after the same other one. The first round is thrown away. Medians are printed because a round can only be
 * disturbed upwards, and means would count how busy the machine was.
 */
#include "bench.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct figures {
	double at[BENCH_VARIANTS][BENCH_MOST_ROUNDS];
	const char *skipped[BENCH_VARIANTS]; /* why; NULL: ran */
};

static const char *skip_reason; /* of the round that is running */
static uint64_t most_rss_bytes; /* of a command */

uint64_t bench_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

double bench_skip(const char *reason)
{
	skip_reason = reason;
	return -1;
}

/*
 * As system(), but with a memory of its own from the begin: what shares ours until it executes (vfork) has our peak counted as
 * its own.
 */
static int run_shell(const char *command)
{
	struct rusage usage;
	int status = -1;
	pid_t child = fork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		return -1;
	uint64_t bytes = (uint64_t)usage.ru_maxrss * 1024;
	most_rss_bytes = bytes > most_rss_bytes ? bytes : most_rss_bytes;
	return status;
}

double bench_command(const char *fmt, ...)
{
	char command[8192];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(command, sizeof command, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n + 32 > sizeof command)
		return bench_skip("command too long");
	char quiet[sizeof command + 32];
	snprintf(quiet, sizeof quiet, "{ %s\n} >/dev/null 2>&1", command);
	uint64_t from = bench_now_ns();
	int status = run_shell(quiet);
	uint64_t to = bench_now_ns();
	if (status)
		return bench_skip("command failed");
	return (double)(to - from) / 1e9;
}

const char *bench_programs(void)
{
	static char folder[PATH_MAX];
	ssize_t n = *folder ? 0 : readlink("/proc/self/exe", folder, sizeof folder - 16);
	if (n > 0)
		strcpy(strrchr(folder, '/'), "/tasks");
	return folder;
}

double bench_figure(const char *program, const char *arguments, const char *format)
{
	enum { SKIPPED = 77 };
	char command[PATH_MAX + 512];
	double figure = -1;
	snprintf(
		command, sizeof command,
		"cd %s && [ -x %s ] || exit 77; STARPU_SILENT=1 OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=active timeout 150 ./%s %s 2>/dev/null",
		bench_programs(), program, program, arguments);
	FILE *f = popen(command, "r");
	if (f && fscanf(f, format, &figure) != 1)
		figure = -1;
	int status = f ? pclose(f) : -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
		return bench_skip("is not installed, or has no such figure");
	return status ? bench_skip("the program failed, or its result is wrong") : figure;
}

uint64_t bench_command_rss_bytes(void)
{
	return most_rss_bytes;
}

/* ---- Statistics ---- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts. */
static double median(double *at, unsigned n)
{
	qsort(at, n, sizeof *at, by_value);
	return n % 2 ? at[n / 2] : (at[n / 2 - 1] + at[n / 2]) / 2;
}

static double median_ratio(const double *above, const double *below, unsigned n)
{
	double ratio[BENCH_MOST_ROUNDS];
	for (unsigned i = 0; i < n; i++)
		ratio[i] = above[i] / below[i];
	return median(ratio, n);
}

/* ---- Running and printing ---- */

static unsigned count_variants(const struct bench *b)
{
	unsigned n = 0;
	while (n < BENCH_VARIANTS && b->variant[n].name)
		n++;
	return n;
}

static void run_rounds(const struct bench *b, unsigned n_variants, unsigned rounds, struct figures *f)
{
	for (unsigned v = 0; v < n_variants; v++)
		f->skipped[v] = NULL;
	for (unsigned round = 0; round <= rounds; round++) {
		for (unsigned i = 0; i < n_variants; i++) {
			unsigned v = (round + i) % n_variants;
			if (f->skipped[v])
				continue;
			skip_reason = "cannot run here";
			double figure = b->variant[v].round(b->variant[v].arg);
			if (figure < 0)
				f->skipped[v] = skip_reason;
			else if (round > 0)
				f->at[v][round - 1] = figure;
		}
	}
}

static bool print_figures(const struct bench *b, unsigned n_variants, unsigned rounds, struct figures *f)
{
	double ratio[BENCH_VARIANTS] = {0};
	for (unsigned v = 1; v < n_variants; v++)
		if (!f->skipped[0] && !f->skipped[v])
			ratio[v] = median_ratio(f->at[0], f->at[v], rounds);
	bool any = false;
	for (unsigned v = 0; v < n_variants; v++) {
		const char *name = b->variant[v].name;
		if (f->skipped[v]) {
			printf("skip %s %s %s\n", b->name, name, f->skipped[v]);
			continue;
		}
		double middle = median(f->at[v], rounds);
		printf("bench %s %s %.6g %s median %.6g %.6g\n", b->name, name, middle, b->unit, f->at[v][0],
		       f->at[v][rounds - 1]);
		any = true;
	}
	for (unsigned v = 1; v < n_variants; v++)
		if (!f->skipped[0] && !f->skipped[v])
			printf("ratio %s %s/%s %.3g\n", b->name, b->variant[0].name, b->variant[v].name, ratio[v]);
	fflush(stdout);
	return any;
}

struct selection {
	bool list;
	unsigned rounds; /* 0: the benchmark's own */
	char **names;
	int n_names;
};

static bool parse(int argc, char **argv, struct selection *s)
{
	*s = (struct selection){.names = argv + 1};
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list"))
			s->list = true;
		else if (!strcmp(argv[i], "--rounds") && i + 1 < argc) {
			s->rounds = (unsigned)strtoul(argv[++i], NULL, 10);
			if (s->rounds < 1 || s->rounds > BENCH_MOST_ROUNDS)
				return false;
		} else if (*argv[i] == '-')
			return false;
		else
			s->names[s->n_names++] = argv[i];
	}
	return true;
}

static bool selected(const struct bench *b, const struct selection *s)
{
	for (int i = 0; i < s->n_names; i++)
		if (!fnmatch(s->names[i], b->name, 0))
			return true;
	return !s->n_names;
}

int bench_main(int argc, char **argv, const struct bench *table)
{
	struct selection s;
	if (!parse(argc, argv, &s)) {
		fprintf(stderr, "usage: %s [--list] [--rounds N] [NAME]...\n", argv[0]);
		return 2;
	}
	struct figures *f = malloc(sizeof *f);
	if (!f)
		return 1;
	bool any = s.list;
	for (const struct bench *b = table; b->name; b++) {
		if (!selected(b, &s))
			continue;
		if (s.list) {
			printf("%s\n", b->name);
			continue;
		}
		unsigned n_variants = count_variants(b), rounds = s.rounds ? s.rounds : b->rounds ? b->rounds : BENCH_ROUNDS;
		run_rounds(b, n_variants, rounds, f);
		any = print_figures(b, n_variants, rounds, f) || any;
	}
	free(f);
	return !any;
}
