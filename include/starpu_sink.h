/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers on other machines. This is a build without them: nothing is declared.
 */
#ifndef __STARPU_SINK_H__
#define __STARPU_SINK_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif
#endif
