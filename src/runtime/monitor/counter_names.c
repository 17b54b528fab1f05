/* SPDX-License-Identifier: Apache-2.0 */
/* The counters that there are, one row each, and StarPU's questions about them. */
#include "counter.h"

enum {
	GLOBAL = starpu_perf_counter_scope_global,
	WORKER = starpu_perf_counter_scope_per_worker,
	CODELET = starpu_perf_counter_scope_per_codelet
};

static const char *const scopes[] = {[GLOBAL] = "global", [WORKER] = "per_worker", [CODELET] = "per_codelet"};

static const struct monitor_item items[COUNTERS] = {
	[COUNTER_G_SUBMITTED] = {GLOBAL, MONITOR_INT64, "starpu.task.g_total_submitted", "tasks submitted"},
	[COUNTER_G_PEAK_SUBMITTED] = {GLOBAL, MONITOR_INT64, "starpu.task.g_peak_submitted",
                                      "most tasks at a time that were submitted and not ready"},
	[COUNTER_G_PEAK_READY] = {GLOBAL, MONITOR_INT64, "starpu.task.g_peak_ready",
                                  "most tasks at a time that were ready and that no worker had"},
	[COUNTER_W_EXECUTED] = {WORKER, MONITOR_INT64, "starpu.task.w_total_executed", "tasks that the worker has executed"},
	[COUNTER_W_TIME] = {WORKER, MONITOR_DOUBLE, "starpu.task.w_cumul_execution_time",
                            "time in functions of tasks on the worker, in microseconds"},
	[COUNTER_C_SUBMITTED] = {CODELET, MONITOR_INT64, "starpu.task.c_total_submitted", "tasks of the codelet submitted"},
	[COUNTER_C_PEAK_SUBMITTED] = {CODELET, MONITOR_INT64, "starpu.task.c_peak_submitted",
                                      "most tasks of the codelet at a time that were submitted and not ready"},
	[COUNTER_C_PEAK_READY] = {CODELET, MONITOR_INT64, "starpu.task.c_peak_ready",
                                  "most tasks of the codelet at a time that were ready and that no worker had"},
	[COUNTER_C_EXECUTED] = {CODELET, MONITOR_INT64, "starpu.task.c_total_executed", "tasks of the codelet executed"},
	[COUNTER_C_TIME] = {CODELET, MONITOR_DOUBLE, "starpu.task.c_cumul_execution_time",
                            "time in the functions of the codelet's tasks, in microseconds"},
};

const struct monitor_items counter_items = {"counter", scopes, sizeof scopes / sizeof scopes[0], items, COUNTERS};

unsigned counter_wants(unsigned at)
{
	static const uint8_t wants[COUNTERS] = {
		[COUNTER_G_PEAK_SUBMITTED] = COUNTER_PEAK,
		[COUNTER_G_PEAK_READY] = COUNTER_PEAK,
		[COUNTER_W_TIME] = COUNTER_TIMED,
		[COUNTER_C_SUBMITTED] = COUNTER_CODELET,
		[COUNTER_C_PEAK_SUBMITTED] = COUNTER_CODELET | COUNTER_PEAK,
		[COUNTER_C_PEAK_READY] = COUNTER_CODELET | COUNTER_PEAK,
		[COUNTER_C_EXECUTED] = COUNTER_CODELET,
		[COUNTER_C_TIME] = COUNTER_CODELET | COUNTER_TIMED,
	};
	return wants[at];
}

int starpu_perf_counter_scope_name_to_id(const char *name)
{
	return monitor_scope_of(&counter_items, name);
}

const char *starpu_perf_counter_scope_id_to_name(enum starpu_perf_counter_scope scope)
{
	return monitor_scope_name(&counter_items, (int)scope);
}

int starpu_perf_counter_type_name_to_id(const char *name)
{
	return monitor_type_of(name);
}

const char *starpu_perf_counter_type_id_to_name(enum starpu_perf_counter_type type)
{
	return monitor_type_name((int)type);
}

int starpu_perf_counter_nb(enum starpu_perf_counter_scope scope)
{
	return monitor_count(&counter_items, (int)scope, __func__);
}

int starpu_perf_counter_name_to_id(enum starpu_perf_counter_scope scope, const char *name)
{
	return monitor_by_name(&counter_items, (int)scope, name, __func__);
}

int starpu_perf_counter_nth_to_id(enum starpu_perf_counter_scope scope, int nth)
{
	return monitor_nth(&counter_items, (int)scope, nth, __func__);
}

const char *starpu_perf_counter_id_to_name(int id)
{
	const struct monitor_item *i = monitor_item(&counter_items, id, __func__);
	return i ? i->name : NULL;
}

int starpu_perf_counter_get_type_id(int id)
{
	const struct monitor_item *i = monitor_item(&counter_items, id, __func__);
	return i ? (int)i->type : 0;
}

const char *starpu_perf_counter_get_help_string(int id)
{
	const struct monitor_item *i = monitor_item(&counter_items, id, __func__);
	return i ? i->help : NULL;
}

void starpu_perf_counter_list_avail(enum starpu_perf_counter_scope scope)
{
	monitor_list(&counter_items, (int)scope, __func__);
}

void starpu_perf_counter_list_all_avail(void)
{
	monitor_list_all(&counter_items, __func__);
}
