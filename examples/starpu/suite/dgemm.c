/* SPDX-License-Identifier: Apache-2.0 */
/* The product of two matrices of doubles, and how fast it was. */
#define real double
#define cblas_gemm cblas_dgemm
#define MODEL "starpu_dgemm_gemm"
#include "gemm.h"
