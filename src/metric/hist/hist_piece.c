/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces to cells: a batch of pieces of one row is first placed, all of them, and then added to the
 * row's sums by one loop of the statistic, in order. What is outside the scales is added to a sum
 * that belongs to no cell, so that no loop has a branch for it.
 *
 *     sum:   | no cell | first cell that was met | second … |
 *     dense: place of each cell in it and 1, by plane and column; the last is that of no cell. 0: not met so far
 */
#include "base/wide.h"
#include "hist_priv.h"
#include <errno.h>
#include <stdlib.h>

enum { NO_CELL, OUTSIDE_PLANE = UINT32_MAX };

/* ---- sums of a row ---- */

static int sums_begin(struct hist_row *r)
{
	if (!r->sum.n && weft_vec_push(&r->sum, (struct hist_sum){.key = (uint64_t)OUTSIDE_PLANE << 32}))
		return -ENOMEM;
	if (r->n_columns && !r->dense) {
		size_t n_cells = (size_t)r->n_columns * r->n_planes;
		if (!(r->dense = calloc(n_cells + 1, sizeof *r->dense)))
			return -ENOMEM;
		r->dense[n_cells] = NO_CELL + 1;
	}
	return 0;
}

static int put_sum(struct hist_row *r, uint64_t key, uint32_t *place)
{
	*place = (uint32_t)r->sum.n;
	return weft_vec_push(&r->sum, (struct hist_sum){.key = key});
}

/* Of many cells, the places are in a map. */
static int place_in_map(struct hist_row *r, uint64_t key, uint32_t *place)
{
	uint64_t known;
	if (r->has_last && r->last_key == key) {
		*place = r->last_place;
		return 0;
	}
	if (weft_map_get(&r->place, key, &known))
		*place = (uint32_t)known;
	else if (put_sum(r, key, place) || weft_map_put(&r->place, key, *place))
		return -ENOMEM;
	r->has_last = true;
	r->last_key = key;
	r->last_place = *place;
	return 0;
}

static int place_in_array(struct hist_row *r, uint32_t plane, uint32_t column, uint32_t *place)
{
	uint32_t *known = &r->dense[(size_t)plane * r->n_columns + column];
	int rc = *known ? 0 : put_sum(r, (uint64_t)plane << 32 | column, place);
	if (!rc && !*known)
		*known = *place + 1;
	*place = *known - 1;
	return rc;
}

int hist_row_place(struct hist_row *r, uint32_t plane, uint32_t column, uint32_t *place)
{
	int rc = sums_begin(r);
	if (rc)
		return rc;
	return r->dense ? place_in_array(r, plane, column, place) : place_in_map(r, (uint64_t)plane << 32 | column, place);
}

void hist_row_fini(struct hist_row *r)
{
	weft_map_fini(&r->place);
	free(r->dense);
	free(r->sum.at);
	free(r->share);
	*r = (struct hist_row){.share = NULL};
}

/* ---- a batch ---- */

/* Few cells: their numbers, n_cells for what is outside. */
WEFT_BODY number_columns_body(struct weft_axis axis, uint32_t n_cells, const double *restrict v, uint32_t n,
                              uint32_t *restrict cell)
{
	const double last = axis.n - 1.0;
	for (uint32_t i = 0; i < n; i++) {
		bool inside = v[i] >= axis.min && v[i] <= axis.max;
		double at = (v[i] - axis.min) / axis.delta;
		at = inside ? at : 0;
		at = at < last ? at : last;
		cell[i] = inside ? (uint32_t)(int32_t)at : n_cells;
	}
}
WEFT_WIDEST(number_columns,
            (struct weft_axis axis, uint32_t n_cells, const double *restrict v, uint32_t n, uint32_t *restrict cell),
            (axis, n_cells, v, n, cell))

static void number_planes(const struct weft_axis *axis, uint32_t n_columns, uint32_t n_cells, struct hist_pieces *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		if (!hist_place(axis, p->value[HIST_EXTRA][i], &p->plane[i]))
			p->cell[i] = n_cells;
		else if (p->cell[i] != n_cells)
			p->cell[i] += p->plane[i] * n_columns;
	}
}

/*
 * The pieces' sums, whose number stands in their place; those that are met for the first time are
 * made.
 */
static int find_sums(struct hist_row *row, struct hist_pieces *p)
{
	bool missing = false;
	for (uint32_t i = 0; i < p->n; i++)
		missing |= !row->dense[p->cell[i]];
	for (uint32_t i = 0, place; missing && i < p->n; i++)
		if (!row->dense[p->cell[i]] &&
		    place_in_array(row, p->cell[i] / row->n_columns, p->cell[i] % row->n_columns, &place))
			return -ENOMEM;
	for (uint32_t i = 0; i < p->n; i++)
		p->cell[i] = row->dense[p->cell[i]] - 1;
	return 0;
}

static int place_few(const struct weft_result *r, struct hist_row *row, struct hist_pieces *p)
{
	uint32_t n_cells = row->n_columns * row->n_planes;
	number_columns(r->column, n_cells, p->value[HIST_CONTROL], p->n, p->cell);
	if (r->hist->extra != WEFT_NONE)
		number_planes(&r->depth, row->n_columns, n_cells, p);
	return find_sums(row, p);
}

static int place_many(const struct weft_result *r, struct hist_row *row, struct hist_pieces *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t column;
		p->cell[i] = NO_CELL;
		if ((r->hist->extra != WEFT_NONE && !hist_place(&r->depth, p->value[HIST_EXTRA][i], &p->plane[i])) ||
		    !hist_place(&r->column, p->value[HIST_CONTROL][i], &column))
			continue;
		int rc = hist_row_place(row, p->plane[i], column, &p->cell[i]);
		if (rc)
			return rc;
	}
	return 0;
}

/* What pieces in cells add to their plane's sum of the row. */
static void add_shares(double *of_plane, const struct hist_pieces *p)
{
	for (uint32_t i = 0; i < p->n;) {
		const uint32_t plane = p->plane[i];
		double sum = of_plane[plane];
		for (; i < p->n && p->plane[i] == plane; i++)
			sum = p->cell[i] == NO_CELL ? sum : sum + p->share[i];
		of_plane[plane] = sum;
	}
}

int hist_take(const struct weft_result *r, struct hist_row *row, struct hist_pieces *p)
{
	const struct weft_stat *stat = r->hist->stat;
	int rc = sums_begin(row);
	if (!rc && stat->share && !row->share && !(row->share = calloc(r->depth.n, sizeof *row->share)))
		rc = -ENOMEM;
	if (!rc)
		rc = row->dense ? place_few(r, row, p) : place_many(r, row, p);
	if (!rc)
		stat->add(row->sum.at, p);
	if (!rc && stat->share) {
		stat->share(p);
		add_shares(row->share, p);
	}
	p->n = 0;
	return rc;
}
