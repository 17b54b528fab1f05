/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks into the workers' loop.
 */
#ifndef __STARPU_EXPERT_H__
#define __STARPU_EXPERT_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

void starpu_wake_all_blocked_workers(void);
int starpu_progression_hook_register(unsigned (*func)(void *), void *arg);
void starpu_progression_hook_deregister(int hook_id);
int starpu_idle_hook_register(unsigned (*func)(void *), void *arg);
void starpu_idle_hook_deregister(int hook_id);

#ifdef __cplusplus
}
#endif
#endif
