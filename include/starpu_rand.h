/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers that STARPU_RAND_SEED makes repeatable.
 */
#ifndef __STARPU_RAND_H__
#define __STARPU_RAND_H__

#include <stdlib.h>
#include <starpu_config.h>
#include <starpu_helper.h>

#ifdef __cplusplus
extern "C" {
#endif

#define starpu_drand48() drand48()
#define starpu_drand48_r(buffer, result) drand48_r(buffer, result)
#define starpu_erand48(xsubi) erand48(xsubi)
#define starpu_erand48_r(xsubi, buffer, result) erand48_r(xsubi, buffer, result)
#define starpu_lrand48() lrand48()
#define starpu_lrand48_r(buffer, result) lrand48_r(buffer, result)
#define starpu_seed(seed) starpu_get_env_number_default("STARPU_RAND_SEED", (seed))
#define starpu_srand48(seed) srand48(starpu_seed(seed))
#define starpu_srand48_r(seed, buffer) srand48_r(starpu_seed(seed), buffer)

typedef struct drand48_data starpu_drand48_data;

#ifdef __cplusplus
}
#endif
#endif
