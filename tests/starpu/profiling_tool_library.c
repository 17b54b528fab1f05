/* SPDX-License-Identifier: Apache-2.0 */
/* A profiling tool as STARPU_PROF_TOOL names it: what it hears goes to the file PROF_TOOL_OUTPUT. */
#include <starpu.h>
#include <starpu_profiling_tool.h>
#include <stdio.h>
#include <stdlib.h>

static void hear(struct starpu_prof_tool_info *i, union starpu_prof_tool_event_info *e, struct starpu_prof_tool_api_info *api)
{
	(void)e, (void)api;
	FILE *f = fopen(getenv("PROF_TOOL_OUTPUT"), "a");
	if (!f)
		return;
	if (i->event_type == starpu_prof_tool_event_init)
		fprintf(f, "init\n");
	else if (i->event_type == starpu_prof_tool_event_init_end)
		fprintf(f, "init end\n");
	else if (i->event_type == starpu_prof_tool_event_terminate)
		fprintf(f, "terminate\n");
	else
		fprintf(f, "start %s\n", i->task_name);
	fclose(f);
}

void starpu_prof_tool_library_register(starpu_prof_tool_entry_register_func reg, starpu_prof_tool_entry_register_func unreg)
{
	(void)unreg;
	reg(starpu_prof_tool_event_init, hear, starpu_prof_tool_command_reg);
	reg(starpu_prof_tool_event_init_end, hear, starpu_prof_tool_command_reg);
	reg(starpu_prof_tool_event_terminate, hear, starpu_prof_tool_command_reg);
	reg(starpu_prof_tool_event_start_cpu_exec, hear, starpu_prof_tool_command_reg);
}
