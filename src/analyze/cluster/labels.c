/* SPDX-License-Identifier: Apache-2.0 */
#include "labels.h"
#include "base/map.h"
#include "base/pool.h"
#include "near_tree.h"
#include <errno.h>
#include <stdlib.h>

/* ---- numbers ---- */

struct heavy {
	double weight;
	uint32_t of;
	bool used;
};

static int heaviest_first(const void *a, const void *b)
{
	const struct heavy *x = a, *y = b;
	if (x->used != y->used)
		return x->used ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->of < y->of ? -1 : x->of > y->of;
}

int weft_labels_by_weight(uint32_t *label, size_t n, const double *weight, uint32_t *n_clusters)
{
	uint32_t most = *n_clusters, used = 0;
	struct heavy *h = calloc((size_t)most + 1, sizeof *h);
	uint32_t *number = calloc((size_t)most + 1, sizeof *number);
	if (!h || !number) {
		free(h);
		free(number);
		return -ENOMEM;
	}
	for (uint32_t c = 0; c <= most; c++)
		h[c].of = c;
	for (size_t i = 0; i < n; i++) {
		h[label[i]].weight += weight[i];
		h[label[i]].used = true;
	}
	qsort(h + 1, most, sizeof *h, heaviest_first);
	for (uint32_t c = 1; c <= most && h[c].used; c++)
		number[h[c].of] = ++used;
	for (size_t i = 0; i < n; i++)
		label[i] = number[label[i]];
	*n_clusters = used;
	free(h);
	free(number);
	return 0;
}

/* ---- likeness ---- */

static double pairs(double n)
{
	return n * (n - 1) / 2;
}

static int count_into(struct weft_map *m, uint64_t key)
{
	uint64_t n = 0;
	weft_map_get(m, key, &n);
	return weft_map_put(m, key, n + 1);
}

static double sum_pairs(const struct weft_map *m)
{
	uint64_t key, n;
	double sum = 0;
	for (size_t pos = 0; weft_map_next(m, &pos, &key, &n);)
		sum += pairs((double)n);
	return sum;
}

int weft_labels_alike(const uint32_t *a, const uint32_t *b, size_t n, double *out)
{
	struct weft_map of_a = {0}, of_b = {0}, both = {0};
	int rc = 0;
	*out = 1;
	for (size_t i = 0; i < n && !rc; i++) {
		rc = count_into(&of_a, a[i]);
		rc = rc ? rc : count_into(&of_b, b[i]);
		rc = rc ? rc : count_into(&both, (uint64_t)a[i] << 32 | b[i]);
	}
	if (!rc && n > 1) {
		double x = sum_pairs(&of_a), y = sum_pairs(&of_b), index = sum_pairs(&both);
		double expected = x * y / pairs((double)n), most = (x + y) / 2;
		*out = most == expected ? 1 : (index - expected) / (most - expected);
	}
	weft_map_fini(&of_a);
	weft_map_fini(&of_b);
	weft_map_fini(&both);
	return rc;
}

/* ---- the nearest's label ---- */

enum { CHUNK = 2048 };
struct spreading {
	struct weft_near_tree tree;
	const uint32_t *known;
	const struct weft_cloud *cloud;
	double most2;
	uint32_t *label;
};

static int spread_chunk(void *arg, size_t chunk, unsigned worker)
{
	struct spreading *s = arg;
	size_t end = (chunk + 1) * CHUNK < s->cloud->n ? (chunk + 1) * CHUNK : s->cloud->n;
	(void)worker;
	for (size_t i = chunk * CHUNK; i < end; i++) {
		struct weft_near near;
		weft_near_find(&s->tree, s->cloud->at + i * s->cloud->dims, 1, &near);
		s->label[i] = near.distance2 <= s->most2 ? s->known[near.point] : 0;
	}
	return 0;
}

int weft_labels_spread(const struct weft_cloud *known, const uint32_t *known_label, const struct weft_cloud *cloud, double most,
                       unsigned threads, uint32_t *label)
{
	struct spreading s = {.known = known_label, .cloud = cloud, .most2 = most * most, .label = label};
	if (!known->n) {
		for (size_t i = 0; i < cloud->n; i++)
			label[i] = 0;
		return 0;
	}
	int rc = weft_near_tree_make(&s.tree, known);
	rc = rc ? rc : weft_parallel(threads, (cloud->n + CHUNK - 1) / CHUNK, spread_chunk, &s);
	weft_near_tree_fini(&s.tree);
	return rc;
}
