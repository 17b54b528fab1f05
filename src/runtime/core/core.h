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
 * Jobs whose priority is not 0 may have queues of their own (enum rt_prios): the urgent are looked for before all else, those
 * that can wait when there is nothing else. Nobody looks at them before the first such job.
 *
 * A thread that is about to sleep says so and then issues a membarrier, so that whoever made work needs no fence to look.
 */
#ifndef WEFT_RUNTIME_CORE_H
#define WEFT_RUNTIME_CORE_H

#include "deque.h"
#include "inject.h"
#include "job.h"
#include "order.h"
#include "prio.h"
#include "simulator.h"
#include <pthread.h>

enum { RT_WORKERS = 256 };
/* Of a thread's own variables that are read for every task: not through a call. */
#define RT_NEAR __attribute__((tls_model("initial-exec")))

/*
 * What the layers above do for the core: run/place.c fills it, and rt_begin gets it. Each may be NULL; none is asked about jobs that
 * are not placed.
 */
struct rt_sched_hooks {
	/* A placed job has become ready on this thread: it is to go where it shall run (rt_again, or a queue that `take` looks at). */
	void (*ready)(struct rt_submitter *s, struct rt_job *j);
	/* The worker's next placed job; NULL: none. */
	struct rt_job *(*take)(struct rt_worker *w);
	/* There is something for `take`: the worker shall not sleep. Whoever makes it true calls rt_work_came or rt_wake. */
	bool (*any)(struct rt_worker *w);
	/* On the worker's thread, before its first job and after its last. */
	void (*begin)(struct rt_worker *w);
	void (*end)(struct rt_worker *w);
	/* With RT_ASK_PROGRESS: between jobs, and when there is none. */
	void (*progress)(bool idle);
	/* Between jobs of a worker that RT_W_POLLS. True: something is on its way, it shall not sleep. */
	bool (*poll)(struct rt_worker *w);
	/* Before a worker sleeps (true), and when it has woken. */
	void (*sleeps)(struct rt_worker *w, bool begins);
	/* From when a worker finds no job until it has one, or gives up. */
	void (*idles)(struct rt_worker *w, bool begins);
};

enum rt_worker_traits {
	RT_W_ONLY_PLACED = 1, /* runs only jobs that are placed on it: a device */
	RT_W_APPLICATION = 2, /* the application calls rt_worker_enter, _step and _leave: no thread is made */
	RT_W_POLLS = 4,
};

enum { RT_NOWHERE = -1 };

/* A thread that submits: one of the application's, or a worker. */
struct rt_submitter {
	struct rt_runtime *runtime;
	struct rt_submitter *next; /* of all; set once */
	struct rt_pool *pool;
	struct rt_worker *worker;    /* NULL: of the application */
	struct weft_atomic_u32 held; /* of the application: by whom, core.c; without its thread, the next thread takes it */
	struct weft_atomic_i32 cpu;  /* where it submits, of the application; RT_NOWHERE: it does not, or waits */
	/* What it writes for each job, apart from what idle workers look at. */
	_Alignas(64) struct rt_refs before; /* what the task being submitted depends on */
	uint32_t order;
	struct weft_atomic_u64 submitted; /* by this thread; only it stores */
	struct weft_atomic_u64 finished;  /* by this thread, of the application, with rt_finish; only it stores */
	uint32_t prio_turn;               /* whose queue gets its next job with a priority */
	uint32_t in_vain;                 /* waits since it last was right not to sleep; core_sleep.c */
	struct rt_inject queue;
	/* Of the trace in detail (life_detail.h); only it stores. */
	struct weft_atomic_u64 readied; /* jobs that this thread has made ready */
	struct rt_trace_count {
		uint32_t skip; /* so many changes are not recorded */
		bool owes;     /* the last one was not */
	} ready_count, unfinished_count;
};

/* A worker's way through a job, as the trace in detail has it: its overhead comes behind its body, or has begun with the body's end. */
enum rt_overhead { RT_OVERHEAD_NONE, RT_OVERHEAD_FOLLOWS, RT_OVERHEAD_BEGUN };

struct rt_worker {
	struct rt_runtime *runtime;
	struct rt_job *next;            /* runs now */
	struct rt_job *current;         /* that it is running, for rt_worker_current */
	unsigned traits;                /* enum rt_worker_traits */
	struct rt_job *kept;            /* ready ones that the deque had no memory for, by next_free */
	struct weft_atomic_bool barred; /* rt_worker_bar: it takes only what is placed on it, as long as this holds */
	unsigned node;                  /* the memory that it works in */
	struct rt_job *idle_current;    /* what `current` is while it looks for a job: NULL, or one that waits in the middle */
	struct weft_atomic_bool aside;  /* core_pause.c: it looks at `asks` before it takes another job */
	struct weft_atomic_bool flies;  /* something was on its way at its last poll; with RT_W_POLLS */
	struct {
		const struct rt_submitter *of;
		uint64_t submitted, done;
	} asked; /* core_worker.c: of the thread whose queue it looked at last */
	struct rt_outbox outbox;
	uint32_t random;
	unsigned number;
	struct rt_submitter self;
	pthread_t thread;
	struct rt_strand *strand; /* instead, in a runtime that is simulated */
	struct rt_deque deque;
	_Alignas(64) struct weft_atomic_u64 done; /* jobs that it has run; only it stores */
	struct weft_atomic_u64 began;             /* of those that were counted as ready; likewise */
	enum rt_overhead overhead;
	_Alignas(64) struct weft_atomic_u32 wake; /* futex: 1 wakes it */
	struct weft_atomic_u32 again; /* jobs that come back to this worker, by next_free: pushed by anybody, taken whole */
};

struct rt_runtime {
	uint64_t serial; /* of all that were */
	unsigned n_workers;
	uint64_t spin_ns;
	bool membarrier; /* the kernel has it; else there are fences */
	struct weft_atomic_bool stop;
	struct weft_atomic_ptr submitters;            /* list of struct rt_submitter; only grows */
	_Alignas(64) struct weft_atomic_u32 n_asleep; /* of those that run what is not placed */
	struct weft_atomic_u64 asleep[RT_WORKERS / 64];
	struct weft_atomic_u32 n_waiting; /* threads in rt_wait_all */
	struct weft_atomic_u32 all_done;  /* futex: changes when all was done */
	/* What every worker looks at between two jobs. */
	_Alignas(64) struct weft_atomic_u32 asks; /* enum rt_asks; a futex for those that pause */
	const struct rt_sched_hooks *hooks;
	struct rt_worker *worker;
	struct rt_prio *prio; /* n_prios of them */
	unsigned n_prios;
	bool prio_low;                           /* jobs below 0 are queued there, too */
	_Alignas(64) struct weft_atomic_u64 few; /* with RT_ASK_FEW: those who wait want to know when so few are left */
};

enum rt_asks {
	RT_ASK_PAUSE = 1,    /* take no more jobs */
	RT_ASK_FEW = 2,      /* somebody waits until few are left */
	RT_ASK_TAKE = 4,     /* hooks->take is to be asked */
	RT_ASK_PROGRESS = 8, /* hooks->progress is to be called */
	RT_ASK_PRIO = 16,    /* there was a job with a priority */
	RT_ASK_BAR = 32,     /* some worker is barred */
};

/* Where ready jobs go whose priority is not 0 (rt_prioritise). */
enum rt_prios {
	RT_PRIO_NONE,  /* where the others go */
	RT_PRIO_OWN,   /* each worker has a queue, at which others look when they have nothing */
	RT_PRIO_ONE,   /* one queue for all */
	RT_PRIO_FRONT, /* the same; those below 0 go where the others go */
};

struct rt_how {
	unsigned workers;      /* at least 1 */
	const int *cpu;        /* of each worker, or -1; NULL: not bound */
	uint64_t spin_ns;      /* before a worker sleeps */
	const uint8_t *traits; /* of each worker, or NULL */
	enum rt_prios prios;
	const struct rt_sched_hooks *hooks; /* for as long as the runtime lives, or NULL */
};
int rt_begin(struct rt_runtime **out, const struct rt_how *how, struct weft_err *err) WEFT_MUST_CHECK;
void rt_end(struct rt_runtime *r); /* all submitted jobs must be done */

/* The calling thread as a submitter; made at its first call. NULL: no memory. */
struct rt_submitter *rt_self(struct rt_runtime *r);
/* At the end of a strand that is no worker (simulator.h); nothing on a thread. */
void rt_strand_ends(void);
/* The same where it has submitted before; else NULL. */
struct rt_submitter *rt_self_known(const struct rt_runtime *r);

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
/* 0, -ENOMEM or what rt_order says: then it is as if the job had never been. */
int rt_submit(struct rt_submitter *s, struct rt_job *j) WEFT_MUST_CHECK;

/* A job that was prepared, and is not going to be submitted: nobody else may know it. */
void rt_forget(struct rt_submitter *s, struct rt_job *j);

/*
 * NULL, or an rt_told_fn that is told by the submitting thread what a job, or a relay (no body), is hung behind, before anybody else knows
 * the job: for displays, while somebody looks.
 */
typedef void rt_told_fn(struct rt_job *j, const struct rt_refs *before);
extern struct weft_atomic_ptr rt_told;

/*
 * For rt_order: a job behind `before` (used up) whose reference is `out` (0: it is done already). It does what the hook for
 * reductions of this handle says, or is a relay. 0 or -ENOMEM.
 */
int rt_submit_between(struct rt_submitter *s, struct rt_refs *before, struct rt_handle *reduces, rt_ref *out) WEFT_MUST_CHECK;

void rt_wait_all(struct rt_runtime *r);
void rt_wait_few(struct rt_runtime *r, uint64_t few);            /* until at most so many are not done */
uint64_t rt_unfinished(const struct rt_runtime *r);              /* jobs submitted and not done */
void rt_ask(struct rt_runtime *r, uint32_t set, uint32_t clear); /* enum rt_asks */
/* After RT_ASK_PAUSE: returns when no more job begins. Does not wait for those that run. Any thread, also in a job. */
void rt_wait_paused(struct rt_runtime *r);

/* The worker that the calling thread is, or NULL. */
struct rt_worker *rt_worker_self(void);

/* A worker that runs what is not placed; there is one. */
static inline struct rt_worker *rt_worker_of_all(const struct rt_runtime *r)
{
	struct rt_worker *w = r->worker;
	while (w->traits & RT_W_ONLY_PLACED)
		w++;
	return w;
}

/* For jobs whose body said RT_LATER; any thread. */
void rt_again(struct rt_worker *w, struct rt_job *j);   /* its body runs once more, on this worker */
void rt_finish(struct rt_runtime *r, struct rt_job *j); /* it is done: what waits for it is released */
/* Of a job that has begun and takes as long as the program likes: nobody waits for it from here on; and, before rt_finish, again. */
void rt_count_out(struct rt_runtime *r);
void rt_count_in(struct rt_runtime *r);
/* The two halves of ending a job, for bodies that do something between: they say RT_LATER. */
void rt_release(struct rt_worker *w, struct rt_job *j); /* what waits for it is released */
void rt_retire(struct rt_worker *w, struct rt_job *j);  /* it counts as done, and is somebody else's from now on */
/* A job without a body, of which the calling thread has released the last edge: is done at once. */
void rt_run_relay(struct rt_submitter *s, struct rt_job *j);
/* A job that became ready on the calling thread goes where that thread's ready jobs go; false: no memory. */
bool rt_make_ready(struct rt_submitter *s, struct rt_job *j);
/* The same to where those of its priority go; false: there is no such place. */
bool rt_prioritise(struct rt_submitter *s, struct rt_job *j);
uint64_t rt_prio_count(const struct rt_runtime *r); /* how many are there */

/* core_sleep.c */
void rt_futex_wait(struct weft_atomic_u32 *word, uint32_t while_it_is);
void rt_futex_wake(struct weft_atomic_u32 *word, int n);
/* The same by a thread of the application, which does not submit meanwhile. */
void rt_submitter_waits(const struct rt_runtime *r, struct weft_atomic_u32 *word, uint32_t while_it_is);
void rt_wake_one(struct rt_runtime *r);
void rt_wake(struct rt_worker *w);
/* Every running thread passes a barrier: what it stored before is seen now, or it sees what was stored before this. */
void rt_barrier_of_all(const struct rt_runtime *r);
void rt_worker_sleep(struct rt_worker *w, bool (*any)(struct rt_worker *));
void rt_tell_waiters(struct rt_runtime *r);
void rt_tell_few(struct rt_runtime *r);
static inline void rt_work_came(struct rt_runtime *r)
{
	/* relaxed: a sleeper's membarrier orders it behind the work that was stored before */
	if (WEFT_UNLIKELY(weft_load_relaxed_u32(&r->n_asleep)))
		rt_wake_one(r);
}

/* The worker says what it runs, and what it ran before; others may look (rt_worker_current), before a barrier or after it. */
static inline struct rt_job *rt_worker_set_current(struct rt_worker *w, struct rt_job *j)
{
	struct rt_job *outer = w->current;
	/* Release: of what it ran before. That what comes next stays behind it: rt_barrier_of_all, and the compiler's fence. */
	__atomic_store_n(&w->current, j, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return outer;
}
static inline struct rt_job *rt_worker_current(const struct rt_worker *w)
{
	return __atomic_load_n(&w->current, __ATOMIC_ACQUIRE);
}

/*
 * core_worker.c: a worker that takes only what is placed on it from now on, or no more; of those that run what is not placed, one at
 * least must not be barred. By one thread at a time.
 */
void rt_worker_bar(struct rt_worker *w, bool barred);
static inline bool rt_worker_is_placed_only(const struct rt_worker *w)
{
	return w->traits & RT_W_ONLY_PLACED || weft_load_relaxed_bool(&w->barred); /* relaxed: seen at one of the next jobs */
}

/*
 * core_pause.c: no worker runs a job, ends one, or waits for what a device has begun, at one and the same instant. What they have made
 * ready by then stands in the queues. Not while anybody pauses; by a thread that is no worker.
 */
bool rt_is_quiet(struct rt_runtime *r);

/* core_pause.c */
static inline bool rt_is_pausing(const struct rt_runtime *r)
{
	return WEFT_UNLIKELY(weft_load_u32(&r->asks) & RT_ASK_PAUSE);
}
/*
 * Around a wait for other threads by a worker that runs no job: who pauses does not wait for it. Behind it the worker itself waits
 * for the end of a pause.
 */
void rt_worker_aside(struct rt_worker *w);
void rt_worker_back(struct rt_worker *w);
/*
 * What `current` is from now on when the worker runs nothing; returns what it was before. Around rt_worker_pop and rt_worker_run
 * in the middle of a job, which look at rt_is_pausing between; and around jobs that do not say that they run.
 */
static inline struct rt_job *rt_worker_set_idle_current(struct rt_worker *w, struct rt_job *current)
{
	struct rt_job *before = w->idle_current;
	__atomic_store_n(&w->idle_current, current, __ATOMIC_RELEASE);
	/* Partner: the barrier in rt_wait_paused. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return before;
}

/* core_worker.c */
void rt_worker_enter(struct rt_worker *w);
bool rt_worker_step(struct rt_worker *w, bool wait); /* runs a job; false: there is none (wait: until the runtime ends) */
bool rt_worker_visit(struct rt_worker *w);           /* a step, without waiting, of a worker that the application runs */
void rt_worker_leave(struct rt_worker *w);
void rt_worker_main(struct rt_worker *w);                       /* until the runtime ends */
void rt_worker_take(struct rt_worker *w, struct rt_job *ready); /* became ready on this worker: runs next, or is kept */
void rt_worker_keep(struct rt_worker *w, struct rt_job *ready); /* the same, where others can steal it at once */
/* For jobs that help others while they wait: the newest job that this worker has and others may take; and running it. */
struct rt_job *rt_worker_pop(struct rt_worker *w);
void rt_worker_run(struct rt_worker *w, struct rt_job *j);

#endif
