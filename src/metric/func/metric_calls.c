/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls are told when they end, inner ones first; nested calls of one row must not be counted twice
 * in `total`. So what an inner call leaves for those around it is carried by the frames of the
 * stack:
 *   by region:   the time of a passing call is carried to the nearest open call of its region, which counts only the rest;
 *   otherwise:   the self time of a call that does not pass is carried to the call around it, until one passes and takes it.
 */
#include "metric_calls.h"
#include "metric_stack.h"
#include <errno.h>
#include <stdlib.h>

struct frame { /* beside the stack's */
	uint64_t begin, inner, carried;
	uint64_t useful; /* as in metric_call */
	uint32_t around; /* the next open one of the same region, as index + 1 */
	bool cut;        /* it was open where the range begins */
	bool chosen;     /* by one of its attributes */
};

struct metric_calls {
	const struct metric_calls_how *how;
	const struct weft_trace *trace;
	struct metric_stack stack;
	WEFT_VEC(struct frame) frame;
	uint32_t *innermost;              /* by region: its innermost open frame, as index + 1. Owned */
	const struct weft_filter *choose; /* asks for attributes */
	/* of the thread at hand: */
	int (*on_call)(void *arg, const struct metric_call *call);
	void *arg;
	struct metric_calls_sum *sum;
	uint32_t thread;
	uint64_t since; /* what was useful is summed up to here */
	bool counting;  /* the walk has come to `from` */
};

const struct weft_trace *metric_calls_trace(const struct weft_space *s)
{
	return s->schema ? s->schema->trace : s->trace;
}

int metric_calls_new(struct metric_calls **out, const struct metric_calls_how *how)
{
	struct metric_calls *c = *out = calloc(1, sizeof *c);
	if (!c)
		return -ENOMEM;
	c->how = how;
	c->trace = metric_calls_trace(how->space);
	c->choose = how->filter && weft_filter_asks_attrs(how->filter) ? how->filter : NULL;
	c->innermost = calloc((size_t)c->trace->def[WEFT_CLASS_REGION].n + 1, sizeof *c->innermost);
	return c->innermost ? 0 : -ENOMEM;
}

void metric_calls_free(struct metric_calls *c)
{
	if (!c)
		return;
	free(c->frame.at);
	free(c->innermost);
	free(c);
}

bool metric_calls_life(const struct metric_calls_how *how, uint32_t thread, uint64_t *begin, uint64_t *end)
{
	const struct weft_trace *t = metric_calls_trace(how->space);
	const struct weft_thread_row *row = &t->thread[thread];
	*begin = row->begin > how->from ? row->begin : how->from;
	*end = row->end == WEFT_NEVER ? t->end : row->end;
	*end = *end < how->to ? *end : how->to;
	return *end > *begin;
}

/* ---- regions ---- */

static bool call_passes(const struct metric_calls *c, uint32_t region, const struct frame *f, uint64_t at)
{
	const struct weft_span s = {.thread = c->thread, .region = region, .begin = f->begin, .end = at, .chosen = f->chosen};
	return !c->how->filter || weft_filter_span(c->how->filter, &s);
}

static int calls_pass(struct metric_calls *c, const struct metric_call *call)
{
	if (c->how->filter)
		c->sum->useful += call->useful;
	return c->on_call(c->arg, call);
}

/*
 * Frame i is closed, and what it held directly is in its `inner`. parent: of the frame around it;
 * NULL: none.
 */
static int close_frame(struct metric_calls *c, size_t i, uint32_t region, uint64_t at, struct frame *parent)
{
	const struct frame *f = &c->frame.at[i];
	uint64_t time = at - f->begin, self = time - f->inner;
	c->innermost[region] = f->around;
	if (!c->counting || (f->cut && at == c->how->from))
		return 0;
	struct metric_call call = {region, time, self, 0, f->useful};
	bool pass = call_passes(c, region, f, at);
	if (c->how->by_region) {
		if (f->around)
			c->frame.at[f->around - 1].carried += pass ? time : f->carried;
		call.total = time - f->carried;
	} else {
		call.total = self + f->carried;
		if (parent && !pass)
			parent->carried += call.total;
	}
	return pass ? calls_pass(c, &call) : 0;
}

/* The frames that the stack has no more. `own`: the outermost of them by its own leave. */
static int close_frames(struct metric_calls *c, uint64_t at, bool own)
{
	const uint32_t *open = c->stack.nest.open.at;
	const size_t n = c->stack.nest.open.n;
	int rc = 0;
	while (c->frame.n > n && !rc) {
		const size_t i = --c->frame.n;
		struct frame *f = &c->frame.at[i], *parent = i ? f - 1 : NULL;
		const uint64_t end = at > f->begin ? at : f->begin;
		c->sum->closed_early += (!own || i > n) && !weft_region_is_idle(c->trace, open[i]);
		if (parent)
			parent->inner += end - f->begin;
		rc = close_frame(c, i, open[i], end, parent);
	}
	return rc;
}

/* Frames know the next one of their region by its place. */
static void link_frames(struct metric_calls *c)
{
	const uint32_t *open = c->stack.nest.open.at;
	for (size_t i = 0; i < c->frame.n; i++)
		c->innermost[open[i]] = 0;
	for (size_t i = 0; i < c->frame.n; i++) {
		c->frame.at[i].around = c->innermost[open[i]];
		c->innermost[open[i]] = (uint32_t)i + 1;
	}
}

/*
 * Frame i closes while frames within it stay open. Where all calls share a row, what those have
 * counted so far and do not count themselves is carried to it, as if they ended here.
 */
static void carry_from_within(struct metric_calls *c, size_t i, uint64_t at, uint32_t category)
{
	const uint32_t *open = c->stack.nest.open.at;
	struct frame *around = NULL;
	for (size_t k = i + 1; k < c->frame.n && c->counting && !c->how->by_region; k++) {
		struct frame *f = &c->frame.at[k];
		if (weft_region_category(c->trace, open[k]) == category)
			continue;
		if (around)
			around->carried += at - f->begin; /* that was not its own time */
		if (around)
			c->frame.at[i].carried -= at - f->begin;
		if (call_passes(c, open[k], f, at))
			return;
		uint64_t own = at - f->begin - f->inner + f->carried;
		c->frame.at[i].carried += own;
		f->carried -= own;
		around = f;
	}
}

/*
 * Closes the frames of one category wherever they stand, innermost first. The frame that a closed
 * one held directly goes to the closed one's parent, whose inner time has it from its begin on when
 * it closes: so here it gets only what came before.
 */
static int close_category(struct metric_calls *c, uint64_t at, uint32_t what)
{
	const uint32_t *open = c->stack.nest.open.at, category = weft_what_id(what);
	const struct frame *child = NULL;
	size_t kept = 0;
	int rc = 0;
	for (size_t i = c->frame.n; i-- > 0 && !rc;) {
		struct frame *f = &c->frame.at[i], *parent = i ? f - 1 : NULL;
		if (weft_region_category(c->trace, open[i]) != category) {
			child = f;
			continue;
		}
		if (child)
			f->inner += at - child->begin;
		if (parent)
			parent->inner += (child ? child->begin : at) - f->begin;
		c->sum->closed_early++;
		carry_from_within(c, i, at, category);
		rc = close_frame(c, i, open[i], at, parent);
	}
	for (size_t i = 0; i < c->frame.n; i++)
		if (weft_region_category(c->trace, open[i]) != category)
			c->frame.at[kept++] = c->frame.at[i];
	c->frame.n = kept;
	if (!rc)
		rc = metric_stack_take(&c->stack, what);
	link_frames(c);
	return rc;
}

static int open_frame(struct metric_calls *c, uint64_t at, uint32_t what)
{
	const uint32_t region = weft_what_id(what);
	int rc = metric_stack_take(&c->stack, what);
	if (rc)
		return rc;
	rc = weft_vec_push(&c->frame, ((struct frame){.begin = at, .around = c->innermost[region]}));
	c->innermost[region] = (uint32_t)c->frame.n;
	return rc;
}

/* What is open at `from` begins there. */
static void begin_counting(struct metric_calls *c)
{
	for (size_t i = 0; i < c->frame.n; i++) {
		c->frame.at[i].begin = c->how->from;
		c->frame.at[i].inner = 0;
		c->frame.at[i].cut = true;
	}
	c->counting = true;
}

static inline void sum_useful(struct metric_calls *c, uint64_t until)
{
	if (until <= c->since)
		return;
	if (metric_stack_state(&c->stack) == PRV_STATE_RUNNING) {
		c->sum->useful += c->how->filter ? 0 : until - c->since;
		if (c->frame.n)
			c->frame.at[c->frame.n - 1].useful += until - c->since;
	}
	c->since = until;
}

static int take_event(struct metric_calls *c, uint64_t at, uint32_t what, uint64_t value)
{
	const unsigned kind = weft_what_kind(what);
	if (METRIC_STACK_KINDS >> kind & 1)
		sum_useful(c, at);
	switch (kind) {
	case WEFT_EV_ENTER:
		return open_frame(c, at, what);
	case WEFT_EV_OFF:
		if (weft_what_id(what))
			return close_category(c, at, what);
		break;
	case WEFT_EV_ATTR:
	case WEFT_EV_ATTR_F:
	case WEFT_EV_ATTR_S:
		if (c->frame.n)
			c->frame.at[c->frame.n - 1].chosen |= weft_filter_event(c->choose,
			                                                        &(struct weft_event){at, c->thread, kind,
			                                                                             weft_what_id(what), value});
		return 0;
	default:
		break;
	}
	int rc = metric_stack_take(&c->stack, what);
	return rc ? rc : close_frames(c, at, kind == WEFT_EV_LEAVE);
}

static bool is_taken(const void *arg, uint32_t what)
{
	const struct metric_calls *c = arg;
	const uint64_t attrs = UINT64_C(1) << WEFT_EV_ATTR | UINT64_C(1) << WEFT_EV_ATTR_F | UINT64_C(1) << WEFT_EV_ATTR_S;
	return (METRIC_STACK_KINDS | (c->choose ? attrs : 0)) >> weft_what_kind(what) & 1;
}

static int take_block(struct metric_calls *c, const struct weft_block *b)
{
	int rc = 0;
	for (uint32_t i = 0; i < b->n && !rc; i++) {
		if (!c->counting && b->time[i] >= c->how->from)
			begin_counting(c);
		rc = take_event(c, b->time[i], b->what[i], b->value[i]);
	}
	return rc;
}

static int end_thread(struct metric_calls *c)
{
	uint64_t begin, end;
	bool there = metric_calls_life(c->how, c->thread, &begin, &end);
	if (!c->counting && end > c->how->from)
		begin_counting(c);
	if (there)
		sum_useful(c, end);
	weft_nest_clear(&c->stack.nest);
	return close_frames(c, end, false);
}

/* ---- state records ---- */

static bool is_state(const void *arg, uint32_t what)
{
	(void)arg;
	return weft_what_kind(what) == WEFT_EV_STATE;
}

/* Each tells its length, and they do not nest. */
static int take_states(struct metric_calls *c, const struct weft_block *b)
{
	const struct metric_calls_how *how = c->how;
	const struct weft_def_table *states = &c->trace->def[WEFT_CLASS_STATE];
	int rc = 0;
	for (uint32_t i = 0; i < b->n && !rc; i++) {
		const uint32_t state = weft_what_id(b->what[i]);
		uint64_t begin = b->time[i] > how->from ? b->time[i] : how->from;
		uint64_t end = b->time[i] + b->value[i] < how->to ? b->time[i] + b->value[i] : how->to, time = end - begin;
		if (end < begin || (end == begin && b->time[i] < how->from))
			continue;
		if (how->filter && !weft_filter_state(how->filter, c->thread, state, begin, end))
			continue;
		uint64_t useful = states->at[state].code == PRV_STATE_RUNNING ? time : 0;
		c->sum->useful += how->filter ? 0 : useful;
		rc = calls_pass(c, &(struct metric_call){state, time, time, time, useful});
	}
	return rc;
}

/* ---- a thread ---- */

static int walk_events(struct metric_calls *c)
{
	const struct weft_choice choice = {c->how->states ? is_state : is_taken, c};
	struct weft_cursor cursor;
	struct weft_block b;
	int rc = weft_cursor_begin(&cursor, c->trace, c->thread, 0, c->how->to);
	if (rc < 0)
		return rc;
	while ((rc = weft_cursor_next_of(&cursor, &choice, &b)) > 0) {
		rc = c->how->states ? take_states(c, &b) : take_block(c, &b);
		if (rc)
			break;
		weft_progress_step(c->how->progress, b.n);
	}
	weft_cursor_end(&cursor);
	return rc;
}

int metric_calls_walk(struct metric_calls *c, uint32_t thread, int (*on_call)(void *arg, const struct metric_call *call),
                      void *arg, struct metric_calls_sum *sum)
{
	uint64_t end;
	*sum = (struct metric_calls_sum){0};
	c->on_call = on_call;
	c->arg = arg;
	c->sum = sum;
	c->thread = thread;
	c->counting = c->how->from == 0;
	bool there = metric_calls_life(c->how, thread, &c->since, &end);
	if (c->how->states)
		return walk_events(c);
	if (!c->how->space->schema) { /* a .prv has no regions */
		sum->useful = there && !c->how->filter && weft_outside_is_useful(c->trace, thread) ? end - c->since : 0;
		return 0;
	}
	int rc = metric_stack_init(&c->stack, c->how->space->schema, thread);
	if (!rc)
		rc = walk_events(c);
	if (!rc)
		rc = end_thread(c);
	sum->unmatched = c->stack.nest.unmatched;
	while (c->frame.n) /* of a walk that failed */
		c->innermost[c->stack.nest.open.at[--c->frame.n]] = 0;
	metric_stack_fini(&c->stack);
	return rc;
}
