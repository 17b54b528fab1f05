/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least tree's edges, shortest first, join branches two by two (a dendrogram: node n + k is made by edge k). From its top down, a branch
 * goes on while only fewer than min_cluster points leave it at a time, and ends where two large ones part. A branch's stability is the sum
 * over its points of (1/distance at which the point left - 1/distance at which the branch began); chosen is, from below, what is more stable
 * than what lies in it. The top itself is never chosen.
 */
#include "base/pool.h"
#include "hdbscan_priv.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { CHUNK = 512 };

struct join { /* a node of the dendrogram that is no point */
	uint32_t left, right, size;
	double lambda; /* 1 / distance */
};
struct branch {
	uint32_t parent, within;        /* within: the chosen one around it, 0: none */
	double born, stability, inside; /* inside: the best that lies in it */
	bool chosen, has_children;
};
struct choosing {
	uint32_t n, min_cluster, n_branches;
	struct join *join;     /* n - 1 */
	struct branch *branch; /* as many as min_cluster allows */
	uint32_t *of;          /* by point: the branch that it left last */
};

static struct join node_of(const struct choosing *c, uint32_t node)
{
	if (node < c->n)
		return (struct join){.size = 1, .lambda = INFINITY};
	return c->join[node - c->n];
}

static int make_joins(struct choosing *c, const struct hdb_edge *edge)
{
	uint32_t *parent = malloc(c->n * sizeof *parent), *top = malloc(c->n * sizeof *top);
	int rc = parent && top ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < c->n && !rc; i++)
		parent[i] = top[i] = i;
	for (uint32_t k = 0; k + 1 < c->n && !rc; k++) {
		uint32_t a = edge[k].a, b = edge[k].b;
		while (parent[a] != a)
			a = parent[a] = parent[parent[a]];
		while (parent[b] != b)
			b = parent[b] = parent[parent[b]];
		/* Points in one place: so dense that nothing is denser, but a number. */
		double distance = sqrt(edge[k].length2), lambda = distance > 1e-150 ? 1 / distance : 1e150;
		c->join[k] = (struct join){top[a], top[b], node_of(c, top[a]).size + node_of(c, top[b]).size, lambda};
		parent[b] = a;
		top[a] = c->n + k;
	}
	free(parent);
	free(top);
	return rc;
}

/* All points below a node leave the branch at this density. */
static void leave(struct choosing *c, uint32_t node, uint32_t branch, double lambda, uint32_t *stack)
{
	size_t n = 0;
	stack[n++] = node;
	while (n) {
		uint32_t k = stack[--n];
		if (k < c->n) {
			c->of[k] = branch;
			c->branch[branch].stability += lambda - c->branch[branch].born;
			continue;
		}
		stack[n++] = c->join[k - c->n].left;
		stack[n++] = c->join[k - c->n].right;
	}
}

static uint32_t begin_branch(struct choosing *c, uint32_t parent, double lambda, uint32_t size)
{
	c->branch[parent].has_children = true;
	c->branch[parent].stability += (lambda - c->branch[parent].born) * size;
	c->branch[c->n_branches] = (struct branch){.parent = parent, .born = lambda};
	return c->n_branches++;
}

static int condense(struct choosing *c)
{
	struct at {
		uint32_t node, branch;
	} *todo = malloc(((size_t)c->n + 1) * sizeof *todo);
	uint32_t *stack = malloc(((size_t)c->n + 1) * sizeof *stack);
	size_t n = 0;
	if (!todo || !stack) {
		free(todo);
		free(stack);
		return -ENOMEM;
	}
	c->branch[0] = (struct branch){0};
	c->n_branches = 1;
	todo[n++] = (struct at){2 * c->n - 2, 0};
	while (n) {
		struct at a = todo[--n];
		if (a.node < c->n) {
			c->of[a.node] = a.branch;
			continue;
		}
		const struct join *j = &c->join[a.node - c->n];
		uint32_t left = node_of(c, j->left).size, right = node_of(c, j->right).size;
		bool both = left >= c->min_cluster && right >= c->min_cluster;
		uint32_t child[2] = {j->left, j->right}, size[2] = {left, right};
		for (unsigned s = 0; s < 2; s++) {
			if (both)
				todo[n++] = (struct at){child[s], begin_branch(c, a.branch, j->lambda, size[s])};
			else if (size[s] >= c->min_cluster)
				todo[n++] = (struct at){child[s], a.branch};
			else
				leave(c, child[s], a.branch, j->lambda, stack);
		}
	}
	free(todo);
	free(stack);
	return 0;
}

/* Children have larger numbers than their parents. */
static void choose(struct choosing *c)
{
	for (uint32_t b = c->n_branches; b-- > 1;) {
		struct branch *x = &c->branch[b];
		x->chosen = !x->has_children || x->stability >= x->inside;
		c->branch[x->parent].inside += x->chosen ? x->stability : x->inside;
	}
	for (uint32_t b = 1; b < c->n_branches; b++) { /* what lies in a chosen one belongs to it */
		struct branch *x = &c->branch[b];
		uint32_t up = x->parent;
		while (up && !c->branch[up].chosen)
			up = c->branch[up].parent;
		x->within = up;
	}
}

static int label_points(struct choosing *c, uint32_t *label, uint32_t *n_clusters)
{
	uint32_t *number = calloc(c->n_branches, sizeof *number), n = 0;
	if (!number)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t b = c->of[i];
		if (b)
			b = c->branch[b].within ? c->branch[b].within : c->branch[b].chosen ? b : 0;
		if (b && !number[b])
			number[b] = ++n;
		label[i] = b ? number[b] : 0;
	}
	*n_clusters = n;
	free(number);
	return 0;
}

struct coring {
	struct weft_near_tree *tree;
	double *core2;
	unsigned k;
};

static int core_chunk(void *arg, size_t chunk, unsigned worker)
{
	struct coring *a = arg;
	size_t n = a->tree->cloud.n, end = (chunk + 1) * CHUNK < n ? (chunk + 1) * CHUNK : n;
	struct weft_near *near = malloc(a->k * sizeof *near);
	(void)worker;
	if (!near)
		return -ENOMEM;
	for (size_t i = chunk * CHUNK; i < end; i++) {
		unsigned found = weft_near_find(a->tree, a->tree->cloud.at + i * a->tree->cloud.dims, a->k, near);
		a->core2[i] = near[found - 1].distance2;
	}
	free(near);
	return 0;
}

static int run(struct choosing *c, struct weft_near_tree *tree, const struct weft_hdbscan_how *how, uint32_t *label,
               uint32_t *n_clusters)
{
	double *core2 = malloc(c->n * sizeof *core2);
	struct hdb_edge *edge = malloc(c->n * sizeof *edge);
	struct coring coring = {tree, core2, how->min_points};
	c->join = malloc(c->n * sizeof *c->join);
	c->branch = malloc((2 * ((size_t)c->n / c->min_cluster) + 2) * sizeof *c->branch);
	c->of = calloc(c->n, sizeof *c->of);
	int rc = core2 && edge && c->join && c->branch && c->of ? 0 : -ENOMEM;
	rc = rc ? rc : weft_parallel(how->threads, (c->n + (size_t)CHUNK - 1) / CHUNK, core_chunk, &coring);
	rc = rc ? rc : hdb_least_tree(tree, core2, how->threads, edge);
	rc = rc ? rc : make_joins(c, edge);
	rc = rc ? rc : condense(c);
	if (!rc) {
		choose(c);
		rc = label_points(c, label, n_clusters);
	}
	free(core2);
	free(edge);
	free(c->join);
	free(c->branch);
	free(c->of);
	return rc;
}

int weft_hdbscan(const struct weft_cloud *cloud, const struct weft_hdbscan_how *how, uint32_t *label, uint32_t *n_clusters,
                 struct weft_err *err)
{
	struct choosing c = {.n = (uint32_t)cloud->n, .min_cluster = how->min_cluster ? how->min_cluster : how->min_points};
	struct weft_near_tree tree;
	*n_clusters = 0;
	for (size_t i = 0; i < cloud->n; i++)
		label[i] = 0;
	if (!how->min_points || c.min_cluster < 2 || !cloud->dims)
		return weft_err_set(err, -EINVAL, "a cluster needs at least 2 points");
	if (cloud->n >= UINT32_MAX / 2)
		return weft_err_set(err, -ERANGE, "%zu points are more than can be clustered", cloud->n);
	for (size_t i = 0; i < cloud->n * cloud->dims; i++)
		if (!isfinite(cloud->at[i]))
			return weft_err_set(err, -EINVAL, "cannot cluster: a coordinate is no finite number");
	if (cloud->n < 2)
		return 0;
	int rc = weft_near_tree_make(&tree, cloud);
	if (!rc)
		rc = run(&c, &tree, how, label, n_clusters);
	weft_near_tree_fini(&tree);
	return rc ? weft_err_set(err, rc, "cannot cluster: %s", weft_err_name(rc)) : 0;
}
