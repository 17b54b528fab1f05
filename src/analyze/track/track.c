/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs at a time: a link goes where most points of a cluster would be classified; whatever stands in one column with the target is a target,
 * too, since threads that do the same have the same cluster under other names; callers then say which of these it can be. Links of both directions
 * together make groups; a group of several clusters on both sides is divided where the sequences say which is which. Groups hang together over
 * all runs: objects.
 */
#include "track_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pairing { /* of run and run + 1. Owned, but the runs */
	const struct weft_track_run *a, *b;
	const struct weft_track_how *how;
	size_t width;        /* b's clusters and noise */
	double *near, *back; /* back: [b][a] */
	double *callers;
	bool callers_known;
	double *with_a, *with_b; /* how often two clusters of a run stand in one column */
	bool *link;              /* [a][b] */
};

static bool counts(const struct weft_track_run *r, const struct weft_track_how *how, uint32_t cluster)
{
	return cluster && r->share[cluster] >= how->least_share;
}

/* ---- links of one direction ---- */

struct direction { /* seen from one of the two runs */
	const struct weft_track_run *to;
	const double *near, *with;
	size_t width;
	bool turned; /* from is b */
};

static double callers_of(const struct pairing *p, const struct direction *d, uint32_t from, uint32_t to)
{
	return d->turned ? p->callers[to * p->width + from] : p->callers[from * p->width + to];
}

/* Targets of a cluster, as flags. */
static void find_targets(const struct pairing *p, const struct direction *d, uint32_t from, bool *target)
{
	uint32_t n = d->to->n_clusters, called = 0, both = 0;
	memset(target, 0, (n + (size_t)1) * sizeof *target);
	for (uint32_t k = 1; k <= n; k++)
		target[k] = counts(d->to, p->how, k) && d->near[from * d->width + k] >= p->how->threshold;
	for (uint32_t k = 1; k <= n; k++)
		for (uint32_t m = 1; target[k] && m <= n; m++)
			if (!target[m] && counts(d->to, p->how, m) && d->with[k * ((size_t)n + 1) + m] >= p->how->together)
				target[m] = true;
	if (!p->callers_known)
		return;
	for (uint32_t k = 1; k <= n; k++) {
		bool calls = counts(d->to, p->how, k) && callers_of(p, d, from, k) >= p->how->threshold;
		called += calls;
		both += calls && target[k];
	}
	for (uint32_t k = 1; k <= n && called; k++) {
		bool calls = counts(d->to, p->how, k) && callers_of(p, d, from, k) >= p->how->threshold;
		target[k] = !both || called == 1 ? calls : calls && target[k];
	}
}

static int link_both(struct pairing *p)
{
	uint32_t most = p->a->n_clusters > p->b->n_clusters ? p->a->n_clusters : p->b->n_clusters;
	bool *target = malloc((most + (size_t)1) * sizeof *target);
	struct direction there = {p->b, p->near, p->with_b, p->width, false};
	struct direction back = {p->a, p->back, p->with_a, p->a->n_clusters + (size_t)1, true};
	if (!target)
		return -ENOMEM;
	for (uint32_t i = 1; i <= p->a->n_clusters; i++) {
		if (!counts(p->a, p->how, i))
			continue;
		find_targets(p, &there, i, target);
		for (uint32_t k = 1; k <= p->b->n_clusters; k++)
			p->link[i * p->width + k] |= target[k];
	}
	for (uint32_t k = 1; k <= p->b->n_clusters; k++) {
		if (!counts(p->b, p->how, k))
			continue;
		find_targets(p, &back, k, target);
		for (uint32_t i = 1; i <= p->a->n_clusters; i++)
			p->link[i * p->width + k] |= target[i];
	}
	free(target);
	return 0;
}

/* ---- groups, and how sequences divide them ---- */

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
	a = root_of(parent, a);
	b = root_of(parent, b);
	parent[a < b ? b : a] = a < b ? a : b;
}

/* Groups of clusters of both runs: a's are 0 … n_a, b's behind them. malloc'd. */
static uint32_t *groups_of(const struct pairing *p, const bool *link)
{
	uint32_t before = p->a->n_clusters + 1, n = before + p->b->n_clusters + 1;
	uint32_t *parent = malloc(n * sizeof *parent);
	for (uint32_t i = 0; parent && i < n; i++)
		parent[i] = i;
	for (uint32_t i = 1; parent && i <= p->a->n_clusters; i++)
		for (uint32_t k = 1; k <= p->b->n_clusters; k++)
			if (link[i * p->width + k])
				join(parent, i, before + k);
	for (uint32_t i = 0; parent && i < n; i++)
		parent[i] = root_of(parent, i);
	return parent;
}

static uint32_t count_in(const uint32_t *group, uint32_t first, uint32_t n, uint32_t of)
{
	uint32_t count = 0;
	for (uint32_t i = first + 1; i <= first + n; i++)
		count += group[i] == of;
	return count;
}

/*
 * Within a group of several on both sides: links only where places in the sequences are alike. It holds when nobody of the group loses all
 * links by it.
 */
static void divide_group(struct pairing *p, const uint32_t *group, uint32_t of, const double *alike)
{
	uint32_t before = p->a->n_clusters + 1;
	bool better = true;
	for (uint32_t i = 1; i <= p->a->n_clusters; i++) {
		bool any = group[i] != of;
		for (uint32_t k = 1; k <= p->b->n_clusters && !any; k++)
			any = group[before + k] == of && alike[i * p->width + k] >= 0.5;
		better &= any;
	}
	for (uint32_t k = 1; k <= p->b->n_clusters; k++) {
		bool any = group[before + k] != of;
		for (uint32_t i = 1; i <= p->a->n_clusters && !any; i++)
			any = group[i] == of && alike[i * p->width + k] >= 0.5;
		better &= any;
	}
	for (uint32_t i = 1; i <= p->a->n_clusters && better; i++)
		for (uint32_t k = 1; k <= p->b->n_clusters; k++)
			if (group[i] == of && group[before + k] == of)
				p->link[i * p->width + k] = alike[i * p->width + k] >= 0.5;
}

static int divide_groups(struct pairing *p)
{
	uint32_t n_a = p->a->n_clusters, n_b = p->b->n_clusters, before = n_a + 1, several = 0;
	uint32_t *group = groups_of(p, p->link), *pivot = calloc(before + n_b + (size_t)1, sizeof *pivot);
	double *alike = malloc((n_a + (size_t)1) * p->width * sizeof *alike);
	int rc = group && pivot && alike ? 0 : -ENOMEM;
	for (uint32_t i = 1; i <= n_a && !rc; i++) {
		uint32_t in_a = count_in(group, 0, n_a, group[i]), in_b = count_in(group, before, n_b, group[i]);
		several += in_a > 1 && in_b > 1;
		for (uint32_t k = 1; k <= n_b && in_a == 1 && in_b == 1; k++)
			if (group[before + k] == group[i])
				pivot[i] = pivot[before + k] = i;
	}
	if (!rc && several) {
		rc = track_contexts(p->a, pivot, p->b, pivot + before, alike);
		for (uint32_t i = 1; i <= n_a && !rc; i++)
			if (group[i] == i && count_in(group, 0, n_a, i) > 1 && count_in(group, before, n_b, i) > 1)
				divide_group(p, group, i, alike);
	}
	free(group);
	free(pivot);
	free(alike);
	return rc;
}

/* ---- two runs ---- */

static void pairing_fini(struct pairing *p)
{
	free(p->near);
	free(p->back);
	free(p->callers);
	free(p->with_a);
	free(p->with_b);
	free(p->link);
}

static int pair(struct pairing *p, const double *a_at, const double *b_at)
{
	size_t n_a = p->a->n_clusters + (size_t)1, n_b = p->b->n_clusters + (size_t)1;
	p->width = n_b;
	p->near = malloc(n_a * n_b * sizeof *p->near);
	p->back = malloc(n_a * n_b * sizeof *p->back);
	p->callers = malloc(n_a * n_b * sizeof *p->callers);
	p->with_a = malloc(n_a * n_a * sizeof *p->with_a);
	p->with_b = malloc(n_b * n_b * sizeof *p->with_b);
	p->link = calloc(n_a * n_b, sizeof *p->link);
	int rc = p->near && p->back && p->callers && p->with_a && p->with_b && p->link ? 0 : -ENOMEM;
	rc = rc ? rc : track_near(p->a, a_at, p->b, b_at, p->how, p->near);
	rc = rc ? rc : track_near(p->b, b_at, p->a, a_at, p->how, p->back);
	rc = rc ? rc : track_callers(p->a, p->b, p->callers, &p->callers_known);
	rc = rc ? rc : weft_sequences_together(p->a->alignment, (uint32_t)n_a, p->with_a);
	rc = rc ? rc : weft_sequences_together(p->b->alignment, (uint32_t)n_b, p->with_b);
	rc = rc ? rc : link_both(p);
	return rc ? rc : divide_groups(p);
}

static int keep_links(struct weft_tracks *out, size_t *cap, const struct pairing *p, uint32_t run, uint32_t *parent,
                      const uint32_t *first)
{
	for (uint32_t i = 1; i <= p->a->n_clusters; i++)
		for (uint32_t k = 1; k <= p->b->n_clusters; k++) {
			struct weft_track_link l = {.run = run,
			                            .from = i,
			                            .to = k,
			                            .near = p->near[i * p->width + k],
			                            .back = p->back[k * ((size_t)p->a->n_clusters + 1) + i],
			                            .callers = p->callers_known ? p->callers[i * p->width + k] : NAN,
			                            .linked = p->link[i * p->width + k]};
			if (l.linked)
				join(parent, first[run] + i, first[run + 1] + k);
			if (!l.linked && !(l.near > 0) && !(l.back > 0))
				continue;
			if (weft_vec_grow(&out->link, cap, out->n_links + 1, sizeof *out->link))
				return -ENOMEM;
			out->link[out->n_links++] = l;
		}
	return 0;
}

/* ---- objects ---- */

struct weighed {
	double share;
	uint32_t root;
};

static int heaviest_first(const void *x, const void *y)
{
	const struct weighed *a = x, *b = y;
	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return a->root < b->root ? -1 : a->root > b->root;
}

static int number_objects(struct weft_tracks *out, const struct weft_track_run *run, const struct weft_track_how *how,
                          uint32_t *parent, const uint32_t *first)
{
	uint32_t all = first[out->n_runs], n = 0;
	struct weighed *w = calloc(all + (size_t)1, sizeof *w);
	uint32_t *number = calloc(all + (size_t)1, sizeof *number);
	int rc = w && number ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < all && !rc; i++)
		w[i].root = i;
	for (uint32_t r = 0; r < out->n_runs && !rc; r++)
		for (uint32_t c = 1; c <= run[r].n_clusters; c++)
			w[root_of(parent, first[r] + c)].share += counts(&run[r], how, c) ? run[r].share[c] : 0;
	if (!rc)
		qsort(w, all, sizeof *w, heaviest_first);
	for (uint32_t i = 0; i < all && !rc && w[i].share > 0; i++)
		number[w[i].root] = ++n;
	for (uint32_t r = 0; r < out->n_runs && !rc; r++) {
		out->object[r] = calloc(run[r].n_clusters + (size_t)1, sizeof **out->object);
		rc = out->object[r] ? 0 : -ENOMEM;
		for (uint32_t c = 1; c <= run[r].n_clusters && !rc; c++)
			if (counts(&run[r], how, c))
				out->object[r][c] = number[root_of(parent, first[r] + c)];
	}
	out->n_objects = n;
	free(w);
	free(number);
	return rc;
}

static int track_all(struct weft_tracks *out, const struct weft_track_run *run, const struct weft_track_how *how, double **at,
                     uint32_t *parent, uint32_t *first)
{
	size_t cap = 0;
	int rc = 0;
	for (uint32_t r = 0; r + 1 < out->n_runs && !rc; r++) {
		struct pairing p = {.a = &run[r], .b = &run[r + 1], .how = how};
		rc = pair(&p, at[r], at[r + 1]);
		rc = rc ? rc : keep_links(out, &cap, &p, r, parent, first);
		pairing_fini(&p);
	}
	return rc ? rc : number_objects(out, run, how, parent, first);
}

int weft_track(struct weft_tracks *out, const struct weft_track_run *run, uint32_t n_runs, const struct weft_track_how *how,
               struct weft_err *err)
{
	*out = (struct weft_tracks){.n_runs = n_runs};
	for (uint32_t r = 1; r < n_runs; r++)
		if (run[r].raw.dims != run[0].raw.dims)
			return weft_err_set(err, -EINVAL, "runs were clustered by %u and by %u metrics", run[0].raw.dims,
			                    run[r].raw.dims);
	double **at = calloc(n_runs + (size_t)1, sizeof *at);
	uint32_t *first = calloc(n_runs + (size_t)2, sizeof *first), *parent = NULL;
	out->object = calloc(n_runs + (size_t)1, sizeof *out->object);
	int rc = at && first && out->object ? 0 : -ENOMEM;
	for (uint32_t r = 0; r < n_runs && !rc; r++) {
		at[r] = weft_track_scaled(&run[r].raw);
		first[r + 1] = first[r] + run[r].n_clusters + 1;
		rc = at[r] ? 0 : -ENOMEM;
	}
	if (!rc && !(parent = malloc((first[n_runs] + (size_t)1) * sizeof *parent)))
		rc = -ENOMEM;
	for (uint32_t i = 0; !rc && i < first[n_runs]; i++)
		parent[i] = i;
	rc = rc ? rc : track_all(out, run, how, at, parent, first);
	for (uint32_t r = 0; at && r < n_runs; r++)
		free(at[r]);
	free(at);
	free(first);
	free(parent);
	if (rc)
		weft_tracks_fini(out);
	return rc ? weft_err_set(err, rc, "cannot track: %s", weft_err_name(rc)) : 0;
}

void weft_tracks_fini(struct weft_tracks *t)
{
	for (uint32_t r = 0; t->object && r < t->n_runs; r++)
		free(t->object[r]);
	free(t->object);
	free(t->link);
	*t = (struct weft_tracks){.n_runs = 0};
}
