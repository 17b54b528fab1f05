/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a program on a machine: what it would take there.
 *
 *     struct weft_replay_result r;
 *     if (weft_replay_run(program, &machine, &how, &r, &err) == 0)
 *         use(r.time_ns, r.rank[0].computation_ns, r.stuck);
 *     weft_replay_result_fini(&r);
 *
 * A run has all its state of its own: runs of one program may go on at the same time. The same input gives the same output.
 */
#ifndef WEFT_REPLAY_REPLAY_H
#define WEFT_REPLAY_REPLAY_H

#include "replay/machine/replay_machine.h"
#include "replay/program/program.h"

enum weft_replay_state { /* what a thread is doing */
	                 WEFT_REPLAY_RUNNING,
	                 WEFT_REPLAY_WAITS_MESSAGE,
	                 WEFT_REPLAY_WAITS_RECEIVER, /* a blocking send that waits for its receiver to be ready */
	                 WEFT_REPLAY_WAITS_COLLECTIVE,
	                 WEFT_REPLAY_IN_COLLECTIVE,
	                 WEFT_REPLAY_LATENCY, /* it pays for the start of a message */
	                 WEFT_REPLAY_WAITS_CPU,
	                 WEFT_REPLAY_WAITS_THREADS,
	                 WEFT_REPLAY_ON_DEVICE,
	                 WEFT_REPLAY_STATES,
};
struct weft_replay_transfer {
	uint64_t message; /* number */
	/* when the send was called, it began to move, the receive was called (or posted), all was there, and the receiver went on */
	double send_ns, begin_ns, post_ns, end_ns, done_ns;
};
/* Who is told what happens, in the order of each thread's time; a non-zero result ends the run. Members may be NULL. */
struct weft_replay_sink {
	void *arg;
	int (*state)(void *arg, uint32_t thread, enum weft_replay_state s, double begin_ns, double end_ns);
	int (*op)(void *arg, uint32_t thread, const struct weft_replay_op *op,
	          double at_ns); /* events, sends and collective operations, when it comes to them */
	int (*message)(void *arg, const struct weft_replay_transfer *m); /* when it is there */
};

enum weft_replay_eager { WEFT_REPLAY_EAGER_FLAGS, WEFT_REPLAY_EAGER_BELOW, WEFT_REPLAY_EAGER_ALL };
struct weft_replay_how {
	enum weft_replay_eager eager;
	uint64_t eager_bytes; /* BELOW: rendezvous from so many bytes on */
	const struct weft_replay_sink *sink;
	const double *place_speed;  /* by place: 2 is twice as fast; NULL: as it is */
	const double *place_memory; /* by place: the share of its node's memory bandwidth; < 0: the machine's. NULL: so all are */
	double stop_ns;             /* ends there; 0: never */
	bool ideal_threads;         /* threads of a process always have a CPU each */
	bool no_devices, no_threads;
	bool receive_at_wait; /* sinks are told of receives at their waits, not where they were posted */
};

struct weft_replay_rank_result {
	double computation_ns; /* bursts, as long as they take there */
	double fixed_ns;       /* what no processor makes faster: calls that carry nothing, what was before the program */
	double latency_ns;     /* starts of messages: both ends pay */
	double receiving_ns;   /* blocked until a message was there */
	double sending_ns;     /* blocked until a receiver was ready */
	double waiting_ns;     /* blocked until all others had come to a collective operation */
	double collective_ns;  /* in collective operations when all were there */
	double cpu_wait_ns, thread_wait_ns, device_ns;
	double memory_wait_ns;            /* by so much the memory that others used made bursts longer; in computation_ns */
	double link_wait_ns, bus_wait_ns; /* of messages that it sent, for links and for buses */
	double end_ns;
	uint64_t sent, received, immediate, bytes_sent, bytes_received, collectives; /* immediate: receives that did not block */
};
/* A thread that does not go on. */
struct weft_replay_stuck {
	uint32_t thread;
	enum weft_replay_kind kind; /* of the operation that it stands at: SEND, RECV, WAIT, COLLECTIVE, SYNC, BURST (no CPU) */
	uint64_t of;                /* its message, or gather */
	uint64_t op;                /* its number in the program */
	uint32_t waits_for;         /* rank; WEFT_NONE: several (a gather), or none that is known */
	uint32_t missing;           /* gathers: how many have not come */
	double at_ns;
};
struct weft_replay_link { /* of a topology: what it was used for */
	uint32_t link;    /* number in the topology */
	uint32_t most;    /* messages at one time */
	uint64_t messages;
	double bytes, busy_ns, full_ns; /* with a message at all; with all that it can carry */
	double use;                     /* of what it could have carried until the end */
};
struct weft_replay_patience { /* of flows that are too many: rates were made fair a little later */
	uint64_t shares;
	double most_ns;
};
struct weft_replay_result {
	double time_ns;                       /* the end of the last */
	struct weft_replay_rank_result *rank; /* by rank: the sums of its threads; owned */
	double *thread_computation_ns;        /* by thread; owned */
	uint32_t n_small_nodes,
		small_node; /* nodes with fewer processors than threads, and the first of them: they take turns there */
	uint32_t n_ranks;
	struct weft_replay_stuck *stuck; /* owned; by thread. None: it ran to its end */
	uint32_t n_stuck;
	uint32_t *cycle; /* ranks, each waiting for the next, the last for the first; owned */
	uint32_t n_cycle;
	uint64_t n_ops, n_messages;    /* that were run */
	struct weft_replay_link *link; /* of a topology: those that were used at all, the most used first; owned */
	uint32_t n_links;
	struct weft_replay_patience patience;
};

/* 0, also when it gets stuck (`stuck`); -ERANGE: the machine has no place for it; -ENOMEM; what a sink said; -ECANCELED: given up (weft_stop_set). */
int weft_replay_run(const struct weft_replay_program *p, const struct weft_replay_machine *m, const struct weft_replay_how *how,
                    struct weft_replay_result *out, struct weft_err *err) WEFT_MUST_CHECK;
void weft_replay_result_fini(struct weft_replay_result *r);
/* "rank 1 waits in MPI_Recv for a message of rank 2 (tag 7), which …": a line for each stuck rank, at most `most`. */
void weft_replay_explain(const struct weft_replay_program *p, const struct weft_replay_result *r, unsigned most, FILE *to);

#endif
