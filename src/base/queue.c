/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bounded queue for many producers and many consumers: Dmitry Vyukov's "Bounded MPMC queue" (1024cores.net, 2010).
 *
 *     position p uses cell p & mask, whose seq says whose turn it is:
 *         seq == p          free, to be pushed at position p
 *         seq == p + 1      holds the value of position p, to be popped
 *         seq == p + cells  popped; free for the push of the next round
 *
 * Who wins the compare-and-swap on tail (head) owns the cell; its store of seq with release, and the other side's load
 * with acquire, carry the value over. head and tail carry no data, so they are read relaxed: a stale one only makes
 * the compare-and-swap fail, or seq say "not yet", which is rechecked against a fresh position.
 * Any thread may call push and pop at any time. init is before all of them.
 */
#include "queue.h"

void weft_queue_init(struct weft_queue *q, struct weft_queue_cell *cells, size_t n_cells)
{
	q->cell = cells;
	q->mask = n_cells - 1;
	/* Relaxed: whoever hands the queue to other threads synchronises with them. */
	for (size_t i = 0; i < n_cells; i++)
		weft_store_relaxed_u64(&cells[i].seq, i);
	weft_store_relaxed_u64(&q->head, 0);
	weft_store_relaxed_u64(&q->tail, 0);
}

/*
 * Takes the position at *end once the cell there has seq == position + offset; NULL when that cell is still one round
 * behind. A cell ahead means that the position was stale.
 */
static struct weft_queue_cell *queue_claim(struct weft_queue *q, struct weft_atomic_u64 *end, uint64_t offset, uint64_t *position)
{
	uint64_t p = weft_load_relaxed_u64(end);
	for (;;) {
		struct weft_queue_cell *c = &q->cell[p & q->mask];
		int64_t ahead = (int64_t)(weft_load_u64(&c->seq) - (p + offset));
		if (ahead < 0)
			return NULL;
		if (ahead > 0) {
			p = weft_load_relaxed_u64(end);
		} else if (weft_cas_u64(end, &p, p + 1)) {
			*position = p;
			return c;
		}
	}
}

bool weft_queue_push(struct weft_queue *q, uint64_t value)
{
	uint64_t p;
	struct weft_queue_cell *c = queue_claim(q, &q->tail, 0, &p);
	if (!c)
		return false;
	c->value = value;
	weft_store_u64(&c->seq, p + 1);
	return true;
}

bool weft_queue_pop(struct weft_queue *q, uint64_t *value)
{
	uint64_t p;
	struct weft_queue_cell *c = queue_claim(q, &q->head, 1, &p);
	if (!c)
		return false;
	*value = c->value;
	weft_store_u64(&c->seq, p + q->mask + 1);
	return true;
}
