/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the boxes of a graph are drawn: in layers from top to bottom, so that edges lead downward, with few crossings and short edges.
 * An edge over several layers has a bend in each of those between, which keeps a place of its own.
 *
 *      layer 0      [a]          [b]
 *      layer 1       │ ╲        ╱ │          bend of b -> d
 *      layer 2      [c]  ╲    ╱  [d]
 */
#ifndef WEFT_GRAPH_LAYOUT_H
#define WEFT_GRAPH_LAYOUT_H

#include "graph_fold.h"

struct weft_layout_in { /* all borrowed */
	uint32_t n, n_edges;
	const struct weft_fold_edge *edge;
	const double *width; /* of the boxes, in pixels */
	const double *rank;  /* an edge to a node of lower rank is drawn upward */
	double gap;          /* between neighbours */
};
struct weft_layout {
	uint32_t *layer; /* of each box */
	double *x;       /* its middle */
	uint32_t n_layers;
	double width;    /* of all */
	uint64_t *bends; /* n_edges + 1: edge e bends at bend[bends[e]] .. bend[bends[e + 1]] */
	double *bend;    /* x in the layers between its ends, from the upper one on */
	bool straight;   /* too many bends: there are none */
};
int weft_layout(const struct weft_layout_in *in, struct weft_layout *out) WEFT_MUST_CHECK; /* 0 or -ENOMEM */
void weft_layout_fini(struct weft_layout *l);

#endif
