/* SPDX-License-Identifier: Apache-2.0 */
/* Flows as they come and go: their hops, a heap by their ends that flows can move in, and what links were used for. */
#include "flow_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

int weft_flows_new(struct weft_flows **out, const double *capacity, uint32_t n_links)
{
	struct weft_flows *f = calloc(1, sizeof *f);
	*out = NULL;
	if (f)
		f->link = calloc((size_t)n_links + 1, sizeof *f->link);
	if (!f || !f->link || weft_vec_reserve(&f->dirty, (size_t)n_links + 1)) { /* so that a link can always be marked */
		weft_flows_free(f);
		return -ENOMEM;
	}
	f->n_links = n_links;
	f->free_flow = f->free_hop = FLOW_NONE;
	f->floor = INFINITY;
	for (uint32_t i = 0; i < n_links; i++)
		f->link[i].capacity = capacity[i];
	*out = f;
	return 0;
}

void weft_flows_free(struct weft_flows *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->n_links; i++)
		free(f->link[i].pass.at);
	free(f->link);
	free(f->flow.at);
	free(f->rate.at);
	free(f->hop.at);
	free(f->heap.at);
	free(f->dirty.at);
	free(f->some_links.at);
	free(f->some_flows.at);
	free(f->offer.at);
	free(f);
}

/* ---- the heap ---- */

static bool sooner(const struct weft_flows *f, uint32_t a, uint32_t b)
{
	const struct flow_row *x = &f->flow.at[a], *y = &f->flow.at[b];
	return x->end != y->end ? x->end < y->end : x->seq < y->seq;
}

static void set_place(struct weft_flows *f, uint32_t place, uint32_t flow)
{
	f->heap.at[place] = flow;
	f->flow.at[flow].place = place;
}

void flow_put(struct weft_flows *f, uint32_t place, uint32_t flow)
{
	while (place && sooner(f, flow, f->heap.at[(place - 1) / 2])) {
		set_place(f, place, f->heap.at[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	for (size_t child = 2 * (size_t)place + 1; child < f->heap.n; child = 2 * (size_t)place + 1) {
		if (child + 1 < f->heap.n && sooner(f, f->heap.at[child + 1], f->heap.at[child]))
			child++;
		if (!sooner(f, f->heap.at[child], flow))
			break;
		set_place(f, place, f->heap.at[child]);
		place = (uint32_t)child;
	}
	set_place(f, place, flow);
}

static void take_first(struct weft_flows *f)
{
	const uint32_t last = f->heap.at[--f->heap.n];
	if (f->heap.n)
		flow_put(f, 0, last);
}

/* ---- links ---- */

static void touch(struct weft_flows *f, uint32_t link)
{
	if (!f->link[link].dirty)
		f->dirty.at[f->dirty.n++] = link;
	f->link[link].dirty = true;
}

static int new_hop(struct weft_flows *f, uint32_t *out)
{
	*out = f->free_hop;
	if (*out != FLOW_NONE) {
		f->free_hop = f->hop.at[*out].next;
		return 0;
	}
	*out = (uint32_t)f->hop.n;
	return weft_vec_push(&f->hop, (struct flow_hop){0});
}

static int add_hop(struct weft_flows *f, uint32_t flow, uint32_t link, double now)
{
	struct flow_link *l = &f->link[link];
	uint32_t h;
	if (new_hop(f, &h) || weft_vec_push(&l->pass, (struct flow_pass){flow, h}))
		return -ENOMEM;
	touch(f, link);
	l->begun = true;
	f->hop.at[h] = (struct flow_hop){link, (uint32_t)l->pass.n - 1, f->flow.at[flow].first};
	f->flow.at[flow].first = h;
	if (l->use.flows++ == 0)
		l->busy_since = now;
	if (l->use.flows > l->use.most)
		l->use.most = l->use.flows;
	return 0;
}

static void remove_hop(struct weft_flows *f, uint32_t h, double size, double now)
{
	const struct flow_hop row = f->hop.at[h];
	struct flow_link *l = &f->link[row.link];
	const struct flow_pass last = l->pass.at[--l->pass.n];
	if (last.hop != h) {
		l->pass.at[row.place] = last;
		f->hop.at[last.hop].place = row.place;
	}
	l->use.size += size;
	l->use.ended++;
	if (--l->use.flows == 0)
		l->use.busy_ns += now - l->busy_since;
	touch(f, row.link);
	f->hop.at[h].next = f->free_hop;
	f->free_hop = h;
}

struct weft_flow_link_use weft_flows_use(const struct weft_flows *f, uint32_t link, double now)
{
	const struct flow_link *l = &f->link[link];
	struct weft_flow_link_use use = l->use;
	if (use.flows)
		use.busy_ns += now - l->busy_since;
	if (l->full)
		use.full_ns += now - l->full_since;
	return use;
}

void weft_flows_capacity(struct weft_flows *f, uint32_t link, double capacity)
{
	if (f->link[link].pass.n)
		WEFT_BUG("a link that is used cannot change");
	f->link[link].capacity = capacity;
}

/* ---- flows ---- */

static int new_flow(struct weft_flows *f, uint32_t *out)
{
	*out = f->free_flow;
	if (*out != FLOW_NONE) {
		f->free_flow = f->flow.at[*out].first;
		return 0;
	}
	*out = (uint32_t)f->flow.n;
	return weft_vec_push(&f->flow, (struct flow_row){0}) || weft_vec_push(&f->rate, (struct flow_rate){0}) ? -ENOMEM : 0;
}

int weft_flows_begin(struct weft_flows *f, double now, double size, const uint32_t *link, uint32_t n, uint64_t of)
{
	uint32_t i;
	double narrow = INFINITY;
	if (new_flow(f, &i) || weft_vec_push(&f->heap, i))
		return -ENOMEM;
	f->flow.at[i] = (struct flow_row){.of = of,
	                                  .seq = f->seq++,
	                                  .begin = now,
	                                  .since = now,
	                                  .size = size,
	                                  .left = size,
	                                  .end = INFINITY,
	                                  .first = FLOW_NONE};
	f->rate.at[i] = (struct flow_rate){0};
	for (uint32_t k = 0; k < n && size > 0; k++) {
		const double capacity = f->link[link[k]].capacity;
		if (capacity <= 0)
			continue;
		narrow = fmin(narrow, capacity);
		if (add_hop(f, i, link[k], now))
			return -ENOMEM;
	}
	f->flow.at[i].alone = size / narrow;
	if (narrow == INFINITY) { /* nothing holds it up */
		f->flow.at[i].end = now;
		f->rate.at[i].now = INFINITY;
	}
	flow_put(f, (uint32_t)f->heap.n - 1, i);
	return 0;
}

bool weft_flows_next(const struct weft_flows *f, double *at)
{
	if (!f->heap.n)
		return false;
	*at = f->flow.at[f->heap.at[0]].end;
	return true;
}

bool weft_flows_end(struct weft_flows *f, double now, struct weft_flow_end *out)
{
	if (!f->heap.n || f->flow.at[f->heap.at[0]].end > now)
		return false;
	const uint32_t i = f->heap.at[0];
	struct flow_row *row = &f->flow.at[i];
	*out = (struct weft_flow_end){row->of, row->begin, row->alone};
	take_first(f);
	if (row->first != FLOW_NONE)
		f->floor = fmin(f->floor, f->rate.at[i].now);
	for (uint32_t h = row->first; h != FLOW_NONE;) {
		const uint32_t next = f->hop.at[h].next;
		remove_hop(f, h, row->size, now);
		h = next;
	}
	row->place = FLOW_NONE;
	row->first = f->free_flow;
	f->free_flow = i;
	return true;
}

double weft_flows_rate(const struct weft_flows *f, uint64_t of)
{
	for (size_t i = 0; i < f->heap.n; i++)
		if (f->flow.at[f->heap.at[i]].of == of)
			return f->rate.at[f->heap.at[i]].now;
	return 0;
}
