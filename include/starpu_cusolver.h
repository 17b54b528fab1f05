/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuSOLVER on every CUDA worker. This is a build without CUDA: the calls do nothing.
 */
#ifndef __STARPU_CUSOLVER_H__
#define __STARPU_CUSOLVER_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cusolver_init(void);
void starpu_cusolver_shutdown(void);

#ifdef __cplusplus
}
#endif
#endif
