/* SPDX-License-Identifier: Apache-2.0 */
/* Counters that can be recorded: names for the command that takes them and for the libraries that read them in the program. */
#ifndef WEFT_LINK_COUNTER_H
#define WEFT_LINK_COUNTER_H

#include "base/err.h"
#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum link_counter_source {
	LINK_COUNTER_PERF,   /* an event of perf_event_open: of a thread */
	LINK_COUNTER_USAGE,  /* of getrusage, or a CPU clock: of a thread */
	LINK_COUNTER_STATM,  /* of the process, from /proc */
	LINK_COUNTER_HEAP,   /* of the process, from the C library */
	LINK_COUNTER_ENERGY, /* of the machine, from powercap */
	LINK_COUNTER_NET,    /* of the machine, from /proc/net/dev */
	LINK_COUNTER_MPI_T,  /* of the process, from MPI: performance variables */
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
	LINK_USAGE_BLOCKS_IN,
	LINK_USAGE_BLOCKS_OUT,
	LINK_USAGE_SIGNALS,
	LINK_USAGES
};

struct link_counter {
	const char *name, *other; /* perf's; PAPI's preset, or "" */
	const char *unit, *text;
	uint8_t source;
	bool gauge; /* what is, not what has been since the last reading */
	uint32_t
		type; /* PERF: perf_event_attr's; USAGE: enum link_usage; NET: 1 for what is sent; HEAP: which, as Extrae counts */
	uint64_t config; /* PERF */
};
extern const struct link_counter link_counters[];
extern const unsigned link_n_counters;

/* A descriptor that counts for the thread (0: the caller), in the group of `leader` (or -1); or -errno. PERF only. */
struct link_counted;
int link_counter_open(const struct link_counter *c, pid_t tid, int leader);

/* ---- what is to be read, and where ---- */

/*
 *     LIST[/LIST...][@WHERE[:TURN]]      in WEFT_COUNTERS more such parts follow, behind semicolons
 *
 * LIST: names with commas between; lists take turns, TURN each (a second, if it is not said). WHERE: "samples"; "regions", or names of categories
 * with + between: at the begin and end of regions; a time: each so often, of the whole process.
 * A name: of the table, by either name; rHEX, an event of the processor by its code; net-rx:IF, net-tx:IF, of one interface;
 * mpi_t:PATTERN, performance variables of MPI.
 */
enum {
	LINK_COUNTERS_MOST = 12 /* in a list */,
	LINK_COUNTED_MOST = 32 /* in all */,
	LINK_PLANS_MOST = 4,
	LINK_COUNTER_NAME = 64
};
enum link_counter_where { LINK_AT_SAMPLES, LINK_AT_REGIONS, LINK_AT_TIMES };

struct link_counted {
	struct link_counter of; /* its name: below */
	char name[LINK_COUNTER_NAME];
	const char *part; /* behind the colon of a name: within `name`; "" */
	uint8_t plan, set;
};
struct link_plan {
	enum link_counter_where where;
	uint8_t n_sets;
	uint64_t each_ns, turn_ns;
	char categories[LINK_COUNTER_NAME]; /* with + between; "": those that are worth it */
};
struct link_plans {
	unsigned n, n_counted;
	struct link_plan plan[LINK_PLANS_MOST];
	struct link_counted counted[LINK_COUNTED_MOST]; /* in the order of plans and sets */
};
/* 0, or -EINVAL with a text that begins with what cannot be read. */
int link_plans_read(const char *text, struct link_plans *out, struct weft_err *err) WEFT_MUST_CHECK;
/* Whether regions of the category are read at. */
bool link_plan_wants(const struct link_plan *p, const char *category);

#endif
