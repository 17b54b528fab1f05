/* SPDX-License-Identifier: Apache-2.0 */
#include "k_distance.h"
#include "base/pool.h"
#include "near_tree.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { CHUNK = 512, K_MOST = 4096 };

struct asking {
	struct weft_near_tree tree;
	unsigned k;
	size_t n, step;
	double *out;
};

static int ask_chunk(void *arg, size_t chunk, unsigned worker)
{
	struct asking *a = arg;
	struct weft_near *near = malloc((a->k + 1) * sizeof *near);
	size_t end = (chunk + 1) * CHUNK < a->n ? (chunk + 1) * CHUNK : a->n;
	(void)worker;
	if (!near)
		return -ENOMEM;
	for (size_t i = chunk * CHUNK; i < end; i++) {
		const double *at = a->tree.cloud.at + i * a->step * a->tree.cloud.dims;
		weft_near_find(&a->tree, at, a->k + 1, near); /* the point itself is the nearest, or one in the same place */
		a->out[i] = sqrt(near[a->k].distance2);
	}
	free(near);
	return 0;
}

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x > y ? -1 : x < y;
}

int weft_k_distances(const struct weft_cloud *cloud, unsigned k, size_t most, unsigned threads, double **out, size_t *n)
{
	struct asking a = {.k = k, .step = 1};
	*out = NULL;
	*n = 0;
	if (!k || k > K_MOST || cloud->n <= k)
		return -EINVAL;
	if (most && cloud->n > most)
		a.step = (cloud->n + most - 1) / most;
	a.n = (cloud->n + a.step - 1) / a.step;
	int rc = weft_near_tree_make(&a.tree, cloud);
	a.out = malloc(a.n * sizeof *a.out);
	rc = rc ? rc : !a.out ? -ENOMEM : weft_parallel(threads, (a.n + CHUNK - 1) / CHUNK, ask_chunk, &a);
	weft_near_tree_fini(&a.tree);
	if (rc) {
		free(a.out);
		return rc;
	}
	qsort(a.out, a.n, sizeof *a.out, descending);
	*out = a.out;
	*n = a.n;
	return 0;
}

unsigned weft_epsilons(const double *distance, size_t n, double eps[WEFT_EPSILONS])
{
	size_t drop = n / 200, first = drop, last = n - drop, half = (last - first) / 2, bend = 0;
	if (last <= first || !(distance[first] > 0))
		return 0;
	double most = distance[first], furthest = 0;
	for (size_t i = 0; i < half; i++) {
		double below = most * (1 - (double)i / (double)half) - distance[first + i];
		if (below > furthest) {
			furthest = below;
			bend = i;
		}
	}
	unsigned count = 0;
	for (unsigned s = 0; s < WEFT_EPSILONS; s++) { /* tenths of the way from the bend to the largest */
		double e = distance[first + bend - bend * s / WEFT_EPSILONS];
		if (e > 0 && (!count || e > eps[count - 1]))
			eps[count++] = e;
	}
	return count;
}
