/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's state. A thread runs ahead by its own clock until it waits for something; only what threads compete for (links,
 * buses, processors, a shared network) goes through the heap, in order of time:
 *
 *     runnable threads ── run until they wait ──> requests (time, who) ──> heap ──> granted, or queued at a port ──> ends ──> heap
 *                  ^                                                                                              │
 *                  └──────────────────────────────── a message is there: its receiver is runnable ────────────────┘
 *
 * Why that is right: a thread that waits is woken by an event of the heap, and asks for nothing before that event's time; so when no
 * thread is runnable, the least request in the heap is the least that there will be.
 */
#ifndef WEFT_REPLAY_SIM_PRIV_H
#define WEFT_REPLAY_SIM_PRIV_H

#include "base/map.h"
#include "replay.h"
#include "replay/flow/flow.h"

enum { SIM_NONE = UINT32_MAX };

enum sim_waits { /* what a thread waits for */
	         SIM_RUNS,
	         SIM_FOR_MESSAGE,
	         SIM_FOR_RECEIVER,
	         SIM_FOR_ALL,       /* of a collective operation */
	         SIM_FOR_REDUCTION, /* a root, for what the others send */
	         SIM_FOR_THREADS,
	         SIM_FOR_CPU,
	         SIM_ON_CPU,    /* it computes, in a node that has too few */
	         SIM_FOR_TURN,  /* it was far ahead, and goes on when its time comes */
	         SIM_FOR_MOVES, /* what it put or got is there */
	         SIM_ENDED,
};
struct sim_module { /* one that is open */
	int64_t type;
	double ratio;
};
struct sim_thread {
	const struct weft_replay_op *at, *end; /* the next */
	double now, since;                     /* since: when it began to wait */
	double slow;                           /* a burst of 1 ns takes so long here */
	double cpu_ns;                         /* that it has a processor for */
	double memory;                         /* the share that it wants meanwhile */
	uint64_t of;                           /* message, gather or point that it waits for */
	uint32_t rank, next;                   /* next: in a list of those that wait for the same */
	uint32_t moving;                       /* one-sided operations of it that are not there yet */
	double moved;                          /* when the last of the others was */
	uint8_t waits, cpu_for;                /* cpu_for: state that it has a processor in */
	bool few;                              /* its node has fewer processors than threads */
	bool on_cpu;                           /* it has one of those */
	bool fresh;                            /* it was just given it */
	bool came;                             /* to the point of the operation at `at` */
	bool paid;                             /* the latency of the operation at `at` */
	bool has_come;                         /* what the operation at `at` waited for */
	WEFT_VEC(struct sim_module) module;
};

enum {                 /* of a message */
       SIM_SENT = 1,   /* its sender is ready, and it has to wait for the receiver */
       SIM_POSTED = 2, /* its receiver is ready */
       SIM_MOVING = 4,
       SIM_DONE = 8,
       SIM_SENDER_WAITS = 16,
       SIM_RECEIVER_WAITS = 32,
       SIM_LATE = 64,
};
struct sim_message {
	double time; /* of what its state says */
	uint32_t state, pad;
};
struct sim_times { /* of a message, where somebody asked */
	double send_ns, begin_ns, post_ns;
};

struct sim_gather {
	double last; /* arrival */
	double done; /* SIM_NONE arrived yet: NAN */
	double sums; /* reductions: when the last transfer so far was there */
	uint64_t sent, received;
	uint32_t arrived, waiters, root_thread, last_thread;
	uint32_t transfers; /* reductions: that are there */
	bool has_root, complete;
};

/* A message or a part of a reduction on its way. */
struct sim_transfer {
	uint64_t message; /* number; UINT64_MAX: of a reduction */
	uint64_t bytes;
	uint32_t from, to; /* ranks */
	uint32_t gather;   /* reductions; staged: number of what runs; SIM_NONE: of a one-sided operation */
	uint32_t waiter;   /* of those that are free: the next */
	uint32_t origin;   /* one-sided: the thread that asked */
	bool staged;       /* of a collective operation that goes in stages */
};
struct sim_running { /* a collective operation, stage by stage */
	uint64_t gather;
	double end;                 /* of this stage, so far */
	uint32_t stage, left, next; /* left: transfers of the stage; next: of those that are free */
};

/* Of one instant, who was given a processor comes first, then what ends, then who wishes for something; last, rates are made fair. */
enum sim_event_kind {
	SIM_CPU_RUN,
	SIM_END,
	SIM_CPU_END,
	SIM_FLOW,
	SIM_REQUEST,
	SIM_CPU_WANT,
	SIM_TURN,
	SIM_CPU_IDLE,
	SIM_COMPUTE,
	SIM_SHARE
};
struct sim_event {
	double time;
	uint32_t kind;
	uint32_t tie; /* thread: of wishes of one instant, that of the first thread comes first */
	uint64_t seq, of;
};

/* What messages go through at one end: a node's links to others, or a process's inside of its node. */
struct sim_port {
	uint32_t most_out, most_in;                      /* 0: no limit; half duplex: most_out, for both */
	uint32_t out, in;                                /* in use */
	uint32_t first_out, last_out, first_in, last_in; /* waiters */
	bool half;
};
struct sim_buses {
	uint32_t most, used; /* most 0: no limit */
	uint32_t first, last;
};
struct sim_waiter {
	uint64_t message; /* number, or n_messages + number of an extra transfer */
	uint64_t seq;
	double since;
	uint32_t out_next, out_prev, in_next, in_prev, bus_next; /* bus_next also links free ones */
};

struct sim_node {
	const struct weft_replay_node_kind *kind;
	uint32_t cpus, used;    /* cpus 0: no limit */
	uint32_t first, last;   /* threads that want one */
	struct sim_buses buses; /* inside */
};

struct sim_level { /* of a communicator: so many of it in nodes of this kind */
	const struct weft_replay_node_kind *kind;
	uint32_t n;
};
struct sim_shape {               /* of a communicator */
	struct sim_level *level; /* owned */
	uint32_t n_levels, n_nodes, n_sites, n, first_site;
	bool made;
};

/* Where a message travels, and what that takes. */
struct sim_way {
	double pay_ns;           /* each end, on its own clock */
	double move_ns;          /* the links are held for it */
	double delay_ns;         /* until it is there, behind that */
	uint32_t from, to;       /* ports; SIM_NONE: none */
	struct sim_buses *buses; /* NULL: none */
	bool shared;             /* it is a flow through the topology, which knows the rest */
};

struct sim {
	const struct weft_replay_program *p;
	const struct weft_replay_machine *m;
	const struct weft_replay_how *how;
	struct weft_replay_sink sink;
	struct weft_replay_result *out;
	struct weft_err *err;
	struct sim_thread *thread;
	struct sim_message *message;
	struct sim_times *times; /* NULL: nobody asks */
	struct sim_gather *gather;
	struct sim_shape *shape; /* by communicator */
	uint32_t *node_of;       /* by rank */
	struct sim_node *node;
	uint32_t n_nodes;
	struct sim_port *port; /* nodes, then ranks */
	struct sim_buses *site_buses;
	WEFT_VEC(struct sim_waiter) waiter;
	uint32_t free_waiter;
	WEFT_VEC(struct sim_transfer) extra; /* transfers of reductions and one-sided operations */
	uint32_t free_extra;
	WEFT_VEC(struct sim_running) running;
	uint32_t free_running;
	WEFT_VEC(uint32_t) runnable;
	WEFT_VEC(struct sim_event) heap;
	struct weft_map point; /* threads of a rank: where they meet */
	WEFT_VEC(struct sim_gather) points;
	uint64_t seq, n_ops;
	struct weft_flows *flows; /* NULL: nothing is shared by flows. Links of the topology, memory of nodes, threads */
	struct weft_route route;  /* the last */
	uint32_t first_memory, first_own;
	uint64_t flow_turn; /* of the SIM_FLOW that counts */
	bool share_is_due;
	double share_at; /* while it is */
	const double *place_speed;
	bool has_modules;
	double clock;        /* of the heap */
	unsigned budget;     /* operations that the thread may still run ahead */
	double busy_latency; /* the part of a collective operation that is latency, for who wakes from it */
	int failed;
};

/* sim_heap.c */
int sim_push(struct sim *s, struct sim_event e) WEFT_MUST_CHECK;
bool sim_pop(struct sim *s, struct sim_event *e);

/* sim_thread.c */
int sim_run_thread(struct sim *s, uint32_t t) WEFT_MUST_CHECK;
/* It has waited until then, and is `busy` for so long before it goes on. */
int sim_wake(struct sim *s, uint32_t t, double at, double busy) WEFT_MUST_CHECK;
/* It waits for what is known to be there at that time. SIM_GO_ON or SIM_WAITS. */
int sim_until(struct sim *s, struct sim_thread *t, enum sim_waits why, double at) WEFT_MUST_CHECK;
void sim_wait(struct sim *s, struct sim_thread *t, enum sim_waits why, uint64_t of);
int sim_state(struct sim *s, const struct sim_thread *t, enum weft_replay_state state, double from, double to) WEFT_MUST_CHECK;
void sim_count_burst(struct sim *s, const struct sim_thread *t, const struct weft_replay_op *op, double ns);
enum { SIM_GO_ON, SIM_WAITS }; /* what an operation returns, or negative */

/* sim_message.c */
int sim_send(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op) WEFT_MUST_CHECK;
int sim_receive(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op) WEFT_MUST_CHECK;
int sim_post(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op) WEFT_MUST_CHECK;
int sim_arrived(struct sim *s, uint64_t message, double at) WEFT_MUST_CHECK;
int sim_start(struct sim *s, uint64_t message, double at) WEFT_MUST_CHECK;
struct sim_transfer sim_transfer_of(const struct sim *s, uint64_t message);
int sim_pay(struct sim *s, struct sim_thread *t, double ns) WEFT_MUST_CHECK;

/* sim_remote.c */
int sim_remote(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op) WEFT_MUST_CHECK;
int sim_flush(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op) WEFT_MUST_CHECK;
int sim_moved(struct sim *s, uint32_t extra, double at) WEFT_MUST_CHECK;
int sim_keep(struct sim *s, struct sim_transfer x, uint64_t *number) WEFT_MUST_CHECK; /* an extra one; its number */
void sim_free_extra(struct sim *s, uint32_t extra);

/* sim_way.c */
struct sim_way sim_way_of(const struct sim *s, const struct sim_transfer *x);
double sim_pay_ns(const struct sim *s, const struct sim_transfer *x); /* of that way, quicker */

/* sim_links.c */
int sim_request(struct sim *s, uint64_t message, double at) WEFT_MUST_CHECK;
int sim_end_of_transfer(struct sim *s, uint64_t message, double at) WEFT_MUST_CHECK;

/* sim_flow.c */
int sim_flow_init(struct sim *s) WEFT_MUST_CHECK;
int sim_flow_begin(struct sim *s, uint64_t message, double at) WEFT_MUST_CHECK;
double sim_memory_share(const struct sim *s, const struct weft_replay_op *op);
/* A burst that wants this share of its node's memory. SIM_WAITS */
int sim_flow_compute(struct sim *s, struct sim_thread *t, double ns, double share) WEFT_MUST_CHECK;
int sim_flow_computes(struct sim *s, uint32_t thread, double at) WEFT_MUST_CHECK;
int sim_flow_share(struct sim *s, double at) WEFT_MUST_CHECK;
int sim_flow_ended(struct sim *s, uint64_t turn, double at) WEFT_MUST_CHECK;
int sim_flow_result(struct sim *s) WEFT_MUST_CHECK;

/* sim_collective.c, sim_cost.c */
int sim_collective(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op) WEFT_MUST_CHECK;
int sim_reduced(struct sim *s, const struct sim_transfer *x, double at) WEFT_MUST_CHECK;
int sim_complete(struct sim *s, uint64_t gather, double end) WEFT_MUST_CHECK; /* all go on then */
int sim_meet(struct sim *s, struct sim_thread *t, const struct weft_replay_op *op) WEFT_MUST_CHECK;
double sim_collective_cost(struct sim *s, uint32_t comm, unsigned operation, uint64_t sent,
                           uint64_t received); /* < 0: no memory */

/* sim_stages.c: from `at` on; sim_complete() when the last stage has ended */
int sim_stages(struct sim *s, uint64_t gather, double at) WEFT_MUST_CHECK;
int sim_staged(struct sim *s, uint32_t extra, double at) WEFT_MUST_CHECK;

/* sim_cpu.c: for threads with `few` */
int sim_compute(struct sim *s, struct sim_thread *t, double ns,
                enum weft_replay_state as) WEFT_MUST_CHECK; /* it has a processor */
int sim_cpu_begin(struct sim *s) WEFT_MUST_CHECK;
int sim_want_cpu(struct sim *s, struct sim_thread *t) WEFT_MUST_CHECK;               /* from t->now on */
void sim_stand_in_line(struct sim *s, struct sim_thread *t);                         /* nobody is served yet */
int sim_serve(struct sim *s, const struct sim_thread *t, double at) WEFT_MUST_CHECK; /* those in line of its node */
int sim_cpu_wanted(struct sim *s, uint32_t t, double at) WEFT_MUST_CHECK;
int sim_cpu_ended(struct sim *s, uint32_t t, double at) WEFT_MUST_CHECK;
int sim_leave_cpu(struct sim *s, struct sim_thread *t, bool serve) WEFT_MUST_CHECK; /* serve: the next in line has it */
int sim_yield(struct sim *s, struct sim_thread *t) WEFT_MUST_CHECK;                 /* others first. SIM_WAITS */

/* sim_setup.c */
int sim_init(struct sim *s) WEFT_MUST_CHECK;
void sim_fini(struct sim *s);

/* sim_stuck.c */
int sim_find_stuck(struct sim *s) WEFT_MUST_CHECK;

static inline uint32_t sim_number(const struct sim *s, const struct sim_thread *t)
{
	return (uint32_t)(t - s->thread);
}
static inline struct weft_replay_rank_result *sim_row(const struct sim *s, const struct sim_thread *t)
{
	return &s->out->rank[t->rank];
}

#endif
