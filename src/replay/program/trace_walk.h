/* SPDX-License-Identifier: Apache-2.0 */
/* What program_trace.c (the whole) and trace_walk.c (one thread) share. */
#ifndef WEFT_REPLAY_TRACE_WALK_H
#define WEFT_REPLAY_TRACE_WALK_H

#include "program_priv.h"
#include "trace/filter/nest.h"
#include "trace/store/cursor.h"
#include "trace_calls.h"

enum trace_type { /* what a type of point is */
	          TRACE_TYPE_NONE,
	          TRACE_TYPE_CALL,     /* 50000001 and the like: a call by its number; 0 ends it */
	          TRACE_TYPE_FUNCTION, /* 60000019: a function of the user's */
	          TRACE_TYPE_SENT,     /* of a collective operation */
	          TRACE_TYPE_RECEIVED,
	          TRACE_TYPE_ROOT,
	          TRACE_TYPE_COMM,
};
struct trace_post { /* a call that may post receives: what completes later was posted in it */
	uint64_t begin, end;
	uint64_t op; /* the place that is kept for it; UINT64_MAX: taken */
};
struct trace_begun { /* a collective operation that was begun */
	uint64_t op;
	int operation;
};
struct trace_join { /* MPI_Init, MPI_Finalize: the burst that stands for what it takes */
	uint64_t op, ns;
	bool init;
};
struct trace_maker {
	const struct weft_trace *t;
	const struct weft_replay_from *how;
	struct weft_replay_builder *b;
	uint8_t *call_of_region;   /* enum trace_call; owned, as all below */
	uint32_t *place_of_region; /* number + 1; 0: not yet made */
	uint8_t *type;             /* enum trace_type, by id of the type */
	int32_t *comm;             /* by id: number in the program, -1: not yet made */
	uint32_t *thread_of;       /* by thread of the trace: the program's, or WEFT_NONE */
	uint32_t *rank_of;         /* by process */
	WEFT_VEC(struct trace_join) join;
	uint32_t world, n_ranks;
	int64_t fence_comm;               /* of all, for fences that all call as often; negative: they do not */
	uint32_t attr_target, attr_bytes; /* of one-sided calls; 0: none */
	bool ours;                        /* a trace of Weft's own format */
};
enum { TRACE_NAMED = 64 };
struct trace_named { /* what a value of a type of points means: names are looked up once, not at each event */
	int64_t value;
	uint32_t id, place;
	uint8_t call; /* enum trace_call */
	bool known;
};
struct trace_walk { /* one thread */
	struct trace_maker *m;
	uint32_t thread, rank;
	uint64_t *edge_op; /* NULL: nobody asks for edges */
	uint32_t edge;     /* the next */
	struct weft_nest nest;
	uint64_t last;        /* until here its time is spoken for */
	uint64_t useful;      /* time outside of calls */
	bool runs;            /* a state says that it computes from its begin on */
	enum trace_call call; /* the outermost that is open */
	uint32_t call_region, call_depth;
	uint64_t call_begin, call_ops; /* operations of the thread when it began */
	uint32_t call_place, function;
	struct trace_named named[TRACE_NAMED]; /* a cell each by type and value */
	struct {
		uint64_t sent, received, comm;
		bool root, has_comm;
		unsigned number, n_said;
	} together; /* what points say of a collective operation */
	struct {
		int64_t rank, bytes; /* -1: not said */
	} target;                    /* of the one-sided call that is open */
	bool has_moved;              /* one-sided operations of it were said */
	uint64_t sent, sent_op;      /* of a blocking send that is open: its message + 1, and operation */
	WEFT_VEC(struct trace_post) post;
	size_t first_post;
	WEFT_VEC(struct trace_begun) begun;
};
int trace_walk(struct trace_walk *w) WEFT_MUST_CHECK;
/* Number of a communicator in the program; of one whose members are not known: that of all. Negative: no memory. */
int64_t trace_comm(struct trace_maker *m, uint32_t id);

#endif
