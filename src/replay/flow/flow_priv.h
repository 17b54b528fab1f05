/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows and links know each other by hops: one for each link that a flow goes through, in the flow's list and in the link's.
 *
 *     flow ──> hop ──> hop ──> hop                   (next)
 *               │       │       │
 *             link    link    link: pass[hop.place] = this flow, this hop; those of other flows beside it
 *
 * Sharing goes through all flows of many links again and again, so a link's are in a row, and what it asks of a flow is beside it (`rate`).
 */
#ifndef WEFT_REPLAY_FLOW_PRIV_H
#define WEFT_REPLAY_FLOW_PRIV_H

#include "base/vec.h"
#include "flow.h"

enum { FLOW_NONE = UINT32_MAX };

struct flow_hop {
	uint32_t link, place, next;
};
struct flow_pass { /* of a link */
	uint32_t flow, hop;
};
struct flow_rate { /* by flow */
	double now;
	uint32_t stamp; /* of the sharing that looks at it */
	bool fixed;     /* it has been given its new rate */
};
struct flow_row {
	uint64_t of, seq;
	double begin, size, left, since; /* left: at `since` */
	double end;                      /* as things stand */
	double alone, new_rate;
	uint32_t first; /* hop */
	uint32_t place; /* in the heap; FLOW_NONE: it is free */
};
struct flow_link {
	double capacity, left;
	WEFT_VEC(struct flow_pass) pass;
	uint32_t open; /* flows without a rate, while sharing */
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
	WEFT_VEC(struct flow_rate) rate;
	WEFT_VEC(struct flow_hop) hop;
	WEFT_VEC(uint32_t) heap; /* flows by end, then as they began */
	WEFT_VEC(uint32_t) dirty, some_links, some_flows;
	WEFT_VEC(struct flow_offer) offer;
	uint32_t free_flow, free_hop; /* through `first`, `next` */
	double floor;                 /* the least rate that a flow had that has ended; INFINITY */
	uint32_t stamp;
	uint64_t seq;
	uint32_t many; /* patience; 0: none */
	double part, due;
};

void flow_put(struct weft_flows *f, uint32_t place, uint32_t flow); /* into that place of the heap, or where it belongs */

#endif
