/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the calling thread, by name, through perf_event_open. Names are PAPI's for what the processor counts (PAPI_TOT_CYC), or
 * perf's for that and for what the kernel counts (cycles, page-faults, LLC-load-misses, sched:sched_switch, r01c2), with or without
 * PAPI's "perf::" and the kernel's PERF_COUNT_HW_ and PERF_COUNT_SW_ before them; upper or lower case.
 */
#ifndef WEFT_RUNTIME_METER_EVENTS_H
#define WEFT_RUNTIME_METER_EVENTS_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

enum { RT_EVENTS = 15, RT_EVENT_NAME = 64 };

/* What a name means to perf. */
struct rt_event {
	char name[RT_EVENT_NAME]; /* as it was given */
	uint32_t type;
	uint64_t config;
};
/* events_names.c: 0, or -EINVAL and `err` says why. */
int rt_event_find(struct rt_event *e, const char *name, struct weft_err *err) WEFT_MUST_CHECK;

struct rt_events {
	unsigned n;
	struct rt_event event[RT_EVENTS];
};
/*
 * Names separated by blanks and commas. Those that are not known, or that the calling thread cannot count, are left out, and said one
 * by one.
 */
void rt_events_parse(struct rt_events *e, const char *text, void (*say)(const char *line));

/* The counters of a thread, which opens and reads them. */
struct rt_event_counters {
	unsigned n;
	bool grouped; /* read together */
	int fd[RT_EVENTS];
};
/* 0 or negative: none is open. */
int rt_event_open(struct rt_event_counters *c, const struct rt_events *e) WEFT_MUST_CHECK;
void rt_event_read(const struct rt_event_counters *c, long long *values);
void rt_event_close(struct rt_event_counters *c);

#endif
