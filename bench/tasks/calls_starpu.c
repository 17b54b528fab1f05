/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What calls of StarPU's interface cost the program beside tasks: ns a call, the least of some repetitions.
 *
 *     PROGRAM WHAT      malloc      256 bytes taken and given back
 *                       prefetch    of a vector that is there already
 *                       acquire     a vector taken to be read, and released
 *                       register    a vector registered and unregistered
 */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 20000, REPETITIONS = 5, LENGTH = 100, BYTES = 256, STATUS_SKIPPED = 77 };
static double values[LENGTH];
static starpu_data_handle_t handle;

static void call_malloc(void)
{
	void *p;
	if (starpu_malloc(&p, BYTES) || starpu_free_flags(p, BYTES, STARPU_MALLOC_PINNED))
		abort();
}

static void call_prefetch(void)
{
	if (starpu_data_prefetch_on_node(handle, STARPU_MAIN_RAM, 1))
		abort();
}

static void call_acquire(void)
{
	if (starpu_data_acquire(handle, STARPU_R))
		abort();
	starpu_data_release(handle);
}

static void call_register(void)
{
	static double other[LENGTH];
	starpu_data_handle_t h;
	starpu_vector_data_register(&h, STARPU_MAIN_RAM, (uintptr_t)other, LENGTH, sizeof other[0]);
	starpu_data_unregister(h);
}

static const struct call {
	const char *name;
	void (*once)(void);
} calls[] = {{"malloc", call_malloc}, {"prefetch", call_prefetch}, {"acquire", call_acquire}, {"register", call_register}, {0}};

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double least_ns(void (*once)(void))
{
	double least = -1;
	for (int r = 0; r < REPETITIONS; r++) {
		double from = now_ns();
		for (int i = 0; i < CALLS; i++)
			once();
		double ns = (now_ns() - from) / CALLS;
		least = least < 0 || ns < least ? ns : least;
		starpu_task_wait_for_all();
	}
	return least;
}

int main(int argc, char **argv)
{
	struct starpu_conf conf;
	const struct call *c = calls;
	while (argc > 1 && c->name && strcmp(c->name, argv[1]))
		c++;
	if (argc < 2 || !c->name) {
		fprintf(stderr, "usage: %s malloc|prefetch|acquire|register\n", argv[0]);
		return 2;
	}
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	if (starpu_init(&conf))
		return STATUS_SKIPPED;
	starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)values, LENGTH, sizeof values[0]);
	printf("%.2f\n", least_ns(c->once));
	starpu_data_unregister(handle);
	starpu_shutdown();
	return 0;
}
