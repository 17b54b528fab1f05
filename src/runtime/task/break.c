/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a debugger is to stop: at a job's number, which is wider than an int and so not read as other numbers of the environment
 * are. The stations themselves are in place.c, run.c and in the policies.
 */
#include "break.h"
#include <signal.h>
#include <stdlib.h>

static const char *const variable[RT_BREAKS] = {
	[RT_BREAK_PUSH] = "STARPU_TASK_BREAK_ON_PUSH",
	[RT_BREAK_SCHED] = "STARPU_TASK_BREAK_ON_SCHED",
	[RT_BREAK_POP] = "STARPU_TASK_BREAK_ON_POP",
	[RT_BREAK_EXEC] = "STARPU_TASK_BREAK_ON_EXEC",
};
static rt_ref wanted[RT_BREAKS]; /* 0: none, as no job has it */
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

void rt_break_look(enum rt_break at, const struct rt_job *j)
{
	if (wanted[at] && wanted[at] == rt_job_ref(j))
		raise(SIGTRAP);
}
