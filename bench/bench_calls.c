/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of StarPU's interface beside tasks (tasks/calls_starpu.c), ours and StarPU 1.3's from Debian:
 *
 *     calls-malloc      memory taken and given back        calls-acquire     data acquired and released
 *     calls-prefetch    a prefetch of what is there        calls-register    data registered and unregistered
 */
#include "bench.h"

struct run {
	const char *program, *what;
};

static double run(void *arg)
{
	const struct run *r = arg;
	return bench_figure(r->program, r->what, "%lf");
}

/* clang-format off */
#define EACH_CALL(X) X(malloc) X(prefetch) X(acquire) X(register)
#define VARIANTS(what) \
	static const struct bench_variant call_##what[] = { \
		{"weft", run, &(struct run){"weft_calls", #what}}, {"starpu-1.3", run, &(struct run){"starpu13_calls", #what}}, {0}};
#define BENCH(what) {"calls-" #what, "ns", 5, call_##what},
EACH_CALL(VARIANTS)
static const struct bench benches[] = {EACH_CALL(BENCH) {0}};
/* clang-format on */

int main(int argc, char **argv)
{
	return bench_main(argc, argv, benches);
}
