/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The energy that the machine's processors have taken (and their memory, where it is counted beside them). Where it is counted:
 *
 *     powercap   a tree of folders, /sys/class/powercap or what WEFT_POWERCAP names: the zones "package-N" with their zones "dram";
 *                where there is no package, the zone "psys" of the whole platform
 *     perf       the events energy-pkg and energy-ram of each package, or energy-psys; not asked when WEFT_POWERCAP is set
 *
 * The counters are the hardware's: they change every millisecond or so, and run over by and by, which is noticed as long as somebody
 * asks once a minute. Thread-safe.
 */
#ifndef WEFT_RUNTIME_METER_ENERGY_H
#define WEFT_RUNTIME_METER_ENERGY_H

#include "base/err.h"
#include <stdint.h>

/* Counted: each open has its close. 0, or -ENODEV and `err` says what is missing. */
int rt_energy_open(struct weft_err *err) WEFT_MUST_CHECK;
void rt_energy_close(void);
/* Joules since it was opened first. */
double rt_energy_joules(void);

/* One counter; the others of the folder add their own. */
struct rt_energy_source {
	int fd;
	uint64_t (*read)(const struct rt_energy_source *s); /* what the counter says */
	double joules;                                      /* of one of its units */
	uint64_t range;                                     /* where it runs over; 0: never */
	uint64_t last;
};
enum { RT_ENERGY_SOURCES = 32 };
/* energy_perf.c: how many it has put to `at`. */
unsigned rt_energy_of_perf(struct rt_energy_source *at, unsigned most);

#endif
