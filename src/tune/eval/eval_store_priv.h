/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the child share: eval_store.c (iterations, instances, processes), eval_event.c
 * (events into them), eval_compute.c (evaluation), eval_fold.c (folds of collectors, partial
 * results).
 */
#ifndef WEFT_TUNE_EVAL_STORE_PRIV_H
#define WEFT_TUNE_EVAL_STORE_PRIV_H

#include "eval_group.h"
#include "eval_work.h"
#include "fold.h"

enum { CLOSED_MAX = 64 };
enum { INSTANCE_FOLDED = 1, INSTANCE_COMPLETE = 2 }; /* it comes from a collector; it was complete there */

struct child_fold { /* the latest of a collector */
	uint32_t child;
	bool answered; /* since it was asked */
	struct fold fold;
};

struct iteration {
	int64_t number;
	void *iter;
	struct group *group; /* of each actor */
	bool open, ended, faulty;
	bool lacks;       /* events of it were lost, and it is evaluated all the same */
	bool asked, full; /* collectors were; for all that they have */
	double opened;    /* time of its first event; NAN: collectors have said it */
	struct weft_steps steps;
	WEFT_VEC(struct child_fold) folds;
};

struct process {
	int64_t id, in; /* in: the iteration that it is in, for the actor whose event begins iterations */
	uint32_t actor;
	bool alive;
};

struct order { /* the attributes that an event computes */
	uint32_t *attr, n;
};

struct store {
	struct weft_spec *s;
	struct store_host host;
	struct iteration open[EVAL_OPEN_MAX], *now; /* now: the one that is worked on */
	struct group *spare;                        /* of an iteration that is closed, for the next one; or NULL */
	void *param;
	int64_t closed[CLOSED_MAX], latest, counted; /* counted: of iterations without a number */
	unsigned n_closed;
	bool any, evaluated, depinics;
	bool sees_begins;  /* iterations begin with events that come here, not only to collectors */
	double time;       /* of the event that is worked on */
	double lost_until; /* some were lost; */
	uint64_t lost;     /* so many, */
	int64_t lost_by;   /* of this process */
	double *carried;   /* by variable: its value in the last event that had it; NaN: none had */
	WEFT_VEC(struct process) process;
	WEFT_VEC(size_t) vacant; /* places in process[] */
	struct weft_map process_by_id;
	struct order *order;
	struct answer *answer; /* room for one */
	WEFT_VEC(uint32_t) child;
	struct fold_number *number; /* partial results, and as the codes see them */
	struct tune_part *part;
	bool *part_bad;
};

/* -- eval_store.c -- */
struct answer *store_begin_answer(struct store *st, int kind);
void store_send_answer(struct store *st);
void store_answer_incomplete(struct store *st, struct iteration *it, const char *why, bool lost);
void store_lacks_memory(struct store *st);       /* a fault of the iteration that is worked on, or of none */
bool store_run(struct store *st, uint32_t code); /* false: a fault, which was answered */
void store_give_up(struct store *st, struct iteration *it, const char *why);
void store_give_up_lost(struct store *st, struct iteration *it, const char *why); /* as events were lost */
/*
 * Events of it may be missing: it is given up, unless the specification says that estimates will
 * do.
 */
void store_lose(struct store *st, struct iteration *it);
void store_close(struct store *st, struct iteration *it);
bool store_was_closed(const struct store *st, int64_t number);
struct iteration *store_find_open(struct store *st, int64_t number);
struct iteration *store_open_iteration(struct store *st, int64_t number);
void *store_instance(struct store *st, uint32_t actor, uint32_t i);
/* Whether an instance has finished the iteration; without a condition it always has. */
bool store_is_complete(struct store *st, uint32_t actor, uint32_t i);
struct process *store_find_process(struct store *st, int64_t id);
struct process *store_add_process(struct store *st, uint32_t actor, int64_t id); /* NULL: no memory */

/* -- eval_event.c -- */
void store_answer_late(struct store *st, uint32_t event, int64_t number);

/* -- eval_compute.c -- */
/* Evaluates it when all that it wants is there. It may be closed then. */
void store_finish_iteration(struct store *st, struct iteration *it);
/* Its end was seen; NAN: only collectors know when it was. */
void store_end_iteration(struct iteration *it, double time);
double store_number_at(const struct spec_attr *a, const char *at, uint32_t i); /* element i of an attribute */

/* -- eval_fold.c -- */
/*
 * Turns folds into instances and counts of the iteration. False: there are too many, and it was
 * given up.
 */
bool fold_apply(struct store *st, struct iteration *it);
/* Whether all collectors have said what they have; asks them. */
bool fold_all_in(struct store *st, struct iteration *it);
void fold_ask(struct store *st, struct iteration *it, bool full);
/* An event has passed that collector: its fold will follow. */
void fold_expect(struct iteration *it, uint32_t child);
/* Instances in the order of their first events. -ENOMEM. */
int fold_sort(struct store *st, struct iteration *it);
/* Partial results of all instances. */
void fold_parts(struct store *st, struct iteration *it);
/*
 * Whether partial results of this plan serve; and whether there are instances of which only those
 * are known.
 */
bool fold_parts_serve(const struct store *st, const struct spec_plan *p);
bool fold_hides(const struct iteration *it, uint32_t actor);

#endif
