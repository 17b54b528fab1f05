/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuSOLVER. This is a build without CUDA: nothing is declared.
 */
#ifndef __STARPU_CUSOLVER_H__
#define __STARPU_CUSOLVER_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
