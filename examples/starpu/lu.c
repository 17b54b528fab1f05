/* SPDX-License-Identifier: Apache-2.0 */
/* Tiled LU factorisation without pivoting, in place: L has ones on its diagonal. Options: tiles.h. */
#include "tiles.h"

enum { PANEL = 32 };

static double *matrix(void *buffer)
{
	return (double *)STARPU_MATRIX_GET_PTR(buffer);
}

static int order(void *buffer)
{
	return (int)STARPU_MATRIX_GET_NX(buffer);
}

/* A tile by panels: the columns of a panel one after the other, then what is right of it at once. */
static void getrf(void *b[], void *arg)
{
	int n = order(b[0]);
	double *a = matrix(b[0]);
	(void)arg;
#define A(i, j) (a + (size_t)(j) * (size_t)n + (i))
	for (int p = 0; p < n; p += PANEL) {
		int end = p + PANEL < n ? p + PANEL : n, rest = n - end;
		for (int k = p; k < end; k++) {
			cblas_dscal(n - k - 1, 1 / *A(k, k), A(k + 1, k), 1);
			cblas_dger(CblasColMajor, n - k - 1, end - k - 1, -1, A(k + 1, k), 1, A(k, k + 1), n, A(k + 1, k + 1), n);
		}
		if (!rest)
			break;
		cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, end - p, rest, 1, A(p, p), n,
		            A(p, end), n);
		cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rest, rest, end - p, -1, A(end, p), n, A(p, end), n, 1,
		            A(end, end), n);
	}
#undef A
}

static void left(void *b[], void *arg)
{
	int n = order(b[0]);
	(void)arg;
	cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, n, n, 1, matrix(b[0]), n, matrix(b[1]), n);
}

static void right(void *b[], void *arg)
{
	int n = order(b[0]);
	(void)arg;
	cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, n, n, 1, matrix(b[0]), n, matrix(b[1]), n);
}

static void gemm(void *b[], void *arg)
{
	int n = order(b[0]);
	(void)arg;
	cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, -1, matrix(b[0]), n, matrix(b[1]), n, 1, matrix(b[2]), n);
}

#define MODEL(of) \
	{ \
		.type = STARPU_HISTORY_BASED, .symbol = "weft_lu_" of \
	}
static struct starpu_perfmodel models[] = {MODEL("getrf"), MODEL("left"), MODEL("right"), MODEL("gemm")};
static struct starpu_codelet cl_getrf = {.cpu_funcs = {getrf},
                                         .nbuffers = 1,
                                         .modes = {STARPU_RW},
                                         .model = &models[0],
                                         .name = "getrf"};
static struct starpu_codelet cl_left = {.cpu_funcs = {left},
                                        .nbuffers = 2,
                                        .modes = {STARPU_R, STARPU_RW},
                                        .model = &models[1],
                                        .name = "left"};
static struct starpu_codelet cl_right = {.cpu_funcs = {right},
                                         .nbuffers = 2,
                                         .modes = {STARPU_R, STARPU_RW},
                                         .model = &models[2],
                                         .name = "right"};
static struct starpu_codelet cl_gemm = {.cpu_funcs = {gemm},
                                        .nbuffers = 3,
                                        .modes = {STARPU_R, STARPU_R, STARPU_RW},
                                        .model = &models[3],
                                        .name = "gemm"};

static void factorise(const struct tiles *t)
{
	for (unsigned k = 0; k < t->count; k++) {
		int first = (int)(t->count - k);
		int rc = starpu_task_insert(&cl_getrf, STARPU_PRIORITY, 2 * first, STARPU_RW, tile(t, k, k), 0);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
		for (unsigned i = k + 1; i < t->count; i++) {
			rc = starpu_task_insert(&cl_left, STARPU_PRIORITY, first, STARPU_R, tile(t, k, k), STARPU_RW,
			                        tile(t, k, i), 0);
			STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
			rc = starpu_task_insert(&cl_right, STARPU_PRIORITY, first, STARPU_R, tile(t, k, k), STARPU_RW,
			                        tile(t, i, k), 0);
			STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
		}
		for (unsigned i = k + 1; i < t->count; i++)
			for (unsigned j = k + 1; j < t->count; j++) {
				rc = starpu_task_insert(&cl_gemm, STARPU_PRIORITY, i == k + 1 && j == k + 1 ? first : 0, STARPU_R,
				                        tile(t, i, k), STARPU_R, tile(t, k, j), STARPU_RW, tile(t, i, j), 0);
				STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
			}
	}
}

static double lower(const struct tiles *t, unsigned i, unsigned j)
{
	return i == j ? 1 : *element(t, i, j);
}

static double upper(const struct tiles *t, unsigned i, unsigned j)
{
	return *element(t, i, j);
}

int main(int argc, char **argv)
{
	struct tiles t;
	int rc = tiles_make(&t, argc, argv);
	if (rc)
		return rc;
	double ms = tiles_time(&t, factorise), n = t.n;
	return tiles_finish(&t, ms, 2 * n * n * n / 3, lower, upper);
}
