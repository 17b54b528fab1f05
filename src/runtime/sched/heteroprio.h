/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heteroprio: tasks lie in buckets, and each kind of worker has an order of its own in which it
 * looks at them.
 *
 *     bucket: by the task's priority; or automatically, one for each codelet (heteroprio_auto.c)
 *     in a bucket: one list, or one for each memory node, so that tasks run where their data is (heteroprio_place.c)
 *
 * A bucket may name the kind that is fastest at it: slower kinds take from it only when there is
 * more in it than the fast ones have at once, by the factor that they are slower.
 */
#ifndef WEFT_RUNTIME_SCHED_HETEROPRIO_H
#define WEFT_RUNTIME_SCHED_HETEROPRIO_H

#include "policies.h"
#include <starpu_heteroprio.h>

/* The last one: of tasks that their group's fastest kind cannot run; all workers poll it first. */
enum { HP_BUCKETS = STARPU_HETEROPRIO_MAX_PRIO, HP_ODD = HP_BUCKETS };

struct hp_bucket {
	struct starpu_task_list tasks[STARPU_MAXNODES]; /* by node, when locality counts; else all in the first */
	unsigned n;
	bool has_fastest;
	enum starpu_worker_archtype fastest;
	float slower[STARPU_NARCH];
};
struct hp_kind {
	unsigned n, order[HP_BUCKETS], workers;
	unsigned near; /* number of memory nodes that are polled before the others */
	unsigned step; /* number of buckets of one node before the next node's */
};
struct hp_auto;
struct hp_place;
struct hp {
	pthread_mutex_t lock; /* of all below */
	struct hp_bucket bucket[HP_BUCKETS + 1];
	struct hp_kind kind[STARPU_NARCH];
	unsigned n_kinds_set;
	bool local;
	struct hp_place *place;    /* owned */
	struct hp_auto *by_itself; /* owned; NULL: buckets are the program's priorities */
};

/* -- placement -- */
struct hp_place *hp_place_new(void);
/* The memory node. With the lock, as all that follows. */
unsigned hp_place_choose(struct hp_place *p, struct starpu_task *t);
void hp_place_ran(struct hp_place *p, struct starpu_task *t, unsigned worker); /* a worker takes it: counts bytes to be moved */

/* -- buckets and orders that find themselves -- */
struct hp_auto *hp_auto_new(void);                          /* with what earlier runs have gathered */
void hp_auto_free(struct hp_auto *a);                       /* which is kept */
unsigned hp_auto_push(struct hp *h, struct starpu_task *t); /* its bucket; at times, orders are found anew */
void hp_auto_ran(struct hp_auto *a, struct starpu_task *t, enum starpu_worker_archtype kind, double us);

#endif
