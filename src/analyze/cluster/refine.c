/* SPDX-License-Identifier: Apache-2.0 */
#include "refine.h"
#include "labels.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A cluster whose score reaches this holds; the rest is rounding. */
static const double HOLDS = 1 - 1e-9;

struct refining {
	const struct weft_cloud *cloud;
	const struct weft_refine_how *how;
	uint32_t *label, n_clusters;
	double global;
	struct weft_sequence_score *score; /* of the labels as they are; owned */
	double *share;
};

/* ---- scores ---- */

static void fill_sequences(const struct weft_refine_how *how, const uint32_t *label, size_t n, size_t *first, size_t *next,
                           uint32_t *id)
{
	memset(first, 0, (how->n_sequences + (size_t)1) * sizeof *first);
	for (size_t i = 0; i < n; i++)
		first[how->sequence[i] + 1]++;
	for (uint32_t s = 0; s < how->n_sequences; s++) {
		first[s + 1] += first[s];
		next[s] = first[s];
	}
	for (size_t i = 0; i < n; i++)
		id[next[how->sequence[i]]++] = label[i];
}

/* Shares of the duration, by id. */
static void fill_shares(const struct weft_refine_how *how, const uint32_t *label, size_t n, uint32_t n_clusters, double *share)
{
	double all = 0;
	memset(share, 0, (n_clusters + (size_t)1) * sizeof *share);
	for (size_t i = 0; i < n; i++) {
		share[label[i]] += how->duration[i];
		all += how->duration[i];
	}
	for (uint32_t c = 0; c <= n_clusters && all > 0; c++)
		share[c] /= all;
}

int weft_refine_score(const struct weft_refine_how *how, const uint32_t *label, size_t n, uint32_t n_clusters,
                      struct weft_sequence_score **score, double **share, double *global, struct weft_alignment *alignment)
{
	struct weft_sequences s = {.n = how->n_sequences, .n_ids = n_clusters + 1};
	struct weft_alignment a = {0};
	size_t *first = malloc((how->n_sequences + (size_t)1) * sizeof *first);
	size_t *next = malloc((how->n_sequences + (size_t)1) * sizeof *next);
	uint32_t *id = malloc((n + 1) * sizeof *id);
	*score = malloc((n_clusters + (size_t)1) * sizeof **score);
	*share = malloc((n_clusters + (size_t)1) * sizeof **share);
	int rc = first && next && id && *score && *share ? 0 : -ENOMEM;
	if (!rc) {
		fill_sequences(how, label, n, first, next, id);
		fill_shares(how, label, n, n_clusters, *share);
		s.first = first;
		s.id = id;
		s.share = *share;
		rc = weft_sequences_align(&a, &s);
	}
	rc = rc ? rc : weft_sequences_score(&a, &s, *score, global);
	if (!rc && alignment)
		*alignment = a;
	else
		weft_alignment_fini(&a);
	free(first);
	free(next);
	free(id);
	if (rc) {
		free(*score);
		free(*share);
		*score = NULL;
		*share = NULL;
	}
	return rc;
}

static int score_now(struct refining *r)
{
	free(r->score);
	free(r->share);
	r->score = NULL;
	r->share = NULL;
	int rc = weft_labels_by_weight(r->label, r->cloud->n, r->how->duration, &r->n_clusters);
	return rc ? rc : weft_refine_score(r->how, r->label, r->cloud->n, r->n_clusters, &r->score, &r->share, &r->global, NULL);
}

static bool all_hold(const struct refining *r)
{
	for (uint32_t c = 1; c <= r->n_clusters; c++)
		if (r->score[c].score < HOLDS)
			return false;
	return true;
}

/* ---- a part of the points clustered anew ---- */

/* Points with chosen[label]: their labels are 0 or new numbers behind *n_clusters afterwards. *found: how many of these. */
static int cluster_part(struct refining *r, const bool *chosen, double eps, uint32_t *found, struct weft_err *err)
{
	unsigned dims = r->cloud->dims;
	size_t n = 0;
	uint32_t *of = malloc((r->cloud->n + 1) * sizeof *of), *label = malloc((r->cloud->n + 1) * sizeof *label);
	double *at = malloc((r->cloud->n * dims + 1) * sizeof *at);
	int rc = of && label && at ? 0 : weft_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < r->cloud->n && !rc; i++)
		if (chosen[r->label[i]]) {
			memcpy(at + n * dims, r->cloud->at + i * dims, dims * sizeof *at);
			of[n++] = (uint32_t)i;
		}
	struct weft_dbscan_how how = {eps, r->how->min_points, r->how->threads};
	*found = 0;
	rc = rc ? rc : weft_dbscan(&(struct weft_cloud){at, n, dims}, &how, label, found, err);
	for (size_t k = 0; k < n && !rc; k++)
		r->label[of[k]] = label[k] ? r->n_clusters + label[k] : 0;
	r->n_clusters += rc ? 0 : *found;
	free(of);
	free(label);
	free(at);
	return rc;
}

static int aggregate(struct refining *r, double eps, struct weft_err *err)
{
	bool *chosen = calloc(r->n_clusters + (size_t)1, 1);
	uint32_t found;
	if (!chosen)
		return weft_err_set(err, -ENOMEM, "out of memory");
	chosen[0] = true;
	for (uint32_t c = 1; c <= r->n_clusters; c++)
		chosen[c] = r->score[c].score < HOLDS;
	int rc = cluster_part(r, chosen, eps, &found, err);
	free(chosen);
	return rc;
}

static int divide(struct refining *r, double eps, struct weft_err *err)
{
	uint32_t before = r->n_clusters, found;
	uint32_t *kept = malloc((r->cloud->n + 1) * sizeof *kept);
	bool *chosen = calloc(before + (size_t)1, 1);
	int rc = kept && chosen ? 0 : weft_err_set(err, -ENOMEM, "out of memory");
	for (uint32_t c = 1; c <= before && !rc; c++) {
		if (r->score[c].score >= HOLDS)
			continue;
		bool *more = realloc(chosen, r->n_clusters + (size_t)1);
		if (!more) {
			rc = weft_err_set(err, -ENOMEM, "out of memory");
			break;
		}
		chosen = more;
		memset(chosen, 0, r->n_clusters + (size_t)1);
		chosen[c] = true;
		memcpy(kept, r->label, r->cloud->n * sizeof *kept);
		rc = cluster_part(r, chosen, eps, &found, err);
		if (!rc && !found) /* nothing is left of it: as it was */
			memcpy(r->label, kept, r->cloud->n * sizeof *kept);
	}
	free(kept);
	free(chosen);
	return rc;
}

/* ---- clusters that always stand in the same columns are one ---- */

static int merge_together(struct refining *r, const struct weft_alignment *a)
{
	uint32_t n = r->n_clusters + 1, *into = malloc(n * sizeof *into);
	double *together = malloc((size_t)n * n * sizeof *together);
	int rc = into && together ? weft_sequences_together(a, n, together) : -ENOMEM;
	for (uint32_t c = 0; c < n && !rc; c++) {
		into[c] = c;
		for (uint32_t k = 1; k < c; k++)
			if (into[k] == k && together[(size_t)c * n + k] >= HOLDS) {
				into[c] = k;
				break;
			}
	}
	for (size_t i = 0; i < r->cloud->n && !rc; i++)
		r->label[i] = into[r->label[i]];
	free(into);
	free(together);
	return rc;
}

static int finish(struct refining *r)
{
	struct weft_alignment a = {0};
	free(r->score);
	free(r->share);
	r->score = NULL;
	r->share = NULL;
	int rc = weft_refine_score(r->how, r->label, r->cloud->n, r->n_clusters, &r->score, &r->share, &r->global, &a);
	rc = rc ? rc : merge_together(r, &a);
	weft_alignment_fini(&a);
	return rc ? rc : score_now(r);
}

static int run(struct refining *r, struct weft_err *err)
{
	const struct weft_refine_how *how = r->how;
	for (unsigned s = 0; s < how->n_eps; s++) {
		double eps = how->eps[how->divisive ? how->n_eps - 1 - s : s];
		struct weft_dbscan_how first = {eps, how->min_points, how->threads};
		int rc = !s              ? weft_dbscan(r->cloud, &first, r->label, &r->n_clusters, err)
		         : how->divisive ? divide(r, eps, err)
		                         : aggregate(r, eps, err);
		rc = rc ? rc : score_now(r);
		if (!rc && how->on_step)
			rc = how->on_step(how->arg, s + 1, eps, r->label, r->n_clusters, r->global);
		if (rc)
			return rc;
		if (all_hold(r) && (r->n_clusters || how->divisive))
			break;
	}
	return how->divisive ? 0 : finish(r);
}

int weft_refine(const struct weft_cloud *cloud, const struct weft_refine_how *how, uint32_t *label, uint32_t *n_clusters,
                double *score, struct weft_err *err)
{
	struct refining r = {.cloud = cloud, .how = how, .label = label};
	*n_clusters = 0;
	*score = 0;
	memset(label, 0, cloud->n * sizeof *label);
	int rc = cloud->n && how->n_eps ? run(&r, err) : 0;
	free(r.score);
	free(r.share);
	if (rc)
		return err && err->code ? rc : weft_err_set(err, rc, "cannot cluster: %s", weft_err_name(rc));
	*n_clusters = r.n_clusters;
	*score = r.global;
	return 0;
}
