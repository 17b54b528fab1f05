/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Borůvka's rounds over the k-d tree: for each point the nearest one of another component, then each component's shortest edge joins two.
 * A node of the tree whose points are all of the asking point's component is passed over, and so is one that lies farther than what was
 * found. Edges are ordered by length, then by their ends: no two are equal, so the tree is the same whatever thread finds what.
 */
#include "base/pool.h"
#include "hdbscan_priv.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CHUNK = 1024, DEPTH = 128 };

struct growing {
	const struct weft_near_tree *tree;
	const double *core2;
	uint32_t *component;    /* by point: its root, between rounds */
	uint32_t *parent;       /* union-find, by point */
	uint32_t *whole;        /* by node: the component of all its points, or UINT32_MAX */
	double *least_core2;    /* by node */
	struct hdb_edge *found; /* by point */
	struct hdb_edge *best;  /* by component */
};

static bool shorter(const struct hdb_edge *x, const struct hdb_edge *y)
{
	if (x->length2 != y->length2)
		return x->length2 < y->length2;
	return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static void try_leaf(const struct growing *g, const struct weft_near_node *node, uint32_t point, struct hdb_edge *best)
{
	unsigned dims = g->tree->cloud.dims;
	const double *at = g->tree->cloud.at + (size_t)point * dims;
	for (uint32_t i = node->first; i < node->first + node->n; i++) {
		uint32_t q = g->tree->order[i];
		if (g->component[q] == g->component[point])
			continue;
		const double *p = g->tree->cloud.at + (size_t)q * dims;
		double sum = 0;
		for (unsigned d = 0; d < dims; d++)
			sum += (p[d] - at[d]) * (p[d] - at[d]);
		struct hdb_edge e = {fmax(sum, fmax(g->core2[point], g->core2[q])), point < q ? point : q, point < q ? q : point};
		if (shorter(&e, best))
			*best = e;
	}
}

static double at_least(const struct growing *g, uint32_t node, uint32_t point, const double *at)
{
	return fmax(weft_near_box2(g->tree, node, at), fmax(g->core2[point], g->least_core2[node]));
}

static struct hdb_edge nearest_outside(const struct growing *g, uint32_t point)
{
	const double *at = g->tree->cloud.at + (size_t)point * g->tree->cloud.dims;
	struct hdb_edge best = {INFINITY, UINT32_MAX, UINT32_MAX};
	uint32_t stack[DEPTH], n = 0;
	stack[n++] = 0;
	while (n) {
		uint32_t k = stack[--n];
		const struct weft_near_node *node = &g->tree->node[k];
		if (g->whole[k] == g->component[point] || at_least(g, k, point, at) > best.length2)
			continue;
		if (!node->left) {
			try_leaf(g, node, point, &best);
			continue;
		}
		bool left = weft_near_box2(g->tree, node->left, at) <= weft_near_box2(g->tree, node->right, at);
		stack[n++] = left ? node->right : node->left;
		stack[n++] = left ? node->left : node->right;
	}
	return best;
}

static int ask_chunk(void *arg, size_t chunk, unsigned worker)
{
	struct growing *g = arg;
	size_t n = g->tree->cloud.n, end = (chunk + 1) * CHUNK < n ? (chunk + 1) * CHUNK : n;
	(void)worker;
	for (size_t i = chunk * CHUNK; i < end; i++) {
		const struct hdb_edge *last = &g->found[i]; /* of a round before: as good while it leads out */
		if (last->a == UINT32_MAX || g->component[last->a] == g->component[last->b])
			g->found[i] = nearest_outside(g, (uint32_t)i);
	}
	return 0;
}

/* Nodes stand before their children, so going back, children come first. */
static void look_at_nodes(struct growing *g, bool cores)
{
	const struct weft_near_tree *t = g->tree;
	for (uint32_t k = t->n_nodes; k-- > 0;) {
		const struct weft_near_node *node = &t->node[k];
		if (node->left) {
			g->whole[k] = g->whole[node->left] == g->whole[node->right] ? g->whole[node->left] : UINT32_MAX;
			if (cores)
				g->least_core2[k] = fmin(g->least_core2[node->left], g->least_core2[node->right]);
			continue;
		}
		uint32_t of = g->component[t->order[node->first]];
		double least = INFINITY;
		for (uint32_t i = node->first; i < node->first + node->n; i++) {
			of = g->component[t->order[i]] == of ? of : UINT32_MAX;
			least = fmin(least, g->core2[t->order[i]]);
		}
		g->whole[k] = of;
		g->least_core2[k] = least;
	}
}

static size_t join_best(struct growing *g, struct hdb_edge *edge, size_t n_edges)
{
	size_t n = g->tree->cloud.n;
	for (size_t i = 0; i < n; i++)
		g->best[i] = (struct hdb_edge){INFINITY, UINT32_MAX, UINT32_MAX};
	for (size_t i = 0; i < n; i++) {
		struct hdb_edge *best = &g->best[g->component[i]];
		if (shorter(&g->found[i], best))
			*best = g->found[i];
	}
	for (size_t c = 0; c < n; c++) {
		const struct hdb_edge *e = &g->best[c];
		if (e->a == UINT32_MAX)
			continue;
		uint32_t a = root_of(g->parent, e->a), b = root_of(g->parent, e->b);
		if (a == b)
			continue; /* the other component chose it, too */
		g->parent[a < b ? b : a] = a < b ? a : b;
		edge[n_edges++] = *e;
	}
	for (size_t i = 0; i < n; i++)
		g->component[i] = root_of(g->parent, (uint32_t)i);
	return n_edges;
}

static int by_length(const void *a, const void *b)
{
	return shorter(a, b) ? -1 : shorter(b, a);
}

int hdb_least_tree(const struct weft_near_tree *tree, const double *core2, unsigned threads, struct hdb_edge *edge)
{
	size_t n = tree->cloud.n, n_edges = 0;
	struct growing g = {.tree = tree, .core2 = core2};
	g.component = malloc(n * sizeof *g.component);
	g.parent = malloc(n * sizeof *g.parent);
	g.whole = malloc(tree->n_nodes * sizeof *g.whole);
	g.least_core2 = malloc(tree->n_nodes * sizeof *g.least_core2);
	g.found = malloc(n * sizeof *g.found);
	g.best = malloc(n * sizeof *g.best);
	int rc = g.component && g.parent && g.whole && g.least_core2 && g.found && g.best ? 0 : -ENOMEM;
	for (size_t i = 0; i < n && !rc; i++) {
		g.component[i] = g.parent[i] = (uint32_t)i;
		g.found[i].a = UINT32_MAX;
	}
	for (bool first = true; !rc && n_edges < n - 1; first = false) {
		look_at_nodes(&g, first);
		rc = weft_parallel(threads, (n + CHUNK - 1) / CHUNK, ask_chunk, &g);
		n_edges = rc ? n_edges : join_best(&g, edge, n_edges);
	}
	if (!rc)
		qsort(edge, n - 1, sizeof *edge, by_length);
	free(g.component);
	free(g.parent);
	free(g.whole);
	free(g.least_core2);
	free(g.found);
	free(g.best);
	return rc;
}
