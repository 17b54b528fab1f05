/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In rounds over the cells, in parallel: which points are core; which cells hang together, by a union-find without locks in which the
 * smaller root always wins; then, in one thread, the seeds and so the numbers of clusters; and in parallel again the borders.
 *
 * In a whole grid the core points of a cell are of one cluster, so cells are what is joined. Otherwise points are: then `node` of a
 * point is the point, else its cell.
 */
#include "base/atomic.h"
#include "base/pool.h"
#include "dbscan_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { CELLS_A_CHUNK = 512 };

struct work {
	struct grid g;
	uint32_t min_points;
	unsigned threads;
	uint8_t *core;                  /* by point */
	struct weft_atomic_u32 *parent; /* by node */
	uint32_t *seed;                 /* by node: of a root, the first core point of the cloud in it */
	uint32_t *number;               /* by node: of a root, its cluster */
	uint32_t *seed_of;              /* by cluster */
	uint32_t n_nodes;
	uint32_t *label; /* the caller's */
	int (*on_cell)(struct work *w, struct grid_walk *walk, uint32_t cell);
};

static uint32_t node_of(const struct work *w, uint32_t cell, uint32_t point)
{
	return w->g.whole ? cell : point;
}

static int run_chunk(void *arg, size_t chunk, unsigned worker)
{
	struct work *w = arg;
	struct grid_walk walk;
	size_t end = (chunk + 1) * CELLS_A_CHUNK < w->g.n_cells ? (chunk + 1) * CELLS_A_CHUNK : w->g.n_cells;
	(void)worker;
	int rc = grid_walk_begin(&walk, &w->g, (uint32_t)(chunk * CELLS_A_CHUNK));
	for (size_t c = chunk * CELLS_A_CHUNK; c < end && !rc; c++)
		rc = w->on_cell(w, &walk, (uint32_t)c);
	grid_walk_end(&walk);
	return rc;
}

static int each_cell(struct work *w, int (*on_cell)(struct work *, struct grid_walk *, uint32_t))
{
	w->on_cell = on_cell;
	return weft_parallel(w->threads, (w->g.n_cells + (size_t)CELLS_A_CHUNK - 1) / CELLS_A_CHUNK, run_chunk, w);
}

/* ---- core points ---- */

static bool has_enough(const struct work *w, const struct grid_walk *walk, uint32_t cell, uint32_t point)
{
	const struct grid *g = &w->g;
	const double *p = grid_point(g, point);
	uint32_t count = g->whole ? g->first[cell + 1] - g->first[cell] : 0;
	for (uint32_t k = 0; k < walk->n; k++) {
		uint32_t other = walk->cell[k];
		if (g->whole && other == cell)
			continue;
		for (uint32_t q = g->first[other]; q < g->first[other + 1]; q++)
			count += grid_near(g, p, grid_point(g, q));
		if (count >= w->min_points)
			return true;
	}
	return count >= w->min_points;
}

static int find_core(struct work *w, struct grid_walk *walk, uint32_t cell)
{
	const struct grid *g = &w->g;
	bool all = g->whole && g->first[cell + 1] - g->first[cell] >= w->min_points;
	if (!all && grid_walk_to(walk, cell))
		return -ENOMEM;
	for (uint32_t p = g->first[cell]; p < g->first[cell + 1]; p++)
		w->core[p] = all || has_enough(w, walk, cell, p);
	return 0;
}

/* ---- what hangs together ---- */

static uint32_t root_of(struct work *w, uint32_t node)
{
	for (;;) {
		uint32_t up = weft_load_u32(&w->parent[node]);
		if (up == node)
			return node;
		uint32_t above = weft_load_u32(&w->parent[up]);
		if (above != up) /* halves the way for those that come next; when another was faster, its way is as good */
			(void)weft_cas_u32(&w->parent[node], &up, above);
		node = above;
	}
}

static void join(struct work *w, uint32_t a, uint32_t b)
{
	for (;;) {
		a = root_of(w, a);
		b = root_of(w, b);
		if (a == b)
			return;
		uint32_t low = a < b ? a : b, high = a < b ? b : a;
		uint32_t expect = high;
		if (weft_cas_u32(&w->parent[high], &expect, low))
			return;
	}
}

/* The box of a cell, a little larger: what is farther from it than eps is near to none of its points. */
static double box_distance2(const struct grid *g, uint32_t cell, const double *p)
{
	double sum = 0;
	for (unsigned d = 0; d < g->grid_dims; d++) {
		unsigned above = d ? g->shift[d - 1] : g->bits;
		uint64_t c = g->key[cell] >> g->shift[d] & ((UINT64_C(1) << (above - g->shift[d])) - 1);
		double low = g->least[d] + ((double)((int64_t)c - g->margin) - 1e-3) * g->side, high = low + 1.002 * g->side;
		double out = p[d] < low ? low - p[d] : p[d] > high ? p[d] - high : 0;
		sum += out * out;
	}
	return sum;
}

static bool cells_meet(const struct work *w, uint32_t a, uint32_t b)
{
	const struct grid *g = &w->g;
	for (uint32_t p = g->first[a]; p < g->first[a + 1]; p++) {
		if (!w->core[p] || box_distance2(g, b, grid_point(g, p)) > g->near2)
			continue;
		for (uint32_t q = g->first[b]; q < g->first[b + 1]; q++)
			if (w->core[q] && grid_near(g, grid_point(g, p), grid_point(g, q)))
				return true;
	}
	return false;
}

static bool any_core(const struct work *w, uint32_t cell)
{
	for (uint32_t p = w->g.first[cell]; p < w->g.first[cell + 1]; p++)
		if (w->core[p])
			return true;
	return false;
}

static void join_points(struct work *w, uint32_t cell, uint32_t other)
{
	const struct grid *g = &w->g;
	for (uint32_t p = g->first[cell]; p < g->first[cell + 1]; p++)
		for (uint32_t q = g->first[other]; w->core[p] && q < g->first[other + 1] && q < p; q++)
			if (w->core[q] && grid_near(g, grid_point(g, p), grid_point(g, q)))
				join(w, p, q);
}

static int join_cell(struct work *w, struct grid_walk *walk, uint32_t cell)
{
	if (!any_core(w, cell))
		return 0;
	if (grid_walk_to(walk, cell))
		return -ENOMEM;
	for (uint32_t k = 0; k < walk->n; k++) {
		uint32_t other = walk->cell[k];
		if (!w->g.whole)
			join_points(w, cell, other);
		else if (other < cell && root_of(w, cell) != root_of(w, other) && cells_meet(w, cell, other))
			join(w, cell, other);
	}
	return 0;
}

/* ---- numbers ---- */

static int by_seed(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static int number_clusters(struct work *w, uint32_t *n_clusters)
{
	const struct grid *g = &w->g;
	uint32_t n = 0;
	for (uint32_t c = 0; c < g->n_cells; c++)
		for (uint32_t p = g->first[c]; p < g->first[c + 1]; p++) {
			if (!w->core[p])
				continue;
			uint32_t root = root_of(w, node_of(w, c, p));
			n += w->seed[root] == UINT32_MAX;
			w->seed[root] = g->origin[p] < w->seed[root] ? g->origin[p] : w->seed[root];
		}
	*n_clusters = n;
	w->seed_of = malloc(((size_t)n + 1) * sizeof *w->seed_of);
	if (!w->seed_of)
		return -ENOMEM;
	n = 1;
	for (uint32_t r = 0; r < w->n_nodes; r++)
		if (w->seed[r] != UINT32_MAX)
			w->seed_of[n++] = w->seed[r];
	w->seed_of[0] = 0;
	qsort(w->seed_of + 1, n - 1, sizeof *w->seed_of, by_seed);
	for (uint32_t r = 0; r < w->n_nodes; r++)
		if (w->seed[r] != UINT32_MAX) {
			uint32_t *at = bsearch(&w->seed[r], w->seed_of + 1, n - 1, sizeof *at, by_seed);
			w->number[r] = (uint32_t)(at - w->seed_of);
		}
	return 0;
}

/* ---- labels ---- */

static uint32_t border_label(struct work *w, const struct grid_walk *walk, uint32_t point)
{
	const struct grid *g = &w->g;
	const double *p = grid_point(g, point);
	uint32_t first = 0, seeded = 0;
	for (uint32_t k = 0; k < walk->n; k++)
		for (uint32_t q = g->first[walk->cell[k]]; q < g->first[walk->cell[k] + 1]; q++) {
			if (!w->core[q] || !grid_near(g, p, grid_point(g, q)))
				continue;
			uint32_t of = w->number[root_of(w, node_of(w, walk->cell[k], q))];
			first = !first || of < first ? of : first;
			if (w->seed_of[of] == g->origin[q] && of > seeded)
				seeded = of;
		}
	return seeded ? seeded : first;
}

static int label_cell(struct work *w, struct grid_walk *walk, uint32_t cell)
{
	const struct grid *g = &w->g;
	bool walked = false;
	for (uint32_t p = g->first[cell]; p < g->first[cell + 1]; p++) {
		if (w->core[p]) {
			w->label[g->origin[p]] = w->number[root_of(w, node_of(w, cell, p))];
			continue;
		}
		if (!walked && grid_walk_to(walk, cell))
			return -ENOMEM;
		walked = true;
		w->label[g->origin[p]] = border_label(w, walk, p);
	}
	return 0;
}

static int run(struct work *w, uint32_t *n_clusters)
{
	w->n_nodes = w->g.whole ? w->g.n_cells : (uint32_t)w->g.n;
	w->core = malloc(w->g.n);
	w->parent = malloc((size_t)w->n_nodes * sizeof *w->parent);
	w->seed = malloc((size_t)w->n_nodes * sizeof *w->seed);
	w->number = calloc(w->n_nodes, sizeof *w->number);
	if (!w->core || !w->parent || !w->seed || !w->number)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->n_nodes; i++) {
		weft_store_relaxed_u32(&w->parent[i], i); /* before the threads */
		w->seed[i] = UINT32_MAX;
	}
	int rc = each_cell(w, find_core);
	rc = rc ? rc : each_cell(w, join_cell);
	rc = rc ? rc : number_clusters(w, n_clusters);
	return rc ? rc : each_cell(w, label_cell);
}

int weft_dbscan(const struct weft_cloud *cloud, const struct weft_dbscan_how *how, uint32_t *label, uint32_t *n_clusters,
                struct weft_err *err)
{
	struct work w = {.min_points = how->min_points ? how->min_points : 1, .threads = how->threads, .label = label};
	*n_clusters = 0;
	if (!(how->eps > 0) || !isfinite(how->eps) || !cloud->dims)
		return weft_err_set(err, -EINVAL, "epsilon must be positive, not %g", how->eps);
	if (cloud->n >= UINT32_MAX)
		return weft_err_set(err, -ERANGE, "%zu points are more than can be clustered", cloud->n);
	if (!cloud->n)
		return 0;
	int rc = grid_make(&w.g, cloud, how, err);
	if (!rc && (rc = run(&w, n_clusters)))
		weft_err_set(err, rc, "cannot cluster: %s", weft_err_name(rc));
	grid_fini(&w.g);
	free(w.core);
	free(w.parent);
	free(w.seed);
	free(w.number);
	free(w.seed_of);
	return rc;
}
