/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The problem as a program for solvers, in milliseconds. Without dependencies: how many tasks of each kind each worker does.
 *
 *     tmax             the time                       n3_1    of kind 3, on worker 1
 *
 * With them: when each task begins, and where it runs; of two tasks that nothing orders, which comes first when both run on one worker.
 *
 *     s4, c4  begin and end of task 4    x4_1  it runs on worker 1    y4_7  it comes before task 7    z4…  of priorities
 */
#include "bound.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ORDERED = 2000 };

static void name_row(struct lp *l, enum lp_sense sense, double right)
{
	struct lp_row row = {.sense = sense, .right = right};
	snprintf(row.name, sizeof row.name, "r%u", l->n_rows);
	lp_row(l, row);
}

static unsigned name_col(struct lp *l, char kind, uint32_t a, int64_t b, double most)
{
	struct lp_col col = {.most = most, .whole = kind != 's' && kind != 'c'};
	if (b < 0)
		snprintf(col.name, sizeof col.name, "%c%u", kind, a);
	else
		snprintf(col.name, sizeof col.name, "%c%u_%u", kind, a, (unsigned)b);
	return lp_col(l, col);
}

static unsigned workers_of(const struct bound_problem *p, unsigned *place_of)
{
	unsigned n = 0;
	for (unsigned i = 0; i < p->r->n_places; i++)
		for (unsigned k = 0; k < p->r->place[i].n && n < STARPU_NMAXWORKERS; k++)
			place_of[n++] = i;
	return n;
}

/* ---- by kinds ---- */

static int by_kinds(const struct bound_problem *p, struct lp *l)
{
	const struct bound_record *r = p->r;
	unsigned place_of[STARPU_NMAXWORKERS], n = workers_of(p, place_of);
	unsigned *col = calloc((size_t)r->n_kinds * n + 1, sizeof *col);
	if (!col)
		return -ENOMEM;
	unsigned time = lp_col(l, (struct lp_col){.name = "tmax", .cost = 1, .most = INFINITY});
	for (uint32_t k = 0; k < r->n_kinds; k++)
		for (unsigned w = 0; w < n; w++)
			col[k * n + w] = isnan(bound_ms(p, k, place_of[w])) ? 0 : name_col(l, 'n', k, w, r->kind[k]->n);
	for (unsigned w = 0; w < n; w++) {
		name_row(l, LP_MOST, 0);
		lp_add(l, time, -1);
		for (uint32_t k = 0; k < r->n_kinds; k++)
			if (col[k * n + w])
				lp_add(l, col[k * n + w], bound_ms(p, k, place_of[w]));
	}
	for (uint32_t k = 0; k < r->n_kinds; k++) {
		name_row(l, LP_EXACT, r->kind[k]->n);
		for (unsigned w = 0; w < n; w++)
			if (col[k * n + w])
				lp_add(l, col[k * n + w], 1);
	}
	free(col);
	return 0;
}

/* ---- by tasks ---- */

struct by_tasks {
	const struct bound_problem *p;
	struct lp *l;
	unsigned n_workers, place_of[STARPU_NMAXWORKERS];
	unsigned time, *begin, *end, *runs; /* columns; runs: [task × worker], 0: not there */
	uint64_t *after;                    /* [task × words]: all that come after it */
	size_t words;
	double big; /* longer than any schedule that is worth it */
};

static double ms_of(const struct by_tasks *b, uint32_t task, unsigned worker)
{
	uint32_t kind = b->p->r->task[task].kind;
	return kind == BOUND_NOTHING ? NAN : bound_ms(b->p, kind, b->place_of[worker]);
}

static unsigned runs_on(const struct by_tasks *b, uint32_t task, unsigned worker)
{
	return b->runs[(size_t)task * b->n_workers + worker];
}

/* What the task takes, wherever it runs, with a sign. */
static void add_length(const struct by_tasks *b, uint32_t task, double sign)
{
	for (unsigned w = 0; w < b->n_workers; w++)
		if (runs_on(b, task, w))
			lp_add(b->l, runs_on(b, task, w), sign * ms_of(b, task, w));
}

static bool comes_after(const struct by_tasks *b, uint32_t first, uint32_t second)
{
	return b->after[first * b->words + second / 64] >> second % 64 & 1;
}

static void find_after(struct by_tasks *b)
{
	const struct bound_problem *p = b->p;
	for (uint32_t at = p->r->n_tasks; at-- > 0;) {
		uint32_t i = p->order[at];
		uint64_t *mine = &b->after[i * b->words];
		for (uint32_t e = p->first[i]; e < p->first[i + 1]; e++) {
			const uint64_t *theirs = &b->after[p->behind[e] * b->words];
			for (size_t k = 0; k < b->words; k++)
				mine[k] |= theirs[k];
			mine[p->behind[e] / 64] |= UINT64_C(1) << p->behind[e] % 64;
		}
	}
}

static void add_columns(struct by_tasks *b)
{
	const struct bound_record *r = b->p->r;
	b->time = lp_col(b->l, (struct lp_col){.name = "tmax", .cost = 1, .most = INFINITY});
	for (uint32_t i = 0; i < r->n_tasks; i++) {
		b->begin[i] = name_col(b->l, 's', i, -1, INFINITY);
		b->end[i] = name_col(b->l, 'c', i, -1, INFINITY);
		for (unsigned w = 0; w < b->n_workers; w++)
			if (!isnan(ms_of(b, i, w)))
				b->runs[(size_t)i * b->n_workers + w] = name_col(b->l, 'x', i, w, 1);
	}
}

/* It ends behind its begin, and in time; it runs somewhere. */
static void add_task(const struct by_tasks *b, uint32_t task)
{
	name_row(b->l, LP_EXACT, 0);
	lp_add(b->l, b->end[task], 1);
	lp_add(b->l, b->begin[task], -1);
	add_length(b, task, -1);
	name_row(b->l, LP_MOST, 0);
	lp_add(b->l, b->end[task], 1);
	lp_add(b->l, b->time, -1);
	if (b->p->r->task[task].kind == BOUND_NOTHING)
		return;
	name_row(b->l, LP_EXACT, 1);
	for (unsigned w = 0; w < b->n_workers; w++)
		if (runs_on(b, task, w))
			lp_add(b->l, runs_on(b, task, w), 1);
}

/* begin(second) - end(first) at least `right`, but for what the caller adds. */
static void row_behind(const struct by_tasks *b, uint32_t first, uint32_t second, double right)
{
	name_row(b->l, LP_LEAST, right);
	lp_add(b->l, b->begin[second], 1);
	lp_add(b->l, b->end[first], -1);
}

static void add_transfers(const struct by_tasks *b, uint32_t edge)
{
	const struct bound_record *r = b->p->r;
	uint32_t from = r->edge[edge].from, to = r->edge[edge].to;
	for (unsigned i = 0; i < r->n_places; i++)
		for (unsigned k = 0; k < r->n_places; k++) {
			double ms = bound_transfer_ms(b->p, edge, i, k);
			if (ms == 0)
				continue;
			row_behind(b, from, to, -ms);
			for (unsigned w = 0; w < b->n_workers; w++) {
				if (b->place_of[w] == i && runs_on(b, from, w))
					lp_add(b->l, runs_on(b, from, w), -ms);
				if (b->place_of[w] == k && runs_on(b, to, w))
					lp_add(b->l, runs_on(b, to, w), -ms);
			}
		}
}

/* One after the other where both run on one worker. */
static void add_pair(const struct by_tasks *b, uint32_t i, uint32_t k)
{
	unsigned first = name_col(b->l, 'y', i, k, 1);
	for (unsigned w = 0; w < b->n_workers; w++) {
		unsigned mine = runs_on(b, i, w), other = runs_on(b, k, w);
		if (!mine || !other)
			continue;
		row_behind(b, i, k, -3 * b->big);
		lp_add(b->l, first, -b->big);
		lp_add(b->l, mine, -b->big);
		lp_add(b->l, other, -b->big);
		row_behind(b, k, i, -2 * b->big);
		lp_add(b->l, first, b->big);
		lp_add(b->l, mine, -b->big);
		lp_add(b->l, other, -b->big);
	}
}

/* Where the less urgent of two begins on a worker for both, the other has begun, or something that it depends on has not ended yet. */
static void add_priority(const struct by_tasks *b, uint32_t urgent, uint32_t other, unsigned *n_z)
{
	const struct bound_record *r = b->p->r;
	unsigned begun = name_col(b->l, 'z', (*n_z)++, -1, 1), n = 0;
	for (uint32_t e = 0; e < r->n_edges; e++)
		n += r->edge[e].to == urgent;
	unsigned waits = b->l->n_cols;
	for (unsigned k = 0; k < n; k++)
		name_col(b->l, 'z', (*n_z)++, -1, 1);
	name_row(b->l, LP_LEAST, 1);
	lp_add(b->l, begun, 1);
	for (unsigned k = 0; k < n; k++)
		lp_add(b->l, waits + k, 1);
	for (unsigned w = 0; w < b->n_workers; w++) {
		if (!runs_on(b, urgent, w) || !runs_on(b, other, w))
			continue;
		name_row(b->l, LP_LEAST, -2 * b->big);
		lp_add(b->l, b->begin[other], 1);
		lp_add(b->l, b->begin[urgent], -1);
		lp_add(b->l, begun, -b->big);
		lp_add(b->l, runs_on(b, other, w), -b->big);
	}
	for (uint32_t e = 0, k = 0; e < r->n_edges; e++) {
		if (r->edge[e].to != urgent)
			continue;
		name_row(b->l, LP_MOST, b->big); /* begin(other) ≤ end(pred) + big (1 - z) */
		lp_add(b->l, b->begin[other], 1);
		lp_add(b->l, b->end[r->edge[e].from], -1);
		lp_add(b->l, waits + k++, b->big);
	}
}

static void add_rows(struct by_tasks *b)
{
	const struct bound_record *r = b->p->r;
	unsigned n_z = 0;
	for (uint32_t i = 0; i < r->n_tasks; i++)
		add_task(b, i);
	for (uint32_t e = 0; e < r->n_edges; e++) {
		row_behind(b, r->edge[e].from, r->edge[e].to, 0);
		add_transfers(b, e);
	}
	for (uint32_t i = 0; i < r->n_tasks; i++)
		for (uint32_t k = i + 1; k < r->n_tasks; k++) {
			if (comes_after(b, i, k) || comes_after(b, k, i) || r->task[i].kind == BOUND_NOTHING ||
			    r->task[k].kind == BOUND_NOTHING)
				continue;
			add_pair(b, i, k);
			if (r->prio && r->task[i].priority != r->task[k].priority)
				add_priority(b, r->task[i].priority > r->task[k].priority ? i : k,
				             r->task[i].priority > r->task[k].priority ? k : i, &n_z);
		}
}

static double longest_of_all(const struct by_tasks *b)
{
	double sum = 0, transfers = 0;
	for (uint32_t i = 0; i < b->p->r->n_tasks; i++) {
		double most = 0;
		for (unsigned w = 0; w < b->n_workers; w++)
			most = fmax(most, isnan(ms_of(b, i, w)) ? 0 : ms_of(b, i, w));
		sum += most;
	}
	for (uint32_t e = 0; e < b->p->r->n_edges; e++)
		for (unsigned i = 0; i < b->p->r->n_places; i++)
			for (unsigned k = 0; k < b->p->r->n_places; k++)
				transfers += bound_transfer_ms(b->p, e, i, k);
	return sum + transfers;
}

int bound_program(const struct bound_problem *p, struct lp *l)
{
	uint32_t n = p->r->n_tasks;
	struct by_tasks b = {.p = p, .l = l, .words = n / 64 + 1};
	*l = (struct lp){0};
	if (!p->r->deps)
		return by_kinds(p, l) ? -ENOMEM : l->failed ? -ENOMEM : 0;
	if (n > MOST_ORDERED)
		return -E2BIG;
	b.n_workers = workers_of(p, b.place_of);
	b.begin = calloc(n + 1, sizeof *b.begin);
	b.end = calloc(n + 1, sizeof *b.end);
	b.runs = calloc((size_t)n * b.n_workers + 1, sizeof *b.runs);
	b.after = calloc(n * b.words + 1, sizeof *b.after);
	bool room = b.begin && b.end && b.runs && b.after;
	if (room) {
		find_after(&b);
		b.big = longest_of_all(&b);
		add_columns(&b);
		add_rows(&b);
	}
	free(b.begin);
	free(b.end);
	free(b.runs);
	free(b.after);
	return room && !l->failed ? 0 : -ENOMEM;
}
