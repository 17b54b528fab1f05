/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What had to wait for what in a recorded run: each thread as bursts of its own work with nodes between them, where it met others.
 *
 *   thread 0   ──burst──[send]──burst──[   barrier   ]──burst──•
 *                          ╲                 │
 *   thread 1   ──burst──[  recv  ]──────burst[barrier]──burst──•
 *
 * A node is an instant, or the stretch [begin, end] that its thread spent in a call that may wait. Its links say whom it met: messages,
 * meetings (collectives, barriers, teams), arrows, locks, tasks. From them follows its cause: the last thing it needed, where and when that came.
 * A burst is divided into parts by call path. All of a thread's time is in one burst or in one node.
 *
 * Read once, not changed afterwards. The critical path, wait states and what-if all stand on it.
 */
#ifndef WEFT_CAUSAL_H
#define WEFT_CAUSAL_H

#include "base/err.h"
#include "base/vec.h"
#include "tasks/task_table.h"
#include "trace/store/trace.h"

#define WEFT_CAUSAL_NONE UINT32_MAX

enum weft_causal_kind {
	WEFT_CAUSAL_POINT,   /* nobody waits here; others may wait for it */
	WEFT_CAUSAL_CALL,    /* messages */
	WEFT_CAUSAL_MEET,    /* a collective operation, a barrier, a team's begin or end */
	WEFT_CAUSAL_LOCK,    /* waits for a lock or a critical section */
	WEFT_CAUSAL_FLOW,    /* waits to be woken, or for a thread's end */
	WEFT_CAUSAL_TASKS,   /* waits until tasks have ended */
	WEFT_CAUSAL_STARVED, /* waits for a task to run */
	WEFT_CAUSAL_WAIT,    /* waits, and nothing says for what */
	WEFT_CAUSAL_END,     /* of the thread */
	WEFT_CAUSAL_KINDS
};
enum weft_causal_link_kind {
	WEFT_CAUSAL_SEND,   /* arg: message */
	WEFT_CAUSAL_RECV,   /* message */
	WEFT_CAUSAL_SENT,   /* message, begun before, whose end is waited for */
	WEFT_CAUSAL_JOINS,  /* meeting: comes and waits as its pattern says */
	WEFT_CAUSAL_AWAITS, /* meeting: waits, having come before; what came is a node that waits for tasks meanwhile */
	WEFT_CAUSAL_OUT,    /* flow */
	WEFT_CAUSAL_IN,     /* flow */
	WEFT_CAUSAL_TAKE,   /* lock; wait or not */
	WEFT_CAUSAL_FREE,   /* lock */
	WEFT_CAUSAL_DONE,   /* pool: a task of it has ended */
	WEFT_CAUSAL_DRAIN,  /* pool: waits for the ends of tasks */
	WEFT_CAUSAL_LOOP,   /* loop whose chunks are handed out: begins */
	WEFT_CAUSAL_CHUNK,  /* iterations of a chunk that ends */
	WEFT_CAUSAL_LOOPED, /* loop: ends */
	WEFT_CAUSAL_NOTHING,
};
enum weft_causal_pattern {
	WEFT_CAUSAL_ALL,      /* all wait for the last */
	WEFT_CAUSAL_FROM_ONE, /* all wait for the root */
	WEFT_CAUSAL_TO_ONE,   /* the root waits for all */
};
enum weft_causal_why { /* what a meeting is, for people */
	               WEFT_CAUSAL_COLLECTIVE,
	               WEFT_CAUSAL_MPI_BARRIER,
	               WEFT_CAUSAL_MPI_EDGE, /* MPI_Init, MPI_Finalize */
	               WEFT_CAUSAL_OMP_BARRIER,
	               WEFT_CAUSAL_TEAM_BEGIN,
	               WEFT_CAUSAL_TEAM_END,
	               WEFT_CAUSAL_THREAD_BARRIER,
	               WEFT_CAUSAL_WHYS
};

struct weft_causal_part {
	uint32_t path, count; /* count: how often its region was entered in the burst */
	uint64_t ns;
};
struct weft_causal_link {
	uint32_t kind, arg;
};
struct weft_causal_node {
	uint64_t begin, end;
	uint32_t path;       /* where it stands, with its own region innermost */
	uint32_t first_part; /* of the burst before it; up to the next node's */
	uint32_t first_link; /* up to the next node's */
	uint16_t kind, flags;
};
enum {
	WEFT_CAUSAL_SYNCHRONOUS = 1, /* a send that always waits for its receiver */
	WEFT_CAUSAL_BLOCKING = 2,    /* a send that may */
};
struct weft_causal_thread {
	uint32_t thread;  /* of the trace */
	uint32_t process; /* of the trace */
	uint32_t first_node, n_nodes;
	uint64_t begin; /* of its first burst */
	uint64_t end;   /* without waits at the end of which nobody woke it */
};
struct weft_causal_path {
	uint32_t parent; /* WEFT_CAUSAL_NONE: outermost; parents stand before */
	uint32_t region;
};
struct weft_causal_region {
	const char *name; /* borrowed from the trace or from the model */
	uint8_t role, state;
};
struct weft_causal_meeting {
	uint32_t first_member, n_members; /* nodes, by thread */
	uint32_t root;                    /* node; WEFT_CAUSAL_NONE: none */
	uint32_t last;                    /* the node that came last */
	uint8_t pattern, why;
};
struct weft_causal_event { /* of a list by time: releases of a lock, ends of tasks */
	uint64_t time;
	uint32_t node;
};
struct weft_causal_list {
	uint32_t first, n;
	uint32_t region; /* of the lock; WEFT_CAUSAL_NONE */
	uint64_t name;   /* its address, or 0 */
};

struct weft_causal {
	const struct weft_trace *trace; /* borrowed */
	struct weft_causal_thread *thread;
	uint32_t n_threads;
	uint32_t *of_thread;           /* trace thread -> index here, or NONE */
	uint32_t *of_node;             /* node -> thread, as index here */
	struct weft_causal_node *node; /* one more than n_nodes: where parts and links end */
	uint32_t n_nodes;
	struct weft_causal_part *part;
	uint32_t n_parts;
	struct weft_causal_link *link;
	uint32_t n_links;
	struct weft_causal_path *path;
	uint32_t n_paths;
	struct weft_causal_region *region;
	uint32_t n_regions;
	struct weft_causal_meeting *meeting;
	uint32_t n_meetings;
	uint32_t *member;
	struct weft_causal_list *lock; /* what is waited for by time */
	uint32_t n_locks;
	struct weft_causal_event *event;
	uint32_t n_events;
	uint32_t *holder;                /* of a node that waits for a lock: who had it, index of a thread; NULL: nobody said */
	uint32_t *send_node, *recv_node; /* of each message, or NONE */
	uint32_t *out_node, *in_node;    /* of each flow */
	struct weft_tasks tasks;
	uint32_t *task_node;  /* the node in front of each task's run */
	uint64_t begin, end;  /* of the threads' begins and ends */
	uint64_t eager_below; /* bytes: from here on sends were seen to wait for their receivers; UINT64_MAX: none was */
	uint64_t n_events_read;
	bool has_ranks; /* processes are those of an MPI program */
};

struct weft_causal_how {
	unsigned threads;
};
/* 0, or negative. What has nothing to wait for gives threads of one burst each. */
int weft_causal_load(const struct weft_trace *t, const struct weft_causal_how *how, struct weft_causal *out,
                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_causal_free(struct weft_causal *c);

/* What a node waited for last: the place and the instant from which on it could go on. */
struct weft_causal_cause {
	uint32_t thread; /* index here; WEFT_CAUSAL_NONE: nobody is known */
	uint32_t node;   /* the first of that thread that begins at `time` or later */
	uint64_t time;
	uint32_t link; /* by which it came */
};
/* Of the link `i` alone, and of all; .thread is NONE where there is no cause, or only the thread's own. */
struct weft_causal_cause weft_causal_cause_of_link(const struct weft_causal *c, uint32_t node, uint32_t link);
struct weft_causal_cause weft_causal_cause(const struct weft_causal *c, uint32_t node);
/* The arrow of a lock that is passed on to who waits for it: the lock's releases say the same, and are played anew. */
bool weft_causal_passed_on(const struct weft_causal *c, uint32_t node, uint32_t link);

static inline const struct weft_causal_region *weft_causal_region_of(const struct weft_causal *c, uint32_t path)
{
	return &c->region[c->path[path].region];
}
static inline uint32_t weft_causal_link_end(const struct weft_causal *c, uint32_t node)
{
	return c->node[node + 1].first_link;
}
static inline uint32_t weft_causal_part_end(const struct weft_causal *c, uint32_t node)
{
	return c->node[node + 1].first_part;
}
/* When the burst before a node began. */
uint64_t weft_causal_burst_begin(const struct weft_causal *c, uint32_t thread, uint32_t node);
/* Whether the program computes there: not in calls of a runtime, not outside where regions say when it computes. */
bool weft_causal_computes(const struct weft_causal *c, uint32_t path);
bool weft_causal_waits_for_input(const struct weft_causal *c, uint32_t path); /* poll and its like */
bool weft_causal_is_programs(const struct weft_causal *c, uint32_t region);   /* says that it computes, and is no runtime's */
bool weft_causal_is_mpi(const struct weft_causal *c, uint32_t path);
/* Whether more threads, or ranks, would share what is done there. */
bool weft_causal_parallel(const struct weft_causal *c, uint32_t path);

/* ---- the critical path ---- */

struct weft_causal_step { /* a stretch of the path, from its end backwards */
	uint64_t begin, end;
	uint32_t thread, node;
	bool in_node; /* in the node itself (what it takes when nothing is missing any more), else in the burst before it */
};
struct weft_causal_critical {
	WEFT_VEC(struct weft_causal_step) step; /* by time, from begin to end without a gap */
	uint64_t *on_path;                      /* ns by path of calls */
	uint64_t *of_thread;                    /* ns by thread */
	uint64_t *slack; /* of the burst before each node: how much longer it might last without making the run longer */
	uint64_t jumps;
};
int weft_causal_critical(const struct weft_causal *c, bool slack, struct weft_causal_critical *out) WEFT_MUST_CHECK;
void weft_causal_critical_fini(struct weft_causal_critical *p);

#endif
