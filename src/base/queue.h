/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded queue of u64 for many producers and many consumers (D. Vyukov's: a sequence number per cell).
 * push and pop never block and never allocate; they are async-signal-safe in the sense that a handler that interrupts
 * one of them sees "full" or "empty" at worst. Both fail spuriously while another thread is in the middle of a cell.
 */
#ifndef WEFT_BASE_QUEUE_H
#define WEFT_BASE_QUEUE_H

#include "atomic.h"
#include "err.h"
#include <stddef.h>

struct weft_queue_cell {
	struct weft_atomic_u64 seq;
	uint64_t value;
};

struct weft_queue {
	struct weft_queue_cell *cell; /* n_cells of them; borrowed from whoever called init, who keeps it alive */
	uint64_t mask;
	_Alignas(WEFT_CACHE_LINE) struct weft_atomic_u64 head; /* next to pop */
	_Alignas(WEFT_CACHE_LINE) struct weft_atomic_u64 tail; /* next to push */
};

void weft_queue_init(struct weft_queue *q, struct weft_queue_cell *cells, size_t n_cells); /* n_cells: a power of two, >= 2 */
bool weft_queue_push(struct weft_queue *q, uint64_t value);
bool weft_queue_pop(struct weft_queue *q, uint64_t *value);

#endif
