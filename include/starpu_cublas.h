/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuBLAS on every CUDA worker. This is a build without CUDA: the calls do nothing.
 */
#ifndef __STARPU_CUBLAS_H__
#define __STARPU_CUBLAS_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cublas_init(void);
void starpu_cublas_set_stream(void);
void starpu_cublas_shutdown(void);

#ifdef __cplusplus
}
#endif
#endif
