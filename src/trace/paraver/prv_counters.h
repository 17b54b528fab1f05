/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of event types that other tools know, so that views which name them compute on our traces, too. */
#ifndef WEFT_PARAVER_PRV_COUNTERS_H
#define WEFT_PARAVER_PRV_COUNTERS_H

#include "base/str.h"
#include "prv_names.h"
#include <stdbool.h>

struct weft_trace;
struct weft_def_table;

bool prv_papi_number(struct weft_str name, uint32_t *number); /* "PAPI_TOT_INS": 42000050 */
/* Of presets, by PAPI's names and the kernel's, of getrusage's counters and the heap; 0: it has none of its own. */
uint32_t prv_counter_fixed(const char *name);
/* In a trace: the first counter that has such a number gets it, others PRV_COUNTERS + id. O(counters). */
uint32_t prv_counter_number(const struct weft_def_table *counters, uint32_t id);

/* By enum of PRV_COLLECTIVE and on. */
extern const uint32_t prv_other_number[PRV_OTHERS_END];
/* The number that a written .prv gives to the communicator; 0: it has none there. O(communicators). */
uint32_t prv_comm_number(const struct weft_trace *t, uint32_t id);
/* Whether the thread's process is the one of that rank in the communicator. */
bool prv_is_root(const struct weft_trace *t, uint32_t thread, uint32_t comm, int32_t root);

#endif
