/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Square matrices of doubles in tiles, for the factorisations: tile (i, j) lies in one piece, by columns, and has a handle.
 *
 *     PROGRAM [-n ORDER] [-b ORDER of a tile] [-r REPETITIONS] [-q]      prints ms and Gflop/s of the best; checks the result
 */
#ifndef WEFT_EXAMPLES_TILES_H
#define WEFT_EXAMPLES_TILES_H

#include <starpu.h>
#include <cblas.h>
#include <math.h>
#include <unistd.h>

struct tiles {
	unsigned n, b, count; /* orders of the matrix and of a tile; tiles a side */
	unsigned repetitions;
	double *value;
	starpu_data_handle_t *handle;
};

static double *tile_at(const struct tiles *t, unsigned i, unsigned j)
{
	return t->value + ((size_t)j * t->count + i) * t->b * t->b;
}

static starpu_data_handle_t tile(const struct tiles *t, unsigned i, unsigned j)
{
	return t->handle[(size_t)j * t->count + i];
}

static double *element(const struct tiles *t, unsigned i, unsigned j)
{
	return tile_at(t, i / t->b, j / t->b) + (size_t)(j % t->b) * t->b + i % t->b;
}

/* The matrix that is factorised: symmetric, with a diagonal that outweighs the rest. */
static double original(const struct tiles *t, unsigned i, unsigned j)
{
	unsigned a = i < j ? i : j, b = i < j ? j : i;
	return a == b ? 2.0 * t->n : ((a * 7919u + b * 104729u) % 1000u) / 1000.0;
}

static int tiles_make(struct tiles *t, int argc, char **argv)
{
	*t = (struct tiles){.n = 960, .b = 96, .repetitions = 1};
	for (int option; (option = getopt(argc, argv, "n:b:r:")) != -1;) {
		unsigned n = option == '?' ? 0 : (unsigned)strtoul(optarg, NULL, 10);
		if (!n)
			return 2;
		*(option == 'n' ? &t->n : option == 'b' ? &t->b : &t->repetitions) = n;
	}
	t->count = (t->n + t->b - 1) / t->b;
	t->n = t->count * t->b;
	openblas_set_num_threads(1); /* the tasks are what runs in parallel */
	int rc = starpu_init(NULL);
	if (rc)
		return rc == -ENODEV ? 77 : 1;
	t->handle = calloc((size_t)t->count * t->count, sizeof *t->handle);
	if (starpu_malloc_flags((void **)&t->value, (size_t)t->n * t->n * sizeof *t->value, STARPU_MALLOC_PINNED) || !t->handle)
		return 1;
	for (unsigned j = 0; j < t->count; j++)
		for (unsigned i = 0; i < t->count; i++)
			starpu_matrix_data_register(&t->handle[(size_t)j * t->count + i], STARPU_MAIN_RAM,
			                            (uintptr_t)tile_at(t, i, j), t->b, t->b, t->b, sizeof(double));
	return 0;
}

static void tiles_fill(struct tiles *t)
{
	for (unsigned j = 0; j < t->count; j++)
		for (unsigned i = 0; i < t->count; i++) {
			starpu_data_acquire(tile(t, i, j), STARPU_W);
			for (unsigned c = 0; c < t->b; c++)
				for (unsigned r = 0; r < t->b; r++)
					tile_at(t, i, j)[c * t->b + r] = original(t, i * t->b + r, j * t->b + c);
			starpu_data_release(tile(t, i, j));
		}
}

/* Factorises some times; ms of the fastest. */
static double tiles_time(struct tiles *t, void (*factorise)(const struct tiles *))
{
	double best = 0;
	for (unsigned k = 0; k < t->repetitions; k++) {
		tiles_fill(t);
		double from = starpu_timing_now();
		factorise(t);
		starpu_task_wait_for_all();
		double ms = (starpu_timing_now() - from) / 1e3;
		best = !k || ms < best ? ms : best;
	}
	return best;
}

/* Prints, checks L U x against A x (`u` gives U's element), ends. */
static int tiles_finish(struct tiles *t, double ms, double flops, double (*l)(const struct tiles *, unsigned, unsigned),
                        double (*u)(const struct tiles *, unsigned, unsigned))
{
	for (size_t i = 0; i < (size_t)t->count * t->count; i++)
		starpu_data_unregister(t->handle[i]);
	double *ux = calloc(t->n, sizeof *ux), worst = 0;
	for (unsigned j = 0; j < t->n; j++)
		for (unsigned i = 0; i <= j; i++)
			ux[i] += u(t, i, j) * (1 + j % 3);
	for (unsigned i = 0; i < t->n; i++) {
		double lux = 0, ax = 0;
		for (unsigned j = 0; j <= i; j++)
			lux += l(t, i, j) * ux[j];
		for (unsigned j = 0; j < t->n; j++)
			ax += original(t, i, j) * (1 + j % 3);
		worst = fmax(worst, fabs(lux - ax) / fabs(ax));
	}
	printf("%.3f ms %.3f Gflop/s, relative error %.2g\n", ms, flops / ms / 1e6, worst);
	free(ux);
	free(t->handle);
	starpu_free_flags(t->value, (size_t)t->n * t->n * sizeof *t->value, STARPU_MALLOC_PINNED);
	starpu_shutdown();
	return worst > 1e-10;
}

#endif
