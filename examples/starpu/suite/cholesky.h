/* SPDX-License-Identifier: Apache-2.0 */
/* Cholesky, right-looking, the lower half in place. */
#include "factor.h"

void spotrf_(const char *uplo, const int *n, float *a, const int *lda, int *info);

#define A(b) ((float *)STARPU_MATRIX_GET_PTR(b))
#define LD(b) ((int)STARPU_MATRIX_GET_LD(b))
#define N(b) ((int)STARPU_MATRIX_GET_NX(b))

static void potrf(void *b[], void *arg)
{
	int n = N(b[0]), ld = LD(b[0]), info;
	(void)arg;
	spotrf_("L", &n, A(b[0]), &ld, &info);
	STARPU_ASSERT_MSG(info == 0, "not positive definite at %d", info);
}

static void trsm(void *b[], void *arg)
{
	int n = N(b[1]);
	(void)arg;
	cblas_strsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1, A(b[0]), LD(b[0]), A(b[1]),
	            LD(b[1]));
}

static void syrk(void *b[], void *arg)
{
	int n = N(b[1]);
	(void)arg;
	cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, -1, A(b[0]), LD(b[0]), 1, A(b[1]), LD(b[1]));
}

static void gemm(void *b[], void *arg)
{
	int n = N(b[2]);
	(void)arg;
	cblas_sgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, n, n, -1, A(b[0]), LD(b[0]), A(b[1]), LD(b[1]), 1, A(b[2]),
	            LD(b[2]));
}

enum { POTRF, TRSM, SYRK, GEMM, KERNELS };
#define MODEL(of) \
	{ \
		.type = STARPU_HISTORY_BASED, .symbol = "chol_model_" of \
	}
#define CODELET(index, function, ...) \
	[index] = {.cpu_funcs = {function}, \
	           .cpu_funcs_name = {#function}, \
	           .model = &models[index], \
	           .name = #function, \
	           __VA_ARGS__}
static struct starpu_perfmodel models[KERNELS] = {MODEL("potrf"), MODEL("trsm"), MODEL("syrk"), MODEL("gemm")};
static struct starpu_codelet kernels[KERNELS] = {
	CODELET(POTRF, potrf, .nbuffers = 1, .modes = {STARPU_RW}),
	CODELET(TRSM, trsm, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}),
	CODELET(SYRK, syrk, .nbuffers = 2, .modes = {STARPU_R, STARPU_RW}),
	CODELET(GEMM, gemm, .nbuffers = 3, .modes = {STARPU_R, STARPU_R, STARPU_RW}),
};

static void cholesky_steps(struct factor *f, unsigned first, unsigned end, step_fn submit)
{
	unsigned n = f->blocks;
	for (unsigned k = first; k < end; k++) {
		int left = (int)(n - k);
		submit(f, &(struct step){&kernels[POTRF], 2 * left, {{k, k}}});
		for (unsigned i = k + 1; i < n; i++)
			submit(f, &(struct step){&kernels[TRSM], left + (i == k + 1), {{k, k}, {i, k}}});
		for (unsigned i = k + 1; i < n; i++) {
			submit(f, &(struct step){&kernels[SYRK], i == k + 1 ? left : 0, {{i, k}, {i, i}}});
			for (unsigned j = k + 1; j < i; j++)
				submit(f, &(struct step){&kernels[GEMM], 0, {{i, k}, {j, k}, {i, j}}});
		}
	}
}

static const struct factorisation cholesky = {cholesky_steps, 1.0 / 3, true};
