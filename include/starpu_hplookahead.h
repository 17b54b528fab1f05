/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of one of the heteroprio variants.
 */
#ifndef __STARPU_HPLOOKAHEAD_H__
#define __STARPU_HPLOOKAHEAD_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_HPLOOKAHEAD_MAXTYPESOFTASKS 64
#define STARPU_HPLOOKAHEAD_NTASKSPERQUEUEINSIMULATION 64

#ifdef __cplusplus
}
#endif
#endif
