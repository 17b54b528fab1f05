/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the threads of a message-passing program do, as it can be run again on another machine: for each thread its operations in
 * order, in 16 bytes each, and beside them the messages and collective operations that they name.
 *
 *     thread 0   BURST 12 us in 'solve' | SEND 0 | BURST 3 us | COLLECTIVE 0        op[first_op .. first_op + n_ops)
 *     thread 1   BURST 10 us            | RECV 0 | BURST 5 us | COLLECTIVE 1
 *     message    0: thread 0 -> thread 1, 1000 bytes                                both ends are known before it runs
 *     part       0, 1: what each thread gives and gets
 *     gather     0: the first collective operation of communicator 1, 2 parts
 *
 * A program is made from a trace (program_trace.c) or from Dimemas' text (replay/dimemas), copied cheaply, and changed freely as
 * long as its operations keep naming what is there. Running (replay/sim/replay.h) never changes it: many runs may share one.
 */
#ifndef WEFT_REPLAY_PROGRAM_H
#define WEFT_REPLAY_PROGRAM_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"
#include "trace/store/trace.h"

enum weft_replay_kind {
	WEFT_REPLAY_BURST,      /* ns: computes so long */
	WEFT_REPLAY_SEND,       /* of: message; flags: SYNC, IMMEDIATE */
	WEFT_REPLAY_RECV,       /* of: message; waits until it is there */
	WEFT_REPLAY_IRECV,      /* of: message; is ready for it from here on */
	WEFT_REPLAY_WAIT,       /* of: message; waits for one that IRECV named */
	WEFT_REPLAY_COLLECTIVE, /* of: part; flags: IMMEDIATE (begins it), COMPLETE (waits for one that was begun) */
	WEFT_REPLAY_DEVICE,     /* ns: computes so long on an accelerator */
	WEFT_REPLAY_EVENT,      /* what, value: kept for the output: as in a block of the trace; of no trace: type and value */
	WEFT_REPLAY_SYNC,       /* value: a point that threads of the process pass together; what: how many of them */
	WEFT_REPLAY_NOP,        /* a call that carries nothing, or what was taken away: costs nothing */
	WEFT_REPLAY_PUT,        /* what: rank; value: bytes that go there, without its doing anything */
	WEFT_REPLAY_GET,        /* and bytes that come from there */
	WEFT_REPLAY_FLUSH,      /* waits until all that the thread put and got is there */
	WEFT_REPLAY_KINDS,
};
enum {                            /* flags */
       WEFT_REPLAY_SYNC_SEND = 1, /* rendezvous is asked for */
       WEFT_REPLAY_IMMEDIATE = 2, /* does not wait */
       WEFT_REPLAY_COMPLETE = 4,
       WEFT_REPLAY_FIXED =
	       8, /* a burst that no CPU makes faster: files, what the recorder did; a send that is a rendezvous whatever its size */
};

struct weft_replay_op {
	uint32_t place : 24; /* number in program.place: the region that it is of; 0: none */
	uint32_t kind : 4, flags : 4;
	uint32_t what; /* events, threads, ranks; 0 otherwise */
	union {
		double ns;
		uint64_t of;
		int64_t value;
	};
};

struct weft_replay_message {
	uint64_t bytes;
	uint32_t from, to; /* threads; WEFT_NONE: that end is not known, and it is passed over */
	int32_t tag;
	uint32_t comm; /* number in program.comm */
};

/* What one thread does in one collective operation. */
struct weft_replay_part {
	uint64_t sent, received;
	uint32_t gather;
	uint8_t is_root;
};
/* Numbers as in Dimemas' files. */
enum weft_replay_operation {
	WEFT_REPLAY_BARRIER,
	WEFT_REPLAY_BCAST,
	WEFT_REPLAY_GATHER,
	WEFT_REPLAY_GATHERV,
	WEFT_REPLAY_SCATTER,
	WEFT_REPLAY_SCATTERV,
	WEFT_REPLAY_ALLGATHER,
	WEFT_REPLAY_ALLGATHERV,
	WEFT_REPLAY_ALLTOALL,
	WEFT_REPLAY_ALLTOALLV,
	WEFT_REPLAY_REDUCE,
	WEFT_REPLAY_ALLREDUCE,
	WEFT_REPLAY_REDUCE_SCATTER,
	WEFT_REPLAY_REDUCE_SCATTER_BLOCK,
	WEFT_REPLAY_SCAN,
	WEFT_REPLAY_ALLTOALLW,
	WEFT_REPLAY_OPERATIONS,
	WEFT_REPLAY_NON_BLOCKING = 16, /* added to the others */
};
struct weft_replay_gather { /* one operation of a communicator: its k-th */
	uint32_t comm;
	uint8_t operation; /* of the first part */
	bool mixed;        /* its parts are of different operations: the program is wrong */
	int32_t root;      /* rank in the world of a reduction's root; -1: the part that says is_root */
	uint32_t n_parts;  /* how many of its members take part at all */
};
struct weft_replay_comm {
	uint32_t id;       /* number in the trace or file */
	uint32_t first, n; /* of program.member: ranks in the world */
};

struct weft_replay_thread {
	uint64_t first_op, n_ops;
	uint32_t rank;           /* number in program.rank */
	uint32_t number;         /* in its rank, from 0 */
	uint32_t trace_thread;   /* WEFT_NONE: it is of no trace */
	double begin_ns, end_ns; /* measured; begin: how long after the run's begin it begins */
};
struct weft_replay_rank {
	uint32_t first_thread, n_threads;
	uint32_t node; /* where it ran; WEFT_NONE: not known */
	uint32_t app;
	bool is_device;     /* its threads stand for an accelerator's */
	double measured_ns; /* time outside of all communication, as measured */
};

/* What was wrong with what the program was made of: one line each kind, with the first place. */
enum weft_replay_fault {
	WEFT_REPLAY_UNSENT,     /* received, but nobody sent it */
	WEFT_REPLAY_UNRECEIVED, /* sent, but nobody received it */
	WEFT_REPLAY_BACKWARD,   /* received before it was sent */
	WEFT_REPLAY_PARTIAL,    /* a collective operation that members of its communicator do not call */
	WEFT_REPLAY_MIXED,      /* members call different operations */
	WEFT_REPLAY_OUTSIDE,    /* a message or collective operation outside of the calls */
	WEFT_REPLAY_TRUNCATED,  /* a thread ends inside of a call */
	WEFT_REPLAY_STRANGER,   /* a thread that is no member of the communicator that it names */
	WEFT_REPLAY_FAULTS,
};
struct weft_replay_fault_row {
	uint64_t count;
	uint32_t thread; /* the first place */
	double at_ns;    /* measured; or line of the text */
};
extern const char *const weft_replay_fault_texts[WEFT_REPLAY_FAULTS];

struct weft_replay_program {
	struct weft_replay_op *op; /* owned, or borrowed from `of` */
	uint64_t n_ops;
	struct weft_replay_thread *thread;
	uint32_t n_threads;
	struct weft_replay_rank *rank;
	uint32_t n_ranks;
	struct weft_replay_message *message;
	uint64_t n_messages;
	struct weft_replay_part *part;
	uint64_t n_parts;
	struct weft_replay_gather *gather;
	uint64_t n_gathers;
	struct weft_replay_comm *comm; /* [0] is "none" */
	uint32_t n_comms;
	uint32_t *member;
	uint64_t n_members;
	const char **place; /* names of regions; [0] is "" */
	uint32_t n_places;
	double measured_ns;   /* how long it took; 0: nobody measured */
	uint64_t eager_below; /* of a trace: smaller messages were seen to leave before their receiver was ready; 0: none was */
	uint64_t n_records;   /* of what it was made from: for rates */
	struct weft_replay_fault_row fault[WEFT_REPLAY_FAULTS];
	const char *name;               /* never NULL */
	const struct weft_trace *trace; /* borrowed; NULL: of no trace. Ids of events and places are its own */
	struct weft_arena arena;        /* names */
	uint64_t *
		edge_op; /* by thread, then edge: its operation behind which the edge lies, n_edges of each; NULL: none were asked for */
	uint32_t n_edges;
	bool is_part;      /* private: threads, messages, parts and gathers are its own, though `of` is another */
	uint64_t op_bytes; /* private: how `op` is mapped; 0: borrowed */
	const struct weft_replay_program *of;
};

struct weft_replay_from {
	bool events;     /* also keep what is only shown: for an output */
	bool drop_calls; /* calls that carry nothing cost nothing, as Dimemas does; else they take as long as they were measured to */
	bool cpu_time;    /* bursts as long as the processor counted, where that was recorded */
	uint64_t memory;  /* operations that need more go to a temporary file; 0: a quarter of the machine's */
	unsigned threads; /* 0: all */
	/*
	 * Times of the trace, ascending: bursts end there, and where each thread is then is kept in edge_op (program_part.h). What began in a call before
	 * an edge stays before it.
	 */
	const double *edge;
	uint32_t n_edges;
};
/* From a trace of any format. -ENODATA: it has neither messages nor collective operations. Borrows the trace. */
int weft_replay_program_trace(struct weft_replay_program **out, const struct weft_trace *t, const struct weft_replay_from *how,
                              struct weft_err *err) WEFT_MUST_CHECK;
/*
 * A program whose operations may be changed without changing `of`, with which it shares the rest: `of` must outlive it. `share`:
 * operations are shared, too (and messages, parts … are never the copy's own).
 */
int weft_replay_program_copy(struct weft_replay_program **out, const struct weft_replay_program *of, bool share) WEFT_MUST_CHECK;
void weft_replay_program_free(struct weft_replay_program *p); /* NULL is fine */

/* Bursts that `which` (by place; NULL: all) and `rank` (WEFT_NONE: all) name take `factor` times as long. The count of them. */
uint64_t weft_replay_program_scale(struct weft_replay_program *p, const bool *which, uint32_t rank, double factor);
/* The number of the place called so, or 0. O(places). */
uint32_t weft_replay_place_find(const struct weft_replay_program *p, const char *name);

/* -- making one (readers) -- */

/* Puts ops of all threads behind each other; `op` may be larger than memory. In program.c */
struct weft_replay_builder;
int weft_replay_builder_new(struct weft_replay_builder **out, const char *name, uint64_t memory) WEFT_MUST_CHECK;
void weft_replay_builder_free(struct weft_replay_builder *b);
struct weft_replay_program *weft_replay_built(struct weft_replay_builder *b); /* what is made; for its tables */
int64_t weft_replay_build_rank(struct weft_replay_builder *b, const struct weft_replay_rank *r);
/* Threads come in the order of ranks; operations that are put are the last thread's. */
int64_t weft_replay_build_thread(struct weft_replay_builder *b, const struct weft_replay_thread *t);
int64_t weft_replay_build_place(struct weft_replay_builder *b, const char *name, size_t n); /* made when new */
int64_t weft_replay_build_comm(struct weft_replay_builder *b, uint32_t id, const uint32_t *members, uint32_t n);
int64_t weft_replay_build_comm_find(const struct weft_replay_builder *b, uint32_t id); /* its number, or -ENOENT */
int64_t weft_replay_build_message(struct weft_replay_builder *b, const struct weft_replay_message *m);
/* A part of the thread's next operation of that communicator. Its number, or negative. */
int64_t weft_replay_build_part(struct weft_replay_builder *b, uint32_t comm, unsigned operation, int32_t root,
                               const struct weft_replay_part *part);
/* Takes the last thread away again if it does nothing but compute. Whether it did. */
bool weft_replay_build_quiet(struct weft_replay_builder *b);
int weft_replay_build_op(struct weft_replay_builder *b, const struct weft_replay_op *op) WEFT_MUST_CHECK;
uint64_t weft_replay_built_ops(const struct weft_replay_builder *b); /* how many so far */
struct weft_replay_op *weft_replay_built_op(struct weft_replay_builder *b,
                                            uint64_t number); /* to complete it; valid until the next */
void weft_replay_build_fault(struct weft_replay_builder *b, enum weft_replay_fault f, uint32_t thread, double at_ns);
/* Consumes the builder, also on failure: counts what is missing, and gives the program. */
int weft_replay_build_finish(struct weft_replay_builder *b, struct weft_replay_program **out,
                             struct weft_err *err) WEFT_MUST_CHECK;

#endif
