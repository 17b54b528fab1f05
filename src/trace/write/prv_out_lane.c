/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of one thread, in order of time. An event becomes pairs of type and value, by a row of a table; the pairs of one
 * time share a line. A message is written where its send begins, so nothing is written for its receive. The states that regions
 * make come from prv_out_state.c, which looks ahead; those of a foreign trace say themselves how long they last.
 */
#include "prv_out.h"
#include "trace/paraver/prv_counters.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* -- text -- */

enum { FIELD = 21 }; /* a number and what ends it */

static char *put_number(char *at, uint64_t v, char end)
{
	at += weft_fmt_u64(at, v);
	*at++ = end;
	return at;
}

static char *put_object(char *at, char kind, uint32_t cpu, const char *object, unsigned n_object)
{
	*at++ = kind;
	*at++ = ':';
	at = put_number(at, cpu, ':');
	memcpy(at, object, n_object);
	return at + n_object;
}

unsigned prv_out_object(const struct weft_trace *t, uint32_t thread, char *out)
{
	const struct weft_process *p = &t->process[t->thread[thread].process];
	char *at = put_number(out, p->app + 1, ':');
	at = put_number(at, (uint32_t)(p - t->process) - t->app[p->app].first_process + 1, ':');
	at = put_number(at, thread - p->first_thread + 1, ':');
	return (unsigned)(at - out);
}

void prv_out_state(struct prv_out *o, const char *object, unsigned n_object, const struct prv_segment *s)
{
	char *from = export_room(&o->body, 4 * FIELD + 64), *at = put_object(from, '1', s->cpu, object, n_object);
	at = put_number(at, s->begin / o->unit_ns, ':');
	if (s->end == WEFT_NEVER) {
		memcpy(at, "-1:", 3);
		at += 3;
	} else {
		at = put_number(at, s->end / o->unit_ns, ':');
	}
	at = put_number(at, s->state, '\n');
	o->body.n += (size_t)(at - from);
}

static void flush_pairs(struct prv_out_lane *l, uint64_t time)
{
	struct prv_out *o = l->o;
	if (!l->n_pairs)
		return;
	char *from = export_room(&o->body, 2 * FIELD + 64 + PRV_LINE_PAIRS * 2 * FIELD),
	     *at = put_object(from, '2', l->cpu, l->object, l->n_object);
	at = put_number(at, time / o->unit_ns, ':');
	for (unsigned i = 0; i < 2 * l->n_pairs; i += 2) {
		at = put_number(at, (uint64_t)l->pair[i], ':');
		at += weft_fmt_i64(at, l->pair[i + 1]);
		*at++ = ':';
	}
	at[-1] = '\n';
	o->body.n += (size_t)(at - from);
	l->n_pairs = 0;
}

static void put_pair(struct prv_out_lane *l, uint64_t time, uint32_t type, int64_t value)
{
	if (l->n_pairs == PRV_LINE_PAIRS)
		flush_pairs(l, time);
	l->pair[2 * l->n_pairs] = type;
	l->pair[2 * l->n_pairs++ + 1] = value;
}

static void put_message(struct prv_out_lane *l, uint64_t number)
{
	struct prv_out *o = l->o;
	const struct weft_messages *m = &o->t->message;
	if (m->recv_thread[number] == WEFT_NONE || !pick_message(o->t, o->how->filter, number))
		return;
	char object[48];
	unsigned n_object = prv_out_object(o->t, m->recv_thread[number], object);
	uint64_t sent = m->send_done[number], received = m->recv_done[number];
	uint64_t send_began = m->send_began[number] == WEFT_NEVER ? sent : m->send_began[number];
	uint64_t recv_began = m->recv_began[number] == WEFT_NEVER ? received : m->recv_began[number];
	char *from = export_room(&o->body, 8 * FIELD + 160), *at = put_object(from, '3', l->cpu, l->object, l->n_object);
	at = put_number(at, send_began / o->unit_ns, ':');

	at = put_number(at, (o->from_prv ? sent : send_began) / o->unit_ns, ':');
	at = put_number(at, o->recv_cpu ? o->recv_cpu[number] : 0, ':');
	memcpy(at, object, n_object);
	at = put_number(at + n_object, recv_began / o->unit_ns, ':');
	at = put_number(at, received / o->unit_ns, ':');
	at += weft_fmt_i64(at, (int64_t)m->size[number]);
	*at++ = ':';
	at += weft_fmt_i64(at, m->tag[number]);
	*at++ = '\n';
	o->body.n += (size_t)(at - from);
}

/* -- from events to pairs, a row for each kind -- */

static bool lane_passes(const struct prv_out_lane *l, const struct weft_event *e)
{
	const struct weft_filter *f = l->o->how->filter;
	if (!f)
		return true;
	if (pick_goes_with_span(e->kind) && l->walk.open.n)
		return pick_span(&l->pick, l->walk.open.at[l->walk.open.n - 1].sequence);
	return weft_filter_event(f, e);
}

static void mark_used(struct prv_out *o, enum weft_class c, unsigned id, unsigned as)
{
	if (id < o->t->def[c].n)
		o->used[c][id] |= (uint8_t)as;
}

struct event_row {
	int (*put)(struct prv_out_lane *l, const struct weft_event *e, const struct event_row *row);
	enum weft_class of;
	uint32_t range;
	unsigned as;
};

static int put_int(struct prv_out_lane *l, const struct weft_event *e, const struct event_row *row)
{
	const struct weft_def_table *defs = &l->o->t->def[row->of];
	uint32_t number = row->range + e->id;
	if (row->range == PRV_TYPES && e->id < defs->n)
		number = prv_type_number(&defs->at[e->id], e->id);
	if (row->range == PRV_COUNTERS && e->id < defs->n)
		number = l->o->counter_number[e->id];
	mark_used(l->o, row->of, e->id, row->as);
	put_pair(l, e->time, number, (int64_t)e->value);
	return 0;
}

static int put_float(struct prv_out_lane *l, const struct weft_event *e, const struct event_row *row)
{
	double v;
	memcpy(&v, &e->value, sizeof v);
	if (isnan(v))
		return 0;
	mark_used(l->o, row->of, e->id, row->as);
	put_pair(l, e->time, row->range + e->id, prv_millionths(v));
	return 0;
}

static int put_text(struct prv_out_lane *l, const struct weft_event *e, const struct event_row *row)
{
	uint64_t key = (uint64_t)row->of << 56 | (uint64_t)e->id << 32 | (uint32_t)e->value;
	mark_used(l->o, row->of, e->id, row->as);
	put_pair(l, e->time, row->range + e->id, (int64_t)e->value);
	return weft_map_put(&l->o->text, key, 1);
}

static int put_set(struct prv_out_lane *l, const struct weft_event *e, const struct event_row *row)
{
	const struct weft_def_table *sets = &l->o->t->def[WEFT_CLASS_SET];
	uint32_t n = 0;
	const uint64_t *value = weft_extra(l->o->t, e->thread, e->value, &n);
	(void)row;
	if (e->id >= sets->n)
		return 0;
	for (uint32_t i = 0; i < n && i < sets->at[e->id].n_members; i++) {
		unsigned counter = (unsigned)sets->at[e->id].member[i];
		if (counter >= l->o->t->def[WEFT_CLASS_COUNTER].n)
			continue;
		mark_used(l->o, WEFT_CLASS_COUNTER, counter, PRV_AS_INT);
		put_pair(l, e->time, l->o->counter_number[counter], (int64_t)value[i]);
	}
	return 0;
}

static void put_other(struct prv_out_lane *l, uint64_t time, unsigned which, int64_t value)
{
	l->o->others[which] = true;
	put_pair(l, time, prv_other_number[which], value);
}

static int put_collective(struct prv_out_lane *l, const struct weft_event *e, const struct event_row *row)
{
	uint32_t n = 0;
	const uint64_t *word = weft_extra(l->o->t, e->thread, e->value, &n);
	(void)row;
	if (n < 3)
		return 0;
	int32_t root = (int32_t)(word[0] >> 32);
	put_other(l, e->time, PRV_COLLECTIVE, (int32_t)word[0]);
	put_other(l, e->time, PRV_COLLECTIVE_ROOT, root);
	put_other(l, e->time, PRV_COLLECTIVE_SENT, (int64_t)word[1]);
	put_other(l, e->time, PRV_COLLECTIVE_RECEIVED, (int64_t)word[2]);
	if (prv_is_root(l->o->t, e->thread, e->id, root))
		put_other(l, e->time, PRV_COLLECTIVE_IS_ROOT, 1);
	if (e->id < l->o->t->def[WEFT_CLASS_COMM].n && l->o->comm_number[e->id])
		put_other(l, e->time, PRV_COLLECTIVE_COMM, l->o->comm_number[e->id]);
	return 0;
}

static int put_dropped(struct prv_out_lane *l, const struct weft_event *e, const struct event_row *row)
{
	(void)row;
	put_other(l, e->time, PRV_DROPPED, (int64_t)e->value);
	return 0;
}

static int put_send(struct prv_out_lane *l, const struct weft_event *e, const struct event_row *row)
{
	(void)row;
	flush_pairs(l, e->time);
	if (!l->o->send)
		put_message(l, e->value);
	return 0;
}

static int put_state(struct prv_out_lane *l, const struct weft_event *e, const struct event_row *row)
{
	const struct weft_def_table *states = &l->o->t->def[WEFT_CLASS_STATE];
	const struct weft_filter *f = l->o->how->filter;
	uint64_t end = e->value == UINT64_MAX ? WEFT_NEVER : e->time + e->value;
	(void)row;
	if (e->id >= states->n || (f && !weft_filter_state(f, l->thread, e->id, e->time, end)))
		return 0;
	flush_pairs(l, e->time);
	struct prv_segment s = {e->time, end, (uint32_t)states->at[e->id].code, l->cpu};
	prv_out_state(l->o, l->object, l->n_object, &s);
	return 0;
}

static int put_cpu(struct prv_out_lane *l, const struct weft_event *e, const struct event_row *row)
{
	(void)row;
	flush_pairs(l, e->time);
	l->cpu = prv_out_cpu(l->o, l->thread, e->value);
	return 0;
}

/* -- regions: the innermost one of each category -- */

static uint32_t category_of(const struct prv_out *o, uint32_t region)
{
	const struct weft_def_table *regions = &o->t->def[WEFT_CLASS_REGION];
	return region < regions->n ? regions->at[region].category : 0;
}

static int lane_on_span(void *arg, const struct weft_span *span)
{
	struct prv_out_lane *l = arg;
	if (!pick_span(&l->pick, span->sequence))
		return 0;
	uint32_t category = category_of(l->o, span->region);
	for (size_t i = 0; i < l->changed.n; i++)
		if (l->changed.at[i] == category)
			return 0;
	return weft_vec_push(&l->changed, category);
}

static uint32_t innermost_of(const struct prv_out_lane *l, uint32_t category)
{
	for (size_t i = l->walk.open.n; i-- > 0;) {
		const struct weft_span *open = &l->walk.open.at[i];
		if (category_of(l->o, open->region) == category && pick_span(&l->pick, open->sequence))
			return open->region;
	}
	return 0;
}

static int put_region(struct prv_out_lane *l, const struct weft_event *e, const struct event_row *row)
{
	uint32_t what = weft_what(e->kind, e->id);
	uint64_t value = 0, sequence = l->walk.sequence;
	struct weft_block one = {1, &e->time, &what, &value};
	(void)row;
	l->changed.n = 0;
	int rc = weft_span_feed(&l->walk, &one);
	if (rc)
		return rc;
	if (e->kind == WEFT_EV_ENTER && pick_span(&l->pick, sequence)) {
		mark_used(l->o, WEFT_CLASS_REGION, e->id, PRV_AS_INT);
		put_pair(l, e->time, PRV_REGIONS + category_of(l->o, e->id), e->id);
	}
	for (size_t i = 0; i < l->changed.n; i++)
		put_pair(l, e->time, PRV_REGIONS + l->changed.at[i], innermost_of(l, l->changed.at[i]));
	return 0;
}

static const struct event_row event_rows[64] = {
	[WEFT_EV_ENTER] = {put_region, WEFT_CLASS_REGION, 0, 0},
	[WEFT_EV_LEAVE] = {put_region, WEFT_CLASS_REGION, 0, 0},
	[WEFT_EV_OFF] = {put_region, WEFT_CLASS_CATEGORY, 0, 0},
	[WEFT_EV_THREAD_END] = {put_region, WEFT_CLASS_NONE, 0, 0},
	[WEFT_EV_POINT] = {put_int, WEFT_CLASS_TYPE, PRV_TYPES, PRV_AS_INT},
	[WEFT_EV_POINT_F] = {put_float, WEFT_CLASS_TYPE, PRV_TYPES_FLOAT, PRV_AS_FLOAT},
	[WEFT_EV_POINT_S] = {put_text, WEFT_CLASS_TYPE, PRV_TYPES_TEXT, PRV_AS_TEXT},
	[WEFT_EV_COUNTER] = {put_int, WEFT_CLASS_COUNTER, PRV_COUNTERS, PRV_AS_INT},
	[WEFT_EV_COUNTER_F] = {put_float, WEFT_CLASS_COUNTER, PRV_COUNTERS_FLOAT, PRV_AS_FLOAT},
	[WEFT_EV_COUNTER_SET] = {put_set, WEFT_CLASS_SET, 0, 0},
	[WEFT_EV_ATTR] = {put_int, WEFT_CLASS_ATTR, PRV_ATTRS, PRV_AS_INT},
	[WEFT_EV_ATTR_F] = {put_float, WEFT_CLASS_ATTR, PRV_ATTRS_FLOAT, PRV_AS_FLOAT},
	[WEFT_EV_ATTR_S] = {put_text, WEFT_CLASS_ATTR, PRV_ATTRS_TEXT, PRV_AS_TEXT},
	[WEFT_EV_COLLECTIVE] = {put_collective, WEFT_CLASS_COMM, 0, 0},
	[WEFT_EV_DROPPED] = {put_dropped, WEFT_CLASS_NONE, 0, 0},
	[WEFT_EV_SEND] = {put_send, WEFT_CLASS_COMM, 0, 0},
	[WEFT_EV_STATE] = {put_state, WEFT_CLASS_STATE, 0, 0},
	[WEFT_EV_CPU] = {put_cpu, WEFT_CLASS_NONE, 0, 0},
};

/* Kinds whose filtering their own row does, or that always count. */
static bool asks_filter(unsigned kind)
{
	return kind != WEFT_EV_ENTER && kind != WEFT_EV_LEAVE && kind != WEFT_EV_OFF && kind != WEFT_EV_THREAD_END &&
	       kind != WEFT_EV_SEND && kind != WEFT_EV_STATE && kind != WEFT_EV_CPU;
}

static int put_event(struct prv_out_lane *l, const struct weft_event *e)
{
	const struct event_row *row = e->kind < 64 ? &event_rows[e->kind] : NULL;
	if (!row || !row->put || (asks_filter(e->kind) && !lane_passes(l, e)))
		return 0;
	return row->put(l, e, row);
}

/* -- the lane -- */

uint32_t prv_out_cpu(const struct prv_out *o, uint32_t thread, uint64_t cpu)
{
	const struct weft_trace *t = o->t;
	uint32_t node = t->process[t->thread[thread].process].node;
	if (cpu >= t->n_cpus || (node != WEFT_NONE && node != t->cpu[cpu].node))
		return 0;
	node = t->cpu[cpu].node;
	return o->node_first_cpu[node] + ((uint32_t)cpu - t->node[node].first_cpu);
}

void prv_out_life(const struct weft_trace *t, uint32_t thread, uint64_t *begin, uint64_t *end)
{
	const struct weft_thread_row *row = &t->thread[thread];
	*begin = row->begin < t->end ? row->begin : t->end;
	*end = row->end < t->end ? row->end : t->end;
	if (*end < *begin)
		*end = *begin;
}

static int next_block(struct prv_out_lane *l)
{
	weft_progress_step(&l->o->progress, l->block.n);
	l->at = 0;
	int rc = weft_cursor_next(&l->cursor, &l->block);
	if (rc == 0)
		l->events_ended = true;
	return rc < 0 ? rc : 0;
}

static int next_segment(struct prv_out_lane *l)
{
	int rc = l->has_segment ? prv_states_next(&l->states, &l->segment) : 0;
	l->has_segment = rc > 0;
	return rc < 0 ? rc : 0;
}

const struct prv_out_send *prv_out_first_send(const struct prv_out *o, uint32_t thread)
{
	uint64_t from = 0, to = o->n_sends;
	while (from < to) {
		uint64_t middle = from + (to - from) / 2;
		if (o->send[middle].thread < thread)
			from = middle + 1;
		else
			to = middle;
	}
	return o->send + from;
}

static void find_sends(struct prv_out_lane *l)
{
	if (!l->o->send)
		return;
	l->send = prv_out_first_send(l->o, l->thread);
	l->send_end = prv_out_first_send(l->o, l->thread + 1);
}

int prv_out_lane_begin(struct prv_out_lane *l, struct prv_out *o, uint32_t thread)
{
	*l = (struct prv_out_lane){.o = o, .thread = thread};
	l->n_object = prv_out_object(o->t, thread, l->object);
	int rc = pick_begin(&l->pick, o->t, o->how->filter, thread);
	if (rc)
		return rc;
	find_sends(l);
	weft_span_begin(&l->walk, o->t, thread, lane_on_span, l);
	l->walking = true;
	rc = weft_cursor_begin(&l->cursor, o->t, thread, 0, WEFT_NEVER);
	if (!rc)
		rc = next_block(l);
	l->has_segment = o->states_from[thread] == PRV_FROM_REGIONS;
	if (!rc && l->has_segment)
		rc = prv_states_begin(&l->states, o, thread, &l->pick);
	return rc ? rc : next_segment(l);
}

void prv_out_lane_end(struct prv_out_lane *l)
{
	weft_cursor_end(&l->cursor);
	prv_states_end(&l->states);
	l->walk.on_span = NULL;
	if (l->walking && weft_span_end(&l->walk, 0) < 0)
		l->walking = false;
	l->walking = false;
	free(l->changed.at);
	l->changed.at = NULL;
	pick_fini(&l->pick);
}

/* Regions that are open behind the last event end with the thread. */
static uint64_t closing_time(const struct prv_out_lane *l)
{
	uint64_t begin, end;
	prv_out_life(l->o->t, l->thread, &begin, &end);
	return end > l->last ? end : l->last;
}

static int put_closing(struct prv_out_lane *l)
{
	uint64_t time = closing_time(l);
	l->changed.n = 0;
	l->walking = false;
	int rc = weft_span_end(&l->walk, time);
	for (size_t i = 0; i < l->changed.n && !rc; i++)
		put_pair(l, time, PRV_REGIONS + l->changed.at[i], 0);
	flush_pairs(l, time);
	return rc;
}

static bool has_closing(const struct prv_out_lane *l)
{
	return l->events_ended && l->walking && l->walk.open.n;
}

bool prv_out_lane_time(const struct prv_out_lane *l, uint64_t *time)
{
	uint64_t event = !l->events_ended ? l->block.time[l->at] : has_closing(l) ? closing_time(l) : WEFT_NEVER;
	uint64_t state = l->has_segment ? l->segment.begin : WEFT_NEVER,
		 send = l->send < l->send_end ? l->send->time : WEFT_NEVER;
	*time = event < state ? event : state;
	*time = send < *time ? send : *time;
	return !l->events_ended || l->has_segment || has_closing(l) || l->send < l->send_end;
}

int prv_out_lane_step(struct prv_out_lane *l)
{
	uint64_t time;
	int rc = 0;
	prv_out_lane_time(l, &time);
	if (l->has_segment && l->segment.begin == time) {
		prv_out_state(l->o, l->object, l->n_object, &l->segment);
		return next_segment(l);
	}
	/* Behind the events of its instant, where a SEND stands that did not last. */
	bool event = !l->events_ended && l->block.time[l->at] == time;
	if (!event && l->send < l->send_end && l->send->time == time) {
		put_message(l, l->send++->number);
		return l->o->body.failed;
	}
	if (l->events_ended)
		return put_closing(l);
	l->last = time;
	while (!rc && !l->events_ended && l->block.time[l->at] == time) {
		uint32_t i = l->at++, what = l->block.what[i];
		struct weft_event e = {time, l->thread, weft_what_kind(what), weft_what_id(what), l->block.value[i]};
		rc = put_event(l, &e);
		if (!rc && l->at == l->block.n)
			rc = next_block(l);
	}
	flush_pairs(l, time);
	return rc ? rc : l->o->body.failed;
}
