/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of tasks (task->profiling_info) and of workers, while the program or STARPU_PROFILING asks for them: a watcher (watch.h).
 */
#ifndef WEFT_RUNTIME_TASK_PROFILE_H
#define WEFT_RUNTIME_TASK_PROFILE_H

#include "machine.h"
#include <starpu_profiling.h>

void rt_profile_begin(void); /* with the runtime */
void rt_profile_end(void);   /* what STARPU_WORKER_STATS wants is printed */

#endif
