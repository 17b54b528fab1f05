/* SPDX-License-Identifier: Apache-2.0 */
/* What names of events mean to perf: tables of single names, and those that are put together (caches, tracepoints, raw numbers). */
#include "events.h"
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HW(name, event) \
	{ \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event \
	}
#define SW(name, event) \
	{ \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event \
	}
#define CACHE(which, op, result) \
	(PERF_COUNT_HW_CACHE_##which | PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define CA(name, which, op, result) \
	{ \
		name, PERF_TYPE_HW_CACHE, CACHE(which, op, result) \
	}

/* In lower case, with '-' for '_'. PAPI's presets stand with what perf counts for them; others differ from processor to processor. */
static const struct known {
	const char *name;
	uint32_t type;
	uint64_t config;
} known[] = {
	HW("cycles", CPU_CYCLES),
	HW("cpu-cycles", CPU_CYCLES),
	HW("papi-tot-cyc", CPU_CYCLES),
	HW("instructions", INSTRUCTIONS),
	HW("papi-tot-ins", INSTRUCTIONS),
	HW("ref-cycles", REF_CPU_CYCLES),
	HW("ref-cpu-cycles", REF_CPU_CYCLES),
	HW("papi-ref-cyc", REF_CPU_CYCLES),
	HW("bus-cycles", BUS_CYCLES),
	HW("branches", BRANCH_INSTRUCTIONS),
	HW("branch-instructions", BRANCH_INSTRUCTIONS),
	HW("papi-br-ins", BRANCH_INSTRUCTIONS),
	HW("branch-misses", BRANCH_MISSES),
	HW("papi-br-msp", BRANCH_MISSES),
	HW("cache-references", CACHE_REFERENCES),
	HW("papi-l3-tca", CACHE_REFERENCES),
	HW("cache-misses", CACHE_MISSES),
	HW("papi-l3-tcm", CACHE_MISSES),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND),
	HW("papi-res-stl", STALLED_CYCLES_BACKEND),
	CA("papi-l1-dcm", L1D, READ, MISS),
	CA("papi-l1-ldm", L1D, READ, MISS),
	CA("papi-l1-icm", L1I, READ, MISS),
	CA("papi-l3-ldm", LL, READ, MISS),
	CA("papi-tlb-dm", DTLB, READ, MISS),
	CA("papi-tlb-im", ITLB, READ, MISS),
	SW("cpu-clock", CPU_CLOCK),
	SW("task-clock", TASK_CLOCK),
	SW("page-faults", PAGE_FAULTS),
	SW("faults", PAGE_FAULTS),
	SW("page-faults-min", PAGE_FAULTS_MIN),
	SW("minor-faults", PAGE_FAULTS_MIN),
	SW("page-faults-maj", PAGE_FAULTS_MAJ),
	SW("major-faults", PAGE_FAULTS_MAJ),
	SW("context-switches", CONTEXT_SWITCHES),
	SW("cs", CONTEXT_SWITCHES),
	SW("cpu-migrations", CPU_MIGRATIONS),
	SW("migrations", CPU_MIGRATIONS),
	SW("alignment-faults", ALIGNMENT_FAULTS),
	SW("emulation-faults", EMULATION_FAULTS),
};

/* "llc-load-misses" is a cache and what happens there. */
static const struct part {
	const char *name;
	uint64_t config;
} caches[] =
	{
		{"l1-dcache-", PERF_COUNT_HW_CACHE_L1D}, {"l1-icache-", PERF_COUNT_HW_CACHE_L1I},
		{"llc-", PERF_COUNT_HW_CACHE_LL},        {"dtlb-", PERF_COUNT_HW_CACHE_DTLB},
		{"itlb-", PERF_COUNT_HW_CACHE_ITLB},     {"node-", PERF_COUNT_HW_CACHE_NODE},
},
  happenings[] = {
	  {"loads", PERF_COUNT_HW_CACHE_OP_READ << 8},
	  {"load-misses", PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
	  {"stores", PERF_COUNT_HW_CACHE_OP_WRITE << 8},
	  {"store-misses", PERF_COUNT_HW_CACHE_OP_WRITE << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
	  {"prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH << 8},
	  {"prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
};

static bool find_known(struct rt_event *e, const char *plain)
{
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (!strcmp(known[i].name, plain)) {
			e->type = known[i].type;
			e->config = known[i].config;
			return true;
		}
	return false;
}

static bool find_cache(struct rt_event *e, const char *plain)
{
	for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
		size_t length = strlen(caches[i].name);
		for (size_t k = 0; k < sizeof happenings / sizeof happenings[0]; k++)
			if (!strncmp(caches[i].name, plain, length) && !strcmp(happenings[k].name, plain + length)) {
				e->type = PERF_TYPE_HW_CACHE;
				e->config = caches[i].config | happenings[k].config;
				return true;
			}
	}
	return false;
}

/* "r01c2" */
static bool find_raw(struct rt_event *e, const char *plain)
{
	char *end;
	if (plain[0] != 'r' || !isxdigit((unsigned char)plain[1]))
		return false;
	e->type = PERF_TYPE_RAW;
	e->config = strtoull(plain + 1, &end, 16);
	return !*end;
}

/* "sched:sched_switch", as it is written. */
static bool find_tracepoint(struct rt_event *e)
{
	static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[256];
	const char *colon = strchr(e->name, ':');
	unsigned long long id = 0;
	if (!colon || colon[1] == ':' || strchr(e->name, '/') || strstr(e->name, ".."))
		return false;
	for (size_t i = 0; i < 2 && !id; i++) {
		snprintf(path, sizeof path, "%s/events/%.*s/%s/id", roots[i], (int)(colon - e->name), e->name, colon + 1);
		FILE *f = fopen(path, "re");
		if (f && fscanf(f, "%llu", &id) != 1)
			id = 0;
		if (f)
			fclose(f);
	}
	e->type = PERF_TYPE_TRACEPOINT;
	e->config = id;
	return id;
}

static const char *without(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);
	return strncmp(name, prefix, n) ? name : name + n;
}

int rt_event_find(struct rt_event *e, const char *name, struct weft_err *err)
{
	char plain[RT_EVENT_NAME];
	size_t n = 0;
	*e = (struct rt_event){0};
	snprintf(e->name, sizeof e->name, "%s", name);
	for (; n + 1 < sizeof plain && name[n]; n++)
		plain[n] = name[n] == '_' ? '-' : (char)tolower((unsigned char)name[n]);
	plain[n] = '\0';
	const char *at = without(without(without(plain, "perf::"), "perf-count-hw-"), "perf-count-sw-");
	if (find_known(e, at) || find_cache(e, at) || find_raw(e, at) || find_tracepoint(e))
		return 0;
	return weft_err_set(err, -EINVAL, "event '%s' is not known", name);
}
