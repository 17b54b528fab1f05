/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of threads that can be recorded: names for the command that takes them and for the library that reads them in the program. */
#ifndef WEFT_LINK_COUNTER_H
#define WEFT_LINK_COUNTER_H

#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum link_counter_source {
	LINK_COUNTER_PERF,  /* an event of perf_event_open: a descriptor for each thread */
	LINK_COUNTER_USAGE, /* of getrusage for the thread, or its CPU clock */
	LINK_COUNTER_STATM, /* of the process, from /proc */
};
enum link_usage {
	LINK_USAGE_FAULTS,
	LINK_USAGE_MINOR,
	LINK_USAGE_MAJOR,
	LINK_USAGE_SWITCHES,
	LINK_USAGE_YIELDS,
	LINK_USAGE_PREEMPTED,
	LINK_USAGE_USER,
	LINK_USAGE_SYSTEM,
	LINK_USAGE_CLOCK,
	LINK_USAGES
};

struct link_counter {
	const char *name, *other; /* perf's; PAPI's preset, or "" */
	const char *unit, *text;
	uint8_t source;
	bool gauge;      /* what is, not what has been since the last reading */
	uint32_t type;   /* PERF: perf_event_attr's; USAGE: enum link_usage */
	uint64_t config; /* PERF */
};
extern const struct link_counter link_counters[];
extern const unsigned link_n_counters;

enum { LINK_COUNTERS_MOST = 12 }; /* at a time */

/* By either name; or NULL. */
const struct link_counter *link_counter_find(struct weft_str name);
/* A descriptor that counts for the thread (0: the caller), from now on; or -errno. PERF only. */
int link_counter_open(const struct link_counter *c, pid_t tid);

#endif
