/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fair rates by progressive filling: all flows get more at the same pace; when a link is full, its flows stay as they are, and the others go on.
 * So the link that has least for each of its flows is the next to fill up. What a link has for each only grows while others fill up, so
 * a heap whose offers may be old is enough: an old offer is looked at again, and goes back if it has grown.
 *
 * Only flows that are connected, by links that they share, with a link where something changed can have another rate.
 */
#include "flow_priv.h"
#include <errno.h>
#include <math.h>

/* ---- what is connected ---- */

static int add_link(struct weft_flows *f, uint32_t link)
{
	struct flow_link *l = &f->link[link];
	if (l->stamp == f->stamp)
		return 0;
	l->stamp = f->stamp;
	l->left = l->capacity;
	l->open = l->use.flows;
	return weft_vec_push(&f->some_links, link);
}

static int add_flow(struct weft_flows *f, uint32_t flow)
{
	struct flow_row *row = &f->flow.at[flow];
	if (row->stamp == f->stamp)
		return 0;
	row->stamp = f->stamp;
	row->fixed = 0;
	int rc = weft_vec_push(&f->some_flows, flow);
	for (uint32_t h = row->first; h != FLOW_NONE && !rc; h = f->hop.at[h].next_of_flow)
		rc = add_link(f, f->hop.at[h].link);
	return rc;
}

static int find_connected(struct weft_flows *f)
{
	int rc = 0;
	f->stamp++;
	f->some_links.n = f->some_flows.n = 0;
	for (size_t i = 0; i < f->dirty.n && !rc; i++) {
		f->link[f->dirty.at[i]].dirty = false;
		rc = add_link(f, f->dirty.at[i]);
	}
	f->dirty.n = 0;
	for (size_t i = 0; i < f->some_links.n && !rc; i++)
		for (uint32_t h = f->link[f->some_links.at[i]].first; h != FLOW_NONE && !rc; h = f->hop.at[h].next)
			rc = add_flow(f, f->hop.at[h].flow);
	return rc;
}

/* ---- offers: the least first, of equals the first link's ---- */

static bool less(const struct flow_offer *a, const struct flow_offer *b)
{
	return a->share != b->share ? a->share < b->share : a->link < b->link;
}

static void sink(struct weft_flows *f, size_t i, struct flow_offer x)
{
	struct flow_offer *h = f->offer.at;
	for (size_t child = 2 * i + 1; child < f->offer.n; child = 2 * i + 1) {
		if (child + 1 < f->offer.n && less(&h[child + 1], &h[child]))
			child++;
		if (!less(&h[child], &x))
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = x;
}

static int make_offers(struct weft_flows *f)
{
	f->offer.n = 0;
	for (size_t i = 0; i < f->some_links.n; i++) {
		const struct flow_link *l = &f->link[f->some_links.at[i]];
		if (l->open && weft_vec_push(&f->offer, (struct flow_offer){l->left / l->open, f->some_links.at[i]}))
			return -ENOMEM;
	}
	for (size_t i = f->offer.n / 2; i-- > 0;)
		sink(f, i, f->offer.at[i]);
	return 0;
}

/* ---- filling ---- */

static void fix(struct weft_flows *f, uint32_t flow, double rate)
{
	struct flow_row *row = &f->flow.at[flow];
	row->fixed = 1;
	row->new_rate = rate;
	for (uint32_t h = row->first; h != FLOW_NONE; h = f->hop.at[h].next_of_flow) {
		struct flow_link *l = &f->link[f->hop.at[h].link];
		l->left = fmax(l->left - rate, 0);
		l->open--;
	}
}

static void set_full(struct flow_link *l, bool full, double now)
{
	if (l->full && !full)
		l->use.full_ns += now - l->full_since;
	else if (!l->full && full)
		l->full_since = now;
	l->full = full;
}

static void fill(struct weft_flows *f, double now)
{
	double level = 0; /* what the last link had for each: no other has less, but by rounding */
	while (f->offer.n) {
		const struct flow_offer x = f->offer.at[0];
		struct flow_link *l = &f->link[x.link];
		if (!l->open) {
			set_full(l, l->use.flows && l->left <= 1e-9 * l->capacity, now);
			const struct flow_offer last = f->offer.at[--f->offer.n];
			if (f->offer.n)
				sink(f, 0, last);
			continue;
		}
		const double share = fmax(l->left / l->open, level);
		if (share > x.share) {
			sink(f, 0, (struct flow_offer){share, x.link});
			continue;
		}
		level = share;
		for (uint32_t h = l->first; h != FLOW_NONE; h = f->hop.at[h].next)
			if (!f->flow.at[f->hop.at[h].flow].fixed)
				fix(f, f->hop.at[h].flow, share);
		l->left = 0; /* and its offer goes when it is looked at again */
	}
}

static void change_rate(struct weft_flows *f, uint32_t flow, double now)
{
	struct flow_row *row = &f->flow.at[flow];
	if (row->new_rate == row->rate)
		return;
	row->left = fmax(row->left - (now - row->since) * row->rate, 0);
	row->since = now;
	row->rate = row->new_rate;
	row->end = now + row->left / row->rate;
	flow_put(f, row->place, flow);
}

int weft_flows_share(struct weft_flows *f, double now)
{
	if (!f->dirty.n)
		return 0;
	if (find_connected(f) || make_offers(f))
		return -ENOMEM;
	for (size_t i = 0; i < f->some_links.n; i++)
		if (!f->link[f->some_links.at[i]].use.flows)
			set_full(&f->link[f->some_links.at[i]], false, now);
	fill(f, now);
	for (size_t i = 0; i < f->some_flows.n; i++)
		change_rate(f, f->some_flows.at[i], now);
	return 0;
}
