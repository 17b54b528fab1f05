/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State records from regions: the innermost region that says something decides, outside of all the thread runs or does something else (weft_outside_is_useful), before its
 * begin and after its end it is not created, and while recording is off nobody knows. One sequence without gaps or overlaps:
 *
 *     0 ── not created ── begin ── running ── waiting (a receive) ── running ── … ── end ── not created ── end of the trace
 *
 * A record also ends where the thread changes its cpu, so that the cpu of each record holds for all of it. It is found ahead
 * of the events that lie in it, because a line has to say where its state ends: hence a cursor of its own.
 */
#include "prv_out.h"
#include <errno.h>
#include <stdlib.h>

int prv_states_begin(struct prv_states *s, struct prv_out *o, uint32_t thread, const struct pick *pick)
{
	const uint32_t outside = prv_state_outside(o->t, thread);
	uint64_t end;
	*s = (struct prv_states){.o = o, .thread = thread, .pick = pick, .state = outside, .outside = outside};
	prv_out_life(o->t, thread, &s->begin, &end);
	weft_span_begin(&s->walk, o->t, thread, NULL, NULL);
	s->walking = true;
	return weft_cursor_begin(&s->cursor, o->t, thread, 0, WEFT_NEVER);
}

void prv_states_end(struct prv_states *s)
{
	weft_cursor_end(&s->cursor);
	if (s->walking && weft_span_end(&s->walk, 0) < 0)
		s->walking = false;
	s->walking = false;
}

static uint32_t state_now(const struct prv_states *s)
{
	if (s->off)
		return PRV_STATE_DISABLED;
	const struct weft_def_table *regions = &s->o->t->def[WEFT_CLASS_REGION];
	bool inside = false;
	for (size_t i = s->walk.open.n; i-- > 0;) {
		const struct weft_span *open = &s->walk.open.at[i];
		if (open->region >= regions->n || !pick_span(s->pick, open->sequence))
			continue;
		inside = true;
		uint32_t state = s->o->region_state[open->region];
		if (state != UINT32_MAX)
			return state;
	}
	return inside ? PRV_STATE_RUNNING : s->outside;
}

static int feed(struct prv_states *s, uint32_t i)
{
	unsigned kind = weft_what_kind(s->block.what[i]), id = weft_what_id(s->block.what[i]);
	if (kind == WEFT_EV_CPU)
		s->cpu_now = prv_out_cpu(s->o, s->thread, s->block.value[i]);
	else if ((kind == WEFT_EV_OFF || kind == WEFT_EV_ON) && id == 0)
		s->off = kind == WEFT_EV_OFF;
	if (kind != WEFT_EV_ENTER && kind != WEFT_EV_LEAVE && kind != WEFT_EV_OFF && kind != WEFT_EV_THREAD_END)
		return 0;
	struct weft_block one = {1, &s->block.time[i], &s->block.what[i], &s->block.value[i]};
	return weft_span_feed(&s->walk, &one);
}

/* The next time at which there is an event: 1, 0 at the end, negative. */
static int next_time(struct prv_states *s, uint64_t *time)
{
	int rc = 1;
	if (s->at == s->block.n) {
		s->at = 0;
		rc = weft_cursor_next(&s->cursor, &s->block);
	}
	if (rc > 0)
		*time = s->block.time[s->at];
	return rc;
}

/* The end of the thread: its last record, then, once more, what comes after. */
static int last_segments(struct prv_states *s, struct prv_segment *next)
{
	uint64_t begin, end, trace_end = s->o->t->end;
	prv_out_life(s->o->t, s->thread, &begin, &end);
	uint64_t until = s->ended ? trace_end : end;
	*next = (struct prv_segment){s->begin, until, s->ended ? PRV_STATE_NOT_CREATED : s->state, s->ended ? 0 : s->cpu};
	if (s->begin >= until && s->ended)
		return 0;
	s->begin = until;
	if (!s->ended) {
		s->ended = true;
		return next->end > next->begin ? 1 : last_segments(s, next);
	}
	return 1;
}

int prv_states_next(struct prv_states *s, struct prv_segment *next)
{
	uint64_t time, event_time;
	int rc;
	while (!s->ended && (rc = next_time(s, &time)) != 0) {
		if (rc < 0)
			return rc;
		/* All that happens at one time makes one change. */
		while ((rc = next_time(s, &event_time)) > 0 && event_time == time)
			if ((rc = feed(s, s->at++)) < 0)
				return rc;
		if (rc < 0)
			return rc;
		uint32_t state = state_now(s);
		if (state == s->state && s->cpu_now == s->cpu)
			continue;
		*next = (struct prv_segment){s->begin, time, s->state, s->cpu};
		s->state = state;
		s->cpu = s->cpu_now;
		if (time > s->begin) {
			s->begin = time;
			return 1;
		}
	}
	return last_segments(s, next);
}
