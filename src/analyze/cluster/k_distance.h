/* SPDX-License-Identifier: Apache-2.0 */
/* How far the k-th nearest other point is, for every point: what an epsilon is chosen by. */
#ifndef WEFT_ANALYZE_K_DISTANCE_H
#define WEFT_ANALYZE_K_DISTANCE_H

#include "dbscan.h"

/*
 * out[i], i < *n: distances to the k-th nearest other point, descending. Of more than `most` points (0: of all) every so many is asked,
 * all are looked among. malloc'd. 0, -ENOMEM, or -EINVAL when no point has k others.
 */
int weft_k_distances(const struct weft_cloud *cloud, unsigned k, size_t most, unsigned threads, double **out,
                     size_t *n) WEFT_MUST_CHECK;
/*
 * Epsilons by the bend of that curve: without half a percent at both ends, from where the curve lies lowest below the line from its largest
 * value to 0 at half of its length, up to its largest value in ten steps (eps[0] is the bend). Their count: fewer when the curve is flat.
 */
enum { WEFT_EPSILONS = 10 };
unsigned weft_epsilons(const double *distance, size_t n, double eps[WEFT_EPSILONS]);

#endif
