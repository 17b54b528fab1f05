/* SPDX-License-Identifier: Apache-2.0 */
/* What it adds to calls of MPI that they are recorded (tasks/mpi_calls.c): ns a round, of one process alone. */
#include "bench.h"
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

struct run {
	const char *what;
	bool recorded;
};

static double run(void *arg)
{
	const struct run *r = arg;
	char folder[] = "/tmp/weft-bench-XXXXXX", preload[PATH_MAX], command[sizeof folder + 8];
	if (!r->recorded)
		return bench_figure("mpi_calls", r->what, "%lf");
	if (!mkdtemp(folder))
		return bench_skip("no temporary folder");
	snprintf(preload, sizeof preload, "%s/../../libweft-preload.so.0", bench_programs());
	setenv("WEFT_DIR", folder, 1);
	setenv("LD_PRELOAD", preload, 1);
	double figure = bench_figure("mpi_calls", r->what, "%lf");
	unsetenv("LD_PRELOAD");
	unsetenv("WEFT_DIR");
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) ? bench_skip("its trace cannot be removed") : figure;
}

/* clang-format off */
#define EACH_KIND(X) X(rank) X(barrier) X(messages) X(posted) X(test) X(testany) X(iprobe)
#define VARIANTS(what) \
	static const struct bench_variant of_##what[] = { \
		{"recorded", run, &(struct run){#what, true}}, {"plain", run, &(struct run){#what, false}}, {0}};
#define BENCH(what) {"mpi-" #what, "ns", 5, of_##what},
EACH_KIND(VARIANTS)
static const struct bench benches[] = {EACH_KIND(BENCH) {0}};
/* clang-format on */

int main(int argc, char **argv)
{
	return bench_main(argc, argv, benches);
}
