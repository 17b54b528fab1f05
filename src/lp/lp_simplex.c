/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simplex method on a dense tableau, in two phases: first the sum of what is missing is brought to 0, then the cost down. Columns
 * enter by the steepest cost; after a row of steps that gain nothing, by Bland's rule, which never goes in circles. Made for the few
 * hundred columns of bounds; some thousand would want a sparse one.
 */
#include "lp.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const double tiny = 1e-9;

/*
 *     rows 0 … n-1: the constraints;  row n: the cost of the phase
 *     columns: those of the program, a slack for each inequality, an artificial one for each row; the last: the right side
 */
struct tableau {
	unsigned rows, cols, own, artificial; /* where those begin */
	double *cell;
	unsigned *basis; /* of each row: its column */
};

static double *row_of(const struct tableau *t, unsigned r)
{
	return t->cell + (size_t)r * (t->cols + 1);
}

static int fill(struct tableau *t, const struct lp *l)
{
	unsigned slacks = 0;
	for (unsigned r = 0; r < l->n_rows; r++)
		slacks += l->row[r].sense != LP_EXACT;
	*t = (struct tableau){.rows = l->n_rows, .own = l->n_cols, .artificial = l->n_cols + slacks};
	t->cols = t->artificial + l->n_rows;
	t->cell = calloc((size_t)(t->rows + 1) * (t->cols + 1), sizeof *t->cell);
	t->basis = calloc(t->rows + 1, sizeof *t->basis);
	if (!t->cell || !t->basis)
		return -ENOMEM;
	unsigned slack = l->n_cols;
	for (unsigned r = 0; r < l->n_rows; r++) {
		double *row = row_of(t, r), sign = l->row[r].right < 0 ? -1 : 1;
		unsigned end = r + 1 < l->n_rows ? l->row[r + 1].first : l->n_entries;
		for (unsigned e = l->row[r].first; e < end; e++)
			row[l->entry[e].col] += sign * l->entry[e].value;
		row[t->cols] = sign * l->row[r].right;
		double direction = l->row[r].sense == LP_EXACT ? 0 : sign * (l->row[r].sense == LP_MOST ? 1 : -1);
		if (direction != 0)
			row[slack++] = direction;
		row[t->artificial + r] = 1;
		/* Where the slack can begin in the basis nothing is missing. */
		t->basis[r] = direction > 0 ? slack - 1 : t->artificial + r;
	}
	return 0;
}

static void pivot(struct tableau *t, unsigned r, unsigned c)
{
	double *from = row_of(t, r), by = from[c];
	for (unsigned i = 0; i <= t->cols; i++)
		from[i] /= by;
	for (unsigned k = 0; k <= t->rows; k++) {
		double *row = row_of(t, k), factor = row[c];
		if (k == r || fabs(factor) < 1e-13)
			continue;
		for (unsigned i = 0; i <= t->cols; i++)
			row[i] -= factor * from[i];
		row[c] = 0;
	}
	t->basis[r] = c;
}

/* The column that enters, below `until`; `until` when none gains. */
static unsigned entering(const struct tableau *t, unsigned until, bool first)
{
	const double *cost = row_of(t, t->rows);
	unsigned best = until;
	double least = -tiny;
	for (unsigned c = 0; c < until; c++)
		if (cost[c] < least) {
			best = c;
			if (first)
				break;
			least = cost[c];
		}
	return best;
}

/* The row that leaves; `rows`: none, the program has no end. */
static unsigned leaving(const struct tableau *t, unsigned c)
{
	unsigned best = t->rows;
	double least = INFINITY;
	for (unsigned r = 0; r < t->rows; r++) {
		const double *row = row_of(t, r);
		if (row[c] <= tiny)
			continue;
		double ratio = row[t->cols] / row[c];
		if (ratio < least - 1e-12 || (ratio <= least + 1e-12 && best < t->rows && t->basis[r] < t->basis[best])) {
			least = ratio;
			best = r;
		}
	}
	return best;
}

static int run(struct tableau *t, unsigned until)
{
	enum { IDLE = 40 };
	unsigned idle = 0;
	double last = INFINITY;
	for (unsigned long step = 0, most = 50UL * (t->rows + t->cols) + 1000; step < most; step++) {
		unsigned c = entering(t, until, idle > IDLE), r;
		if (c == until)
			return 0;
		r = leaving(t, c);
		if (r == t->rows)
			return -EDOM;
		pivot(t, r, c);
		double now = -row_of(t, t->rows)[t->cols];
		idle = now < last - 1e-12 ? 0 : idle + 1;
		last = now;
	}
	return -ERANGE;
}

/* The cost row, without the columns of the basis. */
static void set_cost(struct tableau *t, const struct lp *l, bool missing)
{
	double *cost = row_of(t, t->rows);
	for (unsigned c = 0; c <= t->cols; c++)
		cost[c] = missing ? c >= t->artificial && c < t->cols : c < t->own ? l->col[c].cost : 0;
	for (unsigned r = 0; r < t->rows; r++) {
		double by = cost[t->basis[r]];
		for (unsigned c = 0; by != 0 && c <= t->cols; c++)
			cost[c] -= by * row_of(t, r)[c];
	}
}

/* What is artificial, and 0, goes out of the basis where something else may come in. */
static void drop_artificial(struct tableau *t)
{
	for (unsigned r = 0; r < t->rows; r++)
		for (unsigned c = 0; t->basis[r] >= t->artificial && c < t->artificial; c++)
			if (fabs(row_of(t, r)[c]) > 1e-7)
				pivot(t, r, c);
}

int lp_solve_relaxed(const struct lp *l, double *x, double *least)
{
	struct tableau t = {0};
	int rc = l->failed ? -ENOMEM : fill(&t, l);
	*least = 0;
	if (l->failed)
		return rc;
	if (!rc) {
		set_cost(&t, l, true);
		rc = run(&t, t.artificial);
		rc = rc ? rc : -row_of(&t, t.rows)[t.cols] > 1e-6 ? -EDOM : 0;
	}
	if (!rc) {
		drop_artificial(&t);
		set_cost(&t, l, false);
		rc = run(&t, t.artificial);
	}
	if (!rc)
		*least = -row_of(&t, t.rows)[t.cols];
	for (unsigned c = 0; x && c < l->n_cols; c++)
		x[c] = 0;
	for (unsigned r = 0; !rc && x && r < t.rows; r++)
		if (t.basis[r] < l->n_cols)
			x[t.basis[r]] = row_of(&t, r)[t.cols];
	free(t.cell);
	free(t.basis);
	return rc;
}
