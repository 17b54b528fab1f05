/* SPDX-License-Identifier: Apache-2.0 */
/* Knobs: each has a row in the table of names, and one of the two functions that read and turn it. */
#ifndef WEFT_RUNTIME_MONITOR_KNOB_H
#define WEFT_RUNTIME_MONITOR_KNOB_H

#include "monitor_names.h"
#include <stdbool.h>

enum knob {
	KNOB_CALIBRATE,
	KNOB_CATCH_SIGNALS,
	KNOB_BIND,
	KNOB_ENABLE,
	KNOB_MAX_PRIORITY,
	KNOB_MIN_PRIORITY,
	KNOB_ALPHA,
	KNOB_BETA,
	KNOB_GAMMA,
	KNOB_IDLE_POWER,
	KNOBS
};
extern const struct monitor_items knob_items;

/* Whose it is: of a worker, of a policy, or of neither. */
struct knob_of {
	unsigned worker;
	struct sched_knobs *policy;
};
/* A value of whatever type: double holds all of an int32 and a float. */
double knob_read(unsigned at, const struct knob_of *of);
/* With the lock of monitor.h. False, and a line: it is refused. */
bool knob_turn(unsigned at, const struct knob_of *of, double value);

#endif
