/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factorisations of a square matrix of floats, by columns, in tiles. cholesky.h and lu.h write down a factorisation as steps in
 * the order of a sequential program; the files that include them choose who says what depends on what:
 *
 *     factor_implicit    the runtime, from the data that the tasks read and write
 *     factor_tag         the program: a task has a tag, and is declared to depend on the tags of those that wrote its tiles
 *     factor_grain       as factor_tag; the first half of the columns in tiles of the size asked for, the rest in tiles of twice that
 */
#ifndef WEFT_EXAMPLES_FACTOR_H
#define WEFT_EXAMPLES_FACTOR_H

#include "suite.h"
#include <cblas.h>
#include <math.h>

enum { TILES_MOST = 3 };

struct step {
	struct starpu_codelet *codelet; /* reads all tiles but the last, which it writes */
	int priority;
	struct tile_at {
		unsigned row, column;
	} tile[TILES_MOST];
};

struct factor {
	unsigned size, blocks; /* orders: of the matrix; of it in tiles */
	float *value;
	starpu_data_handle_t matrix;
	starpu_tag_t *writer; /* of each tile, its last; 0: none */
	starpu_tag_t tags;
};

typedef void (*step_fn)(struct factor *f, const struct step *s);
/* The steps whose diagonal tile is in [first, end), of a matrix of f->blocks tiles. */
typedef void (*steps_fn)(struct factor *f, unsigned first, unsigned end, step_fn submit);

struct factorisation {
	steps_fn steps;
	double flops_of_cube; /* of size^3 */
	bool is_symmetric;
};

static starpu_data_handle_t factor_tile(const struct factor *f, struct tile_at at)
{
	return starpu_data_get_sub_data(f->matrix, 2, (int)at.column, (int)at.row);
}

static void factor_cut(struct factor *f, unsigned blocks)
{
	struct starpu_data_filter columns = {.filter_func = starpu_matrix_filter_vertical_block, .nchildren = blocks},
				  rows = {.filter_func = starpu_matrix_filter_block, .nchildren = blocks};
	f->blocks = blocks;
	f->writer = calloc((size_t)blocks * blocks, sizeof *f->writer);
	if (!f->writer) {
		fprintf(stderr, "no memory\n");
		exit(1);
	}
	starpu_data_map_filters(f->matrix, 2, &columns, &rows);
}

static void factor_join(struct factor *f)
{
	starpu_data_unpartition(f->matrix, STARPU_MAIN_RAM);
	free(f->writer);
}

/* Symmetric, and the diagonal outweighs the rest: neither factorisation needs a pivot. */
static float factor_original(unsigned size, unsigned i, unsigned j)
{
	unsigned a = i < j ? i : j, b = i < j ? j : i;
	return a == b ? (float)size : (float)((a * 7919u + b * 104729u) % 1000u) / 1000.0f;
}

static void factor_fill(const struct factor *f)
{
	for (unsigned j = 0; j < f->size; j++)
		for (unsigned i = 0; i < f->size; i++)
			f->value[(size_t)j * f->size + i] = factor_original(f->size, i, j);
}

/* ---- who says what depends on what ---- */

static inline struct starpu_task *factor_task(struct factor *f, const struct step *s)
{
	struct starpu_task *task = starpu_task_create();
	task->cl = s->codelet;
	task->priority = s->priority;
	for (int i = 0; i < s->codelet->nbuffers; i++)
		task->handles[i] = factor_tile(f, s->tile[i]);
	return task;
}

static inline void submit_implicit(struct factor *f, const struct step *s)
{
	int rc = starpu_task_submit(factor_task(f, s));
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_submit");
}

/* No tile is written again once it has been read, so that its last writer is all that a step waits for. */
static inline void submit_tagged(struct factor *f, const struct step *s)
{
	struct starpu_task *task = factor_task(f, s);
	starpu_tag_t before[TILES_MOST];
	unsigned n = 0;
	task->use_tag = 1;
	task->tag_id = ++f->tags;
	task->sequential_consistency = 0;
	for (int i = 0; i < s->codelet->nbuffers; i++) {
		starpu_tag_t *writer = &f->writer[(size_t)s->tile[i].column * f->blocks + s->tile[i].row];
		if (*writer)
			before[n++] = *writer;
		if (i == s->codelet->nbuffers - 1)
			*writer = task->tag_id;
	}
	if (n)
		starpu_tag_declare_deps_array(task->tag_id, n, before);
	int rc = starpu_task_submit(task);
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_submit");
}

static inline void factor_implicit(struct factor *f, const struct factorisation *what)
{
	factor_cut(f, f->blocks);
	what->steps(f, 0, f->blocks, submit_implicit);
	starpu_task_wait_for_all();
	factor_join(f);
}

static inline void factor_tag(struct factor *f, const struct factorisation *what)
{
	factor_cut(f, f->blocks);
	what->steps(f, 0, f->blocks, submit_tagged);
	starpu_task_wait_for_all();
	factor_join(f);
}

static inline void factor_grain(struct factor *f, const struct factorisation *what)
{
	unsigned fine = f->blocks, coarse = fine / 2, half = coarse / 2;
	if (fine % 2) {
		factor_tag(f, what);
		return;
	}
	factor_cut(f, fine);
	what->steps(f, 0, 2 * half, submit_tagged);
	starpu_task_wait_for_all();
	factor_join(f);
	factor_cut(f, coarse);
	what->steps(f, half, coarse, submit_tagged);
	starpu_task_wait_for_all();
	factor_join(f);
	f->blocks = fine;
}

/* ---- the program ---- */

/* L U x against A x, in doubles, for one x; the greatest relative difference. */
static double factor_error(const struct factor *f, bool is_symmetric)
{
	size_t n = f->size;
	double *ux = calloc(n, sizeof *ux), worst = 0;
	for (size_t j = 0; ux && j < n; j++)
		for (size_t i = 0; i <= j; i++) /* a symmetric one has its upper half in the lower */
			ux[i] += (double)f->value[is_symmetric ? i * n + j : j * n + i] * (double)(1 + j % 3);
	for (size_t i = 0; ux && i < n; i++) {
		double lux = is_symmetric ? 0 : ux[i], ax = 0;
		for (size_t j = 0; j < i + (is_symmetric ? 1 : 0); j++)
			lux += (double)f->value[j * n + i] * ux[j];
		for (size_t j = 0; j < n; j++)
			ax += (double)factor_original(f->size, (unsigned)i, (unsigned)j) * (double)(1 + j % 3);
		worst = fmax(worst, fabs(lux - ax) / fabs(ax));
	}
	bool had_memory = ux;
	free(ux);
	return had_memory ? worst : INFINITY;
}

static int factor_main(int argc, char **argv, const struct factorisation *what,
                       void (*run)(struct factor *, const struct factorisation *))
{
	struct factor f = {.size = 1920, .blocks = 8};
	bool check = false;
	const struct suite_option options[] = {
		{"size", &f.size, NULL, "order of the matrix"},
		{"nblocks", &f.blocks, NULL, "tiles a side"},
		{"check", NULL, &check, "check the result: exit status 1 when it is wrong"},
		{0},
	};
	suite_options(argc, argv, options);
	if (f.size % f.blocks) {
		fprintf(stderr, "%s: -size must be a multiple of -nblocks\n", argv[0]);
		return 2;
	}
	suite_begin(NULL);
	openblas_set_num_threads(1); /* the tasks are what runs in parallel */
	size_t bytes = (size_t)f.size * f.size * sizeof *f.value;
	if (starpu_malloc((void **)&f.value, bytes)) {
		fprintf(stderr, "%s: no memory for a matrix of order %u\n", argv[0], f.size);
		return 1;
	}
	if (!suite_is_simulated())
		factor_fill(&f);
	starpu_matrix_data_register(&f.matrix, STARPU_MAIN_RAM, (uintptr_t)f.value, f.size, f.size, f.size, sizeof *f.value);
	double from = starpu_timing_now();
	run(&f, what);
	double us = starpu_timing_now() - from, n = f.size;
	starpu_data_unregister(f.matrix);
	suite_say(f.size, us, what->flops_of_cube * n * n * n);
	double error = check && !suite_is_simulated() ? factor_error(&f, what->is_symmetric) : 0;
	if (check)
		printf("relative error %.2g\n", error);
	starpu_free_noflag(f.value, bytes);
	starpu_shutdown();
	return error > 1e-4;
}

#endif
