/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The events lane. A region's events say which region of its category is the innermost: each depth
 * keeps what was so before, so an enter and a leave cost the same whatever is open. A row of a
 * table says what other kinds become.
 */
#include "metric_source.h"
#include "trace/paraver/prv_counters.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 64 }; /* for what a few events make more than one of */

static uint32_t category_of(const struct metric_events_lane *l, uint32_t region)
{
	return l->category[region];
}

/* ---- what is wanted of the trace ---- */

static bool wants_members(const struct metric_events_lane *l, uint32_t set)
{
	const struct metric_schema *s = l->lane.schema;
	const struct weft_def_table *sets = &s->trace->def[WEFT_CLASS_SET];
	const uint32_t n_counters = s->trace->def[WEFT_CLASS_COUNTER].n;
	for (uint32_t i = 0; set < sets->n && i < sets->at[set].n_members; i++)
		if (sets->at[set].member[i] < n_counters && l->wanted[s->type[WEFT_EV_COUNTER][sets->at[set].member[i]]])
			return true;
	return false;
}

static bool is_chosen(const void *arg, uint32_t what)
{
	const struct metric_events_lane *l = arg;
	const struct metric_schema *s = l->lane.schema;
	const unsigned kind = weft_what_kind(what), id = weft_what_id(what);
	switch (kind) {
	case WEFT_EV_ENTER:
	case WEFT_EV_LEAVE:
	case WEFT_EV_OFF:
	case WEFT_EV_THREAD_END:
		return l->regions;
	case WEFT_EV_SEND:
	case WEFT_EV_RECV:
		return l->asks.of(l->asks.arg, what);
	case WEFT_EV_CPU:
		return l->cpus;
	case WEFT_EV_COUNTER_SET:
		return wants_members(l, id);
	case WEFT_EV_COLLECTIVE:
		for (unsigned i = PRV_COLLECTIVE; i < PRV_OTHERS_END; i++)
			if (i != PRV_DROPPED && l->wanted[s->other_type[i]])
				return true;
		return false;
	case WEFT_EV_DROPPED:
		return l->wanted[s->other_type[PRV_DROPPED]];
	default:
		return kind < METRIC_EVENT_KINDS && s->type[kind] && id < s->trace->def[metric_event_kinds[kind].of].n &&
		       l->wanted[s->type[kind][id]];
	}
}

int metric_events_lane_begin(struct metric_events_lane *l, const struct metric_schema *s, uint32_t thread, uint64_t from,
                             const struct weft_choice *choice)
{
	const uint32_t n_types = s->seen.def[WEFT_CLASS_TYPE].n, n_categories = s->trace->def[WEFT_CLASS_CATEGORY].n,
		       n_regions = s->trace->def[WEFT_CLASS_REGION].n;
	*l = (struct metric_events_lane){.asks = *choice};
	int rc = metric_lane_begin(&l->lane, s, thread, from);
	if (rc)
		return rc;
	l->wanted = calloc((size_t)n_types + 1, 1);
	l->region = calloc((size_t)n_categories + 1, sizeof *l->region);
	l->said = calloc((size_t)n_categories + 1, 1);
	l->category = calloc((size_t)n_regions + 1, sizeof *l->category);
	if (!l->wanted || !l->region || !l->said || !l->category)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_regions; i++)
		l->category[i] = weft_region_category(s->trace, i);
	uint32_t n_wanted = 0;
	for (uint32_t i = 1; i < n_types; i++)
		n_wanted += l->wanted[i] = choice->of(choice->arg, weft_what(WEFT_EV_POINT, i));
	for (uint32_t i = 0; i < n_categories; i++)
		l->regions |= l->wanted[s->category_type[i]];
	l->cpus = choice->of(choice->arg, weft_what(WEFT_EV_CPU, 0));
	l->alone = n_wanted == 1 && !l->cpus && !choice->of(choice->arg, weft_what(WEFT_EV_SEND, 0)) &&
	           !choice->of(choice->arg, weft_what(WEFT_EV_RECV, 0));
	l->lane.choice = (struct weft_choice){is_chosen, l};
	return 0;
}

void metric_events_lane_end(struct metric_events_lane *l)
{
	metric_lane_end(&l->lane);
	weft_nest_fini(&l->nest);
	free(l->below.at);
	l->below.at = NULL;
	free(l->wanted);
	free(l->region);
	free(l->said);
	free(l->category);
	l->wanted = l->said = NULL;
	l->region = l->category = NULL;
}

/* ---- from an event to one of a type ---- */

static inline void put_type(struct metric_events_lane *l, uint64_t time, uint32_t type, uint64_t value)
{
	if (l->wanted[type])
		metric_events_put(&l->lane.out, time, weft_what(WEFT_EV_POINT, type), value, l->lane.cpu);
}

static void put_category(struct metric_events_lane *l, uint64_t time, uint32_t category)
{
	put_type(l, time, l->lane.schema->category_type[category], l->region[category]);
}

/*
 * After regions were closed from the inside: [n, was) are no more. Each category is said once, in
 * the order of their closing.
 */
static int put_closed(struct metric_events_lane *l, uint64_t time, size_t was)
{
	const uint32_t *open = l->nest.open.at;
	const size_t n = l->nest.open.n;
	if (was - n == 1) {
		uint32_t category = category_of(l, open[n]);
		l->region[category] = l->below.at[n];
		put_category(l, time, category);
		return 0;
	}
	if (metric_events_reserve(&l->lane.out, (uint32_t)(was - n) + ROOM))
		return -ENOMEM;
	for (size_t i = was; i-- > n;)
		l->region[category_of(l, open[i])] = l->below.at[i];
	for (size_t i = was; i-- > n;) {
		uint32_t category = category_of(l, open[i]);
		if (!l->said[category])
			put_category(l, time, category);
		l->said[category] = 1;
	}
	for (size_t i = was; i-- > n;)
		l->said[category_of(l, open[i])] = 0;
	return 0;
}

/*
 * What was open of one category is closed wherever it stands; so what is left stands at other
 * depths.
 */
static int close_category(struct metric_events_lane *l, uint64_t time, uint32_t category)
{
	struct weft_nest *nest = &l->nest;
	const size_t was = nest->open.n;
	weft_nest_close_category(nest, l->lane.schema->trace, category);
	if (nest->open.n == was)
		return 0;
	for (size_t i = 0; i < nest->open.n; i++)
		l->region[category_of(l, nest->open.at[i])] = 0;
	l->region[category] = 0;
	for (size_t i = 0; i < nest->open.n; i++) {
		uint32_t of = category_of(l, nest->open.at[i]);
		l->below.at[i] = l->region[of];
		l->region[of] = nest->open.at[i];
	}
	put_category(l, time, category);
	return 0;
}

static int enter_region(struct metric_events_lane *l, uint64_t time, uint32_t id)
{
	const uint32_t category = category_of(l, id);
	int rc = weft_nest_enter(&l->nest, id);
	l->below.n = l->nest.open.n - 1;
	if (!rc)
		rc = weft_vec_push(&l->below, l->region[category]);
	l->region[category] = id;
	put_category(l, time, category);
	return rc;
}

static inline int take_region(struct metric_events_lane *l, uint64_t time, uint32_t what)
{
	const size_t was = l->nest.open.n;
	const uint32_t id = weft_what_id(what);
	if (weft_what_kind(what) == WEFT_EV_ENTER)
		return enter_region(l, time, id);
	if (weft_what_kind(what) == WEFT_EV_OFF && id)
		return close_category(l, time, id);
	int rc = 0;
	if (weft_what_kind(what) == WEFT_EV_LEAVE)
		rc = weft_nest_leave(&l->nest, id);
	else
		weft_nest_clear(&l->nest);
	return rc || l->nest.open.n == was ? rc : put_closed(l, time, was);
}

static int take_set(struct metric_events_lane *l, uint64_t time, uint32_t id, uint64_t at)
{
	const struct metric_schema *s = l->lane.schema;
	const struct weft_def_table *sets = &s->trace->def[WEFT_CLASS_SET];
	const uint32_t n_counters = s->trace->def[WEFT_CLASS_COUNTER].n;
	uint32_t n = 0;
	const uint64_t *value = weft_extra(s->trace, l->lane.thread, at, &n);
	if (id >= sets->n)
		return 0;
	n = n < sets->at[id].n_members ? n : sets->at[id].n_members;
	if (metric_events_reserve(&l->lane.out, n + ROOM))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		if (sets->at[id].member[i] < n_counters)
			put_type(l, time, s->type[WEFT_EV_COUNTER][sets->at[id].member[i]], value[i]);
	return 0;
}

static int take_collective(struct metric_events_lane *l, uint64_t time, uint32_t comm, uint64_t at)
{
	const struct weft_trace *t = l->lane.schema->trace;
	const uint32_t *type = l->lane.schema->other_type;
	uint32_t n = 0;
	const uint64_t *word = weft_extra(t, l->lane.thread, at, &n);
	if (n < 3)
		return 0;
	if (metric_events_reserve(&l->lane.out, ROOM))
		return -ENOMEM;
	put_type(l, time, type[PRV_COLLECTIVE], (uint64_t)(int32_t)word[0]);
	put_type(l, time, type[PRV_COLLECTIVE_ROOT], (uint64_t)(int32_t)(word[0] >> 32));
	put_type(l, time, type[PRV_COLLECTIVE_SENT], word[1]);
	put_type(l, time, type[PRV_COLLECTIVE_RECEIVED], word[2]);
	if (prv_is_root(t, l->lane.thread, comm, (int32_t)(word[0] >> 32)))
		put_type(l, time, type[PRV_COLLECTIVE_IS_ROOT], 1);
	if (l->wanted[type[PRV_COLLECTIVE_COMM]] && prv_comm_number(t, comm))
		put_type(l, time, type[PRV_COLLECTIVE_COMM], prv_comm_number(t, comm));
	return 0;
}

/*
 * An event whose definition is a type: the value as it is, or in millionths, as the unit of the
 * type says.
 */
static void take_value(struct metric_events_lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	const unsigned kind = weft_what_kind(what);
	const struct metric_schema *s = l->lane.schema;
	if (kind >= METRIC_EVENT_KINDS || !s->type[kind])
		return;
	if (metric_event_kinds[kind].as == METRIC_AS_FLOAT) {
		double v;
		memcpy(&v, &value, sizeof v);
		if (isnan(v))
			return;
		value = (uint64_t)prv_millionths(v);
	}
	put_type(l, time, s->type[kind][weft_what_id(what)], value);
}

static int take_event(struct metric_events_lane *l, uint64_t time, uint32_t what, uint64_t value)
{
	switch (weft_what_kind(what)) {
	case WEFT_EV_ENTER:
	case WEFT_EV_LEAVE:
	case WEFT_EV_OFF:
	case WEFT_EV_THREAD_END:
		return take_region(l, time, what);
	case WEFT_EV_SEND:
	case WEFT_EV_RECV:
		metric_events_put(&l->lane.out, time, what, value, l->lane.cpu);
		return 0;
	case WEFT_EV_CPU:
		l->lane.cpu = metric_seen_cpu(l->lane.schema, l->lane.thread, value);
		return 0;
	case WEFT_EV_COUNTER_SET:
		return take_set(l, time, weft_what_id(what), value);
	case WEFT_EV_COLLECTIVE:
		return take_collective(l, time, weft_what_id(what), value);
	case WEFT_EV_DROPPED:
		put_type(l, time, l->lane.schema->other_type[PRV_DROPPED], value);
		return 0;
	default:
		take_value(l, time, what, value);
		return 0;
	}
}

/* ---- blocks ---- */

/* All events of the block are of one definition, and their values are what they stand for. */
static bool take_alike(struct metric_events_lane *l, const struct weft_block *b)
{
	const unsigned kind = weft_what_kind(b->what[0]);
	const struct metric_schema *s = l->lane.schema;
	struct metric_events *out = &l->lane.out;
	if (!l->lane.cursor.alike || kind >= METRIC_EVENT_KINDS || !s->type[kind] ||
	    metric_event_kinds[kind].as == METRIC_AS_FLOAT)
		return false;
	const uint32_t what = weft_what(WEFT_EV_POINT, s->type[kind][weft_what_id(b->what[0])]);
	memcpy(out->time + out->n, b->time, b->n * sizeof *b->time);
	memcpy(out->value + out->n, b->value, b->n * sizeof *b->value);
	for (uint32_t i = 0; i < b->n; i++) {
		out->what[out->n + i] = what;
		out->cpu[out->n + i] = l->lane.cpu;
	}
	l->alike = !out->n;
	out->n += b->n;
	return true;
}

/*
 * What nearly all events of regions are: enters, and leaves of the innermost region, without a
 * branch on which of both it is; what is written behind the last event, or above the top of the
 * stack, does not matter. Where another event stands.
 */
static uint32_t take_fast(struct metric_events_lane *l, const struct weft_block *b, uint32_t i)
{
	struct metric_events *out = &l->lane.out;
	const uint32_t *type = l->lane.schema->category_type, *category = l->category, cpu = l->lane.cpu;
	uint32_t *open = l->nest.open.at, *below = l->below.at, *region = l->region, given = out->n;
	const size_t room = l->nest.open.cap < l->below.cap ? l->nest.open.cap : l->below.cap;
	size_t n = l->nest.open.n;
	for (; i < b->n && given < out->cap; i++) {
		const unsigned kind = weft_what_kind(b->what[i]), id = weft_what_id(b->what[i]);
		const bool enter = kind == WEFT_EV_ENTER;
		if (n >= room || (!enter && (kind != WEFT_EV_LEAVE || !n || open[n - 1] != id)))
			break;
		const uint32_t of = category[id], innermost = enter ? id : below[n - !enter];
		open[n] = id;
		below[n] = region[of];
		region[of] = innermost;
		n = enter ? n + 1 : n - 1;
		out->time[given] = b->time[i];
		out->value[given] = innermost;
		out->what[given] = weft_what(WEFT_EV_POINT, type[of]);
		out->cpu[given] = cpu;
		given += l->wanted[type[of]];
	}
	l->nest.open.n = n;
	out->n = given;
	return i;
}

/* Regions that are open behind the last event end with the thread. */
static int take_end(struct metric_events_lane *l)
{
	uint64_t begin, end, last = weft_thread_last(l->lane.schema->trace, l->lane.thread);
	const size_t was = l->nest.open.n;
	l->lane.ended = true;
	metric_life(l->lane.schema, l->lane.thread, &begin, &end);
	end = end > last ? end : last;
	if (!was)
		return 0;
	weft_nest_clear(&l->nest);
	return put_closed(l, end, was);
}

int metric_events_lane_fill(struct metric_events_lane *l)
{
	struct metric_events *out = &l->lane.out;
	struct weft_block b;
	l->alike = false;
	while (out->at == out->n && !l->lane.ended) {
		int rc = weft_cursor_next_of(&l->lane.cursor, &l->lane.choice, &b);
		if (rc >= 0 && metric_events_reserve(out, (rc ? b.n : 0) + ROOM))
			return -ENOMEM;
		if (rc <= 0) {
			rc = rc < 0 ? rc : take_end(l);
			if (rc)
				return rc;
			break;
		}
		if (take_alike(l, &b))
			break;
		for (uint32_t i = 0; i < b.n && rc > 0; i++) {
			if (l->regions && !l->nest.counting && (i = take_fast(l, &b, i)) == b.n)
				break;
			int failed = out->cap - out->n < b.n - i + 1 ? metric_events_reserve(out, b.n - i + ROOM) : 0;
			failed = failed ? failed : take_event(l, b.time[i], b.what[i], b.value[i]);
			rc = failed ? failed : 1;
		}
		if (rc < 0)
			return rc;
		l->alike = l->alone;
	}
	return out->at < out->n;
}
