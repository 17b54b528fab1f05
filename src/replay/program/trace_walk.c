/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One thread of a trace as operations. Between calls of MPI it computes; in a call it does what was recorded in it, and what the call
 * took is forgotten, but of calls that carry nothing and do not wait (they read files, make communicators …).
 *
 *     trace   ── useful ── | Irecv | ── useful ── | Wait   RECV(posted in Irecv)  | ── useful ──
 *     program    BURST       NOP ↖       BURST      WAIT ───┐                         BURST
 *                            IRECV <───────────────────────┘ the place kept for it is filled in
 */
#include "trace_walk.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RUNNING = 1 }; /* Paraver's number of that state */
enum { CLEARLY_NS = 5000 };

static int put(struct trace_walk *w, unsigned kind, unsigned flags, uint64_t of)
{
	const struct weft_replay_op op = {.place = w->call_place & 0xffffff, .kind = kind & 15, .flags = flags & 15, .of = of};
	return op_store_put(&w->m->b->ops, &op);
}

static int keep_event(struct trace_walk *w, uint32_t what, uint64_t value)
{
	const struct weft_replay_op op = {.kind = WEFT_REPLAY_EVENT, .what = what, .value = (int64_t)value};
	return w->m->how->events ? op_store_put(&w->m->b->ops, &op) : 0;
}

static uint32_t place_of_region(struct trace_walk *w, uint32_t region)
{
	struct trace_maker *m = w->m;
	if (!m->place_of_region[region]) {
		const char *name = m->t->def[WEFT_CLASS_REGION].at[region].name;
		const int64_t place = weft_replay_build_place(m->b, name, strlen(name));
		m->place_of_region[region] = place < 0 ? 1 : (uint32_t)place + 1;
	}
	return m->place_of_region[region] - 1;
}

static uint64_t next_edge(const struct trace_walk *w)
{
	return w->edge_op && w->edge < w->m->how->n_edges ? (uint64_t)w->m->how->edge[w->edge] : WEFT_NEVER;
}

/* Edges up to a time lie behind what has been put. */
static void pass_edges(struct trace_walk *w, uint64_t time)
{
	while (w->edge_op && w->edge < w->m->how->n_edges && next_edge(w) <= time)
		w->edge_op[w->edge++] = weft_replay_built_ops(w->m->b);
}

/* It computes from `from` until `to`: a burst, or one on each side of an edge. */
static int put_burst(struct trace_walk *w, uint64_t from, uint64_t to, uint32_t place, unsigned flags)
{
	struct weft_replay_op op = {.place = place & 0xffffff, .kind = WEFT_REPLAY_BURST, .flags = flags & 15};
	int rc = 0;
	pass_edges(w, from);
	while (from < to && !rc) {
		const uint64_t edge = next_edge(w), until = edge < to ? edge : to;
		op.ns = (double)(until - from);
		rc = op_store_put(&w->m->b->ops, &op);
		from = until;
		pass_edges(w, until);
	}
	return rc;
}

/* Time of its own that no faster processor shortens, up to a time. */
static int keep_time(struct trace_walk *w, uint64_t ns, uint64_t to)
{
	return put_burst(w, to - ns, to, w->call_place, WEFT_REPLAY_FIXED);
}

/* It has computed until then. */
static int compute(struct trace_walk *w, uint64_t time)
{
	if (time <= w->last) {
		pass_edges(w, time);
		return 0;
	}
	if (!w->last && !w->m->ours && !w->m->how->drop_calls &&
	    !w->runs) { /* before all that others' formats know of a thread */
		w->last = time;
		return keep_time(w, time, time);
	}
	const uint32_t place = w->nest.open.n ? place_of_region(w, w->nest.open.at[w->nest.open.n - 1]) : w->function;
	const uint64_t from = w->last;
	w->useful += time - from;
	w->last = time;
	return put_burst(w, from, time, place, 0);
}

/* ---- collective operations ---- */

static int put_part(struct trace_walk *w, uint32_t comm, int operation, int32_t root, const struct weft_replay_part *part)
{
	struct weft_replay_program *p = weft_replay_built(w->m->b);
	const struct weft_replay_comm *c = &p->comm[comm];
	const bool reduces = operation == WEFT_REPLAY_REDUCE;
	const int32_t world = reduces && root >= 0 && (uint32_t)root < c->n ? (int32_t)p->member[c->first + (uint32_t)root] : -1;
	const int64_t at = weft_replay_build_part(w->m->b, comm, (unsigned)operation, world, part);
	if (at < 0)
		return (int)at;
	for (size_t i = 0; w->call != TRACE_TOGETHER && w->call != TRACE_FENCE && i < w->begun.n; i++)
		if (w->begun.at[i].operation == operation) { /* it was begun earlier, and is completed here */
			struct weft_replay_op *op = weft_replay_built_op(w->m->b, w->begun.at[i].op);
			op->kind = WEFT_REPLAY_COLLECTIVE;
			op->flags = WEFT_REPLAY_IMMEDIATE;
			op->of = (uint64_t)at;
			memmove(w->begun.at + i, w->begun.at + i + 1, (w->begun.n - i - 1) * sizeof *w->begun.at);
			w->begun.n--;
			return put(w, WEFT_REPLAY_COLLECTIVE, WEFT_REPLAY_COMPLETE, (uint64_t)at);
		}
	return put(w, WEFT_REPLAY_COLLECTIVE, 0, (uint64_t)at);
}

static bool is_root(const struct trace_walk *w, uint32_t comm, int32_t root)
{
	const struct weft_replay_program *p = weft_replay_built(w->m->b);
	const struct weft_replay_comm *c = &p->comm[comm];
	return root >= 0 && (uint32_t)root < c->n && p->member[c->first + (uint32_t)root] == w->rank;
}

static int collective(struct trace_walk *w, uint64_t time, uint32_t id, uint64_t value)
{
	uint32_t n;
	const uint64_t *word = weft_extra(w->m->t, w->thread, value, &n);
	const int64_t comm = trace_comm(w->m, id);
	if (comm < 0 || n < 3)
		return comm < 0 ? (int)comm : 0;
	const int operation = trace_operation((uint32_t)word[0]);
	const int32_t root = (int32_t)(uint32_t)(word[0] >> 32);
	const struct weft_replay_part part = {.sent = word[1], .received = word[2], .is_root = is_root(w, (uint32_t)comm, root)};
	int rc = w->call == TRACE_NO_CALL ? compute(w, time) : 0;
	return rc ? rc : put_part(w, (uint32_t)comm, operation < 0 ? WEFT_REPLAY_ALLTOALL : operation, root, &part);
}

/* Of a foreign trace, where points say what it is. */
static int said_collective(struct trace_walk *w)
{
	if (w->together.n_said < 2)
		return 0;
	const int64_t comm = w->together.has_comm ? trace_comm(w->m, (uint32_t)w->together.comm) : w->m->world;
	if (comm < 0)
		return (int)comm;
	const int operation = trace_operation(w->together.number);
	const struct weft_replay_part part = {.sent = w->together.sent,
	                                      .received = w->together.received,
	                                      .is_root = w->together.root && operation != WEFT_REPLAY_REDUCE};
	int32_t root = -1;
	if (operation == WEFT_REPLAY_REDUCE && w->together.root)
		root = (int32_t)w->rank;
	w->together.n_said = 0;
	int rc = put_part(w, (uint32_t)comm, operation < 0 ? WEFT_REPLAY_ALLTOALL : operation, -1, &part);
	if (!rc && root >= 0) { /* only the root says who it is: for all parts of it */
		struct weft_replay_program *p = weft_replay_built(w->m->b);
		p->gather[p->part[p->n_parts - 1].gather].root = root;
	}
	return rc;
}

/* ---- calls ---- */

static int begin_call(struct trace_walk *w, uint64_t time, enum trace_call call, uint32_t place)
{
	int rc = compute(w, time);
	w->call = call;
	w->call_place = place;
	w->call_begin = time;
	memset(&w->together, 0, sizeof w->together);
	w->target.rank = w->target.bytes = -1;
	w->call_ops = weft_replay_built_ops(w->m->b);
	return rc;
}

static int end_posts(struct trace_walk *w, uint64_t time)
{
	const struct trace_post post = {w->call_begin, time, weft_replay_built_ops(w->m->b)};
	return weft_vec_push(&w->post, post) ? -ENOMEM : put(w, WEFT_REPLAY_NOP, 0, 0);
}

static int end_begins(struct trace_walk *w)
{
	const struct trace_begun begun = {weft_replay_built_ops(w->m->b), trace_operation(w->together.number)};
	return weft_vec_push(&w->begun, begun) ? -ENOMEM : put(w, WEFT_REPLAY_NOP, 0, 0);
}

/* All begin or end together; what it takes beside waiting is what it took the fastest. */
static int end_join(struct trace_walk *w, uint64_t time, bool init)
{
	const struct weft_replay_part part = {0};
	int rc = weft_vec_push(&w->m->join, (struct trace_join){weft_replay_built_ops(w->m->b), time - w->call_begin, init})
	                 ? -ENOMEM
	                 : 0;
	if (!rc)
		rc = put(w, WEFT_REPLAY_NOP, 0, 0);
	return rc ? rc : put_part(w, w->m->world, WEFT_REPLAY_BARRIER, -1, &part);
}

/* What the call moves; it takes its time where that was not said, as in traces of others. */
static int end_moves(struct trace_walk *w, uint64_t time, bool gets)
{
	if (w->target.rank < 0 || w->target.rank >= w->m->n_ranks || w->target.bytes < 0)
		return w->m->how->drop_calls ? 0 : keep_time(w, time - w->call_begin, time);
	const struct weft_replay_op op = {.place = w->call_place & 0xffffff,
	                                  .kind = gets ? WEFT_REPLAY_GET : WEFT_REPLAY_PUT,
	                                  .what = (uint32_t)w->target.rank,
	                                  .value = w->target.bytes};
	w->has_moved = true;
	return op_store_put(&w->m->b->ops, &op);
}

/* Its own operations are there; a fence also waits for all others, where it is known who they are. */
static int end_epoch(struct trace_walk *w, uint64_t time, bool fence)
{
	const struct weft_replay_part part = {0};
	const bool together = fence && w->m->fence_comm >= 0;
	int rc = w->has_moved ? put(w, WEFT_REPLAY_FLUSH, 0, 0) : 0;
	if (!rc && together)
		return put_part(w, (uint32_t)w->m->fence_comm, WEFT_REPLAY_BARRIER, -1, &part);
	if (!rc && (fence || !w->has_moved) && !w->m->how->drop_calls)
		rc = keep_time(w, time - w->call_begin, time);
	return rc;
}

/*
 * A send that ended before its receiver was ready did not wait for it. Libraries decide that by the size: where it was clearly so, no smaller message
 * waits either. What does wait is then in the order of the run that was recorded, and no circle of it can get stuck.
 */
static void look_at_send(struct trace_walk *w, uint64_t time)
{
	const struct weft_messages *m = &w->m->t->message;
	const uint64_t message = w->sent - 1, ready = m->recv_began[message];
	struct weft_replay_program *p = weft_replay_built(w->m->b);
	w->sent = 0;
	if (m->recv_thread[message] == WEFT_NONE || ready <= time)
		return;
	weft_replay_built_op(w->m->b, w->sent_op)->flags = 0;
	if (ready > time + CLEARLY_NS && m->size[message] >= p->eager_below)
		p->eager_below = m->size[message] + 1;
}

static int end_call(struct trace_walk *w, uint64_t time)
{
	const bool carries = weft_replay_built_ops(w->m->b) > w->call_ops;
	const enum trace_call call = w->call;
	int rc = 0;
	if (w->sent)
		look_at_send(w, time);
	if (call == TRACE_POSTS)
		rc = end_posts(w, time);
	else if (call == TRACE_BEGINS)
		rc = end_begins(w);
	else if (call == TRACE_INIT || (call == TRACE_FINALIZE && !w->m->how->drop_calls))
		rc = end_join(w, time, call == TRACE_INIT);
	else if (call == TRACE_TOGETHER)
		rc = said_collective(w);
	else if (call == TRACE_PUTS || call == TRACE_GETS)
		rc = end_moves(w, time, call == TRACE_GETS);
	else if (call == TRACE_FLUSHES || call == TRACE_FENCE)
		rc = end_epoch(w, time, call == TRACE_FENCE);
	else if (call == TRACE_OTHER && !carries && !w->m->how->drop_calls)
		rc = keep_time(w, time - w->call_begin, time);
	w->last = time > w->last ? time : w->last;
	w->call = TRACE_NO_CALL;
	w->call_place = 0;
	return rc;
}

/* ---- messages ---- */

static const uint8_t send_flags[TRACE_CALLS] = {
	[TRACE_SENDS] = WEFT_REPLAY_SYNC_SEND,
	[TRACE_SENDS_SYNC] = WEFT_REPLAY_SYNC_SEND | WEFT_REPLAY_FIXED,
	[TRACE_POSTS_SEND] = WEFT_REPLAY_IMMEDIATE,
	[TRACE_POSTS] = WEFT_REPLAY_IMMEDIATE,
};

static int outside(struct trace_walk *w, uint64_t time)
{
	if (w->call != TRACE_NO_CALL)
		return 0;
	if (time > w->last)
		weft_replay_build_fault(w->m->b, WEFT_REPLAY_OUTSIDE, weft_replay_built(w->m->b)->n_threads - 1, (double)time);
	return compute(w, time);
}

static int send(struct trace_walk *w, uint64_t time, uint64_t message)
{
	int rc = outside(w, time);
	if (!rc && w->call == TRACE_EXCHANGES) /* its receive is posted first */
		rc = end_posts(w, time);
	w->sent = w->call == TRACE_SENDS ? message + 1 : 0;
	w->sent_op = weft_replay_built_ops(w->m->b);
	return rc ? rc : put(w, WEFT_REPLAY_SEND, send_flags[w->call], message);
}

/* The place that was kept in the call in which a receive was posted; NULL: there is none. */
static struct trace_post *find_post(struct trace_walk *w, uint64_t posted)
{
	size_t low = 0, high = w->post.n;
	while (low < high) {
		const size_t mid = (low + high) / 2;
		if (w->post.at[mid].end < posted)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < w->post.n && w->post.at[low].begin <= posted; low++)
		if (w->post.at[low].op != UINT64_MAX)
			return &w->post.at[low];
	return NULL;
}

static int receive(struct trace_walk *w, uint64_t time, uint64_t message)
{
	const uint64_t posted = w->m->t->message.recv_began[message];
	const bool here = posted >= w->call_begin && w->call != TRACE_EXCHANGES;
	int rc = outside(w, time);
	struct trace_post *post = rc || here ? NULL : find_post(w, posted);
	if (!post)
		return rc ? rc : put(w, WEFT_REPLAY_RECV, 0, message);
	struct weft_replay_op *op = weft_replay_built_op(w->m->b, post->op);
	op->kind = WEFT_REPLAY_IRECV;
	op->of = message;
	post->op = UINT64_MAX;
	return put(w, WEFT_REPLAY_WAIT, 0, message);
}

/* ---- events ---- */

static int enter(struct trace_walk *w, uint64_t time, uint32_t region)
{
	const enum trace_call call = (enum trace_call)w->m->call_of_region[region];
	int rc = 0;
	if (call == TRACE_NO_CALL) {
		if (w->call == TRACE_NO_CALL)
			rc = compute(w, time);
		return rc ? rc : weft_nest_enter(&w->nest, region);
	}
	if (w->call_depth++)
		return 0; /* a call that MPI makes itself */
	w->call_region = region;
	return begin_call(w, time, call, place_of_region(w, region));
}

static int leave(struct trace_walk *w, uint64_t time, uint32_t region)
{
	if (w->m->call_of_region[region] == TRACE_NO_CALL) {
		int rc = w->call == TRACE_NO_CALL ? compute(w, time) : 0;
		return rc ? rc : weft_nest_leave(&w->nest, region);
	}
	if (!w->call_depth || --w->call_depth)
		return 0;
	return end_call(w, time);
}

/* What a value of a type means: looked up by its name once, as long as no other takes its cell. */
static const struct trace_named *named(struct trace_walk *w, uint32_t id, int64_t value)
{
	struct trace_named *at = &w->named[((uint64_t)value ^ id * UINT64_C(31)) % TRACE_NAMED];
	if (at->known && at->id == id && at->value == value)
		return at;
	const bool is_call = w->m->type[id] == TRACE_TYPE_CALL;
	const char *name = weft_value_label(&w->m->t->def[WEFT_CLASS_TYPE].at[id], value);
	if (!name && is_call)
		name = "MPI_";
	const int64_t place = name ? weft_replay_build_place(w->m->b, name, strlen(name)) : 0;
	const enum trace_call call = is_call ? trace_call_of(name) : TRACE_NO_CALL;
	*at = (struct trace_named){.known = true,
	                           .id = id,
	                           .value = value,
	                           .place = place < 0 ? 0 : (uint32_t)place,
	                           .call = (uint8_t)(call == TRACE_NO_CALL ? TRACE_OTHER : call)};
	return at;
}

static int call_point(struct trace_walk *w, uint64_t time, uint32_t id, int64_t value)
{
	if (value == 0)
		return w->call != TRACE_NO_CALL ? end_call(w, time) : 0;
	const struct trace_named *call = named(w, id, value);
	int rc = w->call != TRACE_NO_CALL ? end_call(w, time) : 0;
	if (!rc)
		rc = begin_call(w, time, (enum trace_call)call->call, call->place);
	w->together.number = (unsigned)value;
	return rc;
}

static int function_point(struct trace_walk *w, uint64_t time, uint32_t id, int64_t value)
{
	int rc = w->call == TRACE_NO_CALL ? compute(w, time) : 0;
	w->function = value ? named(w, id, value)->place : 0;
	return rc;
}

static int point(struct trace_walk *w, uint64_t time, uint32_t id, uint64_t value)
{
	switch (w->m->type[id]) {
	case TRACE_TYPE_CALL:
		return call_point(w, time, id, (int64_t)value);
	case TRACE_TYPE_FUNCTION:
		return function_point(w, time, id, (int64_t)value);
	case TRACE_TYPE_SENT:
		w->together.sent = value;
		break;
	case TRACE_TYPE_RECEIVED:
		w->together.received = value;
		break;
	case TRACE_TYPE_ROOT:
		w->together.root = value == 1;
		break;
	case TRACE_TYPE_COMM:
		w->together.comm = value;
		w->together.has_comm = true;
		break;
	default:
		return 0;
	}
	w->together.n_said++;
	return 0;
}

/* Kinds of one word of which an output shows what was recorded. */
#define BIT(k) (UINT64_C(1) << WEFT_EV_##k)
static const uint64_t shown = BIT(ENTER) | BIT(LEAVE) | BIT(POINT) | BIT(POINT_F) | BIT(POINT_S) | BIT(COUNTER) | BIT(COUNTER_F) |
                              BIT(ATTR) | BIT(ATTR_F) | BIT(ATTR_S);

static int one_event(struct trace_walk *w, uint64_t time, uint32_t what, uint64_t value)
{
	const uint32_t id = weft_what_id(what);
	switch (weft_what_kind(what)) {
	case WEFT_EV_ENTER:
		return enter(w, time, id);
	case WEFT_EV_LEAVE:
		return leave(w, time, id);
	case WEFT_EV_POINT:
		return point(w, time, id, value);
	case WEFT_EV_SEND:
		return send(w, time, value);
	case WEFT_EV_RECV:
		return receive(w, time, value);
	case WEFT_EV_COLLECTIVE:
		return collective(w, time, id, value);
	case WEFT_EV_ATTR:
		if (id && id == w->m->attr_target)
			w->target.rank = (int64_t)value;
		else if (id && id == w->m->attr_bytes)
			w->target.bytes = (int64_t)value;
		return 0;
	case WEFT_EV_STATE:
		w->runs |= !w->last && w->m->t->def[WEFT_CLASS_STATE].at[id].code == RUNNING;
		return 0;
	default:
		return 0;
	}
}

/* An event for the output stands before what a call does, and behind it where it ends it. */
static int with_event(struct trace_walk *w, uint64_t time, uint32_t what, uint64_t value)
{
	const unsigned kind = weft_what_kind(what);
	const bool is_shown = kind < 64 && (shown >> kind & 1), in_call = w->call != TRACE_NO_CALL;
	int rc = is_shown && !in_call ? compute(w, time) : 0;
	if (!rc && kind == WEFT_EV_LEAVE)
		rc = one_event(w, time, what, value);
	if (!rc && is_shown && !(kind == WEFT_EV_POINT && value == 0 && w->m->type[weft_what_id(what)] == TRACE_TYPE_CALL)) {
		rc = keep_event(w, what, value);
		w->call_ops += in_call;
	} else if (!rc && is_shown) {
		rc = one_event(w, time, what, value);
		return rc ? rc : keep_event(w, what, value);
	}
	if (rc || kind == WEFT_EV_LEAVE)
		return rc;
	return one_event(w, time, what, value);
}

int trace_walk(struct trace_walk *w)
{
	struct weft_cursor c;
	struct weft_block b;
	const struct weft_thread_row *row = &w->m->t->thread[w->thread];
	const bool events = w->m->how->events;
	int rc = weft_cursor_begin(&c, w->m->t, w->thread, 0, WEFT_NEVER);
	if (!rc && row->begin && row->begin != WEFT_NEVER) { /* it begins later than others */
		rc = keep_time(w, row->begin, row->begin);
		w->last = row->begin;
	}
	int more = rc;
	while (!rc && (more = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n && !rc; i++)
			rc = events ? with_event(w, b.time[i], b.what[i], b.value[i])
			            : one_event(w, b.time[i], b.what[i], b.value[i]);
	weft_cursor_end(&c);
	if (!rc && more < 0)
		rc = more;
	if (!rc && w->call != TRACE_NO_CALL) {
		weft_replay_build_fault(w->m->b, WEFT_REPLAY_TRUNCATED, weft_replay_built(w->m->b)->n_threads - 1,
		                        (double)w->call_begin);
		w->sent = 0; /* when it would have ended, nobody knows */
		rc = end_call(w, w->call_begin);
	} else if (!rc) /* in others' formats, threads end with the trace: their last event counts */
		rc = compute(w, w->m->ours && row->end != WEFT_NEVER ? row->end : weft_thread_last(w->m->t, w->thread));
	pass_edges(w, WEFT_NEVER);
	weft_nest_fini(&w->nest);
	free(w->post.at);
	free(w->begun.at);
	return rc;
}
