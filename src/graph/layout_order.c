/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Few crossings: each layer is sorted by the mean place of what its points are linked with, downward and upward in turn; the order with the
 * fewest crossings is kept. Places count as parts of their layer, so that a short layer spreads under a long one.
 */
#include "layout_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 10, CROSSINGS_COUNTED = 200000 };

struct keyed {
	double at;
	uint32_t place, point;
};

static int compare(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void set_places(struct layout_work *w, uint32_t layer)
{
	for (uint32_t k = w->begin[layer]; k < w->begin[layer + 1]; k++)
		w->place[w->line[k]] = k - w->begin[layer];
}

static void sort_layer(struct layout_work *w, uint32_t layer, unsigned side, struct keyed *room)
{
	const struct layout_links *link = &w->link[side];
	uint32_t n = w->begin[layer + 1] - w->begin[layer];
	for (uint32_t k = 0; k < n; k++) {
		uint32_t p = w->line[w->begin[layer] + k];
		uint64_t links = link->first[p + 1] - link->first[p];
		double sum = 0;
		for (uint64_t e = link->first[p]; e < link->first[p + 1]; e++) {
			uint32_t other = w->layer[link->at[e]];
			sum += (w->place[link->at[e]] + 0.5) / (w->begin[other + 1] - w->begin[other]);
		}
		room[k] = (struct keyed){links ? sum / (double)links : (k + 0.5) / n, k, p};
	}
	qsort(room, n, sizeof *room, compare);
	for (uint32_t k = 0; k < n; k++)
		w->line[w->begin[layer] + k] = room[k].point;
	set_places(w, layer);
}

static int compare_places(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/*
 * Crossings between a layer and the one below: by upper ends from left to right (of one by lower ends), each link crosses those before it whose lower end is
 * farther right; a tree of sums over places counts them.
 */
static uint64_t crossings_below(const struct layout_work *w, uint32_t layer, uint32_t *tree, uint32_t *ends)
{
	const struct layout_links *down = &w->link[LAYOUT_DOWN];
	uint32_t size = w->begin[layer + 2] - w->begin[layer + 1];
	uint64_t n = 0, crossings = 0;
	memset(tree, 0, ((size_t)size + 1) * sizeof *tree);
	for (uint32_t k = w->begin[layer]; k < w->begin[layer + 1]; k++) {
		uint32_t p = w->line[k];
		uint64_t links = down->first[p + 1] - down->first[p];
		for (uint64_t e = 0; e < links; e++)
			ends[e] = w->place[down->at[down->first[p] + e]];
		qsort(ends, links, sizeof *ends, compare_places);
		for (uint64_t e = 0; e < links; e++) {
			crossings += n;
			for (uint32_t i = ends[e] + 1; i > 0; i -= i & -i)
				crossings -= tree[i];
			for (uint32_t i = ends[e] + 1; i <= size; i += i & -i)
				tree[i]++;
			n++;
		}
	}
	return crossings;
}

static uint64_t crossings(const struct layout_work *w, uint32_t *tree, uint32_t *ends)
{
	uint64_t sum = 0;
	for (uint32_t k = 0; k + 1 < w->n_layers; k++)
		sum += crossings_below(w, k, tree, ends);
	return sum;
}

static void sweep(struct layout_work *w, bool down, struct keyed *room)
{
	for (uint32_t k = 1; k < w->n_layers; k++)
		sort_layer(w, down ? k : w->n_layers - 1 - k, down ? LAYOUT_UP : LAYOUT_DOWN, room);
}

static void sweep_best(struct layout_work *w, struct keyed *room, uint32_t *best, uint32_t *tree, uint32_t *ends)
{
	uint64_t fewest = UINT64_MAX;
	bool counted = w->link[LAYOUT_DOWN].first[w->n] <= CROSSINGS_COUNTED;
	for (unsigned k = 0; k <= SWEEPS && fewest; k++) {
		uint64_t now = counted ? crossings(w, tree, ends) : SWEEPS - k;
		if (now < fewest) {
			fewest = now;
			memcpy(best, w->line, w->n * sizeof *best);
		}
		if (k < SWEEPS)
			sweep(w, k % 2 == 0, room);
	}
	memcpy(w->line, best, w->n * sizeof *best);
}

int layout_order(struct layout_work *w)
{
	size_t room = (size_t)w->n + 2;
	struct keyed *keyed = malloc(room * sizeof *keyed);
	uint32_t *best = malloc(room * sizeof *best), *tree = malloc(room * sizeof *tree);
	uint32_t *ends = malloc((w->link[LAYOUT_DOWN].first[w->n] + 1) * sizeof *ends);
	int rc = keyed && best && tree && ends ? 0 : -ENOMEM;
	for (uint32_t k = 0; !rc && k < w->n_layers; k++)
		set_places(w, k);
	if (!rc)
		sweep_best(w, keyed, best, tree, ends);
	for (uint32_t k = 0; !rc && k < w->n_layers; k++)
		set_places(w, k);
	free(keyed);
	free(best);
	free(tree);
	free(ends);
	return rc;
}
