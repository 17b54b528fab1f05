/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock-free bounded queue, after C.-H. Shann, T.-L. Huang, C. Chen: "A practical nonblocking queue algorithm using
 * compare-and-swap" (ICPADS 2000). Position p uses cell p & mask, in round p / n_cells. A cell is one word:
 *
 *     63       45   44      43      0          EMPTY(r)  to be pushed in round r
 *     +----------+--------+----------+         FULL(r)   holds the value that was pushed in round r
 *     |  round   |  full  |  value   |         EMPTY(0) -> FULL(0) -> EMPTY(1) -> FULL(1) -> ...
 *     +----------+--------+----------+
 *
 * One compare-and-swap on the cell at tail is the push, one on the cell at head is the pop. head and tail only say where to look:
 * whoever finds a cell that is further on than they say moves them on, for the thread that did not come to it. So nobody waits for
 * anybody. They never pass a cell that has not been pushed (popped): so when position p, to which tail has come, still holds the value
 * of the round before, the queue is full at that moment; likewise when what head has come to has not been pushed, it is empty.
 *
 * The round keeps a compare-and-swap that comes late from succeeding, unless it sleeps while 2^19 rounds pass exactly.
 * A value is handed over by the release of the push's and the acquire of the pop's compare-and-swap.
 */
#include "queue.h"

#define FULL_BIT (UINT64_C(1) << WEFT_QUEUE_VALUE_BITS)
#define ROUND_SHIFT (WEFT_QUEUE_VALUE_BITS + 1)

/* The word of the position's cell as it is before the push; the round's upper bits are shifted out. */
static uint64_t queue_empty(const struct weft_queue *q, uint64_t position)
{
	return position >> q->shift << ROUND_SHIFT;
}

static uint64_t queue_next_round(uint64_t word)
{
	return (word & ~(FULL_BIT | WEFT_QUEUE_VALUE_MAX)) + (UINT64_C(1) << ROUND_SHIFT);
}

static bool queue_is_full(uint64_t word, uint64_t empty)
{
	return (word & ~WEFT_QUEUE_VALUE_MAX) == (empty | FULL_BIT);
}

static void queue_move_on(struct weft_atomic_u64 *end, uint64_t from)
{
	(void)weft_cas_u64(end, &from, from + 1);
}

void weft_queue_init(struct weft_queue *q, struct weft_queue_cell *cells, size_t n_cells)
{
	q->cell = cells;
	q->mask = n_cells - 1;
	q->shift = (unsigned)__builtin_ctzll(n_cells);
	/* Relaxed: whoever hands the queue to other threads synchronises with them. */
	for (size_t i = 0; i < n_cells; i++)
		weft_store_relaxed_u64(&cells[i].word, 0);
	weft_store_relaxed_u64(&q->head, 0);
	weft_store_relaxed_u64(&q->tail, 0);
}

bool weft_queue_push(struct weft_queue *q, uint64_t value)
{
	for (;;) {
		uint64_t p = weft_load_u64(&q->tail), empty = queue_empty(q, p);
		struct weft_atomic_u64 *cell = &q->cell[p & q->mask].word;
		uint64_t word = weft_load_u64(cell);
		if (word == empty) {
			if (!weft_cas_u64(cell, &word, empty | FULL_BIT | value))
				continue;
			queue_move_on(&q->tail, p);
			return true;
		}
		if (queue_is_full(word, empty - (UINT64_C(1) << ROUND_SHIFT)))
			return false;
		queue_move_on(&q->tail, p);
	}
}

bool weft_queue_look(struct weft_queue *q, struct weft_queue_front *out)
{
	for (;;) {
		uint64_t p = weft_load_u64(&q->head), empty = queue_empty(q, p);
		uint64_t word = weft_load_u64(&q->cell[p & q->mask].word);
		if (queue_is_full(word, empty)) {
			*out = (struct weft_queue_front){p, word, word & WEFT_QUEUE_VALUE_MAX};
			return true;
		}
		if (word == empty)
			return false;
		queue_move_on(&q->head, p);
	}
}

bool weft_queue_still(const struct weft_queue *q, const struct weft_queue_front *f)
{
	return weft_load_u64(&q->cell[f->position & q->mask].word) == f->word;
}

bool weft_queue_take(struct weft_queue *q, const struct weft_queue_front *f)
{
	uint64_t word = f->word;
	if (!weft_cas_u64(&q->cell[f->position & q->mask].word, &word, queue_next_round(f->word)))
		return false;
	queue_move_on(&q->head, f->position);
	return true;
}

bool weft_queue_pop(struct weft_queue *q, uint64_t *value)
{
	struct weft_queue_front f;
	do {
		if (!weft_queue_look(q, &f))
			return false;
	} while (!weft_queue_take(q, &f));
	*value = f.value;
	return true;
}
