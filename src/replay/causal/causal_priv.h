/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share: roles of regions, what a thread's walk leaves behind. */
#ifndef WEFT_CAUSAL_PRIV_H
#define WEFT_CAUSAL_PRIV_H

#include "causal.h"
#include "tasks/tasks_roles.h"

enum causal_role {
	CAUSAL_OWN,       /* the program's, or a call that waits for nobody here */
	CAUSAL_COMPUTES,  /* says that it runs */
	CAUSAL_MPI,       /* a call of MPI */
	CAUSAL_MPI_PROBE, /* that waits for the message which is received next */
	CAUSAL_MPI_SEND,  /* that may wait for its receiver */
	CAUSAL_MPI_SSEND, /* that does */
	CAUSAL_MPI_ISEND, /* that is ended by another */
	CAUSAL_MPI_WAIT,  /* ends one of those */
	CAUSAL_MPI_MEETS, /* all come to it, though no communicator is recorded */
	CAUSAL_MPI_WAITALL,
	CAUSAL_MPI_INIT,
	CAUSAL_MPI_END,
	CAUSAL_COMMUNICATES, /* a region of the program's that says so */
	CAUSAL_WAITS,        /* likewise */
	CAUSAL_INPUT,        /* for what comes from outside */
	CAUSAL_OMP_PARALLEL,
	CAUSAL_OMP_PART,
	CAUSAL_OMP_JOIN,
	CAUSAL_OMP_IDLE,
	CAUSAL_OMP_BARRIER,
	CAUSAL_OMP_LOOP,
	CAUSAL_OMP_CHUNK,
	CAUSAL_OMP_LOCK_WAIT,
	CAUSAL_OMP_LOCK,
	CAUSAL_OMP_TASK,
	CAUSAL_OMP_DRAIN,
	CAUSAL_OMP_OWN, /* making, handing out */
	CAUSAL_LOCK,
	CAUSAL_BARRIER,
	CAUSAL_WOKEN, /* condition variables, semaphores, joins: an arrow ends where they do */
	CAUSAL_TASK,  /* of the task runtime */
	CAUSAL_DRAIN,
	CAUSAL_SLEEPING,
	CAUSAL_RUNTIME, /* what else the runtime does */
	CAUSAL_ROLES
};

enum {
	CAUSAL_POINT_NONE,
	CAUSAL_POINT_TAKEN,
	CAUSAL_POINT_RELEASED,
	CAUSAL_POINT_REGION,
	CAUSAL_POINT_COMM,
	CAUSAL_POINT_ROOT,
	CAUSAL_POINT_ATTR
};
enum { CAUSAL_ATTR_NONE, CAUSAL_ATTR_TEAM, CAUSAL_ATTR_LOCK, CAUSAL_ATTR_HOLDER, CAUSAL_ATTR_ADDRESS, CAUSAL_ATTR_ITERATIONS };
enum { CAUSAL_FLOW_OTHER, CAUSAL_FLOW_OMP_TASK, CAUSAL_FLOW_TASK, CAUSAL_FLOW_DATA };

enum { CAUSAL_PARALLEL_CODE = 60000001 }; /* Extrae's type of parallel regions */
struct causal_names {
	struct weft_causal_region *region; /* of the trace first, then those of labels */
	uint32_t n_regions, cap_regions;
	uint8_t *point, *attr, *flow; /* by id */
	uint8_t *flat;                /* of a type: a value ends the one before; else they lie in each other */
	uint32_t *first_label;        /* of a type: its first region */
	bool *collective;             /* region: a call that all ranks of a communicator make; for traces without such events */
	uint32_t *lock_of;            /* region -> region that names its lock */
};

struct causal_join {
	uint64_t key;
	uint64_t begin, end; /* end 0: the name says which meeting it is, else the time does, too */
	uint32_t node;
	int32_t root; /* world rank, -1: by is_root */
	uint8_t pattern, why, is_root, awaits;
};
struct causal_named { /* a lock or a pool, by what it is called */
	uint64_t key, address;
	uint32_t region;
};
struct causal_held { /* who had the lock that a node waits for, as the kernel calls it */
	int64_t tid;
	uint32_t node;
};
struct causal_out { /* of one thread; numbers of nodes, parts, links, paths are its own */
	WEFT_VEC(struct weft_causal_node) node;
	WEFT_VEC(struct weft_causal_part) part;
	WEFT_VEC(struct weft_causal_link) link;
	WEFT_VEC(struct weft_causal_path) path;
	WEFT_VEC(struct causal_join) join;
	WEFT_VEC(struct causal_named) named;
	WEFT_VEC(struct causal_held) held;
	uint64_t begin, end, n_events;
	bool told;         /* anything but that it was there */
	bool mpi;          /* it has called MPI */
	uint32_t *path_to; /* -> the model's */
};

struct causal_opens { /* when a process's first thread began parallel regions */
	uint64_t *at;
	size_t n, cap;
};
struct causal_load {
	const struct weft_trace *trace;
	const struct causal_names *names;
	struct causal_out *out; /* of each thread of the model */
	struct weft_causal *model;
	struct causal_opens *opens; /* of each process, for traces that do not number their teams; NULL: none */
};

int causal_names_init(struct causal_names *n, const struct weft_trace *t, struct weft_causal *model) WEFT_MUST_CHECK;
void causal_names_fini(struct causal_names *n);
int causal_find_opens(struct causal_load *l) WEFT_MUST_CHECK;
void causal_free_opens(struct causal_load *l);
int causal_walk(const struct causal_load *l, uint32_t thread, struct causal_out *out) WEFT_MUST_CHECK;
int causal_gather(struct causal_load *l) WEFT_MUST_CHECK;  /* all threads' into the model */
int causal_resolve(struct causal_load *l) WEFT_MUST_CHECK; /* who is meant by links */
int causal_tasks(struct weft_causal *c) WEFT_MUST_CHECK;

static inline uint64_t causal_key(uint64_t kind, uint64_t a, uint64_t b, uint64_t c)
{
	return weft_hash_u64(weft_hash_u64(weft_hash_u64(a ^ kind << 56) + b) + c);
}

#endif
