/* SPDX-License-Identifier: Apache-2.0 */
#include "track_priv.h"
#include "analyze/cluster/labels.h"
#include "base/map.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double *weft_track_scaled(const struct weft_cloud *raw)
{
	double *at = malloc((raw->n * raw->dims + 1) * sizeof *at);
	for (unsigned d = 0; at && d < raw->dims; d++) {
		double least = INFINITY, most = -INFINITY;
		for (size_t i = 0; i < raw->n; i++) {
			double v = raw->at[i * raw->dims + d];
			if (v > 0) {
				least = fmin(least, log(v));
				most = fmax(most, log(v));
			}
		}
		for (size_t i = 0; i < raw->n; i++) {
			double v = raw->at[i * raw->dims + d];
			at[i * raw->dims + d] = v > 0 && most > least ? (log(v) - least) / (most - least) : 0;
		}
	}
	return at;
}

/* ---- by where points lie ---- */

int track_near(const struct weft_track_run *a, const double *a_at, const struct weft_track_run *b, const double *b_at,
               const struct weft_track_how *how, double *near)
{
	unsigned dims = a->raw.dims;
	size_t width = b->n_clusters + (size_t)1, n = 0;
	uint32_t *label = malloc((a->raw.n + 1) * sizeof *label), *known = malloc((b->raw.n + 1) * sizeof *known);
	double *at = malloc((b->raw.n * dims + 1) * sizeof *at), *all = calloc(a->n_clusters + (size_t)1, sizeof *all);
	int rc = label && known && at && all ? 0 : -ENOMEM;
	for (size_t i = 0; i < b->raw.n && !rc; i++) /* noise is nobody's target */
		if (b->label[i]) {
			memcpy(at + n * dims, b_at + i * dims, dims * sizeof *at);
			known[n++] = b->label[i];
		}
	struct weft_cloud targets = {at, n, dims}, asked = {a_at, a->raw.n, dims};
	rc = rc ? rc : weft_labels_spread(&targets, known, &asked, how->max_distance, how->threads, label);
	memset(near, 0, (a->n_clusters + (size_t)1) * width * sizeof *near);
	for (size_t i = 0; i < a->raw.n && !rc; i++) {
		near[a->label[i] * width + label[i]]++;
		all[a->label[i]]++;
	}
	for (size_t c = 0; c <= a->n_clusters && !rc; c++)
		for (size_t k = 0; k < width; k++)
			near[c * width + k] /= all[c] > 0 ? all[c] : 1;
	free(label);
	free(known);
	free(at);
	free(all);
	return rc;
}

/* ---- by shares of something: callers, contexts ---- */

struct shares { /* (cluster, thing) -> count; of a run */
	struct weft_map count;
	double *all; /* by cluster */
};

static uint64_t key_of(uint32_t cluster, uint64_t thing)
{
	return weft_hash_u64(thing) ^ weft_hash_u64((uint64_t)cluster << 40 | 0x5eed);
}

static int share_add(struct shares *s, uint32_t cluster, uint64_t thing)
{
	uint64_t key = key_of(cluster, thing), n = 0;
	weft_map_get(&s->count, key, &n);
	s->all[cluster]++;
	return weft_map_put(&s->count, key, n + 1);
}

static double share_of(const struct shares *s, uint32_t cluster, uint64_t thing)
{
	uint64_t n = 0;
	weft_map_get(&s->count, key_of(cluster, thing), &n);
	return s->all[cluster] > 0 ? (double)n / s->all[cluster] : 0;
}

static int shares_make(struct shares *s, uint32_t n_clusters)
{
	*s = (struct shares){.all = calloc(n_clusters + (size_t)1, sizeof *s->all)};
	return s->all ? 0 : -ENOMEM;
}

static void shares_fini(struct shares *s)
{
	weft_map_fini(&s->count);
	free(s->all);
}

struct things { /* those that there are, each once */
	WEFT_VEC(uint64_t) at;
	struct weft_map seen;
};

static int thing_add(struct things *t, uint64_t thing)
{
	uint64_t known;
	if (weft_map_get(&t->seen, thing, &known))
		return 0;
	int rc = weft_map_put(&t->seen, thing, 1);
	return rc ? rc : weft_vec_push(&t->at, thing);
}

static void sum_lesser(const struct things *t, const struct shares *a, uint32_t n_a, const struct shares *b, uint32_t n_b,
                       double *out)
{
	size_t width = n_b + (size_t)1;
	memset(out, 0, (n_a + (size_t)1) * width * sizeof *out);
	for (uint32_t i = 1; i <= n_a; i++)
		for (size_t k = 0; k < t->at.n; k++) {
			double x = share_of(a, i, t->at.at[k]);
			for (uint32_t j = 1; x > 0 && j <= n_b; j++)
				out[i * width + j] += fmin(x, share_of(b, j, t->at.at[k]));
		}
}

/* ---- by who called ---- */

static int take_callers(struct shares *s, struct things *t, const struct weft_track_run *r, bool *known)
{
	int rc = shares_make(s, r->n_clusters);
	bool any = false;
	for (size_t i = 0; i < r->raw.n && !rc && r->caller; i++) {
		if (!r->caller[i])
			continue;
		any = true;
		rc = share_add(s, r->label[i], r->caller[i]);
		rc = rc ? rc : thing_add(t, r->caller[i]);
	}
	*known &= any;
	return rc;
}

int track_callers(const struct weft_track_run *a, const struct weft_track_run *b, double *same, bool *known)
{
	struct shares x = {.all = NULL}, y = {.all = NULL};
	struct things t = {.at = {0}};
	*known = true;
	int rc = take_callers(&x, &t, a, known);
	rc = rc ? rc : take_callers(&y, &t, b, known);
	if (!rc)
		sum_lesser(&t, &x, a->n_clusters, &y, b->n_clusters, same);
	shares_fini(&x);
	shares_fini(&y);
	weft_map_fini(&t.seen);
	free(t.at.at);
	return rc;
}

/* ---- by what comes before and behind ---- */

/* Of each place of a sequence the last pivot before it and the next behind it. */
static int take_sequence(struct shares *s, struct things *t, const struct weft_alignment *a, uint32_t which,
                         const uint32_t *pivot, uint32_t *next)
{
	const uint32_t *cell = a->cell + which * a->columns;
	uint32_t last = 0, coming = 0;
	int rc = 0;
	for (size_t c = a->columns; c-- > 0;) {
		next[c] = coming;
		if (cell[c] != WEFT_SEQUENCE_GAP && pivot[cell[c]])
			coming = pivot[cell[c]];
	}
	for (size_t c = 0; c < a->columns && !rc; c++) {
		uint32_t id = cell[c];
		if (id == WEFT_SEQUENCE_GAP || !id)
			continue;
		uint64_t context = (uint64_t)last << 32 | next[c];
		rc = share_add(s, id, context);
		rc = rc ? rc : thing_add(t, context);
		last = pivot[id] ? pivot[id] : last;
	}
	return rc;
}

static int take_contexts(struct shares *s, struct things *t, const struct weft_track_run *r, const uint32_t *pivot)
{
	int rc = shares_make(s, r->n_clusters);
	uint32_t *next = malloc((r->alignment->columns + 1) * sizeof *next);
	rc = rc ? rc : next ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < r->alignment->n && !rc; i++)
		rc = take_sequence(s, t, r->alignment, i, pivot, next);
	free(next);
	return rc;
}

int track_contexts(const struct weft_track_run *a, const uint32_t *pivot_a, const struct weft_track_run *b,
                   const uint32_t *pivot_b, double *alike)
{
	struct shares x = {.all = NULL}, y = {.all = NULL};
	struct things t = {.at = {0}};
	int rc = take_contexts(&x, &t, a, pivot_a);
	rc = rc ? rc : take_contexts(&y, &t, b, pivot_b);
	if (!rc)
		sum_lesser(&t, &x, a->n_clusters, &y, b->n_clusters, alike);
	shares_fini(&x);
	shares_fini(&y);
	weft_map_fini(&t.seen);
	free(t.at.at);
	return rc;
}
