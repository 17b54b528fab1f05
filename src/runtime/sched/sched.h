/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scheduling with struct starpu_task: contexts, policies, and the way of a task through them.
 *
 *     ready task ─> its context's policy: push_task ─┬─ starpu_push_local_task ─> a worker's list ─┐
 *                                                    └─ kept by the policy <── pop_task ───────────┴─> worker
 *
 * While there is one context and its policy is native, none of this runs: the core's loop schedules
 * jobs. `rt_machine.policy` is set when a policy that is not native, or a second context, comes;
 * from then on every task takes the way above.
 *
 * Lock order: a context's policy lock (the policy's own) → a worker's lock. No lock is held while
 * user code runs, but that a policy holds its own.
 */
#ifndef WEFT_RUNTIME_SCHED_H
#define WEFT_RUNTIME_SCHED_H

#include "runtime/task/machine.h"
#include "runtime/task/task.h"
#include "sched_queue.h"
#include <limits.h>
#include <string.h>

extern const struct rt_layer rt_layer_sched; /* after the machine's workers are known */

/* A lock that is held so briefly that spinning is cheaper than sleeping. */
void sched_short_lock(pthread_mutex_t *made);

/* -- policies -- */
struct sched_policy {
	struct starpu_sched_policy *policy;
	bool native; /* the core's loop does it when it is alone */
	enum rt_prios prios;
};
extern const struct sched_policy sched_policies[]; /* ends with a NULL policy; the first is the usual one */
/* By name; "" or NULL: the usual one. NULL: there is none of that name. */
const struct sched_policy *sched_policy_find(const char *name);
const struct sched_policy *sched_policy_or_usual(const char *name); /* that, and the list of known names, when it is unknown */
bool sched_policy_is_ours(const struct starpu_sched_policy *p);
void sched_policy_list(FILE *to);                               /* for people */
struct starpu_sched_policy *sched_lib_policy(const char *name); /* of STARPU_SCHED_LIB */

/* -- contexts -- */
/*
 * The workers of a context at some time; older lists stay until the context ends, as other threads
 * may still read them.
 */
struct sched_members {
	struct sched_members *older;
	unsigned n;
	int id[STARPU_NMAXWORKERS];
};
struct sched_ctx {
	bool used, closing;
	bool made;        /* its policy has begun. With the table's lock */
	unsigned held_by; /* references by calls of its policy from outside: it must stay. With the table's lock */
	unsigned id;
	char *name;                         /* owned */
	struct starpu_sched_policy *policy; /* NULL: a context without a scheduler */
	bool native;
	bool is_users; /* its policy is a program's, not one of ours */
	void *policy_data, *user_data;
	struct starpu_worker_collection *workers;
	struct weft_atomic_ptr members; /* struct sched_members: those of `workers`, for readers without a lock */
	int min_prio, max_prio;
	bool min_set, max_set;
	void (*callback)(unsigned ctx); /* the program's, for the policy */
	unsigned inheritor, level;
	int nested; /* in which context, or -1 */
	bool awake_workers;
	unsigned primary;
	void (*close)(unsigned ctx, void *arg);
	void *close_arg;
	struct starpu_task_list held; /* with lock: submitted while it had no workers */
	pthread_mutex_t lock;         /* of its workers and of done_cond */
	pthread_cond_t done_cond;
	struct weft_atomic_u64 submitted, done;
	struct weft_atomic_i32 ready;
	double ready_flops; /* with lock */
};
extern struct sched_ctx sched_ctxs[STARPU_NMAX_SCHED_CTXS];
static inline struct sched_ctx *sched_ctx(unsigned id)
{
	return id < STARPU_NMAX_SCHED_CTXS && sched_ctxs[id].used ? &sched_ctxs[id] : NULL;
}
static inline struct sched_members *sched_members(const struct sched_ctx *c)
{
	return weft_load_ptr(&c->members);
}
int sched_ctx_make(unsigned id, const char *name, const struct sched_policy *how) WEFT_MUST_CHECK;
void sched_outside_begin(void);            /* nothing is set outside of contexts */
void sched_ctx_begin(struct sched_ctx *c); /* it is made, with its policy and workers */
void sched_ctx_add(struct sched_ctx *c, const int *workers, unsigned n);
void sched_ctx_remove(struct sched_ctx *c, const int *workers, unsigned n);
void sched_ctx_unmake(struct sched_ctx *c);
/* Makes all tasks take the way through here. */
void sched_go_hooked(void);
/*
 * The same for context 0 when the core's loop has scheduled its tasks so far: it does it with a
 * policy as well.
 */
void sched_take_over(void);
/*
 * The context for a task that names none: the thread's, else that of the task that is running, else
 * 0.
 */
unsigned sched_ctx_now(void);
int sched_ctx_wait(unsigned ctx, unsigned few); /* until at most so many of its tasks are not done */
/* Counts ready tasks of a context. */
void sched_ctx_ready(struct sched_ctx *c, const struct starpu_task *t, int how_many);

/* A time in microseconds that one thread writes and others read. */
struct sched_instant {
	struct weft_atomic_u64 bits; /* of a double */
};
static inline double sched_instant(const struct sched_instant *i)
{
	uint64_t bits = weft_load_u64(&i->bits);
	double us;
	memcpy(&us, &bits, sizeof us);
	return us;
}
static inline void sched_instant_set(struct sched_instant *i, double us)
{
	uint64_t bits;
	memcpy(&bits, &us, sizeof bits);
	weft_store_u64(&i->bits, bits);
}

/* -- workers -- */
struct sched_worker {
	pthread_mutex_t lock;
	pthread_cond_t cond;               /* for programs that signal it: no thread waits here */
	struct starpu_st_prio_deque local; /* with lock: pushed to this worker */
	struct weft_atomic_u32 n_local;
	struct weft_atomic_bool poked;    /* pop may find something */
	struct weft_atomic_u32 ctxs;      /* bit set of contexts that it belongs to */
	struct weft_atomic_u32 member_of; /* the same, set before its policies know it */
	struct weft_atomic_u32 adopts;    /* 1 + the context that gets what it pops from the one around that; 0: none */
	struct weft_atomic_u32 asking;    /* 1 + the context whose policy it polls; 0: none */
	unsigned turn;                    /* the context that is polled first; only the worker */
	unsigned ctx_priority[STARPU_NMAX_SCHED_CTXS + 1]; /* the last: outside of contexts */
	struct sched_instant exp_end;                      /* of what it runs now */
	uint64_t began_ns;                                 /* only the worker */
};
extern struct sched_worker sched_workers[STARPU_NMAXWORKERS];
void sched_wake(unsigned worker);

/* The task of this worker's next turn, from its list, then from the policies of its contexts. */
struct starpu_task *sched_pop(unsigned worker);
void sched_push(struct starpu_task *t);
/*
 * A task of the policy whose worker has left: to the others, or held until the context has workers.
 */
void sched_push_again(struct starpu_task *t);

/* alias.c: a copy of a parallel task is pushed to a worker. */
int rt_alias_push(struct starpu_task *alias, int worker);

/* -- combined workers: numbers beyond those of workers -- */
void sched_combined_begin(void);
void sched_combined_end(void);
/* The calling worker's rank in the parallel task that it runs. */
struct sched_part {
	int id, size, rank; /* id -1: of none */
};
extern _Thread_local struct sched_part sched_part;

/*
 * The priority of held tasks, and of all that depends on them: the number of tasks on the longest
 * path behind each. None of them runs.
 */
void sched_rank(struct starpu_task_list *held);
/*
 * Each dependent of this task, which has not ended, and the number of its dependencies. By the
 * task's owner.
 */
void sched_each_behind(const struct starpu_task *t, void (*tell)(void *arg, const struct starpu_task *behind, unsigned waits_for),
                       void *arg);

/*
 * Parallel tasks (sched_party.c). The members of a combined worker meet: the first of them, rank 0,
 * gets the task as its own, the others wait for its data, run the function with it (STARPU_SPMD) or
 * only leave their processors to it (STARPU_FORKJOIN). Members of no combined worker (-1) leave
 * theirs to any task.
 */
int sched_party_push(struct starpu_task *t, int combined, const int *members, int size);
struct starpu_task *sched_party_take(unsigned worker); /* of rank 0; the others have done their part when this returns */
void sched_party_keeps_own(void); /* when the runtime begins: registers a strand's own variables (core/simulator.h) */
bool sched_party_any(unsigned worker);
bool sched_party_holds(unsigned worker);                             /* it takes part in one, and is not its first */
void sched_party_begins(struct starpu_task *t, struct rt_worker *w); /* rank 0 is about to run the function */
void sched_party_ends(const struct starpu_task *t, unsigned worker); /* it has; all others have when this returns */

#endif
