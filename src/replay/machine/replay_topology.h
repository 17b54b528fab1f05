/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Switches and links between nodes, and the way that a message takes through them.
 *
 *     "fat-tree:k=4"             k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 cores, k^3/4 nodes; d-mod-k: the ways up are
 *                                chosen by the receiver's number
 *     "torus:4x4x2"              a router a node, rings in each dimension; dimension by dimension, the short way round (even: up)
 *     "dragonfly:a=4,p=2,h=2"    groups of a routers, all linked, each with p nodes and h links to other groups; the minimal way
 *     a file                     lines "node N…", "switch S…", "link A B [bandwidth=RATE] [latency=TIME]"; shortest ways through
 *                                switches, of equal ones that of the receiver's number
 *
 * Vertices: nodes first, then switches. A link is one direction of a cable; links of a cable are neighbours (2 i, 2 i + 1) in files.
 * A topology never changes when it is made; threads may share it.
 */
#ifndef WEFT_REPLAY_TOPOLOGY_H
#define WEFT_REPLAY_TOPOLOGY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

struct weft_topology_link {
	uint32_t from, to;   /* vertices */
	double bytes_per_ns; /* < 0: that of the machine between nodes, divided by -bytes_per_ns; 0: no limit */
	double latency_ns;
};
enum weft_topology_kind { WEFT_TOPOLOGY_FAT_TREE, WEFT_TOPOLOGY_TORUS, WEFT_TOPOLOGY_DRAGONFLY, WEFT_TOPOLOGY_FILE };
enum { WEFT_TOPOLOGY_DIMENSIONS = 8 };
struct weft_topology {
	enum weft_topology_kind kind;
	const char *text; /* as it was asked for */
	uint32_t n_nodes, n_vertices;
	WEFT_VEC(struct weft_topology_link) link;
	uint32_t k;      /* fat trees: ports of a switch */
	uint32_t n_dims; /* tori */
	uint32_t size[WEFT_TOPOLOGY_DIMENSIONS];
	uint32_t groups, routers, hosts, global; /* dragonflies: g, a, p, h */
	const char **name;                       /* files: of vertices */
	uint32_t *first_out, *out;               /* files: numbers of the links out of each vertex */
	struct weft_arena arena;
};

/* `folder`: that a file's name is relative to; NULL: where we are. */
int weft_topology_make(struct weft_topology **out, const char *text, const char *folder, struct weft_err *err) WEFT_MUST_CHECK;
int weft_topology_parse(struct weft_topology **out, const char *at, size_t n, const char *name,
                        struct weft_err *err) WEFT_MUST_CHECK; /* a file's text */
void weft_topology_free(struct weft_topology *t);              /* NULL is fine */
/* "edge switch 0.1", "router (1,0)", "node 3"; into out, cut when it is longer. */
char *weft_topology_vertex(const struct weft_topology *t, uint32_t vertex, char *out, size_t room);

/* Where somebody travels. Zero-initialised is empty; one user. */
struct weft_route {
	WEFT_VEC(uint32_t) link;
	double latency_ns;   /* of all */
	uint16_t **distance; /* files: by receiver, of all vertices; made when first asked for */
	uint32_t n_distances;
};
/* The way from one node to another into r. 0, -ENETUNREACH or -ENOMEM. */
int weft_topology_route(const struct weft_topology *t, uint32_t from, uint32_t to, struct weft_route *r) WEFT_MUST_CHECK;
void weft_route_fini(struct weft_route *r);

#endif
