/* SPDX-License-Identifier: Apache-2.0 */
/* Between the evaluators and what is made of them. Matrices are by cluster of one run and of the next: (a.n + 1) × (b.n + 1). */
#ifndef WEFT_ANALYZE_TRACK_PRIV_H
#define WEFT_ANALYZE_TRACK_PRIV_H

#include "track.h"

/* near[i][j]: share of cluster i's points of a (scaled) whose nearest point in b is of j. 0 or -ENOMEM. */
int track_near(const struct weft_track_run *a, const double *a_at, const struct weft_track_run *b, const double *b_at,
               const struct weft_track_how *how, double *near) WEFT_MUST_CHECK;
/* Sum over callers of the lesser share. *known: both runs have callers. 0 or -ENOMEM. */
int track_callers(const struct weft_track_run *a, const struct weft_track_run *b, double *same, bool *known) WEFT_MUST_CHECK;
/*
 * How alike the places of clusters are in the sequences of their runs: shares of (last pivot before, next pivot behind), the lesser of both, summed up.
 * pivot_a, pivot_b: by cluster, the same number for the same pivot, 0: none. 0 or -ENOMEM.
 */
int track_contexts(const struct weft_track_run *a, const uint32_t *pivot_a, const struct weft_track_run *b,
                   const uint32_t *pivot_b, double *alike) WEFT_MUST_CHECK;

#endif
