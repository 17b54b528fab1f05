/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiled Cholesky and LU factorisations (examples/starpu) of 1920 x 1920 with OpenBLAS, by tile size: the same programs compiled
 * against us and against Debian's StarPU 1.3, in turn. Gflop/s of the best of three factorisations in a process. The smaller
 * the tiles, the more the runtime shows; StarPU has its default scheduler, and so have we.
 */
#include "bench.h"

struct run {
	const char *program;
	int tile;
};

static double run(void *arg)
{
	const struct run *r = arg;
	char arguments[64];
	snprintf(arguments, sizeof arguments, "-n 1920 -b %d -r 3", r->tile);
	return bench_figure(r->program, arguments, "%*f ms %lf");
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
	return bench_main(argc, argv, benches);
}
