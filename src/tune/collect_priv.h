/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the collector share.
 *
 *     collect.c         the loop; whom it listens to; its end; when what is above is gone
 *     collect_route.c   messages: up and down, and which task is reached how
 *     collect_peer.c    a neighbour, by a stream of this machine or by a wire
 */
#ifndef WEFT_TUNE_COLLECT_PRIV_H
#define WEFT_TUNE_COLLECT_PRIV_H

#include "channel.h"
#include "collect.h"
#include "collect_fold.h"
#include "base/map.h"
#include "base/vec.h"

enum { COLLECT_TUNLETS = 16, COLLECT_NOBODY = -1 };

struct peer {
	struct channel c;               /* or: */
	struct weft_wire *w;            /* owned */
	bool alive, collector, drained; /* drained: it has said its last, but for answers */
	uint32_t id;                    /* of those below: never used again */
	uint64_t dropped;               /* events that it did not take in time */
};

struct collect_binding {
	bool bound;
	uint32_t actor;
	int64_t id;
	bool passed; /* events of it went up before it was bound, the last of iteration: */
	int64_t iteration;
};

struct collect_task {
	uint64_t task;
	uint32_t by;        /* id of the peer */
	uint64_t orphan_ns; /* since when there is no way to it; 0: there is */
	struct collect_binding tunlet[COLLECT_TUNLETS];
};

struct collect_tunlet {
	struct weft_buf text; /* as it comes */
	char *name;           /* owned */
	struct weft_spec *s;
	struct folder *f;
	uint64_t began;
	double per_unit;
	struct collect *c;
	uint32_t number;
	struct weft_buf fold; /* of one below, as it comes; the id of whom */
	uint32_t fold_of;
};

struct collect {
	struct collect_how how;
	struct peer up;
	struct weft_wire_listener *listener;
	WEFT_VEC(struct peer *) below;
	WEFT_VEC(struct collect_task) task;
	struct weft_map by_task;
	struct collect_tunlet tunlet[COLLECT_TUNLETS];
	struct weft_buf said;        /* what a collector that comes later must hear, encoded: kind (1), length (4), bytes */
	char above[WIRE_PEER_BYTES]; /* whom to turn to */
	struct follow follow;
	uint64_t real_0, mono_0, ping_ns, began_ns;
	uint32_t ids;
	bool ending, over, more; /* more: something that was read waits to be heard */
	uint64_t end_ns;
	struct message *in; /* room for one */
};

/* -- collect_peer.c -- */
int peer_send(struct peer *p, const struct message *m);
int peer_flush(struct peer *p);
int peer_fill(struct peer *p);
int peer_next(struct peer *p, struct message *out); /* 1, 0, or it ended */
int peer_fd(const struct peer *p);
short peer_events(const struct peer *p);
void peer_end(struct peer *p);

/* -- collect_route.c -- */
void route_up(struct collect *c, struct peer *from, struct message *m);
void route_down(struct collect *c, const struct message *m);
/* Something below is gone; it is still in the list. */
void route_lost(struct collect *c, const struct peer *p);
void route_orphans(struct collect *c); /* whose time is up */
/* What is above is another: it hears of our tasks. */
void route_moved(struct collect *c);
void route_flush(struct collect *c);
void route_fini(struct collect *c);

/* -- collect.c -- */
uint64_t collect_clock(const struct collect *c); /* this host's */
void collect_say(struct collect *c, const char *fmt, ...) WEFT_PRINTF(2, 3);

#endif
