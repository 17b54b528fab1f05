/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grid of DBSCAN: points sorted by cell, cells by key. A key is the cell's coordinates, the last one in the lowest bits, each with a
 * margin to both sides, so that a neighbour's key is the key plus a constant.
 *
 *   whole: the grid covers all dimensions and its cells have the side eps/√dims: two points of a cell are near.
 *   else:  it covers the first few dimensions with cells of side eps, and each pair is measured.
 */
#ifndef WEFT_ANALYZE_DBSCAN_PRIV_H
#define WEFT_ANALYZE_DBSCAN_PRIV_H

#include "dbscan.h"
#include <stdbool.h>

enum { GRID_WHOLE_DIMS = 5, GRID_DIMS = 5 };

struct grid_reach { /* cells [key + from, key + to] may have points that are near */
	int64_t from, to;
};
struct grid {
	size_t n;
	unsigned dims, grid_dims;
	bool whole;
	double near2, side; /* near2: eps² */
	double least[GRID_DIMS];
	unsigned shift[GRID_DIMS], bits;
	int64_t margin;
	double *at;       /* points by cell. All owned */
	uint32_t *origin; /* by point by cell: its place in the cloud; ascending within a cell */
	uint64_t *key;    /* by cell, ascending */
	uint32_t *first;  /* by cell, and one more: its first point */
	uint32_t n_cells;
	struct grid_reach *reach;
	unsigned n_reach;
};
int grid_make(struct grid *g, const struct weft_cloud *cloud, const struct weft_dbscan_how *how,
              struct weft_err *err) WEFT_MUST_CHECK;
void grid_fini(struct grid *g);

/* A walk over cells in the order of their keys, and the cells around each. */
struct grid_walk {
	const struct grid *g;
	uint32_t *cursor; /* by reach: the first cell not before it; owned */
	uint32_t *cell;   /* the neighbours of the last cell, itself among them; owned */
	uint32_t n, cap;
};
int grid_walk_begin(struct grid_walk *w, const struct grid *g, uint32_t first_cell) WEFT_MUST_CHECK;
/* Cells must ascend. 0 or -ENOMEM. */
int grid_walk_to(struct grid_walk *w, uint32_t cell) WEFT_MUST_CHECK;
void grid_walk_end(struct grid_walk *w);

static inline double grid_distance2(const double *a, const double *b, unsigned dims)
{
	double sum = 0;
	for (unsigned d = 0; d < dims; d++)
		sum += (a[d] - b[d]) * (a[d] - b[d]);
	return sum;
}
static inline bool grid_near(const struct grid *g, const double *a, const double *b)
{
	if (g->dims == 2) {
		double x = a[0] - b[0], y = a[1] - b[1];
		return x * x + y * y <= g->near2;
	}
	return grid_distance2(a, b, g->dims) <= g->near2;
}
static inline const double *grid_point(const struct grid *g, uint32_t i)
{
	return g->at + (size_t)i * g->dims;
}

#endif
