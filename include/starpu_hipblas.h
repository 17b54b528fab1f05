/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipBLAS on every HIP worker. This is a build without HIP: the calls do nothing.
 */
#ifndef __STARPU_HIPBLAS_H__
#define __STARPU_HIPBLAS_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

void starpu_hipblas_init(void);
void starpu_hipblas_shutdown(void);

#ifdef __cplusplus
}
#endif
#endif
