/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STARPU_TASK_BREAK_ON_PUSH, _SCHED, _POP, _EXEC: the number of a job (starpu_task_get_job_id) at
 * whose station the program gets a SIGTRAP, for a debugger. While there is any, all tasks take the
 * way through a policy: plain ones pass no stations.
 */
#ifndef WEFT_RUNTIME_TASK_BREAK_H
#define WEFT_RUNTIME_TASK_BREAK_H

#include "machine.h"

enum rt_break { RT_BREAK_PUSH, RT_BREAK_SCHED, RT_BREAK_POP, RT_BREAK_EXEC, RT_BREAKS };

extern bool rt_breaks; /* any is set; before the first task */

void rt_break_begin(void);
void rt_break_look(enum rt_break at, struct rt_job *j);

static inline void rt_break_on(enum rt_break at, struct rt_job *j)
{
	if (WEFT_UNLIKELY(rt_breaks))
		rt_break_look(at, j);
}

#endif
