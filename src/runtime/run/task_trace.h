/* SPDX-License-Identifier: Apache-2.0 */
/* Details of a task for the trace (category starpu_detail). */
#ifndef WEFT_RUNTIME_RUN_TASK_TRACE_H
#define WEFT_RUNTIME_RUN_TASK_TRACE_H

#include "runtime/task/task.h"

/* Attributes of the region that this thread, the worker, has just entered for the job. */
void rt_task_trace(struct rt_job *j, unsigned worker);

/* As STARPU_R | STARPU_W is RW; into `text`, which it returns. */
const char *rt_mode_name(uint32_t mode, char *text, size_t size);

#endif
