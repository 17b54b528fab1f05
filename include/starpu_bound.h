/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The theoretical bound of an execution: the least time that the tasks submitted between start and stop can take on this machine,
 * by what performance models say of them. Times are milliseconds. docs/bounds.md says more.
 */
#ifndef __STARPU_BOUND_H__
#define __STARPU_BOUND_H__

#include <stdio.h>
#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

void starpu_bound_start(int deps, int prio);
void starpu_bound_stop(void);
void starpu_bound_print_dot(FILE *output);
void starpu_bound_compute(double *res, double *integer_res, int integer);
void starpu_bound_print_lp(FILE *output);
void starpu_bound_print_mps(FILE *output);
void starpu_bound_print(FILE *output, int integer);

#ifdef __cplusplus
}
#endif
#endif
