/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A data handle: the order of its accesses, its interface, its copies, its claims, its parts.
 *
 *   line 1 struct rt_handle: read at submission
 *   line 2 `plain` and its neighbours: read when a task runs
 *   then all other fields
 *
 * While a handle's value is in main memory and only there, and no unusual access is open, `plain`
 * is its interface there, and running a task on a CPU is one load for each of its handles. Else
 * `plain` is NULL and rt_data_fetch() reads the replicas (one for each memory node, under
 * rt_data.lock), and the gate (claims that exclude each other, under rt_gate_lock).
 */
#ifndef WEFT_RUNTIME_DATA_HANDLE_H
#define WEFT_RUNTIME_DATA_HANDLE_H

#include "runtime/iface/dense.h"
#include "runtime/core/order.h"
#include <starpu.h>
#include <pthread.h>

/* A copy of the data in one memory node, or a worker's own buffer. */
struct rt_replica {
	void *interface;    /* of the handle's interface_size; always there */
	uint32_t pins;      /* jobs, acquisitions and transfers that use it now */
	bool allocated;     /* it has memory */
	bool ours;          /* allocated by us, so freed by us */
	bool valid;         /* it holds the value */
	bool foreign;       /* … in another kind of node's format: to be converted before it is used (multiformat) */
	bool loading;       /* a transfer into it is under way */
	uint32_t requested; /* prefetches and acquisitions that the movers have */
	uint64_t used;      /* when: rt_data.clock */
	size_t bytes;       /* as allocate_data_on_node said */
	struct rt_replica *newer, *older; /* of all with memory of ours on this node */
	struct _starpu_data_state *handle;
	unsigned node;
};

/* Claims on the handle: readers together, a writer alone, in order of arrival. */
struct rt_claim;
struct rt_gate {
	uint32_t readers;
	bool writer;
	struct weft_atomic_bool watched; /* every access passes here, not only the unusual ones */
	struct rt_claim *first, *last;   /* claims that this handle blocks */
	struct rt_refs runners;          /* jobs that were running past the gate when the watch began */
	struct rt_refs outside;          /* jobs for which it is watched; finished ones are removed when there is no room */
	uint32_t beyond;                 /* claims of jobs that are done */
	uint32_t quiet;                  /* claims that left since the last of these was done */
};

/* A way of cutting a handle into parts that tasks may use by turns. */
enum rt_plan_state {
	RT_PLAN_OFF,  /* tasks use the whole */
	RT_PLAN_READ, /* tasks read the whole and the parts */
	RT_PLAN_WRITE /* tasks use the parts */
};
struct rt_plan {
	struct rt_plan *next; /* of the parent */
	starpu_data_handle_t parent;
	enum rt_plan_state state; /* as far as tasks are submitted */
	unsigned n;
	starpu_data_handle_t part[];
};

struct _starpu_data_state {
	struct rt_handle order;
	_Alignas(64) struct weft_atomic_ptr plain;
	struct starpu_data_interface_ops *ops;
	struct rt_replica *replica; /* [STARPU_MAXNODES] */
	struct rt_gate gate;
	struct rt_replica **own; /* [STARPU_NMAXWORKERS] for STARPU_SCRATCH and STARPU_REDUX; NULL until the first */
	int home;                /* memory node, or -1 */
	uint32_t footprint;
	uint32_t writing;            /* number of users that write a replica now */
	uint32_t moves;              /* prefetches that are queued, and evictions: it is not destroyed meanwhile */
	bool initialized;            /* has a value: home memory, or written once */
	bool leaving;                /* unregistering has begun */
	struct weft_atomic_u32 told; /* to the trace: data_trace.h */
	struct rt_measure {          /* recorded at each access: written while the handle is described */
		size_t key[RT_DENSE_KEY];
		size_t bytes;
		uint32_t footprint; /* with the interface's number */
	} measure;
	bool ooc, important, wont_use;
	uint32_t wt_mask;
	int gathering_node; /* the node for its value when parts of a plan are gathered, or -1 */

	starpu_data_handle_t root, parent;
	starpu_data_handle_t *child; /* of starpu_data_partition */
	unsigned n_children, index, depth;
	struct rt_plan *plans, *part_of; /* part_of: of the parent, when this is a part of a plan */

	struct starpu_codelet *redux_cl, *init_cl;
	struct weft_atomic_bool begins; /* before the first read, in the order, init_cl runs (redux.h) */
	void *redux_arg, *init_arg;
	starpu_data_handle_t redux_scratch;
	struct starpu_arbiter *arbiter;

	/* Read-only duplicates (duplicate.c), with rt_data.lock. */
	starpu_data_handle_t duplicate, duplicate_of; /* of the value that this one had; whose: while both are there */
	unsigned n_duplicates;                        /* this is one, with so many references */
	rt_ref duplicated;                            /* the value: rt_handle_version */

	struct rt_access_counts *counts; /* data_stats.c; of each memory node, or NULL */
	struct rt_acquired *acquired;    /* by the application, now */
	void *user_data, *sched_data;
	char *name;
	unsigned dimensions;
	int coordinates[8];
	struct _starpu_data_state *next, *before; /* of all handles */
	void *interfaces;
};

/* Handles are passed to the order as their first member. */
static inline struct _starpu_data_state *rt_handle_of(struct rt_handle *h)
{
	return (struct _starpu_data_state *)(void *)h;
}

#endif
