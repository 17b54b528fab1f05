/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SimGrid. This is a build without it: main is not renamed.
 */
#ifndef __STARPU_SIMGRID_WRAP_H__
#define __STARPU_SIMGRID_WRAP_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
