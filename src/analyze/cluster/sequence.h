/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much the threads of a program do the same things in the same order: their sequences of clusters aligned, and for each cluster
 * the share of threads that have it where it stands. 1 is SPMD.
 *
 *     thread 1   1 2 - 3 1 2      columns; UINT32_MAX is a gap
 *     thread 2   1 2 2 3 1 -
 */
#ifndef WEFT_ANALYZE_SEQUENCE_H
#define WEFT_ANALYZE_SEQUENCE_H

#include "base/err.h"
#include <stdint.h>

#define WEFT_SEQUENCE_GAP UINT32_MAX

struct weft_sequences { /* borrowed */
	uint32_t n;
	const size_t *first; /* n + 1: where each begins in id */
	const uint32_t *id;  /* 0 noise, clusters from 1 */
	uint32_t n_ids;      /* ids are below it */
	const double *share; /* by id: of the duration of all */
};
struct weft_alignment {
	uint32_t n; /* sequences */
	size_t columns;
	uint32_t *cell; /* owned: columns of a sequence, one sequence after the other */
};
/*
 * Progressive, the longest sequence first; equal sequences count as one. Scores and gaps are those of BSC's suite: by the shares, so that what takes
 * long stands under each other first. Sequences whose table would be too large are aligned within a band around its diagonal.
 * 0 or -ENOMEM. O(sum of columns · length), of different sequences.
 */
int weft_sequences_align(struct weft_alignment *out, const struct weft_sequences *s) WEFT_MUST_CHECK;
void weft_alignment_fini(struct weft_alignment *a);

struct weft_sequence_score {
	double score; /* of a cluster: mean over its columns of the share of sequences that have it there; 0 where it has none */
	uint64_t columns;     /* in which it stands */
	uint64_t occurrences; /* in all sequences */
};
/* score: n_ids of them. global: sum of score · share. 0 or -ENOMEM. */
int weft_sequences_score(const struct weft_alignment *a, const struct weft_sequences *s, struct weft_sequence_score *score,
                         double *global) WEFT_MUST_CHECK;
/*
 * Of two ids, how often they stand in one column: 2 · (columns with both) / (columns with a + columns with b), into together[a * n_ids + b].
 */
int weft_sequences_together(const struct weft_alignment *a, uint32_t n_ids, double *together) WEFT_MUST_CHECK;

#endif
