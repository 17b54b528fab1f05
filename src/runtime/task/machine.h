/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one runtime of the process, as StarPU's programs see it: which workers and memory nodes there
 * are. It is filled while starpu_init runs, by the drivers and the layers in their order, and only
 * read from then on.
 */
#ifndef WEFT_RUNTIME_TASK_MACHINE_H
#define WEFT_RUNTIME_TASK_MACHINE_H

#include "runtime/core/core.h"
#include <hwloc.h>
#include <starpu.h>

enum { RT_MASK_WORDS = (STARPU_NMAXWORKERS + 63) / 64 };

/* A set of workers. */
struct rt_mask {
	uint64_t word[RT_MASK_WORDS];
};
static inline bool rt_mask_has(const struct rt_mask *m, unsigned worker)
{
	return m->word[worker / 64] >> worker % 64 & 1;
}
static inline void rt_mask_add(struct rt_mask *m, unsigned worker)
{
	m->word[worker / 64] |= UINT64_C(1) << worker % 64;
}
static inline bool rt_mask_is_empty(const struct rt_mask *m)
{
	uint64_t any = 0;
	for (unsigned i = 0; i < RT_MASK_WORDS; i++)
		any |= m->word[i];
	return !any;
}
static inline bool rt_mask_equals(const struct rt_mask *a, const struct rt_mask *b)
{
	uint64_t differ = 0;
	for (unsigned i = 0; i < RT_MASK_WORDS; i++)
		differ |= a->word[i] ^ b->word[i];
	return !differ;
}

struct rt_driver;

struct rt_worker_info {
	const struct rt_driver *driver;
	enum starpu_worker_archtype arch;
	int devid;          /* of its kind: which device */
	int devnum;         /* its index within its kind */
	int subworker;      /* of its device */
	unsigned node;      /* memory that it works in */
	int pu;             /* logical index of the processing unit that it is bound to, or -1 */
	hwloc_cpuset_t set; /* the set it is bound to, or NULL; the machine owns it */
	char name[64];
	bool application;            /* the application drives it: no thread is made */
	struct weft_atomic_bool off; /* by a knob: it is spared as long as another that may run a task is on */
	void *state;                 /* the driver's */
};

struct rt_node_info {
	enum starpu_node_kind kind;
	int devid;
	int numa; /* os index of the NUMA node: of main memory as one, 0; or -1 */
	char name[64];
};

struct rt_machine {
	struct rt_runtime *core; /* NULL: not initialised */
	struct starpu_conf conf; /* the effective one: with the environment's */
	hwloc_topology_t topology;
	unsigned n_workers; /* the core may have one more, hidden from programs: where there is no CPU worker */
	struct rt_worker_info worker[STARPU_NMAXWORKERS];
	unsigned n_nodes; /* memory nodes; more may come while it runs (disks) */
	struct rt_node_info node[STARPU_MAXNODES];
	int main_pu;                        /* logical index of the unit of the thread that begins it, or -1 */
	bool binds;                         /* threads are bound: STARPU_WORKERS_NOBIND is not set */
	struct rt_mask all, cpus;           /* all workers; those of them that are CPUs */
	struct weft_atomic_u32 n_off;       /* how many workers are off */
	const struct rt_ctx_ops *ctx;       /* NULL: there is one scheduling context */
	uint32_t codelets;                  /* changes when results kept in codelets become invalid; never the same again */
	bool idle_functions;                /* STARPU_DISABLE_KERNELS: the functions of codelets are not called */
	bool tells_progress;                /* STARPU_TASK_PROGRESS: how many tasks are done */
	bool counts_accesses;               /* of data: each is looked at */
	bool counts_no_codelets;            /* STARPU_CODELET_PROFILING=0: per_worker_stats stays as it is */
	const struct rt_policy_ops *policy; /* NULL: native, the core's own loop schedules */
	enum rt_prios prios;                /* how that policy treats priorities */
	const char *synthetic;              /* the topology of a simulated machine; NULL: this one's */
	/*
	 * Kinds of workers beside those that it has functions for, which can run a codelet; NULL:
	 * none.
	 */
	uint32_t (*also_where)(const struct starpu_codelet *cl);
	void (*take_over)(void); /* from now on there is a policy: as the core's loop, for tasks */
	int (*cap_priority)(unsigned ctx,
	                    int priority); /* the priority of a submitted task; NULL: its own. Set while tasks run */
};
extern struct rt_machine rt_machine;

/* These may come, or go, while tasks run, when the first context is made. */
static inline const struct rt_policy_ops *rt_policy(void)
{
	return __atomic_load_n(&rt_machine.policy, __ATOMIC_ACQUIRE);
}
static inline int (*rt_cap_priority(void))(unsigned ctx, int priority)
{
	return __atomic_load_n(&rt_machine.cap_priority, __ATOMIC_ACQUIRE);
}
static inline const struct rt_ctx_ops *rt_ctxs(void)
{
	return __atomic_load_n(&rt_machine.ctx, __ATOMIC_ACQUIRE);
}

/*
 * The callbacks of a policy that is not native (all codelet tasks then are placed jobs). Like
 * rt_ctx_ops, they are filled by sched/, a layer above the callers, and installed only while the
 * core's loop does not schedule alone.
 */
struct rt_policy_ops {
	void (*ready)(struct rt_job *j);             /* on the thread that made it ready; wakes the worker that gets it */
	struct rt_job *(*take)(struct rt_worker *w); /* NULL: none */
	bool (*any)(struct rt_worker *w);            /* there may be one: the worker must not sleep */
	uint64_t (*count)(void);                     /* that were made ready and not taken */
	/*
	 * Around the function of a job, on its worker; and when a task was submitted, before it may
	 * be ready. Each may be NULL.
	 */
	void (*before)(struct rt_job *j, struct rt_worker *w);
	void (*after)(struct rt_job *j, struct rt_worker *w);
	void (*submitted)(struct rt_job *j);
};

/* Before waiting: policies that hold tasks back are notified that they may begin. */
static inline void rt_begin_held(void)
{
	if (rt_policy())
		starpu_do_schedule();
}

/* Scheduling contexts, once there are several. */
struct rt_ctx_ops {
	bool (*is_there)(unsigned ctx);
	unsigned (*current)(void);                             /* of tasks that the calling thread submits without saying where */
	void (*keep_workers)(unsigned ctx, struct rt_mask *m); /* takes away the workers that are not in it */
	void (*submitted)(unsigned ctx);
	void (*done)(unsigned ctx);              /* a task of it, on a worker */
	int (*wait)(unsigned ctx, unsigned few); /* until at most so many of its tasks are not done */
};

/* A part of the runtime with callbacks for begin and end; api/init.c lists them in their order. */
struct rt_layer {
	const char *name;
	/*
	 * The machine is known, workers do not run yet. 0, or negative and `err` says why. May be
	 * NULL, as the others.
	 */
	int (*begin)(struct rt_machine *m, struct weft_err *err);
	/* Workers run; the application has not continued yet. */
	int (*started)(struct rt_machine *m, struct weft_err *err);
	/* All tasks are done; workers still run. */
	void (*stopping)(struct rt_machine *m);
	/* Workers are gone. */
	void (*end)(struct rt_machine *m);
};

/*
 * worker_bind.c: the worker's thread is bound to the processing unit with this logical number, now.
 * 0; -EINVAL: there is none; -ENOTSUP: it has no thread of ours, or the system refuses. And: binds
 * the calling thread, which becomes this worker.
 */
int rt_worker_bind(unsigned worker, int pu) WEFT_MUST_CHECK;
void rt_worker_bind_self(unsigned worker);
static inline hwloc_const_cpuset_t rt_worker_set(const struct rt_worker_info *w)
{
	return __atomic_load_n(&w->set, __ATOMIC_ACQUIRE);
}
static inline int rt_worker_pu(const struct rt_worker_info *w)
{
	return __atomic_load_n(&w->pu, __ATOMIC_RELAXED); /* a number for messages only */
}

/*
 * trace_layer.c: records that the calling thread is this worker; and a memory node that was added
 * while the runtime runs.
 */
void rt_trace_worker(unsigned worker);
void rt_trace_node(unsigned node);

/* The number of the calling worker, or -1. */
static inline int rt_worker_number(void)
{
	struct rt_worker *w = rt_worker_self();
	return w ? (int)w->number : -1;
}

#endif
