/* SPDX-License-Identifier: Apache-2.0 */
/* Details of a task for the trace (category starpu_detail). */
#ifndef WEFT_RUNTIME_RUN_TASK_TRACE_H
#define WEFT_RUNTIME_RUN_TASK_TRACE_H

#include "runtime/task/task.h"
#include <weft/record.h>

/* Before its region begins: what the trace does not know of its data. */
void rt_task_tell_data(struct rt_job *j);
/* Attributes of the region that this thread, the worker, enters for the job in the bundle. */
void rt_task_trace(struct weft_bundle *b, struct rt_job *j, unsigned worker);

#endif
