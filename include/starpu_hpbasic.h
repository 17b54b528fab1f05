/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A limit of one of the heteroprio variants.
 */
#ifndef __STARPU_HPBASIC_H__
#define __STARPU_HPBASIC_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_HPBASIC_MAXTYPESOFTASKS 64

#ifdef __cplusplus
}
#endif
#endif
