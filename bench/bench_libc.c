/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it adds to calls of the C library that they are recorded (tasks/libc_calls.c): ns a round. Peers, where Debian has them: EZTrace's
 * modules for threads, files and memory; LTTng's wrappers; uftrace's calls of libraries.
 */
#include "bench.h"
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

struct run {
	const char *what, *parts; /* WEFT_RECORD; NULL: not recorded */
	const char *command;      /* a peer's, in front of the program's */
};

static double run_peer(const struct run *r, const char *folder)
{
	char command[PATH_MAX * 2];
	double figure = 0;
	snprintf(command, sizeof command, "cd %s && %s %s/tasks/libc_calls %s 2>/dev/null", folder, r->command, bench_programs(),
	         r->what);
	FILE *f = popen(command, "r");
	char line[256];
	bool got = false;
	while (f && fgets(line, sizeof line, f))
		got |= sscanf(line, "%lf", &figure) == 1;
	if (f)
		pclose(f);
	return got ? figure : bench_skip("it is not installed");
}

static double run(void *arg)
{
	const struct run *r = arg;
	char folder[] = "/tmp/weft-bench-XXXXXX", preload[PATH_MAX], command[sizeof folder + 8];
	if (!r->parts && !r->command)
		return bench_figure("libc_calls", r->what, "%lf");
	if (!mkdtemp(folder))
		return bench_skip("no temporary folder");
	double figure;
	if (r->command) {
		figure = run_peer(r, folder);
	} else {
		snprintf(preload, sizeof preload, "%s/../../libweft-preload.so.0", bench_programs());
		setenv("WEFT_DIR", folder, 1);
		setenv("WEFT_RECORD", r->parts, 1);
		setenv("LD_PRELOAD", preload, 1);
		figure = bench_figure("libc_calls", r->what, "%lf");
		unsetenv("LD_PRELOAD");
		unsetenv("WEFT_RECORD");
		unsetenv("WEFT_DIR");
	}
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) ? bench_skip("its trace cannot be removed") : figure;
}

/* clang-format off */
#define EACH(X) \
	X(lock, "threads,io", "eztrace -t pthread") X(rwlock, "threads,io", "eztrace -t pthread") X(malloc, "memory", "eztrace -t memory") \
	X(read, "threads,io", "eztrace -t posixio") X(write, "threads,io", "eztrace -t posixio") X(fputs, "threads,io", "eztrace -t posixio")
#define VARIANTS(what, parts, eztrace) \
	static const struct bench_variant of_##what[] = { \
		{"recorded", run, &(struct run){#what, parts, NULL}}, {"plain", run, &(struct run){#what, NULL, NULL}}, \
		{"eztrace", run, &(struct run){#what, NULL, eztrace}}, {0}};
#define BENCH(what, parts, eztrace) {"libc-" #what, "ns", 5, of_##what},
EACH(VARIANTS)
static const struct bench benches[] = {EACH(BENCH) {0}};
/* clang-format on */

int main(int argc, char **argv)
{
	return bench_main(argc, argv, benches);
}
