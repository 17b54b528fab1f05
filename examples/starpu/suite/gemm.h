/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B in blocks of C: block (i, j) is one task, which reads a row of blocks of A and a column of blocks of B. */
#include "suite.h"
#include <cblas.h>
#include <math.h>

static void multiply(void *b[], void *arg)
{
	const real *a = (const real *)STARPU_MATRIX_GET_PTR(b[0]), *x = (const real *)STARPU_MATRIX_GET_PTR(b[1]);
	int rows = (int)STARPU_MATRIX_GET_NX(b[2]), columns = (int)STARPU_MATRIX_GET_NY(b[2]),
	    inner = (int)STARPU_MATRIX_GET_NY(b[0]);
	(void)arg;
	cblas_gemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1, a, (int)STARPU_MATRIX_GET_LD(b[0]), x,
	           (int)STARPU_MATRIX_GET_LD(b[1]), 0, (real *)STARPU_MATRIX_GET_PTR(b[2]), (int)STARPU_MATRIX_GET_LD(b[2]));
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = MODEL};
static struct starpu_codelet codelet = {
	.cpu_funcs = {multiply},
	.cpu_funcs_name = {"multiply"},
	.nbuffers = 3,
	.modes = {STARPU_R, STARPU_R, STARPU_W},
	.model = &model,
	.name = "gemm",
};

struct matrix {
	unsigned rows, columns;
	real *value;
	starpu_data_handle_t handle;
};

static size_t matrix_bytes(const struct matrix *m)
{
	return (size_t)m->rows * m->columns * sizeof *m->value;
}

static void matrix_make(struct matrix *m)
{
	if (starpu_malloc((void **)&m->value, matrix_bytes(m))) {
		fprintf(stderr, "no memory for a matrix of %u x %u\n", m->rows, m->columns);
		exit(1);
	}
	for (size_t i = 0; !suite_is_simulated() && i < (size_t)m->rows * m->columns; i++)
		m->value[i] = (real)(i % 17) / 16;
	starpu_matrix_data_register(&m->handle, STARPU_MAIN_RAM, (uintptr_t)m->value, m->rows, m->rows, m->columns, sizeof(real));
}

static void submit_all(const struct matrix *a, const struct matrix *b, const struct matrix *c, unsigned across, unsigned down)
{
	for (unsigned j = 0; j < across; j++)
		for (unsigned i = 0; i < down; i++) {
			int rc = starpu_task_insert(&codelet, STARPU_R, starpu_data_get_sub_data(a->handle, 1, (int)i), STARPU_R,
			                            starpu_data_get_sub_data(b->handle, 1, (int)j), STARPU_W,
			                            starpu_data_get_sub_data(c->handle, 2, (int)j, (int)i), STARPU_FLOPS,
			                            2.0 * c->rows / down * c->columns / across * a->columns, 0);
			STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
		}
}

/* A line of C, by hand. */
static double gemm_error(const struct matrix *a, const struct matrix *b, const struct matrix *c)
{
	double worst = 0;
	unsigned i = c->rows / 2;
	for (unsigned j = 0; j < c->columns; j++) {
		double sum = 0;
		for (unsigned k = 0; k < a->columns; k++)
			sum += (double)a->value[(size_t)k * a->rows + i] * (double)b->value[(size_t)j * b->rows + k];
		worst = fmax(worst, fabs(sum - (double)c->value[(size_t)j * c->rows + i]) / fmax(fabs(sum), 1));
	}
	return worst;
}

int main(int argc, char **argv)
{
	unsigned x = 1920, y = 1920, z = 1920, across = 4, down = 4, times = 3;
	bool check = false;
	const struct suite_option options[] = {
		{"x", &x, NULL, "columns of C"},
		{"y", &y, NULL, "rows of C"},
		{"z", &z, NULL, "columns of A"},
		{"nblocksx", &across, NULL, "blocks of C across"},
		{"nblocksy", &down, NULL, "blocks of C down"},
		{"iter", &times, NULL, "how often"},
		{"check", NULL, &check, "check the result: exit status 1 when it is wrong"},
		{0},
	};
	suite_options(argc, argv, options);
	if (x % across || y % down) {
		fprintf(stderr, "%s: -x must be a multiple of -nblocksx, -y of -nblocksy\n", argv[0]);
		return 2;
	}
	suite_begin(NULL);
	openblas_set_num_threads(1); /* the tasks are what runs in parallel */
	struct matrix a = {.rows = y, .columns = z}, b = {.rows = z, .columns = x}, c = {.rows = y, .columns = x};
	matrix_make(&a);
	matrix_make(&b);
	matrix_make(&c);
	struct starpu_data_filter columns = {.filter_func = starpu_matrix_filter_vertical_block, .nchildren = across},
				  rows = {.filter_func = starpu_matrix_filter_block, .nchildren = down};
	starpu_data_partition(a.handle, &rows);
	starpu_data_partition(b.handle, &columns);
	starpu_data_map_filters(c.handle, 2, &columns, &rows);
	double from = starpu_timing_now();
	for (unsigned i = 0; i < times; i++) {
		submit_all(&a, &b, &c, across, down);
		starpu_task_wait_for_all();
	}
	double us = (starpu_timing_now() - from) / times;
	struct matrix *const all[] = {&a, &b, &c};
	for (int i = 0; i < 3; i++) {
		starpu_data_unpartition(all[i]->handle, STARPU_MAIN_RAM);
		starpu_data_unregister(all[i]->handle);
	}
	printf("# x\ty\tz\tms\tGFlop/s\n%u\t%u\t%u\t%.3f\t%.3f\n", x, y, z, us / 1e3, 2.0 * x * y * z / us / 1e3);
	double error = check && !suite_is_simulated() ? gemm_error(&a, &b, &c) : 0;
	if (check)
		printf("relative error %.2g\n", error);
	for (int i = 0; i < 3; i++)
		starpu_free_noflag(all[i]->value, matrix_bytes(all[i]));
	starpu_shutdown();
	return error > 1e-4;
}
