/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows that share what they go through. Each has a size and goes through some links at once; each link has a capacity; and at any
 * instant the rates are max-min fair: nobody can be given more without taking from one that has no more than he.
 *
 *     begin, begin, …  ── share(now) ──> rates ──> next(): when the first ends ── end(now) ──> share(now) …
 *
 * Sizes, capacities and times are in any units that fit each other: bytes and bytes per ns, or ns of work and processors. Same calls,
 * same results. Nothing here is thread-safe.
 */
#ifndef WEFT_REPLAY_FLOW_H
#define WEFT_REPLAY_FLOW_H

#include "base/err.h"
#include <stdbool.h>
#include <stdint.h>

struct weft_flows;
struct weft_flow_link_use {
	double size;             /* of the flows that have ended */
	double busy_ns, full_ns; /* with a flow at all; with flows that it alone keeps from being faster */
	uint32_t flows, most;    /* now; the most at one time */
	uint64_t ended;
};
struct weft_flow_end {
	uint64_t of;
	double begin_ns;
	double alone_ns; /* what it would have taken with nobody else there */
};

/* capacity 0: no limit, and nobody is counted there. 0 or -ENOMEM. */
int weft_flows_new(struct weft_flows **out, const double *capacity, uint32_t n_links) WEFT_MUST_CHECK;
void weft_flows_free(struct weft_flows *f); /* NULL is fine */
/* Another capacity, above 0, for a link that nobody goes through. */
void weft_flows_capacity(struct weft_flows *f, uint32_t link, double capacity);
/* `of` is the caller's. Links may not come twice. Its rate is known when share() has been called. 0 or -ENOMEM. */
int weft_flows_begin(struct weft_flows *f, double now, double size, const uint32_t *link, uint32_t n,
                     uint64_t of) WEFT_MUST_CHECK;
/* Makes rates fair again where flows began or ended; O(hops log links) of the flows that are connected with those. */
int weft_flows_share(struct weft_flows *f, double now) WEFT_MUST_CHECK;
/*
 * Where sharing has to look at `many` flows or more, it may wait with the next time: for a `part` of what those flows still take (their geometric
 * mean). Until then who has begun has nothing yet, and what has ended leaves its room unused. 0, which it is without: each change at once.
 */
void weft_flows_patience(struct weft_flows *f, uint32_t many, double part);
/* When what changes at `now` has to be shared: at once (`now`), or up to then. */
double weft_flows_due(const struct weft_flows *f, double now);
/* When the first flow ends; false: there is none. */
bool weft_flows_next(const struct weft_flows *f, double *at);
/* Takes one that ends at `now` (or should have) away; false: none does. Of several the one that began first. */
bool weft_flows_end(struct weft_flows *f, double now, struct weft_flow_end *out);
/* The rate of the flow called `of`, or 0: O(flows), for tests. */
double weft_flows_rate(const struct weft_flows *f, uint64_t of);
struct weft_flow_link_use weft_flows_use(const struct weft_flows *f, uint32_t link, double now);

#endif
