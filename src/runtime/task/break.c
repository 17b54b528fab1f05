/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breakpoints of a debugger by the number of a task. The environment names one number for each of
 * four stations (push, schedule, pop, execute); the stations themselves are in place.c, run.c and
 * in the policies, and compare a job's number with theirs.
 *
 * While there is any breakpoint, tasks get their numbers at submission, so that numbers are the
 * same in each run.
 */
#include "break.h"
#include "task.h"
#include <signal.h>
#include <stdlib.h>

static const char *const variable[RT_BREAKS] = {
	[RT_BREAK_PUSH] = "STARPU_TASK_BREAK_ON_PUSH",
	[RT_BREAK_SCHED] = "STARPU_TASK_BREAK_ON_SCHED",
	[RT_BREAK_POP] = "STARPU_TASK_BREAK_ON_POP",
	[RT_BREAK_EXEC] = "STARPU_TASK_BREAK_ON_EXEC",
};
static uint64_t wanted[RT_BREAKS]; /* 0: none, as no task has it */
bool rt_breaks;

void rt_break_begin(void)
{
	rt_breaks = false;
	for (unsigned i = 0; i < RT_BREAKS; i++) {
		const char *text = getenv(variable[i]);
		char *end = NULL;
		wanted[i] = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
		wanted[i] = end && !*end ? wanted[i] : 0;
		rt_breaks = rt_breaks || wanted[i];
	}
}

void rt_break_look(enum rt_break at, struct rt_job *j)
{
	const struct starpu_task *t = wanted[at] ? rt_job_task(j) : NULL;
	if (t && wanted[at] == rt_task_number(t->starpu_private))
		raise(SIGTRAP);
}
