/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HDBSCAN* (Campello, Moulavi, Sander 2013): clusters of different densities, without an epsilon. The distance of two points is the largest of
 * their own and of how far the min_points-th nearest of each is; of the tree that single linkage makes by it, those branches of at least
 * min_cluster points are chosen that live longest over all densities.
 */
#ifndef WEFT_ANALYZE_HDBSCAN_H
#define WEFT_ANALYZE_HDBSCAN_H

#include "dbscan.h"

struct weft_hdbscan_how {
	uint32_t min_points;  /* the point itself among them */
	uint32_t min_cluster; /* 0: as min_points */
	unsigned threads;
};
/* As weft_dbscan; clusters are numbered by their first points. Without a branch, all is noise. O(n log² n) where points are not all alike. */
int weft_hdbscan(const struct weft_cloud *cloud, const struct weft_hdbscan_how *how, uint32_t *label, uint32_t *n_clusters,
                 struct weft_err *err) WEFT_MUST_CHECK;

#endif
