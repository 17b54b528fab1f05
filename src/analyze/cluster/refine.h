/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters from coarse to fine or back, until the threads' sequences agree: the sequence score says which clusters hold.
 *
 *   aggregative: small epsilons first; what does not hold is thrown together with the noise and clustered again with the next larger one
 *   divisive: a large epsilon first; what does not hold is divided with the next smaller one
 */
#ifndef WEFT_ANALYZE_REFINE_H
#define WEFT_ANALYZE_REFINE_H

#include "dbscan.h"
#include "sequence.h"
#include <stdbool.h>

struct weft_refine_how {
	bool divisive;
	const double *eps; /* ascending */
	unsigned n_eps;
	uint32_t min_points;
	unsigned threads;
	/* Of each point: its sequence (thread), below n_sequences; a sequence has its points in the order of the cloud. */
	const uint32_t *sequence;
	uint32_t n_sequences;
	const double *duration; /* by point */
	/* Called behind each step with what there is then; NULL: nobody asks. A result that is not 0 ends all, and is returned. */
	int (*on_step)(void *arg, unsigned step, double eps, const uint32_t *label, uint32_t n_clusters, double score);
	void *arg;
};
/* Clusters numbered by duration. *score: the global one. 0, -ENOMEM, what weft_dbscan says, or on_step. */
int weft_refine(const struct weft_cloud *cloud, const struct weft_refine_how *how, uint32_t *label, uint32_t *n_clusters,
                double *score, struct weft_err *err) WEFT_MUST_CHECK;

/* The scores of a labelling; score: n_clusters + 1 of them, malloc'd; *alignment may be NULL, else it is the caller's to fini. 0 or -ENOMEM. */
int weft_refine_score(const struct weft_refine_how *how, const uint32_t *label, size_t n, uint32_t n_clusters,
                      struct weft_sequence_score **score, double **share, double *global,
                      struct weft_alignment *alignment) WEFT_MUST_CHECK;

#endif
