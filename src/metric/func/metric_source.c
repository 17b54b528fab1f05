/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Putting lanes together: one alone, or two merged by time, with a CPU event before each event that
 * was on another cpu.
 */
#include "metric_source.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- events that were translated ---- */

static int events_grow(void *at_pp, uint32_t cap, size_t bytes)
{
	void *more = realloc(*(void **)at_pp, cap * bytes);
	if (!more)
		return -ENOMEM;
	*(void **)at_pp = more;
	return 0;
}

int metric_events_reserve(struct metric_events *e, uint32_t more)
{
	if (e->at) {
		uint32_t left = e->n - e->at;
		memmove(e->time, e->time + e->at, left * sizeof *e->time);
		memmove(e->value, e->value + e->at, left * sizeof *e->value);
		memmove(e->what, e->what + e->at, left * sizeof *e->what);
		memmove(e->cpu, e->cpu + e->at, left * sizeof *e->cpu);
		e->n = left;
		e->at = 0;
	}
	if (e->cap - e->n >= more)
		return 0;
	uint32_t cap = e->cap + e->cap / 2 > e->n + more ? e->cap + e->cap / 2 : e->n + more;
	if (events_grow(&e->time, cap, sizeof *e->time) || events_grow(&e->value, cap, sizeof *e->value) ||
	    events_grow(&e->what, cap, sizeof *e->what) || events_grow(&e->cpu, cap, sizeof *e->cpu))
		return -ENOMEM;
	e->cap = cap;
	return 0;
}

void metric_events_fini(struct metric_events *e)
{
	free(e->time);
	free(e->value);
	free(e->what);
	free(e->cpu);
	*e = (struct metric_events){.n = 0};
}

/* ---- lanes ---- */

int metric_lane_begin(struct metric_lane *l, const struct metric_schema *s, uint32_t thread, uint64_t from)
{
	*l = (struct metric_lane){.schema = s, .thread = thread};
	if (thread == WEFT_NONE) /* of a process that recorded none */
		return 0;
	int rc = weft_cursor_begin(&l->cursor, s->trace, thread, from, WEFT_NEVER);
	l->open = !rc;
	return rc;
}

void metric_lane_end(struct metric_lane *l)
{
	if (l->open)
		weft_cursor_end(&l->cursor);
	metric_events_fini(&l->out);
	*l = (struct metric_lane){.open = false};
}

uint32_t metric_seen_cpu(const struct metric_schema *s, uint32_t thread, uint64_t cpu)
{
	const struct weft_trace *t = s->trace;
	uint32_t node = t->process[t->thread[thread].process].node;
	if (cpu >= t->n_cpus || (node != WEFT_NONE && node != t->cpu[cpu].node))
		return 0;
	return s->cpu[cpu] + 1;
}

void metric_life(const struct metric_schema *s, uint32_t thread, uint64_t *begin, uint64_t *end)
{
	const struct weft_trace *t = s->trace;
	*begin = 0;
	*end = 0;
	if (thread == WEFT_NONE)
		return;
	const struct weft_thread_row *row = &t->thread[thread];
	*begin = row->begin < t->end ? row->begin : t->end;
	*end = row->end < t->end ? row->end : t->end;
	if (*end < *begin)
		*end = *begin;
}

/* ---- the source ---- */

static bool source_wants_states(const struct metric_schema *s, const struct weft_choice *c)
{
	for (uint32_t i = 1; i < s->seen.def[WEFT_CLASS_STATE].n; i++)
		if (c->of(c->arg, weft_what(WEFT_EV_STATE, i)) || c->of(c->arg, weft_what(WEFT_EV_STATE_END, i)))
			return true;
	return false;
}

static bool source_wants_events(const struct metric_schema *s, const struct weft_choice *c)
{
	if (c->of(c->arg, weft_what(WEFT_EV_SEND, 0)) || c->of(c->arg, weft_what(WEFT_EV_RECV, 0)))
		return true;
	for (uint32_t i = 1; i < s->seen.def[WEFT_CLASS_TYPE].n; i++)
		if (c->of(c->arg, weft_what(WEFT_EV_POINT, i)))
			return true;
	return false;
}

int metric_source_begin(struct metric_source *m, const struct weft_space *s, uint32_t thread, uint64_t from,
                        const struct weft_choice *choice)
{
	*m = (struct metric_source){.space = s, .schema = s->schema, .thread = thread, .choice = *choice};
	if (!s->schema)
		return weft_cursor_begin(&m->cursor, s->trace, thread, from, WEFT_NEVER);
	const uint32_t real = s->schema->thread[thread];
	m->has_states = source_wants_states(s->schema, choice);
	m->has_events = real != WEFT_NONE && source_wants_events(s->schema, choice);
	m->has_cpus = choice->of(choice->arg, weft_what(WEFT_EV_CPU, 0));
	if (!metric_source_seeks(m))
		from = 0;
	int rc = 0;
	if (m->has_states)
		rc = metric_states_lane_begin(&m->states, s->schema, real);
	if (!rc && m->has_events)
		rc = metric_events_lane_begin(&m->events, s->schema, real, from, choice);
	return rc;
}

bool metric_source_seeks(const struct metric_source *m)
{
	const struct metric_schema *s = m->schema;
	bool regions = false;
	for (uint32_t i = 0; s && m->has_events && i < s->trace->def[WEFT_CLASS_CATEGORY].n; i++)
		regions |= s->category_type[i] && m->choice.of(m->choice.arg, weft_what(WEFT_EV_POINT, s->category_type[i]));
	return !s || (!m->has_states && !regions);
}

void metric_source_drop_ends(struct metric_source *m)
{
	m->states.only_last_end = true;
}

void metric_source_join(struct metric_source *m, struct weft_walk *w)
{
	weft_cursor_join(&m->cursor, w);
	weft_cursor_join(&m->states.lane.cursor, w);
	weft_cursor_join(&m->events.lane.cursor, w);
}

void metric_source_end(struct metric_source *m)
{
	if (!m->space)
		return;
	if (!m->schema)
		weft_cursor_end(&m->cursor);
	if (m->has_states)
		metric_states_lane_end(&m->states);
	if (m->has_events)
		metric_events_lane_end(&m->events);
	metric_events_fini(&m->out);
	*m = (struct metric_source){.space = NULL};
}

/* All that a lane has. */
static int give_lane(struct metric_events *e, struct weft_block *b)
{
	*b = (struct weft_block){e->n - e->at, e->time + e->at, e->what + e->at, e->value + e->at};
	e->at = e->n;
	return 1;
}

static int fill_states(struct metric_source *m)
{
	struct metric_lane *l = &m->states.lane;
	return !m->has_states || l->ended || l->out.at < l->out.n ? 0 : metric_states_lane_fill(&m->states);
}

static int fill_events(struct metric_source *m)
{
	struct metric_lane *l = &m->events.lane;
	return !m->has_events || l->ended || l->out.at < l->out.n ? 0 : metric_events_lane_fill(&m->events);
}

static void put_merged(struct metric_source *m, struct metric_events *from)
{
	uint32_t i = from->at++;
	if (m->has_cpus && from->cpu[i] != m->cpu) {
		m->cpu = from->cpu[i];
		metric_events_put(&m->out, from->time[i], weft_what(WEFT_EV_CPU, 0), m->cpu ? m->cpu - 1 : WEFT_NONE, m->cpu);
	}
	metric_events_put(&m->out, from->time[i], from->what[i], from->value[i], from->cpu[i]);
}

/* As far as both lanes have something, or have ended. */
static int give_merged(struct metric_source *m, struct weft_block *b)
{
	struct metric_events *s = &m->states.lane.out, *e = &m->events.lane.out;
	uint32_t most = 2 * (s->n - s->at + e->n - e->at);
	m->out.at = m->out.n = 0;
	if (!most)
		return 0;
	if (metric_events_reserve(&m->out, most))
		return -ENOMEM;
	bool more_states = m->has_states && !m->states.lane.ended, more_events = m->has_events && !m->events.lane.ended;
	while (s->at < s->n || e->at < e->n) {
		if ((s->at == s->n && more_states) || (e->at == e->n && more_events))
			break;
		bool state = e->at == e->n || (s->at < s->n && s->time[s->at] <= e->time[e->at]);
		put_merged(m, state ? s : e);
	}
	return give_lane(&m->out, b);
}

int metric_source_next(struct metric_source *m, struct weft_block *b)
{
	if (!m->schema) {
		int rc = weft_cursor_next_of(&m->cursor, &m->choice, b);
		m->alike = m->cursor.alike;
		return rc;
	}
	int rc = fill_states(m);
	if (rc >= 0)
		rc = fill_events(m);
	m->alike = false;
	if (rc < 0)
		return rc;
	if (m->has_cpus || (m->has_states && m->has_events))
		return give_merged(m, b);
	struct metric_events *e = m->has_states ? &m->states.lane.out : &m->events.lane.out;
	m->alike = m->has_events && m->events.alike;
	return e->at < e->n ? give_lane(e, b) : 0;
}
