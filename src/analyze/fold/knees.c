/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best polyline with k pieces by dynamic programming over a grid of places: best[k][j] is the least squared distance of all curves from
 * lines that run from grid point to grid point, the last of them to j. Lines go through the curves themselves at the knees, so that pieces meet.
 */
#include "knees.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { GRID = 100, PIECES = 16 };

struct search {
	unsigned n, pieces; /* grid points: 0 … n */
	double cost[GRID + 1][GRID + 1];
	double best[PIECES + 1][GRID + 1];
	unsigned from[PIECES + 1][GRID + 1];
};

static double value_at(const double *curve, unsigned steps, double x)
{
	double p = x * (steps - 1);
	unsigned i = (unsigned)p;
	i = i + 1 < steps ? i : steps - 2;
	return curve[i] + (p - i) * (curve[i + 1] - curve[i]);
}

/* Mean squared distance of a curve from its chord between two grid points, times the piece's length. */
static double chord_cost(const double *v, unsigned a, unsigned b)
{
	double sum = 0;
	for (unsigned i = a + 1; i < b; i++) {
		double d = v[i] - (v[a] + (v[b] - v[a]) * (i - a) / (b - a));
		sum += d * d;
	}
	return sum;
}

static void fill_costs(struct search *s, const double *const *curve, unsigned n_curves, unsigned steps, unsigned apart)
{
	double v[GRID + 1];
	for (unsigned a = 0; a <= GRID; a++)
		for (unsigned b = 0; b <= GRID; b++)
			s->cost[a][b] = b >= a + apart ? 0 : INFINITY;
	for (unsigned c = 0; c < n_curves; c++) {
		for (unsigned i = 0; i <= GRID; i++)
			v[i] = value_at(curve[c], steps, (double)i / GRID);
		for (unsigned a = 0; a <= GRID; a++)
			for (unsigned b = a + apart; b <= GRID; b++)
				s->cost[a][b] += chord_cost(v, a, b);
	}
}

static void search(struct search *s)
{
	for (unsigned j = 0; j <= GRID; j++) {
		s->best[1][j] = s->cost[0][j];
		s->from[1][j] = 0;
	}
	for (unsigned k = 2; k <= s->pieces; k++)
		for (unsigned j = 0; j <= GRID; j++) {
			s->best[k][j] = INFINITY;
			for (unsigned i = 1; i < j; i++) {
				double c = s->best[k - 1][i] + s->cost[i][j];
				if (c < s->best[k][j]) {
					s->best[k][j] = c;
					s->from[k][j] = i;
				}
			}
		}
}

int weft_knees(const double *const *curve, unsigned n_curves, unsigned steps, const struct weft_knees_how *how, double *at,
               unsigned *n)
{
	unsigned apart = (unsigned)ceil(how->least * GRID), pieces = 1;
	*n = 0;
	if (!n_curves || steps < 3)
		return 0;
	struct search *s = malloc(sizeof *s);
	if (!s)
		return -ENOMEM;
	s->pieces = how->most + 1 < PIECES ? how->most + 1 : PIECES;
	fill_costs(s, curve, n_curves, steps, apart ? apart : 1);
	search(s);
	/* A knee is worth its place when it explains a fifth of what is left, and that is more than a trifle. */
	double trifle = how->coarse * how->coarse * GRID * n_curves;
	for (unsigned k = 2; k <= s->pieces && s->best[pieces][GRID] > trifle; k++)
		if (s->best[k][GRID] < 0.8 * s->best[pieces][GRID])
			pieces = k;
	for (unsigned k = pieces, j = GRID; k > 1; k--) {
		j = s->from[k][j];
		at[k - 2] = (double)j / GRID;
	}
	*n = pieces - 1;
	free(s);
	return 0;
}
