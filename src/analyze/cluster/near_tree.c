/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Split at the median of the widest dimension, down to leaves of a few points; boxes are those of the points in them, so that empty space
 * is never looked into. Nodes are made depth first: a left child stands right behind its parent.
 */
#include "near_tree.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 12, DEPTH = 64 };

static double coordinate(const struct weft_near_tree *t, uint32_t i, unsigned d)
{
	return t->cloud.at[(size_t)t->order[i] * t->cloud.dims + d];
}

/* Orders by coordinate, then by number, so that the tree is the same for the same cloud. */
static int compare_at(const struct weft_near_tree *t, uint32_t i, double v, uint32_t number, unsigned d)
{
	double x = coordinate(t, i, d);
	if (x != v)
		return x < v ? -1 : 1;
	return t->order[i] < number ? -1 : t->order[i] > number;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t x = *a;
	*a = *b;
	*b = x;
}

/* Puts the point of rank `middle` in [first, last] where it belongs, smaller ones before it. */
static void select_middle(struct weft_near_tree *t, uint32_t first, uint32_t last, uint32_t middle, unsigned d)
{
	int64_t low = first, high = last;
	while (low < high) {
		uint32_t pivot = t->order[low + (high - low) / 2];
		double v = t->cloud.at[(size_t)pivot * t->cloud.dims + d];
		int64_t i = low, j = high;
		while (i <= j) {
			while (compare_at(t, (uint32_t)i, v, pivot, d) < 0)
				i++;
			while (compare_at(t, (uint32_t)j, v, pivot, d) > 0)
				j--;
			if (i <= j)
				swap(&t->order[i++], &t->order[j--]);
		}
		if (middle <= j)
			high = j;
		else if (middle >= i)
			low = i;
		else
			return;
	}
}

/* Its box, and its least point. The widest dimension. */
static unsigned bound(struct weft_near_tree *t, uint32_t node)
{
	struct weft_near_node *n = &t->node[node];
	unsigned dims = t->cloud.dims, widest = 0;
	double *low = t->box + (size_t)node * 2 * dims, *high = low + dims;
	for (unsigned d = 0; d < dims; d++) {
		low[d] = high[d] = coordinate(t, n->first, d);
		for (uint32_t i = n->first + 1; i < n->first + n->n; i++) {
			double v = coordinate(t, i, d);
			low[d] = v < low[d] ? v : low[d];
			high[d] = v > high[d] ? v : high[d];
		}
		if (high[d] - low[d] > high[widest] - low[widest])
			widest = d;
	}
	n->least = t->order[n->first];
	for (uint32_t i = n->first + 1; i < n->first + n->n; i++)
		n->least = t->order[i] < n->least ? t->order[i] : n->least;
	return widest;
}

static void split(struct weft_near_tree *t)
{
	uint32_t stack[DEPTH * 2], n_stack = 0;
	t->node[0] = (struct weft_near_node){.n = (uint32_t)t->cloud.n};
	t->n_nodes = 1;
	stack[n_stack++] = 0;
	while (n_stack) {
		uint32_t at = stack[--n_stack];
		struct weft_near_node *n = &t->node[at];
		unsigned d = bound(t, at);
		if (n->n <= LEAF)
			continue;
		uint32_t half = n->n / 2;
		select_middle(t, n->first, n->first + n->n - 1, n->first + half, d);
		n->left = t->n_nodes++;
		n->right = t->n_nodes++;
		t->node[n->left] = (struct weft_near_node){.first = n->first, .n = half};
		t->node[n->right] = (struct weft_near_node){.first = n->first + half, .n = n->n - half};
		stack[n_stack++] = n->right;
		stack[n_stack++] = n->left;
	}
}

int weft_near_tree_make(struct weft_near_tree *t, const struct weft_cloud *cloud)
{
	/* Halving until at most LEAF are left makes leaves of more than LEAF / 2. */
	size_t most = 4 * (cloud->n / LEAF + 2);
	*t = (struct weft_near_tree){.cloud = *cloud};
	t->order = malloc(cloud->n * sizeof *t->order);
	t->node = malloc(most * sizeof *t->node);
	t->box = malloc(most * 2 * cloud->dims * sizeof *t->box);
	if (!t->order || !t->node || !t->box) {
		weft_near_tree_fini(t);
		return -ENOMEM;
	}
	for (size_t i = 0; i < cloud->n; i++)
		t->order[i] = (uint32_t)i;
	split(t);
	return 0;
}

void weft_near_tree_fini(struct weft_near_tree *t)
{
	free(t->order);
	free(t->node);
	free(t->box);
	*t = (struct weft_near_tree){0};
}

double weft_near_box2(const struct weft_near_tree *t, uint32_t node, const double *at)
{
	unsigned dims = t->cloud.dims;
	const double *low = t->box + (size_t)node * 2 * dims, *high = low + dims;
	double sum = 0;
	for (unsigned d = 0; d < dims; d++) {
		double out = at[d] < low[d] ? low[d] - at[d] : at[d] > high[d] ? at[d] - high[d] : 0;
		sum += out * out;
	}
	return sum;
}

static void offer(struct weft_near *out, unsigned *n, unsigned k, struct weft_near x)
{
	unsigned at = *n;
	if (*n == k) {
		const struct weft_near *worst = &out[k - 1];
		if (x.distance2 > worst->distance2 || (x.distance2 == worst->distance2 && x.point > worst->point))
			return;
		at = k - 1;
	} else {
		++*n;
	}
	while (at &&
	       (out[at - 1].distance2 > x.distance2 || (out[at - 1].distance2 == x.distance2 && out[at - 1].point > x.point))) {
		out[at] = out[at - 1];
		at--;
	}
	out[at] = x;
}

/*
 * Whether nothing in a node can be nearer than the worst so far. Of many points in one place the first are taken: those that come later need not be
 * looked at, or asking for one of thousands in a place would look at all of them.
 */
static bool is_too_far(const struct weft_near_node *node, double box2, const struct weft_near *worst)
{
	return box2 > worst->distance2 || (box2 == worst->distance2 && node->least > worst->point);
}

unsigned weft_near_find(const struct weft_near_tree *t, const double *at, unsigned k, struct weft_near *out)
{
	struct {
		uint32_t node;
		double box2;
	} stack[DEPTH * 2];
	unsigned n_stack = 0, n = 0, dims = t->cloud.dims;
	if (!k)
		return 0;
	stack[n_stack].node = 0;
	stack[n_stack++].box2 = weft_near_box2(t, 0, at);
	while (n_stack) {
		n_stack--;
		const struct weft_near_node *node = &t->node[stack[n_stack].node];
		if (n == k && is_too_far(node, stack[n_stack].box2, &out[k - 1]))
			continue;
		if (!node->left) {
			for (uint32_t i = node->first; i < node->first + node->n; i++) {
				const double *p = t->cloud.at + (size_t)t->order[i] * dims;
				double sum = 0;
				for (unsigned d = 0; d < dims; d++)
					sum += (p[d] - at[d]) * (p[d] - at[d]);
				offer(out, &n, k, (struct weft_near){sum, t->order[i]});
			}
			continue;
		}
		double left = weft_near_box2(t, node->left, at), right = weft_near_box2(t, node->right, at);
		bool left_first = left < right || (left == right && t->node[node->left].least < t->node[node->right].least);
		stack[n_stack].node = left_first ? node->right : node->left;
		stack[n_stack++].box2 = left_first ? right : left;
		stack[n_stack].node = left_first ? node->left : node->right;
		stack[n_stack++].box2 = left_first ? left : right;
	}
	return n;
}
