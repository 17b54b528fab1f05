/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topologies by a rule: their links, numbered so that a way is found without a table, and the ways. First come two links for each
 * node, up (2 i) and down (2 i + 1); then
 *
 *     fat tree    for each edge switch and aggregation switch of its pod two, for each aggregation switch and core of its column two
 *     torus       for each router and dimension two: onwards, and back
 *     dragonfly   for each router one to each of its group (to itself as well, unused); for each group one to each other group
 */
#include "topology_priv.h"
#include <errno.h>
#include <stdio.h>

static int add(struct weft_topology *t, const struct topology_links *l, uint32_t from, uint32_t to, double taper)
{
	const double rate = l->bytes_per_ns < 0 ? -taper : l->bytes_per_ns / taper;
	return weft_vec_push(&t->link, (struct weft_topology_link){from, to, rate, l->latency_ns});
}

static int add_cable(struct weft_topology *t, const struct topology_links *l, uint32_t from, uint32_t to, double taper)
{
	int rc = add(t, l, from, to, taper);
	return rc ? rc : add(t, l, to, from, taper);
}

/* Each switch of the lowest level has `each` nodes. */
static int add_nodes(struct weft_topology *t, const struct topology_links *l, uint32_t each)
{
	int rc = 0;
	for (uint32_t i = 0; i < t->n_nodes && !rc; i++)
		rc = add_cable(t, l, i, t->n_nodes + i / each, 1);
	return rc;
}

static int go(struct weft_route *r, uint32_t link)
{
	return weft_vec_push(&r->link, link);
}

/* ---- fat trees: nodes, edge, aggregation and core switches ---- */

int topology_fat_tree(struct weft_topology *t, const struct topology_links *l)
{
	const uint32_t h = t->k / 2, edges = t->k * h, first = t->k * h * h;
	t->n_nodes = first;
	t->n_vertices = first + 2 * edges + h * h;
	int rc = add_nodes(t, l, h);
	for (uint32_t e = 0; e < edges && !rc; e++)
		for (uint32_t j = 0; j < h && !rc; j++)
			rc = add_cable(t, l, first + e, first + edges + e / h * h + j, l->taper);
	for (uint32_t a = 0; a < edges && !rc; a++)
		for (uint32_t c = 0; c < h && !rc; c++)
			rc = add_cable(t, l, first + edges + a, first + 2 * edges + a % h * h + c, l->taper);
	return rc;
}

int topology_route_fat_tree(const struct weft_topology *t, uint32_t from, uint32_t to, struct weft_route *r)
{
	const uint32_t h = t->k / 2, e = from / h, f = to / h, up = to % h, core = to / h % h;
	const uint32_t lower = 2 * t->n_nodes, upper = lower + 2 * t->k * h * h;
	int rc = go(r, 2 * from);
	if (e != f && !rc)
		rc = go(r, lower + 2 * (e * h + up));
	if (e / h != f / h && !rc) {
		rc = go(r, upper + 2 * ((e / h * h + up) * h + core));
		if (!rc)
			rc = go(r, upper + 2 * ((f / h * h + up) * h + core) + 1);
	}
	if (e != f && !rc)
		rc = go(r, lower + 2 * (f * h + up) + 1);
	return rc ? rc : go(r, 2 * to + 1);
}

/* ---- tori: the first dimension runs fastest ---- */

static uint32_t neighbour(const struct weft_topology *t, uint32_t at, uint32_t d, bool on)
{
	uint32_t step = 1;
	for (uint32_t i = 0; i < d; i++)
		step *= t->size[i];
	const uint32_t n = t->size[d], x = at / step % n, to = on ? (x + 1) % n : (x + n - 1) % n;
	return at - x * step + to * step;
}

int topology_torus(struct weft_topology *t, const struct topology_links *l)
{
	t->n_nodes = 1;
	for (uint32_t d = 0; d < t->n_dims; d++)
		t->n_nodes *= t->size[d];
	t->n_vertices = 2 * t->n_nodes;
	int rc = add_nodes(t, l, 1);
	for (uint32_t i = 0; i < t->n_nodes && !rc; i++)
		for (uint32_t d = 0; d < t->n_dims && !rc; d++) {
			rc = add(t, l, t->n_nodes + i, t->n_nodes + neighbour(t, i, d, true), 1);
			if (!rc)
				rc = add(t, l, t->n_nodes + i, t->n_nodes + neighbour(t, i, d, false), 1);
		}
	return rc;
}

int topology_route_torus(const struct weft_topology *t, uint32_t from, uint32_t to, struct weft_route *r)
{
	uint32_t at = from, step = 1;
	int rc = go(r, 2 * from);
	for (uint32_t d = 0; d < t->n_dims; step *= t->size[d], d++) {
		const uint32_t n = t->size[d], far = (to / step % n + n - at / step % n) % n;
		const bool on = far <= n / 2;
		for (uint32_t i = on ? far : n - far; i > 0 && !rc; i--) {
			rc = go(r, 2 * t->n_nodes + 2 * (at * t->n_dims + d) + !on);
			at = neighbour(t, at, d, on);
		}
	}
	return rc ? rc : go(r, 2 * to + 1);
}

/* ---- dragonflies: port q of group i goes to group i + q + 1, and q is router q / h's ---- */

static uint32_t port_to(const struct weft_topology *t, uint32_t from, uint32_t to)
{
	return (to + t->groups - from - 1) % t->groups;
}

int topology_dragonfly(struct weft_topology *t, const struct topology_links *l)
{
	const uint32_t a = t->routers, routers = t->groups * a;
	t->n_nodes = routers * t->hosts;
	t->n_vertices = t->n_nodes + routers;
	int rc = add_nodes(t, l, t->hosts);
	for (uint32_t i = 0; i < routers && !rc; i++)
		for (uint32_t k = 0; k < a && !rc; k++)
			rc = add(t, l, t->n_nodes + i, t->n_nodes + i / a * a + k, 1);
	for (uint32_t g = 0; g < t->groups && !rc; g++)
		for (uint32_t q = 0; q + 1 < t->groups && !rc; q++) {
			const uint32_t to = (g + q + 1) % t->groups;
			rc = add(t, l, t->n_nodes + g * a + q / t->global, t->n_nodes + to * a + port_to(t, to, g) / t->global,
			         l->taper);
		}
	return rc;
}

int topology_route_dragonfly(const struct weft_topology *t, uint32_t from, uint32_t to, struct weft_route *r)
{
	const uint32_t a = t->routers, local = 2 * t->n_nodes, global = local + t->groups * a * a;
	const uint32_t goal = to / t->hosts, g = from / t->hosts / a;
	uint32_t at = from / t->hosts;
	int rc = go(r, 2 * from);
	if (g != goal / a && !rc) {
		const uint32_t q = port_to(t, g, goal / a), out = q / t->global;
		if (at % a != out)
			rc = go(r, local + at * a + out);
		if (!rc)
			rc = go(r, global + g * (t->groups - 1) + q);
		at = goal / a * a + port_to(t, goal / a, g) / t->global;
	}
	if (at != goal && !rc)
		rc = go(r, local + at * a + goal % a);
	return rc ? rc : go(r, 2 * to + 1);
}

/* ---- names ---- */

static void name_torus(const struct weft_topology *t, uint32_t at, char *out, size_t room)
{
	size_t n = (size_t)snprintf(out, room, "router (");
	for (uint32_t d = 0; d < t->n_dims && n < room; d++) {
		n += (size_t)snprintf(out + n, room - n, "%s%u", d ? "," : "", at % t->size[d]);
		at /= t->size[d];
	}
	if (n < room)
		snprintf(out + n, room - n, ")");
}

void topology_name_made(const struct weft_topology *t, uint32_t vertex, char *out, size_t room)
{
	const uint32_t at = vertex - t->n_nodes, h = t->k / 2, edges = t->k * h;
	if (vertex < t->n_nodes)
		snprintf(out, room, "node %u", vertex);
	else if (t->kind == WEFT_TOPOLOGY_TORUS)
		name_torus(t, at, out, room);
	else if (t->kind == WEFT_TOPOLOGY_DRAGONFLY)
		snprintf(out, room, "router %u.%u", at / t->routers, at % t->routers);
	else if (at < edges)
		snprintf(out, room, "edge %u.%u", at / h, at % h);
	else if (at < 2 * edges)
		snprintf(out, room, "aggregation %u.%u", (at - edges) / h, at % h);
	else
		snprintf(out, room, "core %u", at - 2 * edges);
}
