/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread does, as its open regions say: the state of the innermost one that says something.
 * This is where 'useful' is decided for all that is computed of our own traces: states, statistics
 * of calls, pictures.
 *
 *     open    solve     step      MPI_Recv          four bytes each, and four for what holds up to that depth
 *     says    running   running   waiting           step says nothing itself
 */
#ifndef WEFT_METRIC_METRIC_STACK_H
#define WEFT_METRIC_METRIC_STACK_H

#include "metric_schema.h"
#include "trace/filter/nest.h"
#include "trace/store/cursor.h"

struct metric_stack {
	const struct metric_schema *schema; /* borrowed */
	struct weft_nest nest;
	WEFT_VEC(uint32_t) says; /* says[depth]: state of what is open up to that depth; room for one more */
	uint32_t outside;        /* the state where nothing is open */
	bool off;                /* recording is */
};
int metric_stack_init(struct metric_stack *k, const struct metric_schema *s,
                      uint32_t thread) WEFT_MUST_CHECK; /* then fini all the same */
void metric_stack_fini(struct metric_stack *k);
/* Of an event that may change it: see METRIC_STACK_KINDS. 0 or -ENOMEM. */
int metric_stack_slowly(struct metric_stack *k, uint32_t what) WEFT_MUST_CHECK;

#define METRIC_STACK_KINDS \
	(UINT64_C(1) << WEFT_EV_ENTER | UINT64_C(1) << WEFT_EV_LEAVE | UINT64_C(1) << WEFT_EV_OFF | UINT64_C(1) << WEFT_EV_ON | \
	 UINT64_C(1) << WEFT_EV_THREAD_END)

static inline WEFT_MUST_CHECK int metric_stack_take(struct metric_stack *k, uint32_t what)
{
	const unsigned kind = weft_what_kind(what), id = weft_what_id(what);
	if (kind == WEFT_EV_LEAVE)
		return weft_nest_leave(&k->nest, id);
	const size_t n = k->nest.open.n;
	if (kind != WEFT_EV_ENTER || k->says.cap < n + 2)
		return metric_stack_slowly(k, what);
	const uint32_t state = k->schema->region_state[id];
	k->says.at[n + 1] = state < PRV_STATES ? state : k->says.at[n];
	return weft_nest_enter(&k->nest, id);
}

/* The state now, by its number in Paraver. */
static inline uint32_t metric_stack_state(const struct metric_stack *k)
{
	const size_t n = k->nest.open.n;
	return k->off ? PRV_STATE_DISABLED : n ? k->says.at[n] : k->outside;
}

/* The innermost region that is open; 0: none. */
static inline uint32_t metric_stack_region(const struct metric_stack *k)
{
	const size_t n = k->nest.open.n;
	return n ? k->nest.open.at[n - 1] : 0;
}

#endif
