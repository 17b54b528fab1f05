/* SPDX-License-Identifier: Apache-2.0 */
/* Performance counters and knobs, switched off: none are known. Names of scopes and types are. */
#include <starpu.h>
#include <starpu_perf_monitoring.h>
#include <starpu_perf_steering.h>
#include <stdlib.h>
#include <string.h>

/* What is not there has no use for its arguments. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static int index_of(const char *const *names, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (names[i] && !strcmp(names[i], name))
			return (int)i;
	return -1;
}
static const char *const types[] = {"int32", "int64", "float", "double"};
enum { TYPES = sizeof types / sizeof types[0] };
static const char *const counter_scopes[] = {[2] = "global", [4] = "per_worker", [6] = "per_codelet"};
static const char *const knob_scopes[] = {[1] = "global", [3] = "per_worker", [5] = "per_scheduler"};
#define COUNT(x) (sizeof(x) / sizeof(x)[0])

struct starpu_perf_counter_set {
	enum starpu_perf_counter_scope scope;
};
struct starpu_perf_counter_listener {
	struct starpu_perf_counter_set *set;
};

void starpu_perf_counter_collection_start(void)
{
}

void starpu_perf_counter_collection_stop(void)
{
}

int starpu_perf_counter_scope_name_to_id(const char *name)
{
	return index_of(counter_scopes, COUNT(counter_scopes), name);
}

const char *starpu_perf_counter_scope_id_to_name(enum starpu_perf_counter_scope scope)
{
	return (unsigned)scope < COUNT(counter_scopes) ? counter_scopes[scope] : NULL;
}

int starpu_perf_counter_type_name_to_id(const char *name)
{
	return index_of(types, TYPES, name) + 1;
}

const char *starpu_perf_counter_type_id_to_name(enum starpu_perf_counter_type type)
{
	return type > 0 && (unsigned)type <= TYPES ? types[type - 1] : NULL;
}

int starpu_perf_counter_nb(enum starpu_perf_counter_scope scope)
{
	return 0;
}

int starpu_perf_counter_name_to_id(enum starpu_perf_counter_scope scope, const char *name)
{
	return -1;
}

int starpu_perf_counter_nth_to_id(enum starpu_perf_counter_scope scope, int nth)
{
	return -1;
}

const char *starpu_perf_counter_id_to_name(int id)
{
	return NULL;
}

int starpu_perf_counter_get_type_id(int id)
{
	return 0;
}

const char *starpu_perf_counter_get_help_string(int id)
{
	return NULL;
}

void starpu_perf_counter_list_avail(enum starpu_perf_counter_scope scope)
{
}

void starpu_perf_counter_list_all_avail(void)
{
}

struct starpu_perf_counter_set *starpu_perf_counter_set_alloc(enum starpu_perf_counter_scope scope)
{
	return calloc(1, sizeof(struct starpu_perf_counter_set));
}

void starpu_perf_counter_set_free(struct starpu_perf_counter_set *set)
{
	free(set);
}

void starpu_perf_counter_set_enable_id(struct starpu_perf_counter_set *set, int id)
{
}

void starpu_perf_counter_set_disable_id(struct starpu_perf_counter_set *set, int id)
{
}

struct starpu_perf_counter_listener *starpu_perf_counter_listener_init(
	struct starpu_perf_counter_set *set,
	void (*callback)(struct starpu_perf_counter_listener *, struct starpu_perf_counter_sample *, void *), void *user_arg)
{
	return calloc(1, sizeof(struct starpu_perf_counter_listener));
}

void starpu_perf_counter_listener_exit(struct starpu_perf_counter_listener *listener)
{
	free(listener);
}

void starpu_perf_counter_set_global_listener(struct starpu_perf_counter_listener *listener)
{
}

void starpu_perf_counter_set_per_worker_listener(unsigned workerid, struct starpu_perf_counter_listener *listener)
{
}

void starpu_perf_counter_set_all_per_worker_listeners(struct starpu_perf_counter_listener *listener)
{
}

void starpu_perf_counter_set_per_codelet_listener(struct starpu_codelet *cl, struct starpu_perf_counter_listener *listener)
{
}

void starpu_perf_counter_unset_global_listener(void)
{
}

void starpu_perf_counter_unset_per_worker_listener(unsigned workerid)
{
}

void starpu_perf_counter_unset_all_per_worker_listeners(void)
{
}

void starpu_perf_counter_unset_per_codelet_listener(struct starpu_codelet *cl)
{
}

int32_t starpu_perf_counter_sample_get_int32_value(struct starpu_perf_counter_sample *sample, const int counter_id)
{
	return 0;
}

int64_t starpu_perf_counter_sample_get_int64_value(struct starpu_perf_counter_sample *sample, const int counter_id)
{
	return 0;
}

float starpu_perf_counter_sample_get_float_value(struct starpu_perf_counter_sample *sample, const int counter_id)
{
	return 0;
}

double starpu_perf_counter_sample_get_double_value(struct starpu_perf_counter_sample *sample, const int counter_id)
{
	return 0;
}

int starpu_perf_knob_scope_name_to_id(const char *name)
{
	return index_of(knob_scopes, COUNT(knob_scopes), name);
}

const char *starpu_perf_knob_scope_id_to_name(enum starpu_perf_knob_scope scope)
{
	return (unsigned)scope < COUNT(knob_scopes) ? knob_scopes[scope] : NULL;
}

int starpu_perf_knob_type_name_to_id(const char *name)
{
	return index_of(types, TYPES, name) + 1;
}

const char *starpu_perf_knob_type_id_to_name(enum starpu_perf_knob_type type)
{
	return type > 0 && (unsigned)type <= TYPES ? types[type - 1] : NULL;
}

int starpu_perf_knob_nb(enum starpu_perf_knob_scope scope)
{
	return 0;
}

int starpu_perf_knob_name_to_id(enum starpu_perf_knob_scope scope, const char *name)
{
	return -1;
}

int starpu_perf_knob_nth_to_id(enum starpu_perf_knob_scope scope, int nth)
{
	return -1;
}

const char *starpu_perf_knob_id_to_name(int id)
{
	return NULL;
}

int starpu_perf_knob_get_type_id(int id)
{
	return 0;
}

const char *starpu_perf_knob_get_help_string(int id)
{
	return NULL;
}

void starpu_perf_knob_list_avail(enum starpu_perf_knob_scope scope)
{
}

void starpu_perf_knob_list_all_avail(void)
{
}

int32_t starpu_perf_knob_get_global_int32_value(const int knob_id)
{
	return 0;
}

int64_t starpu_perf_knob_get_global_int64_value(const int knob_id)
{
	return 0;
}

float starpu_perf_knob_get_global_float_value(const int knob_id)
{
	return 0;
}

double starpu_perf_knob_get_global_double_value(const int knob_id)
{
	return 0;
}

void starpu_perf_knob_set_global_int32_value(const int knob_id, int32_t new_value)
{
}

void starpu_perf_knob_set_global_int64_value(const int knob_id, int64_t new_value)
{
}

void starpu_perf_knob_set_global_float_value(const int knob_id, float new_value)
{
}

void starpu_perf_knob_set_global_double_value(const int knob_id, double new_value)
{
}

int32_t starpu_perf_knob_get_per_worker_int32_value(const int knob_id, unsigned workerid)
{
	return 0;
}

int64_t starpu_perf_knob_get_per_worker_int64_value(const int knob_id, unsigned workerid)
{
	return 0;
}

float starpu_perf_knob_get_per_worker_float_value(const int knob_id, unsigned workerid)
{
	return 0;
}

double starpu_perf_knob_get_per_worker_double_value(const int knob_id, unsigned workerid)
{
	return 0;
}

void starpu_perf_knob_set_per_worker_int32_value(const int knob_id, unsigned workerid, int32_t new_value)
{
}

void starpu_perf_knob_set_per_worker_int64_value(const int knob_id, unsigned workerid, int64_t new_value)
{
}

void starpu_perf_knob_set_per_worker_float_value(const int knob_id, unsigned workerid, float new_value)
{
}

void starpu_perf_knob_set_per_worker_double_value(const int knob_id, unsigned workerid, double new_value)
{
}

int32_t starpu_perf_knob_get_per_scheduler_int32_value(const int knob_id, const char *sched_policy_name)
{
	return 0;
}

int64_t starpu_perf_knob_get_per_scheduler_int64_value(const int knob_id, const char *sched_policy_name)
{
	return 0;
}

float starpu_perf_knob_get_per_scheduler_float_value(const int knob_id, const char *sched_policy_name)
{
	return 0;
}

double starpu_perf_knob_get_per_scheduler_double_value(const int knob_id, const char *sched_policy_name)
{
	return 0;
}

void starpu_perf_knob_set_per_scheduler_int32_value(const int knob_id, const char *sched_policy_name, int32_t new_value)
{
}

void starpu_perf_knob_set_per_scheduler_int64_value(const int knob_id, const char *sched_policy_name, int64_t new_value)
{
}

void starpu_perf_knob_set_per_scheduler_float_value(const int knob_id, const char *sched_policy_name, float new_value)
{
}

void starpu_perf_knob_set_per_scheduler_double_value(const int knob_id, const char *sched_policy_name, double new_value)
{
}
