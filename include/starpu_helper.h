/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small helpers: environment variables, time, copying data, running a function on workers.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_HELPER_H__
#define __STARPU_HELPER_H__

#include <stdio.h>
#include <stdlib.h>
#include <hwloc.h>
#include <starpu_data.h>
#include <starpu_util.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_MAX(a, b) ((a) > (b) ? (a) : (b))
#define STARPU_MIN(a, b) ((a) < (b) ? (a) : (b))
#define STARPU_POISON_PTR ((void *)0xdeadbeef)
#define starpu_getenv_float_default(s, d) starpu_get_env_float_default(s, d)
#define starpu_getenv_number(s) starpu_get_env_number(s)
#define starpu_getenv_number_default(s, d) starpu_get_env_number_default(s, d)
#define starpu_getenv_size_default(s, d) starpu_get_env_size_default(s, d)
#define starpu_getenv_string_var_default(s, ss, d) starpu_get_env_string_var_default(s, ss, d)

char *starpu_getenv(const char *str);
int starpu_get_env_string_var_default(const char *str, const char **strings, int defvalue);
int starpu_get_env_size_default(const char *str, int defval);
/* The variable's number, or what is given (-1); a text that is no number ends the program. */
int starpu_get_env_number_default(const char *str, int defval);
int starpu_get_env_number(const char *str);
float starpu_get_env_float_default(const char *str, float defval);
void starpu_execute_on_each_worker(void (*func)(void *), void *arg, uint32_t where);
void starpu_execute_on_each_worker_ex(void (*func)(void *), void *arg, uint32_t where, const char *name);
void starpu_execute_on_specific_workers(void (*func)(void *), void *arg, unsigned num_workers, unsigned *workers,
                                        const char *name);
double starpu_timing_now(void);
double starpu_timing_get_reference(void);
int starpu_data_cpy(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle, int asynchronous,
                    void (*callback_func)(void *), void *callback_arg);
int starpu_data_cpy_priority(starpu_data_handle_t dst_handle, starpu_data_handle_t src_handle, int asynchronous,
                             void (*callback_func)(void *), void *callback_arg, int priority);
int starpu_data_dup_ro(starpu_data_handle_t *dst_handle, starpu_data_handle_t src_handle);
starpu_data_handle_t starpu_data_dup_ro_get(starpu_data_handle_t handle);
void starpu_display_bindings(void);
int starpu_get_pu_os_index(unsigned logical_index);
long starpu_get_memory_location_bitmap(void *ptr, size_t size);
hwloc_topology_t starpu_get_hwloc_topology(void);

#ifdef __cplusplus
}
#endif
#endif
