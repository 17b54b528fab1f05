/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples as a tree. There are many more samples than different stacks, so stacks are put together by address first; a sample
 * pays only for what differs from the one before it on its thread. Functions are asked for once for each address of that tree.
 *
 *     sample ─ outermost first, what is as before passed over ─> tree of addresses ─ once, at the end ─> tree of functions
 */
#include "profile_priv.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_MORE_SHIFT = 4 }; /* from this bit on a sample's id says for how many periods more it stands */

struct place { /* a node of the tree of addresses */
	uint32_t parent;
	uint32_t index; /* of its address */
	uint64_t samples;
};
struct sampling {
	struct profile_tree *tree;
	struct weft_map address;      /* of the process: -> index */
	WEFT_VEC(uint64_t) known;     /* by index */
	struct weft_map child;        /* parent << 32 | index -> place */
	WEFT_VEC(struct place) place; /* [0] is the root */
	WEFT_VEC(uint64_t) last;      /* the stack before, outermost first */
	WEFT_VEC(uint32_t) way;       /* and its places */
};

static void sampling_fini(struct sampling *s)
{
	weft_map_fini(&s->address);
	weft_map_fini(&s->child);
	free(s->known.at);
	free(s->place.at);
	free(s->last.at);
	free(s->way.at);
}

static int index_of(struct sampling *s, uint64_t address, uint32_t *index)
{
	uint64_t at;
	if (!weft_map_get(&s->address, address, &at)) {
		at = s->known.n;
		if (weft_vec_push(&s->known, address) || weft_map_put(&s->address, address, at))
			return -ENOMEM;
	}
	*index = (uint32_t)at;
	return 0;
}

static int step_down(struct sampling *s, uint32_t parent, uint64_t address, uint32_t *place)
{
	uint32_t index;
	uint64_t at;
	if (index_of(s, address, &index))
		return -ENOMEM;
	uint64_t key = (uint64_t)parent << 32 | index;
	if (!weft_map_get(&s->child, key, &at)) {
		at = s->place.n;
		if (at >= WEFT_NONE || weft_vec_push(&s->place, (struct place){parent, index, 0}) ||
		    weft_map_put(&s->child, key, at))
			return -ENOMEM;
	}
	*place = (uint32_t)at;
	return 0;
}

/* A stack, innermost first. The interrupted address is told from the same one as a caller's by its lowest bit: addresses are shifted. */
static int take_stack(struct sampling *s, const uint64_t *stack, uint32_t n, uint64_t weight)
{
	uint32_t same = 0, at = 0;
	if (!n) {
		s->tree->cut += weight;
		return 0;
	}
	while (same < n && same < s->last.n) {
		uint64_t a = stack[n - 1 - same] << 1 | (same == n - 1);
		if (s->last.at[same] != a)
			break;
		at = s->way.at[same++];
	}
	s->last.n = s->way.n = same;
	for (uint32_t i = same; i < n; i++) {
		uint64_t a = stack[n - 1 - i] << 1 | (i == n - 1);
		if (step_down(s, at, a, &at) || weft_vec_push(&s->last, a) || weft_vec_push(&s->way, at))
			return -ENOMEM;
	}
	s->place.at[at].samples += weight;
	return 0;
}

static int read_thread(struct sampling *s, uint32_t thread)
{
	const struct weft_profile_how *how = s->tree->how;
	struct weft_cursor c;
	struct weft_block b;
	int rc = weft_cursor_begin(&c, s->tree->trace, thread, how->from, how->to);
	if (rc)
		return rc;
	weft_cursor_want(&c, (struct weft_wanted){.kinds = UINT64_C(1) << WEFT_EV_SAMPLE});
	s->last.n = s->way.n = 0;
	while (!rc && (rc = weft_cursor_next(&c, &b)) > 0) {
		rc = 0;
		for (uint32_t i = 0; i < b.n && !rc; i++) {
			struct weft_event e = {b.time[i], thread, weft_what_kind(b.what[i]), weft_what_id(b.what[i]), b.value[i]};
			uint32_t n = 0;
			if (e.kind != WEFT_EV_SAMPLE || (how->filter && !weft_filter_event(how->filter, &e)))
				continue;
			const uint64_t *stack = weft_extra(s->tree->trace, thread, e.value, &n);
			uint64_t weight = 1 + (e.id >> SAMPLE_MORE_SHIFT);
			s->tree->samples += weight;
			rc = take_stack(s, stack, n, weight);
		}
	}
	weft_cursor_end(&c);
	return rc;
}

/* ---- to functions ---- */

static const struct weft_frame *frames_of(struct sampling *s, uint32_t process, uint32_t index, uint32_t *n)
{
	uint64_t a = s->known.at[index];
	if (profile_set_address(s->tree, process, a >> 1))
		return NULL;
	return weft_symbols_find(s->tree->symbols, process, a >> 1, !(a & 1), n);
}

/* From the place outwards, for trees of callers and for what asks about whole stacks. */
static int add_outwards(struct sampling *s, uint32_t process, uint32_t at, uint32_t root)
{
	uint64_t samples = s->place.at[at].samples;
	int64_t node = root;
	for (; at && node >= 0; at = s->place.at[at].parent) {
		uint32_t n;
		const struct weft_frame *frame = frames_of(s, process, s->place.at[at].index, &n);
		node = frame ? profile_add_address(s->tree, (uint32_t)node, frame, n) : -ENOMEM;
	}
	if (node < 0)
		return (int)node;
	/* The whole weight lies at the end of the way; who ran is its first node, whose self it becomes when that is printed. */
	s->tree->node.at[node].self += samples;
	s->tree->node.at[node].calls += samples;
	return 0;
}

/* 1: some function of the stack matches. */
static int has_focus(struct sampling *s, uint32_t process, uint32_t at, uint8_t *known)
{
	if (!s->tree->how->focus)
		return 1;
	if (!at)
		return 0;
	if (!known[at]) {
		int rc = has_focus(s, process, s->place.at[at].parent, known);
		uint32_t n;
		const struct weft_frame *f = rc == 0 ? frames_of(s, process, s->place.at[at].index, &n) : NULL;
		if (rc < 0 || (rc == 0 && !f))
			return -ENOMEM;
		for (uint32_t i = 0; rc == 0 && i < n; i++)
			rc = weft_glob(s->tree->how->focus, weft_symbols_function(s->tree->symbols, f[i].function)->name);
		known[at] = rc ? 2 : 1;
	}
	return known[at] == 2;
}

static int add_places(struct sampling *s, uint32_t process, uint32_t root)
{
	uint32_t *node = calloc(s->place.n, sizeof *node);
	uint8_t *focus = calloc(s->place.n, 1);
	int rc = node && focus ? 0 : -ENOMEM;
	if (node)
		node[0] = root;
	for (uint32_t i = 1; i < s->place.n && !rc; i++) {
		const struct place p = s->place.at[i];
		int in = has_focus(s, process, i, focus);
		if (in < 0)
			rc = in;
		if (rc || s->tree->how->callers) {
			if (!rc && in && p.samples)
				rc = add_outwards(s, process, i, root);
			continue;
		}
		uint32_t n;
		const struct weft_frame *frame = frames_of(s, process, p.index, &n);
		int64_t at = frame ? profile_add_address(s->tree, node[p.parent], frame, n) : -ENOMEM;
		if (at < 0) {
			rc = (int)at;
			continue;
		}
		node[i] = (uint32_t)at;
		s->tree->node.at[at].self += in ? p.samples : 0;
		s->tree->node.at[at].calls += in ? p.samples : 0;
	}
	free(node);
	free(focus);
	return rc;
}

/* Threads whose stacks stand below one node share one tree of addresses. */
static int take_threads(struct profile_tree *t, uint32_t process)
{
	const struct weft_process *p = &t->trace->process[process];
	uint32_t end = p->first_thread + p->n_threads;
	int rc = 0;
	for (uint32_t first = p->first_thread; first < end && !rc;) {
		struct sampling s = {.tree = t};
		uint64_t before = t->samples;
		uint32_t i = first;
		rc = weft_vec_push(&s.place, (struct place){0});
		do {
			if (!rc && profile_has_thread(t, i))
				rc = read_thread(&s, i);
			i++;
		} while (i < end && t->how->per != WEFT_PER_THREAD);
		uint32_t root = !rc && t->samples > before ? profile_root_of(t, first) : 0;
		if (!rc && t->samples > before)
			rc = root == WEFT_NONE ? -ENOMEM : add_places(&s, process, root);
		sampling_fini(&s);
		first = i;
	}
	return rc;
}

uint64_t weft_profile_period(const struct weft_trace *t)
{
	const struct weft_def_table *types = &t->def[WEFT_CLASS_TYPE];
	uint32_t type = 0;
	for (uint32_t i = 1; i < types->n; i++)
		if (!strcmp(types->at[i].name, "sample period"))
			type = i;
	for (uint32_t thread = 0; type && thread < t->n_threads; thread++) {
		struct weft_cursor c;
		struct weft_block b;
		uint64_t period = 0;
		if (weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER))
			continue;
		weft_cursor_want(&c, (struct weft_wanted){.whats = weft_what_bit(weft_what(WEFT_EV_POINT, type))});
		while (!period && weft_cursor_next(&c, &b) > 0)
			for (uint32_t i = 0; i < b.n; i++)
				period = b.what[i] == weft_what(WEFT_EV_POINT, type) ? b.value[i] : period;
		weft_cursor_end(&c);
		if (period)
			return period;
	}
	return 0;
}

int profile_from_samples(struct profile_tree *t)
{
	int rc = 0;
	t->period_ns = weft_profile_period(t->trace);
	for (uint32_t p = 0; p < t->trace->n_processes && !rc; p++)
		rc = take_threads(t, p);
	return rc;
}
