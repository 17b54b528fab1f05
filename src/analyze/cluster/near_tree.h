/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest points of a point: a k-d tree over a cloud. Immutable once made; may be asked from several threads. */
#ifndef WEFT_ANALYZE_NEAR_TREE_H
#define WEFT_ANALYZE_NEAR_TREE_H

#include "dbscan.h"

struct weft_near_node {
	uint32_t first, n;    /* its points, in near_tree.order */
	uint32_t left, right; /* nodes; 0: a leaf */
	uint32_t least;       /* of its points, by number */
};
struct weft_near_tree {
	struct weft_cloud cloud; /* borrowed */
	uint32_t *order;         /* all owned */
	struct weft_near_node *node;
	double *box; /* by node: least and most of each dimension */
	uint32_t n_nodes;
};
/* The cloud has at least one point, and finite coordinates. 0 or -ENOMEM. O(n log n). */
int weft_near_tree_make(struct weft_near_tree *t, const struct weft_cloud *cloud) WEFT_MUST_CHECK;
void weft_near_tree_fini(struct weft_near_tree *t);

struct weft_near {
	double distance2;
	uint32_t point;
};
/*
 * The k points that are nearest to `at`, the nearest first, of equals the one that comes first in the cloud; fewer where the cloud is
 * smaller. Their count.
 */
unsigned weft_near_find(const struct weft_near_tree *t, const double *at, unsigned k, struct weft_near *out);
/* How far from the box of a node `at` is, squared. */
double weft_near_box2(const struct weft_near_tree *t, uint32_t node, const double *at);

#endif
