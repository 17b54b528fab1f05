/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SYCL BLAS on every SYCL worker. This is a build without SYCL: the calls do nothing.
 */
#ifndef __STARPU_SYCLBLAS_H__
#define __STARPU_SYCLBLAS_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

void starpu_syclblas_init(void);
void starpu_syclblas_shutdown(void);

#ifdef __cplusplus
}
#endif
#endif
