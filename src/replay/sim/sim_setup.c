/* SPDX-License-Identifier: Apache-2.0 */
/* What a run begins with: who runs where, what is limited there, and its tables. */
#include "sim_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

static void set_port(struct sim_port *p, uint32_t in, uint32_t out, bool half)
{
	*p = (struct sim_port){.most_out = out,
	                       .most_in = in,
	                       .first_out = SIM_NONE,
	                       .last_out = SIM_NONE,
	                       .first_in = SIM_NONE,
	                       .last_in = SIM_NONE};
	if ((in || out) && (half || !in || !out)) {
		p->half = true;
		p->most_out = p->most_in = in > out ? in : out;
	}
}

static void set_buses(struct sim_buses *b, uint32_t most)
{
	*b = (struct sim_buses){.most = most, .first = SIM_NONE, .last = SIM_NONE};
}

/* A limit counts only where moving takes time. */
static void set_limits(struct sim *s)
{
	const struct weft_replay_machine *m = s->m;
	const bool gap = m->network == WEFT_REPLAY_LOGGP;
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		const struct weft_replay_node_kind *k = s->node[i].kind;
		const bool moves = m->site.at[k->site].bytes_per_ns > 0 || gap;
		set_port(&s->port[i], moves ? (gap ? 1 : k->links_in) : 0, moves ? (gap ? 1 : k->links_out) : 0, false);
		set_buses(&s->node[i].buses, k->intra.bytes_per_ns > 0 ? k->intra.buses : 0);
	}
	for (uint32_t r = 0; r < s->p->n_ranks; r++) {
		const struct weft_replay_way *w = &s->node[s->node_of[r]].kind->intra;
		set_port(&s->port[s->n_nodes + r], w->bytes_per_ns > 0 ? w->links_in : 0, w->bytes_per_ns > 0 ? w->links_out : 0,
		         true);
	}
	for (size_t i = 0; i < m->site.n; i++)
		set_buses(&s->site_buses[i], m->site.at[i].bytes_per_ns > 0 ? m->site.at[i].buses : 0);
}

/* Nodes with fewer processors than threads are the ones where they count. */
static void set_cpus(struct sim *s)
{
	for (uint32_t r = 0; r < s->p->n_ranks; r++)
		s->node[s->node_of[r]].used += s->p->rank[r].is_device ? 0 : s->p->rank[r].n_threads;
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		struct sim_node *n = &s->node[i];
		n->cpus = !s->how->ideal_threads && n->kind->cpus && n->kind->cpus < n->used ? n->kind->cpus : 0;
		if (n->cpus && s->out->n_small_nodes++ == 0)
			s->out->small_node = i;
		n->used = 0;
		n->first = n->last = SIM_NONE;
	}
}

static int set_nodes(struct sim *s)
{
	int rc = weft_replay_map_ranks(s->m, s->p->n_ranks, s->node_of, s->err);
	if (rc)
		return rc;
	for (uint32_t r = 0; r < s->p->n_ranks; r++)
		if (s->node_of[r] >= s->n_nodes)
			s->n_nodes = s->node_of[r] + 1;
	s->node = calloc(s->n_nodes, sizeof *s->node);
	s->port = calloc((size_t)s->n_nodes + s->p->n_ranks, sizeof *s->port);
	s->site_buses = calloc(s->m->site.n, sizeof *s->site_buses);
	if (!s->node || !s->port || !s->site_buses)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_nodes; i++)
		s->node[i].kind = weft_replay_node_kind(s->m, i);
	set_limits(s);
	set_cpus(s);
	return 0;
}

static void set_threads(struct sim *s)
{
	for (uint32_t i = 0; i < s->p->n_threads; i++) {
		const struct weft_replay_thread *row = &s->p->thread[i];
		struct sim_thread *t = &s->thread[i];
		double ratio = s->node[s->node_of[row->rank]].kind->ratio;
		if (s->m->ranks)
			ratio *= (double)s->m->ranks / s->p->n_ranks;
		if (s->m->rank_ratio && row->rank < s->m->n_rank_ratios)
			ratio *= s->m->rank_ratio[row->rank];
		t->at = s->p->n_ops ? s->p->op + row->first_op : NULL;
		t->end = s->p->n_ops ? t->at + row->n_ops : NULL;
		t->rank = row->rank;
		t->slow = ratio > 0 ? 1 / ratio : INFINITY;
		t->next = SIM_NONE;
		t->few = s->node[s->node_of[row->rank]].cpus != 0;
	}
}

int sim_init(struct sim *s)
{
	const struct weft_replay_program *p = s->p;
	s->node_of = malloc((p->n_ranks + 1) * sizeof *s->node_of);
	s->out->rank = calloc(p->n_ranks + 1, sizeof *s->out->rank);
	s->out->thread_computation_ns = calloc(p->n_threads + 1, sizeof *s->out->thread_computation_ns);
	s->out->n_ranks = p->n_ranks;
	s->free_waiter = s->free_extra = s->free_running = SIM_NONE;
	if (!s->node_of || !s->out->rank || !s->out->thread_computation_ns)
		return -ENOMEM;
	int rc = set_nodes(s);
	if (rc)
		return rc;
	s->thread = calloc(p->n_threads, sizeof *s->thread);
	s->message = calloc(p->n_messages + 1, sizeof *s->message);
	s->gather = calloc(p->n_gathers + 1, sizeof *s->gather);
	s->shape = calloc(p->n_comms, sizeof *s->shape);
	if (s->sink.message)
		s->times = calloc(p->n_messages + 1, sizeof *s->times);
	if (!s->thread || !s->message || !s->gather || !s->shape || (s->sink.message && !s->times))
		return -ENOMEM;
	for (uint64_t i = 0; i < p->n_gathers; i++)
		s->gather[i].waiters = s->gather[i].root_thread = SIM_NONE;
	set_threads(s);
	rc = sim_flow_init(s);
	if (rc)
		return rc;
	s->has_modules = s->m->module.n > 0;
	s->place_speed = s->how->place_speed;
	return 0;
}

void sim_fini(struct sim *s)
{
	for (uint32_t i = 0; s->thread && i < s->p->n_threads; i++)
		free(s->thread[i].module.at);
	for (uint32_t i = 0; s->shape && i < s->p->n_comms; i++)
		free(s->shape[i].level);
	free(s->thread);
	free(s->message);
	free(s->times);
	free(s->gather);
	free(s->shape);
	free(s->node_of);
	free(s->node);
	free(s->port);
	free(s->site_buses);
	free(s->waiter.at);
	free(s->extra.at);
	free(s->running.at);
	free(s->runnable.at);
	free(s->heap.at);
	free(s->points.at);
	weft_map_fini(&s->point);
	weft_flows_free(s->flows);
	weft_route_fini(&s->route);
}
