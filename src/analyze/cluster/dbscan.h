/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DBSCAN, exact, for any number of dimensions, by a grid: a point is core when at least min_points points (itself among them) are not
 * farther than eps; core points that near are of one cluster; other points near a core point are its border; the rest is noise.
 *
 * Borders are where programs differ. Here they go as if points were taken in their order, one cluster after the other, each from its first
 * core point (its seed): all points near a seed take its cluster, even border points of an earlier one; points near other core points take
 * it only where they have none. The result depends on nothing else, so it is the same for any number of threads.
 */
#ifndef WEFT_ANALYZE_DBSCAN_H
#define WEFT_ANALYZE_DBSCAN_H

#include "base/err.h"
#include <stdint.h>

struct weft_cloud { /* points, one row of `dims` numbers after the other; borrowed */
	const double *at;
	size_t n;
	unsigned dims;
};
struct weft_dbscan_how {
	double eps;
	uint32_t min_points; /* 0 counts as 1 */
	unsigned threads;    /* 0: all */
};
/*
 * label[i]: 0 noise, else a cluster, numbered in the order of their seeds. 0; -ENOMEM; -EINVAL when eps or a coordinate is no finite number
 * (eps must be positive); -ERANGE when eps is too small for how far the points reach, or there are more than 2^32 - 2 of them.
 */
int weft_dbscan(const struct weft_cloud *cloud, const struct weft_dbscan_how *how, uint32_t *label, uint32_t *n_clusters,
                struct weft_err *err) WEFT_MUST_CHECK;

#endif
