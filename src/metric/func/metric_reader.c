/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a thread as a metric sees them: of a block of the trace's events those are kept
 * that the mask and the filter accept, and the records of one instant are put in order (ends of
 * states, events, begins of states; each in the order of the file). Only an instant at the end of a
 * block waits for the next block.
 *
 *   pending:  | ready, given out in slices | the last instant |
 */
#include "base/wide.h"
#include "metric_work.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct metric_reader {
	const struct weft_space *space;
	const struct weft_record_filter *filter;
	uint32_t mask;
	uint8_t *type_passes; /* by id of a type; owned */
	struct metric_source source;
	struct weft_walk *walk; /* borrowed; NULL: none */
	uint32_t thread;
	bool ended;
	bool ordered;      /* nothing is put in order: all records are of one rank */
	bool value_test;   /* values of events are tested */
	bool events_only;  /* and nothing else: kinds are there already, cpus are not asked for */
	uint32_t one_type; /* the only one that passes, then codes are there already, too; 0: there are several */
	bool states_only;  /* states alone; ends and begins of an instant are put right as they come */
	bool with_cpus;
	double begun; /* when the last state began, of those only */
	uint32_t cpu; /* in force */
	uint32_t at, ready, n, cap;
	double *time, *value;
	uint32_t *kind, *code, *cpu_of;
};

/* Types that pass whatever the value is: 1; those for which the value decides: 2. */
static int make_type_table(struct metric_reader *r)
{
	const struct weft_def_table *type = &r->space->trace->def[WEFT_CLASS_TYPE];
	const struct weft_test *of_type = &r->filter->test[WEFT_OF_TYPE], *of_value = &r->filter->test[WEFT_OF_VALUE];
	uint32_t n_passing = 0;
	r->type_passes = calloc((size_t)type->n + 1, 1);
	if (!r->type_passes)
		return -ENOMEM;
	r->value_test = of_value->kind != WEFT_TEST_ALL && of_value->list.n;
	for (uint32_t i = 1; i < type->n; i++) {
		bool passes = weft_test_passes(of_type, r->space->type[i]);
		if (!r->value_test)
			r->type_passes[i] = passes;
		else if (r->filter->or_type_value)
			r->type_passes[i] = passes ? 1 : 2;
		else
			r->type_passes[i] = passes ? 2 : 0;
		r->one_type = r->type_passes[i] ? r->space->type[i] : r->one_type;
		n_passing += r->type_passes[i] != 0;
	}
	r->one_type = n_passing == 1 ? r->one_type : 0;
	return 0;
}

/* Is this event of the trace one that the reader looks at? */
static bool reader_wants(const void *arg, uint32_t what)
{
	const struct metric_reader *r = arg;
	switch (weft_what_kind(what)) {
	case WEFT_EV_POINT:
	case WEFT_EV_POINT_F:
		return (r->mask & METRIC_EVENT) && r->type_passes[weft_what_id(what)];
	case WEFT_EV_STATE:
		return r->mask & METRIC_STATE;
	case WEFT_EV_STATE_END:
		return r->mask & METRIC_STATE_END;
	case WEFT_EV_CPU:
		return r->with_cpus;
	default:
		return false;
	}
}

static int begin_source(struct metric_reader *r, uint64_t from)
{
	int rc = metric_source_begin(&r->source, r->space, r->thread, from, &(struct weft_choice){reader_wants, r});
	if (r->mask & METRIC_GAPS)
		metric_source_drop_ends(&r->source);
	metric_source_join(&r->source, r->walk);
	return rc;
}

int metric_reader_new(struct metric_reader **out, const struct weft_space *s, const struct weft_record_filter *f, uint32_t thread,
                      uint32_t mask, bool with_cpus)
{
	struct metric_reader *r = calloc(1, sizeof *r);
	*out = NULL;
	if (!r)
		return -ENOMEM;
	r->space = s;
	r->filter = f;
	r->thread = thread;
	r->mask = mask;
	r->ordered = (mask & (METRIC_STATES | METRIC_EVENT)) == METRIC_EVENT;
	r->events_only = r->ordered && !with_cpus;
	r->states_only = !(mask & METRIC_EVENT) && (mask & METRIC_GAPS) && !with_cpus;
	r->with_cpus = with_cpus;
	r->begun = -1;
	int rc = make_type_table(r);
	if (!rc)
		rc = begin_source(r, 0);
	if (rc) {
		metric_reader_free(r);
		return rc;
	}
	*out = r;
	return 0;
}

void metric_reader_free(struct metric_reader *r)
{
	if (!r)
		return;
	metric_source_end(&r->source);
	free(r->type_passes);
	free(r->time);
	free(r->value);
	free(r->kind);
	free(r->code);
	free(r->cpu_of);
	free(r);
}

static int reader_grow(void *at_pp, uint32_t cap, size_t bytes)
{
	void *more = realloc(*(void **)at_pp, cap * bytes);
	if (!more)
		return -ENOMEM;
	*(void **)at_pp = more;
	return 0;
}

static int make_room(struct metric_reader *r, uint32_t more)
{
	if (r->at) { /* what was given out is gone */
		uint32_t left = r->n - r->at;
		memmove(r->time, r->time + r->at, left * sizeof *r->time);
		memmove(r->value, r->value + r->at, left * sizeof *r->value);
		memmove(r->code, r->code + r->at, left * sizeof *r->code);
		if (!r->events_only) {
			memmove(r->kind, r->kind + r->at, left * sizeof *r->kind);
			memmove(r->cpu_of, r->cpu_of + r->at, left * sizeof *r->cpu_of);
		}
		r->n = left;
		r->ready -= r->at;
		r->at = 0;
	}
	if (r->cap - r->n >= more)
		return 0;
	uint32_t cap = r->cap + r->cap / 2 > r->n + more ? r->cap + r->cap / 2 : r->n + more;
	if (reader_grow(&r->time, cap, sizeof *r->time) || reader_grow(&r->value, cap, sizeof *r->value) ||
	    reader_grow(&r->kind, cap, sizeof *r->kind) || reader_grow(&r->code, cap, sizeof *r->code) ||
	    reader_grow(&r->cpu_of, cap, sizeof *r->cpu_of))
		return -ENOMEM;
	for (uint32_t i = r->cap; i < cap && r->events_only; i++) {
		r->kind[i] = METRIC_EVENT;
		r->code[i] = r->one_type;
		r->cpu_of[i] = 0;
	}
	r->cap = cap;
	return 0;
}

static inline void reader_put(struct metric_reader *r, uint64_t time, uint32_t kind, uint32_t code, double value)
{
	uint32_t n = r->n++;
	r->time[n] = (double)(r->space->unit_ns == 1 ? time : time / r->space->unit_ns);
	r->kind[n] = kind;
	r->code[n] = code;
	r->value[n] = value;
	r->cpu_of[n] = r->cpu;
}

static inline void put_event(struct metric_reader *r, uint64_t time, uint32_t id, double value)
{
	uint8_t passes = r->type_passes[id];
	if (passes == 1 || (passes == 2 && weft_test_passes(&r->filter->test[WEFT_OF_VALUE], value)))
		reader_put(r, time, METRIC_EVENT, r->space->type[id], value);
}

static void put_state(struct metric_reader *r, uint64_t time, uint32_t id, uint64_t lasts)
{
	uint64_t unit = r->space->unit_ns;
	double length = lasts == UINT64_MAX ? -1 - (double)(time / unit) : (double)(lasts / unit);
	reader_put(r, time, METRIC_STATE, r->space->state[id], length);
}

/*
 * Integer events of types that pass whatever their values are, from the i-th of the block on; where
 * another one stands.
 */
static uint32_t take_plain_events(struct metric_reader *r, const struct weft_block *b, uint32_t i)
{
	const struct weft_space *s = r->space;
	const uint8_t *restrict passes = r->type_passes;
	const uint32_t *restrict type = s->type, *restrict what = b->what;
	const double *restrict scale = s->scale;
	double *restrict time = r->time + r->n, *restrict value = r->value + r->n;
	uint32_t *restrict code = r->code + r->n;
	const uint64_t unit = s->unit_ns;
	uint32_t n = 0;
	for (; i < b->n; i++) {
		uint32_t id = weft_what_id(what[i]);
		if (weft_what_kind(what[i]) != WEFT_EV_POINT || passes[id] != 1)
			break;
		time[n] = (double)(unit == 1 ? b->time[i] : b->time[i] / unit);
		code[n] = type[id];
		value[n++] = (double)(int64_t)b->value[i] * scale[id];
	}
	r->n += n;
	return i;
}

/* All events of the block are of one type, integers, and pass: nothing is looked up. */
WEFT_BODY take_alike_body(const uint64_t *restrict from_time, const uint64_t *restrict from_value, uint32_t n, double scale,
                          double *restrict time, double *restrict value)
{
	for (uint32_t i = 0; i < n; i++) {
		time[i] = (double)(int64_t)from_time[i];
		value[i] = (double)(int64_t)from_value[i] * scale;
	}
}
WEFT_WIDEST(take_alike,
            (const uint64_t *restrict from_time, const uint64_t *restrict from_value, uint32_t n, double scale,
             double *restrict time, double *restrict value),
            (from_time, from_value, n, scale, time, value))

static bool are_alike(const struct metric_reader *r, const struct weft_block *b)
{
	const uint32_t what = b->what[0];
	return r->source.alike && r->space->unit_ns == 1 && weft_what_kind(what) == WEFT_EV_POINT &&
	       r->type_passes[weft_what_id(what)] == 1;
}

/* The common case: events alone. */
static void take_events(struct metric_reader *r, const struct weft_block *b)
{
	if (are_alike(r, b)) {
		const uint32_t id = weft_what_id(b->what[0]);
		take_alike(b->time, b->value, b->n, r->space->scale[id], r->time + r->n, r->value + r->n);
		for (uint32_t i = 0; !r->one_type && i < b->n; i++)
			r->code[r->n + i] = r->space->type[id];
		r->n += b->n;
		return;
	}
	for (uint32_t i = 0; (i = take_plain_events(r, b, i)) < b->n; i++) {
		uint32_t id = weft_what_id(b->what[i]), kind = weft_what_kind(b->what[i]);
		double v = (double)(int64_t)b->value[i] * r->space->scale[id];
		if (kind == WEFT_EV_POINT_F)
			memcpy(&v, &b->value[i], sizeof v);
		if (kind == WEFT_EV_POINT || kind == WEFT_EV_POINT_F)
			put_event(r, b->time[i], id, v);
	}
}

/*
 * States alone. The ends of an instant go where another state begins in it, so at each instant what
 * is left is of one kind and there is nothing to order; ends wait for what the next block begins
 * with.
 */
static void take_states(struct metric_reader *r, const struct weft_block *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t id = weft_what_id(b->what[i]);
		double time = (double)(r->space->unit_ns == 1 ? b->time[i] : b->time[i] / r->space->unit_ns);
		if (weft_what_kind(b->what[i]) == WEFT_EV_STATE) {
			while (r->n > r->ready && r->time[r->n - 1] == time && r->kind[r->n - 1] == METRIC_STATE_END)
				r->n--;
			put_state(r, b->time[i], id, b->value[i]);
			r->begun = time;
		} else if (i + 1 < b->n && b->time[i + 1] == b->time[i] && weft_what_kind(b->what[i + 1]) == WEFT_EV_STATE) {
			continue; /* the most frequent case: the next state begins here */
		} else if (r->space->fill_gaps && r->begun != time) {
			reader_put(r, b->time[i], METRIC_STATE_END, r->space->state[id], 0);
		}
	}
}

/* Takes what is wanted out of a block of the trace. */
static void take_block(struct metric_reader *r, const struct weft_block *b)
{
	const double *scale = r->space->scale;
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t id = weft_what_id(b->what[i]);
		switch (weft_what_kind(b->what[i])) {
		case WEFT_EV_POINT:
			if ((r->mask & METRIC_EVENT) && r->type_passes[id])
				put_event(r, b->time[i], id, (double)(int64_t)b->value[i] * scale[id]);
			break;
		case WEFT_EV_STATE:
			if (r->mask & METRIC_STATE)
				put_state(r, b->time[i], id, b->value[i]);
			break;
		case WEFT_EV_STATE_END:
			if (r->mask & METRIC_STATE_END)
				reader_put(r, b->time[i], METRIC_STATE_END, r->space->state[id], 0);
			break;
		case WEFT_EV_CPU:
			r->cpu = b->value[i] < r->space->trace->n_cpus ? (uint32_t)b->value[i] + 1 : 0;
			break;
		case WEFT_EV_POINT_F: {
			double v;
			memcpy(&v, &b->value[i], sizeof v);
			if ((r->mask & METRIC_EVENT) && r->type_passes[id])
				put_event(r, b->time[i], id, v);
			break;
		}
		default:
			break;
		}
	}
}

struct one {
	double time, value;
	uint32_t kind, code, cpu;
};

static void move_one(struct metric_reader *r, uint32_t to, const struct one *o)
{
	r->time[to] = o->time;
	r->value[to] = o->value;
	r->kind[to] = o->kind;
	r->code[to] = o->code;
	r->cpu_of[to] = o->cpu;
}

static struct one one_at(const struct metric_reader *r, uint32_t i)
{
	return (struct one){r->time[i], r->value[i], r->kind[i], r->code[i], r->cpu_of[i]};
}

/*
 * Puts the records [from, to) of one instant in order, to `*put_at` on; an insertion sort: they are
 * few and nearly in order.
 */
static void order_instant(struct metric_reader *r, uint32_t from, uint32_t to, uint32_t *put_at)
{
	bool begins = false;
	for (uint32_t i = from; i < to; i++) {
		struct one o = one_at(r, i);
		uint32_t k = i;
		unsigned rank = metric_record_rank(o.kind);
		for (; k > from && metric_record_rank(r->kind[k - 1]) > rank; k--) {
			struct one before = one_at(r, k - 1);
			move_one(r, k, &before);
		}
		move_one(r, k, &o);
		begins |= o.kind == METRIC_STATE;
	}
	for (uint32_t i = from; i < to; i++) {
		if (r->kind[i] == METRIC_STATE_END && (r->mask & METRIC_GAPS) && (begins || !r->space->fill_gaps))
			continue;
		struct one o = one_at(r, i);
		move_one(r, (*put_at)++, &o);
	}
}

/*
 * Orders the instants in [from, n) but for the last one, unless nothing follows it. What is in
 * order is ready.
 */
static void reader_order(struct metric_reader *r, uint32_t from)
{
	uint32_t end = r->n;
	if (r->ordered) {
		r->ready = end;
		return;
	}
	if (r->states_only) {
		while (!r->ended && end > from && r->kind[end - 1] == METRIC_STATE_END && r->time[end - 1] == r->time[r->n - 1])
			end--;
		r->ready = end;
		return;
	}
	while (!r->ended && end > from && r->time[end - 1] == r->time[r->n - 1])
		end--;
	uint32_t put_at = from;
	for (uint32_t i = from, to; i < end; i = to) {
		for (to = i + 1; to < end && r->time[to] == r->time[i]; to++)
			;
		order_instant(r, i, to, &put_at);
	}
	r->ready = put_at;
	for (uint32_t i = end; i < r->n; i++) {
		struct one o = one_at(r, i);
		move_one(r, put_at++, &o);
	}
	r->n = put_at;
}

int metric_reader_next(struct metric_reader *r, struct metric_records *out)
{
	while (r->at == r->ready && !r->ended) {
		struct weft_block b;
		int rc = metric_source_next(&r->source, &b);
		if (rc < 0)
			return rc;
		r->ended = !rc;
		if (rc && make_room(r, b.n))
			return -ENOMEM;
		uint32_t from = r->ready;
		if (rc && r->events_only)
			take_events(r, &b);
		else if (rc && r->states_only)
			take_states(r, &b);
		else if (rc)
			take_block(r, &b);
		reader_order(r, from);
	}
	uint32_t n = r->ready - r->at;
	if (n > WEFT_INTERVALS)
		n = WEFT_INTERVALS;
	*out = (struct metric_records){n, r->time + r->at, r->kind + r->at, r->code + r->at, r->value + r->at, r->cpu_of + r->at};
	r->at += n;
	return n > 0;
}

/* ---- from somewhere on ---- */

static int reader_restart(struct metric_reader *r, uint64_t time)
{
	metric_source_end(&r->source);
	r->at = r->ready = r->n = 0;
	r->ended = false;
	r->begun = -1;
	return begin_source(r, time);
}

int metric_reader_join(struct metric_reader *r, struct metric_walks *w)
{
	int rc = metric_walks_get(w, r->thread, &r->walk);
	if (!rc)
		metric_source_join(&r->source, r->walk);
	return rc;
}

/* How far back it lies nobody knows: a little at first, then more. */
int metric_reader_seek(struct metric_reader *r, double from)
{
	const uint64_t at = (uint64_t)from * r->space->unit_ns;
	struct metric_records first;
	/* Which cpu holds there, and which regions are open, is said anywhere before. */
	if (r->with_cpus || !metric_source_seeks(&r->source))
		return 0;
	for (uint64_t back = r->space->trace->end / 256 + 1; back < at; back *= 8) {
		int rc = reader_restart(r, at - back);
		if (!rc)
			rc = metric_reader_next(r, &first);
		if (rc < 0)
			return rc;
		if (rc > 0 && first.time[0] <= from)
			return reader_restart(r, at - back);
	}
	return reader_restart(r, 0);
}
