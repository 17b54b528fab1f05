/* SPDX-License-Identifier: Apache-2.0 */
/*
 * StarPU's support for OpenMP over our jobs.
 *
 *     omp_region   a parallel region: its threads, its barrier, its loops        omp_thread  a thread of one, with its implicit task
 *     omp_task     a task, implicit or explicit: whose child, which ICVs, how many children
 *
 * A thread of a region is bound to one worker for as long as the region lasts, and its tasks never move once they have begun:
 * what waits does so by rt_waiter, on a stack of its own. A task without data is a job and one omp_task; a task with data goes
 * through starpu_task_submit as any other.
 *
 * `kids` of a task counts two things in one word, so that a child ends with one atomic operation: children that have not ended
 * (low half: what taskwait waits for), and children whose structs are still there (high half: those, and ended ones that have
 * children themselves; so 0 means that no descendant is left, which is what a barrier waits for).
 */
#ifndef WEFT_RUNTIME_OMP_H
#define WEFT_RUNTIME_OMP_H

#include "runtime/core/fiber.h"
#include "runtime/core/life_trace.h"
#include <starpu.h>
#include <starpu_openmp.h>

enum { OMP_LEVELS = 16 };

struct omp_icvs {
	int nthreads, default_device, max_active_levels, sched_modifier;
	uint8_t sched, dynamic, bind;
};

struct omp_group {                   /* a taskgroup */
	struct weft_atomic_u64 left; /* tasks, and one for who waits */
	struct rt_waiter *waiter;
	struct omp_group *outer;
};

struct omp_task {
	struct weft_atomic_u64 kids;
	struct omp_task *parent;   /* lives at least as long; NULL: the initial one */
	struct omp_thread *thread; /* that made it; from its begin on: that runs it */
	struct omp_group *group;   /* that it is a part of; NULL: none */
	struct omp_group *inner;   /* the innermost that it has begun itself */
	struct omp_group *waited;  /* with data and not deferred: what its parent waits for */
	void (*func)(void *buffers[], void *arg);
	void *arg;
	struct rt_waiter *waiter; /* while it waits for children */
	struct omp_icvs icvs;
	bool final, owns_arg, traced; /* traced: its region is open */
	struct omp_task *next_free;
	void (*opencl)(void *buffers[], void *arg);
};
/* Of `kids`. */
#define OMP_UNENDED UINT64_C(1)
#define OMP_LIVE (UINT64_C(1) << 32)
#define OMP_WAITS_UNENDED (UINT64_C(1) << 30)
#define OMP_WAITS_LIVE (UINT64_C(1) << 62)
#define OMP_ENDED (UINT64_C(1) << 63)
#define OMP_COUNT_UNENDED (OMP_WAITS_UNENDED - 1)
#define OMP_COUNT_LIVE ((OMP_WAITS_LIVE - 1) & ~UINT64_C(0xffffffff))

struct omp_loop {                   /* that threads share */
	uint64_t id, next, ordered; /* next: iteration to hand out; ordered: whose turn it is */
	unsigned left;              /* threads that are not through */
	struct rt_waiter *waiting;  /* for their turn */
	struct omp_loop *more;
};

struct omp_thread {
	struct omp_task task; /* the implicit one */
	struct omp_region *region;
	unsigned number;
	uint32_t singles; /* that it has come to */
	bool won_copy;    /* the single with copyprivate that it is in */
	uint64_t loops;
	struct omp_loop *loop;     /* the one that it is in */
	uint64_t at, end, ordered; /* in it: the next static chunk; the end of the chunk that it has; its ordered iteration */
};

struct omp_region {
	struct omp_region *outer;
	struct omp_task *parent;          /* that met it */
	unsigned n, level, active, first; /* first: thread 0 is on worker omp.worker[first], the others behind it */
	struct weft_atomic_u32 left;      /* threads, and one for who waits */
	struct rt_waiter *waiter;
	struct weft_atomic_u32 singles; /* that somebody has taken */
	struct weft_atomic_bool lock;   /* of what follows */
	unsigned arrived;
	struct rt_waiter *waiting; /* at the barrier */
	struct omp_loop *loops;
	void *copy; /* of copyprivate */
	struct omp_thread *thread;
	void (*func)(void *buffers[], void *arg);
	void *arg;
};

struct omp_lock { /* who waits, in order */
	struct weft_atomic_bool lock;
	bool taken;
	struct omp_task *owner;
	int depth;
	struct rt_waiter *first, **last;
};

/* What the whole process has, between starpu_omp_init and starpu_omp_shutdown. */
struct omp_global {
	struct rt_runtime *runtime;
	struct omp_icvs icvs;
	int levels[OMP_LEVELS], n_levels; /* OMP_NUM_THREADS */
	int procs, thread_limit, max_task_priority;
	bool cancellation;
	struct omp_region region; /* the initial one */
	struct omp_thread thread;
	struct starpu_arbiter *arbiter;
	int worker[STARPU_NMAXWORKERS]; /* CPU workers */
	int place[STARPU_NMAXWORKERS];  /* of each worker, among these; -1: it is a device */
};
extern struct omp_global omp;

/* omp_init.c */
struct omp_task *omp_current(void); /* of the calling thread */
void omp_set_current(struct omp_task *t);
void omp_must_run(const char *function); /* misuse, where nothing has begun */
_Noreturn void omp_no_memory(void);
void omp_read_environment(void);

/* Its region in a trace: a thread's, or an explicit task's. */
const char *omp_trace_name(const struct omp_task *t);

/* omp_region.c */
unsigned omp_threads_of(const struct omp_task *me, int wanted); /* of a region that it would meet; wanted: 0, or by its clause */
/* The thread of the region that this worker is; NULL: it belongs to none. Outside of all regions tasks are the initial thread's. */
static inline struct omp_thread *omp_thread_on(const struct omp_region *r, unsigned worker)
{
	if (WEFT_UNLIKELY(!r->outer))
		return &r->thread[0];
	int place = omp.place[worker], thread = place - (int)r->first;
	thread += thread < 0 ? omp.procs : 0;
	return place >= 0 && thread < (int)r->n ? &r->thread[thread] : NULL;
}
int omp_worker_of(const struct omp_region *r, unsigned thread);
void omp_spin_lock(struct weft_atomic_bool *lock);
void omp_spin_unlock(struct weft_atomic_bool *lock);
void omp_wait(struct rt_waiter *me); /* rt_wait_for, and is the current task again */
/* Puts the caller into a list under a lock that is held, lets the lock go, waits. */
void omp_wait_in(struct rt_waiter **list, struct weft_atomic_bool *lock);
void omp_go_on_all(struct rt_waiter *list);
struct omp_loop *omp_loop_enter(struct omp_thread *t);
void omp_loop_leave(struct omp_thread *t);

/* omp_task.c */
void omp_wait_for_children(struct omp_task *me);
void omp_wait_for_descendants(struct omp_task *me);
void omp_tasks_drop(void); /* what is kept for further tasks */

/* omp_data.c: a task with data, on a given CPU worker or (-1) any; `ended` is called when it has run */
int omp_submit_with_data(struct omp_task *t, const struct starpu_codelet *cl, starpu_data_handle_t *handles, int priority,
                         int worker, void (*ended)(void *task));
void omp_data_begin(void);
void omp_data_end(void);

/* omp_place.c */
void omp_places_begin(void);
void omp_places_end(void);

/* omp_lock.c */
void omp_locks_end(void);

#endif
