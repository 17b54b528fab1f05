/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of topologies are made of. */
#ifndef WEFT_REPLAY_TOPOLOGY_PRIV_H
#define WEFT_REPLAY_TOPOLOGY_PRIV_H

#include "replay_topology.h"

enum { TOPOLOGY_NODES_MOST = 1 << 22, TOPOLOGY_VERTICES_MOST = 65000 /* of files */ };

struct topology_links { /* what all of them have */
	double bytes_per_ns, latency_ns, taper;
};
int topology_fat_tree(struct weft_topology *t, const struct topology_links *l) WEFT_MUST_CHECK;
int topology_torus(struct weft_topology *t, const struct topology_links *l) WEFT_MUST_CHECK;
int topology_dragonfly(struct weft_topology *t, const struct topology_links *l) WEFT_MUST_CHECK;

int topology_route_fat_tree(const struct weft_topology *t, uint32_t from, uint32_t to, struct weft_route *r) WEFT_MUST_CHECK;
int topology_route_torus(const struct weft_topology *t, uint32_t from, uint32_t to, struct weft_route *r) WEFT_MUST_CHECK;
int topology_route_dragonfly(const struct weft_topology *t, uint32_t from, uint32_t to, struct weft_route *r) WEFT_MUST_CHECK;
int topology_route_file(const struct weft_topology *t, uint32_t from, uint32_t to, struct weft_route *r) WEFT_MUST_CHECK;

void topology_name_made(const struct weft_topology *t, uint32_t vertex, char *out, size_t room);

#endif
