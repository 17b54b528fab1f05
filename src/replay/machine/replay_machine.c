/* SPDX-License-Identifier: Apache-2.0 */
/* Machines that need no file, what must hold of all, and who runs where. */
#include "replay_machine.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 1 << 24 };

const char *const weft_replay_policy_names[WEFT_REPLAY_POLICIES] = {"FIFO",      "RR",       "BOOST", "FIXED_PRIORITY_FIFO",
                                                                    "UNIX_SVR4", "SS_MPI_CP"};

static int make_plain(struct weft_replay_machine *m, uint32_t cpus, double latency_ns, double bytes_per_ns, uint32_t links)
{
	const struct weft_replay_way intra = {0, 0, 0, 0, 0};
	memset(m, 0, sizeof *m);
	m->name = "";
	m->n_nodes = NODES_MOST; /* as many as there are ranks */
	if (weft_vec_push(&m->kind, (struct weft_replay_node_kind){.name = "",
	                                                           .n = NODES_MOST,
	                                                           .cpus = cpus,
	                                                           .ratio = 1,
	                                                           .intra = intra,
	                                                           .inter_latency_ns = latency_ns,
	                                                           .links_in = links,
	                                                           .links_out = links,
	                                                           .device.ratio = 1}))
		return -ENOMEM;
	if (weft_vec_push(&m->site, (struct weft_replay_site){.name = "",
	                                                      .architecture = "",
	                                                      .n_nodes = NODES_MOST,
	                                                      .bytes_per_ns = bytes_per_ns,
	                                                      .model = WEFT_REPLAY_CONSTANT}))
		return -ENOMEM;
	m->wan.name = "";
	m->wan.traffic = 4;
	m->wan.model = WEFT_REPLAY_CONSTANT;
	m->map.rule = WEFT_REPLAY_PER_NODE;
	m->map.per_node = 1;
	return 0;
}

int weft_replay_machine_ideal(struct weft_replay_machine *m)
{
	return make_plain(m, 0, 0, 0, 0);
}

int weft_replay_machine_plain(struct weft_replay_machine *m, double latency_ns, double bytes_per_ns)
{
	return make_plain(m, 0, latency_ns, bytes_per_ns, 1);
}

int weft_replay_machine_usual(struct weft_replay_machine *m)
{
	int rc = weft_replay_machine_plain(m, 1000, 10);
	if (rc)
		return rc;
	m->site.at[0].model = WEFT_REPLAY_LOGARITHMIC;
	m->kind.at[0].intra = (struct weft_replay_way){300, 5, 0, 0, 0};
	return 0;
}

void weft_replay_machine_fini(struct weft_replay_machine *m)
{
	free(m->kind.at);
	free(m->site.at);
	free(m->connection.at);
	free(m->module.at);
	weft_arena_fini(&m->arena);
	memset(m, 0, sizeof *m);
}

/* ---- checks ---- */

static bool is_time(double v)
{
	return v >= 0 && isfinite(v) && v <= 1e18;
}

static bool is_rate(double v)
{
	return v >= 0 && isfinite(v);
}

static const char *wrong_kind(const struct weft_replay_node_kind *k, uint32_t n_sites)
{
	if (k->site >= n_sites)
		return "it belongs to no machine";
	if (!is_rate(k->ratio))
		return "the speed of its processors is negative";
	if (!is_time(k->intra.latency_ns) || !is_time(k->inter_latency_ns) || !is_time(k->wan_latency_ns))
		return "a latency is negative, or longer than a human life";
	if (!is_rate(k->intra.bytes_per_ns))
		return "a bandwidth is negative";
	if (!is_time(k->device.latency_ns) || !is_time(k->device.memory_latency_ns) || !is_rate(k->device.bytes_per_ns) ||
	    !is_rate(k->device.ratio))
		return "a value of its accelerators is negative";
	return NULL;
}

static int check_sites(const struct weft_replay_machine *m, struct weft_err *err)
{
	for (size_t i = 0; i < m->site.n; i++) {
		const struct weft_replay_site *s = &m->site.at[i];
		uint64_t nodes = 0;
		for (size_t k = 0; k < m->kind.n; k++)
			nodes += m->kind.at[k].site == i ? m->kind.at[k].n : 0;
		if (nodes != s->n_nodes)
			return weft_err_set(err, -EINVAL, "machine '%s': it says that it has %u nodes, but %llu are described",
			                    s->name, s->n_nodes, (unsigned long long)nodes);
		if (!is_rate(s->bytes_per_ns))
			return weft_err_set(err, -EINVAL, "machine '%s': its bandwidth is negative", s->name);
		if (s->model > WEFT_REPLAY_LOGARITHMIC)
			return weft_err_set(err, -EINVAL, "machine '%s': unknown model of collective operations %u", s->name,
			                    s->model);
	}
	return 0;
}

static int check_network(const struct weft_replay_machine *m, struct weft_err *err)
{
	if (!(m->memory_share >= 0 && m->memory_share <= 1))
		return weft_err_set(err, -EINVAL, "the share of memory bandwidth is not between 0 and 1");
	if (m->ranks && (m->topology || m->staged))
		return weft_err_set(err, -EINVAL, "'ranks' divides the work anew; that needs formulas for collective operations");
	if (!m->topology)
		return 0;
	if (m->site.n > 1)
		return weft_err_set(err, -EINVAL, "topology '%s': it is for one machine, not for %zu", m->topology->text,
		                    m->site.n);
	if (m->n_nodes > m->topology->n_nodes)
		return weft_err_set(err, -EINVAL, "topology '%s': it has %u nodes, but the machine has %u", m->topology->text,
		                    m->topology->n_nodes, m->n_nodes);
	if (m->loggp.gap_ns > 0)
		return weft_err_set(err, -EINVAL, "topology '%s': flows share links, a gap has no meaning there",
		                    m->topology->text);
	return 0;
}

int weft_replay_machine_check(const struct weft_replay_machine *m, struct weft_err *err)
{
	if (!m->site.n || !m->kind.n || !m->n_nodes)
		return weft_err_set(err, -EINVAL, "the machine has no nodes");
	if (m->n_nodes > NODES_MOST)
		return weft_err_set(err, -EINVAL, "the machine has more than %u nodes", (unsigned)NODES_MOST);
	for (size_t i = 0; i < m->kind.n; i++) {
		const char *wrong = wrong_kind(&m->kind.at[i], (uint32_t)m->site.n);
		if (wrong)
			return weft_err_set(err, -EINVAL, "node %u: %s", m->kind.at[i].first, wrong);
	}
	if (!is_rate(m->wan.bytes_per_ns) || m->wan.model > WEFT_REPLAY_LOGARITHMIC)
		return weft_err_set(err, -EINVAL,
		                    "the wide area network has a negative bandwidth or an unknown collective model");
	for (size_t i = 0; i < m->connection.n; i++) {
		const struct weft_replay_connection *c = &m->connection.at[i];
		if (c->from >= m->site.n || c->to >= m->site.n || !is_rate(c->bytes_per_ns) || !is_time(c->latency_ns) ||
		    !is_time(c->flight_ns))
			return weft_err_set(err, -EINVAL,
			                    "dedicated connection %zu: between machines that are not there, or negative", i + 1);
	}
	for (uint32_t i = 0; i < m->n_rank_ratios; i++)
		if (!is_rate(m->rank_ratio[i]))
			return weft_err_set(err, -EINVAL, "the speed of rank %u is negative", i);
	int rc = check_network(m, err);
	return rc ? rc : check_sites(m, err);
}

void weft_replay_machine_connect(struct weft_replay_machine *m, const struct weft_topology *t)
{
	m->topology = t;
	m->staged |= !m->formulas;
	if (m->n_nodes == NODES_MOST && m->kind.n == 1)
		m->n_nodes = m->kind.at[0].n = m->site.at[0].n_nodes = t->n_nodes;
}

/* ---- who runs where ---- */

const struct weft_replay_node_kind *weft_replay_node_kind(const struct weft_replay_machine *m, uint32_t node)
{
	size_t low = 0, high = m->kind.n;
	while (high - low > 1) {
		const size_t mid = (low + high) / 2;
		if (m->kind.at[mid].first <= node)
			low = mid;
		else
			high = mid;
	}
	return &m->kind.at[low];
}

static int too_small(const struct weft_replay_machine *m, uint32_t n, struct weft_err *err)
{
	return weft_err_set(err, -ERANGE, "%u ranks do not fit on the machine's %u nodes", n, m->n_nodes);
}

/* Each node takes as many ranks as it has processors; 0 of those: one. */
static int fill(const struct weft_replay_machine *m, uint32_t n, uint32_t *node, struct weft_err *err)
{
	uint32_t rank = 0;
	for (uint32_t at = 0; at < m->n_nodes && rank < n; at++) {
		const uint32_t cpus = weft_replay_node_kind(m, at)->cpus;
		for (uint32_t k = 0; k < (cpus ? cpus : 1) && rank < n; k++)
			node[rank++] = at;
	}
	return rank < n ? too_small(m, n, err) : 0;
}

int weft_replay_map_ranks(const struct weft_replay_machine *m, uint32_t n, uint32_t *node, struct weft_err *err)
{
	if (m->map.rule == WEFT_REPLAY_FILL)
		return fill(m, n, node, err);
	if (m->map.rule == WEFT_REPLAY_EXPLICIT && m->map.n < n)
		return weft_err_set(err, -ERANGE, "the mapping names the nodes of %u ranks, but there are %u", m->map.n, n);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t per = m->map.per_node ? m->map.per_node : 1;
		node[i] = m->map.rule == WEFT_REPLAY_EXPLICIT      ? m->map.node[i]
		          : m->map.rule == WEFT_REPLAY_INTERLEAVED ? i % m->n_nodes
		                                                   : i / per;
		if (node[i] >= m->n_nodes)
			return m->map.rule == WEFT_REPLAY_EXPLICIT
			               ? weft_err_set(err, -ERANGE, "rank %u is mapped to node %u, but there are %u", i, node[i],
			                              m->n_nodes)
			               : too_small(m, n, err);
	}
	return 0;
}
