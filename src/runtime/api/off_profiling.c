/* SPDX-License-Identifier: Apache-2.0 */
/* Profiling, bounds, StarPU's own traces and energy, switched off: they answer as when nothing was recorded. */
#include <starpu.h>
#include <starpu_bound.h>
#include <starpu_fxt.h>
#include <starpu_profiling.h>
#include <starpu_profiling_tool.h>
#include <starpu_stdlib.h>
#include <stdlib.h>
#include <string.h>

/* What is not there has no use for its arguments. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

void starpu_bound_start(int deps, int prio)
{
}

void starpu_bound_stop(void)
{
}

void starpu_bound_print_dot(FILE *output)
{
}

void starpu_bound_compute(double *res, double *integer_res, int integer)
{
	if (res)
		*res = 0;
	if (integer_res)
		*integer_res = 0;
}

void starpu_bound_print_lp(FILE *output)
{
}

void starpu_bound_print_mps(FILE *output)
{
}

void starpu_bound_print(FILE *output, int integer)
{
}

void starpu_fxt_options_init(struct starpu_fxt_options *options)
{
	memset(options, 0, sizeof *options);
}

void starpu_fxt_options_shutdown(struct starpu_fxt_options *options)
{
}

void starpu_fxt_options_set_dir(struct starpu_fxt_options *options)
{
}

void starpu_fxt_generate_trace(struct starpu_fxt_options *options)
{
}

void starpu_fxt_autostart_profiling(int autostart)
{
}

void starpu_fxt_start_profiling(void)
{
}

void starpu_fxt_stop_profiling(void)
{
}

void starpu_fxt_write_data_trace(char *filename_in)
{
}

void starpu_fxt_write_data_trace_in_dir(char *filename_in, char *dir)
{
}

int starpu_fxt_is_enabled(void)
{
	return 0;
}

void starpu_fxt_trace_user_meta_string(const char *s)
{
}

void starpu_profiling_set_id(int new_id)
{
}

int starpu_bus_get_count(void)
{
	return 0;
}

int starpu_bus_get_id(int src, int dst)
{
	return -1;
}

int starpu_bus_get_src(int busid)
{
	return -1;
}

int starpu_bus_get_dst(int busid)
{
	return -1;
}

void starpu_bus_set_direct(int busid, int direct)
{
}

int starpu_bus_get_direct(int busid)
{
	return 0;
}

void starpu_bus_set_ngpus(int busid, int ngpus)
{
}

int starpu_bus_get_ngpus(int busid)
{
	return 0;
}

int starpu_bus_get_profiling_info(int busid, struct starpu_profiling_bus_info *bus_info)
{
	if (bus_info)
		memset(bus_info, 0, sizeof *bus_info);
	return 0;
}

double starpu_timing_timespec_delay_us(struct timespec *start, struct timespec *end)
{
	return starpu_timing_timespec_to_us(end) - starpu_timing_timespec_to_us(start);
}

double starpu_timing_timespec_to_us(struct timespec *ts)
{
	return (double)ts->tv_sec * 1e6 + (double)ts->tv_nsec * 1e-3;
}

void starpu_profiling_bus_helper_display_summary(void)
{
}

void starpu_data_display_memory_stats(void)
{
}

void starpu_prof_tool_library_register(starpu_prof_tool_entry_register_func reg, starpu_prof_tool_entry_register_func unreg)
{
}

void starpu_energy_use(float joules)
{
}

double starpu_energy_used(void)
{
	return 0;
}

int starpu_energy_start(int workerid, enum starpu_worker_archtype archi)
{
	return -1;
}

int starpu_energy_stop(struct starpu_perfmodel *model, struct starpu_task *task, unsigned nimpl, unsigned ntasks, int workerid,
                       enum starpu_worker_archtype archi)
{
	return -1;
}
