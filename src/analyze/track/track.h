/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters followed from run to run, though they move: which cluster of one run is which of the next, by where its points lie, by which clusters
 * do the same thing on other threads, by who called, and by what comes before and after.
 *
 *     run 1     run 2     run 3
 *       1 ─────── 1 ─────── 2       object 1
 *       2 ──┬──── 2 ──┐
 *           └──── 3 ──┴──── 1       object 2: parts in two, and comes together again
 */
#ifndef WEFT_ANALYZE_TRACK_H
#define WEFT_ANALYZE_TRACK_H

#include "analyze/cluster/sequence.h"
#include "analyze/cluster/dbscan.h"
#include "base/vec.h"
#include <stdbool.h>

struct weft_track_run {        /* borrowed */
	struct weft_cloud raw; /* metrics as they are; the same dimensions in all runs */
	const uint32_t *label; /* by point: 0 noise, clusters 1 … n_clusters */
	uint32_t n_clusters;
	const uint64_t *caller; /* by point: who called, the same number for the same one in all runs; 0: unknown; NULL: all */
	const double *share;    /* by cluster, [0] the noise: of the run's time */
	const struct weft_alignment *alignment; /* of its threads' sequences of clusters */
};
struct weft_track_how {
	double threshold;    /* links from this share on: 0.15 */
	double max_distance; /* of a point from the nearest one in the other run, in scaled space: 1 */
	double together;     /* clusters that stand in one column so often do the same: 0.9 */
	double least_share;  /* clusters of less time are left out: 0 */
	unsigned threads;
};
struct weft_track_link {        /* between two runs, one behind the other: what evaluators say, and whether it is one */
	uint32_t run, from, to; /* cluster `from` of run, `to` of run + 1 */
	double near, back;      /* share of from's points that are classified as `to`; the other way */
	double callers;         /* NAN: not known */
	bool linked;
};
struct weft_tracks { /* owned */
	uint32_t n_runs, n_objects;
	uint32_t **
		object; /* by run, then cluster: its object, from 1; 0: noise, or left out. Objects by share, the largest first */
	struct weft_track_link *link;
	size_t n_links;
};
/* Two runs at least. 0; -ENOMEM; -EINVAL when dimensions differ. */
int weft_track(struct weft_tracks *out, const struct weft_track_run *run, uint32_t n_runs, const struct weft_track_how *how,
               struct weft_err *err) WEFT_MUST_CHECK;
void weft_tracks_fini(struct weft_tracks *t);

/*
 * Scaled as BSC's tracking does, each run by itself: (ln v - ln least) / (ln most - ln least); 0 where all are equal, and a value that has no
 * logarithm is the least that has one. malloc'd; NULL: out of memory.
 */
double *weft_track_scaled(const struct weft_cloud *raw);

#endif
