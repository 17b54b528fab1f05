/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling tools: libraries (STARPU_PROF_TOOL), or a part of the program, whose
 * starpu_prof_tool_library_register() registers callbacks for events. Events of tasks come by a
 * watcher (watch.h), the others by the functions here. One word has a bit for each event with a
 * callback.
 */
#ifndef WEFT_RUNTIME_PROFILE_PROF_TOOL_H
#define WEFT_RUNTIME_PROFILE_PROF_TOOL_H

#include "runtime/task/machine.h"
#include <starpu_profiling_tool.h>

extern struct weft_atomic_u32 rt_tool_wanted; /* a bit for each event */
static inline bool rt_tool_wants(enum starpu_prof_tool_event event)
{
	return WEFT_UNLIKELY(weft_load_u32(&rt_tool_wanted) & 1U << event);
}

/* Loads tools and notifies them of StarPU's begin; and of its end. */
void rt_tool_begin(struct starpu_conf *conf);
void rt_tool_end(void);
/* An event that belongs to no task; `worker`: RT_NO_WORKER or a number. */
void rt_tool_tell(enum starpu_prof_tool_event event, unsigned worker);
/* A transfer between memory nodes begins, or has ended. */
void rt_tool_transfer(bool begins, unsigned from, unsigned to, size_t bytes);

#endif
