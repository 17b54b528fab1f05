/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long tasks must be (examples/starpu/suite/tasks_size_overhead.c): the efficiency of two workers, 1 being perfect, with 2,000
 * independent tasks of a length, ours and StarPU 1.3's from Debian. For the picture of both:
 *
 *     TASKS_SIZE_OVERHEAD=build-bench/bench/tasks/weft_tasks_size_overhead examples/starpu/suite/tasks_size_overhead.sh
 */
#include "bench.h"

struct run {
	const char *program;
	int us;
};

static double run(void *arg)
{
	const struct run *r = arg;
	char arguments[64];
	snprintf(arguments, sizeof arguments, "-i 2000 -c 2 -C 2 -t %d -T %d", r->us, r->us);
	return bench_figure(r->program, arguments, "#%*[^\n] %*u %*u %*f %*f %lf");
}

/* clang-format off */
#define EACH_LENGTH(X) X(1) X(4) X(16) X(64) X(256)
#define VARIANTS(us) \
	static const struct bench_variant of_##us[] = { \
		{"weft", run, &(struct run){"weft_tasks_size_overhead", us}}, \
		{"starpu-1.3", run, &(struct run){"starpu13_tasks_size_overhead", us}}, {0}};
#define BENCH(us) {"tasksize-" #us, "of 1", 7, of_##us},
EACH_LENGTH(VARIANTS)
static const struct bench benches[] = {EACH_LENGTH(BENCH) {0}};
/* clang-format on */

int main(int argc, char **argv)
{
	return bench_main(argc, argv, benches);
}
