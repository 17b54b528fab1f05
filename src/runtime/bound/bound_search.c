/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best that whole tasks can do, by branch and bound over schedules. Tasks are placed in the order in which they begin; each goes to
 * each worker that may run it, of workers that are alike and free at the same time to one. A branch ends when what is placed, the
 * longest way behind each task, or what is left for all workers together cannot be better than the best that is known. The search is
 * cut off after some million steps: then the bound that it began from stands.
 */
#include "bound.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 3000000, MOST_TASKS = 4096 };
static const double close_to = 1e-9; /* of the whole */

struct search {
	const struct bound_problem *p;
	unsigned long steps;
	double best, floor; /* the best that is known; what nothing can be below */
	uint32_t n, placed;
	double *tail;                    /* of each task: from its begin to the end, at least */
	double *ready;                   /* of each: when the last of what it depends on has ended */
	double *end;                     /* of each that is placed */
	uint8_t *place;                  /* where, of each that is placed */
	uint32_t *left;                  /* what it waits for; UINT32_MAX: it is placed */
	uint32_t *before_first, *before; /* what each depends on */
	uint32_t *before_edge;
	double free_at[STARPU_NMAXWORKERS];
	unsigned place_of[STARPU_NMAXWORKERS], n_workers;
	double load, rest; /* of all workers together: until they are free; and of what is not placed, at least */
};

static uint32_t kind_of(const struct search *s, uint32_t task)
{
	return s->p->r->task[task].kind;
}

static double when(const struct search *s, uint32_t task, unsigned worker)
{
	double at = s->free_at[worker];
	for (uint32_t b = s->before_first[task]; b < s->before_first[task + 1]; b++) {
		uint32_t from = s->before[b];
		double there = s->end[from];
		if (kind_of(s, from) != BOUND_NOTHING)
			there += bound_transfer_ms(s->p, s->before_edge[b], s->place[from], s->place_of[worker]);
		at = fmax(at, there);
	}
	return at;
}

/* A more urgent one is ready, and may run here: this one does not begin before it. */
static bool is_overtaking(const struct search *s, uint32_t task, unsigned worker, double begin)
{
	const struct bound_record *r = s->p->r;
	for (uint32_t i = 0; r->prio && i < s->n; i++)
		if (!s->left[i] && r->task[i].priority > r->task[task].priority && kind_of(s, i) != BOUND_NOTHING &&
		    !isnan(bound_ms(s->p, kind_of(s, i), s->place_of[worker])) && s->ready[i] <= begin)
			return true;
	return false;
}

static void go_on(struct search *s, double last);

/* The task ends there; what waits for it alone is ready; further; and all of it back. */
static void place_and_go_on(struct search *s, uint32_t task, unsigned worker, double begin, double ms)
{
	const struct bound_problem *p = s->p;
	bool counts = kind_of(s, task) != BOUND_NOTHING;
	double free_before = counts ? s->free_at[worker] : 0, load = s->load, rest = s->rest;
	uint32_t n = p->first[task + 1] - p->first[task];
	double *were = malloc((n + 1) * sizeof *were);
	if (!were)
		return;
	s->end[task] = begin + ms;
	s->place[task] = counts ? (uint8_t)s->place_of[worker] : 0;
	s->left[task] = UINT32_MAX;
	if (counts) {
		s->free_at[worker] = begin + ms;
		s->load += begin + ms - free_before;
		s->rest -= bound_least(p, task);
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t b = p->behind[p->first[task] + i];
		were[i] = s->ready[b];
		s->left[b]--;
		s->ready[b] = fmax(s->ready[b], s->end[task]);
	}
	s->placed++;
	go_on(s, begin);
	s->placed--;
	for (uint32_t i = n; i-- > 0;) {
		uint32_t b = p->behind[p->first[task] + i];
		s->left[b]++;
		s->ready[b] = were[i];
	}
	s->left[task] = 0;
	if (counts)
		s->free_at[worker] = free_before;
	s->load = load;
	s->rest = rest;
	free(were);
}

static bool is_hopeless(const struct search *s, double end)
{
	double least = fmax(end, (s->load + s->rest) / (s->n_workers ? s->n_workers : 1));
	return least >= s->best * (1 - close_to);
}

static void try_workers(struct search *s, uint32_t task, double last)
{
	for (unsigned w = 0; w < s->n_workers; w++) {
		double ms = bound_ms(s->p, kind_of(s, task), s->place_of[w]);
		bool alike = false;
		for (unsigned v = 0; v < w && !alike; v++)
			alike = s->place_of[v] == s->place_of[w] && s->free_at[v] == s->free_at[w];
		if (isnan(ms) || alike)
			continue;
		double begin = when(s, task, w), tail = s->tail[task] - bound_least(s->p, task) + ms;
		if (begin < last || is_hopeless(s, begin + tail) || is_overtaking(s, task, w, begin))
			continue;
		place_and_go_on(s, task, w, begin, ms);
	}
}

/* Tasks of a kind that nothing tells apart are placed in their order. */
static bool is_twin(const struct search *s, uint32_t task)
{
	const struct bound_problem *p = s->p;
	for (uint32_t i = 0; i < task; i++)
		if (!s->left[i] && kind_of(s, i) == kind_of(s, task) && s->p->r->task[i].priority == p->r->task[task].priority &&
		    p->first[i] == p->first[i + 1] && p->first[task] == p->first[task + 1] &&
		    s->before_first[i] == s->before_first[i + 1] && s->before_first[task] == s->before_first[task + 1])
			return true;
	return false;
}

static void go_on(struct search *s, double last)
{
	double end = 0;
	if (s->steps++ > STEPS || s->best <= s->floor * (1 + close_to))
		return;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->left[i] == UINT32_MAX)
			end = fmax(end, s->end[i]);
		else
			end = fmax(end, s->ready[i] + s->tail[i]);
	if (s->placed == s->n) {
		s->best = fmin(s->best, end);
		return;
	}
	if (is_hopeless(s, end))
		return;
	for (uint32_t at = 0; at < s->n; at++) {
		uint32_t i = s->p->order[at];
		if (s->left[i] || is_twin(s, i))
			continue;
		if (kind_of(s, i) == BOUND_NOTHING) { /* at once, and once and for all */
			place_and_go_on(s, i, 0, fmax(s->ready[i], 0), 0);
			return;
		}
		try_workers(s, i, last);
	}
}

/* What each depends on, from what depends on each; and the longest way behind. */
static void set_up(struct search *s)
{
	const struct bound_problem *p = s->p;
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t b = p->first[i]; b < p->first[i + 1]; b++) {
			s->before_first[p->behind[b] + 2]++;
			s->left[p->behind[b]]++;
		}
	for (uint32_t i = 0; i < s->n; i++)
		s->before_first[i + 2] += s->before_first[i + 1];
	for (uint32_t i = 0; i < s->n; i++)
		for (uint32_t b = p->first[i]; b < p->first[i + 1]; b++) {
			uint32_t at = s->before_first[p->behind[b] + 1]++;
			s->before[at] = i;
			s->before_edge[at] = p->edge[b];
		}
	for (uint32_t at = s->n; at-- > 0;) {
		uint32_t i = p->order[at];
		double behind = 0;
		for (uint32_t b = p->first[i]; b < p->first[i + 1]; b++)
			behind = fmax(behind, s->tail[p->behind[b]]);
		s->tail[i] = bound_least(p, i) + behind;
		s->rest += bound_least(p, i);
	}
	for (unsigned w = 0; w < p->r->n_places; w++)
		for (unsigned i = 0; i < p->r->place[w].n && s->n_workers < STARPU_NMAXWORKERS; i++)
			s->place_of[s->n_workers++] = w;
}

double bound_best(const struct bound_problem *p, const struct bound_found *f, bool *proven)
{
	uint32_t n = p->r->n_tasks, edges = p->r->n_edges;
	struct search s = {.p = p, .n = n, .best = INFINITY, .floor = p->r->deps ? f->mixed : fmax(f->area, f->path)};
	double *numbers = calloc(3 * (size_t)n + 1, sizeof *numbers);
	uint32_t *counts = calloc(2 * (size_t)n + 2 * (size_t)edges + 4, sizeof *counts);
	s.place = calloc(n + 1, 1);
	*proven = false;
	if (numbers && counts && s.place && n <= MOST_TASKS) {
		s.tail = numbers;
		s.ready = numbers + n;
		s.end = numbers + 2 * n;
		s.left = counts;
		s.before_first = counts + n;
		s.before = s.before_first + n + 3;
		s.before_edge = s.before + edges;
		set_up(&s);
		go_on(&s, 0);
		*proven = s.steps <= STEPS && isfinite(s.best);
		if (isfinite(s.best) && s.best <= s.floor * (1 + close_to))
			*proven = true;
	}
	free(numbers);
	free(counts);
	free(s.place);
	return *proven ? s.best : s.floor;
}
