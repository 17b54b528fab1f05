/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What it adds to calls of MPI that they are recorded (tasks/mpi_calls.c): ns a round, of one process alone; and with EZTrace, where it is
 * installed (by mpirun: what MPI starts by itself does not survive it).
 */
#include "bench.h"
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define EZTRACE "/usr/lib/x86_64-linux-gnu/libeztrace-openmpi.so"

struct run {
	const char *what;
	enum { PLAIN, RECORDED, WITH_EZTRACE } how;
};

static double run_recorded(const struct run *r, const char *folder)
{
	char preload[PATH_MAX];
	snprintf(preload, sizeof preload, "%s/../../libweft-preload.so.0", bench_programs());
	setenv("WEFT_DIR", folder, 1);
	setenv("LD_PRELOAD", preload, 1);
	double figure = bench_figure("mpi_calls", r->what, "%lf");
	unsetenv("LD_PRELOAD");
	unsetenv("WEFT_DIR");
	return figure;
}

static double run_eztrace(const struct run *r, const char *folder)
{
	char command[2 * PATH_MAX], line[256];
	double figure;
	bool got = false;
	snprintf(command, sizeof command,
	         "EZTRACE_TRACE=openmpi EZTRACE_TRACE_DIR=%s mpirun --allow-run-as-root -np 1 env LD_PRELOAD=" EZTRACE
	         " %s/mpi_calls %s 2>/dev/null",
	         folder, bench_programs(), r->what);
	FILE *f = access(EZTRACE, R_OK) ? NULL : popen(command, "r");
	while (f && fgets(line, sizeof line, f))
		got |= sscanf(line, "%lf", &figure) == 1;
	if (f)
		pclose(f);
	return got ? figure : bench_skip("eztrace is not installed");
}

static double run(void *arg)
{
	const struct run *r = arg;
	char folder[] = "/tmp/weft-bench-XXXXXX", command[sizeof folder + 8];
	if (r->how == PLAIN)
		return bench_figure("mpi_calls", r->what, "%lf");
	if (!mkdtemp(folder))
		return bench_skip("no temporary folder");
	double figure = r->how == RECORDED ? run_recorded(r, folder) : run_eztrace(r, folder);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) ? bench_skip("its trace cannot be removed") : figure;
}

/* clang-format off */
#define EACH_KIND(X) X(rank) X(barrier) X(messages) X(posted) X(test) X(testany) X(iprobe)
#define VARIANTS(what) \
	static const struct bench_variant of_##what[] = { \
		{"recorded", run, &(struct run){#what, RECORDED}}, {"plain", run, &(struct run){#what, PLAIN}}, \
		{"eztrace", run, &(struct run){#what, WITH_EZTRACE}}, {0}};
#define BENCH(what) {"mpi-" #what, "ns", 5, of_##what},
EACH_KIND(VARIANTS)
static const struct bench benches[] = {EACH_KIND(BENCH) {0}};
/* clang-format on */

int main(int argc, char **argv)
{
	return bench_main(argc, argv, benches);
}
