/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of Extrae's interface, for programs that call them: `weft record -- ./program` records what they say. A program needs no
 * library for them: they are weak, so where nothing records, test one before a call (`if (Extrae_event) ...`), or link with -lseqtrace.
 */
#ifndef WEFT_EXTRAE_USER_EVENTS_H
#define WEFT_EXTRAE_USER_EVENTS_H

#include "extrae_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EXTRAE_WEAK __attribute__((weak))

EXTRAE_WEAK void Extrae_init(void);
EXTRAE_WEAK void Extrae_fini(void);
EXTRAE_WEAK void Extrae_flush(void);
EXTRAE_WEAK extrae_init_type_t Extrae_is_initialized(void);
EXTRAE_WEAK void Extrae_get_version(unsigned *major, unsigned *minor, unsigned *revision);
/* Nothing is recorded between them. */
EXTRAE_WEAK void Extrae_shutdown(void);
EXTRAE_WEAK void Extrae_restart(void);

EXTRAE_WEAK void Extrae_event(extrae_type_t type, extrae_value_t value);
EXTRAE_WEAK void Extrae_nevent(unsigned n, extrae_type_t *types, extrae_value_t *values);
EXTRAE_WEAK void Extrae_counters(void);
EXTRAE_WEAK void Extrae_eventandcounters(extrae_type_t type, extrae_value_t value);
EXTRAE_WEAK void Extrae_neventandcounters(unsigned n, extrae_type_t *types, extrae_value_t *values);
EXTRAE_WEAK void Extrae_define_event_type(extrae_type_t *type, char *description, unsigned *n_values, extrae_value_t *values,
                                          char **descriptions);
/* A value of 0 of such a type brings back the one before. */
EXTRAE_WEAK void Extrae_register_stacked_type(extrae_type_t type);
/* Values of the two types are addresses: of functions, of lines. */
EXTRAE_WEAK void Extrae_register_codelocation_type(extrae_type_t function_type, extrae_type_t line_type,
                                                   const char *function_text, const char *line_text);
EXTRAE_WEAK void Extrae_register_function_address(void *address, const char *function, const char *file, unsigned line);

/* The caller is entered, or left. */
EXTRAE_WEAK extrae_value_t Extrae_user_function(unsigned enter);
EXTRAE_WEAK extrae_value_t Extrae_user_function_at_level(unsigned enter, unsigned level);

EXTRAE_WEAK void Extrae_init_UserCommunication(struct extrae_UserCommunication *);
EXTRAE_WEAK void Extrae_init_CombinedEvents(struct extrae_CombinedEvents *);
EXTRAE_WEAK void Extrae_emit_CombinedEvents(struct extrae_CombinedEvents *);

EXTRAE_WEAK void Extrae_set_options(int options);
EXTRAE_WEAK void Extrae_set_tracing_tasks(unsigned from, unsigned to);
EXTRAE_WEAK void Extrae_tracing_mode(unsigned long long burst_threshold_ns);
EXTRAE_WEAK void Extrae_previous_hwc_set(void);
EXTRAE_WEAK void Extrae_next_hwc_set(void);
EXTRAE_WEAK void Extrae_network_counters(void);
EXTRAE_WEAK void Extrae_network_routes(int task);
EXTRAE_WEAK void Extrae_suspend_virtual_thread(void);
EXTRAE_WEAK void Extrae_resume_virtual_thread(unsigned thread);
EXTRAE_WEAK void Extrae_set_threadid_function(unsigned (*)(void));
EXTRAE_WEAK void Extrae_set_numthreads_function(unsigned (*)(void));
EXTRAE_WEAK void Extrae_set_taskid_function(unsigned (*)(void));
EXTRAE_WEAK void Extrae_set_numtasks_function(unsigned (*)(void));
EXTRAE_WEAK void Extrae_set_barrier_tasks_function(void (*)(void));

#ifdef __cplusplus
}
#endif

#endif
