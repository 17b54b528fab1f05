/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which stretches of a recording show something new (--representative). Time is cut into stretches of equal length; each is described by how long all
 * threads were in each region, and how often they entered it. A stretch that is near enough to one seen before is of its kind, else it begins one.
 * The first RECORD_KINDS_KEPT of a kind are kept, the others left out.
 */
#ifndef WEFT_CLI_RECORD_KINDS_H
#define WEFT_CLI_RECORD_KINDS_H

#include "base/map.h"
#include "base/vec.h"
#include <stdbool.h>

enum { RECORD_KINDS_KEPT = 2, RECORD_KINDS_MOST = 1000 };

struct record_kinds_part {
	double ns, calls;
};
struct record_kinds_shape { /* by region: 0 is outside of all */
	WEFT_VEC(struct record_kinds_part) part;
};
struct record_kinds_of {
	uint32_t kind; /* from 1; 0: there were too many kinds, or it had not ended */
	bool left_out;
};

struct record_kinds {
	uint64_t origin_ns, stretch_ns;
	double tolerance;
	struct weft_intern region;                /* name -> number - 1 */
	WEFT_VEC(struct record_kinds_shape) open; /* of stretches that are not decided, the first of which is `decided.n` */
	struct {
		WEFT_VEC(struct record_kinds_shape) shape;
		WEFT_VEC(uint32_t) kept;
	} kind;
	WEFT_VEC(struct record_kinds_of) decided;
	bool failed; /* no memory: nothing more is left out */
};

uint32_t record_kinds_region(struct record_kinds *k, struct weft_str name); /* its number; 0: no memory */
uint64_t record_kinds_at(const struct record_kinds *k, uint64_t ns);        /* which stretch a time is in */
/* A thread was in the region from A to B. What lies in stretches that were decided does not count. */
void record_kinds_spend(struct record_kinds *k, uint32_t region, uint64_t from_ns, uint64_t to_ns);
void record_kinds_enter(struct record_kinds *k, uint32_t region, uint64_t at_ns);
/* Everything before this time has been said: stretches that end before are decided. */
void record_kinds_decide(struct record_kinds *k, uint64_t until_ns);
/* How far two are apart: 0, the same, to 1, nothing in common. The greater of that of times and of entries. */
double record_kinds_distance(const struct record_kinds_shape *a, const struct record_kinds_shape *b);
void record_kinds_fini(struct record_kinds *k);

#endif
