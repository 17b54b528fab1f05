/* SPDX-License-Identifier: Apache-2.0 */
/* The knobs that there are, one row each, and StarPU's questions about them. */
#include "knob.h"
#include <starpu_perf_steering.h>

enum {
	GLOBAL = starpu_perf_knob_scope_global,
	WORKER = starpu_perf_knob_scope_per_worker,
	POLICY = starpu_perf_knob_scope_per_scheduler
};

static const char *const scopes[] = {[GLOBAL] = "global", [WORKER] = "per_worker", [POLICY] = "per_scheduler"};

static const struct monitor_item items[KNOBS] = {
	[KNOB_CALIBRATE] = {GLOBAL, MONITOR_INT32, "starpu.global.g_calibrate_knob", "whether performance models learn: 0 or 1"},
	[KNOB_CATCH_SIGNALS] = {GLOBAL, MONITOR_INT32, "starpu.global.g_enable_catch_signal_knob",
                                "whether a signal that ends the program says what ran: 0 or 1"},
	[KNOB_BIND] = {WORKER, MONITOR_INT32, "starpu.worker.w_bind_to_pu_knob",
                       "logical number of the processing unit that the worker's thread is bound to"},
	[KNOB_ENABLE] = {WORKER, MONITOR_INT32, "starpu.worker.w_enable_worker_knob",
                         "whether the worker is given tasks: 0 or 1"},
	[KNOB_MAX_PRIORITY] = {POLICY, MONITOR_INT32, "starpu.task.s_max_priority_cap_knob",
                               "greatest priority of tasks that are submitted from now on"},
	[KNOB_MIN_PRIORITY] = {POLICY, MONITOR_INT32, "starpu.task.s_min_priority_cap_knob",
                               "least priority of tasks that are submitted from now on"},
	[KNOB_ALPHA] = {POLICY, MONITOR_DOUBLE, "starpu.dmda.s_alpha_knob", "factor of alpha, the weight of execution time"},
	[KNOB_BETA] = {POLICY, MONITOR_DOUBLE, "starpu.dmda.s_beta_knob", "factor of beta, the weight of transfer time"},
	[KNOB_GAMMA] = {POLICY, MONITOR_DOUBLE, "starpu.dmda.s_gamma_knob", "factor of gamma, the weight of energy"},
	[KNOB_IDLE_POWER] = {POLICY, MONITOR_DOUBLE, "starpu.dmda.s_idle_power_knob",
                             "factor of the power that an idle machine draws"},
};

const struct monitor_items knob_items = {"knob", scopes, sizeof scopes / sizeof scopes[0], items, KNOBS};

int starpu_perf_knob_scope_name_to_id(const char *name)
{
	return monitor_scope_of(&knob_items, name);
}

const char *starpu_perf_knob_scope_id_to_name(enum starpu_perf_knob_scope scope)
{
	return monitor_scope_name(&knob_items, (int)scope);
}

int starpu_perf_knob_type_name_to_id(const char *name)
{
	return monitor_type_of(name);
}

const char *starpu_perf_knob_type_id_to_name(enum starpu_perf_knob_type type)
{
	return monitor_type_name((int)type);
}

int starpu_perf_knob_nb(enum starpu_perf_knob_scope scope)
{
	return monitor_count(&knob_items, (int)scope, __func__);
}

int starpu_perf_knob_name_to_id(enum starpu_perf_knob_scope scope, const char *name)
{
	return monitor_by_name(&knob_items, (int)scope, name, __func__);
}

int starpu_perf_knob_nth_to_id(enum starpu_perf_knob_scope scope, int nth)
{
	return monitor_nth(&knob_items, (int)scope, nth, __func__);
}

const char *starpu_perf_knob_id_to_name(int id)
{
	const struct monitor_item *i = monitor_item(&knob_items, id, __func__);
	return i ? i->name : NULL;
}

int starpu_perf_knob_get_type_id(int id)
{
	const struct monitor_item *i = monitor_item(&knob_items, id, __func__);
	return i ? (int)i->type : 0;
}

const char *starpu_perf_knob_get_help_string(int id)
{
	const struct monitor_item *i = monitor_item(&knob_items, id, __func__);
	return i ? i->help : NULL;
}

void starpu_perf_knob_list_avail(enum starpu_perf_knob_scope scope)
{
	monitor_list(&knob_items, (int)scope, __func__);
}

void starpu_perf_knob_list_all_avail(void)
{
	monitor_list_all(&knob_items, __func__);
}
