/* SPDX-License-Identifier: Apache-2.0 */
/* What an event closes the nest says (nest.c); here stands what is known of each open region, and is told when it closes. */
#include "filter.h"
#include <errno.h>
#include <stdlib.h>

void weft_span_begin(struct weft_span_walk *w, const struct weft_trace *trace, uint32_t thread,
                     int (*on_span)(void *, const struct weft_span *), void *arg)
{
	*w = (struct weft_span_walk){.thread = thread, .on_span = on_span, .arg = arg, .trace = trace};
}

void weft_span_choose(struct weft_span_walk *w, const struct weft_filter *f)
{
	w->choose = f && weft_filter_asks_attrs(f) ? f : NULL;
}

static int span_open(struct weft_span_walk *w, uint64_t at, uint32_t region)
{
	struct weft_span s = {.thread = w->thread, .region = region, .begin = at, .sequence = w->sequence++};
	if (w->open.n)
		s.depth = w->open.at[w->open.n - 1].depth + 1;
	int rc = weft_nest_enter(&w->nest, region);
	return rc ? rc : weft_vec_push(&w->open, s);
}

static int span_say(struct weft_span_walk *w, struct weft_span *s, uint64_t at, bool early)
{
	s->end = at;
	s->closed_early = early;
	w->closed_early += early;
	return w->on_span ? w->on_span(w->arg, s) : 0;
}

static int span_close_innermost(struct weft_span_walk *w, uint64_t at, bool early)
{
	struct weft_span s = w->open.at[--w->open.n];
	if (at < s.begin)
		at = s.begin;
	if (w->open.n)
		w->open.at[w->open.n - 1].inner += at - s.begin;
	return span_say(w, &s, at, early);
}

static int span_close_all(struct weft_span_walk *w, uint64_t at)
{
	int rc = 0;
	weft_nest_clear(&w->nest);
	while (w->open.n && rc == 0)
		rc = span_close_innermost(w, at, !w->trace || !weft_region_is_idle(w->trace, w->open.at[w->open.n - 1].region));
	return rc;
}

static int span_leave(struct weft_span_walk *w, uint64_t at, uint32_t region)
{
	int rc = weft_nest_leave(&w->nest, region);
	w->unmatched_leaves = w->nest.unmatched;
	while (rc == 0 && w->open.n > w->nest.open.n)
		rc = span_close_innermost(w, at, w->open.n - 1 > w->nest.open.n);
	return rc;
}

/*
 * Closes the spans of one category wherever they stand, innermost first. The span that a closed one held directly goes to
 * the closed one's parent, whose inner time has it from its begin on when it closes: so here it gets only what came before.
 */
static int span_close_category(struct weft_span_walk *w, uint64_t at, uint32_t category)
{
	if (!w->trace)
		return 0;
	size_t first = w->open.n; /* the outermost that was closed */
	const struct weft_span *child = NULL;
	int rc = 0;
	for (size_t i = w->open.n; i-- > 0 && rc == 0;) {
		struct weft_span *s = &w->open.at[i];
		if (weft_region_category(w->trace, s->region) != category) {
			child = s;
			continue;
		}
		if (child)
			s->inner += at - child->begin;
		if (i > 0)
			s[-1].inner += (child ? child->begin : at) - s->begin;
		rc = span_say(w, s, at, true);
		s->depth = UINT32_MAX; /* to be removed below */
		first = i;
	}
	size_t kept = first;
	for (size_t i = first; i < w->open.n; i++)
		if (w->open.at[i].depth != UINT32_MAX)
			w->open.at[kept++] = w->open.at[i];
	w->open.n = kept;
	weft_nest_close_category(&w->nest, w->trace, category);
	return rc;
}

static void span_attr(struct weft_span_walk *w, const struct weft_block *b, uint32_t i)
{
	if (!w->choose || w->open.n == 0)
		return;
	uint32_t what = b->what[i];
	struct weft_event e = {b->time[i], w->thread, weft_what_kind(what), weft_what_id(what), b->value[i]};
	w->open.at[w->open.n - 1].chosen |= weft_filter_event(w->choose, &e);
}

static int span_event(struct weft_span_walk *w, const struct weft_block *b, uint32_t i)
{
	uint64_t at = b->time[i];
	uint32_t id = weft_what_id(b->what[i]);
	switch (weft_what_kind(b->what[i])) {
	case WEFT_EV_ENTER:
		return span_open(w, at, id);
	case WEFT_EV_LEAVE:
		return span_leave(w, at, id);
	case WEFT_EV_OFF:
		return id ? span_close_category(w, at, id) : span_close_all(w, at);
	case WEFT_EV_THREAD_END:
		return span_close_all(w, at);
	case WEFT_EV_ATTR:
	case WEFT_EV_ATTR_F:
	case WEFT_EV_ATTR_S:
		span_attr(w, b, i);
		return 0;
	default:
		return 0;
	}
}

int weft_span_feed(struct weft_span_walk *w, const struct weft_block *b)
{
	for (uint32_t i = 0; i < b->n && w->result == 0; i++)
		w->result = span_event(w, b, i);
	return w->result;
}

int weft_span_end(struct weft_span_walk *w, uint64_t at)
{
	if (w->result == 0)
		w->result = span_close_all(w, at);
	int result = w->result;
	free(w->open.at);
	weft_nest_fini(&w->nest);
	*w = (struct weft_span_walk){.unmatched_leaves = w->unmatched_leaves,
	                             .closed_early = w->closed_early,
	                             .sequence = w->sequence};
	return result;
}

/* ---- the whole of one thread ---- */

struct span_range {
	uint64_t from;
	int (*on_span)(void *, const struct weft_span *);
	void *arg;
};

static int range_span(void *arg, const struct weft_span *s)
{
	const struct span_range *r = arg;
	return s->end > r->from || s->begin >= r->from ? r->on_span(r->arg, s) : 0;
}

int weft_spans(const struct weft_trace *t, uint32_t thread, uint64_t from, uint64_t to, const struct weft_filter *choose,
               int (*on_span)(void *, const struct weft_span *), void *arg)
{
	struct span_range range = {from, on_span, arg};
	struct weft_span_walk w;
	struct weft_cursor c;
	int rc = weft_cursor_begin(&c, t, thread, 0, to);
	if (rc < 0)
		return rc;
	weft_span_begin(&w, t, thread, range_span, &range);
	weft_span_choose(&w, choose);
	struct weft_block b;
	while ((rc = weft_cursor_next(&c, &b)) > 0 && weft_span_feed(&w, &b) == 0)
		;
	weft_cursor_end(&c);
	uint64_t end = t->thread[thread].end;
	if (end == WEFT_NEVER)
		end = t->end;
	if (end > to)
		end = to;
	if (rc < 0)
		w.result = rc;
	return weft_span_end(&w, end);
}
