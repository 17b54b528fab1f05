/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a message travels: inside of a node, between nodes of one site, between sites, or on a dedicated connection; what its ends
 * pay, how long it moves, and which ports and buses it needs meanwhile.
 */
#include "sim_priv.h"
#include <math.h>

static double move_ns(uint64_t bytes, double bytes_per_ns)
{
	return bytes_per_ns > 0 ? (double)bytes / bytes_per_ns : 0;
}

/* A port that limits nothing is none. */
static uint32_t port_of(const struct sim *s, uint32_t port)
{
	return s->port[port].most_out || s->port[port].most_in ? port : SIM_NONE;
}

static struct sim_buses *buses_of(struct sim_buses *b)
{
	return b->most ? b : NULL;
}

static struct sim_way inside(const struct sim *s, const struct sim_transfer *x, struct sim_node *node)
{
	const struct weft_replay_way *way = &node->kind->intra;
	return (struct sim_way){.pay_ns = way->latency_ns,
	                        .move_ns = move_ns(x->bytes, way->bytes_per_ns),
	                        .from = port_of(s, s->n_nodes + x->from),
	                        .to = port_of(s, s->n_nodes + x->to),
	                        .buses = buses_of(&node->buses)};
}

static struct sim_way between(const struct sim *s, const struct sim_transfer *x, uint32_t from, uint32_t to)
{
	const struct weft_replay_node_kind *kind = s->node[from].kind;
	const struct weft_replay_site *site = &s->m->site.at[kind->site];
	struct sim_way w = {.pay_ns = kind->inter_latency_ns,
	                    .move_ns = move_ns(x->bytes, site->bytes_per_ns),
	                    .from = port_of(s, from),
	                    .to = port_of(s, to),
	                    .buses = buses_of(&s->site_buses[kind->site])};
	if (s->m->network == WEFT_REPLAY_LOGGP) { /* the wire's latency is nobody's time; ends pay their overhead */
		w.delay_ns = w.pay_ns;
		w.pay_ns = s->m->loggp.overhead_ns;
		w.move_ns = fmax(w.move_ns, s->m->loggp.gap_ns);
	}
	if (s->m->topology) {
		w.from = w.to = SIM_NONE;
		w.buses = NULL;
		w.shared = true;
	}
	return w;
}

/* ---- between sites ---- */

static bool test_holds(const struct weft_replay_test *t, uint64_t bytes)
{
	return t->compare == '<'   ? bytes < t->bytes
	       : t->compare == '>' ? bytes > t->bytes
	       : t->compare == '=' ? bytes == t->bytes
	                           : true;
}

static bool has_tag(const struct weft_replay_connection *c, int32_t tag)
{
	for (uint32_t i = 0; i < c->n_tags; i++)
		if (c->tag[i] == tag)
			return true;
	return false;
}

static const struct weft_replay_connection *connection_of(const struct sim *s, const struct sim_transfer *x, uint32_t from,
                                                          uint32_t to)
{
	if (x->message >= s->p->n_messages)
		return NULL;
	const int32_t tag = s->p->message[x->message].tag;
	for (size_t i = 0; i < s->m->connection.n; i++) {
		const struct weft_replay_connection *c = &s->m->connection.at[i];
		const bool first = test_holds(&c->first, x->bytes), second = test_holds(&c->second, x->bytes);
		const bool ends = (c->from == from && c->to == to) || (c->from == to && c->to == from);
		const bool sizes = c->either && c->first.compare && c->second.compare ? first || second : first && second;
		if (ends && has_tag(c, tag) && sizes)
			return c;
	}
	return NULL;
}

/* What is left of the network when others use it, too. */
static double traffic_share(const struct sim *s)
{
	const double most = s->m->wan.max_traffic, load = most > 0 ? fmin(most / 100, 1) : 0;
	switch (s->m->wan.traffic) {
	case 1:
		return exp(-load);
	case 2:
		return 1 / (1 + log1p(load));
	case 3:
		return 1 - load > 0.01 ? 1 - load : 0.01;
	default:
		return 1;
	}
}

static struct sim_way far(const struct sim *s, const struct sim_transfer *x, uint32_t from, uint32_t to)
{
	const uint32_t a = s->node[from].kind->site, b = s->node[to].kind->site;
	const struct weft_replay_connection *c = connection_of(s, x, a, b);
	const double flight = s->m->wan.flight_ns ? s->m->wan.flight_ns[a * s->m->site.n + b] : 0;
	if (c)
		return (struct sim_way){.pay_ns = c->latency_ns,
		                        .move_ns = move_ns(x->bytes, c->bytes_per_ns),
		                        .delay_ns = c->flight_ns,
		                        .from = SIM_NONE,
		                        .to = SIM_NONE};
	return (struct sim_way){.pay_ns = s->node[from].kind->wan_latency_ns,
	                        .move_ns = move_ns(x->bytes, s->m->wan.bytes_per_ns * traffic_share(s)),
	                        .delay_ns = flight,
	                        .from = SIM_NONE,
	                        .to = SIM_NONE};
}

struct sim_way sim_way_of(const struct sim *s, const struct sim_transfer *x)
{
	if (x->from == SIM_NONE || x->to == SIM_NONE) { /* its other end is not known: what it costs this one */
		const struct sim_node *node = &s->node[s->node_of[x->from == SIM_NONE ? x->to : x->from]];
		return (struct sim_way){.pay_ns = s->m->network == WEFT_REPLAY_LOGGP ? s->m->loggp.overhead_ns
		                                                                     : node->kind->inter_latency_ns,
		                        .from = SIM_NONE,
		                        .to = SIM_NONE};
	}
	const uint32_t from = s->node_of[x->from], to = s->node_of[x->to];
	if (from == to)
		return inside(s, x, &s->node[from]);
	if (s->node[from].kind->site == s->node[to].kind->site)
		return between(s, x, from, to);
	return far(s, x, from, to);
}

double sim_pay_ns(const struct sim *s, const struct sim_transfer *x)
{
	const bool both = x->from != SIM_NONE && x->to != SIM_NONE;
	const uint32_t from = both ? s->node_of[x->from] : 0, to = both ? s->node_of[x->to] : 0;
	if (both && from == to)
		return s->node[from].kind->intra.latency_ns;
	if (both && s->m->site.n == 1)
		return s->m->network == WEFT_REPLAY_LOGGP ? s->m->loggp.overhead_ns : s->node[from].kind->inter_latency_ns;
	return sim_way_of(s, x).pay_ns;
}
