/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of what the open regions of a thread say, straight from the columns of a trace of ours:
 * no records stand in between, since a function of a state's number alone has one value for each,
 * and states from regions follow each other without gaps. A block is kept over several calls, so
 * that this cursor goes alone and joins no walk.
 *
 *     events of regions ─> stack ─> its state (or its innermost region) where that changes ─> an interval
 */
#include "metric_work.h"
#include <errno.h>
#include <stdlib.h>

struct direct {
	struct metric_stream stream;
	const struct weft_space *space;
	struct metric_stack stack;
	struct weft_cursor cursor;
	struct weft_choice choice;
	struct weft_block block;
	uint32_t at; /* in the block */
	uint32_t thread;
	bool regions; /* the innermost region is the value */
	bool open, ended, given, done;
	uint64_t begin, change; /* of the interval that is open; of what was not looked at yet, WEFT_NEVER: none */
	uint64_t life_begin, life_end;
	uint32_t held, cpu, held_cpu; /* number of its state; or its region, twice, and 1 where that is useful */
	double value[PRV_STATES];     /* by state */
	double after;                 /* behind the last state */
	double from, to;
};

static void direct_free(struct metric_stream *s)
{
	struct direct *d = (struct direct *)(void *)s;
	if (d->open)
		weft_cursor_end(&d->cursor);
	metric_stack_fini(&d->stack);
	free(d);
}

/* ---- intervals ---- */

static inline double direct_time(const struct direct *d, uint64_t time)
{
	return (double)(d->space->unit_ns == 1 ? time : time / d->space->unit_ns);
}

static inline void give_value(struct direct *d, struct weft_intervals *b, uint64_t end, double value)
{
	if (!b->n)
		b->begin = direct_time(d, d->begin);
	b->end[b->n] = direct_time(d, end);
	b->value[b->n++] = value;
	d->begin = end;
}

static inline void give_held(struct direct *d, struct weft_intervals *b, uint64_t end)
{
	give_value(d, b, end, d->regions ? d->held / 2.0 : d->value[d->held]);
}

static inline uint32_t held_now(const struct direct *d)
{
	const uint32_t state = metric_stack_state(&d->stack);
	return d->regions ? metric_stack_region(&d->stack) << 1 | (state == PRV_STATE_RUNNING) : state;
}

/* All that happened at one time makes one change. */
static inline void direct_settle(struct direct *d, struct weft_intervals *b)
{
	const uint32_t now = held_now(d);
	if (now == d->held && d->cpu == d->held_cpu)
		return;
	if (d->change > d->begin)
		give_held(d, b, d->change);
	d->held = now;
	d->held_cpu = d->cpu;
}

static int next_block(struct direct *d)
{
	d->at = 0;
	d->block.n = 0;
	return d->open ? weft_cursor_next_of(&d->cursor, &d->choice, &d->block) : 0;
}

static int take_event(struct direct *d, struct weft_intervals *b)
{
	const uint32_t i = d->at++, what = d->block.what[i];
	if (d->block.time[i] != d->change && d->change != WEFT_NEVER)
		direct_settle(d, b);
	d->change = d->block.time[i];
	if (weft_what_kind(what) != WEFT_EV_CPU)
		return metric_stack_take(&d->stack, what);
	d->cpu = metric_seen_cpu(d->stack.schema, d->thread, d->block.value[i]);
	return 0;
}

/*
 * What nearly all events are: enters, and leaves of the innermost region, on a stack that has room.
 * No branch depends on which of both an event is, nor on whether an interval ends with it: programs
 * are hard to foresee there. What is written above the top of the stack, or behind the last
 * interval, does not matter. Stops at the first other event.
 */
static inline __attribute__((always_inline)) void take_fast(struct direct *d, struct weft_intervals *b, const bool regions)
{
	const struct metric_stack *k = &d->stack;
	const uint32_t *region_state = k->schema->region_state, *what = d->block.what;
	uint32_t *open = k->nest.open.at, *says = k->says.at, i = d->at, held = d->held, given = b->n;
	const size_t room = k->nest.open.cap < k->says.cap ? k->nest.open.cap : k->says.cap;
	const uint32_t outside = regions ? k->outside == PRV_STATE_RUNNING : k->outside;
	uint64_t change = d->change, begin = d->begin;
	size_t n = k->nest.open.n;
	for (; i < d->block.n && given < WEFT_INTERVALS; i++) {
		const unsigned kind = weft_what_kind(what[i]), id = weft_what_id(what[i]);
		const bool enter = kind == WEFT_EV_ENTER;
		if (n + 1 >= room || (!enter && (kind != WEFT_EV_LEAVE || !n || open[n - 1] != id)))
			break;
		if (d->block.time[i] != change) {
			const uint32_t inside = regions && n ? open[n - 1] << 1 | (says[n] == PRV_STATE_RUNNING) : says[n];
			const uint32_t now = n ? inside : outside;
			const bool gives = now != held && change > begin;
			b->end[given] = (double)change;
			b->value[given] = regions ? held / 2.0 : d->value[held];
			given += gives;
			begin = gives ? change : begin;
			held = now;
			change = d->block.time[i];
		}
		const uint32_t state = region_state[id];
		open[n] = id;
		says[n + 1] = state < PRV_STATES ? state : says[n];
		n = enter ? n + 1 : n - 1;
	}
	d->at = i;
	d->stack.nest.open.n = n;
	d->change = change;
	d->begin = begin;
	d->held = held;
	b->n = given;
}

static bool may_be_fast(const struct direct *d)
{
	return !d->stack.off && !d->stack.nest.counting && d->cpu == d->held_cpu && d->change != WEFT_NEVER &&
	       d->space->unit_ns == 1;
}

/* As many events of the block as there is room for intervals. */
static int take_events(struct direct *d, struct weft_intervals *b)
{
	int rc = 0;
	if (!b->n)
		b->begin = direct_time(d, d->begin);
	while (d->at < d->block.n && b->n < WEFT_INTERVALS && !rc) {
		if (may_be_fast(d) && d->regions)
			take_fast(d, b, true);
		else if (may_be_fast(d))
			take_fast(d, b, false);
		if (d->at < d->block.n && b->n < WEFT_INTERVALS)
			rc = take_event(d, b);
	}
	return rc;
}

/*
 * What is open, then that the thread is no more, and what comes behind the trace. There is room for
 * them.
 */
static void give_last(struct direct *d, struct weft_intervals *b)
{
	const uint64_t trace_end = d->stack.schema->trace->end;
	if (d->change != WEFT_NEVER)
		direct_settle(d, b);
	if (d->begin < d->life_end)
		give_held(d, b, d->life_end);
	if (d->begin < trace_end)
		give_value(d, b, trace_end, d->regions ? WEFT_REGION_AWAY : d->value[PRV_STATE_NOT_CREATED]);
	if (!d->regions && (d->space->fill_gaps || !(d->given || b->n)))
		give_value(d, b, d->begin, d->after);
	d->ended = true;
}

/* Cuts off what ends before the range, and what lies behind it. */
static void direct_trim(struct direct *d, struct weft_intervals *b)
{
	uint32_t first = 0;
	while (!d->given && first < b->n && b->end[first] <= d->from && !(d->ended && first + 1 == b->n))
		first++;
	if (first) {
		b->begin = b->end[first - 1];
		b->n -= first;
		memmove(b->end, b->end + first, b->n * sizeof *b->end);
		memmove(b->value, b->value + first, b->n * sizeof *b->value);
	}
	d->given |= b->n > 0;
	if (b->n && b->end[b->n - 1] >= d->to) {
		b->n = metric_ends_before(b->end, b->n, d->to) + 1;
		d->done = true;
	}
}

static int direct_next(struct metric_stream *s, struct weft_intervals *b)
{
	enum { LAST_MOST = 4 };
	struct direct *d = (struct direct *)(void *)s;
	b->n = 0;
	if (!d->begin && d->life_begin && !d->done && !d->ended)
		give_value(d, b, d->life_begin, d->regions ? WEFT_REGION_AWAY : d->value[PRV_STATE_NOT_CREATED]);
	do {
		while (b->n + LAST_MOST <= WEFT_INTERVALS && !d->done && !d->ended) {
			int rc = d->at < d->block.n ? 1 : next_block(d);
			if (rc > 0)
				rc = take_events(d, b);
			else if (!rc)
				give_last(d, b);
			if (rc < 0)
				return rc;
		}
		direct_trim(d, b);
	} while (!b->n && !d->done && !d->ended);
	return b->n > 0;
}

/* ---- which ---- */

static void run_region(struct metric_thread *t, const struct metric_records *r, double *value)
{
	(void)t;
	for (uint32_t i = 0; i < r->n; i++) /* a .prv has none */
		value[i] = 0;
}

static const struct metric_thread_func region_func = {{"Innermost Region", {{0}}, false},
                                                      METRIC_STATES | METRIC_GAPS,
                                                      run_region,
                                                      false,
                                                      false};

const struct weft_func *weft_func_innermost_region(void)
{
	return &region_func.head;
}

bool metric_direct_serves(const struct metric_site *site)
{
	const struct metric_schema *s = site->space->schema;
	const struct metric_thread_func *f = metric_thread_func_of(site->metric->of_level[WEFT_THREAD].func);
	if (!s || weft_level_of_resources(site->metric->level))
		return false;
	if (f == &region_func)
		return true;
	const uint32_t thread = s->thread[site->object];
	bool derived = thread == WEFT_NONE ? s->derived : s->states_from[thread] == METRIC_FROM_REGIONS;
	return derived && metric_func_of_state_alone(f);
}

/* One value for each state, and one for none. */
static void ask_values(struct direct *d, const struct metric_site *site)
{
	const struct weft_call *call = &site->metric->of_level[WEFT_THREAD];
	const struct metric_thread_func *f = metric_thread_func_of(call->func);
	struct metric_thread t = {.space = site->space, .metric = site->metric, .func = f, .call = call};
	t.list = f->head.param[0].name ? metric_param(call, 0) : (struct weft_list){NULL, 0};
	for (uint32_t i = 0; i <= PRV_STATES; i++) {
		const uint32_t kind = i < PRV_STATES ? METRIC_STATE : METRIC_STATE_END, none = 0;
		const double zero = 0;
		f->run(&t, &(struct metric_records){1, &zero, &kind, &i, &zero, &none},
		       i < PRV_STATES ? &d->value[i] : &d->after);
	}
}

static bool is_as_is(const struct weft_call *c)
{
	return !c->func || !strcmp(c->func->name, "As Is");
}

bool metric_has_states_alone(const struct weft_space *s, const struct weft_metric *m)
{
	const struct weft_call *call = &m->of_level[WEFT_THREAD];
	if (!s->schema || m->parent[0] || m->level != WEFT_THREAD || m->n_extra || !is_as_is(&m->compose[WEFT_THREAD]) ||
	    !is_as_is(&m->top[0]) || !is_as_is(&m->top[1]) || !metric_func_of_state_alone(metric_thread_func_of(call->func)))
		return false;
	const struct metric_site site = {.space = s, .metric = m, .level = WEFT_THREAD};
	struct direct d = {.space = s};
	ask_values(&d, &site);
	for (uint32_t i = 0; i < s->trace->n_threads; i++)
		if (!metric_direct_serves(&(struct metric_site){.space = s, .metric = m, .level = WEFT_THREAD, .object = i}))
			return false;
	return d.after == 0;
}

static bool is_change(const void *arg, uint32_t what)
{
	const struct direct *d = arg;
	const uint64_t kinds = METRIC_STACK_KINDS | (d->regions ? 0 : UINT64_C(1) << WEFT_EV_CPU);
	return kinds >> weft_what_kind(what) & 1;
}

/* Before the thread's first event. */
static int begin_thread(struct direct *d, const struct metric_site *site)
{
	const struct metric_schema *s = site->space->schema;
	d->thread = s->thread[site->object];
	int rc = metric_stack_init(&d->stack, s, d->thread);
	metric_life(s, d->thread, &d->life_begin, &d->life_end);
	if (!rc)
		d->held = held_now(d);
	if (!rc && d->thread != WEFT_NONE)
		rc = weft_cursor_begin(&d->cursor, s->trace, d->thread, 0, WEFT_NEVER);
	d->open = !rc && d->thread != WEFT_NONE;
	return rc;
}

int metric_direct_new(struct metric_stream **out, const struct metric_site *site)
{
	struct direct *d = calloc(1, sizeof *d);
	*out = NULL;
	if (!d)
		return -ENOMEM;
	d->stream = (struct metric_stream){direct_next, direct_free};
	d->space = site->space;
	d->choice = (struct weft_choice){is_change, d};
	d->regions = site->metric->of_level[WEFT_THREAD].func == &region_func.head;
	d->change = WEFT_NEVER;
	d->from = site->from;
	d->to = site->to;
	ask_values(d, site);
	int rc = begin_thread(d, site);
	if (rc)
		direct_free(&d->stream);
	else
		*out = &d->stream;
	return rc;
}
