/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One-sided operations. Who puts pays its latency and goes on; what it puts moves from then on, and needs nobody at the other end. What is
 * got begins to move one latency later, when the wish for it is there. A flush (also that of a fence, of the end of a lock or of an access
 * epoch) waits until all that the thread has begun is there.
 */
#include "sim_priv.h"
#include <errno.h>
#include <math.h>

int sim_keep(struct sim *s, struct sim_transfer x, uint64_t *number)
{
	uint32_t i = s->free_extra;
	if (i == SIM_NONE) {
		i = (uint32_t)s->extra.n;
		if (weft_vec_push(&s->extra, x))
			return -ENOMEM;
	} else {
		s->free_extra = s->extra.at[i].waiter;
		s->extra.at[i] = x;
	}
	*number = s->p->n_messages + i;
	return 0;
}

void sim_free_extra(struct sim *s, uint32_t extra)
{
	s->extra.at[extra].waiter = s->free_extra;
	s->free_extra = extra;
}

int sim_remote(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op)
{
	const bool gets = op->kind == WEFT_REPLAY_GET;
	const struct sim_transfer x = {.message = UINT64_MAX,
	                               .bytes = (uint64_t)op->value,
	                               .from = gets ? op->what : t->rank,
	                               .to = gets ? t->rank : op->what,
	                               .gather = SIM_NONE,
	                               .origin = sim_number(s, t)};
	const struct sim_way way = sim_way_of(s, &x);
	struct weft_replay_rank_result *row = sim_row(s, t);
	uint64_t number;
	int rc = sim_pay(s, t, way.pay_ns);
	if (rc)
		return rc;
	row->sent += !gets;
	row->bytes_sent += gets ? 0 : x.bytes;
	row->received += gets;
	row->bytes_received += gets ? x.bytes : 0;
	t->moving++;
	rc = sim_keep(s, x, &number);
	return rc ? rc : sim_start(s, number, t->now + (gets ? way.pay_ns + way.delay_ns : 0));
}

int sim_moved(struct sim *s, uint32_t extra, double at)
{
	const uint32_t number = s->extra.at[extra].origin;
	struct sim_thread *t = &s->thread[number];
	sim_free_extra(s, extra);
	s->out->n_messages++;
	t->moved = fmax(t->moved, at);
	if (--t->moving || t->waits != SIM_FOR_MOVES)
		return 0;
	return sim_wake(s, number, t->moved, 0);
}

int sim_flush(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op)
{
	(void)op;
	if (!t->moving)
		return sim_until(s, t, SIM_FOR_MOVES, t->moved);
	sim_wait(s, t, SIM_FOR_MOVES, 0);
	return SIM_WAITS;
}
