/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What if: the recorded run again, with other lengths. Each burst has a length, each node what it takes by itself (`own`) and what it takes from
 * when the last thing that it needs is there (`after`); who waits for whom is the recorded run's, but locks, which go to whom comes first.
 * Unchanged lengths give the recorded run, to the nanosecond, where everything that was waited for is known.
 *
 *     end of a node = max(its begin + own, when what it needs came + after)         begin = end of the one before + burst
 *
 * A remedy is a change of these lengths.
 */
#ifndef WEFT_WHATIF_H
#define WEFT_WHATIF_H

#include "replay/causal/causal.h"

enum { /* how a node is played */
       WEFT_WHATIF_AS_IT_WAS = 0,
       WEFT_WHATIF_NO_LOCK = 1, /* takes and frees no lock */
       WEFT_WHATIF_LATER = 2,   /* does not wait here, but at the next such node of its thread, or the next meeting */
       WEFT_WHATIF_FREE = 4,    /* waits for nobody */
       WEFT_WHATIF_SETTLES = 8, /* with LATER: what was put off before is waited for here */
};
struct weft_whatif {                 /* lengths, by node; owned */
	const struct weft_causal *c; /* borrowed */
	uint64_t *burst, *own, *after;
	uint64_t *start; /* of each thread: when it is there */
	uint8_t *mode;
};
struct weft_whatif_result {
	uint64_t end;        /* of the run, from its begin */
	uint64_t forced;     /* nodes that were let go on, since nobody would ever have come */
	uint64_t *thread_ns; /* of each thread; owned */
	uint64_t *node_end;  /* owned; only where asked for */
};

/* The recorded lengths. 0 or -ENOMEM. */
int weft_whatif_init(struct weft_whatif *w, const struct weft_causal *c) WEFT_MUST_CHECK;
int weft_whatif_copy(struct weft_whatif *to, const struct weft_whatif *from) WEFT_MUST_CHECK;
void weft_whatif_fini(struct weft_whatif *w);
int weft_whatif_run(const struct weft_whatif *w, bool nodes, struct weft_whatif_result *out) WEFT_MUST_CHECK;
void weft_whatif_result_fini(struct weft_whatif_result *r);

/* ---- changes; `regions`: of paths, NULL: all that computes ---- */

/* Paths of which some region matches a name or pattern: a bool each, malloc'd; NULL: no memory. *n: how many. */
bool *weft_whatif_paths(const struct weft_causal *c, const char *pattern, uint32_t *n);
void weft_whatif_faster(struct weft_whatif *w, const bool *paths, double times); /* bursts and calls in these paths */
/* Between two meetings each region takes the same time on all threads that are in it. */
int weft_whatif_balance(struct weft_whatif *w, const bool *paths) WEFT_MUST_CHECK;
struct weft_whatif_net {
	double latency_ns, ns_per_byte; /* as messages show them */
	uint64_t n;                     /* messages that it was taken from */
};
struct weft_whatif_net weft_whatif_network(const struct weft_causal *c);
void weft_whatif_ideal(struct weft_whatif *w); /* calls of MPI take no time */
/* Messages and collectives take latency and size's time by these factors (0.5: half). */
void weft_whatif_net(struct weft_whatif *w, const struct weft_whatif_net *net, double latency, double per_byte);
void weft_whatif_overlap(struct weft_whatif *w, const bool *paths); /* NULL: all messages */
void weft_whatif_merge(struct weft_whatif *w, const struct weft_whatif_net *net, uint64_t *n_merged);
void weft_whatif_unlock(struct weft_whatif *w, uint32_t lock); /* WEFT_CAUSAL_NONE: all */
void weft_whatif_share(struct weft_whatif *w,
                       double factor); /* what threads and ranks do in parallel takes `factor` of its time */

enum weft_whatif_schedule { WEFT_WHATIF_STATIC, WEFT_WHATIF_DYNAMIC, WEFT_WHATIF_GUIDED };
struct weft_whatif_loop {
	enum weft_whatif_schedule schedule;
	uint64_t chunk;     /* iterations; 0: static: one piece for each thread, dynamic and guided: 1 */
	uint32_t n_threads; /* 0: those that were */
	uint32_t region;    /* of the model; WEFT_CAUSAL_NONE: all */
};
/* Chunks that were recorded are handed out anew; *n_loops: how many were. */
int weft_whatif_loops(struct weft_whatif *w, const struct weft_whatif_loop *how, uint64_t *n_loops) WEFT_MUST_CHECK;

/* ---- tasks, of the runtime or of OpenMP: a list scheduler over the recorded graph ---- */

struct weft_whatif_tasks {
	uint32_t workers; /* 0: as many as there were */
	double merge;     /* 2: two tasks in one; 0.5: each in two; 1 */
};
/* How much shorter (or longer, negative) the stretch with tasks gets, in ns; .forced tasks that could not be placed. */
struct weft_whatif_task_answer {
	uint64_t recorded, as_replayed, changed; /* ns from the first submission to the last end */
	uint64_t n_tasks, work, overhead;
	uint32_t workers;
};
bool weft_whatif_has_tasks(const struct weft_causal *c);
int weft_whatif_play_tasks(const struct weft_causal *c, const struct weft_whatif_tasks *how,
                           struct weft_whatif_task_answer *out) WEFT_MUST_CHECK;

#endif
