/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The core of the runtime: workers, threads that submit, and how a job gets from one to the other.
 *
 *   rt_submit ── edges ──> waits in its predecessors ──(the last of them ends)──┐
 *        └── none ──> the submitter's queue ──(in batches)──> a worker's deque <─┴─ or the worker's next job at once
 *
 * Submitting never waits and never runs a job. A worker takes its next job from: the first that its last one released, its
 * deque, the queues of submitters, the deques of others. With nothing to do it spins for a while, then sleeps.
 *
 * A thread that is about to sleep says so and then issues a membarrier, so that whoever made work needs no fence to look.
 */
#ifndef WEFT_RUNTIME_CORE_H
#define WEFT_RUNTIME_CORE_H

#include "deque.h"
#include "inject.h"
#include "job.h"
#include "order.h"
#include <pthread.h>

enum { RT_WORKERS = 256 };

/* A thread that submits: one of the application's, or a worker. */
struct rt_submitter {
	struct rt_runtime *runtime;
	struct rt_submitter *next; /* of all; set once */
	struct rt_pool *pool;
	struct rt_worker *worker; /* NULL: of the application */
	struct rt_refs before;    /* what the task being submitted depends on */
	uint32_t order;
	struct weft_atomic_u64 submitted; /* by this thread; only it stores */
	struct rt_inject queue;
};

struct rt_worker {
	struct rt_runtime *runtime;
	struct rt_job *next; /* runs now */
	struct rt_job *kept; /* ready ones that the deque had no memory for, by next_free */
	struct rt_outbox outbox;
	uint32_t random;
	unsigned number;
	struct rt_submitter self;
	pthread_t thread;
	struct rt_deque deque;
	_Alignas(64) struct weft_atomic_u64 done; /* jobs that it has run; only it stores */
	_Alignas(64) struct weft_atomic_u32 wake; /* futex: 1 wakes it */
};

struct rt_runtime {
	uint64_t serial; /* of all that were */
	unsigned n_workers;
	uint64_t spin_ns;
	bool membarrier; /* the kernel has it; else there are fences */
	struct weft_atomic_bool stop;
	struct weft_atomic_ptr submitters; /* list of struct rt_submitter; only grows */
	_Alignas(64) struct weft_atomic_u32 n_asleep;
	struct weft_atomic_u64 asleep[RT_WORKERS / 64];
	struct weft_atomic_u32 n_waiting; /* threads in rt_wait_all */
	struct weft_atomic_u32 all_done;  /* futex: changes when all was done */
	struct rt_worker *worker;
};

struct rt_how {
	unsigned workers; /* at least 1 */
	const int *cpu;   /* of each worker, or -1; NULL: not bound */
	uint64_t spin_ns; /* before a worker sleeps */
};
int rt_begin(struct rt_runtime **out, const struct rt_how *how, struct weft_err *err) WEFT_MUST_CHECK;
void rt_end(struct rt_runtime *r); /* all submitted jobs must be done */

/* The calling thread as a submitter; made at its first call. NULL: no memory. */
struct rt_submitter *rt_self(struct rt_runtime *r);

/* An empty job of this thread, to be filled (body, arg, accesses) and submitted. NULL: no memory. */
static inline struct rt_job *rt_prepare(struct rt_submitter *s)
{
	struct rt_job *j = rt_job_new(s->pool);
	if (WEFT_LIKELY(j)) {
		j->n_accesses = 0;
		j->priority = 0;
		s->before.n = 0;
	}
	return j;
}
/* Between prepare and submit: the job runs after this one. 0 or -ENOMEM. */
static inline int rt_after(struct rt_submitter *s, rt_ref before)
{
	return rt_refs_add(&s->before, before);
}
/* 0 or -ENOMEM: then it is as if the job had never been. */
int rt_submit(struct rt_submitter *s, struct rt_job *j) WEFT_MUST_CHECK;

void rt_wait_all(struct rt_runtime *r);

/* core_sleep.c */
void rt_futex_wake(struct weft_atomic_u32 *word, int n);
void rt_wake_one(struct rt_runtime *r);
void rt_worker_sleep(struct rt_worker *w, bool (*any)(struct rt_worker *));
void rt_tell_waiters(struct rt_runtime *r);
static inline void rt_work_came(struct rt_runtime *r)
{
	/* relaxed: a sleeper's membarrier orders it behind the work that was stored before */
	if (WEFT_UNLIKELY(weft_load_relaxed_u32(&r->n_asleep)))
		rt_wake_one(r);
}

/* core_worker.c */
void *rt_worker_main(void *worker);
void rt_worker_take(struct rt_worker *w, struct rt_job *ready); /* became ready on this worker: runs next, or is kept */

#endif
