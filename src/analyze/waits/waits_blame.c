/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Costs of delays. Waits are taken from the last to the first, so that what a wait was charged with for others is complete when its turn comes. Of each:
 *   - the segments: on both threads what lies behind the last thing that they had passed together;
 *   - the delay: by path, what the thread that was waited for did beyond what the waiting one did; and how much longer it had waited itself;
 *   - the wait, with what it was charged with, is divided by that: work is charged directly, waits pass it on.
 */
#include "waits.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BACK_MOST = 1024 }; /* nodes that are looked at for the last common one */

struct tally {
	uint64_t late, early; /* ns of the thread that was waited for, of the one that waited */
	uint32_t round;
};
struct blame {
	struct weft_waits *w;
	const struct weft_causal *c;
	double *charged; /* of each wait, for others */
	bool *done;      /* its turn has been */
	struct tally *path;
	uint32_t *touched, n_touched; /* paths of this round */
	uint32_t round;
	struct weft_map costs; /* (thread, path) -> place */
	WEFT_VEC(struct weft_wait_cost) cost;
};
struct segment {
	uint32_t from, to; /* nodes: bursts in front of from .. to, and what is in nodes from .. to - 1 */
};

/* ---- what two threads passed together last ---- */

static uint32_t member_of(const struct weft_causal *c, const struct weft_causal_meeting *m, uint32_t thread)
{
	uint32_t low = 0, high = m->n_members;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (c->of_node[c->member[m->first_member + mid]] < thread)
			low = mid + 1;
		else
			high = mid;
	}
	uint32_t node = low < m->n_members ? c->member[m->first_member + low] : WEFT_CAUSAL_NONE;
	return node != WEFT_CAUSAL_NONE && c->of_node[node] == thread ? node : WEFT_CAUSAL_NONE;
}

static uint32_t other_side(const struct weft_causal *c, const struct weft_causal_link *l)
{
	switch (l->kind) {
	case WEFT_CAUSAL_SEND:
	case WEFT_CAUSAL_SENT:
		return c->recv_node[l->arg];
	case WEFT_CAUSAL_RECV:
		return c->send_node[l->arg];
	case WEFT_CAUSAL_IN:
		return c->out_node[l->arg];
	case WEFT_CAUSAL_OUT:
		return c->in_node[l->arg];
	default:
		return WEFT_CAUSAL_NONE;
	}
}

/* The node of `thread` that `node` had to do with; NONE: none. */
static uint32_t partner(const struct weft_causal *c, uint32_t node, uint32_t thread)
{
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++) {
		const struct weft_causal_link *l = &c->link[k];
		uint32_t other;
		if (l->kind == WEFT_CAUSAL_JOINS || l->kind == WEFT_CAUSAL_AWAITS)
			other = member_of(c, &c->meeting[l->arg], thread);
		else if (l->kind == WEFT_CAUSAL_TAKE || l->kind == WEFT_CAUSAL_DRAIN)
			other = weft_causal_cause_of_link(c, node, k).node;
		else
			other = other_side(c, l);
		if (other != WEFT_CAUSAL_NONE && c->of_node[other] == thread)
			return other;
	}
	return WEFT_CAUSAL_NONE;
}

/* The first node of a thread, up to `last`, that begins then or later. */
static uint32_t first_since(const struct weft_causal *c, uint32_t thread, uint64_t time, uint32_t last)
{
	uint32_t low = c->thread[thread].first_node, high = last;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (c->node[mid].begin < time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* What is long ago on either thread is left out on both, so that they can be compared, and a run of many waits takes no time of its square. */
static void cut_segments(const struct weft_causal *c, const struct weft_wait *w, struct segment *early, struct segment *late)
{
	uint64_t since = 0;
	if (early->to - early->from > BACK_MOST)
		since = c->node[early->to - BACK_MOST].begin;
	if (late->to - late->from > BACK_MOST && c->node[late->to - BACK_MOST].begin > since)
		since = c->node[late->to - BACK_MOST].begin;
	if (!since)
		return;
	uint32_t e = first_since(c, c->of_node[w->node], since, early->to), l = first_since(c, w->cause_thread, since, late->to);
	early->from = e > early->from ? e : early->from;
	late->from = l > late->from ? l : late->from;
}

/* Segments of the waiting thread and of the one it waited for, behind their last common node. */
static void find_segments(const struct weft_causal *c, const struct weft_wait *w, struct segment *early, struct segment *late)
{
	uint32_t first = c->thread[c->of_node[w->node]].first_node;
	*early = (struct segment){first, w->node};
	*late = (struct segment){c->thread[w->cause_thread].first_node, w->cause_node};
	for (uint32_t i = w->node, n = 0; i-- > first && n < BACK_MOST; n++) {
		uint32_t other = partner(c, i, w->cause_thread);
		if (other == WEFT_CAUSAL_NONE || other >= w->cause_node)
			continue;
		early->from = i + 1;
		late->from = other + 1;
		break;
	}
	cut_segments(c, w, early, late);
}

/* ---- what was done in them ---- */

static void tally_path(struct blame *b, uint32_t path, uint64_t ns, bool late)
{
	struct tally *t = &b->path[path];
	if (t->round != b->round) {
		*t = (struct tally){.round = b->round};
		b->touched[b->n_touched++] = path;
	}
	if (late)
		t->late += ns;
	else
		t->early += ns;
}

/* Its waits together. */
static uint64_t tally_segment(struct blame *b, const struct segment *s, bool late)
{
	const struct weft_causal *c = b->c;
	uint64_t waited = 0;
	for (uint32_t i = s->from; i <= s->to; i++) {
		for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++)
			if (c->part[k].ns)
				tally_path(b, c->part[k].path, c->part[k].ns, late);
		if (i == s->to)
			break;
		uint64_t ns = c->node[i].end - c->node[i].begin, w = 0;
		if (b->w->of_node[i] != WEFT_CAUSAL_NONE)
			w = b->w->wait[b->w->of_node[i]].ns;
		waited += w;
		if (ns > w)
			tally_path(b, c->node[i].path, ns - w, late);
	}
	return waited;
}

/* Of threads that have passed nothing together yet: one that was there later was late by that, outside of all regions. */
static void tally_begins(struct blame *b, const struct weft_wait *w, const struct segment *early, const struct segment *late)
{
	const struct weft_causal_thread *waits = &b->c->thread[b->c->of_node[w->node]], *came = &b->c->thread[w->cause_thread];
	if (early->from == waits->first_node && late->from == came->first_node && came->begin > waits->begin)
		tally_path(b, 0, came->begin - waits->begin, true);
}

/* ---- charging ---- */

static int charge(struct blame *b, uint32_t thread, uint32_t path, double direct, double propagated)
{
	uint64_t key = (uint64_t)thread << 32 | path, at = b->cost.n;
	if (!weft_map_get(&b->costs, key, &at)) {
		int rc = weft_map_put(&b->costs, key, at);
		if (!rc)
			rc = weft_vec_push(&b->cost, (struct weft_wait_cost){path, thread, 0, 0});
		if (rc)
			return rc;
	}
	b->cost.at[at].direct_ns += direct;
	b->cost.at[at].propagated_ns += propagated;
	return 0;
}

static void pass_on(struct blame *b, const struct segment *late, double share)
{
	for (uint32_t i = late->from; i < late->to; i++) {
		uint32_t at = b->w->of_node[i];
		if (at == WEFT_CAUSAL_NONE)
			continue;
		if (b->done[at]) /* it ended at the same instant, or later, by clocks that differ */
			b->w->unexplained_ns += share * (double)b->w->wait[at].ns;
		else
			b->charged[at] += share * (double)b->w->wait[at].ns;
	}
}

static int blame_wait(struct blame *b, uint32_t at)
{
	const struct weft_wait *w = &b->w->wait[at];
	struct segment early, late;
	double direct = (double)w->ns, charged = b->charged[at], delay = 0;
	b->done[at] = true;
	if (w->cause_thread == WEFT_CAUSAL_NONE) {
		b->w->unexplained_ns += direct + charged;
		return 0;
	}
	find_segments(b->c, w, &early, &late);
	b->round++;
	b->n_touched = 0;
	uint64_t late_waits = tally_segment(b, &late, true), early_waits = tally_segment(b, &early, false);
	uint64_t more_waits = late_waits > early_waits ? late_waits - early_waits : 0;
	tally_begins(b, w, &early, &late);
	for (uint32_t i = 0; i < b->n_touched; i++) {
		const struct tally *t = &b->path[b->touched[i]];
		delay += t->late > t->early ? (double)(t->late - t->early) : 0;
	}
	delay += (double)more_waits;
	if (delay <= 0) {
		b->w->unexplained_ns += direct + charged;
		return 0;
	}
	int rc = 0;
	for (uint32_t i = 0; !rc && i < b->n_touched; i++) {
		const struct tally *t = &b->path[b->touched[i]];
		if (t->late > t->early) {
			double share = (double)(t->late - t->early) / delay;
			rc = charge(b, w->cause_thread, b->touched[i], direct * share, charged * share);
		}
	}
	if (more_waits)
		pass_on(b, &late, (direct + charged) * ((double)more_waits / delay) / (double)late_waits);
	return rc;
}

struct by_end {
	uint64_t end;
	uint32_t wait;
};
static int later_first(const void *a, const void *b)
{
	const struct by_end *x = a, *y = b;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->wait > y->wait ? -1 : x->wait < y->wait;
}

static int by_cost(const void *a, const void *b)
{
	const struct weft_wait_cost *x = a, *y = b;
	double cx = x->direct_ns + x->propagated_ns, cy = y->direct_ns + y->propagated_ns;
	if (cx != cy)
		return cx > cy ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->path < y->path ? -1 : x->path > y->path;
}

int weft_waits_blame(struct weft_waits *w)
{
	struct blame b = {.w = w, .c = w->c};
	struct by_end *order = malloc(((size_t)w->n + 1) * sizeof *order);
	b.charged = calloc((size_t)w->n + 1, sizeof *b.charged);
	b.done = calloc((size_t)w->n + 1, sizeof *b.done);
	b.path = calloc((size_t)w->c->n_paths + 1, sizeof *b.path);
	b.touched = malloc(((size_t)w->c->n_paths + 1) * sizeof *b.touched);
	int rc = order && b.charged && b.done && b.path && b.touched ? 0 : -ENOMEM;
	for (uint32_t i = 0; !rc && i < w->n; i++)
		order[i] = (struct by_end){w->c->node[w->wait[i].node].end, i};
	if (!rc)
		qsort(order, w->n, sizeof *order, later_first);
	for (uint32_t i = 0; !rc && i < w->n; i++)
		rc = blame_wait(&b, order[i].wait);
	free(order);
	free(b.charged);
	free(b.done);
	free(b.path);
	free(b.touched);
	weft_map_fini(&b.costs);
	w->cost = b.cost.at;
	w->n_costs = (uint32_t)b.cost.n;
	if (!rc && w->n_costs)
		qsort(w->cost, w->n_costs, sizeof *w->cost, by_cost);
	return rc;
}
