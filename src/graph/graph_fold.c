/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups are found in a table of (kind, step); edges between groups are sorted by counting, first by where they begin, then by
 * where they end, so that equal ones lie together: three passes, whatever the graph.
 */
#include "graph_fold.h"
#include "base/map.h"
#include "base/vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { REDUCED_MOST = 20000 };

static uint64_t key_of(uint32_t kind, uint32_t step)
{
	return (uint64_t)kind << 32 | step;
}

/* ---- groups ---- */

static int find_groups(struct weft_fold *f, uint32_t n, const uint32_t *kind, const uint32_t *step)
{
	struct weft_map at = {0};
	size_t cap = 0;
	uint64_t last = 0, group = 0;
	int rc = 0;
	for (uint32_t i = 0; i < n && !rc; i++) {
		uint64_t key = key_of(kind[i], step[i]);
		if ((i == 0 || key != last) && !weft_map_get(&at, key, &group)) {
			group = f->n;
			if (f->n == cap)
				rc = weft_vec_grow(&f->group, &cap, (size_t)f->n + 1, sizeof *f->group);
			rc = rc ? rc : weft_map_put(&at, key, group);
			if (rc)
				break;
			f->group[f->n++] = (struct weft_fold_group){.kind = kind[i],
			                                            .step = step[i],
			                                            .level = UINT32_MAX,
			                                            .least = UINT64_MAX,
			                                            .slack = UINT64_MAX};
		}
		last = key;
		f->of[i] = (uint32_t)group;
	}
	weft_map_fini(&at);
	return rc;
}

static void sum_groups(struct weft_fold *f, const struct weft_graph *g, const struct weft_graph_paths *p)
{
	for (uint32_t i = 0; i < g->n; i++) {
		struct weft_fold_group *to = &f->group[f->of[i]];
		uint64_t d = g->duration[i];
		to->count++;
		to->at += p->level[i];
		to->work += d;
		to->least = d < to->least ? d : to->least;
		to->most = d > to->most ? d : to->most;
		to->slack = p->slack[i] < to->slack ? p->slack[i] : to->slack;
		to->level = p->level[i] < to->level ? p->level[i] : to->level;
	}
	for (uint32_t k = 0; k < p->n_path; k++)
		f->group[f->of[p->path[k]]].critical++;
	uint32_t first = 0;
	for (uint32_t k = 0; k < f->n; k++) {
		struct weft_fold_group *to = &f->group[k];
		to->at /= to->count;
		to->first = first;
		first += to->count;
		to->count = 0;
	}
	for (uint32_t i = 0; i < g->n; i++) {
		struct weft_fold_group *to = &f->group[f->of[i]];
		f->member[to->first + to->count++] = i;
	}
}

/* ---- edges ---- */

/* in and out: pairs (from, to) of groups; sorted by the one at `by`, 0 or 1, and otherwise as before. */
static int sort_pairs(const uint32_t (*in)[2], uint32_t (*out)[2], uint64_t n, unsigned by, uint32_t groups)
{
	uint64_t *at = calloc((size_t)groups + 2, sizeof *at);
	if (!at)
		return -ENOMEM;
	for (uint64_t e = 0; e < n; e++)
		at[in[e][by] + 1]++;
	for (uint32_t k = 0; k < groups; k++)
		at[k + 1] += at[k];
	for (uint64_t e = 0; e < n; e++) {
		uint64_t to = at[in[e][by]]++;
		out[to][0] = in[e][0];
		out[to][1] = in[e][1];
	}
	free(at);
	return 0;
}

static void pack_edges(struct weft_fold *f, const uint32_t (*pair)[2], uint64_t n)
{
	for (uint64_t e = 0; e < n; e++) {
		struct weft_fold_edge *last = f->n_edges ? &f->edge[f->n_edges - 1] : NULL;
		if (last && last->from == pair[e][0] && last->to == pair[e][1])
			last->count++;
		else
			f->edge[f->n_edges++] = (struct weft_fold_edge){pair[e][0], pair[e][1], 1};
	}
}

static int find_edges(struct weft_fold *f, const struct weft_graph *g)
{
	uint64_t most = g->first[g->n], n = 0;
	uint32_t(*a)[2] = malloc((most + 1) * sizeof *a), (*b)[2] = malloc((most + 1) * sizeof *b);
	int rc = a && b ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < g->n; i++)
		for (uint64_t e = g->first[i]; e < g->first[i + 1]; e++) {
			uint32_t from = f->of[g->before[e]], to = f->of[i];
			if (from == to) {
				f->inner++;
				continue;
			}
			a[n][0] = from;
			a[n++][1] = to;
		}
	if (!rc)
		rc = sort_pairs((const uint32_t(*)[2])a, b, n, 0, f->n);
	if (!rc)
		rc = sort_pairs((const uint32_t(*)[2])b, a, n, 1, f->n);
	if (!rc) {
		f->edge = malloc((n + 1) * sizeof *f->edge);
		rc = f->edge ? 0 : -ENOMEM;
	}
	if (!rc)
		pack_edges(f, (const uint32_t(*)[2])a, n);
	free(a);
	free(b);
	return rc;
}

int weft_fold(const struct weft_graph *g, const struct weft_graph_paths *p, const uint32_t *kind, const uint32_t *step,
              struct weft_fold *out)
{
	struct weft_fold f = {.of = malloc(((size_t)g->n + 1) * sizeof *f.of),
	                      .member = malloc(((size_t)g->n + 1) * sizeof *f.member)};
	int rc = f.of && f.member ? find_groups(&f, g->n, kind, step) : -ENOMEM;
	if (!rc) {
		sum_groups(&f, g, p);
		rc = find_edges(&f, g);
	}
	if (rc)
		weft_fold_fini(&f);
	*out = f;
	return rc;
}

void weft_fold_fini(struct weft_fold *f)
{
	free(f->group);
	free(f->of);
	free(f->member);
	free(f->edge);
	*f = (struct weft_fold){0};
}

/* ---- how coarse ---- */

static int count_groups(const uint32_t *kind, const uint32_t *step, uint32_t n, uint32_t stride, uint32_t *groups)
{
	struct weft_map seen = {0};
	uint64_t last = 0;
	int rc = 0;
	for (uint32_t i = 0; i < n && !rc; i++) {
		uint64_t key = key_of(kind[i], step[i] / stride);
		if (i == 0 || key != last)
			rc = weft_map_put(&seen, key, 0);
		last = key;
	}
	*groups = (uint32_t)seen.n;
	weft_map_fini(&seen);
	return rc;
}

int weft_fold_stride(const uint32_t *kind, const uint32_t *step, uint32_t n, uint32_t most, uint32_t *stride, uint32_t *groups)
{
	uint32_t last = 0;
	for (uint32_t i = 0; i < n; i++)
		last = step[i] > last ? step[i] : last;
	for (*stride = 1;; *stride *= 2) {
		int rc = count_groups(kind, step, n, *stride, groups);
		if (rc || *groups <= most || *stride > last || *stride > UINT32_MAX / 2)
			return rc;
	}
}

/* ---- what follows from the rest ---- */

/* Groups behind all that lead to them, as a graph without durations; -ELOOP where they wait for each other. */
static int order_groups(const struct weft_fold *f, struct weft_graph_paths *p, uint64_t **first)
{
	uint32_t *before = malloc(((size_t)f->n_edges + 1) * sizeof *before);
	uint64_t *none = calloc((size_t)f->n + 1, sizeof *none);
	*first = calloc((size_t)f->n + 2, sizeof **first);
	int rc = before && none && *first ? 0 : -ENOMEM;
	for (uint32_t e = 0; !rc && e < f->n_edges; e++) {
		before[e] = f->edge[e].from;
		(*first)[f->edge[e].to + 1]++;
	}
	for (uint32_t k = 0; !rc && k < f->n; k++)
		(*first)[k + 1] += (*first)[k];
	if (!rc)
		rc = weft_graph_paths(&(struct weft_graph){f->n, *first, before, none}, p, NULL);
	free(before);
	free(none);
	return rc;
}

/* reach: a row of bits for each group, those from which it is reached. A predecessor that another one's row has is left out. */
static uint32_t mark_rest(const struct weft_fold *f, const struct weft_graph_paths *p, const uint64_t *first, uint64_t *reach,
                          bool *out)
{
	size_t words = f->n / 64 + 1;
	uint32_t left_out = 0;
	for (uint32_t k = 0; k < f->n; k++) {
		uint32_t i = p->order[k];
		uint64_t *row = reach + i * words;
		for (uint64_t e = first[i]; e < first[i + 1]; e++) {
			const uint64_t *other = reach + f->edge[e].from * words;
			for (size_t w = 0; w < words; w++)
				row[w] |= other[w];
		}
		for (uint64_t e = first[i]; e < first[i + 1]; e++) {
			uint32_t b = f->edge[e].from;
			out[e] = row[b / 64] >> (b % 64) & 1;
			left_out += out[e];
		}
		for (uint64_t e = first[i]; e < first[i + 1]; e++)
			row[f->edge[e].from / 64] |= 1ull << (f->edge[e].from % 64);
	}
	return left_out;
}

int weft_fold_reduce(struct weft_fold *f, const bool *keep)
{
	struct weft_graph_paths p = {0};
	uint64_t *first = NULL, *reach = NULL;
	bool *out = NULL;
	if (f->n > REDUCED_MOST)
		return 0;
	int rc = order_groups(f, &p, &first);
	if (!rc) {
		reach = calloc((size_t)f->n + 1, (f->n / 64 + 1) * sizeof *reach);
		out = calloc((size_t)f->n_edges + 1, sizeof *out);
		rc = reach && out ? 0 : -ENOMEM;
	}
	if (!rc && mark_rest(f, &p, first, reach, out)) {
		uint32_t n = 0;
		for (uint32_t e = 0; e < f->n_edges; e++)
			if (!out[e] || (keep && keep[e]))
				f->edge[n++] = f->edge[e];
		f->n_edges = n;
	}
	weft_graph_paths_fini(&p);
	free(first);
	free(reach);
	free(out);
	return rc == -ELOOP ? 0 : rc;
}
