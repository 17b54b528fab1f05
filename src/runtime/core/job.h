/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job: what the runtime makes of a task, and the edges between jobs.
 *
 * An edge lies in its *successor*, so that adding one allocates nothing: edge k of job j is the number 8 j + k, and all that it
 * needs is the number of the next edge of the same predecessor. A job's `succ` is the head of that list beside the job's `seq`:
 *
 *     pred->succ = seq:32 | first edge:32        edge e: job e/8, its edge_next[e%8] is the next edge of the list
 *
 * Whoever adds an edge swings `succ` from the seq that it knows; whoever finishes the job swaps in the next seq with an empty
 * list and releases what hung there. So a finished job takes no edge, and a reused one neither: (job, seq) names a job for as
 * long as one likes without holding it, and jobs are never counted. Sequence numbers come back after 2^32 reuses of one job.
 *
 * `pending` counts edges that are not released, and RT_GUARD while the job is being submitted; RT_PLACED in it says that the
 * job, when it is ready, does not go where ready jobs go but to the hook `ready` (core.h).
 */
#ifndef WEFT_RUNTIME_JOB_H
#define WEFT_RUNTIME_JOB_H

#include "base/atomic.h"
#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RT_EDGES = 8, RT_ACCESSES = 4 };
#define RT_GUARD (INT32_C(1) << 30)
#define RT_PLACED INT32_MIN

struct rt_job;
struct rt_worker;
struct rt_handle;

/*
 * What a job does; runs on a worker. RT_LATER: the job is not done, and from now on somebody else's, who makes it ready once more
 * (rt_again: its body runs again) or ends it (rt_finish), perhaps already has. RT_DONE_UNKNOWN: it is done, and nobody ever had its
 * reference, so that nothing hangs on it.
 *
 * NULL: a relay, which only passes edges on; when its `arg` is set, that points to a function that runs at once, on the thread
 * that released the last edge or submitted (w: NULL when that is no worker). It must be short and may not wait.
 */
enum rt_verdict { RT_DONE, RT_LATER, RT_DONE_UNKNOWN };
typedef enum rt_verdict rt_body(struct rt_job *job, struct rt_worker *w);
struct rt_at_once {
	rt_body *run;
};

/* The first two are the core's; the layers above have the others. READY: it counts as such in the trace (life_detail.h). */
enum rt_job_bits { RT_J_PLACED = 1, RT_J_READY = 2, RT_J_UPPER = 4 };

struct rt_job {
	/* What others write. */
	struct weft_atomic_u64 succ;
	struct weft_atomic_i32 pending;
	uint32_t self;                /* its number */
	uint32_t edge_next[RT_EDGES]; /* of the edges into this job */
	rt_body *body;
	void *arg;
	/* What the runner reads. */
	_Alignas(64) struct rt_handle *access[RT_ACCESSES];
	uint32_t mode[RT_ACCESSES];
	uint16_t n_accesses;
	uint16_t pool : 10; /* where it goes back to */
	uint16_t bits : 6;  /* enum rt_job_bits */
	int32_t priority;
	uint32_t next_free;
	uint32_t order; /* of submission */
	/* What few jobs have; the layers above say what it is. */
	_Alignas(64) uint64_t upper[7];
	void *data; /* of src/runtime/data, when RT_FETCHED is in the first mode */
};
_Static_assert(sizeof(struct rt_job) == 192, "three cache lines");

/*
 * Where the accesses of a job are that has more than RT_ACCESSES of them: its access[0] and access[1] point to handles and modes.
 * Up to RT_ACCESSES_BESIDE of them lie in a second job of the submitting thread's pool, in what a free one does not need; more in
 * memory of their own. The job owns either.
 */
enum { RT_ACCESSES_BESIDE = 8 };
_Static_assert(offsetof(struct rt_job, n_accesses) - offsetof(struct rt_job, edge_next) ==
                       RT_ACCESSES_BESIDE * (sizeof(struct rt_handle *) + sizeof(uint32_t)),
               "behind what names it, before the number of its pool");
#define RT_FETCHED (UINT32_C(1) << 31) /* in the mode of the first access: `data` is set */

static inline struct rt_handle **rt_job_handles(struct rt_job *j)
{
	return WEFT_LIKELY(j->n_accesses <= RT_ACCESSES) ? j->access : (struct rt_handle **)(void *)j->access[0];
}
static inline uint32_t *rt_job_modes(struct rt_job *j)
{
	return WEFT_LIKELY(j->n_accesses <= RT_ACCESSES) ? j->mode : (uint32_t *)(void *)j->access[1];
}

/* (job, seq) as one word; 0 names none. */
typedef uint64_t rt_ref;

extern struct rt_job *rt_jobs; /* the one array of all jobs; [0] is none */

static inline struct rt_job *rt_job_at(uint32_t number)
{
	return &rt_jobs[number];
}

static inline bool rt_ref_is_done(rt_ref ref)
{
	return (weft_load_u64(&rt_job_at((uint32_t)ref)->succ) ^ ref) >> 32;
}

/* By the submitter, before anybody else knows the job. */
static inline rt_ref rt_job_ref(const struct rt_job *j)
{
	/* relaxed: only the finishing of this very job changes seq */
	return (weft_load_relaxed_u64(&j->succ) & ~(uint64_t)UINT32_MAX) | j->self;
}

/* It is done, and nobody ever had its reference: no edge is released, none can be added meanwhile. */
static inline void rt_job_close_unknown(struct rt_job *j)
{
	/* relaxed: only we change it */
	weft_store_u64(&j->succ, ((weft_load_relaxed_u64(&j->succ) >> 32) + 1) << 32);
}

/* Makes edge k of `job` hang on `pred`. False: pred is done, there is no edge. */
static inline bool rt_edge_add(rt_ref pred, struct rt_job *job, unsigned k)
{
	struct rt_job *p = rt_job_at((uint32_t)pred);
	uint64_t seen = weft_load_u64(&p->succ);
	do {
		if ((seen ^ pred) >> 32)
			return false;
		job->edge_next[k] = (uint32_t)seen;
	} while (!weft_cas_u64(&p->succ, &seen, (seen & ~(uint64_t)UINT32_MAX) | (job->self * RT_EDGES + k)));
	return true;
}

/* ---- pools: where jobs come from ---- */

enum { RT_BATCH = 64, RT_POOLS = 1024 };

/* A pool belongs to one thread, which takes from it; any thread gives back, in chains. */
struct rt_pool {
	uint32_t free; /* a chain over next_free, of the owner */
	uint16_t number;
	_Alignas(64) struct weft_atomic_u32 returned; /* a chain, of others: pushed by them, taken whole */
};
/* What a thread has finished and not given back yet. */
struct rt_outbox {
	uint32_t first, last, n;
	uint16_t pool;
};

int rt_jobs_begin(struct weft_err *err) WEFT_MUST_CHECK; /* reserves the array; counted: each begin has its end */
void rt_jobs_end(void);
/* A pool for the calling thread, or NULL: there are RT_POOLS of them already. */
struct rt_pool *rt_pool_take(void);
void rt_pool_leave(struct rt_pool *p); /* the next who takes one gets its jobs */

/* Its lines come from the worker that had it while the one before it is filled: 70 to 270 ns, where two cores are far apart. */
static inline void rt_job_is_next(const struct rt_job *j)
{
	__builtin_prefetch(j, 1);
	__builtin_prefetch(&j->access, 1);
	__builtin_prefetch(&j->upper, 1);
}

struct rt_job *rt_job_new_slow(struct rt_pool *p);
/* A job whose succ, self and pool are set; NULL: no memory. */
static inline struct rt_job *rt_job_new(struct rt_pool *p)
{
	if (WEFT_UNLIKELY(!p->free))
		return rt_job_new_slow(p);
	struct rt_job *j = rt_job_at(p->free);
	p->free = j->next_free;
	rt_job_is_next(rt_job_at(p->free));
	j->bits = 0;
	return j;
}
/* By the pool's own thread: nobody else knows the job. */
static inline void rt_job_take_back(struct rt_pool *p, struct rt_job *j)
{
	j->next_free = p->free;
	p->free = j->self;
}
void rt_outbox_flush(struct rt_outbox *o);
/* The job is done and nobody has it any more. */
static inline void rt_job_free(struct rt_outbox *o, struct rt_job *j)
{
	if (WEFT_UNLIKELY(o->n == RT_BATCH || (o->n && o->pool != j->pool)))
		rt_outbox_flush(o);
	if (!o->n++) {
		o->last = j->self;
		o->pool = j->pool;
	}
	j->next_free = o->first;
	o->first = j->self;
}

/*
 * Room for n accesses in a job that is being prepared, by the thread whose pool this is, instead of what it has: sets n_accesses.
 * 0 or -ENOMEM: then it has none.
 */
int rt_job_make_room(struct rt_pool *p, struct rt_job *j, unsigned n) WEFT_MUST_CHECK;
/* At its end: the job that its accesses lie in, which is to be freed as well, or NULL. What was allocated for them is freed. */
struct rt_job *rt_job_leave_room(struct rt_job *j);

#endif
