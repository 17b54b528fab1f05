/* SPDX-License-Identifier: Apache-2.0 */
/* Counters and knobs with the wrong number, type, scope, worker or policy: one line that says so, each in a process of its own. */
#include "misuse_check.h"
#include <starpu_perf_steering.h>

static void nothing(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet cl = {.cpu_funcs = {nothing}, .name = "mine"};

static struct starpu_perf_counter_set *set_of(enum starpu_perf_counter_scope scope, const char *name)
{
	struct starpu_perf_counter_set *set = starpu_perf_counter_set_alloc(scope);
	if (name)
		starpu_perf_counter_set_enable_id(set, starpu_perf_counter_name_to_id(scope, name));
	return set;
}

/* A counter of a codelet's sample, read as each type and by each number. */
enum read_as { AS_INT32, AS_INT64, AS_FLOAT, AS_DOUBLE };
static enum read_as read_as;
static int read_id;
static void read_it(struct starpu_perf_counter_listener *l, struct starpu_perf_counter_sample *s, void *context)
{
	(void)l, (void)context;
	if (read_as == AS_INT32)
		starpu_perf_counter_sample_get_int32_value(s, read_id);
	else if (read_as == AS_INT64)
		starpu_perf_counter_sample_get_int64_value(s, read_id);
	else if (read_as == AS_FLOAT)
		starpu_perf_counter_sample_get_float_value(s, read_id);
	else
		starpu_perf_counter_sample_get_double_value(s, read_id);
}
static void reads(enum starpu_perf_counter_scope scope, const char *name, enum read_as as)
{
	struct starpu_perf_counter_set *set = set_of(starpu_perf_counter_scope_per_codelet, NULL);
	starpu_perf_counter_set_enable_id(set, starpu_perf_counter_nth_to_id(starpu_perf_counter_scope_per_codelet, 0));
	read_as = as;
	read_id = name ? starpu_perf_counter_name_to_id(scope, name) : 4711;
	starpu_perf_counter_set_per_codelet_listener(&cl, starpu_perf_counter_listener_init(set, read_it, NULL));
	starpu_perf_counter_collection_start();
	starpu_task_insert(&cl, 0);
	starpu_task_wait_for_all();
}
#define READS(function, scope, name, as) \
	static void function(void) \
	{ \
		reads(starpu_perf_counter_scope_##scope, name, as); \
	}
READS(total_as_int32, per_codelet, "starpu.task.c_total_submitted", AS_INT32)
READS(total_as_float, per_codelet, "starpu.task.c_total_executed", AS_FLOAT)
READS(total_as_double, per_codelet, "starpu.task.c_total_submitted", AS_DOUBLE)
READS(time_as_int64, per_codelet, "starpu.task.c_cumul_execution_time", AS_INT64)
READS(time_as_float, per_codelet, "starpu.task.c_cumul_execution_time", AS_FLOAT)
READS(other_scope, global, "starpu.task.g_total_submitted", AS_INT64)
READS(no_counter, global, NULL, AS_INT64)

static void knob_as_counter(void)
{
	int id = starpu_perf_knob_name_to_id(starpu_perf_knob_scope_global, "starpu.global.g_calibrate_knob");
	starpu_perf_counter_set_enable_id(set_of(starpu_perf_counter_scope_global, NULL), id);
}
static void counter_as_knob(void)
{
	starpu_perf_knob_get_global_int32_value(starpu_perf_counter_nth_to_id(starpu_perf_counter_scope_global, 0));
}
static void set_of_other_scope(void)
{
	struct starpu_perf_counter_set *set = set_of(starpu_perf_counter_scope_global, NULL);
	starpu_perf_counter_set_enable_id(set, starpu_perf_counter_nth_to_id(starpu_perf_counter_scope_per_worker, 1));
}
static void set_of_unknown(void)
{
	set_of(starpu_perf_counter_scope_global, "starpu.task.g_nothing");
}
static void set_without_scope(void)
{
	set_of((enum starpu_perf_counter_scope)3, NULL);
}
static void count_of_no_scope(void)
{
	starpu_perf_counter_nb(starpu_perf_counter_scope_undefined);
}
static struct starpu_perf_counter_listener *listener_of(enum starpu_perf_counter_scope scope)
{
	return starpu_perf_counter_listener_init(set_of(scope, NULL), read_it, NULL);
}
static void listener_of_other_scope(void)
{
	starpu_perf_counter_set_global_listener(listener_of(starpu_perf_counter_scope_per_worker));
}
static void listener_of_no_worker(void)
{
	starpu_perf_counter_set_per_worker_listener(7, listener_of(starpu_perf_counter_scope_per_worker));
}
static void listener_without_set(void)
{
	starpu_perf_counter_listener_init(NULL, read_it, NULL);
}
static void no_listener(void)
{
	starpu_perf_counter_set_all_per_worker_listeners(NULL);
}

static int knob(enum starpu_perf_knob_scope scope, const char *name)
{
	return starpu_perf_knob_name_to_id(scope, name);
}
static void knob_of_no_worker(void)
{
	starpu_perf_knob_set_per_worker_int32_value(knob(starpu_perf_knob_scope_per_worker, "starpu.worker.w_enable_worker_knob"),
	                                            5, 0);
}
static void knob_of_other_type(void)
{
	starpu_perf_knob_get_per_scheduler_int64_value(knob(starpu_perf_knob_scope_per_scheduler, "starpu.dmda.s_beta_knob"),
	                                               "dmda");
}
static void knob_set_as_float(void)
{
	starpu_perf_knob_set_per_scheduler_float_value(knob(starpu_perf_knob_scope_per_scheduler, "starpu.dmda.s_beta_knob"),
	                                               "dmda", 1.0F);
}
static void knob_of_other_scope(void)
{
	starpu_perf_knob_set_global_int32_value(knob(starpu_perf_knob_scope_per_worker, "starpu.worker.w_bind_to_pu_knob"), 1);
}
static void knob_of_no_policy(void)
{
	starpu_perf_knob_set_per_scheduler_double_value(knob(starpu_perf_knob_scope_per_scheduler, "starpu.dmda.s_beta_knob"),
	                                                "dmdaf", 1);
}
static void unknown_knob(void)
{
	starpu_perf_knob_get_global_int32_value(knob(starpu_perf_knob_scope_global, "starpu.global.g_nothing"));
}

/* Each function of a type that the knob has not. */
static void get_global_int64(void)
{
	starpu_perf_knob_get_global_int64_value(knob(starpu_perf_knob_scope_global, "starpu.global.g_calibrate_knob"));
}
static void set_global_int64(void)
{
	starpu_perf_knob_set_global_int64_value(knob(starpu_perf_knob_scope_global, "starpu.global.g_calibrate_knob"), 1);
}
static void get_global_float(void)
{
	starpu_perf_knob_get_global_float_value(knob(starpu_perf_knob_scope_global, "starpu.global.g_calibrate_knob"));
}
static void set_global_float(void)
{
	starpu_perf_knob_set_global_float_value(knob(starpu_perf_knob_scope_global, "starpu.global.g_calibrate_knob"), 1);
}
static void get_global_double(void)
{
	starpu_perf_knob_get_global_double_value(knob(starpu_perf_knob_scope_global, "starpu.global.g_calibrate_knob"));
}
static void set_global_double(void)
{
	starpu_perf_knob_set_global_double_value(knob(starpu_perf_knob_scope_global, "starpu.global.g_calibrate_knob"), 1);
}
static void get_per_worker_int64(void)
{
	starpu_perf_knob_get_per_worker_int64_value(knob(starpu_perf_knob_scope_per_worker, "starpu.worker.w_enable_worker_knob"),
	                                            0);
}
static void set_per_worker_int64(void)
{
	starpu_perf_knob_set_per_worker_int64_value(knob(starpu_perf_knob_scope_per_worker, "starpu.worker.w_enable_worker_knob"),
	                                            0, 1);
}
static void get_per_worker_float(void)
{
	starpu_perf_knob_get_per_worker_float_value(knob(starpu_perf_knob_scope_per_worker, "starpu.worker.w_enable_worker_knob"),
	                                            0);
}
static void set_per_worker_float(void)
{
	starpu_perf_knob_set_per_worker_float_value(knob(starpu_perf_knob_scope_per_worker, "starpu.worker.w_enable_worker_knob"),
	                                            0, 1);
}
static void get_per_worker_double(void)
{
	starpu_perf_knob_get_per_worker_double_value(knob(starpu_perf_knob_scope_per_worker,
	                                                  "starpu.worker.w_enable_worker_knob"),
	                                             0);
}
static void set_per_worker_double(void)
{
	starpu_perf_knob_set_per_worker_double_value(knob(starpu_perf_knob_scope_per_worker,
	                                                  "starpu.worker.w_enable_worker_knob"),
	                                             0, 1);
}
static void get_per_scheduler_int64(void)
{
	starpu_perf_knob_get_per_scheduler_int64_value(knob(starpu_perf_knob_scope_per_scheduler,
	                                                    "starpu.task.s_min_priority_cap_knob"),
	                                               "dmda");
}
static void set_per_scheduler_int64(void)
{
	starpu_perf_knob_set_per_scheduler_int64_value(knob(starpu_perf_knob_scope_per_scheduler,
	                                                    "starpu.task.s_min_priority_cap_knob"),
	                                               "dmda", 1);
}
static void get_per_scheduler_float(void)
{
	starpu_perf_knob_get_per_scheduler_float_value(knob(starpu_perf_knob_scope_per_scheduler,
	                                                    "starpu.task.s_min_priority_cap_knob"),
	                                               "dmda");
}
static void set_per_scheduler_float(void)
{
	starpu_perf_knob_set_per_scheduler_float_value(knob(starpu_perf_knob_scope_per_scheduler,
	                                                    "starpu.task.s_min_priority_cap_knob"),
	                                               "dmda", 1);
}
static void get_per_scheduler_double(void)
{
	starpu_perf_knob_get_per_scheduler_double_value(knob(starpu_perf_knob_scope_per_scheduler,
	                                                     "starpu.task.s_min_priority_cap_knob"),
	                                                "dmda");
}
static void set_per_scheduler_double(void)
{
	starpu_perf_knob_set_per_scheduler_double_value(knob(starpu_perf_knob_scope_per_scheduler,
	                                                     "starpu.task.s_min_priority_cap_knob"),
	                                                "dmda", 1);
}

int main(void)
{
	static const struct {
		void (*wrong)(void);
		const char *says;
	} cases[] = {
		{total_as_int32, "counter 'starpu.task.c_total_submitted' is of type int64, not int32"},
		{total_as_float, "counter 'starpu.task.c_total_executed' is of type int64, not float"},
		{total_as_double, "counter 'starpu.task.c_total_submitted' is of type int64, not double"},
		{time_as_int64, "counter 'starpu.task.c_cumul_execution_time' is of type double, not int64"},
		{time_as_float, "counter 'starpu.task.c_cumul_execution_time' is of type double, not float"},
		{other_scope, "counter 'starpu.task.g_total_submitted' is of scope global, not per_codelet"},
		{no_counter, "there is no counter with the number 4711"},
		{knob_as_counter, "there is no counter with the number"},
		{counter_as_knob, "there is no knob with the number"},
		{set_of_other_scope,
	         "counter 'starpu.task.w_cumul_execution_time' is of scope per_worker, and the set is for scope global"},
		{set_of_unknown, "there is no counter 'starpu.task.g_nothing' in scope global"},
		{set_of_unknown, "starpu_perf_counter_set_enable_id: there is no counter with the number -1"},
		{set_without_scope, "3 is no scope of counters"},
		{count_of_no_scope, "0 is no scope of counters"},
		{listener_of_other_scope, "the listener's set is for scope per_worker, not global"},
		{listener_of_no_worker, "there is no worker 7"},
		{listener_without_set, "a listener needs a set of counters and a callback"},
		{no_listener, "no listener is given"},
		{knob_of_no_worker, "starpu_perf_knob_set_per_worker_int32_value: there is no worker 5"},
		{knob_of_other_type, "knob 'starpu.dmda.s_beta_knob' is of type double, not int64"},
		{knob_set_as_float, "knob 'starpu.dmda.s_beta_knob' is of type double, not float"},
		{get_global_int64,
	         "starpu_perf_knob_get_global_int64_value: knob 'starpu.global.g_calibrate_knob' is of type int32, not int64"},
		{set_global_int64,
	         "starpu_perf_knob_set_global_int64_value: knob 'starpu.global.g_calibrate_knob' is of type int32, not int64"},
		{get_global_float,
	         "starpu_perf_knob_get_global_float_value: knob 'starpu.global.g_calibrate_knob' is of type int32, not float"},
		{set_global_float,
	         "starpu_perf_knob_set_global_float_value: knob 'starpu.global.g_calibrate_knob' is of type int32, not float"},
		{get_global_double,
	         "starpu_perf_knob_get_global_double_value: knob 'starpu.global.g_calibrate_knob' is of type int32, not double"},
		{set_global_double,
	         "starpu_perf_knob_set_global_double_value: knob 'starpu.global.g_calibrate_knob' is of type int32, not double"},
		{get_per_worker_int64,
	         "starpu_perf_knob_get_per_worker_int64_value: knob 'starpu.worker.w_enable_worker_knob' is of type int32, not int64"},
		{set_per_worker_int64,
	         "starpu_perf_knob_set_per_worker_int64_value: knob 'starpu.worker.w_enable_worker_knob' is of type int32, not int64"},
		{get_per_worker_float,
	         "starpu_perf_knob_get_per_worker_float_value: knob 'starpu.worker.w_enable_worker_knob' is of type int32, not float"},
		{set_per_worker_float,
	         "starpu_perf_knob_set_per_worker_float_value: knob 'starpu.worker.w_enable_worker_knob' is of type int32, not float"},
		{get_per_worker_double,
	         "starpu_perf_knob_get_per_worker_double_value: knob 'starpu.worker.w_enable_worker_knob' is of type int32, not double"},
		{set_per_worker_double,
	         "starpu_perf_knob_set_per_worker_double_value: knob 'starpu.worker.w_enable_worker_knob' is of type int32, not double"},
		{get_per_scheduler_int64,
	         "starpu_perf_knob_get_per_scheduler_int64_value: knob 'starpu.task.s_min_priority_cap_knob' is of type int32, not int64"},
		{set_per_scheduler_int64,
	         "starpu_perf_knob_set_per_scheduler_int64_value: knob 'starpu.task.s_min_priority_cap_knob' is of type int32, not int64"},
		{get_per_scheduler_float,
	         "starpu_perf_knob_get_per_scheduler_float_value: knob 'starpu.task.s_min_priority_cap_knob' is of type int32, not float"},
		{set_per_scheduler_float,
	         "starpu_perf_knob_set_per_scheduler_float_value: knob 'starpu.task.s_min_priority_cap_knob' is of type int32, not float"},
		{get_per_scheduler_double,
	         "starpu_perf_knob_get_per_scheduler_double_value: knob 'starpu.task.s_min_priority_cap_knob' is of type int32, not double"},
		{set_per_scheduler_double,
	         "starpu_perf_knob_set_per_scheduler_double_value: knob 'starpu.task.s_min_priority_cap_knob' is of type int32, not double"},
		{knob_of_other_scope, "knob 'starpu.worker.w_bind_to_pu_knob' is of scope per_worker, not global"},
		{knob_of_no_policy, "there is no scheduling policy 'dmdaf'"},
		{unknown_knob, "there is no knob with the number -1"},
		{unknown_knob, "there is no knob 'starpu.global.g_nothing' in scope global"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		check_ends(cases[i].wrong, cases[i].says);
	return checks_failed();
}
