/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of libweft-extrae share. Functions that the program calls are called as in extrae_user_events.h, without "Extrae_". */
#ifndef WEFT_EXTRAE_PRIV_H
#define WEFT_EXTRAE_PRIV_H

#include "link/link_extrae.h"
#include <extrae_types.h>
#include <stdbool.h>
#include <weft/record.h>

/* ---- extrae_type.c: types of events ---- */

/* With the value that stands in the trace: of a stacked type the one before where the program says 0. */
struct extrae_event {
	weft_type type;
	int64_t value;
};
struct extrae_event extrae_event_of(extrae_type_t type, extrae_value_t value);
void extrae_define_type(extrae_type_t type, const char *text);
/* May be called from any thread; ends at the first one that has a label. */
weft_type extrae_type_of(extrae_type_t type);
void extrae_stack_type(extrae_type_t type);
void extrae_begin_types(void);

/* ---- extrae_function.c: functions of the program ---- */

/* The function whose code `at` is in, at this thread. at == NULL: nothing. */
extrae_value_t extrae_function(bool enter, void *at);
extrae_value_t extrae_function_at_level(bool enter, unsigned level);
void extrae_name_function(const void *at, const char *function, const char *file, unsigned line);
void extrae_begin_functions(void);

/* ---- extrae_message.c: communications ---- */

int extrae_rank(void);
void extrae_ask_ranks(unsigned (*rank)(void), unsigned (*n)(void)); /* NULL: as before */
void extrae_message(const struct extrae_UserCommunication *);

/* ---- the slots: extrae_call.c in C, extrae_fortran.c ---- */

void extrae_fill_c(void **slot);
void extrae_fill_fortran(void **slot);

/* What both languages do. */
extrae_init_type_t extrae_is_initialized(void);
void extrae_events(unsigned n, const extrae_type_t *type, const extrae_value_t *value);
void extrae_define(extrae_type_t type, const char *text, unsigned n, const extrae_value_t *value, char *const *label);
void extrae_set_options(int options);
void extrae_set_tasks(unsigned from, unsigned to);
void extrae_stop(void);
void extrae_go_on(void);

#endif
