/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions that lie in each other as a tree. The time between two events of a thread belongs to the region that is innermost then, so
 * what lies in a region needs no subtraction, and a range of times cuts exactly.
 *
 * The outermost region of a nest that was recorded with its call stack stands below the functions that called it: between these, what a
 * stack of an inner one would say again.
 */
#include "profile_priv.h"
#include "trace/filter/pick.h"
#include <errno.h>
#include <stdlib.h>

struct level {
	uint32_t node;      /* the region's, or that of what is around it when the region does not pass */
	uint32_t above;     /* below which it stands */
	bool has_stack;     /* it or what is around it has one */
	bool passes, empty; /* empty: nothing has happened in it yet */
};
struct spanning {
	struct profile_tree *tree;
	uint32_t thread, root;
	struct weft_span_walk walk;
	struct pick pick;
	WEFT_VEC(struct level) level; /* mirrors walk.open */
	uint32_t *function;           /* by region; WEFT_NONE: not asked yet. Owned */
	uint64_t last;                /* time up to which all is counted */
};

static uint32_t node_of_region(struct spanning *s, uint32_t above, uint32_t region)
{
	const struct weft_def_table *defs = &s->tree->trace->def[WEFT_CLASS_REGION];
	const struct weft_def_row *r = &defs->at[region < defs->n ? region : 0];
	if (s->function[region] == WEFT_NONE) {
		uint32_t c = r->category;
		const struct weft_def_table *categories = &s->tree->trace->def[WEFT_CLASS_CATEGORY];
		int64_t f = weft_symbols_add(s->tree->symbols, r->name, c && c < categories->n ? categories->at[c].name : "");
		if (f < 0)
			return WEFT_NONE;
		s->function[region] = (uint32_t)f;
	}
	return profile_child(s->tree, above, &(struct weft_frame){.function = s->function[region], .line = r->line});
}

static uint64_t clip(const struct weft_profile_how *how, uint64_t time)
{
	time = time < how->from ? how->from : time;
	return time > how->to ? how->to : time;
}

/* Gives the time since the last event to what is innermost. */
static void spend(struct spanning *s, uint64_t time)
{
	uint64_t from = clip(s->tree->how, s->last), to = clip(s->tree->how, time);
	if (s->level.n && s->level.at[s->level.n - 1].node != s->root && to > from)
		s->tree->node.at[s->level.at[s->level.n - 1].node].self += to - from;
	s->last = time;
}

static int enter(struct spanning *s, uint64_t time, uint32_t region, uint64_t sequence)
{
	const struct level *up = s->level.n ? &s->level.at[s->level.n - 1] : NULL;
	uint32_t above = up ? up->node : s->root;
	struct level l = {above, above, up && up->has_stack, pick_span(&s->pick, sequence), true};
	if (up)
		s->level.at[s->level.n - 1].empty = false;
	if (l.passes) {
		l.node = node_of_region(s, above, region);
		if (l.node == WEFT_NONE)
			return -ENOMEM;
		if (time >= s->tree->how->from && time < s->tree->how->to)
			s->tree->node.at[l.node].calls++;
	}
	return weft_vec_push(&s->level, l);
}

/* The region that was just entered moves below the functions of its stack. */
static int take_callers(struct spanning *s, const struct weft_event *e)
{
	struct level *l = s->level.n ? &s->level.at[s->level.n - 1] : NULL;
	uint32_t n = 0, process = s->tree->trace->thread[s->thread].process;
	if (!l || l->has_stack || !l->empty || !l->passes)
		return 0;
	const uint64_t *stack = weft_extra(s->tree->trace, s->thread, e->value, &n);
	int64_t at = l->above;
	for (uint32_t i = n; i-- > 0 && at >= 0;) {
		uint32_t frames;
		const struct weft_frame *f = weft_symbols_find(s->tree->symbols, process, stack[i], true, &frames);
		at = f ? profile_add_address(s->tree, (uint32_t)at, f, frames) : -ENOMEM;
	}
	if (at < 0)
		return (int)at;
	bool counted = e->time >= s->tree->how->from && e->time < s->tree->how->to;
	uint32_t node = node_of_region(s, (uint32_t)at, s->walk.open.at[s->walk.open.n - 1].region);
	if (node == WEFT_NONE)
		return -ENOMEM;
	if (counted && s->tree->node.at[l->node].calls) {
		s->tree->node.at[l->node].calls--;
		s->tree->node.at[node].calls++;
	}
	l->node = node;
	l->has_stack = true;
	return 0;
}

static int take_event(struct spanning *s, const struct weft_event *e, const struct weft_block *one)
{
	size_t n = s->walk.open.n;
	uint64_t sequence = s->walk.sequence;
	if (e->kind == WEFT_EV_CALLSTACK)
		return take_callers(s, e);
	if (e->kind != WEFT_EV_ENTER && e->kind != WEFT_EV_LEAVE && e->kind != WEFT_EV_OFF && e->kind != WEFT_EV_THREAD_END)
		return 0;
	spend(s, e->time);
	int rc = weft_span_feed(&s->walk, one);
	if (rc)
		return rc;
	if (e->kind == WEFT_EV_ENTER)
		return s->walk.open.n > n ? enter(s, e->time, e->id, sequence) : 0;
	if (s->walk.open.n < s->level.n)
		s->level.n = s->walk.open.n;
	return 0;
}

static int walk_thread(struct spanning *s)
{
	struct weft_cursor c;
	struct weft_block b;
	const struct weft_profile_how *how = s->tree->how;
	int rc = weft_cursor_begin(&c, s->tree->trace, s->thread, 0, how->to);
	if (rc)
		return rc;
	while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			struct weft_event e = {b.time[i], s->thread, weft_what_kind(b.what[i]), weft_what_id(b.what[i]),
			                       b.value[i]};
			struct weft_block one = {1, &b.time[i], &b.what[i], &b.value[i]};
			rc = take_event(s, &e, &one);
		}
	}
	weft_cursor_end(&c);
	uint64_t end = s->tree->trace->thread[s->thread].end;
	if (!rc)
		spend(s, end > s->last ? end : s->last);
	return rc;
}

static int read_spans(struct profile_tree *t, uint32_t thread, uint32_t *function)
{
	struct spanning s = {.tree = t, .thread = thread, .function = function, .root = profile_root_of(t, thread)};
	if (s.root == WEFT_NONE)
		return -ENOMEM;
	int rc = pick_begin(&s.pick, t->trace, t->how->filter, thread);
	if (!rc) {
		weft_span_begin(&s.walk, t->trace, thread, NULL, NULL);
		rc = walk_thread(&s);
		int ended = weft_span_end(&s.walk, s.last);
		rc = rc ? rc : ended;
	}
	pick_fini(&s.pick);
	free(s.level.at);
	return rc;
}

static bool has_regions(const struct weft_trace *t, uint32_t thread)
{
	return t->thread[thread].n_events > 0 && t->def[WEFT_CLASS_REGION].n > 1;
}

/* A name that matches stays, with what is around it and what it called. */
static int keep_focus(struct profile_tree *t)
{
	uint8_t *in = calloc(t->node.n + 1, 1);
	if (!in)
		return -ENOMEM;
	for (size_t i = 1; i < t->node.n; i++) {
		struct weft_profile_node *n = &t->node.at[i];
		in[i] = in[n->parent] || weft_glob(t->how->focus, weft_symbols_function(t->symbols, n->function)->name);
		if (!in[i])
			n->self = n->calls = 0;
	}
	free(in);
	return 0;
}

/* Each way of calls the other way round, as a tree of its own. */
static int turn_round(struct profile_tree *t)
{
	WEFT_VEC(struct weft_profile_node) old = {t->node.at, t->node.n, t->node.cap};
	int rc = 0;
	t->node.at = NULL;
	t->node.n = t->node.cap = 0;
	weft_map_clear(&t->child);
	rc = weft_vec_push(&t->node, old.at[0]);
	if (!rc)
		t->node.at[0].self = 0;
	for (size_t i = 1; i < old.n && !rc; i++) {
		uint32_t at = 0;
		if (!old.at[i].self && !old.at[i].calls)
			continue;
		for (uint32_t k = (uint32_t)i; k && at != WEFT_NONE; k = old.at[k].parent) {
			const struct weft_profile_node *n = &old.at[k];
			at = profile_child(t, at, &(struct weft_frame){n->function, n->file, n->line, n->inlined});
		}
		if (at == WEFT_NONE) {
			rc = -ENOMEM;
			break;
		}
		t->node.at[at].self += old.at[i].self;
		t->node.at[at].calls += old.at[i].calls;
	}
	free(old.at);
	return rc;
}

int profile_from_regions(struct profile_tree *t)
{
	uint32_t n = t->trace->def[WEFT_CLASS_REGION].n;
	uint32_t *function = malloc(((size_t)n + 1) * sizeof *function);
	int rc = function ? 0 : -ENOMEM;
	for (uint32_t i = 0; i <= n && !rc; i++)
		function[i] = WEFT_NONE;
	for (uint32_t i = 0; i < t->trace->n_threads && !rc; i++)
		if (profile_has_thread(t, i) && has_regions(t->trace, i))
			rc = read_spans(t, i, function);
	free(function);
	if (!rc && t->how->focus)
		rc = keep_focus(t);
	if (!rc && t->how->callers)
		rc = turn_round(t);
	return rc;
}
