/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded first-in-first-out queue of small numbers for many producers and many consumers, lock-free: a thread that is stopped,
 * or a signal handler that interrupts one, in the middle of a push or pop is in nobody's way, and "full" and "empty" are true.
 * No allocation; all functions are thread-safe and async-signal-safe, but for init.
 */
#ifndef WEFT_BASE_QUEUE_H
#define WEFT_BASE_QUEUE_H

#include "atomic.h"
#include "err.h"
#include <stddef.h>

#define WEFT_QUEUE_VALUE_BITS 44
#define WEFT_QUEUE_VALUE_MAX ((UINT64_C(1) << WEFT_QUEUE_VALUE_BITS) - 1)

struct weft_queue_cell {
	struct weft_atomic_u64 word;
};

struct weft_queue {
	struct weft_queue_cell *cell; /* n_cells of them; borrowed from whoever called init, who keeps it alive */
	uint64_t mask;
	unsigned shift;                                        /* n_cells == 1 << shift */
	_Alignas(WEFT_CACHE_LINE) struct weft_atomic_u64 head; /* next to pop */
	_Alignas(WEFT_CACHE_LINE) struct weft_atomic_u64 tail; /* next to push */
};

void weft_queue_init(struct weft_queue *q, struct weft_queue_cell *cells, size_t n_cells); /* n_cells: a power of two, >= 2 */
bool weft_queue_push(struct weft_queue *q, uint64_t value); /* false: it was full. value <= WEFT_QUEUE_VALUE_MAX */
bool weft_queue_pop(struct weft_queue *q, uint64_t *value); /* false: it was empty */

/* A pop in two steps: what is in front is looked at, and taken if it still stands there. */
struct weft_queue_front {
	uint64_t position, word, value;
};
bool weft_queue_look(struct weft_queue *q, struct weft_queue_front *out); /* false: it was empty */
bool weft_queue_still(const struct weft_queue *q, const struct weft_queue_front *f);
bool weft_queue_take(struct weft_queue *q, const struct weft_queue_front *f); /* false: somebody else has taken it */

#endif
