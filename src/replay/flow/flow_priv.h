/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows and links know each other by hops: one for each link that a flow goes through, in the flow's list and in the link's.
 *
 *     flow ──> hop ──> hop ──> hop            (next_of_flow)
 *               │       │       │
 *             link    link    link ──> the hops of other flows there (next, prev)
 */
#ifndef WEFT_REPLAY_FLOW_PRIV_H
#define WEFT_REPLAY_FLOW_PRIV_H

#include "base/vec.h"
#include "flow.h"

enum { FLOW_NONE = UINT32_MAX };

struct flow_hop {
	uint32_t flow, link;
	uint32_t next_of_flow, next, prev;
};
struct flow_row {
	uint64_t of, seq;
	double begin, size, left, rate, since; /* left: at `since` */
	double end;                            /* as things stand */
	double alone;
	uint32_t first; /* hop */
	uint32_t place; /* in the heap; FLOW_NONE: it is free */
	uint32_t stamp, fixed;
	double new_rate;
};
struct flow_link {
	double capacity, left;
	uint32_t first; /* hop */
	uint32_t open;  /* flows without a rate, while sharing */
	uint32_t stamp;
	bool dirty, begun, full; /* begun: a flow has, and not been given a rate */
	double busy_since, full_since;
	struct weft_flow_link_use use;
};
struct flow_offer { /* what a link has for each of its flows */
	double share;
	uint32_t link;
};

struct weft_flows {
	struct flow_link *link; /* owned */
	uint32_t n_links;
	WEFT_VEC(struct flow_row) flow;
	WEFT_VEC(struct flow_hop) hop;
	WEFT_VEC(uint32_t) heap; /* flows by end, then as they began */
	WEFT_VEC(uint32_t) dirty, some_links, some_flows;
	WEFT_VEC(struct flow_offer) offer;
	uint32_t free_flow, free_hop; /* through `first`, `next_of_flow` */
	double floor;                 /* the least rate that a flow had that has ended; INFINITY */
	uint32_t stamp;
	uint64_t seq;
};

void flow_put(struct weft_flows *f, uint32_t place, uint32_t flow); /* into that place of the heap, or where it belongs */

#endif
