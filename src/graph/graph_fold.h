/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph that people can look at: equal tasks become one. Two tasks are equal when they are of one kind (a codelet) and of one step (a
 * level of the graph, an iteration of the program, or several of them).
 */
#ifndef WEFT_GRAPH_GRAPH_FOLD_H
#define WEFT_GRAPH_GRAPH_FOLD_H

#include "graph.h"

struct weft_fold_group {
	uint32_t kind, step;
	uint32_t first, count;      /* its nodes: member[first] .. member[first + count] */
	uint32_t level;             /* the least of its nodes */
	uint32_t critical;          /* how many of its nodes are on the critical path */
	uint64_t work, least, most; /* durations: sum, shortest, longest */
	uint64_t slack;             /* the least of its nodes */
	double at;                  /* mean level */
};
struct weft_fold_edge {
	uint32_t from, to, count; /* groups; edges of nodes */
};
struct weft_fold {
	struct weft_fold_group *group; /* by the first node of each */
	uint32_t n;
	uint32_t *of;                /* node -> group */
	uint32_t *member;            /* nodes by group, in their order */
	struct weft_fold_edge *edge; /* between different groups; by `to`, then by `from` */
	uint32_t n_edges;
	uint64_t inner; /* edges of nodes within one group */
};
/* kind and step: of each node; -ENOMEM or 0. O(nodes + edges). */
int weft_fold(const struct weft_graph *g, const struct weft_graph_paths *p, const uint32_t *kind, const uint32_t *step,
              struct weft_fold *out) WEFT_MUST_CHECK;
void weft_fold_fini(struct weft_fold *f);

/*
 * How many neighbouring steps must be taken together (1, 2, 4, 8, ...) so that there are at most `most` groups; *groups is how many there are then
 * (more than `most` when even all steps together do not help). O(nodes) a try.
 */
int weft_fold_stride(const uint32_t *kind, const uint32_t *step, uint32_t n, uint32_t most, uint32_t *stride,
                     uint32_t *groups) WEFT_MUST_CHECK;

/*
 * Leaves out what follows from the rest: a -> c where a -> b and b -> c are there. Edges of a circle of groups all stay, and so do all edges where
 * groups are more than 20,000, and those that `keep` (by edge; NULL: none) says. Order as before. O(groups * edges / 64).
 */
int weft_fold_reduce(struct weft_fold *f, const bool *keep) WEFT_MUST_CHECK;

#endif
