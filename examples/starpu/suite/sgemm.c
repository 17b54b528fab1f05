/* SPDX-License-Identifier: Apache-2.0 */
/* The product of two matrices of floats, and how fast it was. */
#define real float
#define cblas_gemm cblas_sgemm
#define MODEL "starpu_sgemm_gemm"
#include "gemm.h"
