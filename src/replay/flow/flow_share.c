/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fair rates by progressive filling: all flows get more at the same pace; when a link is full, its flows stay as they are, and the others go on.
 * So the link that has least for each of its flows is the next to fill up. What a link has for each only grows while others fill up, so
 * a heap whose offers may be old is enough: an old offer is looked at again, and goes back if it has grown.
 *
 * Only flows that are connected, by links that they share, with a link where something changed can have another rate; and of those only who
 * has no less than a floor: filling goes as it did before until the first of what changed comes to be held. That is the rate of a flow that
 * has ended; of one that begins, at least the level at which the first of its links is full if all others there have what they had.
 */
#include "flow_priv.h"
#include <errno.h>
#include <math.h>

/* ---- the floor ---- */

/*
 * The level at which a link with flows that begin is full, with all others as they were; or less. What flows take of it is concave in the
 * level, so going along the tangent never goes too far.
 */
static double level_of(const struct weft_flows *f, const struct flow_link *l)
{
	double level = 0;
	while (level < f->floor) { /* more makes no difference */
		double left = l->capacity;
		uint32_t open = 0;
		for (size_t i = 0; i < l->pass.n; i++) {
			const double rate = f->rate.at[l->pass.at[i].flow].now;
			if (rate > 0 && rate <= level)
				left -= rate;
			else
				open++;
		}
		const double next = left / open;
		if (next <= level)
			break;
		level = next;
	}
	return level;
}

/* A little less, as what is equal can differ by rounding. */
static double find_floor(struct weft_flows *f)
{
	for (size_t i = 0; i < f->dirty.n; i++) {
		struct flow_link *l = &f->link[f->dirty.at[i]];
		if (l->begun && l->pass.n)
			f->floor = fmin(f->floor, level_of(f, l));
		l->begun = false;
	}
	const double floor = f->floor * (1 - 1e-9);
	f->floor = INFINITY;
	return floor;
}

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
	struct flow_rate *rate = &f->rate.at[flow];
	if (rate->stamp == f->stamp)
		return 0;
	rate->stamp = f->stamp;
	rate->fixed = false;
	int rc = weft_vec_push(&f->some_flows, flow);
	for (uint32_t h = f->flow.at[flow].first; h != FLOW_NONE && !rc; h = f->hop.at[h].next)
		rc = add_link(f, f->hop.at[h].link);
	return rc;
}

/* Flows below the floor keep what they have. */
static int open_link(struct weft_flows *f, struct flow_link *l, double floor)
{
	int rc = 0;
	for (size_t i = 0; i < l->pass.n && !rc; i++) {
		const uint32_t flow = l->pass.at[i].flow;
		const double rate = f->rate.at[flow].now;
		if (rate > 0 && rate < floor) {
			l->left -= rate;
			l->open--;
		} else
			rc = add_flow(f, flow);
	}
	l->left = fmax(l->left, 0);
	return rc;
}

static int find_connected(struct weft_flows *f, double floor)
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
		rc = open_link(f, &f->link[f->some_links.at[i]], floor);
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
	f->rate.at[flow].fixed = true;
	row->new_rate = rate;
	for (uint32_t h = row->first; h != FLOW_NONE; h = f->hop.at[h].next) {
		struct flow_link *l = &f->link[f->hop.at[h].link];
		l->left = l->left > rate ? l->left - rate : 0;
		l->open--;
	}
}

static void look_if_full(struct flow_link *l, double now)
{
	const bool full = l->use.flows && l->left <= 1e-9 * l->capacity;
	if (l->full && !full)
		l->use.full_ns += now - l->full_since;
	else if (!l->full && full)
		l->full_since = now;
	l->full = full;
}

static void fill(struct weft_flows *f, double level, double now)
{
	/* level: what the last link had for each; no other has less, but by rounding */
	while (f->offer.n) {
		const struct flow_offer x = f->offer.at[0];
		struct flow_link *l = &f->link[x.link];
		if (!l->open) {
			look_if_full(l, now);
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
		for (size_t i = 0; i < l->pass.n; i++)
			if (!f->rate.at[l->pass.at[i].flow].fixed)
				fix(f, l->pass.at[i].flow, share);
		l->left = 0; /* and its offer goes when it is looked at again */
	}
}

static void change_rate(struct weft_flows *f, uint32_t flow, double now)
{
	struct flow_row *row = &f->flow.at[flow];
	double *rate = &f->rate.at[flow].now;
	if (row->new_rate == *rate)
		return;
	row->left = fmax(row->left - (now - row->since) * *rate, 0);
	row->since = now;
	*rate = row->new_rate;
	row->end = now + row->left / *rate;
	flow_put(f, row->place, flow);
}

/* ---- patience ---- */

enum { SAMPLE = 1024 };

void weft_flows_patience(struct weft_flows *f, uint32_t many, double part)
{
	f->many = many;
	f->part = part;
}

double weft_flows_due(const struct weft_flows *f, double now)
{
	return fmax(f->due, now);
}

/*
 * A few very long flows, or some that are just ending, must not decide how long it waits, hence the geometric mean; each k-th of so
 * many flows is enough of them.
 */
static void set_due(struct weft_flows *f, double now)
{
	const size_t n = f->some_flows.n, step = n / SAMPLE + 1;
	double sum = 0;
	unsigned count = 0;
	f->due = now;
	if (!f->many || n < f->many)
		return;
	for (size_t i = 0; i < n; i += step) {
		const double left = f->flow.at[f->some_flows.at[i]].end - now;
		if (left > 0 && isfinite(left)) {
			sum += log(left);
			count++;
		}
	}
	if (count)
		f->due = now + f->part * exp(sum / count);
}

int weft_flows_share(struct weft_flows *f, double now)
{
	if (!f->dirty.n)
		return 0;
	const double floor = find_floor(f);
	if (find_connected(f, floor) || make_offers(f))
		return -ENOMEM;
	for (size_t i = 0; i < f->some_links.n; i++)
		if (!f->link[f->some_links.at[i]].open)
			look_if_full(&f->link[f->some_links.at[i]], now);
	fill(f, floor, now);
	for (size_t i = 0; i < f->some_flows.n; i++)
		change_rate(f, f->some_flows.at[i], now);
	set_due(f, now);
	return 0;
}
