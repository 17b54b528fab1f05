/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A graph of tasks, computed on: which order is possible, what the shortest possible time is and which tasks make it (the critical
 * path), how much later each may end without making it longer (its slack), how deep and how wide the graph is.
 *
 *      earliest  0      3      5          with as many workers as wanted
 *                a ───> b ───> d          a 3, b 2, c 1, d 2: length 7, path a b d, slack of c 1
 *                 ╲──── c ────╱
 *      level     0      1      2
 *
 * Knows neither traces nor files: nodes are numbers, edges an array.
 */
#ifndef WEFT_GRAPH_H
#define WEFT_GRAPH_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

struct weft_graph { /* all borrowed */
	uint32_t n;
	const uint64_t *first;    /* n + 1 of them: node i waits for before[first[i]] .. before[first[i + 1]] */
	const uint32_t *before;   /* nodes, in any order; one may come several times */
	const uint64_t *duration; /* ns */
};

struct weft_graph_paths {
	uint32_t *order;    /* all nodes, each behind those that it waits for */
	uint32_t *level;    /* the most edges from a node that waits for none */
	uint64_t *earliest; /* when it could begin */
	uint64_t *slack;
	uint32_t *path; /* the nodes of a critical path, from first to last; of several equal ones the first found */
	uint32_t n_path;
	uint64_t length; /* of it, in ns */
	uint64_t work;   /* of all nodes together */
	uint32_t *width; /* nodes of each level */
	uint32_t depth;  /* levels; 0 for an empty graph */
	uint32_t widest; /* the greatest width */
};
/*
 * 0, -ENOMEM, -EINVAL (an edge to no node), or -ELOOP, then *cycle (may be NULL) is a node that waits for itself over some others. Sums that pass
 * 2^64 stay there. O(nodes + edges).
 */
int weft_graph_paths(const struct weft_graph *g, struct weft_graph_paths *out, uint32_t *cycle) WEFT_MUST_CHECK;
void weft_graph_paths_fini(struct weft_graph_paths *p);

/*
 * How many ran side by side over time: *busy, n_bins sums of ns (malloc'd) over `from` .. `to`, exact. Nodes whose begin is UINT64_MAX are
 * left out. O(nodes + bins).
 */
struct weft_graph_span {
	const uint64_t *begin, *end; /* end: NULL, then begin + duration */
	const uint64_t *duration;
	uint32_t n;
};
int weft_graph_parallelism(const struct weft_graph_span *s, uint64_t from, uint64_t to, uint32_t n_bins,
                           uint64_t **busy) WEFT_MUST_CHECK;

#endif
