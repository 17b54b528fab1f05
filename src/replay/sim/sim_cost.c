/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a collective operation takes when all are there: two phases, in and out, each through the levels that the communicator spans:
 * inside of nodes (the dearest counts), between nodes, between sites. A phase of n end points takes, by its model
 *
 *     0: 0      constant: L + B      linear: (n - 1) (L + B)      logarithmic: s (L + B)
 *
 * where s is ceil(log2 n), or, with b buses, the sum over the stages of a binomial tree of ceil(messages of the stage / b).
 */
#include "sim_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the shape of a communicator ---- */

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void add_level(struct sim_shape *shape, const struct weft_replay_node_kind *kind, uint32_t n)
{
	for (uint32_t i = 0; i < shape->n_levels; i++)
		if (shape->level[i].kind == kind && shape->level[i].n == n)
			return;
	shape->level[shape->n_levels++] = (struct sim_level){kind, n};
}

static void count_sites(const struct sim *s, struct sim_shape *shape, const uint32_t *node, uint32_t n)
{
	shape->first_site = n ? s->node[node[0]].kind->site : 0;
	shape->n_sites = n ? 1 : 0;
	for (uint32_t i = 1; i < n; i++)
		if (s->node[node[i]].kind->site != s->node[node[i - 1]].kind->site)
			shape->n_sites++;
}

/* With more ranks, or fewer, a communicator has so many times its members, as many of them on a node as before. */
static void grow(const struct weft_replay_machine *m, struct sim_shape *shape, double times)
{
	const bool packed = m->map.rule == WEFT_REPLAY_PER_NODE && m->map.per_node;
	shape->n = (uint32_t)fmax(ceil(shape->n * times), 1);
	const double nodes = packed ? ceil((double)shape->n / m->map.per_node) : ceil(shape->n_nodes * times);
	shape->n_nodes = (uint32_t)fmax(fmin(nodes, shape->n), 1);
	for (uint32_t i = 0; i < shape->n_levels; i++)
		if (packed || shape->level[i].n > shape->n)
			shape->level[i].n = packed && m->map.per_node < shape->n ? m->map.per_node : shape->n;
}

static int make_shape(const struct sim *s, uint32_t comm, struct sim_shape *shape)
{
	const struct weft_replay_comm *c = &s->p->comm[comm];
	const uint32_t n = c->n ? c->n : s->p->n_ranks;
	uint32_t *node = malloc((n + 1) * sizeof *node);
	shape->level = malloc((n + 1) * sizeof *shape->level);
	if (!node || !shape->level) {
		free(node);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n; i++)
		node[i] = s->node_of[c->n ? s->p->member[c->first + i] : i];
	qsort(node, n, sizeof *node, by_number);
	for (uint32_t i = 0, begin = 0; i < n; i++)
		if (i + 1 == n || node[i + 1] != node[i]) {
			add_level(shape, s->node[node[i]].kind, i + 1 - begin);
			shape->n_nodes++;
			begin = i + 1;
		}
	shape->n = n;
	if (s->m->ranks)
		grow(s->m, shape, (double)s->m->ranks / s->p->n_ranks);
	count_sites(s, shape, node, n);
	shape->made = true;
	free(node);
	return 0;
}

/* ---- phases ---- */

static double steps(unsigned model, uint32_t n, uint32_t buses)
{
	if (model == WEFT_REPLAY_CONSTANT)
		return 1;
	if (model == WEFT_REPLAY_ZERO || n < 2)
		return 0;
	if (model == WEFT_REPLAY_LINEAR)
		return n - 1;
	double sum = 0;
	for (uint64_t span = 1; span < n; span *= 2) {
		uint64_t messages = 0;
		for (uint64_t j = span - 1; j + 1 < n; j += 2 * span)
			messages++;
		sum += buses ? (double)((messages + buses - 1) / buses) : 1;
	}
	return sum;
}

static double bytes_of(unsigned size, uint64_t own, uint64_t sent, uint64_t received)
{
	const double low = (double)(sent < received ? sent : received), high = (double)(sent > received ? sent : received);
	switch (size) {
	case WEFT_REPLAY_SIZE_MIN:
		return low;
	case WEFT_REPLAY_SIZE_MAX:
		return high;
	case WEFT_REPLAY_SIZE_MEAN:
		return (low + high) / 2;
	case WEFT_REPLAY_SIZE_TWO_MAX:
		return 2 * high;
	case WEFT_REPLAY_SIZE_BOTH:
		return low + high;
	default:
		return (double)own;
	}
}

struct cost {
	uint64_t sent, received;
};

static double one_phase(struct weft_replay_phase f, bool out, const struct cost *c, uint32_t n, uint32_t buses, double latency_ns,
                        double bytes_per_ns)
{
	const double k = steps(f.model, n, buses), bytes = bytes_of(f.size, out ? c->received : c->sent, c->sent, c->received);
	return k * (latency_ns + (bytes_per_ns > 0 ? bytes / bytes_per_ns : 0));
}

struct line { /* one level */
	uint32_t n, buses;
	double latency_ns, bytes_per_ns;
};

static double both_phases(const struct weft_replay_collective *rule, unsigned model, const struct cost *c, const struct line *l)
{
	const struct weft_replay_phase plain = {(uint8_t)model, WEFT_REPLAY_SIZE_OWN};
	return one_phase(rule->set ? rule->in : plain, false, c, l->n, l->buses, l->latency_ns, l->bytes_per_ns) +
	       one_phase(rule->set ? rule->out : plain, true, c, l->n, l->buses, l->latency_ns, l->bytes_per_ns);
}

static double dearest_node(const struct sim *s, const struct sim_shape *shape, unsigned operation, const struct cost *c)
{
	double most = 0;
	for (uint32_t i = 0; i < shape->n_levels; i++) {
		const struct weft_replay_node_kind *k = shape->level[i].kind;
		const struct weft_replay_site *site = &s->m->site.at[k->site];
		const struct line line = {shape->level[i].n, k->intra.buses, k->intra.latency_ns, k->intra.bytes_per_ns};
		const double ns = both_phases(&site->collective[operation], site->model, c, &line);
		most = ns > most ? ns : most;
	}
	return most;
}

static double slowest_latency(const struct sim_shape *shape, uint32_t site, bool wan)
{
	double most = 0;
	for (uint32_t i = 0; i < shape->n_levels; i++) {
		const struct weft_replay_node_kind *k = shape->level[i].kind;
		const double ns = wan ? k->wan_latency_ns : k->inter_latency_ns;
		if ((wan || k->site == site) && ns > most)
			most = ns;
	}
	return most;
}

double sim_collective_cost(struct sim *s, uint32_t comm, unsigned operation, uint64_t sent, uint64_t received)
{
	struct sim_shape *shape = &s->shape[comm];
	const struct cost c = {sent, received};
	if (!shape->made && make_shape(s, comm, shape))
		return -1;
	double ns = dearest_node(s, shape, operation, &c), inter = 0;
	for (uint32_t i = 0; i < s->m->site.n && s->m->n_nodes > 1; i++) {
		const struct weft_replay_site *site = &s->m->site.at[i];
		if (site->n_nodes < 2 || (shape->n_sites < 2 && i != shape->first_site))
			continue;
		const struct line line = {shape->n_nodes, site->buses, slowest_latency(shape, i, false), site->bytes_per_ns};
		const double here = both_phases(&site->collective[operation], site->model, &c, &line);
		inter = here > inter ? here : inter;
	}
	ns += inter;
	if (shape->n_sites > 1) {
		const struct line line = {shape->n, 0, slowest_latency(shape, 0, true), s->m->wan.bytes_per_ns};
		ns += both_phases(&s->m->wan.collective[operation], s->m->wan.model, &c, &line);
	}
	return ns;
}
