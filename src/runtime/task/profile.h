/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of tasks (task->profiling_info) and of workers, while the program or STARPU_PROFILING asks for them. Then no codelet is plain,
 * so that each task has a struct in which they stand; nothing else is asked while they are off.
 */
#ifndef WEFT_RUNTIME_TASK_PROFILE_H
#define WEFT_RUNTIME_TASK_PROFILE_H

#include "machine.h"
#include <starpu_profiling.h>

extern struct weft_atomic_bool rt_profiles;
static inline bool rt_is_profiled(void)
{
	return WEFT_UNLIKELY(weft_load_bool(&rt_profiles));
}

void rt_profile_begin(void); /* with the runtime */
void rt_profile_end(void);   /* what STARPU_WORKER_STATS wants is printed */
/* The stations of a task; `t` may be NULL. */
void rt_profile_submitted(struct starpu_task *t);
void rt_profile_ready(struct starpu_task *t);
void rt_profile_popped(struct starpu_task *t);
void rt_profile_starts(struct starpu_task *t, unsigned worker);
void rt_profile_ran(struct starpu_task *t, unsigned worker);
void rt_profile_let_go(struct starpu_task *t);
void rt_profile_calls_back(struct starpu_task *t, unsigned worker, bool begins);
void rt_profile_sleeps(unsigned worker, bool begins);

#endif
