/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuSPARSE on every CUDA worker. This is a build without CUDA: the calls do nothing.
 */
#ifndef __STARPU_CUSPARSE_H__
#define __STARPU_CUSPARSE_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

void starpu_cusparse_init(void);
void starpu_cusparse_shutdown(void);

#ifdef __cplusplus
}
#endif
#endif
