/* SPDX-License-Identifier: Apache-2.0 */
/* The begin of libweft-extrae, and the functions of the interface in C. What both languages do stands here. */
#include "extrae_priv.h"
#include <errno.h>

__attribute__((visibility("default"))) link_calls_begin weft_extrae_begin;

static weft_category category_mpi, category_openmp, category_threads, category_samples;

int weft_extrae_begin(const struct link_calls *with)
{
	if (with->version != LINK_CALLS_VERSION || with->n_calls != LINK_EXTRAE_CALLS)
		return -EPROTO;
	extrae_begin_types();
	extrae_begin_functions();
	extrae_fill_c(with->slot);
	extrae_fill_fortran(with->slot);
	return 0;
}

/* ---- control ---- */

void extrae_stop(void)
{
	weft_stop();
}

void extrae_go_on(void)
{
	(void)weft_start(NULL);
}

static void set_category(weft_category *c, const char *name, bool on)
{
	if (!*c)
		*c = weft_define_category(name, 1);
	weft_switch(*c, on);
}

void extrae_set_options(int options)
{
	set_category(&category_mpi, "mpi", options & EXTRAE_MPI_OPTION);
	set_category(&category_openmp, "openmp", options & EXTRAE_OMP_OPTION);
	set_category(&category_threads, "threads", options & EXTRAE_PTHREAD_OPTION);
	set_category(&category_samples, "samples", options & EXTRAE_SAMPLING_OPTION);
}

void extrae_set_tasks(unsigned from, unsigned to)
{
	unsigned own = (unsigned)extrae_rank();
	if (own < from || own > to)
		weft_stop();
	else
		extrae_go_on();
}

static void call_init(void)
{
	extrae_go_on();
}

static void call_fini(void)
{
	weft_flush();
	weft_stop();
}

static void call_flush(void)
{
	weft_flush();
}

extrae_init_type_t extrae_is_initialized(void)
{
	struct weft_status s;
	weft_get_status(&s);
	return s.recording ? EXTRAE_INITIALIZED_EXTRAE_INIT : EXTRAE_NOT_INITIALIZED;
}

static void call_get_version(unsigned *major, unsigned *minor, unsigned *revision)
{
	*major = 5;
	*minor = 1;
	*revision = 2;
}

static void call_shutdown(void)
{
	extrae_stop();
}

static void call_restart(void)
{
	extrae_go_on();
}

static void call_set_options(int options)
{
	extrae_set_options(options);
}

static void call_set_tracing_tasks(unsigned from, unsigned to)
{
	extrae_set_tasks(from, to);
}

/* ---- events ---- */

void extrae_events(unsigned n, const extrae_type_t *type, const extrae_value_t *value)
{
	struct weft_bundle b;
	weft_bundle_begin(&b);
	for (unsigned i = 0; i < n; i++) {
		struct extrae_event e = extrae_event_of(type[i], value[i]);
		weft_bundle_add(&b, e.type, WEFT_HEAD_POINT, (uint64_t)e.value);
	}
	weft_bundle_record(&b);
}

void extrae_define(extrae_type_t type, const char *text, unsigned n, const extrae_value_t *value, char *const *label)
{
	extrae_define_type(type, text);
	weft_type t = extrae_type_of(type);
	for (unsigned i = 0; i < n && value && label; i++)
		if (label[i])
			weft_define_value(t, (int64_t)value[i], label[i]);
}

static void call_event(extrae_type_t type, extrae_value_t value)
{
	struct extrae_event e = extrae_event_of(type, value);
	weft_point(e.type, e.value);
}

static void call_nevent(unsigned n, extrae_type_t *type, extrae_value_t *value)
{
	extrae_events(n, type, value);
}

static void call_define_event_type(extrae_type_t *type, char *text, unsigned *n, extrae_value_t *value, char **label)
{
	extrae_define(*type, text, n ? *n : 0, value, label);
}

static void call_register_stacked_type(extrae_type_t type)
{
	extrae_stack_type(type);
}

static void call_register_codelocation_type(extrae_type_t function, extrae_type_t line, const char *function_text,
                                            const char *line_text)
{
	extrae_define_type(function, function_text);
	extrae_define_type(line, line_text);
}

static void call_register_function_address(void *at, const char *function, const char *file, unsigned line)
{
	extrae_name_function(at, function, file, line);
}

static extrae_value_t call_user_function(unsigned enter)
{
	return extrae_function(enter != 0, __builtin_return_address(0));
}

static extrae_value_t call_user_function_at_level(unsigned enter, unsigned level)
{
	return extrae_function_at_level(enter != 0, level);
}

static void call_init_user_communication(struct extrae_UserCommunication *c)
{
	*c = (struct extrae_UserCommunication){0};
}

static void call_init_combined_events(struct extrae_CombinedEvents *c)
{
	*c = (struct extrae_CombinedEvents){.UserFunction = EXTRAE_USER_FUNCTION_NONE};
}

static void call_emit_combined_events(struct extrae_CombinedEvents *c)
{
	if (c->UserFunction != EXTRAE_USER_FUNCTION_NONE)
		(void)extrae_function(c->UserFunction != 0, __builtin_return_address(0));
	extrae_events(c->nEvents, c->Types, c->Values);
	for (unsigned i = 0; i < c->nCommunications; i++)
		extrae_message(&c->Communications[i]);
}

static void call_set_taskid_function(unsigned (*rank)(void))
{
	extrae_ask_ranks(rank, NULL);
}

static void call_set_numtasks_function(unsigned (*n)(void))
{
	extrae_ask_ranks(NULL, n);
}

/* What has no counterpart: libweft knows threads itself, sets of counters and bursts are `weft record`'s. */
static void call_nothing(void)
{
}

static void call_counters(void)
{
	weft_read_counters();
}

static void call_event_counters(extrae_type_t type, extrae_value_t value)
{
	weft_read_counters();
	call_event(type, value);
}

static void call_nevent_counters(unsigned n, extrae_type_t *type, extrae_value_t *value)
{
	weft_read_counters();
	call_nevent(n, type, value);
}

static void *const calls[LINK_EXTRAE_CALLS] = {
	[LINK_EXTRAE_init] = (void *)call_init,
	[LINK_EXTRAE_fini] = (void *)call_fini,
	[LINK_EXTRAE_flush] = (void *)call_flush,
	[LINK_EXTRAE_is_initialized] = (void *)extrae_is_initialized,
	[LINK_EXTRAE_get_version] = (void *)call_get_version,
	[LINK_EXTRAE_shutdown] = (void *)call_shutdown,
	[LINK_EXTRAE_restart] = (void *)call_restart,
	[LINK_EXTRAE_event] = (void *)call_event,
	[LINK_EXTRAE_nevent] = (void *)call_nevent,
	[LINK_EXTRAE_counters] = (void *)call_counters,
	[LINK_EXTRAE_eventandcounters] = (void *)call_event_counters,
	[LINK_EXTRAE_neventandcounters] = (void *)call_nevent_counters,
	[LINK_EXTRAE_define_event_type] = (void *)call_define_event_type,
	[LINK_EXTRAE_register_stacked_type] = (void *)call_register_stacked_type,
	[LINK_EXTRAE_register_codelocation_type] = (void *)call_register_codelocation_type,
	[LINK_EXTRAE_register_function_address] = (void *)call_register_function_address,
	[LINK_EXTRAE_user_function] = (void *)call_user_function,
	[LINK_EXTRAE_user_function_at_level] = (void *)call_user_function_at_level,
	[LINK_EXTRAE_init_UserCommunication] = (void *)call_init_user_communication,
	[LINK_EXTRAE_init_CombinedEvents] = (void *)call_init_combined_events,
	[LINK_EXTRAE_emit_CombinedEvents] = (void *)call_emit_combined_events,
	[LINK_EXTRAE_set_options] = (void *)call_set_options,
	[LINK_EXTRAE_set_tracing_tasks] = (void *)call_set_tracing_tasks,
	[LINK_EXTRAE_tracing_mode] = (void *)call_nothing,
	[LINK_EXTRAE_previous_hwc_set] = (void *)call_nothing,
	[LINK_EXTRAE_next_hwc_set] = (void *)call_nothing,
	[LINK_EXTRAE_network_counters] = (void *)call_nothing,
	[LINK_EXTRAE_network_routes] = (void *)call_nothing,
	[LINK_EXTRAE_suspend_virtual_thread] = (void *)call_nothing,
	[LINK_EXTRAE_resume_virtual_thread] = (void *)call_nothing,
	[LINK_EXTRAE_set_threadid_function] = (void *)call_nothing,
	[LINK_EXTRAE_set_numthreads_function] = (void *)call_nothing,
	[LINK_EXTRAE_set_taskid_function] = (void *)call_set_taskid_function,
	[LINK_EXTRAE_set_numtasks_function] = (void *)call_set_numtasks_function,
	[LINK_EXTRAE_set_barrier_tasks_function] = (void *)call_nothing,
};

void extrae_fill_c(void **slot)
{
	for (unsigned i = 0; i < LINK_EXTRAE_CALLS; i++)
		if (calls[i])
			__atomic_store_n(&slot[i], calls[i], __ATOMIC_RELEASE);
}
