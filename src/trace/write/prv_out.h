/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing .prv: what its files share.
 *
 *     prv_write.c     header, all threads' lines merged by time, the three files
 *     prv_out_lane.c  the lines of one thread: events, messages, state records of a foreign trace
 *     prv_out_state.c the gapless state records that regions make
 *     prv_out_names.c .pcf and .row
 *     prv_pack.c      .prv.gz, .prv.zst
 */
#ifndef WEFT_TRACE_PRV_OUT_H
#define WEFT_TRACE_PRV_OUT_H

#include "base/atomic.h"
#include "base/map.h"
#include "export_priv.h"
#include "trace/paraver/prv_names.h"

/* What a definition was used as. */
enum { PRV_AS_INT = 1, PRV_AS_FLOAT = 2, PRV_AS_TEXT = 4 };

/* Where the states of a thread come from. */
enum prv_states_from { PRV_FROM_NOTHING, PRV_FROM_STATES, PRV_FROM_REGIONS };

struct prv_out {
	const struct weft_trace *t; /* borrowed, as how */
	const struct weft_export_how *how;
	struct export_out body;
	uint64_t unit_ns;
	const char *unit;            /* suffix */
	bool from_prv;               /* the trace was one before */
	bool derived;                /* some thread has states from regions */
	struct weft_atomic_bool odd; /* some time is no multiple of the unit */
	uint32_t *node_first_cpu;    /* by node: number of its first cpu, Paraver's. Owned; one more at the end */
	uint32_t *recv_cpu;          /* by message: cpu at its receive. Owned */
	struct prv_out_send
		*send; /* of all messages, by thread, then when the send began; NULL: each stands where its SEND does. Owned */
	uint64_t n_sends;
	uint8_t *states_from;        /* by thread. Owned */
	uint8_t *used[WEFT_CLASSES]; /* by id: PRV_AS_…. Owned */
	uint32_t *region_state;      /* by region: prv_state_of_region. Owned */
	uint32_t *counter_number;    /* by counter: its type. Owned */
	uint32_t *comm_number;       /* by communicator. Owned */
	bool others[PRV_OTHERS_END];
	struct weft_map text; /* class << 56 | id << 32 | string: used as a value */
	struct weft_progress progress;
};

/* -- one thread -- */

struct prv_segment { /* a state record */
	uint64_t begin, end;
	uint32_t state, cpu;
};
struct prv_states { /* what regions say; prv_out_state.c */
	struct prv_out *o;
	uint32_t thread;
	struct weft_cursor cursor;
	struct weft_block block;
	uint32_t at;
	struct weft_span_walk walk;
	const struct pick *pick;
	bool off, ended, walking;
	uint64_t begin; /* of the segment that is open */
	uint32_t state, cpu;
	uint32_t outside; /* the state outside of all regions */
	uint32_t cpu_now; /* by the events so far */
};
int prv_states_begin(struct prv_states *s, struct prv_out *o, uint32_t thread, const struct pick *pick) WEFT_MUST_CHECK;
int prv_states_next(struct prv_states *s, struct prv_segment *next) WEFT_MUST_CHECK; /* 1, 0 at the end, negative */
void prv_states_end(struct prv_states *s);

enum { PRV_LINE_PAIRS = 64 };
struct prv_out_send {
	uint64_t time, number; /* of the message */
	uint32_t thread;
};
struct prv_out_lane {
	struct prv_out *o;
	uint32_t thread;
	char object[48]; /* "app:task:thread:" */
	unsigned n_object;
	uint32_t cpu;
	struct pick pick;
	struct weft_cursor cursor;
	struct weft_block block;
	uint32_t at;                                /* in block */
	uint64_t last;                              /* time of the last event */
	const struct prv_out_send *send, *send_end; /* those that are still to come */
	bool events_ended, has_segment;
	struct weft_span_walk walk;
	bool walking;
	WEFT_VEC(uint32_t) changed; /* categories whose innermost region may have changed */
	struct prv_states states;
	struct prv_segment segment; /* the next, when has_segment */
	int64_t pair[2 * PRV_LINE_PAIRS];
	unsigned n_pairs;
};
/* Of o->send, the first of this thread or a later one. O(log n). */
const struct prv_out_send *prv_out_first_send(const struct prv_out *o, uint32_t thread);
/* Makes the lane ready at its first line. */
int prv_out_lane_begin(struct prv_out_lane *l, struct prv_out *o, uint32_t thread) WEFT_MUST_CHECK;
void prv_out_lane_end(struct prv_out_lane *l);
/* The time of what comes next; false at the end. */
bool prv_out_lane_time(const struct prv_out_lane *l, uint64_t *time);
/* Writes what comes next: a state record, or all that is at one time. */
int prv_out_lane_step(struct prv_out_lane *l) WEFT_MUST_CHECK;

/* Numbers of a thread in the file: "1:2:1:", its length. */
unsigned prv_out_object(const struct weft_trace *t, uint32_t thread, char *out);
void prv_out_state(struct prv_out *o, const char *object, unsigned n_object, const struct prv_segment *s);
uint32_t prv_out_cpu(const struct prv_out *o, uint32_t thread,
                     uint64_t cpu); /* of a CPU event's value; 0: unknown, or another node's */
/* Ends of the thread in the trace, made consistent. */
void prv_out_life(const struct weft_trace *t, uint32_t thread, uint64_t *begin, uint64_t *end);

/* -- the other files -- */

int prv_out_pcf(struct prv_out *o, struct export_out *out) WEFT_MUST_CHECK; /* after the body: it says what was used */
void prv_out_row(const struct prv_out *o, struct export_out *out);

/* -- packing: a stream that packs what is written to it into `to` (borrowed), by the end of `path`. NULL: it is a plain one -- */

int prv_pack_open(FILE **out, FILE *to, const char *path) WEFT_MUST_CHECK; /* 0, or negative; fclose ends it */

#endif
