/* SPDX-License-Identifier: Apache-2.0 */
/* The interface for Fortran: arguments by reference, texts that end with a zero as C's do (C_NULL_CHAR). */
#include "extrae_priv.h"

static void f_init(void)
{
	extrae_go_on();
}

static void f_fini(void)
{
	weft_flush();
	extrae_stop();
}

static void f_flush(void)
{
	weft_flush();
}

static void f_is_initialized(int *result)
{
	*result = (int)extrae_is_initialized();
}

static void f_version(int *major, int *minor, int *revision)
{
	*major = 5;
	*minor = 1;
	*revision = 2;
}

static void f_stop(void)
{
	extrae_stop();
}

static void f_event(const extrae_type_t *type, const extrae_value_t *value)
{
	extrae_events(1, type, value);
}

static void f_nevent(const unsigned *n, const extrae_type_t *type, const extrae_value_t *value)
{
	extrae_events(*n, type, value);
}

static void f_define_event_type(const extrae_type_t *type, const char *text, const unsigned *n, const extrae_value_t *value,
                                char *const *label)
{
	extrae_define(*type, text, *n, value, label);
}

static void f_register_stacked_type(const extrae_type_t *type)
{
	extrae_stack_type(*type);
}

static extrae_value_t f_user_function(const unsigned *enter)
{
	return extrae_function(*enter != 0, __builtin_return_address(0));
}

static void f_set_options(const int *options)
{
	extrae_set_options(*options);
}

static void f_set_tracing_tasks(const unsigned *from, const unsigned *to)
{
	extrae_set_tasks(*from, *to);
}

static void f_counters(void)
{
	weft_read_counters();
}

static void f_event_counters(const extrae_type_t *type, const extrae_value_t *value)
{
	weft_read_counters();
	extrae_events(1, type, value);
}

static void f_nevent_counters(const unsigned *n, const extrae_type_t *type, const extrae_value_t *value)
{
	weft_read_counters();
	extrae_events(*n, type, value);
}

static void f_nothing(void)
{
}

static void *const calls[LINK_EXTRAE_CALLS] = {
	[LINK_EXTRAE_FORTRAN_init] = (void *)f_init,
	[LINK_EXTRAE_FORTRAN_fini] = (void *)f_fini,
	[LINK_EXTRAE_FORTRAN_flush] = (void *)f_flush,
	[LINK_EXTRAE_FORTRAN_is_initialized] = (void *)f_is_initialized,
	[LINK_EXTRAE_FORTRAN_version] = (void *)f_version,
	[LINK_EXTRAE_FORTRAN_shutdown] = (void *)f_stop,
	[LINK_EXTRAE_FORTRAN_restart] = (void *)f_init,
	[LINK_EXTRAE_FORTRAN_event] = (void *)f_event,
	[LINK_EXTRAE_FORTRAN_nevent] = (void *)f_nevent,
	[LINK_EXTRAE_FORTRAN_counters] = (void *)f_counters,
	[LINK_EXTRAE_FORTRAN_eventandcounters] = (void *)f_event_counters,
	[LINK_EXTRAE_FORTRAN_neventandcounters] = (void *)f_nevent_counters,
	[LINK_EXTRAE_FORTRAN_define_event_type] = (void *)f_define_event_type,
	[LINK_EXTRAE_FORTRAN_register_stacked_type] = (void *)f_register_stacked_type,
	[LINK_EXTRAE_FORTRAN_user_function] = (void *)f_user_function,
	[LINK_EXTRAE_FORTRAN_set_options] = (void *)f_set_options,
	[LINK_EXTRAE_FORTRAN_set_tracing_tasks] = (void *)f_set_tracing_tasks,
	[LINK_EXTRAE_FORTRAN_tracing_mode] = (void *)f_nothing,
	[LINK_EXTRAE_FORTRAN_previous_hwc_set] = (void *)f_nothing,
	[LINK_EXTRAE_FORTRAN_next_hwc_set] = (void *)f_nothing,
	[LINK_EXTRAE_FORTRAN_network_counters] = (void *)f_nothing,
	[LINK_EXTRAE_FORTRAN_network_routes] = (void *)f_nothing,
	[LINK_EXTRAE_FORTRAN_suspend_virtual_thread] = (void *)f_nothing,
	[LINK_EXTRAE_FORTRAN_resume_virtual_thread] = (void *)f_nothing,
};

void extrae_fill_fortran(void **slot)
{
	for (unsigned i = 0; i < LINK_EXTRAE_CALLS; i++)
		if (calls[i])
			__atomic_store_n(&slot[i], calls[i], __ATOMIC_RELEASE);
}
