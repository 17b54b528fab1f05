/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a layer's points stand: as near as possible to the middle of what they are linked with (least squares), in their order and
 * without touching. That is a regression under an order: neighbours that would overlap are merged into one block, which stands at
 * its mean (pool adjacent violators), in one walk over the layer. Bends weigh more than boxes: long edges become straight.
 */
#include "layout_priv.h"
#include <errno.h>
#include <stdlib.h>

enum { PASSES = 12, BEND_WEIGHT = 6 };

struct block {
	double sum, weight; /* of wanted places, less what stands before each point in the block */
	uint32_t first;
};

static double half_width(const struct layout_work *w, uint32_t p)
{
	return layout_is_bend(w, p) ? 0 : w->in->width[p] / 2;
}

/* From a point's middle to that of its right neighbour, at least. */
static double apart(const struct layout_work *w, uint32_t left, uint32_t right)
{
	double gap = layout_is_bend(w, left) && layout_is_bend(w, right) ? w->in->gap / 2 : w->in->gap;
	return half_width(w, left) + gap + half_width(w, right);
}

static double wanted(const struct layout_work *w, uint32_t p, unsigned sides, double *weight)
{
	double sum = 0, n = 0;
	for (unsigned side = 0; side < 2; side++) {
		const struct layout_links *link = &w->link[side];
		for (uint64_t e = link->first[p]; (sides >> side & 1) && e < link->first[p + 1]; e++) {
			double one = layout_is_bend(w, p) && layout_is_bend(w, link->at[e]) ? BEND_WEIGHT : 1;
			sum += one * w->x[link->at[e]];
			n += one;
		}
	}
	*weight = n > 0 ? n : 0.01;
	return n > 0 ? sum / n : w->x[p];
}

static void place_layer(struct layout_work *w, uint32_t layer, unsigned sides, struct block *block)
{
	uint32_t n = 0, end = w->begin[layer + 1];
	double offset = 0;
	for (uint32_t k = w->begin[layer]; k < end; k++) {
		uint32_t p = w->line[k];
		double weight, want = wanted(w, p, sides, &weight);
		if (k > w->begin[layer])
			offset += apart(w, w->line[k - 1], p);
		block[n++] = (struct block){weight * (want - offset), weight, k};
		while (n > 1 && block[n - 2].sum * block[n - 1].weight >= block[n - 1].sum * block[n - 2].weight) {
			block[n - 2].sum += block[n - 1].sum;
			block[n - 2].weight += block[n - 1].weight;
			n--;
		}
	}
	offset = 0;
	for (uint32_t b = 0, k = w->begin[layer]; b < n; b++)
		for (uint32_t stop = b + 1 < n ? block[b + 1].first : end; k < stop; k++) {
			if (k > w->begin[layer])
				offset += apart(w, w->line[k - 1], w->line[k]);
			w->x[w->line[k]] = block[b].sum / block[b].weight + offset;
		}
}

/* Side by side, each layer around 0. */
static void place_first(struct layout_work *w)
{
	for (uint32_t layer = 0; layer < w->n_layers; layer++) {
		double at = 0;
		for (uint32_t k = w->begin[layer]; k < w->begin[layer + 1]; k++) {
			at += k > w->begin[layer] ? apart(w, w->line[k - 1], w->line[k]) : 0;
			w->x[w->line[k]] = at;
		}
		for (uint32_t k = w->begin[layer]; k < w->begin[layer + 1]; k++)
			w->x[w->line[k]] -= at / 2;
	}
}

int layout_place(struct layout_work *w)
{
	struct block *block = malloc(((size_t)w->n + 1) * sizeof *block);
	if (!block)
		return -ENOMEM;
	place_first(w);
	for (unsigned pass = 0; pass < PASSES; pass++) {
		bool down = pass % 2 == 0, last = pass + 2 >= PASSES;
		unsigned sides = last ? 3 : down ? 1 << LAYOUT_UP : 1 << LAYOUT_DOWN;
		for (uint32_t k = 0; k < w->n_layers; k++)
			place_layer(w, down ? k : w->n_layers - 1 - k, sides, block);
	}
	free(block);
	return 0;
}
