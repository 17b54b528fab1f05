/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least time that a set of tasks can take on this machine: what was recorded of them, and the bounds that follow from it.
 *
 *     tasks as they are submitted ─> record: kinds of tasks, dependencies ─> problem: how long each takes where, an order
 *                                       ├─> area: a linear program by kinds          ├─> critical path
 *                                       └─> both, mixed by turns                     └─> the optimum, by search, of few tasks
 *
 * Tasks of one codelet with the same footprint, that may run on the same workers, are one kind. So are workers of one device: all CPUs.
 */
#ifndef WEFT_RUNTIME_BOUND_H
#define WEFT_RUNTIME_BOUND_H

#include "lp/lp.h"
#include "runtime/task/task.h"
#include <starpu_bound.h>

extern const struct rt_layer rt_layer_bound;

enum { BOUND_PLACES = 32, BOUND_NOTHING = UINT32_MAX };

/* Workers that are alike. */
struct bound_place {
	unsigned n, first; /* how many, and one of them */
	unsigned node;
};
struct bound_kind {
	struct starpu_codelet *cl; /* to tell kinds apart only */
	struct starpu_perfmodel *model;
	uint32_t footprint, may; /* bits: places that may run it */
	char name[64];
	uint32_t index;                /* of the record's */
	unsigned n;                    /* tasks */
	double given_us[BOUND_PLACES]; /* sum over the tasks, of what a model without a history said; NaN: nothing */
	double ran_us[BOUND_PLACES];   /* sum, of this run */
	unsigned n_ran[BOUND_PLACES];
	struct bound_kind *next; /* of the same bucket */
};
struct bound_task {
	uint32_t kind; /* BOUND_NOTHING: it takes no time */
	int priority;
	char *name; /* owned */
};
struct bound_edge {
	uint32_t from, to;
	size_t bytes; /* that go from the one to the other */
};
struct bound_record {
	bool deps, prio;
	struct bound_place place[BOUND_PLACES];
	unsigned n_places;
	uint8_t place_of[STARPU_NMAXWORKERS];
	struct bound_kind **kind; /* owned, each */
	struct bound_task *task;
	struct bound_edge *edge;
	uint32_t n_kinds, n_tasks, n_edges, cap_kinds, cap_tasks, cap_edges;
	uint64_t began_ns, ended_ns; /* of the last task */
};
/* With bound_lock(). */
extern struct bound_record bound;
void bound_lock(void);
void bound_unlock(void);
void bound_record_start(bool deps, bool prio);
void bound_record_stop(void);
void bound_record_free(void);

/* ---- bound_problem.c ---- */

/* From the record, as models know now; times are milliseconds. */
struct bound_problem {
	const struct bound_record *r;
	double *ms;               /* [kind × places]; NaN: not there */
	double *least;            /* of each kind, anywhere */
	uint32_t *order;          /* of tasks: what they depend on stands before them */
	uint32_t *first, *behind; /* of each task, those that depend on it: behind[first[i] … first[i + 1]) */
	uint32_t *edge;           /* of each of these, its edge */
	unsigned n_workers;
};
int bound_problem_make(struct bound_problem *p) __attribute__((warn_unused_result)); /* 0 or -ENOMEM */
void bound_problem_free(struct bound_problem *p);
static inline double bound_ms(const struct bound_problem *p, uint32_t kind, unsigned place)
{
	return p->ms[(size_t)kind * p->r->n_places + place];
}
static inline double bound_least(const struct bound_problem *p, uint32_t task)
{
	return p->r->task[task].kind == BOUND_NOTHING ? 0 : p->least[p->r->task[task].kind];
}
/* The longest way; of_kind: how long a task of each kind takes. `path`, if any, gets how many of each kind are on it. */
double bound_longest(const struct bound_problem *p, const double *of_kind, uint32_t *path);
/* How long what goes along this edge takes from where the one runs to where the other does. */
double bound_transfer_ms(const struct bound_problem *p, uint32_t edge, unsigned from_place, unsigned to_place);

/* ---- bound_mixed.c ---- */

struct bound_found {
	double area, path, mixed; /* the last: at least both */
	double *share;            /* [kind × places] tasks, of the mix; owned; may be NULL */
};
int bound_find(const struct bound_problem *p, struct bound_found *f) __attribute__((warn_unused_result));

/* ---- bound_search.c: whole tasks ---- */

/* The best; `proven` says whether it is: else it is the greatest bound that was found in time, and never more than the best. */
double bound_best(const struct bound_problem *p, const struct bound_found *f, bool *proven);

/* ---- bound_program.c: for solvers ---- */

/* -E2BIG: too many tasks for a program that has a row for each two of them. */
int bound_program(const struct bound_problem *p, struct lp *l) __attribute__((warn_unused_result));

#endif
