/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the builder share: build.c (objects), build_events.c, build_order.c, match.c, build_finish.c, store_write.c. */
#ifndef WEFT_TRACE_BUILD_PRIV_H
#define WEFT_TRACE_BUILD_PRIV_H

#include "base/arena.h"
#include "build.h"
#include "store.h"
#include "trace/text/text_input.h"

struct build_def {
	struct weft_def_row row; /* label, member: not used for labels; members in the arena */
	uint64_t hash;
	uint32_t next;           /* with the same hash; 0: none */
	uint32_t same_labels_as; /* types: an earlier type whose labels it has; 0: its own */
};
struct build_label {
	int64_t value;
	const char *text;
	uint32_t type, order;
};
struct build_problem {
	struct weft_problem p;
	const char *rule; /* of the check; a literal */
};
/*
 * A process that recorded into a ring which has overwritten what was old: before `from` (on the readers' axis, before it is moved) its
 * ends of messages are not all there; WEFT_NEVER: it cannot be said of any. ended: those after it are, up to the process's end.
 */
struct build_ring {
	uint64_t from; /* 0: no such process */
	bool ended;
};
struct build_file { /* for the stamp */
	const char *name;
	uint64_t bytes;
	int64_t mtime_ns, ctime_ns;
	uint64_t inode;
	uint32_t sum;
};

/* One thread's events: a list of writers, which together make its blocks. The first serves weft_append. */
struct weft_appender {
	struct weft_builder *b;
	struct col_writer own;
	WEFT_VEC(struct col_writer *) part; /* stretches in order, before what `own` has; owned */
	uint32_t thread;
};

struct build_message {
	struct weft_message_row row;
	uint64_t send_ordinal, recv_ordinal; /* in the appenders' own writers */
};

struct weft_builder {
	struct weft_arena arena;
	const char *path, *format;
	uint64_t memory;
	unsigned threads;
	WEFT_VEC(struct weft_node) node;
	WEFT_VEC(struct weft_cpu) cpu;
	WEFT_VEC(struct weft_app) app;
	WEFT_VEC(struct weft_process) process;
	WEFT_VEC(struct weft_thread_row) thread;
	WEFT_VEC(struct weft_appender *) appender; /* by thread; NULL: none yet */
	struct {
		WEFT_VEC(struct build_def) row; /* [0] is "none" */
		struct weft_map by_hash;
	} def[WEFT_CLASSES];
	WEFT_VEC(struct build_label) label;
	WEFT_VEC(struct weft_note) note;
	WEFT_VEC(struct weft_module) module;
	WEFT_VEC(struct build_problem) problem;
	WEFT_VEC(struct build_file) file;
	WEFT_VEC(struct build_ring) ring; /* by process, as far as the last that has one */
	struct spill_rows message;        /* struct build_message */
	uint64_t n_problems, dropped, stream_bytes, helper_cpu_ns, begin_realtime;
	bool keep_zero, axis_is_realtime;
	struct text_stream stream; /* what is read, where that goes once only; fd -1: a file */
	bool skim; /* pages of a stream may be skimmed: stream_scan.c; reading gives -EAGAIN where that was wrong */
	bool live; /* a process is still writing what is read: no index is left */
	uint64_t end_at_least;
	pthread_mutex_t lock;                   /* encoders, appenders */
	WEFT_VEC(struct col_encoder *) encoder; /* free ones */
	struct col_out out;
	struct spill_log ends[COL_SIDES]; /* of messages and flows: struct col_end */
	uint32_t n_serials;               /* of writers */
	struct weft_replace columns;      /* the columns file while it is made; zeroed: it has no name */
	uint64_t pair[2];
	bool lock_made;
};

/* Private ways in, for the readers of this folder. */
struct col_encoder *builder_take_encoder(struct weft_builder *b); /* NULL: out of memory */
void builder_give_encoder(struct weft_builder *b, struct col_encoder *e);
/* Where the index will be: the columns are written there from the beginning. Must come before the first event. */
int builder_set_dir(struct weft_builder *b, const char *index_dir, struct weft_err *err) WEFT_MUST_CHECK;
int builder_add_file(struct weft_builder *b, const struct build_file *file) WEFT_MUST_CHECK; /* a copy */
/* Gives a stretch of a thread's events to the builder, behind those given before. Takes ownership. */
int builder_add_part(struct weft_builder *b, uint32_t thread, struct col_writer *part) WEFT_MUST_CHECK;
/* weft_append_block for a reader that knows: events in order, all of one word or none, none of them DROPPED. */
int builder_append_sorted(struct weft_appender *a, uint32_t n, const uint64_t *time, const uint32_t *what,
                          const uint64_t *value) WEFT_MUST_CHECK;
uint32_t builder_serial(struct weft_builder *b); /* for a new writer */
int builder_open_columns(struct weft_builder *b, struct weft_err *err) WEFT_MUST_CHECK;
int builder_set_ring(struct weft_builder *b, uint32_t process, const struct build_ring *ring) WEFT_MUST_CHECK;
int builder_problem(struct weft_builder *b, const struct weft_problem *p, const char *rule) WEFT_MUST_CHECK;

/* What finish makes, in its parts. */
struct build_thread_blocks {
	WEFT_VEC(struct col_block) block;
	uint64_t n_events, n_halves, n_flows, dropped;
	uint64_t half_base, flow_base; /* of this thread in the maps */
};
struct build_base { /* of a writer: what its ordinals count from, in its thread */
	uint64_t half, flow;
	uint32_t thread;
};
struct build_link { /* a matched message or flow; 80 bytes, sorted by its first three words */
	uint64_t out_time, in_time, first_place;
	uint64_t out_place, in_place; /* in the maps of ends; UINT64_MAX: that end is missing, or has no event */
	uint64_t out_began, in_began;
	uint64_t size; /* flows: the key */
	uint32_t def;
	int32_t tag;
	uint32_t out_thread, in_thread;
};
struct build_links {
	struct spill_sort sorted;
};

struct build_product {
	struct build_thread_blocks *thread; /* n_threads; owned */
	struct build_base *base;            /* by serial of the writer; owned */
	uint64_t n_halves, n_flow_ends;
	uint64_t n_events, n_blocks;
	uint64_t shift, end; /* axis */
	uint64_t columns_bytes, backward_messages;
	struct build_links message, flow;
};

/* Makes each thread's list of blocks: in order, with overlaps repaired. */
int build_order(struct weft_builder *b, struct build_product *p) WEFT_MUST_CHECK;
/* Matches the ends of messages and of flows. */
int build_match(struct weft_builder *b, struct build_product *p) WEFT_MUST_CHECK;
void build_product_free(struct weft_builder *b, struct build_product *p);
/* Writes the tables file to fd. */
int store_write_tables(struct weft_builder *b, struct build_product *p, int fd) WEFT_MUST_CHECK;

#endif
