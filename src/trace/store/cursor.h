/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading a thread's events, block by block; and all threads' merged in time order.
 *
 *     struct weft_cursor c;
 *     weft_cursor_begin(&c, trace, thread, from, to);
 *     struct weft_block b;
 *     int rc;
 *     while ((rc = weft_cursor_next(&c, &b)) > 0)
 *         for (uint32_t i = 0; i < b.n; i++)
 *             use(b.time[i], weft_what_kind(b.what[i]), weft_what_id(b.what[i]), b.value[i]);
 *     weft_cursor_end(&c);
 */
#ifndef WEFT_TRACE_CURSOR_H
#define WEFT_TRACE_CURSOR_H

#include "trace.h"

#define WEFT_BLOCK_EVENTS 4096u

static inline uint32_t weft_what(unsigned kind, unsigned id)
{
	return (uint32_t)kind << 24 | id;
}
static inline unsigned weft_what_kind(uint32_t what)
{
	return what >> 24;
}
static inline unsigned weft_what_id(uint32_t what)
{
	return what & 0xffffff;
}

struct weft_block {
	uint32_t n; /* at most WEFT_BLOCK_EVENTS */
	const uint64_t *time;
	const uint32_t *what;
	/*
	 * By kind: no payload: 0; one word: that word (doubles as their bits, strings as ids of weft_trace.def[WEFT_CLASS_STRING]);
	 * SEND, RECV: number of the message; FLOW_OUT, FLOW_IN: number of the flow; CPU: index in weft_trace.cpu, or WEFT_NONE;
	 * several words: their place for weft_extra().
	 */
	const uint64_t *value;
};

/*
 * What a cursor is for. Blocks without any of it are passed over: neither read nor decoded. Other blocks come whole, with what is
 * not wanted in them. All zeros: everything is wanted.
 */
struct weft_wanted {
	uint64_t kinds; /* 1 << kind: events of that kind, whatever their id */
	uint64_t whats; /* weft_what_bit of each single (kind, id): may let blocks pass that have none, never the other way */
};
static inline uint64_t weft_what_bit(uint32_t what)
{
	return UINT64_C(1) << (what * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

struct weft_cursor {
	const struct weft_trace *trace;
	uint32_t thread;
	uint64_t from, to; /* events with from <= time < to; to == WEFT_NEVER: all */
	uint64_t next_block;
	struct weft_wanted wanted;
	void *scratch; /* owned: one decoded block */
	uint64_t priv[4];
	struct weft_walk *walk; /* borrowed; NULL: it goes alone */
	bool alike;             /* the events of the last block have one `what`; false: not known */
};

int weft_cursor_begin(struct weft_cursor *c, const struct weft_trace *t, uint32_t thread, uint64_t from,
                      uint64_t to) WEFT_MUST_CHECK;
/* From the next block on: only blocks with something of `w`. */
static inline void weft_cursor_want(struct weft_cursor *c, struct weft_wanted w)
{
	c->wanted = w;
}
/* 1 and a block (valid until the next call), 0 at the end, negative on failure. */
int weft_cursor_next(struct weft_cursor *c, struct weft_block *b) WEFT_MUST_CHECK;
void weft_cursor_end(struct weft_cursor *c);

/* Which events: asked once for each `what` of a block. */
struct weft_choice {
	bool (*of)(const void *arg, uint32_t what);
	const void *arg;
};
/* As weft_cursor_next, with the chosen events alone: blocks without any are passed over. */
int weft_cursor_next_of(struct weft_cursor *c, const struct weft_choice *choice, struct weft_block *b) WEFT_MUST_CHECK;

/*
 * A walk of several cursors over one thread: what one has found out about a block is there for those that come to it next. They
 * belong to one worker. Events that weft_cursor_next_of gives are valid until the next call for any of them.
 */
struct weft_walk;
struct weft_walk *weft_walk_new(void);    /* NULL: no memory */
void weft_walk_free(struct weft_walk *w); /* behind its cursors; NULL is fine */
static inline void weft_cursor_join(struct weft_cursor *c, struct weft_walk *w)
{
	c->walk = w;
}

/* The time of the thread's last event; 0: it has none. */
uint64_t weft_thread_last(const struct weft_trace *t, uint32_t thread);

/* The payload of an event with several words: points into the store, valid while the trace is open; its count in *n. */
const uint64_t *weft_extra(const struct weft_trace *t, uint32_t thread, uint64_t value, uint32_t *n);

struct weft_event {
	uint64_t time;
	uint32_t thread;
	unsigned kind, id;
	uint64_t value; /* as in weft_block */
};
/* All threads (or those with wanted[thread]; NULL: all) in time order; equal times in thread order. O(log threads) an event. */
struct weft_merge;
int weft_merge_new(struct weft_merge **out, const struct weft_trace *t, const bool *wanted, uint64_t from,
                   uint64_t to) WEFT_MUST_CHECK;
int weft_merge_next(struct weft_merge *m, struct weft_event *e) WEFT_MUST_CHECK; /* 1, 0 at the end, negative */
void weft_merge_free(struct weft_merge *m);

#endif
