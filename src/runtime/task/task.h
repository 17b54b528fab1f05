/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of codelets as jobs. A task has two bodies: the job, which the core works with, and struct
 * starpu_task, which exists when the program made it or when it is needed (rt_job_task).
 *
 *     job->upper = struct rt_upper: the codelet, the task if there is one, arguments of an inserted task
 *     task->starpu_private = struct rt_task: what a task keeps beyond one job (waiting, late dependencies, end dependencies)
 *
 * A plain task has no struct starpu_task, may run on any worker, and its body only calls the
 * function.
 */
#ifndef WEFT_RUNTIME_TASK_TASK_H
#define WEFT_RUNTIME_TASK_TASK_H

#include "machine.h"

enum rt_upper_bits {
	RT_U_FREE_ARG = 1,  /* cl_arg (job->arg) is freed at the end */
	RT_U_MADE_TASK = 2, /* `task` was made by rt_job_task: it goes with the job */
	RT_U_POPPED = 4,    /* a worker has it, and its first notification is done */
	RT_U_ENDING = 8,    /* the function has run, and the last end dependency is released */
	RT_U_NOWHERE = 16,  /* popped, and there is no function to run: until then, callbacks may still decide that */
	RT_U_TIMED = 32,    /* plain, while tasks are profiled: the instant of its submission */
};

struct rt_upper {
	struct starpu_codelet *cl;
	union {
		starpu_cpu_func_t func; /* plain: the function to call */
		uint64_t submitted_ns;
	};
	struct starpu_task *task; /* NULL: not needed yet */
	const char *name, *file;
	uint32_t arg_bytes;
	int32_t line;
	uint16_t ctx;     /* scheduling context */
	uint8_t impl;     /* that runs, or ran */
	uint8_t bits;     /* enum rt_upper_bits */
	uint16_t counted; /* the counting subscriber's word (count.h); 0: none */
};
_Static_assert(sizeof(struct rt_upper) <= sizeof((struct rt_job *)0)->upper, "the part fits the job");

static inline struct rt_upper *rt_upper(struct rt_job *j)
{
	return (struct rt_upper *)(void *)j->upper;
}

enum rt_task_state {
	RT_T_NEW,       /* made, perhaps with dependencies */
	RT_T_SUBMITTED, /* a job of it is under way */
	RT_T_DONE,      /* all of it, with its callback */
	RT_T_CALLBACK,  /* its turn is over, and its callback runs: which may submit it again */
	RT_T_STATE = 3,
	RT_T_WAITED = 4,  /* somebody waits */
	RT_T_DESTROY = 8, /* starpu_task_set_destroy: the last to finish destroys it */
};

struct rt_tag;

/* A predecessor, at each turn: the turn that follows the last one seen. */
struct rt_dep {
	struct rt_task *pred; /* held */
	uint32_t seen;
};

/* The state of a task beyond one job; made at the first need, freed by starpu_task_clean. */
struct rt_task {
	struct starpu_task *task;
	struct rt_job *job;           /* while NEW or SUBMITTED: made with the task, or at the first need */
	uint64_t job_of;              /* the runtime that it is of: its serial */
	rt_ref ref;                   /* of the job of the present or last turn; 0: it has had none */
	struct weft_atomic_u32 state; /* enum rt_task_state; a futex */
	struct weft_atomic_i32 ends;  /* number of conditions of its end: itself, end dependencies */
	struct rt_task *ends_with;    /* the task whose end waits for this turn; under `lock` */
	struct rt_dep *dep;           /* predecessors that the program declared, for all turns */
	uint32_t n_deps, cap_deps;
	struct rt_task *next_declared, *declared_before; /* list of all tasks with predecessors */
	uint32_t turns;                                  /* that are over; under `lock`, with `job`, `ref` and `named` */
	bool made_with_job;                              /* this is its first turn, and nobody else makes its job */
	bool named;                                      /* `ref` was given out: the job's dependents are to be released */
	struct weft_atomic_bool lock;                    /* held for an instant */
	struct weft_atomic_u32 holders;                  /* references: of its task and of dependents */
	bool gone;                                       /* its task is destroyed */
	struct rt_refs before;                           /* further predecessors of the next turn */
	struct rt_mask mask;                             /* workers that may run it */
	struct rt_tag *tag;                              /* of this turn */
	struct rt_tag *known_by; /* the tag whose task this is for the program, also when it has ended; under the tags' lock */
	bool embedded;           /* lies behind the task, in one piece of memory */
	bool plain;              /* of a plain codelet, and the task itself names no worker */
	bool announced;          /* "ready" has been notified */
	bool has_nodes;          /* dyn_nodes is ours, not the program's */
	bool has_impl;           /* `impl` was chosen: starpu_task_set_implementation */
	uint8_t impl;
	uint64_t number; /* starpu_task_get_job_id; 0: not queried yet. Under `lock` */
	struct weft_atomic_u64
		footprint; /* footprint of its data, from "ready" until its turn is over: 2^32 + footprint; 0: not computed */
	struct rt_worker *ran_on;
	uint64_t submitted_ns, began_ns;  /* while it is profiled; 0: it was not */
	struct weft_atomic_u64 pushed_ns; /* when the policy got it, stored by the giver, perhaps late */
	void *sched;                      /* the policy's */
	void *parallel;                   /* of parallel tasks: alias.c */
	struct starpu_task *alias_of;     /* a copy of a parallel task, for one of its workers */
};

/* Numbers from 1 on, given at the first query: rt_number_new() has no task. */
uint64_t rt_number_new(void);
uint64_t rt_task_number(struct rt_task *own);
/* The private part of a task, made when there is none. NULL: no memory. */
struct rt_task *rt_task_of(struct starpu_task *t);
/* What starpu_task_destroy does to a task that is done. */
void rt_task_free(struct starpu_task *t);
/* Waits until the thread that ends it has finished: its callback, and setting it done. */
void rt_task_wait_callback(const struct rt_task *own);
/* dep.c: its turn is over: from now on it may have another. */
struct rt_over {
	struct rt_task *ends; /* the former `ends_with`, for rt_task_end_one */
	bool named;
};
struct rt_over rt_task_turn_over(struct rt_task *own);
/*
 * The reference for dependents on its turn number `turn`, or 0: that is over, or will not come. 0
 * or -ENOMEM.
 */
int rt_task_name(struct rt_task *own, uint32_t turn, rt_ref *out) WEFT_MUST_CHECK;
/* dep.c: waits on a worker, in a job that may (rt_may_wait), for a task that is submitted. */
void rt_task_wait_in_the_middle(struct rt_task *own);
/* Adds the predecessors of its next turn to `before`. 0 or -ENOMEM. */
int rt_task_take_deps(struct rt_task *own, struct rt_refs *before) WEFT_MUST_CHECK;
void rt_task_drop_deps(struct rt_task *own);
/* task.c: drops a reference. */
void rt_task_unref(struct rt_task *own);
void rt_task_lock(struct rt_task *own);
void rt_task_unlock(struct rt_task *own);
/* The task whose callback this thread runs, and whether the program has submitted it in there. */
struct rt_calling {
	struct starpu_task *task;
	bool again;
};
extern _Thread_local RT_NEAR struct rt_calling rt_calling;
/* Its job, made when there is none. NULL: no memory. */
struct rt_job *rt_task_prepare(struct rt_task *own);

/* The task whose callback is being called outside of it. */
extern _Thread_local RT_NEAR struct starpu_task *rt_speaks_of;
/* sync_task.c: the innermost starpu_iteration_push of this thread; -1: none. */
void rt_iteration_of(long out[2]);
/*
 * void (*)(unsigned long number, bool begins): callback at outermost iterations, by the submitting
 * thread. NULL: no subscriber.
 */
extern struct weft_atomic_ptr rt_iteration_watcher;
/*
 * The struct starpu_task of a job, made at need. Only by the job's owner: its worker, the policy.
 * NULL: no memory.
 */
struct starpu_task *rt_job_task(struct rt_job *j);
/* The job of a task that is submitted and not done. */
static inline struct rt_job *rt_task_job(const struct starpu_task *t)
{
	return ((const struct rt_task *)t->starpu_private)->job;
}

/* Of a task that is profiled. Not filled; the task's end takes it back. NULL: no memory. */
struct starpu_profiling_task_info *rt_task_info_new(struct rt_task *own);

/* ---- codelet.c: who may run what ---- */

enum rt_codelet_bits { RT_CL_CHECKED = 1, RT_CL_PLAIN = 2 }; /* in cl->checked, below rt_machine.codelets */
unsigned rt_codelet_check_slow(struct starpu_codelet *cl);
static inline unsigned rt_codelet_check(struct starpu_codelet *cl)
{
	unsigned checked = (unsigned)__atomic_load_n(&cl->checked, __ATOMIC_ACQUIRE);
	return WEFT_LIKELY(checked >> 2 == __atomic_load_n(&rt_machine.codelets, __ATOMIC_RELAXED) << 2 >> 2)
	               ? checked
	               : rt_codelet_check_slow(cl);
}
/*
 * The program set `checked` itself: the codelet may lie in read-only memory, and names its workers.
 */
static inline bool rt_codelet_is_constant(const struct starpu_codelet *cl)
{
	return __atomic_load_n(&cl->checked, __ATOMIC_RELAXED) == RT_CL_CHECKED; /* ours have a runtime's number above */
}
void rt_codelet_mask(struct starpu_codelet *cl, struct rt_mask *m);
/* Workers that may run the task in some implementation (can_execute not asked). */
void rt_task_mask(const struct starpu_task *t, struct rt_mask *m);
/* The first implementation in which this worker can run it, can_execute asked; or -1. */
int rt_task_can_run(struct starpu_task *t, unsigned worker);
/* One of these workers can. */
bool rt_task_has_place(struct starpu_task *t, const struct rt_mask *workers);
/* No function is called: a task without a codelet, or with STARPU_NOWHERE. */
static inline bool rt_task_runs_nowhere(const struct starpu_task *t)
{
	return !t->cl || t->where == STARPU_NOWHERE || (t->where < 0 && t->cl->where == STARPU_NOWHERE);
}
static inline bool rt_job_runs_nowhere(struct rt_job *j)
{
	return rt_upper(j)->task && rt_task_runs_nowhere(rt_upper(j)->task);
}

/* Its tasks that a worker has run: programs read it there. */
static inline unsigned long *rt_codelet_count(struct starpu_codelet *cl, unsigned worker)
{
	return &cl->per_worker_stats[worker];
}

/* dep.c: one condition of its end is met; any thread. */
void rt_task_end_one(struct rt_task *own);
/* dep.c: each task that has declared that it comes after this one, under a lock. */
void rt_task_each_declared(const struct rt_task *own, void (*each)(void *arg, struct starpu_task *behind), void *arg);

/*
 * wait.c: ends the program, in one line, where a task or a callback would have to wait that cannot
 * (rt_may_wait). 0; -EDEADLK: a worker's thread, between its tasks, as a program's own driver is.
 */
int rt_expect_wait(const char *function);
/*
 * wait.c: before a task is submitted from the application: waits while
 * STARPU_LIMIT_MAX_SUBMITTED_TASKS are under way.
 */
void rt_throttle(void);
extern struct weft_atomic_i32 rt_limit_max;

/* ---- worker_order.c ---- */

/* Tasks before this one on its worker have not run yet: it is kept until they have. */
bool rt_turn_is_to_come(struct rt_job *j);
/* The task has run; the job whose turn is next, if that is kept: it is to be placed. */
struct rt_job *rt_turn_was(const struct starpu_task *t);

/* ---- tag.c ---- */

/* The tags that this one was declared to depend on, as many as fit; their number. */
unsigned rt_tag_before(starpu_tag_t id, starpu_tag_t *out, unsigned room);
/* The task is submitted with its tag: adds the tag's predecessors to `before`. 0 or -ENOMEM. */
int rt_tag_submitted(struct rt_task *own, struct rt_refs *before) WEFT_MUST_CHECK;
/* The task is destroyed: no tag points to it any more. */
void rt_tag_forget(struct rt_task *own);
/* Its task is done: releases the tag's dependents. */
void rt_tag_done(struct rt_tag *tag);

#endif
