/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiled Cholesky and LU factorisations (examples/starpu) of 1920 x 1920 with OpenBLAS, by tile size: the same programs compiled
 * against us and against Debian's StarPU 1.3, in turn. Gflop/s of the best of three factorisations in a process. The smaller
 * the tiles, the more the runtime shows; StarPU has its default scheduler, and so have we.
 */
#include "bench.h"

#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STATUS_SKIPPED = 77 };
static char folder[PATH_MAX]; /* of the programs: tasks, beside this one */

struct run {
	const char *program;
	int tile;
};

static double run(void *arg)
{
	const struct run *r = arg;
	char command[PATH_MAX + 256];
	double gflops = -1;
	snprintf(
		command, sizeof command,
		"cd %s && [ -x %s ] || exit 77; STARPU_SILENT=1 OPENBLAS_NUM_THREADS=1 timeout 120 ./%s -n 1920 -b %d -r 3 2>/dev/null",
		folder, r->program, r->program, r->tile);
	FILE *f = popen(command, "r");
	if (f && fscanf(f, "%*f ms %lf", &gflops) != 1)
		gflops = -1;
	int status = f ? pclose(f) : -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) == STATUS_SKIPPED)
		return bench_skip("not installed");
	return status ? bench_skip("the program failed, or its result is wrong") : gflops;
}

/* clang-format off */
#define EACH_TILE(X, what) \
	X(what, 64) X(what, 96) X(what, 128) X(what, 192) X(what, 320) X(what, 480) X(what, 960)
#define VARIANTS(what, tile) \
	static const struct bench_variant what##_##tile[] = { \
		{"weft", run, &(struct run){"weft_" #what, tile}}, {"starpu-1.3", run, &(struct run){"starpu13_" #what, tile}}, {0}};
#define BENCH(what, tile) {#what "-" #tile, "Gflop/s", 5, what##_##tile},
EACH_TILE(VARIANTS, cholesky)
EACH_TILE(VARIANTS, lu)
static const struct bench benches[] = {EACH_TILE(BENCH, cholesky) EACH_TILE(BENCH, lu) {0}};
/* clang-format on */

int main(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 16);
	if (n <= 0)
		return 1;
	strcpy(strrchr(folder, '/'), "/tasks");
	return bench_main(argc, argv, benches);
}
