/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No test of its own: a program whose tasks have a known graph, for tests of weft tasks and weft graph.
 *
 *     graph_shapes chain N       N tasks, each waits for the one before
 *     graph_shapes fork N        one, N that wait for it, one that waits for these
 *     graph_shapes cholesky N    of N × N tiles
 *     graph_shapes loops N W     N iterations of W tasks side by side, each waiting for its neighbours of the iteration before
 *     graph_shapes hostile 1     names that would be markup, options, links
 *
 * With a third number (a second of loops: a fourth) tasks take so many us, by their clock; without it nothing.
 */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double takes_us;

static void work(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	double begin = starpu_timing_now();
	while (takes_us > 0 && starpu_timing_now() < begin + takes_us)
		;
}

static struct starpu_codelet potrf = {.cpu_funcs = {work}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "potrf"};
static struct starpu_codelet trsm = {.cpu_funcs = {work}, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}, .name = "trsm"};
static struct starpu_codelet gemm = {.cpu_funcs = {work},
                                     .nbuffers = 3,
                                     .modes = {STARPU_R, STARPU_R, STARPU_RW},
                                     .name = "gemm"};
static struct starpu_codelet hostile = {.cpu_funcs = {work},
                                        .nbuffers = 1,
                                        .modes = {STARPU_RW},
                                        .name = "</script><script>document.title='owned'</script><b>\"&'"};

static starpu_data_handle_t *variables(unsigned n, double *value)
{
	starpu_data_handle_t *h = calloc(n, sizeof *h);
	for (unsigned i = 0; h && i < n; i++)
		starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)&value[i], sizeof *value);
	return h;
}

static void chain(starpu_data_handle_t *h, unsigned n, unsigned wide)
{
	(void)wide;
	for (unsigned i = 0; i < n; i++)
		starpu_task_insert(&potrf, STARPU_RW, h[0], 0);
}

static void fork_join(starpu_data_handle_t *h, unsigned n, unsigned wide)
{
	(void)wide;
	starpu_task_insert(&potrf, STARPU_RW, h[0], 0);
	for (unsigned i = 1; i <= n; i++)
		starpu_task_insert(&trsm, STARPU_R, h[0], STARPU_RW, h[i], 0);
	starpu_task_insert(&potrf, STARPU_RW, h[0], 0);
}

static void cholesky(starpu_data_handle_t *h, unsigned n, unsigned wide)
{
	(void)wide;
	for (unsigned k = 0; k < n; k++) {
		starpu_task_insert(&potrf, STARPU_RW, h[k * n + k], 0);
		for (unsigned i = k + 1; i < n; i++)
			starpu_task_insert(&trsm, STARPU_R, h[k * n + k], STARPU_RW, h[i * n + k], 0);
		for (unsigned i = k + 1; i < n; i++)
			for (unsigned j = k + 1; j <= i; j++)
				starpu_task_insert(&gemm, STARPU_R, h[i * n + k], STARPU_R, h[j * n + k], STARPU_RW, h[i * n + j],
				                   0);
	}
}

static void loops(starpu_data_handle_t *h, unsigned n, unsigned wide)
{
	for (unsigned i = 0; i < n; i++) {
		starpu_iteration_push(i + 1);
		for (unsigned k = 0; k < wide; k++) {
			starpu_data_handle_t *from = h + i % 2 * wide, *to = h + (i + 1) % 2 * wide;
			struct starpu_task *t = starpu_task_build(&gemm, STARPU_R, from[k ? k - 1 : 0], STARPU_R,
			                                          from[k + 1 < wide ? k + 1 : k], STARPU_RW, to[k], 0);
			if (starpu_task_submit(t))
				abort();
		}
		starpu_iteration_pop();
	}
}

static void names(starpu_data_handle_t *h, unsigned n, unsigned wide)
{
	(void)n, (void)wide;
	starpu_task_insert(&hostile, STARPU_RW, h[0], STARPU_NAME, "<img src=x onerror=document.title='owned'>", 0);
	starpu_task_insert(&hostile, STARPU_RW, h[0], 0);
}

static const struct shape {
	const char *name;
	void (*submit)(starpu_data_handle_t *h, unsigned n, unsigned wide);
	unsigned data; /* 0: n + 1, 1: n × n, 2: 2 × wide */
} shapes[] = {{"chain", chain, 0}, {"fork", fork_join, 0}, {"cholesky", cholesky, 1}, {"loops", loops, 2}, {"hostile", names, 0}};

int main(int argc, char **argv)
{
	const struct shape *s = NULL;
	for (unsigned i = 0; argc > 2 && i < sizeof shapes / sizeof *shapes; i++)
		s = strcmp(argv[1], shapes[i].name) == 0 ? &shapes[i] : s;
	if (!s)
		return 2;
	unsigned n = (unsigned)atoi(argv[2]), wide = s->data == 2 && argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	int last = s->data == 2 ? 4 : 3;
	takes_us = argc > last ? atof(argv[last]) : 0;
	unsigned data = s->data == 1 ? n * n : s->data == 2 ? 2 * wide : n + 1;
	double *value = calloc(data, sizeof *value);
	if (!value || starpu_init(NULL))
		return 1;
	starpu_data_handle_t *h = variables(data, value);
	s->submit(h, n, wide);
	starpu_task_wait_for_all();
	for (unsigned i = 0; i < data; i++)
		starpu_data_unregister(h[i]);
	starpu_shutdown();
	free(h);
	free(value);
	return 0;
}
