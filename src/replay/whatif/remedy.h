/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remedies: what one could do about a run, each with what it would bring. A row of a table says for each kind what it is called on the command line,
 * what it assumes, what it cannot know, how sure it is.
 */
#ifndef WEFT_REMEDY_H
#define WEFT_REMEDY_H

#include "whatif.h"

enum weft_remedy_kind {
	WEFT_REMEDY_BALANCE,
	WEFT_REMEDY_FASTER,
	WEFT_REMEDY_OVERLAP,
	WEFT_REMEDY_MERGE,
	WEFT_REMEDY_UNLOCK,
	WEFT_REMEDY_SCHEDULE,
	WEFT_REMEDY_TASK_SIZE,
	WEFT_REMEDY_IDEAL,
	WEFT_REMEDY_LATENCY,
	WEFT_REMEDY_BANDWIDTH,
	WEFT_REMEDY_WORKERS,
	WEFT_REMEDY_THREADS,
	WEFT_REMEDY_RANKS,
	WEFT_REMEDY_KINDS
};
/* How a gain counts when remedies are ranked. */
enum weft_remedy_sort {
	WEFT_REMEDY_WASTE,    /* takes away waiting */
	WEFT_REMEDY_HARDWARE, /* another machine */
	WEFT_REMEDY_WORK,     /* less work: counts beyond the work that it takes away */
	WEFT_REMEDY_MORE,     /* more threads, ranks, workers: counts beyond what they add */
};
struct weft_remedy_row {
	const char *option; /* "--balance" */
	enum weft_remedy_sort sort;
	double weight; /* of the gain, for the ranking */
	double doubt;  /* of the gain: the interval */
	const char *assumes, *unknown;
};
extern const struct weft_remedy_row weft_remedy_row[WEFT_REMEDY_KINDS];

struct weft_remedy {
	enum weft_remedy_kind kind;
	char what[200]; /* region, lock; "" for all */
	double factor;  /* times faster, of latency, tasks in one; of threads */
	struct weft_whatif_loop loop;
	uint32_t lock; /* WEFT_CAUSAL_NONE: by `what` */
};
struct weft_remedy_answer {
	struct weft_remedy remedy;
	char text[300];                /* for people */
	char option[300];              /* as one says it to `weft what-if` */
	uint64_t predicted;            /* ns */
	double gain, low, high, score; /* shares of the run's time */
	uint64_t forced;               /* nodes that nobody came for */
	uint64_t touched;              /* bursts, loops, messages, tasks that it changed; 0: there is nothing of the kind */
};
struct weft_remedies {
	const struct weft_causal *c;
	struct weft_whatif base;
	struct weft_whatif_net net;
	uint64_t measured, replayed, forced;
	uint32_t n_busy;   /* threads that compute */
	uint64_t *busy_ns; /* of each path, of all threads */
};

int weft_remedies_init(struct weft_remedies *r, const struct weft_causal *c) WEFT_MUST_CHECK;
void weft_remedies_fini(struct weft_remedies *r);
/* 0, -ENOENT: no region, lock or loop of that name. Safe from several threads. */
int weft_remedy_try(const struct weft_remedies *r, const struct weft_remedy *remedy,
                    struct weft_remedy_answer *out) WEFT_MUST_CHECK;
/* The usual ones for this run, tried on `threads` threads and ranked; *out is malloc'd. */
int weft_remedies_usual(const struct weft_remedies *r, unsigned threads, struct weft_remedy_answer **out,
                        uint32_t *n) WEFT_MUST_CHECK;
void weft_remedies_rank(struct weft_remedy_answer *at, uint32_t n);
const char *weft_remedy_lock_name(const struct weft_causal *c, uint32_t lock, char *out, size_t room); /* into out */

#endif
