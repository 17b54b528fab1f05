/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events of one thread on their way into a stream. Three ways, by what is asked:
 *
 *   everything         event after event, as it is
 *   a range of time    what holds when the range begins (open regions with their attributes, states, counters, the cpu, what is
 *                      switched off) is said there anew; what is open when it ends, ends there
 *   a filter           enters as the pick says; leaves come from the walk over spans, because a region may have been closed by
 *                      the leave of one that is dropped
 *
 * Marks (recording on and off, the thread's begin and end…) always stay, because they close regions and say what is missing.
 */
#include "write_priv.h"
#include <errno.h>
#include <stdlib.h>

struct lane_attr {         /* of an open region, before the range */
	uint64_t sequence; /* of the region */
	uint32_t what;
	uint64_t value;
};
struct lane_state {
	uint32_t state;
	uint64_t end;
};
struct lane {
	struct write_stream *s;
	uint32_t thread;
	const struct weft_filter *filter;
	struct pick pick;
	struct weft_span_walk walk;
	uint64_t now;
	unsigned kind;                     /* of the event that is fed to the walk */
	bool inside;                       /* the range has begun */
	WEFT_VEC(struct lane_attr) attr;   /* in the order of their regions */
	WEFT_VEC(struct lane_state) state; /* open ones that stay, in the order of their begins */
	WEFT_VEC(struct lane_attr) held;   /* the last of each counter, the cpu, each category that is off */
	struct weft_map held_at;           /* what -> place in held */
};

static bool is_mark(unsigned kind)
{
	return kind >= WEFT_EV_ON && kind != WEFT_EV_CLOCK_BACK;
}

static bool event_stays(const struct lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	unsigned kind = weft_what_kind(what);
	if (kind == WEFT_EV_SEND || kind == WEFT_EV_RECV)
		return pick_message(l->s->t, l->filter, value);
	if (kind == WEFT_EV_FLOW_OUT || kind == WEFT_EV_FLOW_IN)
		return pick_flow(l->s->t, l->filter, value);
	if (!l->filter || is_mark(kind))
		return true;
	struct weft_event e = {time, l->thread, kind, weft_what_id(what), value};
	return weft_filter_event(l->filter, &e);
}

static bool in_range(const struct write_stream *s, uint64_t time)
{
	return time >= s->from && time < s->to;
}

/* A message or a flow that reaches over a bound goes whole: half of one is a fault to whoever reads it. One that never had its other end stays. */
static bool ends_in_range(const struct write_stream *s, uint32_t what, uint64_t value)
{
	const struct weft_messages *m = &s->t->message;
	const struct weft_flows *f = &s->t->flow;
	switch (weft_what_kind(what)) {
	case WEFT_EV_SEND:
		return m->recv_thread[value] == WEFT_NONE || in_range(s, m->recv_done[value]);
	case WEFT_EV_RECV:
		return m->send_thread[value] == WEFT_NONE || in_range(s, m->send_done[value]);
	case WEFT_EV_FLOW_OUT:
		return f->to_thread[value] == WEFT_NONE || in_range(s, f->to_time[value]);
	case WEFT_EV_FLOW_IN:
		return f->from_thread[value] == WEFT_NONE || in_range(s, f->from_time[value]);
	default:
		return true;
	}
}

static void lane_write(struct lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	write_event(l->s, l->thread, time, what, value);
}

/* A thread may be known to have lived on after its last event: said by a mark, for streams have no other place for it. */
static void say_end(struct write_stream *s, uint32_t thread, uint64_t last)
{
	uint64_t end = s->t->thread[thread].end;
	if (end != WEFT_NEVER && end > last)
		write_event(s, thread, end, weft_what(WEFT_EV_THREAD_END, 0), 0);
}

/* ---- regions ---- */

/* With a filter, a leave is written when the walk closes the span, unless a mark that stays does it. */
static int lane_on_span(void *arg, const struct weft_span *span)
{
	struct lane *l = arg;
	if (l->inside && l->filter && l->kind == WEFT_EV_LEAVE && pick_span(&l->pick, span->sequence))
		lane_write(l, span->end, weft_what(WEFT_EV_LEAVE, span->region), 0);
	return 0;
}

/* Forgets the attributes of regions that have closed. */
static void lane_trim_attrs(struct lane *l)
{
	size_t n = l->walk.open.n;
	uint64_t innermost = n ? l->walk.open.at[n - 1].sequence : 0;
	while (l->attr.n && (n == 0 || l->attr.at[l->attr.n - 1].sequence > innermost))
		l->attr.n--;
	if (l->kind != WEFT_EV_OFF)
		return;
	size_t kept = 0; /* the mark of a category closes regions below others */
	for (size_t i = 0, o = 0; i < l->attr.n; i++) {
		while (o < n && l->walk.open.at[o].sequence < l->attr.at[i].sequence)
			o++;
		if (o < n && l->walk.open.at[o].sequence == l->attr.at[i].sequence)
			l->attr.at[kept++] = l->attr.at[i];
	}
	l->attr.n = kept;
}

static int lane_walk(struct lane *l, uint64_t time, uint32_t what)
{
	uint64_t value = 0;
	struct weft_block one = {1, &time, &what, &value};
	l->kind = weft_what_kind(what);
	int rc = weft_span_feed(&l->walk, &one);
	if (l->attr.n)
		lane_trim_attrs(l);
	return rc;
}

static bool innermost_stays(const struct lane *l)
{
	size_t n = l->walk.open.n;
	return n && pick_span(&l->pick, l->walk.open.at[n - 1].sequence);
}

/* ---- what holds when the range begins ---- */

static int hold_attr(struct lane *l, uint32_t what, uint64_t value)
{
	if (!innermost_stays(l))
		return 0;
	uint64_t sequence = l->walk.open.at[l->walk.open.n - 1].sequence;
	for (size_t i = l->attr.n; i-- > 0 && l->attr.at[i].sequence == sequence;)
		if (l->attr.at[i].what == what) {
			l->attr.at[i].value = value;
			return 0;
		}
	return weft_vec_push(&l->attr, (struct lane_attr){sequence, what, value});
}

/* The last value of a counter; under one name whether it was floating, and likewise of a category whether it is on. */
static int hold_last(struct lane *l, uint32_t what, uint64_t value)
{
	static const uint8_t name[64] = {
		[WEFT_EV_COUNTER] = WEFT_EV_COUNTER, [WEFT_EV_COUNTER_F] = WEFT_EV_COUNTER, [WEFT_EV_CPU] = WEFT_EV_CPU,
		[WEFT_EV_ON] = WEFT_EV_OFF,          [WEFT_EV_OFF] = WEFT_EV_OFF,
	};
	uint64_t at, key = weft_what(name[weft_what_kind(what)], weft_what_id(what));
	if (weft_map_get(&l->held_at, key, &at)) {
		l->held.at[at] = (struct lane_attr){0, what, value};
		return 0;
	}
	if (weft_map_put(&l->held_at, key, l->held.n))
		return -ENOMEM;
	return weft_vec_push(&l->held, (struct lane_attr){0, what, value});
}

static int lane_state_begins(struct lane *l, uint64_t time, uint32_t state, uint64_t lasts)
{
	uint64_t end = lasts > UINT64_MAX - time ? UINT64_MAX : time + lasts;
	if (l->filter && !weft_filter_state(l->filter, l->thread, state, time, end))
		return 0;
	if (l->inside)
		lane_write(l, time, weft_what(WEFT_EV_STATE, state), (end < l->s->to ? end : l->s->to) - time);
	return weft_vec_push(&l->state, (struct lane_state){state, end});
}

static void lane_state_ends(struct lane *l, uint64_t time, uint32_t state)
{
	for (size_t i = 0; i < l->state.n; i++) {
		if (l->state.at[i].state != state || l->state.at[i].end != time)
			continue;
		if (l->inside)
			lane_write(l, time, weft_what(WEFT_EV_STATE_END, state), 0);
		for (l->state.n--; i < l->state.n; i++)
			l->state.at[i] = l->state.at[i + 1];
		return;
	}
}

static int lane_before(struct lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	switch (weft_what_kind(what)) {
	case WEFT_EV_ATTR:
	case WEFT_EV_ATTR_F:
	case WEFT_EV_ATTR_S:
	case WEFT_EV_CALLSTACK:
		return hold_attr(l, what, value);
	case WEFT_EV_STATE:
		return lane_state_begins(l, time, weft_what_id(what), value);
	case WEFT_EV_STATE_END:
		lane_state_ends(l, time, weft_what_id(what));
		return 0;
	case WEFT_EV_ON:
	case WEFT_EV_OFF:
	case WEFT_EV_COUNTER:
	case WEFT_EV_COUNTER_F:
	case WEFT_EV_CPU:
		return hold_last(l, what, value);
	default:
		return 0;
	}
}

/* The first event in the range, or the end of the thread, has come. */
static void lane_enter_range(struct lane *l)
{
	uint64_t from = l->s->from;
	l->inside = true;
	if (from == 0 || l->s->t->thread[l->thread].end < from)
		return;
	for (size_t i = 0; i < l->held.n; i++)
		if (weft_what_kind(l->held.at[i].what) != WEFT_EV_ON &&
		    event_stays(l, from, l->held.at[i].what, l->held.at[i].value))
			lane_write(l, from, l->held.at[i].what, l->held.at[i].value);
	size_t open = 0; /* states that end now have no part in the range */
	for (size_t i = 0; i < l->state.n; i++) {
		const struct lane_state st = l->state.at[i];
		if (st.end <= from)
			continue;
		lane_write(l, from, weft_what(WEFT_EV_STATE, st.state), (st.end < l->s->to ? st.end : l->s->to) - from);
		l->state.at[open++] = st;
	}
	l->state.n = open;
	size_t a = 0;
	for (size_t i = 0; i < l->walk.open.n; i++) {
		const struct weft_span *span = &l->walk.open.at[i];
		if (pick_span(&l->pick, span->sequence))
			lane_write(l, from, weft_what(WEFT_EV_ENTER, span->region), 0);
		for (; a < l->attr.n && l->attr.at[a].sequence == span->sequence; a++)
			lane_write(l, from, l->attr.at[a].what, l->attr.at[a].value);
	}
	l->attr.n = 0;
}

/* ---- in the range ---- */

static int lane_in_filter(struct lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	unsigned kind = weft_what_kind(what);
	bool stays;
	uint64_t unmatched = l->walk.unmatched_leaves;
	if (kind == WEFT_EV_ENTER)
		stays = pick_span(&l->pick, l->walk.sequence);
	else if (pick_goes_with_span(kind) && l->walk.open.n)
		stays = innermost_stays(l);
	else
		stays = event_stays(l, time, what, value);
	int rc = lane_walk(l, time, what);
	if (kind == WEFT_EV_LEAVE && l->walk.unmatched_leaves == unmatched)
		stays = false; /* the walk has written it */
	if (stays && ends_in_range(l->s, what, value))
		lane_write(l, time, what, value);
	return rc;
}

static int lane_inside(struct lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	unsigned kind = weft_what_kind(what);
	if (kind == WEFT_EV_STATE)
		return lane_state_begins(l, time, weft_what_id(what), value);
	if (kind == WEFT_EV_STATE_END) {
		lane_state_ends(l, time, weft_what_id(what));
		return 0;
	}
	if (l->filter)
		return lane_in_filter(l, time, what, value);
	if (ends_in_range(l->s, what, value))
		lane_write(l, time, what, value);
	return lane_walk(l, time, what);
}

/* What ends at the very instant at which the range begins need not begin there anew. */
static bool ends_at_bound(const struct lane *l, uint32_t what)
{
	unsigned kind = weft_what_kind(what);
	return l->s->from > 0 && (kind == WEFT_EV_LEAVE || kind == WEFT_EV_OFF || kind == WEFT_EV_STATE_END);
}

static int lane_event(struct lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	if (!l->inside && (time > l->s->from || (time == l->s->from && !ends_at_bound(l, what))))
		lane_enter_range(l);
	l->now = time;
	if (l->inside)
		return lane_inside(l, time, what, value);
	int rc = lane_walk(l, time, what);
	return rc ? rc : lane_before(l, time, what, value);
}

/* What is open ends here: at the bound, or with a filter at the thread's end. */
static void lane_leave_range(struct lane *l)
{
	uint64_t end = l->s->t->thread[l->thread].end;
	bool cut = l->s->to <= end;
	if (cut)
		end = l->s->to;
	for (size_t i = l->walk.open.n; i-- > 0 && (cut || l->filter);)
		if (pick_span(&l->pick, l->walk.open.at[i].sequence))
			lane_write(l, end, weft_what(WEFT_EV_LEAVE, l->walk.open.at[i].region), 0);
	for (size_t i = 0; i < l->state.n && cut; i++)
		lane_write(l, end, weft_what(WEFT_EV_STATE_END, l->state.at[i].state), 0);
	if (!cut)
		say_end(l->s, l->thread, l->now);
}

static int lane_run(struct lane *l, struct weft_cursor *c)
{
	struct weft_block b;
	int rc;
	while ((rc = weft_cursor_next(c, &b)) > 0) {
		for (uint32_t i = 0; i < b.n; i++)
			if ((rc = lane_event(l, b.time[i], b.what[i], b.value[i])))
				return rc;
		if (l->s->failed)
			return l->s->failed;
		weft_progress_step(l->s->progress, b.n);
	}
	if (rc == 0 && !l->inside)
		lane_enter_range(l);
	if (rc == 0 && l->s->t->thread[l->thread].end >= l->s->from)
		lane_leave_range(l);
	return rc;
}

/* The extra events up to `time`, from number `at` on; what comes next. */
static size_t copy_extra(struct write_stream *s, uint32_t thread, size_t at, uint64_t time)
{
	const struct weft_write_extra *x = s->how->extra;
	for (; x && at < x->first[thread + 1] && x->time[at] <= time; at++)
		write_event(s, thread, x->time[at], x->what[at], x->value[at]);
	return at;
}

static int copy_run(struct write_stream *s, uint32_t thread, struct weft_cursor *c)
{
	struct weft_block b;
	uint64_t last = 0;
	size_t extra = s->how->extra ? s->how->extra->first[thread] : 0,
	       end = s->how->extra ? s->how->extra->first[thread + 1] : 0;
	int rc;
	while ((rc = weft_cursor_next(c, &b)) > 0 && !s->failed) {
		for (uint32_t i = 0; i < b.n; i++) {
			if (extra < end)
				extra = copy_extra(s, thread, extra, b.time[i]);
			write_event(s, thread, b.time[i], b.what[i], b.value[i]);
		}
		last = b.time[b.n - 1];
		weft_progress_step(s->progress, b.n);
	}
	if (extra < end) {
		copy_extra(s, thread, extra, WEFT_NEVER);
		last = s->how->extra->time[end - 1] > last ? s->how->extra->time[end - 1] : last;
	}
	say_end(s, thread, last);
	return rc;
}

/* Not when the filter has nothing for it, nor when it does not live in the range. */
bool write_thread_stays(const struct write_stream *s, uint32_t thread)
{
	const struct weft_thread_row *row = &s->t->thread[thread];
	if (!pick_thread(s->how->filter, thread))
		return false;
	return (row->begin == WEFT_NEVER || row->begin < s->to) && row->end >= s->from;
}

int write_thread(struct write_stream *s, uint32_t thread)
{
	struct weft_cursor c;
	struct lane l = {.s = s, .thread = thread, .filter = s->how->filter};
	int rc = weft_cursor_begin(&c, s->t, thread, 0, s->to);
	if (rc)
		return rc;
	uint64_t begin = s->t->thread[thread].begin;
	write_begin_thread(s, s->t->thread[thread].number, begin > s->from ? begin : s->from);
	if (!l.filter && s->from == 0 && s->to == WEFT_NEVER) {
		rc = copy_run(s, thread, &c);
	} else {
		weft_span_begin(&l.walk, s->t, thread, lane_on_span, &l);
		rc = pick_begin(&l.pick, s->t, l.filter, thread);
		if (rc == 0)
			rc = lane_run(&l, &c);
		l.inside = false; /* so that closing the walk writes nothing */
		int closed = weft_span_end(&l.walk, l.now);
		rc = rc ? rc : closed;
	}
	write_end_thread(s);
	weft_cursor_end(&c);
	pick_fini(&l.pick);
	free(l.attr.at);
	free(l.state.at);
	free(l.held.at);
	weft_map_fini(&l.held_at);
	return rc ? rc : s->failed;
}
