/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it adds to constructs of OpenMP that they are recorded (tasks/openmp_calls.c, by GCC and by LLVM): ns a round; and what EZTrace adds,
 * where it is installed.
 */
#include "bench.h"
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum how { PLAIN, RECORDED, EZTRACE };
struct run {
	const char *program, *what;
	enum how how;
};

static void clear(void)
{
	unsetenv("LD_PRELOAD");
	unsetenv("OMP_TOOL_LIBRARIES");
	unsetenv("WEFT_DIR");
	unsetenv("EZTRACE_TRACE");
	unsetenv("EZTRACE_TRACE_DIR");
}

static void set(const char *name, const char *form, const char *folder)
{
	char value[PATH_MAX];
	snprintf(value, sizeof value, form, folder);
	setenv(name, value, 1);
}

static double run(void *arg)
{
	const struct run *r = arg;
	char folder[] = "/tmp/weft-bench-XXXXXX", command[sizeof folder + 8];
	bool llvm = strcmp(r->program, "openmp_calls_omp") == 0;
	if (r->how == PLAIN)
		return bench_figure(r->program, r->what, "%lf");
	if (!mkdtemp(folder))
		return bench_skip("no temporary folder");
	if (r->how == RECORDED) {
		set("LD_PRELOAD", "%s/../../libweft-preload.so.0", bench_programs());
		set("OMP_TOOL_LIBRARIES", "%s/../../libweft-openmp.so.0", bench_programs());
		set("WEFT_DIR", "%s", folder);
	} else {
		const char *library = llvm ? "/usr/lib/x86_64-linux-gnu/libeztrace-ompt.so"
		                           : "/usr/lib/x86_64-linux-gnu/libeztrace-openmp.so";
		if (access(library, R_OK))
			return bench_skip("eztrace is not installed");
		set("LD_PRELOAD", "%s", library);
		set("EZTRACE_TRACE", "%s", llvm ? "ompt" : "openmp");
		set("EZTRACE_TRACE_DIR", "%s", folder);
	}
	double figure = bench_figure(r->program, r->what, "%lf");
	clear();
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) ? bench_skip("its trace cannot be removed") : figure;
}

/* clang-format off */
#define EACH(X) \
	X(gomp, region) X(gomp, team) X(gomp, chunk) X(gomp, task) X(gomp, lock) X(gomp, critical) \
	X(omp, region) X(omp, team) X(omp, chunk) X(omp, task) X(omp, lock) X(omp, critical)
#define VARIANTS(runtime, what) \
	static const struct bench_variant of_##runtime##_##what[] = { \
		{"recorded", run, &(struct run){"openmp_calls_" #runtime, #what, RECORDED}}, \
		{"plain", run, &(struct run){"openmp_calls_" #runtime, #what, PLAIN}}, \
		{"eztrace", run, &(struct run){"openmp_calls_" #runtime, #what, EZTRACE}}, {0}};
#define BENCH(runtime, what) {"openmp-" #runtime "-" #what, "ns", 5, of_##runtime##_##what},
EACH(VARIANTS)
static const struct bench benches[] = {EACH(BENCH) {0}};
/* clang-format on */

int main(int argc, char **argv)
{
	return bench_main(argc, argv, benches);
}
