/* SPDX-License-Identifier: Apache-2.0 */
/* Between the tree of least edges (hdbscan_tree.c) and what is chosen of it (hdbscan.c). */
#ifndef WEFT_ANALYZE_HDBSCAN_PRIV_H
#define WEFT_ANALYZE_HDBSCAN_PRIV_H

#include "hdbscan.h"
#include "near_tree.h"

struct hdb_edge {
	double length2; /* mutual reachability, squared */
	uint32_t a, b;  /* a < b */
};
/* The n - 1 edges of the least spanning tree, the shortest first; of equals by their ends. edge: room for n - 1. 0 or -ENOMEM. */
int hdb_least_tree(const struct weft_near_tree *tree, const double *core2, unsigned threads,
                   struct hdb_edge *edge) WEFT_MUST_CHECK;

#endif
