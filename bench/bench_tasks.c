/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a task costs: the same patterns through us and through our peers, each in a process of its own (bench/tasks), in turn.
 *
 *     indep-1 … wave-2       ns a task; behind the dash the number of workers. Our thread that submits is one more, as
 *                            StarPU's; OpenMP and oneTBB always have two threads, of which the one that submits helps
 *     handles-K-2            the same with RW on K handles
 *     fib-2, ends-2          fork and join, by OpenMP's tasks (with us: starpu_openmp.h) and by dependencies of ends
 *     memory                 bytes that a pending task takes
 *     wake-2                 ns from a submission to the begin of the task, when two workers have slept
 *     metg-2                 ns of the smallest task with which a stencil keeps two cores half busy
 *     dmda-2 … modular-heft-2  ns a task with a model, RW on one of 1,024 data, under this scheduling policy
 *
 * `core` is the runtime without StarPU's API, where a pattern needs no more than that has.
 */
#include "bench.h"

#include <limits.h>
#include <stdlib.h>

struct run {
	const char *program, *pattern;
	int workers;
	const char *policy; /* NULL: as usual */
};

static double run(void *arg)
{
	const struct run *r = arg;
	char program[64], arguments[64];
	snprintf(program, sizeof program, "tasks_%s", r->program);
	snprintf(arguments, sizeof arguments, "%s %d", r->pattern, r->workers);
	if (r->policy)
		setenv("STARPU_SCHED", r->policy, 1);
	double figure = bench_figure(program, arguments, "%lf");
	if (r->policy)
		unsetenv("STARPU_SCHED");
	return figure;
}

#define BY(name, program, pattern, workers) \
	{ \
		name, run, &(struct run) \
		{ \
			program, pattern, workers, NULL \
		} \
	}
#define UNDER(name, program, policy) \
	{ \
		name, run, &(struct run) \
		{ \
			program, "modelled", 2, policy \
		} \
	}
/* clang-format off */
#define ALL(pattern, workers) \
	{ \
		BY("weft", "weft", pattern, workers), BY("core", "core", pattern, workers), \
		BY("starpu-1.3", "starpu13", pattern, workers), BY("libgomp", "gomp", pattern, workers), \
		BY("libomp", "omp", pattern, workers), BY("onetbb", "tbb", pattern, workers), {0} \
	}
#define FIB(workers) \
	{ \
		BY("weft", "weft_omp", "fib", workers), BY("starpu-1.3", "starpu13_omp", "fib", workers), \
		BY("libgomp", "gomp", "fib", workers), BY("libomp", "omp", "fib", workers), \
		BY("onetbb", "tbb", "fib", workers), {0} \
	}
/* clang-format on */
#define EACH(X) \
	X(indep_1, "indep-1", "indep", 1) \
	X(indep_2, "indep-2", "indep", 2) \
	X(indepd_1, "indepd-1", "indepd", 1) \
	X(indepd_2, "indepd-2", "indepd", 2) \
	X(chain_1, "chain-1", "chain", 1) \
	X(chain_2, "chain-2", "chain", 2) \
	X(stencil_1, "stencil-1", "stencil", 1) \
	X(stencil_2, "stencil-2", "stencil", 2) \
	X(wave_1, "wave-1", "wave", 1) \
	X(wave_2, "wave-2", "wave", 2) \
	X(handles_1, "handles-1-2", "handles-1", 2) \
	X(handles_2, "handles-2-2", "handles-2", 2) \
	X(handles_4, "handles-4-2", "handles-4", 2) \
	X(handles_8, "handles-8-2", "handles-8", 2) \
	X(ends_1, "ends-1", "ends", 1) \
	X(ends_2, "ends-2", "ends", 2)

#define VARIANTS(id, name, pattern, workers) static const struct bench_variant id[] = ALL(pattern, workers);
EACH(VARIANTS)
static const struct bench_variant memory[] = ALL("memory", 1), metg[] = ALL("metg", 2);
static const struct bench_variant wake[] = {BY("weft", "weft", "wake", 2),
                                            BY("core", "core", "wake", 2),
                                            BY("starpu-1.3", "starpu13", "wake", 2),
                                            {0}};
#define POLICIES(X) \
	X(by_lot, "random") \
	X(dmda, "dmda") \
	X(dmdas, "dmdas") \
	X(heteroprio, "heteroprio") \
	X(modular_eager, "modular-eager") \
	X(modular_ws, "modular-ws") \
	X(modular_heft, "modular-heft")
#define POLICY_VARIANTS(id, name) \
	static const struct bench_variant id[] = {UNDER("weft", "weft", name), UNDER("starpu-1.3", "starpu13", name), {0}};
POLICIES(POLICY_VARIANTS)
static const struct bench_variant fib_1[] = FIB(1), fib_2[] = FIB(2);

#define BENCH(id, name, pattern, workers) {name, "ns", 5, id},
static const struct bench benches[] = {
	EACH(BENCH){"fib-1", "ns", 5, fib_1},
	{"fib-2", "ns", 5, fib_2},
	{"memory", "bytes", 3, memory},
	{"metg-2", "ns", 3, metg},
	{"wake-2", "ns", 5, wake},
#define POLICY_BENCH(id, name) {name "-2", "ns", 3, id},
	POLICIES(POLICY_BENCH){0},
};

/* The two programs of one source must not be the same library: what ldd says of them. */
static int check_libraries(void)
{
	char command[2 * PATH_MAX + 256];
	snprintf(
		command, sizeof command,
		"cd %s && [ -x tasks_weft ] && [ -x tasks_starpu13 ] || exit 0;"
		"ldd tasks_weft | grep -q libstarpu-1.4 && ! ldd tasks_weft | grep -q libstarpu-1.3 &&"
		"ldd tasks_starpu13 | grep -Eq 'libstarpu-1.3[^ ]* => (/usr)?/lib/' && ! ldd tasks_starpu13 | grep -q libstarpu-1.4",
		bench_programs());
	return system(command);
}

int main(int argc, char **argv)
{
	if (check_libraries()) {
		fprintf(stderr, "%s: tasks_weft and tasks_starpu13 are not linked with two different libraries\n", argv[0]);
		return 1;
	}
	return bench_main(argc, argv, benches);
}
