/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuBLAS, second interface. This is a build without CUDA: nothing is declared.
 */
#ifndef __STARPU_CUBLAS_V2_H__
#define __STARPU_CUBLAS_V2_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
