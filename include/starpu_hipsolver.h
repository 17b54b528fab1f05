/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hipSOLVER on every HIP worker. This is a build without HIP: the calls do nothing.
 */
#ifndef __STARPU_HIPSOLVER_H__
#define __STARPU_HIPSOLVER_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

void starpu_hipsolver_init(void);
void starpu_hipsolver_shutdown(void);

#ifdef __cplusplus
}
#endif
#endif
