/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes and bends alike are points of a layer; between neighbouring layers lead links. */
#ifndef WEFT_GRAPH_LAYOUT_PRIV_H
#define WEFT_GRAPH_LAYOUT_PRIV_H

#include "layout.h"

enum { LAYOUT_UP, LAYOUT_DOWN };

struct layout_links { /* of point p: at[first[p]] .. at[first[p + 1]] */
	uint64_t *first;
	uint32_t *at;
};
struct layout_work {
	const struct weft_layout_in *in;
	uint32_t n, n_layers; /* points: the boxes, then the bends */
	uint32_t *layer;
	uint32_t *line; /* points by layer, from left to right: line[begin[k]] .. line[begin[k + 1]] */
	uint32_t *begin;
	uint32_t *place; /* of a point in its layer */
	double *x;
	struct layout_links link[2]; /* to the layer above, below */
};

int layout_order(struct layout_work *w) WEFT_MUST_CHECK; /* few crossings: line and place */
int layout_place(struct layout_work *w) WEFT_MUST_CHECK; /* x */

static inline bool layout_is_bend(const struct layout_work *w, uint32_t point)
{
	return point >= w->in->n;
}

#endif
