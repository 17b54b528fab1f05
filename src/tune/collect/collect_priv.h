/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the collector share.
 *
 *     collect.c         the loop; whom it listens to; its end; when what is above is gone
 *     collect_route.c   messages: up and down, and which process is reached how
 *     collect_peer.c    a neighbour, by a stream of this machine or by a wire
 *     collect_grow.c    collectors that are added and taken away while the run goes on
 *     collect_level.c   a level of them, likewise
 */
#ifndef WEFT_TUNE_COLLECT_PRIV_H
#define WEFT_TUNE_COLLECT_PRIV_H

#include "tune/wire/channel.h"
#include "collect.h"
#include "collect_fold.h"
#include "base/map.h"
#include "base/vec.h"
#include <sys/types.h>

enum { COLLECT_NOBODY = -1 };

struct peer {
	struct channel c;               /* or: */
	struct weft_wire *w;            /* owned */
	struct weft_buf bytes;          /* of the message that is sent by it */
	bool alive, collector, drained; /* drained: it has said its last, but for answers */
	uint32_t id;                    /* of a peer below: never used again */
	uint64_t dropped;               /* events that it did not take in time */
	uint64_t began_ns, processes;   /* since when it is there; how many processes it has said to be there */
	struct weft_buf fold;           /* of a collector below, in pieces; of this tunlet: */
	uint32_t fold_of;
	const char *over; /* the limit that it exceeds, for which it is disconnected; or NULL */
	bool ready;       /* a collector: it can fold */
	/* of a leaf: */
	pid_t pid;             /* 0: it is none */
	uint32_t number;       /* in the run */
	bool leaving, told_to; /* it is to leave; and was told so, once it had no process any more */
	/* of a collector between this one and those of hosts: */
	pid_t between;        /* 0: it is none */
	struct weft_buf kept; /* messages for it since it was told to leave */
	uint32_t handed_by;   /* of a host's collector: id of the one between that has handed it over; */
	bool rests;           /* and is still handing others over: this peer is not read until then */
};

struct collect_binding {
	bool bound;
	uint32_t actor;
	int64_t id;
	struct collect_heard passed; /* of its events that were passed up before it was bound */
};

struct collect_process {
	uint64_t process;
	uint32_t by;        /* id of the peer */
	uint64_t orphan_ns; /* since when there is no way to it; 0: there is */
	bool left;          /* its next iterations go another way: nothing of them will come here */
	struct collect_binding tunlet[COLLECT_TUNLETS];
};

struct collect_tunlet {
	struct weft_buf text; /* as it comes */
	char *name;           /* owned */
	struct weft_spec *s;
	struct folder *f;
	uint64_t began;
	double per_unit;
	bool passes; /* folded events are passed up, too */
	struct collect *c;
	uint32_t number;
	bool ends;            /* there were: */
	int64_t ended, asked; /* the last iteration whose end went up, and the last one that was asked for or closed */
};

struct collect {
	struct collect_how how;
	struct peer up;
	struct weft_wire_listener *listener;
	WEFT_VEC(struct peer *) below;
	WEFT_VEC(struct collect_process) process;
	struct weft_map by_process;
	struct collect_tunlet tunlet[COLLECT_TUNLETS];
	struct weft_buf backlog;     /* messages that a later collector needs, encoded: kind (1), length (4), bytes */
	char above[WIRE_PEER_BYTES]; /* the address to reconnect to */
	struct follow follow;
	uint64_t real_offset, ping_ns, began_ns;
	uint32_t ids;
	bool ending, over, more; /* more: messages that were read wait to be handled */
	uint64_t end_ns;
	struct message *in; /* room for one */
	/* growing: */
	uint32_t wanted, leaves; /* the number of collectors that are to share; leaves begun so far */
	bool uneven, leaving;    /* leaving: of a leaf, it is to go */
	bool orphans;            /* some processes are orphans */
	bool told_controller, said_end;
	bool told, timed,
		works; /* the parties above have sent their state; and their clock; and know that this collector works */
	uint64_t events, load_ns, asked_ns; /* asked_ns: time of the last request from above */
	bool ahead;                         /* iterations are ahead: controllers are not read */
	bool joins, bound;                  /* it was inserted during the run; some process was bound */
	uint32_t level, level_of; /* how many there are to be between this one and those of hosts; for how many that was done */
	WEFT_VEC(pid_t) ended;    /* leaves that were dismissed */
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
/* The tunlets of the collector from which this process was forked. */
int route_join(struct collect *c, struct weft_err *err) WEFT_MUST_CHECK; /* how.joins */
int route_inherit(struct collect *c, const struct collect *from, struct weft_err *err) WEFT_MUST_CHECK;
void route_up(struct collect *c, struct peer *from, struct message *m);
void route_down(struct collect *c, const struct message *m);
double route_unit_time(const struct collect_tunlet *k, uint64_t time);
/* collect_process.c */
struct collect_process *route_process(struct collect *c, uint64_t process);
bool route_may_have_one_more(struct peer *p);
void route_lost_events(struct collect *c, const struct message_lost *m);
/* Events that were lost on the way, not in rings: noticed at once. */
struct message_lost route_lost_now(struct collect *c, uint64_t process, uint64_t now, uint64_t count);
struct collect_process *route_add_process(struct collect *c, uint64_t process,
                                          uint32_t by); /* or it is reached by another way now; NULL: no memory */
void route_forget(struct collect *c, uint64_t process);
void route_ended(struct collect *c, const struct collect_process *t); /* no further fold of it will come */
void route_to_process(struct collect *c, uint64_t process, const struct message *m);
void route_send_up(struct collect *c, const struct message *m);
void route_can_fold(struct collect *c, struct peer *p); /* a collector below has all tunlets */
/* A peer below is gone; it is still in the list. */
void route_lost(struct collect *c, const struct peer *p);
void route_orphans(struct collect *c); /* whose time is up */
/* The party above is a new one: announces our processes to it. */
void route_moved(struct collect *c);
void route_flush(struct collect *c);
void route_fini(struct collect *c);

/* -- collect_grow.c -- */
void grow_look(struct collect *c);                                          /* once a round of the loop */
void grow_send_load(struct collect *c, bool now);                           /* when the interval is over */
bool grow_up_left(struct collect *c, struct peer *from, struct message *m); /* for route_up's table */
bool grow_up_load(struct collect *c, struct peer *from, struct message *m);
void grow_down_grow(struct collect *c, const struct message *m); /* and for route_down's */
void grow_down_here(struct collect *c, const struct message *m);
void grow_down_leave(struct collect *c, const struct message *m);
void grow_lost(struct collect *c, const struct peer *leaf);
void grow_fini(struct collect *c);

/* -- collect_level.c -- */
void level_look(struct collect *c); /* once a round of the loop */
uint32_t level_count(const struct collect *c);
bool level_up_hand(struct collect *c, struct peer *from, struct message *m); /* for route_up's table */
bool level_up_move(struct collect *c, struct peer *from, struct message *m);
void level_down_level(struct collect *c, const struct message *m);
int level_keep(struct peer *p, const struct message *m) WEFT_MUST_CHECK;
void level_leave(struct collect *c); /* this collector is between others, and leaves */
void level_lost(struct collect *c, struct peer *p);

/* -- collect.c -- */
void collect_serve(struct collect *c); /* until the run is over */
int collect_add_below(struct collect *c, int fd, struct weft_wire *w, struct peer **out) WEFT_MUST_CHECK;
void collect_drop_below(struct collect *c, size_t i);
uint64_t collect_clock(const struct collect *c); /* this host's */
void collect_log(struct collect *c, const char *fmt, ...) WEFT_PRINTF(2, 3);

#endif
