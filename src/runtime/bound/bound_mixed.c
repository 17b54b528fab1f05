/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two bounds, and their mix. Area: tasks may be cut, and are shared out among workers so that all end at once: a linear program with a
 * variable for each kind of task and place. Critical path: the longest way, each task where it is fastest. The mix goes on from the area:
 * the longest way with the times that the shares give is too long, so it is added to the program (its tasks, too, are shared out, within
 * the shares of their kinds, one after the other), which is solved again; until no way is longer than the whole, or nothing is gained.
 * Each round is linear in the tasks, and its result a bound.
 */
#include "bound.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 12, MOST_KINDS = 300 };

/* The program by kinds: column 0 is the time, then the shares. */
static void area_program(const struct bound_problem *p, struct lp *l, unsigned *share)
{
	const struct bound_record *r = p->r;
	unsigned time = lp_col(l, (struct lp_col){.name = "tmax", .cost = 1, .most = INFINITY});
	for (uint32_t k = 0; k < r->n_kinds; k++)
		for (unsigned i = 0; i < r->n_places; i++)
			share[k * r->n_places + i] = isnan(bound_ms(p, k, i))
			                                     ? 0
			                                     : lp_col(l, (struct lp_col){.name = "n", .most = INFINITY});
	for (unsigned i = 0; i < r->n_places; i++) {
		lp_row(l, (struct lp_row){.name = "place", .sense = LP_MOST});
		lp_add(l, time, -(double)r->place[i].n);
		for (uint32_t k = 0; k < r->n_kinds; k++)
			if (share[k * r->n_places + i])
				lp_add(l, share[k * r->n_places + i], bound_ms(p, k, i));
	}
	for (uint32_t k = 0; k < r->n_kinds; k++) {
		lp_row(l, (struct lp_row){.name = "kind", .sense = LP_EXACT, .right = r->kind[k]->n});
		for (unsigned i = 0; i < r->n_places; i++)
			if (share[k * r->n_places + i])
				lp_add(l, share[k * r->n_places + i], 1);
	}
}

/* Columns for the tasks of each kind on a way, of `share` each. They come before any row of theirs: returns 0 where there is none. */
static unsigned way_columns(const struct bound_problem *p, struct lp *l, const uint32_t *path, const unsigned *share)
{
	unsigned first = l->n_cols;
	for (uint32_t k = 0; k < p->r->n_kinds; k++)
		for (unsigned i = 0; path[k] && i < p->r->n_places; i++)
			if (share[k * p->r->n_places + i])
				lp_col(l, (struct lp_col){.name = "p", .most = INFINITY});
	return first;
}

static void add_way(const struct bound_problem *p, struct lp *l, const uint32_t *path, const unsigned *share)
{
	const struct bound_record *r = p->r;
	unsigned first = way_columns(p, l, path, share), c = first;
	lp_row(l, (struct lp_row){.name = "way", .sense = LP_MOST});
	lp_add(l, 0, -1);
	for (uint32_t k = 0; k < r->n_kinds; k++)
		for (unsigned i = 0; path[k] && i < r->n_places; i++)
			if (share[k * r->n_places + i])
				lp_add(l, c++, bound_ms(p, k, i));
	c = first;
	for (uint32_t k = 0; k < r->n_kinds; k++) {
		unsigned of_kind = c;
		for (unsigned i = 0; path[k] && i < r->n_places; i++)
			if (share[k * r->n_places + i]) {
				lp_row(l, (struct lp_row){.name = "within", .sense = LP_MOST});
				lp_add(l, c++, 1);
				lp_add(l, share[k * r->n_places + i], -1);
			}
		if (c == of_kind)
			continue;
		lp_row(l, (struct lp_row){.name = "all", .sense = LP_EXACT, .right = path[k]});
		while (of_kind < c)
			lp_add(l, of_kind++, 1);
	}
}

/* How long a task of each kind takes as it is shared out. */
static void mean_times(const struct bound_problem *p, const double *x, const unsigned *share, double *of_kind)
{
	const struct bound_record *r = p->r;
	for (uint32_t k = 0; k < r->n_kinds; k++) {
		of_kind[k] = 0;
		for (unsigned i = 0; i < r->n_places && r->kind[k]->n; i++)
			if (share[k * r->n_places + i])
				of_kind[k] += x[share[k * r->n_places + i]] * bound_ms(p, k, i) / r->kind[k]->n;
	}
}

struct work {
	struct lp l;
	unsigned *share;
	double *of_kind, *x;
	uint32_t *path;
	unsigned x_cap;
};

static int solve(struct work *w, double *least)
{
	if (w->x_cap < w->l.n_cols) {
		double *more = realloc(w->x, w->l.n_cols * sizeof *more);
		if (!more)
			return -ENOMEM;
		w->x = more;
		w->x_cap = w->l.n_cols;
	}
	return lp_solve_relaxed(&w->l, w->x, least);
}

static int mix(const struct bound_problem *p, struct work *w, struct bound_found *f)
{
	const struct bound_record *r = p->r;
	area_program(p, &w->l, w->share);
	int rc = solve(w, &f->area);
	f->mixed = fmax(f->area, f->path);
	for (unsigned round = 0; !rc && r->n_edges && round < ROUNDS; round++) {
		double now;
		mean_times(p, w->x, w->share, w->of_kind);
		if (bound_longest(p, w->of_kind, w->path) <= f->mixed * (1 + 1e-9))
			break;
		add_way(p, &w->l, w->path, w->share);
		if (solve(w, &now)) /* what is there already holds */
			break;
		f->mixed = fmax(f->mixed, now);
	}
	for (size_t i = 0; !rc && f->share && i < (size_t)r->n_kinds * r->n_places; i++)
		f->share[i] = w->share[i] ? w->x[w->share[i]] : 0;
	return rc;
}

/* Too many kinds for a program: as if each task were where it is fastest, and all workers did it. */
static void find_roughly(const struct bound_problem *p, struct bound_found *f)
{
	double sum = 0;
	for (uint32_t k = 0; k < p->r->n_kinds; k++)
		sum += p->least[k] * p->r->kind[k]->n;
	f->area = p->n_workers ? sum / p->n_workers : 0;
	f->mixed = fmax(f->area, f->path);
}

int bound_find(const struct bound_problem *p, struct bound_found *f)
{
	size_t n = (size_t)p->r->n_kinds * p->r->n_places + 1;
	struct work w = {.share = calloc(n, sizeof *w.share),
	                 .of_kind = calloc(p->r->n_kinds + 1, sizeof *w.of_kind),
	                 .path = calloc(p->r->n_kinds + 1, sizeof *w.path)};
	*f = (struct bound_found){.share = calloc(n, sizeof *f->share)};
	int rc = w.share && w.of_kind && w.path ? 0 : -ENOMEM;
	if (!rc)
		f->path = bound_longest(p, p->least, NULL);
	if (!rc && p->r->n_kinds > MOST_KINDS)
		find_roughly(p, f);
	else if (!rc && p->r->n_kinds && mix(p, &w, f))
		find_roughly(p, f);
	lp_free(&w.l);
	free(w.share);
	free(w.of_kind);
	free(w.path);
	free(w.x);
	return rc;
}
