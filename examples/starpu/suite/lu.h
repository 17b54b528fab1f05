/* SPDX-License-Identifier: Apache-2.0 */
/* LU without pivots, right-looking, in place: L has a diagonal of ones, which is not stored. */
#include "factor.h"

#define A(b) ((float *)STARPU_MATRIX_GET_PTR(b))
#define LD(b) ((int)STARPU_MATRIX_GET_LD(b))
#define N(b) ((int)STARPU_MATRIX_GET_NX(b))

static void getrf(void *b[], void *arg)
{
	int n = N(b[0]), ld = LD(b[0]);
	float *a = A(b[0]);
	(void)arg;
	for (int k = 0; k < n; k++) {
		float *diagonal = a + (size_t)k * (size_t)ld + k;
		int below = n - k - 1;
		STARPU_ASSERT_MSG(*diagonal != 0, "a pivot is 0");
		if (!below)
			break;
		cblas_sscal(below, 1 / *diagonal, diagonal + 1, 1);
		cblas_sger(CblasColMajor, below, below, -1, diagonal + 1, 1, diagonal + ld, ld, diagonal + ld + 1, ld);
	}
}

static void trsm_ll(void *b[], void *arg)
{
	int n = N(b[1]);
	(void)arg;
	cblas_strsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, n, n, 1, A(b[0]), LD(b[0]), A(b[1]), LD(b[1]));
}

static void trsm_ru(void *b[], void *arg)
{
	int n = N(b[1]);
	(void)arg;
	cblas_strsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, n, n, 1, A(b[0]), LD(b[0]), A(b[1]),
	            LD(b[1]));
}

static void gemm(void *b[], void *arg)
{
	int n = N(b[2]);
	(void)arg;
	cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, -1, A(b[0]), LD(b[0]), A(b[1]), LD(b[1]), 1, A(b[2]),
	            LD(b[2]));
}

enum { GETRF, TRSM_LL, TRSM_RU, GEMM, KERNELS };
#define MODEL(of) \
	{ \
		.type = STARPU_HISTORY_BASED, .symbol = "starpu_slu_lu_model_" of "_openblas" \
	}
#define CODELET(index, function, ...) \
	[index] = {.cpu_funcs = {function}, \
	           .cpu_funcs_name = {#function}, \
	           .model = &models[index], \
	           .name = #function, \
	           __VA_ARGS__}
static struct starpu_perfmodel models[KERNELS] = {MODEL("getrf"), MODEL("trsm_ll"), MODEL("trsm_ru"), MODEL("gemm")};
static struct starpu_codelet kernels[KERNELS] = {
	CODELET(GETRF, getrf, .nbuffers = 1, .modes = {STARPU_RW}),
	CODELET(TRSM_LL, trsm_ll, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}),
	CODELET(TRSM_RU, trsm_ru, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}),
	CODELET(GEMM, gemm, .nbuffers = 3, .modes = {STARPU_R, STARPU_R, STARPU_RW}),
};

static void lu_steps(struct factor *f, unsigned first, unsigned end, step_fn submit)
{
	unsigned n = f->blocks;
	for (unsigned k = first; k < end; k++) {
		int left = (int)(n - k);
		submit(f, &(struct step){&kernels[GETRF], 2 * left, {{k, k}}});
		for (unsigned i = k + 1; i < n; i++) {
			submit(f, &(struct step){&kernels[TRSM_LL], left + (i == k + 1), {{k, k}, {k, i}}});
			submit(f, &(struct step){&kernels[TRSM_RU], left + (i == k + 1), {{k, k}, {i, k}}});
		}
		for (unsigned j = k + 1; j < n; j++)
			for (unsigned i = k + 1; i < n; i++)
				submit(f, &(struct step){&kernels[GEMM],
				                         i == k + 1 || j == k + 1 ? left : 0,
				                         {{i, k}, {k, j}, {i, j}}});
	}
}

static const struct factorisation lu = {lu_steps, 2.0 / 3, false};
