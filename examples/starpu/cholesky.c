/* SPDX-License-Identifier: Apache-2.0 */
/* Tiled Cholesky factorisation: right-looking, the lower half in place. Options: tiles.h. */
#include "tiles.h"

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);

static double *matrix(void *buffer)
{
	return (double *)STARPU_MATRIX_GET_PTR(buffer);
}

static int order(void *buffer)
{
	return (int)STARPU_MATRIX_GET_NX(buffer);
}

static void potrf(void *b[], void *arg)
{
	int n = order(b[0]), info;
	(void)arg;
	dpotrf_("L", &n, matrix(b[0]), &n, &info);
	STARPU_ASSERT_MSG(info == 0, "not positive definite at %d", info);
}

static void trsm(void *b[], void *arg)
{
	int n = order(b[0]);
	(void)arg;
	cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, matrix(b[0]), n, matrix(b[1]), n);
}

static void syrk(void *b[], void *arg)
{
	int n = order(b[0]);
	(void)arg;
	cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, -1, matrix(b[0]), n, 1, matrix(b[1]), n);
}

static void gemm(void *b[], void *arg)
{
	int n = order(b[0]);
	(void)arg;
	cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, -1, matrix(b[0]), n, matrix(b[1]), n, 1, matrix(b[2]), n);
}

#define MODEL(of) \
	{ \
		.type = STARPU_HISTORY_BASED, .symbol = "weft_cholesky_" of \
	}
static struct starpu_perfmodel models[] = {MODEL("potrf"), MODEL("trsm"), MODEL("syrk"), MODEL("gemm")};
static struct starpu_codelet cl_potrf = {.cpu_funcs = {potrf},
                                         .nbuffers = 1,
                                         .modes = {STARPU_RW},
                                         .model = &models[0],
                                         .name = "potrf"};
static struct starpu_codelet cl_trsm = {.cpu_funcs = {trsm},
                                        .nbuffers = 2,
                                        .modes = {STARPU_R, STARPU_RW},
                                        .model = &models[1],
                                        .name = "trsm"};
static struct starpu_codelet cl_syrk = {.cpu_funcs = {syrk},
                                        .nbuffers = 2,
                                        .modes = {STARPU_R, STARPU_RW},
                                        .model = &models[2],
                                        .name = "syrk"};
static struct starpu_codelet cl_gemm = {.cpu_funcs = {gemm},
                                        .nbuffers = 3,
                                        .modes = {STARPU_R, STARPU_R, STARPU_RW},
                                        .model = &models[3],
                                        .name = "gemm"};

/* Iterations and operations are for those who look at the run afterwards (weft panels). */
static void factorise(const struct tiles *t)
{
	double b = t->b, cube = b * b * b;
	for (unsigned k = 0; k < t->count; k++) {
		int first = (int)(t->count - k), rc;
		starpu_iteration_push(k + 1);
		rc = starpu_task_insert(&cl_potrf, STARPU_PRIORITY, 2 * first, STARPU_FLOPS, cube / 3, STARPU_RW, tile(t, k, k),
		                        0);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
		for (unsigned i = k + 1; i < t->count; i++) {
			rc = starpu_task_insert(&cl_trsm, STARPU_PRIORITY, first + (i == k + 1), STARPU_FLOPS, cube, STARPU_R,
			                        tile(t, k, k), STARPU_RW, tile(t, i, k), 0);
			STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
		}
		for (unsigned i = k + 1; i < t->count; i++) {
			rc = starpu_task_insert(&cl_syrk, STARPU_PRIORITY, i == k + 1 ? first : 0, STARPU_FLOPS, cube, STARPU_R,
			                        tile(t, i, k), STARPU_RW, tile(t, i, i), 0);
			STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
			for (unsigned j = k + 1; j < i; j++) {
				rc = starpu_task_insert(&cl_gemm, STARPU_PRIORITY, 0, STARPU_FLOPS, 2 * cube, STARPU_R,
				                        tile(t, i, k), STARPU_R, tile(t, j, k), STARPU_RW, tile(t, i, j), 0);
				STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
			}
		}
		starpu_iteration_pop();
	}
}

static double lower(const struct tiles *t, unsigned i, unsigned j)
{
	return *element(t, i, j);
}

static double upper(const struct tiles *t, unsigned i, unsigned j)
{
	return *element(t, j, i);
}

int main(int argc, char **argv)
{
	struct tiles t;
	int rc = tiles_make(&t, argc, argv);
	if (rc)
		return rc;
	double ms = tiles_time(&t, factorise), n = t.n;
	return tiles_finish(&t, ms, n * n * n / 3, lower, upper);
}
