/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages. Both ends pay the latency on their own clock. A message moves, eager: once its sender has paid; rendezvous: once the
 * receiver is ready, too (it has posted its receive, or paid in Recv or Wait). A blocking sender of a rendezvous waits until then.
 *
 *     nothing ──> SENT (rendezvous, the receiver is not ready) ──┐
 *        │──────> POSTED (the receiver is ready first) ──────────┴──> MOVING ──> DONE
 *        └──────> MOVING (eager)
 */
#include "sim_priv.h"

struct sim_transfer sim_transfer_of(const struct sim *s, uint64_t message)
{
	const struct weft_replay_program *p = s->p;
	if (message >= p->n_messages)
		return s->extra.at[message - p->n_messages];
	const struct weft_replay_message *m = &p->message[message];
	return (struct sim_transfer){.message = message,
	                             .bytes = m->bytes,
	                             .from = m->from == WEFT_NONE ? SIM_NONE : p->thread[m->from].rank,
	                             .to = m->to == WEFT_NONE ? SIM_NONE : p->thread[m->to].rank};
}

/* SIM_WAITS: the operation has to be run again, when it has had a processor for that. */
int sim_pay(struct sim *s, struct sim_thread *t, double ns)
{
	if (t->paid) {
		t->paid = false;
		return SIM_GO_ON;
	}
	if (ns <= 0)
		return SIM_GO_ON;
	if (t->few) {
		t->paid = true;
		t->at--;
		return sim_compute(s, t, ns, WEFT_REPLAY_LATENCY);
	}
	const double from = t->now;
	t->now += ns;
	sim_row(s, t)->latency_ns += ns;
	return sim_state(s, t, WEFT_REPLAY_LATENCY, from, t->now);
}

int sim_arrived(struct sim *s, uint64_t message, double at)
{
	if (message >= s->p->n_messages) {
		const uint32_t extra = (uint32_t)(message - s->p->n_messages);
		const struct sim_transfer x = s->extra.at[extra];
		return x.staged               ? sim_staged(s, extra, at)
		       : x.gather == SIM_NONE ? sim_moved(s, extra, at)
		                              : sim_reduced(s, &x, at);
	}
	struct sim_message *m = &s->message[message];
	const bool waits = m->state & SIM_RECEIVER_WAITS, late = m->state & SIM_LATE;
	m->state = SIM_DONE | (m->state & (SIM_SENDER_WAITS | SIM_POSTED | SIM_LATE));
	m->time = at;
	s->out->n_messages++;
	if (!waits)
		return 0;
	const struct sim_thread *receiver = &s->thread[s->p->message[message].to];
	sim_row(s, receiver)->immediate += at <= receiver->since && !late;
	return sim_wake(s, s->p->message[message].to, at, 0);
}

static int start_on(struct sim *s, uint64_t message, uint32_t from, const struct sim_way *way, double at)
{
	if (message < s->p->n_messages) {
		s->message[message].state |= SIM_MOVING;
		if (s->times)
			s->times[message].begin_ns = at;
	}
	if (!way->shared && way->from == SIM_NONE && way->to == SIM_NONE && !way->buses)
		return sim_arrived(s, message, at + way->move_ns + way->delay_ns);
	if (s->budget)
		s->budget--;
	const uint32_t sender = s->p->rank[from].first_thread;
	return sim_push(s, (struct sim_event){at, SIM_REQUEST, s->thread[sender].few ? 0 : sender, 0, message});
}

/* It may move from `at` on. */
int sim_start(struct sim *s, uint64_t message, double at)
{
	const struct sim_transfer x = sim_transfer_of(s, message);
	const struct sim_way way = sim_way_of(s, &x);
	return start_on(s, message, x.from, &way, at);
}

static bool is_rendezvous(const struct sim *s, const struct weft_replay_op *op, uint64_t bytes)
{
	const bool always = op->flags & WEFT_REPLAY_FIXED;
	switch (s->how->eager) {
	case WEFT_REPLAY_EAGER_BELOW:
		return always || bytes >= s->how->eager_bytes;
	case WEFT_REPLAY_EAGER_ALL:
		return false;
	default:
		return op->flags & WEFT_REPLAY_SYNC_SEND && (always || bytes >= s->p->eager_below);
	}
}

int sim_send(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op)
{
	const struct weft_replay_message *row = &s->p->message[op->of];
	const struct sim_transfer x = sim_transfer_of(s, op->of);
	const struct sim_way way = sim_way_of(s, &x);
	const double called = t->now;
	int rc = s->sink.op && !t->paid ? s->sink.op(s->sink.arg, sim_number(s, t), op, t->now) : 0;
	if (!rc)
		rc = sim_pay(s, t, way.pay_ns);
	if (rc)
		return rc;
	sim_row(s, t)->sent++;
	sim_row(s, t)->bytes_sent += row->bytes;
	if (row->to == WEFT_NONE)
		return SIM_GO_ON;
	struct sim_message *m = &s->message[op->of];
	if (s->times)
		s->times[op->of].send_ns = called;
	if (!is_rendezvous(s, op, row->bytes))
		return start_on(s, op->of, x.from, &way, t->now);
	if (!(m->state & SIM_POSTED)) {
		m->state |= SIM_SENT;
		m->time = t->now;
		if (op->flags & WEFT_REPLAY_IMMEDIATE)
			return SIM_GO_ON;
		m->state |= SIM_SENDER_WAITS;
		sim_wait(s, t, SIM_FOR_RECEIVER, op->of);
		return SIM_WAITS;
	}
	const double began = t->now, begin = m->time > began ? m->time : began;
	if (m->time >= began)
		m->state |= SIM_LATE;
	rc = start_on(s, op->of, x.from, &way, begin);
	return rc || (op->flags & WEFT_REPLAY_IMMEDIATE) ? rc : sim_until(s, t, SIM_FOR_RECEIVER, begin);
}

/* The receiver is ready from `at` on. */
static int ready(struct sim *s, uint64_t message, double at)
{
	struct sim_message *m = &s->message[message];
	if (m->state & SIM_POSTED)
		return 0;
	if (s->times)
		s->times[message].post_ns = at;
	if (!(m->state & SIM_SENT)) {
		if (!(m->state & (SIM_MOVING | SIM_DONE)))
			m->time = at;
		m->state |= SIM_POSTED;
		return 0;
	}
	const double begin = at > m->time ? at : m->time;
	const bool waits = m->state & SIM_SENDER_WAITS;
	m->state = (m->state & ~(uint32_t)SIM_SENDER_WAITS) | SIM_POSTED | (at >= m->time ? SIM_LATE : 0);
	int rc = sim_start(s, message, begin);
	return rc || !waits ? rc : sim_wake(s, s->p->message[message].from, begin, 0);
}

int sim_post(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op)
{
	return s->p->message[op->of].from == WEFT_NONE ? 0 : ready(s, op->of, t->now);
}

static int tell(struct sim *s, uint64_t message, double end)
{
	const struct sim_times *at = &s->times[message];
	const struct weft_replay_transfer x = {message, at->send_ns, at->begin_ns, at->post_ns, s->message[message].time, end};
	return s->sink.message(s->sink.arg, &x);
}

/* The message is there, or will be at m->time. */
static int take(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op, const struct sim_message *m)
{
	int rc = 0;
	if (m->time <= t->now)
		sim_row(s, t)->immediate += !(m->state & SIM_LATE);
	else if (t->few && s->times) {
		t->has_come = true;
		t->at--;
		return sim_until(s, t, SIM_FOR_MESSAGE, m->time);
	} else
		rc = sim_until(s, t, SIM_FOR_MESSAGE, m->time);
	return rc || !s->times ? rc : tell(s, op->of, t->now);
}

int sim_receive(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op)
{
	const struct sim_transfer x = sim_transfer_of(s, op->of);
	if (t->has_come) { /* it was woken: the message is there */
		t->has_come = false;
		return s->times ? tell(s, op->of, t->now) : 0;
	}
	const double called = t->now;
	int rc = sim_pay(s, t, sim_pay_ns(s, &x));
	if (rc)
		return rc;
	struct weft_replay_rank_result *row = sim_row(s, t);
	row->received++;
	row->bytes_received += x.bytes;
	if (x.from == SIM_NONE)
		return SIM_GO_ON;
	struct sim_message *m = &s->message[op->of];
	rc = ready(s, op->of, t->now);
	if (rc)
		return rc;
	if (s->times && (op->kind == WEFT_REPLAY_RECV || s->how->receive_at_wait))
		s->times[op->of].post_ns = called;
	if (m->state & SIM_DONE)
		return take(s, t, op, m);
	m->state |= SIM_RECEIVER_WAITS;
	if (s->times) { /* it is told when it is there: the operation is run once more */
		t->has_come = true;
		t->at--;
	}
	sim_wait(s, t, SIM_FOR_MESSAGE, op->of);
	return SIM_WAITS;
}
