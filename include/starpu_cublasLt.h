/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuBLASLt on every CUDA worker. This is a build without CUDA: the calls do nothing.
 */
#ifndef __STARPU_CUBLASLT_H__
#define __STARPU_CUBLASLT_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cublasLt_init(void);
void starpu_cublasLt_shutdown(void);

#ifdef __cplusplus
}
#endif
#endif
