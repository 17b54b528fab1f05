/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states lane. Where the trace has state records they are given out, with an end for each.
 * Otherwise the innermost region that says something decides, outside of all the thread runs or
 * does something else (weft_outside_is_useful), before its begin and after its end it is not
 * created, and while recording is off nobody knows: one sequence without gaps or overlaps. A state
 * also ends where the thread changes its cpu:
 *
 *     0 ── not created ── begin ── running ── waiting (a receive) ── running ── … ── end ── not created ── end of the trace
 */
#include "metric_source.h"
#include <errno.h>
#include <stdlib.h>

enum { ROOM = 16 };

static bool is_record(const void *arg, uint32_t what)
{
	const unsigned kind = weft_what_kind(what);
	(void)arg;
	return kind == WEFT_EV_STATE || kind == WEFT_EV_CPU;
}

static bool is_change(const void *arg, uint32_t what)
{
	const uint64_t kinds = METRIC_STACK_KINDS | UINT64_C(1) << WEFT_EV_CPU;
	(void)arg;
	return kinds >> weft_what_kind(what) & 1;
}

/* ---- state records ---- */

/* Those of an instant keep the order in which they began. */
static int add_end(struct metric_states_lane *l, uint64_t time, uint32_t what)
{
	int rc = weft_vec_push(&l->end, (struct metric_state_end){time, what, l->lane.cpu});
	for (size_t i = l->end.n; !rc && --i > 0 && l->end.at[i - 1].time > time;) {
		struct metric_state_end later = l->end.at[i - 1];
		l->end.at[i - 1] = l->end.at[i];
		l->end.at[i] = later;
	}
	return rc;
}

static int give_ends(struct metric_states_lane *l, uint64_t until)
{
	size_t n = 0;
	while (n < l->end.n && l->end.at[n].time <= until)
		n++;
	if (metric_events_reserve(&l->lane.out, (uint32_t)n + ROOM))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		metric_events_put(&l->lane.out, l->end.at[i].time, l->end.at[i].what, 0, l->end.at[i].cpu);
	for (size_t i = n; n && i < l->end.n; i++)
		l->end.at[i - n] = l->end.at[i];
	l->end.n -= n;
	return 0;
}

static int take_record(struct metric_states_lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	if (weft_what_kind(what) == WEFT_EV_CPU) {
		l->lane.cpu = metric_seen_cpu(l->lane.schema, l->lane.thread, value);
		return 0;
	}
	const uint32_t id = weft_what_id(what);
	int rc = give_ends(l, time);
	if (rc)
		return rc;
	metric_events_put(&l->lane.out, time, what, value, l->lane.cpu);
	return value == UINT64_MAX ? 0 : add_end(l, time + value, weft_what(WEFT_EV_STATE_END, id));
}

/* ---- states from regions ---- */

/* The state that ends is given out. There is room for it. */
static void give_state(struct metric_states_lane *l, uint64_t end)
{
	struct metric_events *out = &l->lane.out;
	const uint32_t id = l->lane.schema->paraver_state[l->state];
	metric_events_put(out, l->begin, weft_what(WEFT_EV_STATE, id), end - l->begin, l->state_cpu);
	if (!l->only_last_end || end == l->lane.schema->trace->end)
		metric_events_put(out, end, weft_what(WEFT_EV_STATE_END, id), 0, l->state_cpu);
	l->begin = end;
}

/* All that happened at one time makes one change. */
static inline void settle_change(struct metric_states_lane *l)
{
	const uint64_t time = l->change;
	const uint32_t state = metric_stack_state(&l->stack);
	l->change = WEFT_NEVER;
	if (state == l->state && l->lane.cpu == l->state_cpu)
		return;
	if (time > l->begin)
		give_state(l, time);
	l->state = state;
	l->state_cpu = l->lane.cpu;
}

static inline int take_change(struct metric_states_lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	if (time != l->change && l->change != WEFT_NEVER)
		settle_change(l);
	l->change = time;
	if (weft_what_kind(what) != WEFT_EV_CPU)
		return metric_stack_take(&l->stack, what);
	l->lane.cpu = metric_seen_cpu(l->lane.schema, l->lane.thread, value);
	return 0;
}

/* The thread's last state, and what comes after it. */
static void give_last(struct metric_states_lane *l)
{
	const uint64_t trace_end = l->lane.schema->trace->end;
	uint64_t begin, end;
	if (l->change != WEFT_NEVER)
		settle_change(l);
	metric_life(l->lane.schema, l->lane.thread, &begin, &end);
	if (l->created && l->begin < end)
		give_state(l, end);
	l->begin = end;
	l->created = false;
	l->state = PRV_STATE_NOT_CREATED;
	l->state_cpu = 0;
	if (l->begin < trace_end)
		give_state(l, trace_end);
}

/* ---- the lane ---- */

int metric_states_lane_begin(struct metric_states_lane *l, const struct metric_schema *s, uint32_t thread)
{
	uint64_t begin, end;
	*l = (struct metric_states_lane){.change = WEFT_NEVER, .created = thread != WEFT_NONE};
	int rc = metric_lane_begin(&l->lane, s, thread, 0);
	const enum metric_states_from from = thread != WEFT_NONE ? s->states_from[thread]
	                                     : s->derived        ? METRIC_FROM_REGIONS
	                                                         : METRIC_FROM_NOTHING;
	l->from_records = from == METRIC_FROM_STATES;
	l->lane.ended = from == METRIC_FROM_NOTHING;
	l->lane.choice = (struct weft_choice){l->from_records ? is_record : is_change, l};
	if (rc || from != METRIC_FROM_REGIONS)
		return rc;
	metric_life(l->lane.schema, l->lane.thread, &begin, &end);
	rc = metric_events_reserve(&l->lane.out, ROOM);
	if (!rc)
		rc = metric_stack_init(&l->stack, s, l->lane.thread);
	l->state = PRV_STATE_NOT_CREATED;
	if (!rc && begin)
		give_state(l, begin);
	l->state = l->stack.outside;
	return rc;
}

void metric_states_lane_end(struct metric_states_lane *l)
{
	metric_lane_end(&l->lane);
	metric_stack_fini(&l->stack);
	free(l->end.at);
	l->end.at = NULL;
}

static int take_block(struct metric_states_lane *l, const struct weft_block *b)
{
	int rc = metric_events_reserve(&l->lane.out, 2 * b->n + ROOM);
	if (!l->from_records) {
		for (uint32_t i = 0; i < b->n && !rc; i++)
			rc = take_change(l, b->time[i], b->what[i], b->value[i]);
		return rc;
	}
	for (uint32_t i = 0; i < b->n && !rc; i++)
		rc = take_record(l, b->time[i], b->what[i], b->value[i]);
	return rc;
}

static int take_end(struct metric_states_lane *l)
{
	l->lane.ended = true;
	if (l->from_records)
		return give_ends(l, WEFT_NEVER);
	int rc = metric_events_reserve(&l->lane.out, ROOM);
	if (!rc)
		give_last(l);
	return rc;
}

int metric_states_lane_fill(struct metric_states_lane *l)
{
	struct metric_events *out = &l->lane.out;
	struct weft_block b;
	while (out->at == out->n && !l->lane.ended) {
		int rc = l->lane.open ? weft_cursor_next_of(&l->lane.cursor, &l->lane.choice, &b) : 0;
		if (rc > 0)
			rc = take_block(l, &b);
		else if (!rc)
			rc = take_end(l);
		if (rc < 0)
			return rc;
	}
	return out->at < out->n;
}
