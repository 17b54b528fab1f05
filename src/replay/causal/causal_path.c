/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The critical path: from the last instant backwards; where a thread had waited the path goes on at what it had waited for. So each instant of
 * the run is on it once. Slack: how much later each burst might have ended, by going over all nodes from the last to the first.
 */
#include "causal.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the path ---- */

struct backward {
	const struct weft_causal *c;
	struct weft_causal_critical *out;
	uint32_t thread, node; /* the burst in front of `node`, up to `time` */
	uint64_t time;
	uint32_t still; /* steps without any time: what meets in a circle ends */
};

static int add_step(struct backward *b, uint64_t begin, uint64_t end, bool in_node)
{
	if (begin >= end)
		return 0;
	b->still = 0;
	return weft_vec_push(&b->out->step, (struct weft_causal_step){begin, end, b->thread, b->node, in_node});
}

static int last_thread(const struct weft_causal *c)
{
	uint32_t last = 0;
	for (uint32_t i = 1; i < c->n_threads; i++)
		if (c->thread[i].end > c->thread[last].end)
			last = i;
	return (int)last;
}

/* From the burst in front of b->node to the one that comes before. 1, 0 at the begin, negative. */
static int go_back(struct backward *b)
{
	const struct weft_causal *c = b->c;
	uint64_t begin = weft_causal_burst_begin(c, b->thread, b->node);
	int rc = add_step(b, begin, b->time, false);
	if (rc || b->node == c->thread[b->thread].first_node)
		return rc;
	const struct weft_causal_node *n = &c->node[--b->node];
	uint64_t end = n->end < b->time ? n->end : b->time;
	struct weft_causal_cause cause = weft_causal_cause(c, b->node);
	if (cause.thread != WEFT_CAUSAL_NONE && cause.time > n->begin && cause.time <= end &&
	    b->still++ < 4 * c->n_threads + 16) {
		rc = add_step(b, cause.time, end, true);
		b->thread = cause.thread;
		b->node = cause.node;
		b->time = cause.time;
		b->out->jumps++;
		return rc ? rc : 1;
	}
	rc = add_step(b, n->begin, end, true);
	b->time = n->begin < b->time ? n->begin : b->time;
	return rc ? rc : 1;
}

static void turn(struct weft_causal_critical *p)
{
	for (size_t i = 0; i < p->step.n / 2; i++) {
		struct weft_causal_step s = p->step.at[i];
		p->step.at[i] = p->step.at[p->step.n - 1 - i];
		p->step.at[p->step.n - 1 - i] = s;
	}
}

/* A stretch of a burst has its parts in proportion. The last one takes what rounding leaves. */
static void count_step(const struct weft_causal *c, const struct weft_causal_step *s, struct weft_causal_critical *p)
{
	uint64_t all = 0, left = s->end - s->begin;
	p->of_thread[s->thread] += left;
	if (s->in_node) {
		p->on_path[c->node[s->node].path] += left;
		return;
	}
	uint32_t first = c->node[s->node].first_part, end = c->node[s->node + 1].first_part;
	for (uint32_t i = first; i < end; i++)
		all += c->part[i].ns;
	for (uint32_t i = first; i < end && all; i++) {
		uint64_t ns = (uint64_t)((unsigned __int128)(s->end - s->begin) * c->part[i].ns / all);
		p->on_path[c->part[i].path] += ns;
		left -= ns;
	}
	if (c->n_paths)
		p->on_path[first < end ? c->part[end - 1].path : c->node[s->node].path] += left;
}

/* ---- slack ---- */

/*
 * Ends and begins of nodes, from the last to the first; of one instant ends first, since a node's end waits for nothing that begins then.
 * A heap of threads, each with its next.
 */
struct moment {
	uint64_t time;
	uint32_t thread, node;
	bool is_end;
};
static bool later(const struct moment *a, const struct moment *b)
{
	if (a->time != b->time)
		return a->time > b->time;
	if (a->is_end != b->is_end)
		return a->is_end;
	return a->thread < b->thread;
}

static void sift(struct moment *heap, uint32_t n, uint32_t i)
{
	for (;;) {
		uint32_t top = i, l = 2 * i + 1, r = l + 1;
		if (l < n && later(&heap[l], &heap[top]))
			top = l;
		if (r < n && later(&heap[r], &heap[top]))
			top = r;
		if (top == i)
			return;
		struct moment m = heap[i];
		heap[i] = heap[top];
		heap[top] = m;
		i = top;
	}
}

struct slack {
	const struct weft_causal *c;
	uint64_t *at;      /* slack of the burst before each node */
	uint64_t *meeting; /* the least of (slack of a member's end + when it was released) */
};

static void lower(uint64_t *at, uint64_t value)
{
	if (value < *at)
		*at = value;
}

/* What a node's end allows those that it waited for. */
static void at_end(struct slack *s, uint32_t node)
{
	const struct weft_causal *c = s->c;
	const struct weft_causal_node *n = &c->node[node];
	uint64_t after = n->kind == WEFT_CAUSAL_END ? (c->end > n->end ? c->end - n->end : 0) : s->at[node + 1];
	struct weft_causal_cause last = weft_causal_cause(c, node);
	uint64_t released = last.thread != WEFT_CAUSAL_NONE && last.time > n->begin ? last.time : n->begin;
	lower(&s->at[node], after + (released - n->begin));
	for (uint32_t k = n->first_link; k < c->node[node + 1].first_link; k++) {
		if (c->link[k].kind == WEFT_CAUSAL_JOINS || c->link[k].kind == WEFT_CAUSAL_AWAITS) {
			const struct weft_causal_meeting *m = &c->meeting[c->link[k].arg];
			if (n->kind == WEFT_CAUSAL_STARVED)
				continue;
			if (m->pattern != WEFT_CAUSAL_TO_ONE || m->root == node)
				lower(&s->meeting[c->link[k].arg], after + released);
			continue;
		}
		struct weft_causal_cause one = weft_causal_cause_of_link(c, node, k);
		if (one.thread != WEFT_CAUSAL_NONE)
			lower(&s->at[one.node], after + (released > one.time ? released - one.time : 0));
	}
}

/* Its own arrival at meetings is waited for by the others. */
static void at_begin(struct slack *s, uint32_t node)
{
	const struct weft_causal *c = s->c;
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++) {
		if (c->link[k].kind != WEFT_CAUSAL_JOINS)
			continue;
		const struct weft_causal_meeting *m = &c->meeting[c->link[k].arg];
		uint64_t least = s->meeting[c->link[k].arg], begin = c->node[node].begin;
		if (m->pattern == WEFT_CAUSAL_FROM_ONE && m->root != node)
			continue;
		if (least != UINT64_MAX)
			lower(&s->at[node], least > begin ? least - begin : 0);
	}
}

static int find_slack(const struct weft_causal *c, uint64_t *at)
{
	struct slack s = {c, at, malloc(((size_t)c->n_meetings + 1) * sizeof *s.meeting)};
	struct moment *heap = malloc(((size_t)c->n_threads + 1) * sizeof *heap);
	uint32_t n = 0;
	if (!s.meeting || !heap) {
		free(s.meeting);
		free(heap);
		return -ENOMEM;
	}
	memset(s.meeting, 0xff, (size_t)c->n_meetings * sizeof *s.meeting);
	memset(at, 0xff, ((size_t)c->n_nodes + 1) * sizeof *at);
	for (uint32_t i = 0; i < c->n_threads; i++) {
		uint32_t last = c->thread[i].first_node + c->thread[i].n_nodes - 1;
		heap[n++] = (struct moment){c->node[last].end, i, last, true};
	}
	for (uint32_t i = n; i-- > 0;)
		sift(heap, n, i);
	while (n) {
		struct moment *m = &heap[0];
		if (m->is_end) {
			at_end(&s, m->node);
			m->is_end = false;
			m->time = c->node[m->node].begin;
		} else {
			at_begin(&s, m->node);
			if (m->node == c->thread[m->thread].first_node) {
				heap[0] = heap[--n];
			} else {
				m->is_end = true;
				m->time = c->node[--m->node].end;
			}
		}
		sift(heap, n, 0);
	}
	free(s.meeting);
	free(heap);
	return 0;
}

int weft_causal_critical(const struct weft_causal *c, bool slack, struct weft_causal_critical *out)
{
	*out = (struct weft_causal_critical){0};
	out->on_path = calloc((size_t)c->n_paths + 1, sizeof *out->on_path);
	out->of_thread = calloc((size_t)c->n_threads + 1, sizeof *out->of_thread);
	int rc = out->on_path && out->of_thread ? 0 : -ENOMEM;
	if (!rc && slack) {
		out->slack = malloc(((size_t)c->n_nodes + 1) * sizeof *out->slack);
		rc = out->slack ? find_slack(c, out->slack) : -ENOMEM;
	}
	if (!rc && c->n_threads) {
		struct backward b = {.c = c, .out = out, .thread = (uint32_t)last_thread(c)};
		b.node = c->thread[b.thread].first_node + c->thread[b.thread].n_nodes - 1;
		b.time = c->thread[b.thread].end;
		while (b.node > c->thread[b.thread].first_node && c->node[b.node - 1].begin >= b.time)
			b.node--;
		while ((rc = go_back(&b)) > 0)
			;
		turn(out);
		for (size_t i = 0; !rc && i < out->step.n; i++)
			count_step(c, &out->step.at[i], out);
	}
	if (rc)
		weft_causal_critical_fini(out);
	return rc;
}

void weft_causal_critical_fini(struct weft_causal_critical *p)
{
	free(p->step.at);
	free(p->on_path);
	free(p->of_thread);
	free(p->slack);
	*p = (struct weft_causal_critical){0};
}
