/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memory nodes held and what became of data, computed from the rows of a loaded trace:
 *
 *   nodes    memory over time, allocations, copies in and out         points: the curve of each node
 *   data     accesses, allocations, copies of each handle's life      places: the same for each node that it was on
 *   causes   copies by why                                            ways: copies by from where to where
 *   trips    copies that bring a datum back where it came from        (A -> B -> A)
 *
 * allocated: what the runtime has of the node, with what its cache of allocations keeps; managed: of that, what data have now;
 * home: data that the program registered with memory of its own there (parts are their whole's).
 */
#ifndef WEFT_TASKS_DATA_USE_H
#define WEFT_TASKS_DATA_USE_H

#include "task_table.h"

struct weft_use_copies {
	uint64_t n, bytes, ns; /* ns: each copy's time, added */
};
struct weft_use_node {
	uint32_t process, number;
	const char *name, *kind; /* "" where the trace does not say; borrowed */
	uint64_t most_allocated, most_managed, most_home;
	uint64_t allocated_at, managed_at; /* when it first was so much */
	uint64_t mean_allocated;           /* over the whole trace */
	uint64_t allocations, reused;      /* of them by the cache */
	uint64_t refused;                  /* there was no room */
	uint64_t frees, kept;              /* of them into the cache */
	uint64_t evicted;                  /* copies away to make room */
	struct weft_use_copies in, out;
};
struct weft_use_point { /* of a node's curve: so it is from `time` on */
	uint64_t time, allocated, managed, home;
	uint32_t node; /* index */
};
struct weft_use_place { /* a datum on a node */
	uint32_t data, node;
	uint64_t allocations, reused;
	uint64_t allocated_ns, valid_ns;              /* how long it had memory there, and its value */
	uint64_t allocated_since, valid_since, freed; /* private to the making */
	struct weft_use_copies in;
};
struct weft_use_data {                                          /* of the row of weft_tasks.data of the same index */
	uint64_t reads, writes, updates, scratches, reductions; /* accesses by tasks; update: both */
	uint64_t allocations, reused;
	struct weft_use_copies copies, returned;
	uint32_t first_place, n_places;
};
struct weft_use_cause {
	uint32_t cause; /* a string */
	struct weft_use_copies copies;
	uint64_t waited_ns, n_waited; /* from asking to the end, of those that somebody else asked for */
};
struct weft_use_way {
	uint32_t process, from, to;
	struct weft_use_copies copies;
};
struct weft_use_trip {
	uint32_t data;
	uint32_t there, back; /* copies */
};

struct weft_use {
	const struct weft_tasks *tasks; /* borrowed */
	struct weft_use_node *node;     /* by process and number */
	struct weft_use_point *point;   /* by time */
	struct weft_use_place *place;   /* by datum and node */
	struct weft_use_data *data;
	struct weft_use_cause *cause; /* most bytes first */
	struct weft_use_way *way;     /* by process, from, to */
	struct weft_use_trip *trip;   /* by datum, then time */
	uint32_t n_nodes, n_places, n_causes, n_ways, n_trips;
	size_t n_points;
};

/* 0, or negative; fini in any case. */
int weft_use_compute(const struct weft_tasks *t, struct weft_use *out) WEFT_MUST_CHECK;
void weft_use_fini(struct weft_use *u);

#endif
