/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What profiling adds to a task: the patterns of bench_tasks.c without it and with it (STARPU_PROFILING), through us and through
 * StarPU, each in a process of its own and in turn.
 *
 *     profiled-indep-2 …     ns a task; behind the dash the number of workers. Inserted tasks, with and without data
 *     profiled-own-2         the same with tasks that the program makes, and looks at when they have ended
 */
#include "bench.h"
#include <stdbool.h>

#include <stdlib.h>

struct run {
	const char *program, *pattern;
	int workers;
	bool profiled;
};

static double run(void *arg)
{
	const struct run *r = arg;
	char program[64], arguments[64];
	snprintf(program, sizeof program, "tasks_%s", r->program);
	snprintf(arguments, sizeof arguments, "%s %d", r->pattern, r->workers);
	setenv("STARPU_PROFILING", r->profiled ? "1" : "0", 1);
	double figure = bench_figure(program, arguments, "%lf");
	unsetenv("STARPU_PROFILING");
	return figure;
}

#define BY(name, program, pattern, workers, profiled) \
	{ \
		name, run, &(struct run) \
		{ \
			program, pattern, workers, profiled \
		} \
	}
/* clang-format off */
#define ALL(pattern, workers) \
	{ \
		BY("weft", "weft", pattern, workers, false), BY("weft-profiled", "weft", pattern, workers, true), \
		BY("starpu-1.3", "starpu13", pattern, workers, false), \
		BY("starpu-1.3-profiled", "starpu13", pattern, workers, true), {0} \
	}
/* clang-format on */
#define EACH(X) \
	X(indep_1, "profiled-indep-1", "indep", 1) \
	X(indep_2, "profiled-indep-2", "indep", 2) \
	X(chain_1, "profiled-chain-1", "chain", 1) \
	X(stencil_2, "profiled-stencil-2", "stencil", 2) \
	X(own_2, "profiled-own-2", "own", 2)

#define VARIANTS(id, name, pattern, workers) static const struct bench_variant id[] = ALL(pattern, workers);
EACH(VARIANTS)
#define BENCH(id, name, pattern, workers) {name, "ns", 7, id},
static const struct bench benches[] = {EACH(BENCH){0}};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, benches);
}
