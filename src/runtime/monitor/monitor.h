/* SPDX-License-Identifier: Apache-2.0 */
/* The life of counters and knobs: they begin and end with the runtime, and who starts, stops or turns something has one lock. */
#ifndef WEFT_RUNTIME_MONITOR_H
#define WEFT_RUNTIME_MONITOR_H

#include "runtime/task/machine.h"

extern const struct rt_layer rt_layer_monitor; /* the last: what it turns is there */

void monitor_lock(void);
void monitor_unlock(void);
bool monitor_is_up(void); /* with the lock: the runtime has begun, and does not end yet */

/* counter_count.c, knob_turn.c: with the lock */
void counter_begin(void);
void counter_end(void); /* workers are gone */

#endif
