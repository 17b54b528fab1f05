/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of Sugiyama: layers (the longest path from above), bends, order in the layers (layout_order.c), places (layout_place.c).
 * Edges that would lead upward, in graphs where groups wait for each other, are turned round for this.
 */
#include "layout_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BENDS_MOST = 60000 };

/* Whether the edge is drawn upward. */
static bool turned(const struct weft_layout_in *in, const struct weft_fold_edge *e)
{
	double from = in->rank[e->from], to = in->rank[e->to];
	return from > to || (from == to && e->from > e->to);
}

static void ends(const struct weft_layout_in *in, uint32_t edge, uint32_t *upper, uint32_t *lower)
{
	const struct weft_fold_edge *e = &in->edge[edge];
	bool t = turned(in, e);
	*upper = t ? e->to : e->from;
	*lower = t ? e->from : e->to;
}

static int find_layers(const struct weft_layout_in *in, uint32_t *layer, uint32_t *n_layers)
{
	struct weft_graph_paths p = {0};
	uint64_t *first = calloc((size_t)in->n + 3, sizeof *first), *none = calloc((size_t)in->n + 1, sizeof *none);
	uint32_t *before = malloc(((size_t)in->n_edges + 1) * sizeof *before), upper, lower;
	int rc = first && none && before ? 0 : -ENOMEM;
	for (uint32_t e = 0; !rc && e < in->n_edges; e++) {
		ends(in, e, &upper, &lower);
		first[lower + 2]++;
	}
	for (uint32_t i = 0; !rc && i < in->n; i++)
		first[i + 2] += first[i + 1];
	for (uint32_t e = 0; !rc && e < in->n_edges; e++) {
		ends(in, e, &upper, &lower);
		before[first[lower + 1]++] = upper;
	}
	if (!rc)
		rc = weft_graph_paths(&(struct weft_graph){in->n, first, before, none}, &p, NULL);
	if (!rc) {
		memcpy(layer, p.level, in->n * sizeof *layer);
		*n_layers = p.depth;
	}
	weft_graph_paths_fini(&p);
	free(first);
	free(none);
	free(before);
	return rc;
}

/* How many bends the edges have, and where those of each begin; none at all where that is too many. */
static uint64_t count_bends(const struct weft_layout_in *in, struct weft_layout *l)
{
	uint64_t n = 0;
	uint32_t upper, lower;
	for (uint32_t e = 0; e < in->n_edges; e++) {
		ends(in, e, &upper, &lower);
		l->bends[e] = n;
		n += l->layer[lower] - l->layer[upper] - 1;
	}
	l->bends[in->n_edges] = n;
	l->straight = n > BENDS_MOST;
	if (l->straight) {
		memset(l->bends, 0, ((size_t)in->n_edges + 1) * sizeof *l->bends);
		n = 0;
	}
	return n;
}

/* Each link from an upper point to a lower one, in turn; counts them in `first` or puts them into `at`. */
static void link_points(struct layout_work *w, const struct weft_layout *l, bool put)
{
	uint32_t upper, lower;
	for (uint32_t e = 0; e < w->in->n_edges; e++) {
		ends(w->in, e, &upper, &lower);
		uint32_t last = upper;
		for (uint64_t k = l->bends[e]; k <= l->bends[e + 1]; k++) {
			uint32_t next = k < l->bends[e + 1] ? w->in->n + (uint32_t)k : lower;
			uint32_t pair[2] = {next, last};
			for (unsigned side = 0; side < 2; side++) {
				struct layout_links *link = &w->link[side];
				if (put)
					link->at[link->first[pair[side] + 1]++] = pair[!side];
				else
					link->first[pair[side] + 2]++;
			}
			last = next;
		}
	}
}

static int make_links(struct layout_work *w, const struct weft_layout *l)
{
	uint64_t n = w->in->n_edges + l->bends[w->in->n_edges];
	for (unsigned side = 0; side < 2; side++) {
		w->link[side].first = calloc((size_t)w->n + 3, sizeof *w->link[side].first);
		w->link[side].at = malloc((n + 1) * sizeof *w->link[side].at);
		if (!w->link[side].first || !w->link[side].at)
			return -ENOMEM;
	}
	link_points(w, l, false);
	for (unsigned side = 0; side < 2; side++)
		for (uint32_t p = 0; p < w->n; p++)
			w->link[side].first[p + 2] += w->link[side].first[p + 1];
	link_points(w, l, true);
	return 0;
}

/* The layers of the bends, and each layer's points by number. */
static void fill_layers(struct layout_work *w, const struct weft_layout *l, uint32_t *taken)
{
	uint32_t upper, lower;
	memcpy(w->layer, l->layer, w->in->n * sizeof *w->layer);
	for (uint32_t e = 0; e < w->in->n_edges; e++) {
		ends(w->in, e, &upper, &lower);
		for (uint64_t k = l->bends[e]; k < l->bends[e + 1]; k++)
			w->layer[w->in->n + k] = l->layer[upper] + 1 + (uint32_t)(k - l->bends[e]);
	}
	for (uint32_t p = 0; p < w->n; p++)
		w->begin[w->layer[p] + 1]++;
	for (uint32_t k = 0; k < w->n_layers; k++)
		w->begin[k + 1] += w->begin[k];
	for (uint32_t p = 0; p < w->n; p++)
		w->line[w->begin[w->layer[p]] + taken[w->layer[p]]++] = p;
}

static int work_init(struct layout_work *w, const struct weft_layout *l)
{
	size_t room = (size_t)w->n + 1;
	w->layer = calloc(room, sizeof *w->layer);
	w->line = calloc(room, sizeof *w->line);
	w->place = calloc(room, sizeof *w->place);
	w->x = calloc(room, sizeof *w->x);
	w->begin = calloc((size_t)w->n_layers + 2, sizeof *w->begin);
	if (!w->layer || !w->line || !w->place || !w->x || !w->begin)
		return -ENOMEM;
	uint32_t *taken = calloc((size_t)w->n_layers + 1, sizeof *taken);
	if (!taken)
		return -ENOMEM;
	fill_layers(w, l, taken);
	free(taken);
	return make_links(w, l);
}

static void work_fini(struct layout_work *w)
{
	for (unsigned side = 0; side < 2; side++) {
		free(w->link[side].first);
		free(w->link[side].at);
	}
	free(w->layer);
	free(w->line);
	free(w->place);
	free(w->x);
	free(w->begin);
}

/* Everything from 0 on. */
static void take_places(const struct layout_work *w, struct weft_layout *l)
{
	double least = 0, most = 0;
	for (uint32_t p = 0; p < w->n; p++) {
		double half = layout_is_bend(w, p) ? 0 : w->in->width[p] / 2;
		least = p == 0 || w->x[p] - half < least ? w->x[p] - half : least;
		most = p == 0 || w->x[p] + half > most ? w->x[p] + half : most;
	}
	for (uint32_t p = 0; p < w->n; p++)
		*(layout_is_bend(w, p) ? &l->bend[p - w->in->n] : &l->x[p]) = w->x[p] - least;
	l->width = most - least;
}

int weft_layout(const struct weft_layout_in *in, struct weft_layout *out)
{
	struct weft_layout l = {.layer = calloc((size_t)in->n + 1, sizeof *l.layer),
	                        .x = calloc((size_t)in->n + 1, sizeof *l.x),
	                        .bends = calloc((size_t)in->n_edges + 2, sizeof *l.bends)};
	struct layout_work w = {.in = in};
	int rc = l.layer && l.x && l.bends ? find_layers(in, l.layer, &l.n_layers) : -ENOMEM;
	if (!rc) {
		uint64_t bends = count_bends(in, &l);
		w.n = in->n + (uint32_t)bends;
		w.n_layers = l.n_layers;
		l.bend = calloc(bends + 1, sizeof *l.bend);
		rc = l.bend ? work_init(&w, &l) : -ENOMEM;
	}
	if (!rc)
		rc = layout_order(&w);
	if (!rc)
		rc = layout_place(&w);
	if (!rc)
		take_places(&w, &l);
	work_fini(&w);
	if (rc)
		weft_layout_fini(&l);
	*out = l;
	return rc;
}

void weft_layout_fini(struct weft_layout *l)
{
	free(l->layer);
	free(l->x);
	free(l->bends);
	free(l->bend);
	*l = (struct weft_layout){0};
}
