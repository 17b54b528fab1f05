/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is shared by flows: links of a topology by messages, and the memory of a node by the bursts of its threads. A burst that wants the
 * share s of the memory bandwidth is a flow of s times its length through its node's memory, of capacity 1, and through its own thread,
 * of capacity s.
 *
 * All that begins or ends in an instant is shared once, at the instant's end (SIM_SHARE); where thousands of flows hang together, a little
 * later (MANY, PART: patience). One SIM_FLOW counts: the one for the flow that ends first; others that are still in the heap have an
 * older turn, and do nothing.
 */
#include "sim_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { MANY = 4096 }; /* flows that sharing looks at */
static const double part = 1.0 / 64;
static const uint64_t is_burst = UINT64_C(1) << 63;

static double capacity_of(const struct sim *s, uint32_t link)
{
	const double rate = s->m->topology->link.at[link].bytes_per_ns;
	return rate >= 0 ? rate : s->m->site.at[0].bytes_per_ns / -rate;
}

int sim_flow_init(struct sim *s)
{
	const uint32_t links = s->m->topology ? (uint32_t)s->m->topology->link.n : 0;
	const bool memory = s->m->memory_share > 0 || s->how->place_memory;
	const uint32_t nodes = memory ? s->n_nodes : 0, threads = nodes ? s->p->n_threads : 0;
	if (!links && !nodes)
		return 0;
	double *capacity = malloc(((size_t)links + nodes + threads + 1) * sizeof *capacity);
	if (!capacity)
		return -ENOMEM;
	s->first_memory = links;
	s->first_own = links + nodes;
	for (uint32_t i = 0; i < links; i++)
		capacity[i] = capacity_of(s, i);
	for (uint32_t i = 0; i < nodes + threads; i++)
		capacity[links + i] = 1;
	int rc = weft_flows_new(&s->flows, capacity, links + nodes + threads);
	free(capacity);
	if (!rc)
		weft_flows_patience(s->flows, MANY, part);
	return rc;
}

/* The first end that comes before rates are made fair. */
static int next_end(struct sim *s, double at)
{
	double next;
	if (!weft_flows_next(s->flows, &next) || (s->share_is_due && next > s->share_at))
		return 0;
	return sim_push(s, (struct sim_event){fmax(next, at), SIM_FLOW, 0, 0, ++s->flow_turn});
}

static void note_patience(struct sim *s, double at)
{
	struct weft_replay_patience *p = &s->out->patience;
	if (s->share_at > at)
		p->shares++;
	p->most_ns = fmax(p->most_ns, s->share_at - at);
}

static int share_later(struct sim *s, double at)
{
	if (s->share_is_due)
		return s->share_at > at ? next_end(s, at) : 0;
	s->share_is_due = true;
	s->share_at = weft_flows_due(s->flows, at);
	note_patience(s, at);
	int rc = sim_push(s, (struct sim_event){s->share_at, SIM_SHARE, 0, 0, 0});
	return rc || s->share_at <= at ? rc : next_end(s, at);
}

int sim_flow_share(struct sim *s, double at)
{
	s->share_is_due = false;
	return weft_flows_share(s->flows, at) ? -ENOMEM : next_end(s, at);
}

/* ---- messages ---- */

static int find_route(struct sim *s, const struct sim_transfer *x)
{
	const uint32_t from = s->node_of[x->from], to = s->node_of[x->to];
	int rc = weft_topology_route(s->m->topology, from, to, &s->route);
	char a[100], b[100];
	if (rc != -ENETUNREACH)
		return rc;
	return weft_err_set(s->err, rc, "topology '%s': no way from %s to %s", s->m->topology->text,
	                    weft_topology_vertex(s->m->topology, from, a, sizeof a),
	                    weft_topology_vertex(s->m->topology, to, b, sizeof b));
}

int sim_flow_begin(struct sim *s, uint64_t message, double at)
{
	const struct sim_transfer x = sim_transfer_of(s, message);
	int rc = find_route(s, &x);
	if (!rc)
		rc = weft_flows_begin(s->flows, at, (double)x.bytes, s->route.link.at, (uint32_t)s->route.link.n, message);
	return rc ? rc : share_later(s, at);
}

static int message_ended(struct sim *s, const struct weft_flow_end *end, double at)
{
	const struct sim_transfer x = sim_transfer_of(s, end->of);
	const struct sim_way way = sim_way_of(s, &x);
	int rc = find_route(s, &x);
	s->out->rank[x.from].link_wait_ns += fmax(at - end->begin_ns - end->alone_ns, 0);
	return rc ? rc : sim_arrived(s, end->of, at + s->route.latency_ns + way.delay_ns);
}

/* ---- bursts ---- */

double sim_memory_share(const struct sim *s, const struct weft_replay_op *op)
{
	const double *place = s->how->place_memory;
	return place && place[op->place] >= 0 ? place[op->place] : s->m->memory_share;
}

int sim_flow_compute(struct sim *s, struct sim_thread *t, double ns, double share)
{
	const uint32_t number = sim_number(s, t);
	t->waits = SIM_ON_CPU;
	t->cpu_ns = ns;
	t->memory = share;
	t->cpu_for = WEFT_REPLAY_RUNNING;
	int rc = sim_push(s, (struct sim_event){t->now, SIM_COMPUTE, number, 0, number});
	return rc ? rc : SIM_WAITS;
}

int sim_flow_computes(struct sim *s, uint32_t thread, double at)
{
	const struct sim_thread *t = &s->thread[thread];
	const uint32_t link[2] = {s->first_memory + s->node_of[t->rank], s->first_own + thread};
	weft_flows_capacity(s->flows, link[1], t->memory);
	int rc = weft_flows_begin(s->flows, at, t->cpu_ns * t->memory, link, 2, is_burst | thread);
	return rc ? rc : share_later(s, at);
}

static int burst_ended(struct sim *s, const struct weft_flow_end *end, double at)
{
	const uint32_t thread = (uint32_t)end->of;
	struct sim_thread *t = &s->thread[thread];
	const double ns = at - end->begin_ns;
	sim_row(s, t)->memory_wait_ns += fmax(ns - t->cpu_ns, 0);
	t->cpu_ns = ns;
	return sim_cpu_ended(s, thread, at);
}

int sim_flow_ended(struct sim *s, uint64_t turn, double at)
{
	struct weft_flow_end end;
	int rc = 0;
	if (turn != s->flow_turn)
		return 0;
	while (!rc && weft_flows_end(s->flows, at, &end))
		rc = end.of & is_burst ? burst_ended(s, &end, at) : message_ended(s, &end, at);
	return rc ? rc : share_later(s, at);
}

/* ---- what links were used for ---- */

static int most_used(const void *a, const void *b)
{
	const struct weft_replay_link *x = a, *y = b;
	if (x->use != y->use)
		return x->use > y->use ? -1 : 1;
	return x->link < y->link ? -1 : x->link > y->link;
}

int sim_flow_result(struct sim *s)
{
	const double time = s->out->time_ns;
	WEFT_VEC(struct weft_replay_link) found = {0};
	for (uint32_t i = 0; i < s->first_memory; i++) {
		const struct weft_flow_link_use use = weft_flows_use(s->flows, i, time);
		const double most = capacity_of(s, i) * time;
		if (!use.ended)
			continue;
		if (weft_vec_push(&found, (struct weft_replay_link){.link = i,
		                                                    .most = use.most,
		                                                    .messages = use.ended,
		                                                    .bytes = use.size,
		                                                    .busy_ns = use.busy_ns,
		                                                    .full_ns = use.full_ns,
		                                                    .use = most > 0 ? use.size / most : 0})) {
			free(found.at);
			return -ENOMEM;
		}
	}
	if (found.n)
		qsort(found.at, found.n, sizeof *found.at, most_used);
	s->out->link = found.at;
	s->out->n_links = (uint32_t)found.n;
	return 0;
}
