/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links and buses. A transfer takes both of its links at once or none: who finds one busy stands in line at the port of its sender and
 * at that of its receiver, and when a transfer ends, those that came first among those that can go now go. So who waits for a
 * receiver's link holds no sender's, and others of the same sender pass it (Dimemas' "new protocol"). With its links it
 * stands in line for a bus, and holds them meanwhile.
 */
#include "sim_priv.h"
#include <errno.h>

/* ---- what is free ---- */

static bool free_out(const struct sim_port *p)
{
	return p->half ? p->out + p->in < p->most_out : !p->most_out || p->out < p->most_out;
}

static bool free_in(const struct sim_port *p)
{
	return p->half ? p->out + p->in < p->most_out : !p->most_in || p->in < p->most_in;
}

static bool links_free(const struct sim *s, const struct sim_way *w)
{
	if (w->from != SIM_NONE && w->from == w->to) /* to itself: both ends of one port */
		return s->port[w->from].half ? s->port[w->from].out + s->port[w->from].in < s->port[w->from].most_out
		                             : free_out(&s->port[w->from]) && free_in(&s->port[w->from]);
	return (w->from == SIM_NONE || free_out(&s->port[w->from])) && (w->to == SIM_NONE || free_in(&s->port[w->to]));
}

static void hold_links(struct sim *s, const struct sim_way *w, bool begin)
{
	const uint32_t by = begin ? 1 : UINT32_MAX; /* one more, one less */
	if (w->from != SIM_NONE)
		s->port[w->from].out += by;
	if (w->to != SIM_NONE && !(w->from == w->to && s->port[w->to].half))
		s->port[w->to].in += by;
}

/* ---- lines ---- */

#define LINE_PUT(first_, last_, next, prev, w) \
	do { \
		s->waiter.at[w].prev = (last_); \
		s->waiter.at[w].next = SIM_NONE; \
		if ((last_) == SIM_NONE) \
			(first_) = (w); \
		else \
			s->waiter.at[last_].next = (w); \
		(last_) = (w); \
	} while (0)
#define LINE_TAKE(first_, last_, next, prev, w) \
	do { \
		const uint32_t before_ = s->waiter.at[w].prev, behind_ = s->waiter.at[w].next; \
		if (before_ == SIM_NONE) \
			(first_) = behind_; \
		else \
			s->waiter.at[before_].next = behind_; \
		if (behind_ == SIM_NONE) \
			(last_) = before_; \
		else \
			s->waiter.at[behind_].prev = before_; \
	} while (0)

static void stand_in_line(struct sim *s, const struct sim_way *w, uint32_t waiter)
{
	if (w->from != SIM_NONE)
		LINE_PUT(s->port[w->from].first_out, s->port[w->from].last_out, out_next, out_prev, waiter);
	if (w->to != SIM_NONE)
		LINE_PUT(s->port[w->to].first_in, s->port[w->to].last_in, in_next, in_prev, waiter);
}

static void leave_line(struct sim *s, const struct sim_way *w, uint32_t waiter)
{
	if (w->from != SIM_NONE)
		LINE_TAKE(s->port[w->from].first_out, s->port[w->from].last_out, out_next, out_prev, waiter);
	if (w->to != SIM_NONE)
		LINE_TAKE(s->port[w->to].first_in, s->port[w->to].last_in, in_next, in_prev, waiter);
	s->waiter.at[waiter].bus_next = s->free_waiter;
	s->free_waiter = waiter;
}

static int new_waiter(struct sim *s, uint64_t message, double at, uint32_t *out)
{
	if (s->free_waiter != SIM_NONE) {
		*out = s->free_waiter;
		s->free_waiter = s->waiter.at[*out].bus_next;
	} else {
		*out = (uint32_t)s->waiter.n;
		if (weft_vec_push(&s->waiter, (struct sim_waiter){0}))
			return -ENOMEM;
	}
	s->waiter.at[*out] = (struct sim_waiter){.message = message, .seq = s->seq++, .since = at};
	return 0;
}

/* ---- moving ---- */

static int move(struct sim *s, uint64_t message, const struct sim_way *w, double at)
{
	if (w->buses)
		w->buses->used++;
	if (s->times && message < s->p->n_messages)
		s->times[message].begin_ns = at;
	return sim_push(s, (struct sim_event){at + w->move_ns, SIM_END, 0, 0, message});
}

/* It has its links. */
static int want_bus(struct sim *s, uint64_t message, const struct sim_way *w, double at)
{
	uint32_t waiter;
	if (!w->buses || w->buses->used < w->buses->most)
		return move(s, message, w, at);
	int rc = new_waiter(s, message, at, &waiter);
	if (rc)
		return rc;
	if (w->buses->last == SIM_NONE)
		w->buses->first = waiter;
	else
		s->waiter.at[w->buses->last].bus_next = waiter;
	s->waiter.at[waiter].bus_next = SIM_NONE;
	w->buses->last = waiter;
	return 0;
}

/* A bus is free: the first in line has it. */
static int serve_bus(struct sim *s, struct sim_buses *b, double at)
{
	const uint32_t i = b->first;
	b->used--;
	if (i == SIM_NONE)
		return 0;
	const struct sim_waiter row = s->waiter.at[i];
	const struct sim_transfer x = sim_transfer_of(s, row.message);
	const struct sim_way w = sim_way_of(s, &x);
	b->first = row.bus_next;
	if (b->first == SIM_NONE)
		b->last = SIM_NONE;
	s->out->rank[x.from].bus_wait_ns += at - row.since;
	s->waiter.at[i].bus_next = s->free_waiter;
	s->free_waiter = i;
	return move(s, row.message, &w, at);
}

int sim_request(struct sim *s, uint64_t message, double at)
{
	const struct sim_transfer x = sim_transfer_of(s, message);
	const struct sim_way w = sim_way_of(s, &x);
	uint32_t waiter;
	if (w.shared)
		return sim_flow_begin(s, message, at);
	if (links_free(s, &w)) {
		hold_links(s, &w, true);
		return want_bus(s, message, &w, at);
	}
	int rc = new_waiter(s, message, at, &waiter);
	if (!rc)
		stand_in_line(s, &w, waiter);
	return rc;
}

static bool can_go(const struct sim *s, uint32_t waiter)
{
	const struct sim_transfer x = sim_transfer_of(s, s->waiter.at[waiter].message);
	const struct sim_way w = sim_way_of(s, &x);
	return links_free(s, &w);
}

/* The first of a line that can go. */
static uint32_t first_out(const struct sim *s, uint32_t port)
{
	uint32_t i = port == SIM_NONE ? SIM_NONE : s->port[port].first_out;
	while (i != SIM_NONE && !can_go(s, i))
		i = s->waiter.at[i].out_next;
	return i;
}

static uint32_t first_in(const struct sim *s, uint32_t port)
{
	uint32_t i = port == SIM_NONE ? SIM_NONE : s->port[port].first_in;
	while (i != SIM_NONE && !can_go(s, i))
		i = s->waiter.at[i].in_next;
	return i;
}

static int let_go(struct sim *s, uint32_t waiter, double at)
{
	const struct sim_waiter row = s->waiter.at[waiter];
	const struct sim_transfer x = sim_transfer_of(s, row.message);
	const struct sim_way w = sim_way_of(s, &x);
	s->out->rank[x.from].link_wait_ns += at - row.since;
	leave_line(s, &w, waiter);
	hold_links(s, &w, true);
	return want_bus(s, row.message, &w, at);
}

static int serve_ports(struct sim *s, const struct sim_way *w, double at)
{
	for (;;) {
		const uint32_t choice[4] = {first_out(s, w->from), first_in(s, w->to),
		                            w->from != SIM_NONE && s->port[w->from].half ? first_in(s, w->from) : SIM_NONE,
		                            w->to != SIM_NONE && s->port[w->to].half ? first_out(s, w->to) : SIM_NONE};
		uint32_t best = SIM_NONE;
		for (unsigned i = 0; i < 4; i++)
			if (choice[i] != SIM_NONE && (best == SIM_NONE || s->waiter.at[choice[i]].seq < s->waiter.at[best].seq))
				best = choice[i];
		if (best == SIM_NONE)
			return 0;
		int rc = let_go(s, best, at);
		if (rc)
			return rc;
	}
}

int sim_end_of_transfer(struct sim *s, uint64_t message, double at)
{
	const struct sim_transfer x = sim_transfer_of(s, message);
	const struct sim_way w = sim_way_of(s, &x);
	hold_links(s, &w, false);
	int rc = w.buses ? serve_bus(s, w.buses, at) : 0;
	if (!rc)
		rc = serve_ports(s, &w, at);
	return rc ? rc : sim_arrived(s, message, at + w.delay_ns);
}
