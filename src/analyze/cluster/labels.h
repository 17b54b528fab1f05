/* SPDX-License-Identifier: Apache-2.0 */
/* What is done with labels of points, however they were found: 0 is noise, clusters count from 1. */
#ifndef WEFT_ANALYZE_LABELS_H
#define WEFT_ANALYZE_LABELS_H

#include "dbscan.h"

/*
 * Numbers clusters by the sum of their points' weights, the largest 1; of equals the one that had the smaller number. Numbers that no point
 * has are left out: *n_clusters, which says the largest, becomes how many there are. 0 or -ENOMEM.
 */
int weft_labels_by_weight(uint32_t *label, size_t n, const double *weight, uint32_t *n_clusters) WEFT_MUST_CHECK;

/*
 * How alike two labellings are, beyond chance: 1 equal up to names, about 0 unrelated (the adjusted Rand index of Hubert and Arabie). Noise
 * is a class as others. *out is 1 when both have one class, or each point its own. 0 or -ENOMEM.
 */
int weft_labels_alike(const uint32_t *a, const uint32_t *b, size_t n, double *out) WEFT_MUST_CHECK;

/*
 * Labels for points that were not clustered: that of the nearest of `known`, if it is not farther than `most`, else noise. Both clouds have the
 * same dimensions. 0 or -ENOMEM.
 */
int weft_labels_spread(const struct weft_cloud *known, const uint32_t *known_label, const struct weft_cloud *cloud, double most,
                       unsigned threads, uint32_t *label) WEFT_MUST_CHECK;

#endif
