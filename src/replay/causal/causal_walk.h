/* SPDX-License-Identifier: Apache-2.0 */
/* One thread's walk: what is open, what was counted so far. For causal_walk.c, which reads events, and causal_wait.c, which makes nodes. */
#ifndef WEFT_CAUSAL_WALK_H
#define WEFT_CAUSAL_WALK_H

#include "causal_priv.h"

struct walk_open {
	uint64_t begin, piece; /* piece: where the stretch that is waited for begins, when it waits */
	uint64_t team, address;
	int64_t holder;
	uint32_t region, path; /* path: of what is around it */
	uint32_t iterations;
	uint8_t role;
	bool waits, ignored, worker, foreign; /* foreign: opened by a value of a type */
};
struct walk_path {
	uint32_t last_region, last_child; /* of its children */
	uint32_t burst, part;             /* where it was counted last */
};
struct causal_walk {
	const struct causal_load *load;
	const struct causal_names *names;
	const struct weft_trace *trace;
	struct causal_out *out;
	uint32_t thread, process;
	uint64_t last;     /* what is before has been counted */
	uint64_t node_end; /* of the last node */
	uint32_t path, burst;
	uint32_t first_part, first_link; /* of the next node */
	int wait;                        /* the region that waits now, in `open`; -1: none */
	WEFT_VEC(struct walk_open) open;
	WEFT_VEC(struct walk_path) info;
	WEFT_VEC(uint32_t) begun; /* sends that another call will end */
	struct weft_map child;    /* (path, region) -> path */
	struct weft_map count;    /* meetings of a communicator, so far */
	uint64_t idle_begin, idle_end;
	bool idle, works, began; /* works: runs tasks of the runtime; began: its first event has come */
	uint64_t late_lock;
	uint32_t probed; /* the link of a probe that has no message yet, NONE: there is none */
	int64_t comm;
	bool is_root;
};

/* 0 or -ENOMEM, all of them. */
int walk_account(struct causal_walk *w, uint64_t time);
int walk_node(struct causal_walk *w, uint64_t begin, uint64_t end, unsigned kind, uint32_t path);
int walk_link(struct causal_walk *w, unsigned kind, uint32_t arg);
int walk_named(struct causal_walk *w, unsigned kind, uint64_t key, uint64_t address, uint32_t region);
int walk_join(struct causal_walk *w, struct causal_join join);
int walk_point(struct causal_walk *w, uint64_t time); /* a node of the links that were added, unless the open wait takes them */
int walk_child(struct causal_walk *w, uint32_t region, uint32_t *path);
struct weft_causal_part *walk_part(struct causal_walk *w, uint32_t path); /* of this burst; NULL: no memory */
int walk_wait_end(struct causal_walk *w, struct walk_open *o, uint64_t time);
int walk_come(struct causal_walk *w, struct walk_open *o); /* to a barrier of its team */
int walk_team_ends(struct causal_walk *w, uint64_t time);  /* on its master, in traces that do not say so */
int walk_flush_idle(struct causal_walk *w);
uint64_t walk_team(const struct causal_walk *w);
uint64_t walk_next(struct causal_walk *w, uint64_t key, int *rc); /* how often it was asked for this key before */
static inline uint64_t walk_pool(const struct causal_walk *w)
{
	return causal_key('T', w->process, 0, 0);
}

#endif
