/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SYCL. This is a build without it: nothing is declared.
 */
#ifndef __STARPU_SYCL_H__
#define __STARPU_SYCL_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
